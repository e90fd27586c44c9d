import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createJsonFile } from '../../../../server/store/json-file/create.ts';
import type { FileSystem, OpenMode } from '../../../../server/store/file-system/file-system.ts';
import { createMemoryFileSystem } from '../../../../server/store/file-system/memory-file-system.ts';
import { readLock } from '../../../../server/store/json-file/lock-text.ts';
import { openJsonFile } from '../../../../server/store/json-file/open.ts';
import { lockStore } from '../../../../server/store/json-file/store-lock.ts';
import { givenStore, PATH, reopened, textOf } from '../support/given-store.ts';
import { withGuest } from '../support/guest-file-system.ts';

let folder: string;
let path: string;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'blogctl-fence-'));
  path = join(folder, 'blog.json');
  await createJsonFile(path, { title: 'My blog', description: '' });
});
afterEach(() => rmSync(folder, { recursive: true }));

test('a lock that is lost while a change is written: the change is not acknowledged', async () => {
  const { store, disk } = await givenStore();
  await store.close();
  const come = () => disk.put(`${PATH}.lock`, '{"pid":1,"host":"other","since":""}');
  const late = await reopened(withGuest(disk, 'syncData', come));
  await expect(late.create(1, { title: 'Late' })).rejects.toMatchObject({
    failure: 'outcome-unknown',
    message: 'The lock was lost while the change was written.',
  });
  await expect(late.create(1, { title: 'Later' })).rejects.toMatchObject({ failure: 'degraded' });
  await late.close();
});

test('a lock that another process has taken is not written over', async () => {
  const { store, disk } = await givenStore();
  await store.close();
  const theirs = '{"pid":1,"host":"other","since":""}';
  const late = await reopened(withGuest(disk, 'sync', () => disk.put(`${PATH}.lock`, theirs)));
  await expect(late.create(1, { title: 'Late' })).rejects.toMatchObject({
    failure: 'degraded',
    message: `${PATH}.lock was removed or replaced by another program.`,
  });
  await late.close();
  expect(textOf(disk, `${PATH}.lock`)).toBe(theirs);
});

test('a lock that another process has taken in the last moment is theirs', async () => {
  const { store, disk } = await givenStore();
  await store.close();
  const lock = await lockStore(disk, PATH, 0);
  const theirs = '{"pid":1,"host":"other","since":""}';
  disk.put(`${PATH}.lock`, theirs);
  await lock.release(true);
  expect(textOf(disk, `${PATH}.lock`)).toBe(theirs);
});

test('who takes the lock removes what we were about to name so: told as the loss it is', async () => {
  const { store, disk } = await givenStore();
  await store.close();
  const come = () => {
    const next = disk.list(dirname(PATH)).find((name) => name.endsWith('.tmp')) ?? '';
    disk.remove(join(dirname(PATH), next));
  };
  const late = await reopened(withGuest(disk, 'sync', come));
  await expect(late.create(1, { title: 'Late' })).rejects.toMatchObject({
    failure: 'degraded',
    message: `${PATH}.lock was removed or replaced by another program.`,
  });
  await late.close();
});

test('a lock file that is replaced or removed while it is read is read as one of the two', () => {
  const disk = createMemoryFileSystem();
  const short = { pid: 1, host: 'other', since: '', nonce: 'n' };
  const long = { ...short, socket: 'blog.json.lock-123456', bytesAtOpen: 1000 };
  const afterItsStat = (come: () => void): FileSystem => ({
    ...disk,
    stat: (name) => {
      const stat = disk.stat(name);
      come();
      return stat;
    },
  });
  disk.put('/lock', JSON.stringify(short));
  const replaced = afterItsStat(() => disk.put('/lock', JSON.stringify(long)));
  expect(readLock(replaced, '/lock')).toEqual(long);
  expect(
    readLock(
      afterItsStat(() => disk.remove('/lock')),
      '/lock',
    ),
  ).toBeUndefined();
});

test('who has lost its lock takes nobody else’s away at its end', async () => {
  const { store, disk } = await givenStore();
  await store.close();
  const late = await reopened(disk);
  const theirs = '{"pid":1,"host":"other","since":""}';
  disk.put(`${PATH}.lock`, theirs);
  await late.close();
  expect(textOf(disk, `${PATH}.lock`)).toBe(theirs);
});

