import { expect, test } from 'vitest';
import type { OpenMode } from '../../../server/store/file-system/file-system.ts';
import {
  createMemoryFileSystem,
  type MemoryFileSystem,
} from '../../../server/store/file-system/memory-file-system.ts';
import { openJsonFile } from '../../../server/store/json-file/open.ts';
import {
  afterKill,
  anyVersion,
  givenStore,
  numbered,
  PATH,
  reopened,
  textOf,
} from './support/given-store.ts';

async function givenWatched() {
  const { store: first, disk } = await givenStore(3);
  await first.close();
  const notices: string[] = [];
  const report = (notice: string) => void notices.push(notice);
  const store = await openJsonFile({
    path: PATH,
    fileSystem: disk,
    report,
    watch: true,
    idleMs: 2 ** 30,
  });
  return { store, disk, notices };
}

async function titles(
  store: Awaited<ReturnType<typeof givenWatched>>['store'],
): Promise<unknown[]> {
  const page = await store.page(1, 0, 10);
  return (page?.articles ?? []).map(({ json = '' }) => JSON.parse(json.toString()).title);
}

test.each(['in-place', 'replaced'] as const)(
  'a file another program changed (%s) is taken over',
  async (how) => {
    const { store, disk, notices } = await givenWatched();
    const version = store.version();
    disk.put(PATH, textOf(disk).replace('Title 2', 'A better title'), how);
    await expect(store.create(1, numbered(4))).rejects.toMatchObject({
      failure: 'changed-outside',
      retryAfterSeconds: 1,
      message: `/blog.json was ${how === 'replaced' ? 'replaced' : 'changed'} by another program and has been read again.`,
    });
    expect(await titles(store)).toEqual(['Title 1', 'A better title', 'Title 3']);
    expect(store.version()).not.toBe(version);
    expect(notices).toEqual([
      '/blog.json was changed by another program and has been read again.',
      '/blog.json, line 8: article 2 was changed by hand or damaged: its checksum fails.',
      expect.stringContaining('/blog.json is shown so and was left as it is'),
    ]);
    expect((await store.create(1, numbered(4))).kind).toBe('created');
    expect(JSON.parse(textOf(disk)).end.articles).toBe(4);
  },
);

test('what the other program lost of acknowledged articles is saved aside and listed', async () => {
  const { store, disk, notices } = await givenWatched();
  const before = textOf(disk);
  await store.create(1, { title: 'Acknowledged', content: 'meanwhile' });
  await store.replace(1, 2, { title: 'Newer' }, anyVersion);
  disk.put(PATH, before, 'replaced');
  await expect(store.create(1, numbered(5))).rejects.toMatchObject({ failure: 'changed-outside' });
  expect(notices[1]).toMatch(
    /^Articles missing or older in the new file: 2, 4\. Their last texts are in \/blog\.json\.orphan-/,
  );
  const saved = [...disk.files()].find(([path]) => path.includes('.orphan-'))?.[1].toString() ?? '';
  const lines = saved
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(lines).toMatchObject([
    { id: 2, title: 'Newer' },
    { id: 4, title: 'Acknowledged' },
  ]);
  expect(await titles(store)).toEqual(['Title 1', 'Title 2', 'Title 3']);
  await store.close();
  expect(store.loss).toContain('Articles missing or older in the new file: 2, 4.');
});

test.each([
  [
    'was removed with its folder',
    'ENOENT',
    (disk: MemoryFileSystem) => disk.remove(`${PATH}.lock`),
  ],
  ['was replaced on a full disk', 'ENOSPC', (disk: MemoryFileSystem) => disk.put(PATH, 'other')],
] as const)(
  'where a file %s and nothing can be saved, what is lost is named all the same',
  async (_, code, come) => {
    const { store: first, disk } = await givenStore(1);
    await first.close();
    let refuses = false;
    const open = (name: string, mode: OpenMode) => {
      if (!refuses || mode !== 'create-new') return disk.open(name, mode);
      throw Object.assign(new Error(`${code}: open`), { code, syscall: 'open' });
    };
    const store = await reopened({ ...disk, open });
    await store.create(1, { title: 'Acknowledged' });
    come(disk);
    disk.put(PATH, 'no store');
    refuses = true;
    await store.close();
    expect(store.loss).toContain('Acknowledged articles: 1-2.');
    expect(store.loss).toContain(`Their texts could not be saved: Error: ${code}: open.`);
  },
);

test('an article that was written over is told as gone, now and at the end', async () => {
  const { store, disk, notices } = await givenWatched();
  const before = textOf(disk);
  for (const id of [4, 5, 6]) await store.create(1, numbered(id));
  disk.put(PATH, before, 'in-place');
  await expect(store.create(1, numbered(7))).rejects.toMatchObject({ failure: 'changed-outside' });
  const lost = 'Articles missing or older in the new file: 4-6. Their texts were written over.';
  expect(notices[1]).toBe(lost);
  await store.close();
  expect(store.loss).toContain(lost);
});

