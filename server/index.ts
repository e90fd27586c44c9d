import { hash } from 'node:crypto';
import { existsSync, realpathSync } from 'node:fs';
import { resolve } from 'node:path';
import { inProcess, type PlainRequest, type PlainResponse } from './http/message.ts';
import { blogUrl } from './representations/representation.ts';
import { changedMeanwhile } from './running/maintenance.ts';
import { isDatabase, type Opening, openStore } from './running/opening.ts';
import { readOptions } from './running/options.ts';
import { servedBlogs } from './running/server.ts';
import { assemble } from './running/service.ts';
import { createJsonFile } from './store/json-file/create.ts';
import { type Check, checkJsonFile } from './store/json-file/check.ts';
import { existingPath, requireWritable } from './store/json-file/open.ts';
import { lockStore } from './store/json-file/store-lock.ts';
import { realFileSystem } from './store/file-system/real-file-system.ts';
import { orUnusable, readable, StoreHeld, UnusableStore } from './store/unusable-store.ts';
import type { StoreCopy } from './store/postgres/copy.ts';
import { tokensPath } from './store/token-file.ts';
import { newTokenText, type Tokens } from './store/tokens.ts';

export { UnusableOption } from './errors.ts';
export { startInMemory, startServer } from './running/server.ts';
export type { RunningServer, ServerInMemory } from './running/server.ts';
export type { ServeOptions } from './running/options.ts';
export { tokensPath };
export { listBlogs, withTokens, withMaintenance } from './running/maintenance.ts';
export type { Maintenance, StoreAccess } from './running/maintenance.ts';
export type { Check };
export { repairJsonFile as repairStore } from './store/json-file/repair.ts';
export type { Repair } from './store/json-file/repair.ts';
export { StoreHeld, UnusableStore };
export { grantsTo } from './store/postgres/in-words.ts';
export type { Mark } from './running/rewindable.ts';
export type { PlainRequest, Tokens };

/** A blog in a store file, used in this process without a port, or served by another one. */
export type LocalBlog =
  | {
      readonly kind: 'embedded';
      readonly blogUrl: string;
      readonly token: string;
      /** Why the file could be opened for reading alone; undefined where it is to be changed, too. */
      readonly refusal: UnusableStore | undefined;
      handle(request: PlainRequest): Promise<PlainResponse>;
      /** Answers why something that was answered is not in the file; undefined where all of it is. */
      close(): Promise<string | undefined>;
    }
  | {
      readonly kind: 'served';
      readonly blogUrl: string;
      readonly token: string;
      readonly pid: number;
    };

export type LocalOptions = {
  readonly file: string;
  /**
   * What to do where there is no such file: refuse (UnusableStore `missing`), make it, or answer as
   * an empty blog would, which is forgotten. In no other case anything is made.
   */
  readonly missing: 'refuse' | 'make' | 'empty';
  /** The id of the blog that is meant; absent for the first. */
  readonly blogId?: number;
  readonly notice?: (text: string) => void;
};

type Handle = (request: PlainRequest) => Promise<PlainResponse>;

/** Nobody serves the file, so there is nothing to start again but the command: UnusableStore then. */
function withoutRestart(file: string, handle: Handle): Handle {
  return async (request) => {
    const answer = await handle(request);
    const isChanged = answer.status === 503 && Buffer.from(answer.body).includes(STORE_CHANGED);
    if (isChanged) throw changedMeanwhile(file);
    return answer;
  };
}

const STORE_CHANGED = '"code":"store-changed"';

