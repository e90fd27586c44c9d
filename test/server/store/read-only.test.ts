import { expect, test } from 'vitest';
import type { FileSystem } from '../../../server/store/json-file/files/file-system.ts';
import type { MemoryFileSystem } from '../../../server/store/json-file/files/memory-file-system.ts';
import { openJsonFile } from '../../../server/store/json-file/open.ts';
import { UnusableStore } from '../../../server/store/json-file/unusable-store.ts';
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
      hint: 'Check the permissions, or have it read alone by `blogctl serve --read-only`.',
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