test('a lock file that is made anew never has the inode of ours', async () => {
  const store = await openJsonFile({ path });
  const { ino } = statSync(`${path}.lock`);
  for (let round = 0; round < 50; round += 1) {
    rmSync(`${path}.lock`);
    writeFileSync(`${path}.lock`, '{}');
    expect(statSync(`${path}.lock`).ino).not.toBe(ino);
  }
  await expect(store.create(1, { title: 'x' })).rejects.toMatchObject({ failure: 'degraded' });
  await store.close();
});

test('of a lock file that is not the holder’s own nobody takes the token', async () => {
  const store = await openJsonFile({ path });
  await store.announce({ url: 'http://127.0.0.1:4000', token: 'bct_secret' });
  const forged = {
    pid: 1,
    host: 'elsewhere',
    since: '',
    nonce: 'x',
    url: 'http://evil',
    token: 'bct_x',
  };
  writeFileSync(`${path}.lock`, JSON.stringify(forged));
  const refusal: unknown = await openJsonFile({ path }).catch((error: unknown) => error);
  expect(refusal).toMatchObject({ holder: { pid: process.pid, url: 'http://127.0.0.1:4000' } });
  expect(refusal).not.toHaveProperty('holder.token');
  await store.close();
});

test('who may not read the lock of another user is told who has the store', async () => {
  const { store, disk } = await givenStore(1);
  const open = (name: string, mode: OpenMode) => {
    if (!name.endsWith('.lock')) return disk.open(name, mode);
    throw Object.assign(new Error('EACCES: open'), { code: 'EACCES', syscall: 'open' });
  };
  const ofAnother = { ...disk, open };
  const held = `${PATH} is held by process ${process.pid} on ${hostname()}`;
  const hint = expect.stringMatching(/^Wait .* reading goes on\.$/);
  await expect(reopened(ofAnother)).rejects.toMatchObject({
    code: 'forbidden',
    message: `${held}.`,
    hint,
  });
  await store.announce({ url: 'http://127.0.0.1:4000', token: 'bct_secret' });
  await expect(reopened(ofAnother)).rejects.toMatchObject({
    message: `${held} at http://127.0.0.1:4000.`,
    hint: 'Make the change at that address, with a token of the store; reading goes on.',
  });
  await store.close();
});

test('evidence of a crash that no change has acted on stays, without the token of who carried it on', async () => {
  const { store, disk } = await givenStore();
  await store.close();
  const bytesAtOpen = Buffer.byteLength(textOf(disk, PATH));
  const dead = { pid: 1, host: 'other', since: '', token: 'bct_dead', bytesAtOpen };
  disk.put(`${PATH}.lock`, JSON.stringify(dead));
  const next = await reopened(disk);
  await next.announce({ url: 'http://127.0.0.1:4000', token: 'bct_secret' });
  await next.close();
  const left = textOf(disk, `${PATH}.lock`);
  expect(JSON.parse(left)).toMatchObject({ pid: process.pid, bytesAtOpen });
  expect(left).not.toMatch(/bct_|http/);
});

test('what killed processes left of new versions is removed, and nothing else', async () => {
  const ours = ['blog.json.0123456789abcdef.tmp', 'blog.json.lock.fedcba9876543210.tmp'];
  const others = ['blog.json.tmp', 'blog.json.draft.tmp', 'other.json.0123456789abcdef.tmp'];
  for (const name of [...ours, ...others]) writeFileSync(join(folder, name), 'text');
  const store = await openJsonFile({ path });
  await store.close();
  expect(readdirSync(folder).sort()).toEqual(['blog.json', ...others].sort());
});

test('a store deep below long names can be locked', async () => {
  const deep = join(folder, 'x'.repeat(200), 'y'.repeat(200));
  mkdirSync(deep, { recursive: true });
  const long = join(deep, `${'z'.repeat(180)}.json`);
  await createJsonFile(long, { title: 'My blog', description: '' });
  const store = await openJsonFile({ path: long });
  await expect(openJsonFile({ path: long })).rejects.toMatchObject({
    message: expect.stringContaining(`is held by process ${process.pid}`),
  });
  await store.close();
  expect(readdirSync(deep)).toHaveLength(1);
});
