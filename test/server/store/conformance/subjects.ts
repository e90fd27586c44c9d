import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inject } from 'vitest';
import { createJsonFile } from '../../../../server/store/json-file/create.ts';
import { realFileSystem } from '../../../../server/store/file-system/real-file-system.ts';
import { createMemoryFileSystem } from '../../../../server/store/file-system/memory-file-system.ts';
import { openJsonFile } from '../../../../server/store/json-file/open.ts';
import { initPostgres, openPostgres } from '../../../../server/store/postgres/open.ts';
import type { PostgresStore } from '../../../../server/store/postgres/postgres-store.ts';
import type { Store, OwnerStore } from '../../../../server/store/store.ts';
import { postgresFolder, sharedCluster } from '../../../support/postgres.ts';

/** A store that the suite is run against. */
export type Subject = {
  readonly name: string;
  /** A store with one empty blog, 1; two of one database where there can be two. */
  open(): Promise<Opened>;
};

export type Opened = {
  readonly store: Store & OwnerStore;
  /** Answers alike at once; the same store where only one process can have it open. */
  readonly other: Store & OwnerStore;
  /** The same content, opened anew. */
  reopened(): Promise<Store & OwnerStore>;
  /** Takes everything away. */
  end(): Promise<void>;
};

const blog = { title: 'My blog', description: 'About' };

const inMemory: Subject = {
  name: 'in memory',
  async open() {
    return openFile('/blog.json', createMemoryFileSystem(), async () => {});
  },
};

const onDisk: Subject = {
  name: 'the JSON file on a disk',
  async open() {
    const folder = await mkdtemp(join(tmpdir(), 'blogctl-conformance-'));
    const end = () => rm(folder, { recursive: true });
    return openFile(join(folder, 'blog.json'), realFileSystem, end);
  },
};

async function openFile(
  path: string,
  fileSystem: typeof realFileSystem,
  tidy: () => Promise<void>,
): Promise<Opened> {
  await createJsonFile(path, blog, fileSystem);
  let store = await openJsonFile({ path, fileSystem });
  return {
    store,
    other: store,
    reopened: async () => {
      await store.close();
      store = await openJsonFile({ path, fileSystem });
      return store;
    },
    end: async () => {
      await store.close();
      await tidy();
    },
  };
}

/** Two instances on one database. */
const onDatabase: Subject = {
  name: 'two instances on one PostgreSQL database',
  async open() {
    const address = await (await sharedCluster(inject('clusters'))).database();
    await initPostgres(address, blog);
    const opened: PostgresStore[] = [];
    const another = async () => {
      const { store } = await openPostgres({ address });
      opened.push(store);
      return store;
    };
    return {
      store: await another(),
      other: await another(),
      reopened: another,
      end: async () => {
        for (const store of opened) await store.close();
      },
    };
  },
};

/** Where there is none, describeOnPostgres of the other tests says so by name, and fails in CI. */
const hasDatabase = postgresFolder() !== undefined;

export const subjects: readonly Subject[] = [
  inMemory,
  onDisk,
  ...(hasDatabase ? [onDatabase] : []),
];