/** Opens a store file, or finds who serves it. */
export async function openLocal(local: LocalOptions): Promise<LocalBlog> {
  const { missing, blogId, ...options } = local;
  const opening = { ...options, make: missing === 'make', isBrief: true };
  let refusal: UnusableStore | undefined;
  const opened = await openStore(opening)
    .catch((error: unknown) => {
      const isMissing = error instanceof UnusableStore && error.code === 'missing';
      if (isMissing && missing === 'empty') return openStore({ ...opening, ephemeral: true });
      refusal = onlyToRead(error, opening);
      return openStore({ ...opening, readOnly: true });
    })
    .catch(servedElsewhere);
  if ('kind' in opened) {
    if (blogId === undefined) return opened;
    return { ...opened, blogUrl: opened.blogUrl.replace(/\d+$/, String(blogId)) };
  }
  const token = newTokenText();
  const baseUrl = ownAddress(options.file);
  // Whoever opens a file of their own is its operator: how long an article may be is their choice.
  const maxBodyBytes = Number.POSITIVE_INFINITY;
  const serving = {
    ...options,
    host: 'localhost',
    address: '127.0.0.1',
    runToken: token,
    maxBodyBytes,
  };
  const [first] = await servedBlogs(opened.store, baseUrl);
  return {
    kind: 'embedded',
    blogUrl: blogId === undefined ? (first?.url ?? blogUrl(baseUrl, 1)) : blogUrl(baseUrl, blogId),
    token,
    refusal,
    handle: withoutRestart(
      options.file,
      inProcess(assemble(opened, serving, readOptions({ baseUrl })).app),
    ),
    close: async () => {
      await opened.store.close();
      return opened.store.loss;
    },
  };
}

/** Where nothing can be written beside a file, no lock can be made, and none is needed to read it. */
function onlyToRead(error: unknown, { make }: Opening): UnusableStore {
  if (error instanceof UnusableStore && error.code === 'forbidden' && !make) return error;
  throw error;
}

/** An address for each file, so that no article of one is taken for an article of another. */
function ownAddress(file: string): string {
  const path = existsSync(file) ? realpathSync(file) : resolve(file);
  return `http://${hash('sha256', path).slice(0, 10)}.blogctl.localhost`;
}

type NewStore = {
  readonly file: string;
  readonly title: string;
  readonly description: string;
  readonly notice?: Notice;
};

/** Told of what a person should know. */
type Notice = (text: string) => void;

/**
 * Makes a store with one blog; one that is there is left as it is (UnusableStore `exists`). Answers
 * the statements that give a role of a database what it needs to serve.
 */
export async function initStore({ file, notice, ...blog }: NewStore): Promise<readonly string[]> {
  if (isDatabase(file)) {
    const { initPostgres } = await import('./store/postgres/open.ts');
    return (await initPostgres(file, blog, notice)).grants;
  }
  await createJsonFile(file, blog);
  return [];
}

/** Brings the schema of a database to this program's; answers the SQL that does it. */
export async function upgradeStore(
  address: string,
  dryRun: boolean,
  notice?: Notice,
): Promise<readonly string[]> {
  const { upgradePostgres } = await import('./store/postgres/open.ts');
  return upgradePostgres(address, dryRun, notice);
}

/**
 * Copies a store file that nobody serves, or a database as it is at one moment, into an empty
 * database or a new file, all of it or nothing; answers the articles. One of the two is a database.
 */
export async function copyStore(copy: StoreCopy): Promise<number> {
  if (!isDatabase(copy.from)) return copyFile(copy);
  if (isDatabase(copy.to)) {
    const { copyAcross } = await import('./store/postgres/one-moment.ts');
    return copyAcross(copy);
  }
  const { copyOutOfPostgres } = await import('./store/postgres/copy-out.ts');
  return copyOutOfPostgres(copy);
}

async function copyFile(copy: StoreCopy): Promise<number> {
  const path = existingPath(realFileSystem, copy.from);
  const lock = await orUnusable(
    path,
    () => {
      requireWritable(realFileSystem, path);
      return lockStore(realFileSystem, path, Date.now());
    },
    readable(path),
  );
  try {
    const { copyIntoPostgres } = await import('./store/postgres/copy.ts');
    return await copyIntoPostgres(path, copy);
  } finally {
    await lock.release(lock.crash === undefined);
  }
}

/** Reads a store from end to end; changes nothing. */
export async function checkStore(file: string, notice?: Notice): Promise<Check> {
  if (!isDatabase(file)) return checkJsonFile(file);
  const { checkPostgres } = await import('./store/postgres/one-moment.ts');
  return checkPostgres(file, notice);
}

function servedElsewhere(error: unknown): LocalBlog {
  const { url, token, pid } = (error instanceof StoreHeld ? error.holder : undefined) ?? {};
  if (url === undefined || token === undefined || pid === undefined) throw error;
  return { kind: 'served', blogUrl: url, token, pid };
}
