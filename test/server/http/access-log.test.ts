import { expect, it } from 'vitest';
import { jsonLines, textLine } from '../../../server/http/access-log.ts';

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
