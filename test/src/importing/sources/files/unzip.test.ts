import { mkdir, readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';

import { describe, expect, it } from 'vitest';

import { unzip } from '../../../../../src/importing/sources/spool.ts';
import { withFiles } from '../files.ts';
import { zipOf, type ZipEntry } from './zip.ts';

/** The files that an archive is unpacked to. */
async function unpacked(zip: Buffer): Promise<Readonly<Record<string, string>>> {
  return withFiles({ 'a.zip': zip }, async (folder) => {
    const into = join(folder, 'into');
    await mkdir(into);
    await unzip({ path: join(folder, 'a.zip'), name: 'a.zip' }, into);
    expect(await readdir(folder)).toEqual(['a.zip', 'into']);
    const found = await readdir(into, { recursive: true, withFileTypes: true });
    const files = found.filter((file) => file.isFile()).map((f) => join(f.parentPath, f.name));
    const texts = files.map(async (path) => [
      path.slice(into.length + 1),
      await readFile(path, 'utf8'),
    ]);
    return Object.fromEntries(await Promise.all(texts));
  });
}

describe('a zip archive', () => {
  it('is unpacked, packed or stored, with its folders', async () => {
    const entries = [
      { name: 'b.md', data: '# B', method: 0 },
      { name: 'posts/', data: '', method: 0, mode: 0o040755 },
      { name: 'posts/en/a.md', data: 'é'.repeat(100_000) },
      { name: './c.md', data: 'c', mode: 0 },
      { name: 'd\\e.md', data: 'e' },
    ];
    expect(await unpacked(zipOf(entries))).toEqual({
      'b.md': '# B',
      'posts/en/a.md': 'é'.repeat(100_000),
      'c.md': 'c',
      'd/e.md': 'e',
    });
  });

  it('holds what a folder holds: nothing hidden', async () => {
    const names = ['.git/HEAD', 'a/.b.md', 'node_modules/a.md', '__MACOSX/._a.md', 'a.md'];
    expect(await unpacked(zipOf(names.map((name) => ({ name }))))).toEqual({ 'a.md': '' });
  });

  const md = { name: 'a.md', data: 'a' };
  it.each<[string, readonly ZipEntry[], RegExp]>([
    ['an absolute name', [md, { name: '/etc/passwd' }], /absolute path: \/etc\/passwd/],
    ['a name of a drive', [{ name: 'C:\\a.md' }], /absolute path: C:\/a\.md/],
    ['a name that leads out', [{ name: 'a/../../b.md' }], /invalid relative path/],
    ['such a one by backslashes', [{ name: 'a\\..\\..\\b.md' }], /invalid relative path/],
    ['a zero in a name', [{ name: 'a.md\0.png' }], /is no name of a file/],
    [
      'a symbolic link',
      [{ name: 'a.md', data: '/etc/passwd', mode: 0o120777 }],
      /"a\.md" in it is a symbolic link/,
    ],
    ['a device', [{ name: 'a.md', mode: 0o060600 }], /"a\.md" in it is no plain file/],
    ['an encrypted file', [{ ...md, flags: 0x0801 }], /"a\.md" in it is encrypted/],
    ['strong encryption', [{ ...md, flags: 0x0841 }], /strong encryption is not supported/],
    ['a name twice', [md, { name: 'a.md', data: 'b' }], /a name stands in it twice/],
    ['a file that is a folder', [md, { name: 'a.md/b.md' }], /a name stands in it twice/],
    ['a folder that is a file', [{ name: 'a/b.md' }, { name: 'a' }], /a name stands in it twice/],
    ['a name that is too long', [{ name: `${'a'.repeat(300)}.md` }], /a name in it is too long/],
    ['a packing we do not know', [{ ...md, method: 12 }], /unsupported compression method: 12/],
    ['other bytes than it says', [{ ...md, claimed: { crc: 1 } }], /"a\.md" in it is damaged/],
    ['more bytes than it says', [{ ...md, data: 'aaa', claimed: { size: 2 } }], /too many bytes/],
    [
      'far more than its size',
      [{ ...md, claimed: { size: 2 ** 29 } }],
      /unpacks to more than 200 times/,
    ],
    [
      'that together',
      Array.from({ length: 3 }, (_, n) => ({ name: `${n}.md`, claimed: { size: 2 ** 27 } })),
      /200 times|not enough bytes/,
    ],
  ])('is refused with %s', async (_what, entries, reason) => {
    await expect(unpacked(zipOf(entries))).rejects.toMatchObject({
      code: 'unusable-input',
      message: expect.stringMatching(reason),
      hint: expect.stringContaining('Nothing of it was imported'),
    });
  });

  it.each([
    ['cut off', (zip: Buffer) => zip.subarray(0, -10)],
    [
      'with its list gone',
      (zip: Buffer) => Buffer.concat([zip.subarray(0, 40), zip.subarray(-22)]),
    ],
    ['with packed bytes changed', (zip: Buffer) => Buffer.from(zip).fill(0xff, 34, 38)],
  ])('is refused %s', async (_how, damage) => {
    const zip = zipOf([{ name: 'a.md', data: 'abc'.repeat(20) }]);
    await expect(unpacked(damage(zip))).rejects.toMatchObject({
      code: 'unusable-input',
      message: expect.stringMatching(/^"a\.zip" is not unpacked: /),
    });
  });
});
