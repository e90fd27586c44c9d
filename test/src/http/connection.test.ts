import { expect, it } from 'vitest';
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

const quiet = {
  origins: { home: 'http://blog.test' },
  retry: { retries: 0, maxWaitMs: 0 },
  trace: { level: 0, write: () => {} },
};
