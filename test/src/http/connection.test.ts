import { describe, expect, it } from 'vitest';
import { createConnection, withToken } from '../../../src/http/connection.ts';
import { givenService } from '../../support/transport.ts';

const credential = { origin: 'http://blog.test', token: 'secret-token' };

it.each([
  ['POST', 'http://blog.test/api/v1.2/blogs/1/articles', true],
  ['PUT', 'http://blog.test/a', true],
  ['DELETE', 'http://blog.test/a', true],
  ['GET', 'http://blog.test/a', false],
  ['HEAD', 'http://blog.test/a', false],
  ['POST', 'https://blog.test/a', false],
  ['POST', 'http://blog.test:81/a', false],
  ['POST', 'http://blog.test.evil.test/a', false],
  ['POST', 'http://other.test/?http://blog.test/', false],
])('%s %s carries the token: %s', async (method, url, carries) => {
  const service = givenService({});
  await withToken(service, credential)({ method, url, headers: {} });
  expect(service.requests[0]?.headers['x-access-token']).toBe(carries ? 'secret-token' : undefined);
});

it.each([
  ['GET', 'http://elsewhere.test/x', 'http://elsewhere.test/x'],
  ['PUT', '/moved', 'http://blog.test/moved'],
  ['POST', 'http://elsewhere.test/x', 'http://elsewhere.test/x'],
])('a %s redirected to %s is named, not followed', async (method, location, target) => {
  const service = givenService({
    [`${method} http://blog.test/a`]: { status: 307, headers: { location } },
  });
  const send = createConnection(service, { credential, ...quiet });
  await expect(send({ method, url: 'http://blog.test/a', headers: {} })).rejects.toMatchObject({
    code: 'broken-contract',
    message: `Redirected to ${target}, which is not followed.`,
    context: { status: 307 },
  });
  expect(service.requests).toHaveLength(1);
});

it.each([
  ['POST', 307, 'use it as the address'],
  ['PUT', 307, 'use it as the address'],
  ['POST', 303, 'may have been created'],
  ['PUT', 303, 'may have been done'],
  ['DELETE', 302, 'may have been done'],
])(
  'a %s redirected by %i to another origin gets no --allow-origin',
  async (method, status, hint) => {
    const location = 'http://elsewhere.test/x';
    const service = givenService({
      [`${method} http://blog.test/a`]: { status, headers: { location } },
    });
    const send = createConnection(service, { credential, ...quiet });
    const error: unknown = await send({ method, url: 'http://blog.test/a', headers: {} }).catch(
      (refused: unknown) => refused,
    );
    expect(error).toHaveProperty('hint', expect.stringContaining(hint));
    expect(error).toHaveProperty('hint', expect.not.stringContaining('--allow-origin'));
  },
);

it('a read is followed within its origin', async () => {
  const service = givenService({
    'GET http://blog.test/a': { status: 301, headers: { location: '/b' } },
    'GET http://blog.test/b': { body: {} },
  });
  const send = createConnection(service, { credential, ...quiet });
  expect((await send({ method: 'GET', url: 'http://blog.test/a', headers: {} })).status).toBe(200);
});

it('redirects in a circle come to an end', async () => {
  const service = givenService({
    'GET http://blog.test/a': { status: 302, headers: { location: '/a' } },
  });
  const send = createConnection(service, { credential, ...quiet });
  await expect(send({ method: 'GET', url: 'http://blog.test/a', headers: {} })).rejects.toThrow(
    'More than 5 redirects.',
  );
});

it('a request that brings a token of its own keeps that', async () => {
  const service = givenService({});
  const headers = { 'x-access-token': 'another' };
  await withToken(service, credential)({ method: 'PUT', url: 'http://blog.test/a', headers });
  expect(service.requests[0]?.headers).toEqual(headers);
});

it('the trace never shows the token, nor one the service sends', async () => {
  const lines: string[] = [];
  const service = givenService({
    'PUT http://blog.test/a': { headers: { 'set-cookie': 'session=secret-token' } },
  });
  const trace = { level: 3, write: (line: string) => void lines.push(line) };
  const send = createConnection(service, { ...quiet, credential, trace });
  await send({ method: 'PUT', url: 'http://blog.test/a', headers: {}, body: '{"title":"x"}' });
  expect(lines.join('\n')).toContain('x-access-token: (not shown)');
  expect(lines.join('\n')).not.toContain('secret-token');
  expect(lines.join('\n')).toContain('> {"title":"x"}');
});

type Given = { readonly allowed?: readonly string[]; readonly insecure?: boolean };

function given(origins: Given = {}) {
  const home = 'https://blog.test';
  const service = givenService({});
  const send = createConnection(service, {
    ...quiet,
    credential: { origin: home, token: 'secret-token' },
    origins: { home, ...origins },
  });
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
  const send = createConnection(service, { ...quiet, origins });
  expect((await send({ method: 'GET', url: 'http://blog.test/x', headers: {} })).status).toBe(200);
});

const quiet = {
  origins: { home: 'http://blog.test' },
  retry: { retries: 0, maxWaitMs: 0 },
  trace: { level: 0, write: () => {} },
};
