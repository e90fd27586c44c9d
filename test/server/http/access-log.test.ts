import { expect, it } from 'vitest';
import { jsonLines, textLine, withRequestLog } from '../../../server/http/access-log.ts';

const entry = { method: 'GET', status: 404, bytes: 1, ms: 2, id: 'x-1' };

it.each([
  ['/plain', '/plain'],
  ['/"\\', '/"\\'],
  ['/\u001b[31m\n\u00e9 "', '/\\u001b[31m\\u000a\\u00e9\\u0020"'],
  ['/'.repeat(501), `${'/'.repeat(500)}...`],
])('the path %j stands in a log as %j', (path, shown) => {
  expect(textLine({ ...entry, path })).toBe(`GET ${shown} 404 1 2ms x-1`);
  expect(JSON.parse(jsonLines(() => 0)({ ...entry, path }))).toMatchObject({ path: shown });
});

it.each([
  [200, 0],
  [503, 1],
])('a health of %i makes %i lines', (status, count) => {
  const lines: string[] = [];
  const app = withRequestLog(() => ({ status, headers: {}, body: Buffer.alloc(0) }), {
    put: (line) => lines.push(line),
    format: textLine,
    elapsed: () => 0,
    newId: () => 'x',
  });
  const body = async () => Buffer.alloc(0);
  void app({ method: 'GET', target: '/health', headers: {}, peer: '', body });
  expect(lines).toHaveLength(count);
});

it.each([
  ['made here', '/?access_token=bct_0aZ&pageIndex=1', '/?access_token=bct_***&pageIndex=1'],
  [
    'made here, escaped',
    '/e%20?x=bct%5F0aZ&%62%63%54=%62ct%5f0a%5A',
    '/e%20?x=bct_***&%62%63%54=bct_***',
  ],
  ['made here, escaped twice', '/e?x=bct%255F0aZ%26y', '/e?x=bct_***%26y'],
  ['that was chosen', '/chosen!/?token=chosen!/', '/***?token=***'],
  ['that was chosen, escaped', '/?token=chosen!%2F&pageIndex=1', '/?token=***&pageIndex=1'],
  ['that was chosen, escaped by letters', '/?token=%63hosen%21/', '/?token=***'],
])('a token that was put into an address is not shown: one %s', (_, target, shown) => {
  const lines: string[] = [];
  const app = withRequestLog(() => ({ status: 404, headers: {}, body: Buffer.alloc(1) }), {
    put: (line) => lines.push(line),
    format: textLine,
    elapsed: () => 0,
    newId: () => 'x',
    secret: 'chosen!/',
  });
  void app({ method: 'GET', target, headers: {}, peer: '', body: async () => Buffer.alloc(0) });
  expect(lines).toEqual([`GET ${shown} 404 1 0ms x`]);
});
