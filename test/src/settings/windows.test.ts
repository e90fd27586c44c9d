import { win32 } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { readTarget, type Paths } from '../../../src/settings/target.ts';

const windows: Paths = {
  resolve: (folder, path) => win32.resolve(folder, path),
  fileURLToPath: (url) => fileURLToPath(url, { windows: true }),
  homedir: () => 'C:\\Users\\Ada',
};

test.each([
  ['file:C:\\blogs\\posts.json', 'C:\\blogs\\posts.json'],
  ['file:C:/blogs/posts.json', 'C:\\blogs\\posts.json'],
  ['file:posts.json', 'D:\\work\\posts.json'],
  ['file:..\\posts.json', 'D:\\posts.json'],
  ['file:~\\posts.json', 'C:\\Users\\Ada\\posts.json'],
  ['file:~/posts.json', 'C:\\Users\\Ada\\posts.json'],
  ['file:///C:/my%20blogs/posts.json', 'C:\\my blogs\\posts.json'],
  ['file:\\\\host\\share\\posts.json', '\\\\host\\share\\posts.json'],
  ['file://host/share/posts.json', '\\\\host\\share\\posts.json'],
])('%s on Windows is %s', (text, path) => {
  expect(readTarget(text, 'D:\\work', windows)).toEqual({ kind: 'file', path });
});
