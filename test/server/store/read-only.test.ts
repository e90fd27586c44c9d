import { expect, test } from 'vitest';
import type { FileSystem } from '../../../server/store/file-system/file-system.ts';
import type { MemoryFileSystem } from '../../../server/store/file-system/memory-file-system.ts';
import { checkJsonFile } from '../../../server/store/json-file/check.ts';
import { openJsonFile } from '../../../server/store/json-file/open.ts';
import { repairJsonFile } from '../../../server/store/json-file/repair.ts';
import { UnusableStore } from '../../../server/store/unusable-store.ts';
import { anyVersion, givenStore, numbered, PATH } from './support/given-store.ts';

async function givenClosed(): Promise<MemoryFileSystem> {
  const { store, disk } = await givenStore(3);
  await store.close();
  return disk;
}

/** Every call that would change something fails as on a volume that may only be read. */
function withoutPermission(inner: FileSystem, code: string): FileSystem {
  const refuse = (call: string) => (): never => {
    throw Object.assign(new Error(`${code}: ${call}`), { code, syscall: call });
  };
  return {
    ...inner,
    open: (path, mode) => (mode === 'read' ? inner.open(path, mode) : refuse('open')()),
    rename: refuse('rename'),
    link: refuse('link'),
    remove: refuse('unlink'),
    syncFolder: refuse('fsync'),
  };
}

test.each(['EACCES', 'EPERM', 'EROFS'])(
  'a file that may only be read (%s) is opened for reading and refused for writing',
  async (code) => {
    const disk = await givenClosed();
    const fileSystem = withoutPermission(disk, code);
    const refusal = await openJsonFile({ path: PATH, fileSystem }).catch((error: unknown) => error);
    expect(refusal).toBeInstanceOf(UnusableStore);
    expect(refusal).toMatchObject({
      code: 'forbidden',
      message: expect.stringContaining(`${PATH} cannot be used: ${code}`),
      hint: `Check the permissions, or have it read alone by \`blogctl serve --read-only --store ${PATH}\`.`,
    });
    const store = await openJsonFile({ path: PATH, fileSystem, readOnly: true });
    expect((await store.page(1, 0, 10))?.blog.total).toBe(3);
    for (const change of [
      store.create(1, numbered(4)),
      store.replace(1, 2, numbered(2), anyVersion),
      store.remove(1, 2, anyVersion),
    ])
      await expect(change).rejects.toMatchObject({
        failure: 'degraded',
        message: 'The store is open for reading only.',
      });
    await store.close();
    expect([...disk.files().keys()]).toEqual([PATH]);
  },
);

const forbidden = (what: string): never => {
  throw Object.assign(new Error(`EACCES: ${what}`), { code: 'EACCES', syscall: what });
};

test('who may not read the lock of another user reads and checks the store that is served', async () => {
  const { disk } = await givenStore(2);
  const ofAnother: FileSystem = {
    ...disk,
    open: (path, mode) => (path.endsWith('.lock') ? forbidden('open') : disk.open(path, mode)),
  };
  const reader = await openJsonFile({ path: PATH, fileSystem: ofAnother, readOnly: true });
  expect((await reader.page(1, 0, 10))?.blog.total).toBe(2);
  await reader.close();
  expect((await checkJsonFile(PATH, ofAnother)).verdict).toBe('sound');
  const { articles } = await repairJsonFile(PATH, '/saved.json', ofAnother);
  expect(articles).toBe(2);
  // What a crash may have left is judged by nobody who cannot know of it.
  disk.put(PATH, (disk.files().get(PATH)?.toString() ?? '').slice(0, -150), 'in-place');
  await expect(checkJsonFile(PATH, ofAnother)).rejects.toMatchObject({ code: 'forbidden' });
});

test('a lock file whose place is taken leaves no draft behind', async () => {
  const disk = await givenClosed();
  const taken: FileSystem = {
    ...disk,
    rename: (from, to) => (to.endsWith('.lock') ? forbidden('rename') : disk.rename(from, to)),
  };
  await expect(openJsonFile({ path: PATH, fileSystem: taken })).rejects.toMatchObject({
    code: 'forbidden',
  });
  expect([...disk.files().keys()]).toEqual([PATH]);
});

test('a reader needs no lock and leaves the one of a writer alone', async () => {
  const { store: writer, disk } = await givenStore(1);
  const before = disk.files().get(`${PATH}.lock`)?.toString();
  const reader = await openJsonFile({ path: PATH, fileSystem: disk, readOnly: true });
  await reader.close();
  expect(disk.files().get(`${PATH}.lock`)?.toString()).toBe(before);
  expect((await writer.create(1, numbered(2))).kind).toBe('created');
  await writer.close();
});

test('a store open for reading only touches nothing, also beside the process that writes it', async () => {
  const { store, disk } = await givenStore(2);
  const before = disk.files();
  const reader = await openJsonFile({ path: PATH, fileSystem: disk, readOnly: true });
  expect((await reader.page(1, 0, 10))?.blog.total).toBe(2);
  await expect(reader.create(1, numbered(3))).rejects.toMatchObject({ failure: 'degraded' });
  await reader.close();
  expect(disk.files()).toEqual(before);
  expect((await store.create(1, numbered(3))).kind).toBe('created');
});
