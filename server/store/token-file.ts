import { dirname } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import * as z from 'zod/mini';
import {
  type FileStat,
  type FileSystem,
  removeTemporaries,
  temporaryPath,
  writeFully,
} from './file-system/file-system.ts';
import { realFileSystem } from './file-system/real-file-system.ts';
import { inShell, orUnusable, UnusableStore } from './unusable-store.ts';
import {
  hashOfToken,
  isTokenText,
  newTokenText,
  randomDigits,
  type TokenEntry,
  type Tokens,
} from './tokens.ts';

const StoredToken = z.object({
  id: z.string(),
  name: z.string(),
  sha256: z.string(),
  blogs: z.exactOptional(z.readonly(z.array(z.int().check(z.positive())))),
  rights: z.readonly(z.array(z.enum(['create', 'update', 'delete']))),
  createdAt: z.number(),
  expiresAt: z.exactOptional(z.number()),
});
const Content = z.object({ format: z.literal('blogctl-tokens/1'), tokens: z.array(StoredToken) });
export type StoredToken = z.infer<typeof StoredToken>;

/** Some 60,000 tokens. */
const LARGEST = 16 * 1024 * 1024;
const LOCK_TIMEOUT_MS = 5000;
const PAUSE_MS = 10;

/** The tokens of a store, its links resolved, stand in `blog.tokens.json` beside `blog.json`. */
export function tokensPath(storeFile: string): string {
  return `${storeFile.replace(/\.json$/, '')}.tokens.json`;
}

/** Tokens in a file of their own: the store file is meant to be shared, this one is not. */
export function tokensBeside(
  storeFile: string,
  fileSystem: FileSystem = realFileSystem,
  now: () => number = () => Date.now(),
): Tokens {
  const path = tokensPath(storeFile);
  const read = remembering(fileSystem, storeFile);
  const byHash = indexed();
  const change = (edit: (tokens: readonly StoredToken[]) => readonly StoredToken[]) =>
    orUnusable(path, () => alone(fileSystem, path, () => write(fileSystem, path, edit(read()))));
  return {
    create: async (grant) => {
      const token = newTokenText();
      const entry = { ...grant, id: randomDigits(8), createdAt: now(), sha256: hashOfToken(token) };
      const stored = StoredToken.parse(entry);
      await change((tokens) => [...tokens, stored]);
      return { id: entry.id, token };
    },
    list: async () => read().map((token) => entryOf(token)),
    revoke: async (idOrName) => {
      let revoked: readonly StoredToken[] = [];
      await change((tokens) => {
        revoked = chosen(tokens, idOrName);
        return tokens.filter((token) => !revoked.includes(token));
      });
      return revoked.map(({ id }) => id);
    },
    lookup: (token) => {
      if (!isTokenText(token)) return undefined;
      const found = byHash(read()).get(hashOfToken(token));
      return found === undefined ? undefined : entryOf(found);
    },
  };
}

/** The tokens of a store file with their hashes, for another store to know them by. */
export function readTokenHashes(
  storeFile: string,
  fileSystem: FileSystem = realFileSystem,
): readonly StoredToken[] {
  return remembering(fileSystem, storeFile)();
}

/**
 * Makes a token file of another store's tokens. The same tokens may be there already, from a copy that
 * did not come to its end; other ones are left as they are (UnusableStore `exists`).
 */
export async function writeNewTokens(
  storeFile: string,
  tokens: readonly StoredToken[],
  fileSystem: FileSystem = realFileSystem,
): Promise<void> {
  const path = tokensPath(storeFile);
  await alone(fileSystem, path, async () => {
    const there = readTokenHashes(storeFile, fileSystem);
    if (isDeepStrictEqual(there, tokens)) return;
    if (there.length === 0) return write(fileSystem, path, tokens);
    throw new UnusableStore('exists', `${path} has other tokens. Nothing was changed.`, {
      hint: 'Name another file to copy into, or put the old tokens away.',
    });
  });
}

type ByHash = ReadonlyMap<string, StoredToken>;

/**
 * Found by its hash at once, however many there are: anybody may try one. The time it takes tells of
 * the hash alone, which nobody can choose.
 */
function indexed(): (tokens: readonly StoredToken[]) => ByHash {
  let last: readonly StoredToken[] | undefined;
  let index: ByHash = new Map();
  return (tokens) => {
    if (tokens !== last) index = new Map(tokens.map((token) => [token.sha256, token]));
    last = tokens;
    return index;
  };
}

function entryOf({ id, name, blogs, rights, createdAt, expiresAt }: StoredToken): TokenEntry {
  return {
    id,
    name,
    rights,
    createdAt,
    ...(blogs === undefined ? {} : { blogs }),
    ...(expiresAt === undefined ? {} : { expiresAt }),
  };
}

