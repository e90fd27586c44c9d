import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { JsonFileStore } from '../../../server/store/json-file/json-file-store.ts';
import { createMemoryFileSystem } from '../../../server/store/file-system/memory-file-system.ts';
import { openJsonFile } from '../../../server/store/json-file/open.ts';
import type { FileSystem } from '../../../server/store/file-system/file-system.ts';
import { withChangedFiles, withRot } from './support/changed-files.ts';
import { withFaults } from './support/faulty-file-system.ts';
import {
  afterKill,
  anyVersion,
  givenStore,
  numbered,
  PATH,
  reopened,
  textOf,
} from './support/given-store.ts';
import { withPauses } from './support/pausing-file-system.ts';
import { seededRandom } from '../../support/random.ts';

const large = 'x'.repeat(200_000);

async function states(store: JsonFileStore): Promise<string[]> {
  const found = await Promise.all(Array.from({ length: 80 }, (_, at) => store.read(1, at + 1)));
  return found.map((one) =>
    one.kind === 'article' ? `${one.article.tag} ${one.article.json.toString()}` : one.kind,
  );
}

test.each([1, 2, 3, 4, 5, 6, 7, 8])(
  'changes made while the file is compacted are in the new one (%i)',
  async (seed) => {
    const random = seededRandom(seed);
    const disk = createMemoryFileSystem((await givenStore(10)).disk.files());
    const store = await reopened(withPauses(writesLate(disk), random));
    for (let id = 11; id <= 40; id += 1) await store.create(1, { title: `${id}`, content: large });
    await store.remove(1, 5, anyVersion);
    const state = { compacted: false };
    const compaction = store.compact().then(() => (state.compacted = true));
    const keyed = { idempotency: { key: 'aa', request: 'bb' } };
    while (!state.compacted) {
      const id = 1 + random.below(40);
      await Promise.all([
        store.remove(1, id, anyVersion),
        store.replace(1, 1 + random.below(40), { title: 'new' }, anyVersion),
        store.create(1, { title: 'while compacting' }, random.below(2) === 0 ? keyed : undefined),
      ]);
      await nextTurn();
    }
    await compaction;
    const expected = await states(store);
    expect(await states(await reopened(afterKill(disk)))).toEqual(expected);
    await store.compact();
    expect(await states(store)).toEqual(expected);
    await store.close();
    const again = await reopened(disk);
    expect(again.recovery.kind).toBe('trusted');
    expect(await states(again)).toEqual(expected);
  },
);

/** Large writes take a turn, as they do in the thread pool. */
function writesLate(inner: FileSystem) {
  return withChangedFiles(inner, (file) => ({
    writeLater: async (bytes, position) => {
      await nextTurn();
      return file.writeLater(bytes, position);
    },
  }));
}

test('a compaction that shortens the file moves the place from which a crash can have torn it', async () => {
  const { store: first, disk } = await givenStore(5);
  await first.close();
  const store = await reopened(disk);
  for (const id of [1, 2, 3, 4, 5]) await store.remove(1, id, anyVersion);
  await store.compact();
  const { bytes } = JSON.parse(textOf(disk)).end;
  await store.create(1, numbered(6));
  expect(JSON.parse(textOf(disk, `${PATH}.lock`)).bytesAtOpen).toBe(bytes);
  const torn = [...disk.files(), [PATH, Buffer.from(textOf(disk).slice(0, bytes + 20))] as const];
  expect((await reopened(createMemoryFileSystem(torn))).recovery.kind).toBe('torn-tail');
});

test('compacting again changes no byte', async () => {
  const { store, disk } = await givenStore(5);
  await store.replace(1, 2, { title: 'new' }, anyVersion);
  await store.compact();
  const before = textOf(disk);
  await store.compact();
  expect(textOf(disk)).toBe(before);
});

test('a compaction that fails leaves the file as it was, and writes go on', async () => {
  const { store, disk } = await givenStore(5);
  await store.close();
  for (const call of ['open', 'sync', 'rename'] as const) {
    const faults = withFaults(disk);
    const faulty = await reopened(faults.fileSystem);
    await faulty.replace(1, 2, { title: 'new' }, anyVersion);
    const before = textOf(disk);
    faults.failNext({ call, code: 'EBUSY' });
    await expect(faulty.compact()).rejects.toMatchObject({ code: 'EBUSY' });
    expect(textOf(disk)).toBe(before);
    expect((await faulty.create(1, numbered(9))).kind).toBe('created');
    await faulty.close();
  }
  expect([...disk.files().keys()]).toEqual([PATH]);
});

test('a failed compaction at rest is reported once and not tried again at once', async () => {
  const { store, disk } = await givenStore(5);
  await store.close();
  const faults = withFaults(disk);
  const notices: string[] = [];
  const report = (notice: string) => void notices.push(notice);
  const faulty = await openJsonFile({
    path: PATH,
    fileSystem: faults.fileSystem,
    report,
    idleMs: 1,
  });
  faults.failNext({ call: 'rename', code: 'EBUSY', skip: 1, forever: true });
  await faulty.replace(1, 2, { title: 'new' }, anyVersion);
  while (notices.length === 0) await nextTurn();
  expect(notices).toEqual([
    '/blog.json could not be compacted: EBUSY: rename. A file mounted alone cannot be replaced: mount its folder.',
  ]);
  expect((await faulty.create(1, numbered(9))).kind).toBe('created');
});

test('a store at rest tidies itself', async () => {
  const { store, disk } = await givenStore(5);
  await store.close();
  const resting = await openJsonFile({ path: PATH, fileSystem: disk, idleMs: 1 });
  await resting.remove(1, 2, anyVersion);
  while (!textOf(disk).includes('"deleted":[2]')) await nextTurn();
  expect(JSON.parse(textOf(disk)).articles.map(({ id }: { id: number }) => id)).toEqual([
    1, 3, 4, 5,
  ]);
});

test('a file of which half is garbage is compacted while it is written', async () => {
  const { store, disk } = await givenStore(1);
  for (let version = 0; version < 12; version += 1) {
    await store.replace(1, 1, { title: 'new', content: large }, anyVersion);
  }
  while ((disk.files().get(PATH)?.length ?? 0) > 1_500_000) await nextTurn();
  expect((await reopened(afterKill(disk))).recovery.kind).toBe('trusted');
});

test('a line that was damaged on the disk is not copied: the file stays, and its article is named', async () => {
  const { store: first, disk } = await givenStore(3);
  await first.close();
  const rot = withRot(disk);
  const store = await reopened(rot.disk);
  await store.replace(1, 1, { title: 'new' }, anyVersion);
  rot.isOn = true;
  const before = textOf(disk);
  await expect(store.compact()).rejects.toThrow(
    'article 2 is damaged on the disk: its checksum does not hold',
  );
  expect(textOf(disk)).toBe(before);
  expect(store.damage()?.message).toBe(
    'Article 2 is damaged on the disk: its checksum does not hold.',
  );
});