test('a file that cannot be read is left alone until it can, and reported once', async () => {
  const { store, disk, notices } = await givenWatched();
  const good = textOf(disk);
  disk.put(PATH, good.replace('"Title 2"', '"Title 2'), 'replaced');
  for (let attempt = 0; attempt < 2; attempt += 1) {
    await expect(store.create(1, numbered(4))).rejects.toMatchObject({
      failure: 'changed-outside',
      message: expect.stringContaining('and cannot be read: /blog.json:8:28 Expected'),
    });
  }
  expect(notices).toHaveLength(1);
  expect(await titles(store)).toEqual(['Title 1', 'Title 2', 'Title 3']);
  disk.put(PATH, good, 'replaced');
  await expect(store.create(1, numbered(4))).rejects.toMatchObject({ failure: 'changed-outside' });
  expect((await store.create(1, numbered(4))).kind).toBe('created');
});

test('deletions that an older file has undone are told, and again at the end', async () => {
  const { store, disk, notices } = await givenWatched();
  const before = textOf(disk);
  await store.remove(1, 2, anyVersion);
  disk.put(PATH, before, 'replaced');
  await expect(store.create(1, numbered(4))).rejects.toMatchObject({ failure: 'changed-outside' });
  expect(notices[1]).toBe('Deletions that the new file does not have: article 2.');
  await store.close();
  expect(store.loss).toContain('Deletions that the new file does not have: article 2.');
});

test('what was lost and has come back is no loss at the end', async () => {
  const { store, disk } = await givenWatched();
  const before = textOf(disk);
  await store.create(1, { title: 'Acknowledged' });
  const good = textOf(disk);
  for (const text of [before, good]) {
    disk.put(PATH, text, 'replaced');
    await expect(store.create(1, numbered(5))).rejects.toMatchObject({
      failure: 'changed-outside',
    });
  }
  await store.close();
  expect(store.loss).toBeUndefined();
});

test('what another program wrote as the same revision is a loss, now and at the end', async () => {
  const { store, disk, notices } = await givenWatched();
  const before = textOf(disk);
  await store.replace(1, 2, { title: 'Acknowledged' }, anyVersion);
  const elsewhere = createMemoryFileSystem([[PATH, before]]);
  const other = await reopened(elsewhere);
  await other.replace(1, 2, { title: 'Theirs' }, anyVersion);
  await other.close();
  disk.put(PATH, textOf(elsewhere), 'replaced');
  await expect(store.create(1, numbered(4))).rejects.toMatchObject({ failure: 'changed-outside' });
  const lost = 'Articles missing or older in the new file: 2. Their last texts are in';
  expect(notices[1]).toContain(lost);
  await store.close();
  expect(store.loss).toContain(lost);
});

test('an id is not given again by a file that does not know of it', async () => {
  const { store, disk } = await givenWatched();
  const before = textOf(disk);
  await store.create(1, { title: 'Acknowledged' });
  disk.put(PATH, before, 'replaced');
  await expect(store.create(1, numbered(5))).rejects.toMatchObject({ failure: 'changed-outside' });
  expect(await store.create(1, { title: 'Next' })).toMatchObject({ article: { id: 5 } });
});

test('a file changed by another program is not written over, and is read no further than it holds', async () => {
  const { store, disk } = await givenStore(2);
  const edited = textOf(disk).replace('Title 2', 'Title X');
  disk.put(PATH, edited, 'in-place');
  await expect(store.create(1, numbered(3))).rejects.toMatchObject({
    failure: 'changed-outside',
    message: '/blog.json was changed by another program.',
  });
  expect((await store.read(1, 1)).kind).toBe('article');
  expect(textOf(disk)).toBe(edited);
});

test('closing leaves a file as another program wrote it', async () => {
  const { store, disk } = await givenStore(2);
  const edited = textOf(disk).replace('Title 2', 'A much better title');
  disk.put(PATH, edited, 'in-place');
  await store.close();
  expect(textOf(disk)).toBe(edited);
  expect((await reopened(disk)).recovery).toMatchObject({ kind: 'edited', edited: [2] });
});

test('closing puts a removed file back', async () => {
  const { store, disk } = await givenStore(2);
  disk.remove(PATH);
  await store.close();
  expect((await reopened(disk)).recovery.kind).toBe('trusted');
});

test('a file that another program removed is put back with the next change', async () => {
  const { store: first, disk } = await givenStore(2);
  await first.close();
  const notices: string[] = [];
  const store = await reopened(disk, (notice) => void notices.push(notice));
  disk.remove(PATH);
  await store.create(1, numbered(3));
  expect(notices).toEqual(['/blog.json was removed by another program and has been put back.']);
  expect((await reopened(afterKill(disk))).recovery.kind).toBe('trusted');
  expect(JSON.parse(textOf(disk)).end.articles).toBe(3);
});
