import { existsSync } from 'node:fs';
import type { FileSystem } from '../store/json-file/files/file-system.ts';
import { realFileSystem } from '../store/json-file/files/real-file-system.ts';
import { createJsonFile, type NewStore } from '../store/json-file/create.ts';
import type { JsonFileStore } from '../store/json-file/json-file-store.ts';
import { createMemoryFileSystem } from '../store/json-file/files/memory-file-system.ts';
import { inMemory, openJsonFile } from '../store/json-file/open.ts';
import type { Draft } from '../store/store.ts';
import { UnusableStore } from '../store/json-file/unusable-store.ts';
import { openTokenFile } from '../store/token-file.ts';
import type { Tokens } from '../store/tokens.ts';
import type { ServeOptions } from './options.ts';
import { readSeed } from './seed.ts';

export type Opening = Pick<
  ServeOptions,
  | 'file'
  | 'title'
  | 'description'
  | 'notice'
  | 'ephemeral'
  | 'seed'
  | 'readOnly'
  | 'watch'
  | 'signal'
> & {
  /** A file that is missing is made; else it is UnusableStore `missing`. */
  readonly make: boolean;
};

export type Opened = {
  readonly store: JsonFileStore;
  readonly tokens: Tokens;
};

/** Whether a store is named by the address of a database. */
export function isDatabase(store: string): boolean {
  return /^postgres(?:ql)?:\/\//i.test(store);
}

/** Opens a store; throws UnusableStore or StoreHeld. */
export async function openStore(options: Opening): Promise<Opened> {
  const { file, ephemeral = false, title = 'My blog', description = '', notice } = options;
  const readOnly = options.readOnly === true && !ephemeral;
  const seed = options.seed === undefined ? [] : await readSeed(options.seed, options.signal);
  const fileSystem = ephemeral ? createMemoryFileSystem() : realFileSystem;
  const path = ephemeral ? inMemory : file;
  const isMissing = ephemeral || (options.make && !existsSync(path));
  const isMade =
    isMissing && (await made(path, { title, description, articles: seed }, fileSystem));
  const store = await openJsonFile({
    path,
    fileSystem,
    readOnly,
    watch: options.watch === true,
    ...(notice !== undefined && { report: notice }),
  });
  if (!isMade && seed.length > 0) {
    const [blog] = await store.blogs();
    if (blog?.total === 0 && !readOnly) await sow(store, blog.id, seed);
    else notice?.(`${leftOut(readOnly)}: the seed was left out.`);
  }
  return { store, tokens: tokensBeside(store.path, fileSystem) };
}

/** False where another process found it missing at the same time; a link that leads nowhere is not that. */
async function made(path: string, store: NewStore, fileSystem: FileSystem): Promise<boolean> {
  try {
    await createJsonFile(path, store, fileSystem);
    return true;
  } catch (error) {
    const isThere = error instanceof UnusableStore && error.code === 'exists' && existsSync(path);
    if (!isThere) throw error;
    return false;
  }
}

function leftOut(readOnly: boolean): string {
  return readOnly ? 'The store is only read' : 'The store has articles already';
}

/** So many at a time: a store takes only so much that waits. */
const SOWN_AT_ONCE = 1000;

async function sow(store: JsonFileStore, blogId: number, seed: readonly Draft[]): Promise<void> {
  for (let from = 0; from < seed.length; from += SOWN_AT_ONCE) {
    const some = seed.slice(from, from + SOWN_AT_ONCE);
    await Promise.all(some.map((draft) => store.create(blogId, draft)));
  }
}

/** The tokens of a store, its links resolved, stand in `blog.tokens.json` beside `blog.json`. */
export function tokensBeside(storeFile: string, fileSystem: FileSystem = realFileSystem): Tokens {
  return openTokenFile(tokensPath(storeFile), fileSystem);
}

export function tokensPath(storeFile: string): string {
  return `${storeFile.replace(/\.json$/, '')}.tokens.json`;
}
