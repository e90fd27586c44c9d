import type * as Path from 'node:path';
import type * as Url from 'node:url';
import { expect, test, vi } from 'vitest';
import { readTarget } from '../../../src/settings/target.ts';

vi.mock('node:path', async (original) => (await original<typeof Path>()).win32);
vi.mock('node:url', async (original) => {
  const { fileURLToPath, ...others } = await original<typeof Url>();
  const onWindows = (url: string) => fileURLToPath(url, { windows: true });
  return { ...others, fileURLToPath: onWindows };
});

test.each([
  ['file:C:\\blogs\\posts.json', 'C:\\blogs\\posts.json'],
  ['file:C:/blogs/posts.json', 'C:\\blogs\\posts.json'],
  ['file:posts.json', 'D:\\work\\posts.json'],
  ['file:..\\posts.json', 'D:\\posts.json'],
  ['file:///C:/my%20blogs/posts.json', 'C:\\my blogs\\posts.json'],
  ['file:\\\\host\\share\\posts.json', '\\\\host\\share\\posts.json'],
  ['file://host/share/posts.json', '\\\\host\\share\\posts.json'],
])('%s on Windows is %s', (text, path) => {
  expect(readTarget(text, 'D:\\work')).toEqual({ kind: 'file', path });
});
