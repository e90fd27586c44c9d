import { type Hint, inShell, orUnusable, UnusableStore } from '../store/unusable-store.ts';
import type { PostgresStore } from '../store/postgres/postgres-store.ts';
import { type BlogChange, StoreError } from '../store/store.ts';
import type { Tokens } from '../store/tokens.ts';
import { tokensBeside } from '../store/token-file.ts';
import { isDatabase } from './opening.ts';
import { existingPath, openJsonFile } from '../store/json-file/open.ts';
import { realFileSystem } from '../store/file-system/real-file-system.ts';

/** What an operator does to a store that nobody serves at the moment. */
export type Maintenance = {
  /** Takes the file as it is shown: edits by hand get their checksums, what a crash left goes. */
  confirm(): Promise<void>;
  compact(): Promise<void>;
  /** Answers the new blog's id. */
  addBlog(blog: { readonly title: string; readonly description: string }): Promise<number>;
  /** False where there is no such blog. */
  changeBlog(blogId: number, change: BlogChange): Promise<boolean>;
  /** False where there is no such article. */
  lockArticle(blogId: number, articleId: number, locked: boolean): Promise<boolean>;
};

type Operating = {
  readonly file: string;
  /** Told what a person should know of the file. */
  readonly notice: (text: string) => void;
};

/** Opens a store for as long as `act` takes; throws UnusableStore or StoreHeld. */
export async function withMaintenance<T>(
  { file, notice }: Operating,
  act: (store: Maintenance) => Promise<T>,
): Promise<T> {
  if (isDatabase(file))
    return onDatabase(file, ({ store }) => act(maintenanceOf(store)), { notice });
  const store = await openJsonFile({ path: file, report: notice, isBrief: true });
  try {
    return await act({
      ...maintenanceOf(store),
      confirm: () => store.confirm(),
      compact: () => store.compact(),
    });
  } catch (error) {
    throw error instanceof StoreError ? failureOf(file, error) : error;
  } finally {
    await store.close();
  }
}

/** Another program wrote into a file that a command works on. */
export function changedMeanwhile(file: string, cause?: StoreError): UnusableStore {
  const message = `${file} was changed by another program while this command worked on it. Nothing was written over that.`;
  const check = `\`blogctl store check --store ${inShell(file)}\``;
  return new UnusableStore('held', message, {
    hint: `See that no other program writes the file, look at it with ${check}, and run the same again.`,
    cause,
  });
}

/** What a store of its own met while it was worked on, in the words of who works on it. */
function failureOf(file: string, error: StoreError): UnusableStore {
  const { failure, message, cause } = error;
  const check = `\`blogctl store check --store ${inShell(file)}\``;
  if (failure === 'changed-outside') return changedMeanwhile(file, error);
  const hints: Partial<Record<StoreError['failure'], Hint>> = {
    'outcome-unknown': `Look with ${check} and by what was to change whether it was done, before you run the same again.`,
    'no-room': 'Free some space there, then run the same again.',
    'no-id': 'Make a new store for more.',
  };
  const hint =
    hints[failure] ?? (`Look at the file with ${check}, then run the same again.` as const);
  return new UnusableStore('damaged', `${file}: ${message}`, { hint, cause: cause ?? error });
}

/** The ids of the blogs of a store, which may be served meanwhile. */
export async function listBlogs(file: string): Promise<readonly number[]> {
  if (isDatabase(file)) return onDatabase(file, ({ store }) => idsOf(store), { readOnly: true });
  const store = await openJsonFile({ path: file, readOnly: true });
  try {
    return await idsOf(store);
  } finally {
    await store.close();
  }
}

async function idsOf(store: Pick<PostgresStore, 'blogs'>): Promise<readonly number[]> {
  return (await store.blogs()).map(({ id }) => id);
}

/** Does something with the access tokens of a store; of a file, those beside it. */
export function withTokens<T>(
  file: string,
  act: (tokens: Tokens) => Promise<T>,
  opening: StoreAccess = {},
): Promise<T> {
  if (isDatabase(file)) return onDatabase(file, ({ tokens }) => act(tokens), opening);
  const path = existingPath(realFileSystem, file);
  // What is no file has no tokens beside it: they would lie in a folder that nobody named.
  return orUnusable(path, async () => realFileSystem.open(path, 'read').close()).then(() =>
    act(tokensBeside(path)),
  );
}

export type StoreAccess = {
  readonly notice?: (text: string) => void;
  /** Nothing is changed: a standby will do where no primary answers. */
  readonly readOnly?: boolean;
};

async function onDatabase<T>(
  address: string,
  act: (opened: { readonly store: PostgresStore; readonly tokens: Tokens }) => Promise<T>,
  { notice: report, readOnly = false }: StoreAccess,
): Promise<T> {
  const { openPostgres } = await import('../store/postgres/open.ts');
  const opened = await openPostgres({
    address,
    asOwner: true,
    readOnly,
    connections: 1,
    ...(report && { report }),
  });
  try {
    return await opened.explain(() => act(opened));
  } finally {
    await opened.store.close();
  }
}

/** What every store can do; a database has no file to put in order. */
function maintenanceOf(
  store: Pick<PostgresStore, 'addBlog' | 'changeBlog' | 'lockArticle'>,
): Maintenance {
  return {
    confirm: refuseFileWork,
    compact: refuseFileWork,
    addBlog: (blog) => store.addBlog(blog),
    changeBlog: (blogId, change) => store.changeBlog(blogId, change),
    lockArticle: async (blogId, articleId, locked) => {
      const found = await store.lockArticle(blogId, articleId, locked);
      return found.kind === 'article';
    },
  };
}

async function refuseFileWork(): Promise<never> {
  throw new UnusableStore('foreign', 'A database has no file to put in order.', {
    hint: 'Leave that to the database: autovacuum does it.',
  });
}
