import { describe, expect, it } from 'vitest';
import { createConnection } from '../../../src/http/connection.ts';
import { givenService } from '../../support/transport.ts';

const quiet = { retry: { retries: 0, maxWaitMs: 0 }, trace: { level: 0, write: () => {} } };
const credential = { origin: 'https://blog.test', token: 'secret-token' };

type Given = { readonly allowed?: readonly string[]; readonly insecure?: boolean };

function given(origins: Given = {}) {
  const service = givenService({});
  const options = { credential, origins: { home: 'https://blog.test', ...origins }, ...quiet };
  const send = createConnection(service, options);
  return {
    service,
    post: (url: string) => send({ method: 'POST', url, headers: {}, body: 'Secret' }),
  };
}

describe('a link of a blog by https', () => {
  it.each([
    ['https://blog.test/x', {}],
    ['https://other.test/x', { allowed: ['https://other.test'] }],
    ['http://other.test/x', { allowed: ['http://other.test'] }],
    ['http://blog.test/x', { insecure: true }],
    ['http://blog.test:8080/x', { insecure: true }],
  ])('to %s may be followed with %j, the token to the blog alone', async (url, origins) => {
    const { service, post } = given(origins);
    await post(url);
    const token = url.startsWith('https://blog.test/') ? 'secret-token' : undefined;
    expect(service.requests.map(({ headers }) => headers['x-access-token'])).toEqual([token]);
  });

  const elsewhere = /^A link of https:\/\/blog\.test leads to another origin: /;
  const plain = /^A link of https:\/\/blog\.test leads to where nothing is encrypted: /;
  const strange = /^A link of https:\/\/blog\.test is no address of HTTP: /;
  it.each<[string, Given, RegExp, string]>([
    ['http://blog.test/x', {}, plain, '--allow-insecure-links'],
    ['http://blog.test/x', { allowed: ['http://other.test'] }, plain, '--allow-insecure-links'],
    ['https://other.test/x', {}, elsewhere, '--allow-origin https://other.test'],
    ['http://other.test/x', { insecure: true }, elsewhere, '--allow-origin http://other.test'],
    [
      'https://blog.test:444/x',
      { insecure: true },
      elsewhere,
      '--allow-origin https://blog.test:444',
    ],
    ['https://blog.test.evil.test/x', {}, elsewhere, '--allow-origin https://blog.test.evil.test'],
    ['https://blog.test@evil.test/x', {}, elsewhere, '--allow-origin https://evil.test'],
    ['javascript:alert(1)', { insecure: true }, strange, 'Tell the operator'],
    ['file:///etc/passwd', { allowed: ['null'] }, strange, 'Tell the operator'],
  ])('to %s with %j is refused, and nothing is sent', async (url, origins, message, hint) => {
    const { service, post } = given(origins);
    const refused = { code: 'broken-contract', message: expect.stringMatching(message) };
    await expect(post(url)).rejects.toMatchObject({
      ...refused,
      hint: expect.stringContaining(hint),
    });
    expect(service.requests).toEqual([]);
  });
});

it('a blog by http may be read from where the user allows it', async () => {
  const service = givenService({
    'GET http://other.test/x': { body: {} },
    'GET http://blog.test/x': { status: 302, headers: { location: 'http://other.test/x' } },
  });
  const origins = { home: 'http://blog.test', allowed: ['http://other.test'] };
  const send = createConnection(service, { origins, ...quiet });
  expect((await send({ method: 'GET', url: 'http://blog.test/x', headers: {} })).status).toBe(200);
});
