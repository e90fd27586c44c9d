import { mkdtemp, readdir, rm, stat, truncate, writeFile, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openTokenFile } from '../../../server/store/token-file.ts';
import { hashOfToken, newTokenText, type TokenGrant } from '../../../server/store/tokens.ts';
import { UnusableStore } from '../../../server/store/unusable-store.ts';

let folder: string;
let path: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'blogctl-tokens-'));
  path = join(folder, 'blog.tokens.json');
});
afterEach(() => rm(folder, { recursive: true }));

const grant: TokenGrant = { name: 'ci', rights: ['create'], blogs: [1], expiresAt: 2e12 };

test('a token is told once, kept as a hash in a file of its owner, and looked up with its grant', async () => {
  const tokens = openTokenFile(path);
  const { id, token } = await tokens.create(grant);
  expect(token).toMatch(/^bct_[0-9A-Za-z]{38}$/);
  expect(await tokens.lookup(token)).toMatchObject(grant);
  expect(await tokens.list()).toMatchObject([{ ...grant, id }]);
  expect(await readFile(path, 'utf8')).not.toContain(token);
  expect((await stat(path)).mode & 0o777).toBe(0o600);
  expect(await readdir(folder)).toEqual(['blog.tokens.json']);
});

test('a token with one letter wrong is not looked up', async () => {
  const tokens = openTokenFile(path);
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
    const file = openTokenFile(path);
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
  const [mine, other] = [openTokenFile(path), openTokenFile(path)];
  const { id, token } = await other.create(grant);
  expect(await mine.lookup(token)).toMatchObject({ name: 'ci' });
  expect(await other.revoke(id)).toEqual([id]);
  expect(mine.lookup(token)).toBeUndefined();
});

test('writers at the same time lose nothing', async () => {
  const files = Array.from({ length: 8 }, () => openTokenFile(path));
  await Promise.all(files.map((file, at) => file.create({ ...grant, name: `n${at}` })));
  const names = (await openTokenFile(path).list()).map(({ name }) => name);
  expect(names.sort()).toEqual(['n0', 'n1', 'n2', 'n3', 'n4', 'n5', 'n6', 'n7']);
});

test('revoking by name takes every token of that name; an unknown one takes none', async () => {
  const tokens = openTokenFile(path);
  const made = [await tokens.create(grant), await tokens.create(grant)];
  expect(await tokens.revoke('nobody')).toEqual([]);
  expect(await tokens.revoke('ci')).toEqual(made.map(({ id }) => id));
  expect(await tokens.list()).toEqual([]);
});

test('a file of gigabytes is not read, and none is written', async () => {
  await writeFile(path, '');
  await truncate(path, 3 * 1024 ** 3);
  const tokens = openTokenFile(path);
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
  const tokens = openTokenFile(path);
  await expect(tokens.create(grant)).rejects.toBeInstanceOf(UnusableStore);
  const message = `${path} is no token file of blogctl. Nothing was changed.`;
  await expect(tokens.list()).rejects.toMatchObject({ message });
  expect(await readFile(path, 'utf8')).toBe('{"tokens":');
});
