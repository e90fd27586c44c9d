import {
  lstatSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openRegularFile, replaceFile } from '../../src/files.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'blogctl-files-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

test('a file is replaced whole, for its owner alone, and leaves nothing beside it', async () => {
  const path = join(folder, 'ready.json');
  writeFileSync(path, 'before', { mode: 0o666 });
  await replaceFile(path, 'after');
  expect(readFileSync(path, 'utf8')).toBe('after');
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(readdirSync(folder)).toEqual(['ready.json']);
});

test('a link is replaced and not followed', async () => {
  writeFileSync(join(folder, 'precious.txt'), 'precious');
  symlinkSync('precious.txt', join(folder, 'ready.json'));
  await replaceFile(join(folder, 'ready.json'), 'after');
  expect(readFileSync(join(folder, 'precious.txt'), 'utf8')).toBe('precious');
  expect(lstatSync(join(folder, 'ready.json')).isFile()).toBe(true);
});

test('what cannot be written leaves nothing beside it', async () => {
  await expect(replaceFile(join(folder, 'none', 'ready.json'), 'x')).rejects.toThrow('ENOENT');
  expect(readdirSync(folder)).toEqual([]);
});

test('a folder is no file to read', async () => {
  await expect(openRegularFile(folder)).rejects.toMatchObject({
    code: 'unusable-input',
    message: `${folder} is a folder, not a file.`,
  });
});