/** Reads the file again only when it is another one than last time. */
function remembering(fileSystem: FileSystem, storeFile: string): () => readonly StoredToken[] {
  const path = tokensPath(storeFile);
  let seen: FileStat | undefined;
  let tokens: readonly StoredToken[] = [];
  return () => {
    const stat = fileSystem.stat(path);
    if (!isSame(stat, seen))
      tokens = stat === undefined ? [] : parse(path, text(fileSystem, path, storeFile));
    seen = stat;
    return tokens;
  };
}

function isSame(a: FileStat | undefined, b: FileStat | undefined): boolean {
  return a?.ino === b?.ino && a?.modifiedMs === b?.modifiedMs && a?.size === b?.size;
}

function text(fileSystem: FileSystem, path: string, storeFile: string): string {
  const file = fileSystem.open(path, 'read');
  try {
    const { size, uid } = file.stat();
    const owners = [0, process.geteuid?.(), fileSystem.stat(storeFile)?.uid];
    if (!owners.includes(uid)) throw ofAnother(path, uid, storeFile);
    if (size > LARGEST) throw tooLarge(path, size);
    const bytes = Buffer.alloc(size);
    return bytes.toString('utf8', 0, file.read(bytes, 0));
  } finally {
    file.close();
  }
}

/** In a folder that everybody may write into (`/tmp`) anybody could grant themselves every right. */
function ofAnother(path: string, uid: number, storeFile: string): UnusableStore {
  const message = `${path} belongs to user ${uid}, who is neither root, nor you, nor the owner of ${storeFile}: its tokens are not taken. Nothing was changed.`;
  return new UnusableStore('forbidden', message, {
    hint: `Remove it, or where its tokens are meant give it to the owner of the store: \`chown --reference=${inShell(storeFile)} ${inShell(path)}\`.`,
  });
}

function tooLarge(path: string, size: number): UnusableStore {
  const message = `${path} has ${size} bytes and is no token file of blogctl. Nothing was changed.`;
  return new UnusableStore('damaged', message, { hint: brokenHint });
}

const brokenHint = 'Put it right, or remove it and create new tokens with `blogctl token create`.';

function parse(path: string, content: string): readonly StoredToken[] {
  try {
    return Content.parse(JSON.parse(content)).tokens;
  } catch (error) {
    const message = `${path} is no token file of blogctl. Nothing was changed.`;
    throw new UnusableStore('damaged', message, { hint: brokenHint, cause: error });
  }
}

function noRoom(path: string): UnusableStore {
  return new UnusableStore('forbidden', `${path} takes no more tokens: it has ${LARGEST} bytes.`, {
    hint: 'Take away what nobody needs with `blogctl token revoke`.',
  });
}

/** By id where one has it, else by name. */
function chosen(tokens: readonly StoredToken[], idOrName: string): readonly StoredToken[] {
  const byId = tokens.filter(({ id }) => id === idOrName);
  return byId.length > 0 ? byId : tokens.filter(({ name }) => name === idOrName);
}

/** One writer at a time, so that none writes over what another added. */
async function alone(
  fileSystem: FileSystem,
  path: string,
  work: () => Promise<void>,
): Promise<void> {
  for (const until = performance.now() + LOCK_TIMEOUT_MS; performance.now() < until;) {
    const mutex = await fileSystem.lock(path, () => `process ${process.pid}`);
    if ('said' in mutex) {
      await pause(PAUSE_MS);
      continue;
    }
    try {
      return await work();
    } finally {
      await mutex.release();
    }
  }
  throw new UnusableStore('forbidden', `Another process has been writing ${path} for too long.`, {
    hint: 'Try again.',
  });
}

/** Temporary file, sync, rename, sync folder: the file is whole at every moment. */
async function write(
  fileSystem: FileSystem,
  path: string,
  tokens: readonly StoredToken[],
): Promise<void> {
  const content = Content.parse({ format: 'blogctl-tokens/1', tokens });
  const bytes = Buffer.from(`${JSON.stringify(content, null, 2)}\n`);
  if (bytes.length > LARGEST) throw noRoom(path);
  removeTemporaries(fileSystem, path);
  const temporary = temporaryPath(path);
  const file = fileSystem.open(temporary, 'create-new');
  try {
    await writeFully(file, bytes, 0);
    await file.sync();
    fileSystem.rename(temporary, path);
  } finally {
    file.close();
    fileSystem.remove(temporary);
  }
  await fileSystem.syncFolder(dirname(path));
}
