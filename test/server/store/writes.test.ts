import { expect, test } from 'vitest';
import type { FileSystem } from '../../../server/store/file-system/file-system.ts';
import type { MemoryFileSystem } from '../../../server/store/file-system/memory-file-system.ts';
import { openJsonFile } from '../../../server/store/json-file/open.ts';
import { StoreError, type Version } from '../../../server/store/store.ts';
import { withChangedFiles } from './support/changed-files.ts';
import { withFaults } from './support/faulty-file-system.ts';
import { anyVersion, givenStore, numbered, PATH, reopened, textOf } from './support/given-store.ts';

test('a change that cannot be saved is never seen', async () => {
  const { store, disk } = await givenStore(1);
  await store.close();
  const faults = withFaults(disk);
  const faulty = await reopened(faults.fileSystem);
  await faulty.create(1, numbered(2));
  faults.failNext({ call: 'write', code: 'ENOSPC', after: 30 });
  await expect(faulty.create(1, numbered(3))).rejects.toMatchObject({
    failure: 'no-room',
    retryAfterSeconds: 30,
    message: 'There is no room on the disk for the change.',
  });
  expect(await faulty.read(1, 3)).toMatchObject({ kind: 'absent' });
  expect((await faulty.page(1, 0, 10))?.blog.total).toBe(2);
  expect(JSON.parse(textOf(disk)).end.articles).toBe(2);
});

test('writes come back when there is room again', async () => {
  const { store, disk } = await givenStore(1);
  await store.close();
  const faults = withFaults(disk);
  const faulty = await reopened(faults.fileSystem);
  faults.failNext({ call: 'write', code: 'EDQUOT', after: 5 });
  await expect(faulty.create(1, numbered(2))).rejects.toBeInstanceOf(StoreError);
  expect(faulty.writesRefused()).toMatchObject({ failure: 'no-room' });
  expect((await faulty.create(1, numbered(2))).kind).toBe('created');
  expect(faulty.writesRefused()).toBeUndefined();
  await faulty.close();
  expect((await reopened(disk)).recovery.kind).toBe('trusted');
});

test('a sync that fails leaves the outcome unknown and ends all writing; reads go on', async () => {
  const { store, disk } = await givenStore(1);
  await store.close();
  const faults = withFaults(disk);
  const faulty = await reopened(faults.fileSystem);
  await faulty.create(1, numbered(2));
  faults.failNext({ call: 'syncData', code: 'EIO' });
  await expect(faulty.create(1, numbered(3))).rejects.toMatchObject({ failure: 'outcome-unknown' });
  await expect(faulty.create(1, numbered(4))).rejects.toMatchObject({ failure: 'degraded' });
  expect(faulty.writesRefused()?.failure).toBe('degraded');
  expect((await faulty.read(1, 2)).kind).toBe('article');
  expect(await faulty.read(1, 3)).toMatchObject({ kind: 'absent' });
});

test('of two guarded changes in one batch one passes and one fails', async () => {
  const { store } = await givenStore(1);
  const current = await store.read(1, 1);
  const tag = current.kind === 'article' ? current.article.tag : '';
  const ifMatch = (version: Version) => {
    if (version.tag !== tag) throw new RangeError(`412: ${version.tag}`);
  };
  const results = await Promise.allSettled([
    store.replace(1, 1, { title: 'first' }, ifMatch),
    store.replace(1, 1, { title: 'second' }, ifMatch),
  ]);
  expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected']);
  const found = await store.read(1, 1);
  expect(found.kind === 'article' && found.article.json.toString()).toBe(
    '{"id":1,"title":"first"}',
  );
});

test('changes asked for at once share one write and one sync', async () => {
  const { store, disk } = await givenStore(1, { trace: true });
  const before = disk.trace.length;
  await Promise.all([2, 3, 4].map((id) => store.create(1, numbered(id))));
  expect(disk.trace.slice(before).map(({ kind }) => kind)).toEqual(['write', 'sync']);
});

test.each([
  ['that needs another page finds room made by spaces', 4000, ['spaces', 'footer', 'synced']],
  ['that stays in its page is one write', 400, ['footer', 'synced']],
])('a batch %s', async (_, length, expected) => {
  const { store, disk } = await givenStore(1);
  await store.close();
  const seen: string[] = [];
  const watched = await reopened(afterEachCall(disk, (call) => seen.push(call)));
  seen.length = 0;
  await watched.create(1, { title: 'Long', content: 'x'.repeat(length) });
  expect(seen).toEqual(expected);
});

/** Tells what each write left at the end of a file that must be JSON then. */
function afterEachCall(disk: MemoryFileSystem, tell: (call: string) => void): FileSystem {
  return withChangedFiles(disk, (file, path) => ({
    write: (bytes, position) => {
      const count = file.write(bytes, position);
      if (path !== PATH) return count;
      JSON.parse(textOf(disk));
      tell(/^ +$/.test(Buffer.from(bytes).toString()) ? 'spaces' : 'footer');
      return count;
    },
    syncData: () => {
      tell('synced');
      return file.syncData();
    },
  }));
}

