import { expect, test } from 'vitest';
import { withChangedFiles } from './support/changed-files.ts';
import { givenStore, reopened, textOf } from './support/given-store.ts';

/** A store whose file, as soon as `short` is set, gives a byte less than it is asked for. */
async function givenShortReads() {
  const { store, disk } = await givenStore(5);
  await store.close();
  const state = { short: false };
  const fileSystem = withChangedFiles(disk, (file) => ({
    read: (target, position) => file.read(state.short ? target.subarray(0, -1) : target, position),
  }));
  return { disk, state, store: await reopened(fileSystem) };
}

test('a compaction that is not given all it reads leaves the file as it was', async () => {
  const { disk, state, store } = await givenShortReads();
  const before = textOf(disk);
  state.short = true;
  await expect(store.compact()).rejects.toThrow('another program wrote the file meanwhile');
  expect(textOf(disk)).toBe(before);
  expect([...disk.files().keys()].filter((name) => name.endsWith('.tmp'))).toEqual([]);
});

test('an article the file no longer gives is not made up of what was read before', async () => {
  const { state, store } = await givenShortReads();
  expect((await store.read(1, 1)).kind).toBe('article');
  // Of so many large ones none but the latest stays in the cache.
  const content = 'x'.repeat(1_000_000);
  for (let id = 6; id <= 20; id += 1) {
    await store.create(1, { title: 'Large', content });
    await store.read(1, id);
  }
  state.short = true;
  await expect(store.read(1, 1)).rejects.toThrow('Article 1 is damaged on the disk');
});
