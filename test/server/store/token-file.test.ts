import { mkdtemp, readdir, rm, stat, truncate, writeFile, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { tokensBeside } from '../../../server/store/token-file.ts';
import { hashOfToken, newTokenText, type TokenGrant } from '../../../server/store/tokens.ts';
import { realFileSystem } from '../../../server/store/file-system/real-file-system.ts';
import { UnusableStore } from '../../../server/store/unusable-store.ts';
import { withChangedFiles } from './support/changed-files.ts';

let folder: string;
let path: string;
let storeFile: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'blogctl-tokens-'));
  path = join(folder, 'blog.tokens.json');
  storeFile = join(folder, 'blog.json');
});
afterEach(() => rm(folder, { recursive: true }));

const grant: TokenGrant = { name: 'ci', rights: ['create'], blogs: [1], expiresAt: 2e12 };

test('a token is told once, kept as a hash in a file of its owner, and looked up with its grant', async () => {
  const tokens = tokensBeside(storeFile);
  const { id, token } = await tokens.create(grant);
  expect(token).toMatch(/^bct_[0-9A-Za-z]{38}$/);
  expect(await tokens.lookup(token)).toMatchObject(grant);
  expect(await tokens.list()).toMatchObject([{ ...grant, id }]);
  expect(await readFile(path, 'utf8')).not.toContain(token);
  expect((await stat(path)).mode & 0o777).toBe(0o600);
  expect(await readdir(folder)).toEqual(['blog.tokens.json']);
});

test('a token with one letter wrong is not looked up', async () => {
  const tokens = tokensBeside(storeFile);
  const { token } = await tokens.create(grant);
  const last = token.endsWith('a') ? 'b' : 'a';
  expect(tokens.lookup(token.slice(0, -1) + last)).toBeUndefined();
  expect(tokens.lookup('')).toBeUndefined();
});

test('one of sixty thousand costs no more than one of six, known or not', async () => {
  const costOf = async (count: number) => {
    const tokens = Array.from({ length: count }, (_, at) => ({
      ...grant,
      id: `${at}`,
      sha256: hashOfToken(`${at}`),
      createdAt: 0,
    }));
    await writeFile(path, JSON.stringify({ format: 'blogctl-tokens/1', tokens }));
    const file = tokensBeside(storeFile);
    const unknown = newTokenText();
    expect(file.lookup(unknown)).toBeUndefined();
    const before = process.cpuUsage();
    for (let at = 0; at < 200; at += 1) expect(file.lookup(unknown)).toBeUndefined();
    return process.cpuUsage(before).user;
  };
  const few = Math.max(20_000, await costOf(6));
  expect((await costOf(60_000)) / few).toBeLessThan(20);
});

test('what another process writes is seen at the next look-up', async () => {
  const [mine, other] = [tokensBeside(storeFile), tokensBeside(storeFile)];
  const { id, token } = await other.create(grant);
  expect(await mine.lookup(token)).toMatchObject({ name: 'ci' });
  expect(await other.revoke(id)).toEqual([id]);
  expect(mine.lookup(token)).toBeUndefined();
});

test('writers at the same time lose nothing', async () => {
  const files = Array.from({ length: 8 }, () => tokensBeside(storeFile));
  await Promise.all(files.map((file, at) => file.create({ ...grant, name: `n${at}` })));
  const names = (await tokensBeside(storeFile).list()).map(({ name }) => name);
  expect(names.sort()).toEqual(['n0', 'n1', 'n2', 'n3', 'n4', 'n5', 'n6', 'n7']);
});

test('revoking by name takes every token of that name; an unknown one takes none', async () => {
  const tokens = tokensBeside(storeFile);
  const made = [await tokens.create(grant), await tokens.create(grant)];
  expect(await tokens.revoke('nobody')).toEqual([]);
  expect(await tokens.revoke('ci')).toEqual(made.map(({ id }) => id));
  expect(await tokens.list()).toEqual([]);
});

test('a file of gigabytes is not read, and none is written', async () => {
  await writeFile(path, '');
  await truncate(path, 3 * 1024 ** 3);
  const tokens = tokensBeside(storeFile);
  await expect(tokens.list()).rejects.toThrow(
    `${path} has 3221225472 bytes and is no token file of blogctl. Nothing was changed.`,
  );
  await rm(path);
  const long = { ...grant, name: 'n'.repeat(17 * 1024 * 1024) };
  await expect(tokens.create(long)).rejects.toThrow(`${path} takes no more tokens`);
  expect(await readdir(folder)).toEqual([]);
});

test('a file that is no token file is refused and left as it is', async () => {
  await writeFile(path, '{"tokens":');
  const tokens = tokensBeside(storeFile);
  await expect(tokens.create(grant)).rejects.toBeInstanceOf(UnusableStore);
  const message = `${path} is no token file of blogctl. Nothing was changed.`;
  await expect(tokens.list()).rejects.toMatchObject({ message });
  expect(await readFile(path, 'utf8')).toBe('{"tokens":');
});

test('a file of a user who is neither root, nor we, nor the owner of the store grants nothing', async () => {
  const { token } = await tokensBeside(storeFile).create(grant);
  await writeFile(storeFile, '{}');
  const before = await readFile(path, 'utf8');
  const own = process.geteuid?.() ?? 0;
  const ownedBy = (uid: number, storeUid: number) =>
    tokensBeside(storeFile, {
      ...withChangedFiles(realFileSystem, (file) => ({ stat: () => ({ ...file.stat(), uid }) })),
      stat: (name) => {
        const there = realFileSystem.stat(name);
        return there && { ...there, uid: name === storeFile ? storeUid : uid };
      },
    });
  for (const [uid, storeUid] of [
    [0, own],
    [own, 4242],
    [4242, 4242],
  ] as const)
    expect(ownedBy(uid, storeUid).lookup(token)).toMatchObject(grant);
  const strange = ownedBy(4242, own);
  const refusal = {
    code: 'forbidden',
    message: expect.stringContaining(`${path} belongs to user 4242, who is neither root`),
    hint: expect.stringContaining(`chown --reference=${storeFile} ${path}`),
  };
  expect(() => strange.lookup(token)).toThrow(expect.objectContaining(refusal));
  await expect(strange.list()).rejects.toMatchObject(refusal);
  await expect(strange.create(grant)).rejects.toMatchObject(refusal);
  expect(await readFile(path, 'utf8')).toBe(before);
});