test('a small batch makes room for the next ones too, which a file at rest gives back', async () => {
  const { store, disk } = await givenStore(1);
  await store.close();
  const resting = await openJsonFile({ path: PATH, fileSystem: disk, idleMs: 20 });
  await resting.create(1, { title: 'Long', content: 'x'.repeat(4000) });
  expect(textOf(disk)).toMatch(/\}\}\n {9000,}$/);
  expect(textOf(disk)).toHaveLength(64 * 1024);
  await expect.poll(() => textOf(disk)).toMatch(/"from":4\d{3},.*\}\}\n$/);
  const atRest = textOf(disk);
  await resting.create(1, numbered(3));
  await resting.close();
  expect(textOf(disk).startsWith(atRest.slice(0, atRest.lastIndexOf(']')))).toBe(true);
  expect((await reopened(disk)).recovery.kind).toBe('trusted');
});

test('a large batch makes room for itself alone', async () => {
  const { store, disk } = await givenStore(1);
  await store.create(1, { title: 'Long', content: 'x'.repeat(40_000) });
  expect(textOf(disk)).toMatch(/\}\}\n$/);
});

test('a deletion in flight is not told before it is durable', async () => {
  const { store, disk } = await givenStore(1);
  await store.close();
  const faults = withFaults(disk);
  const faulty = await reopened(faults.fileSystem);
  faults.failNext({ call: 'write', code: 'ENOSPC', after: 0 });
  const first = faulty.remove(1, 1, anyVersion);
  const second = faulty.remove(1, 1, anyVersion);
  await expect(first).rejects.toMatchObject({ failure: 'no-room' });
  expect((await second).kind).toBe('article');
  expect(await faulty.read(1, 1)).toMatchObject({ kind: 'gone' });
});

test('an idempotency key makes one article, also when both requests come at once', async () => {
  const { store, disk } = await givenStore();
  const idempotency = { key: 'aa', request: 'bb' };
  const key = { idempotency };
  const both = await Promise.all([
    store.create(1, numbered(1), key),
    store.create(1, numbered(1), key),
  ]);
  expect(both.map(({ kind }) => kind)).toEqual(['created', 'key-in-flight']);
  expect((await store.create(1, numbered(1), key)).kind).toBe('replayed');
  expect(
    (await store.create(1, numbered(1), { idempotency: { ...idempotency, request: 'cc' } })).kind,
  ).toBe('key-reused');
  await store.close();
  const again = await reopened(disk);
  expect((await again.create(1, numbered(1), key)).kind).toBe('replayed');
  await again.remove(1, 1, anyVersion);
  await again.compact();
  expect((await again.create(1, numbered(1), key)).kind).toBe('gone');
});

test('closing finishes what waits and takes nothing more', async () => {
  const { store, disk } = await givenStore();
  const waiting = store.create(1, numbered(1));
  const closing = store.close();
  await expect(store.create(1, numbered(2))).rejects.toMatchObject({ failure: 'closing' });
  expect((await waiting).kind).toBe('created');
  await closing;
  expect((await reopened(disk)).recovery.kind).toBe('trusted');
});

test('too many waiting changes are turned away', async () => {
  const { store } = await givenStore();
  const asked = Array.from({ length: 10_050 }, (_, i) => store.create(1, { title: `${i}` }));
  const results = await Promise.allSettled(asked);
  const refused = results.filter(({ status }) => status === 'rejected');
  expect(refused).toHaveLength(50);
  expect(refused[0]).toMatchObject({ reason: { failure: 'overloaded', retryAfterSeconds: 1 } });
});

test('changes that wait to be judged count among those that wait', async () => {
  const { store } = await givenStore(1);
  const draft = { title: 'T', content: 'x'.repeat(1_000_000) };
  const guard = { count: 1, holds: () => {} };
  const asked: Promise<unknown>[] = [store.create(1, draft, { guard })];
  for (let at = 0; at < 27; at += 1) {
    asked.push(store.create(1, draft, { guard }), store.create(1, draft));
    asked.push(store.replace(1, 1, draft, anyVersion));
  }
  const results = await Promise.allSettled(asked);
  const refused = results.filter(({ status }) => status === 'rejected');
  // The first waits for nobody, and 68 of a megabyte each are as many as there may be.
  expect(refused.length).toBeGreaterThanOrEqual(81 - 68);
  expect(refused.length).toBeLessThan(20);
  expect(refused[0]).toMatchObject({ reason: { failure: 'overloaded', retryAfterSeconds: 1 } });
  expect(await store.create(1, draft, { guard })).toMatchObject({ kind: 'created' });
});

test('an operator locks and frees an article and a blog; both are new versions that stay', async () => {
  const { store, disk } = await givenStore(1);
  await store.create(1, numbered(2), { idempotency: { key: 'aa', request: 'bb' } });
  const locked = await store.lockArticle(1, 2, true);
  expect(locked).toMatchObject({ article: { locked: true, tag: expect.stringMatching(/^2-/) } });
  expect(await store.changeBlog(1, { locked: true })).toBe(true);
  expect(await store.changeBlog(7, { locked: true })).toBe(false);
  await store.close();
  const again = await reopened(disk);
  expect(await again.read(1, 2)).toMatchObject(locked);
  expect(await again.blog(1)).toMatchObject({ locked: true, tag: expect.stringMatching(/^2-/) });
  const seen: Version[] = [];
  await again.replace(1, 2, { title: 'New' }, (version) => void seen.push(version));
  expect(seen).toMatchObject([{ locked: true }]);
  expect(await again.lockArticle(1, 2, false)).toMatchObject({ article: { locked: false } });
  expect(
    (await again.create(1, numbered(2), { idempotency: { key: 'aa', request: 'bb' } })).kind,
  ).toBe('replayed');
  expect(await again.lockArticle(1, 9, true)).toMatchObject({ kind: 'absent' });
});
