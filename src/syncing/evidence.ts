import type { BlogClient } from '../client/blog-client.ts';
import { BlogctlError } from '../errors.ts';
import { idIn, type FindOwn } from '../importing/sending/own-articles.ts';
import { forAll } from '../importing/sending/pace.ts';
import type { RetryPolicy } from '../importing/sending/retry-policy.ts';
import { textDigest } from '../importing/sources/identity.ts';
import { isInWorkTree } from '../importing/sources/walk.ts';
import type { Folder } from './folder.ts';
import { listedBy } from './git.ts';
import type { History, HistoryWanted } from './history.ts';
import { type KeyAnswer, type Remote, remoteOf } from './listing.ts';
import { isByName, type Known, type Matching, type Pair } from './match.ts';
import type { NotesOfImports } from './same-text.ts';
import type { StateLine } from './state-file.ts';

export type PlanRequest = {
  readonly folder: Folder;
  readonly state: ReadonlyMap<string, StateLine>;
  /** There is a state, though it may hold nothing. */
  readonly hasState: boolean;
  readonly reading: HistoryWanted['reading'];
  readonly exact: boolean;
  /** Ask git what the files were. */
  readonly history: boolean;
  readonly prune: boolean;
  readonly overwrite: boolean;
  /** Paths that the line names, as a plan shows them or from the root of their work tree. */
  readonly named: readonly string[];
  readonly recreate: boolean;
  /** By the path as a plan shows it; under '' what holds for all others. */
  readonly adopted: ReadonlyMap<string, number | 'none'>;
  readonly concurrency: number;
  /** Every article of the blog, by id. */
  readonly articles: Map<number, Remote>;
};

export type PlanWorld = NotesOfImports & {
  readonly client: BlogClient;
  readonly findOwn: FindOwn;
  readonly retry: RetryPolicy;
  readonly signal: AbortSignal;
  warned(text: string): void;
};

/** What is known so far; grows while the blog and git are asked. */
export type Evidence = Omit<PlanRequest, 'state' | 'adopted'> &
  PlanWorld &
  Omit<Known, 'posts' | 'articles' | 'versions' | 'moved' | 'aside'> & {
    /** Of the posts. */
    readonly names: ReadonlySet<string>;
    /** State lines whose article was asked for by its key. */
    readonly confirmed: Set<StateLine>;
    readonly posts: PlanRequest['folder']['posts'];
    readonly articles: PlanRequest['articles'];
    /** The state as it was kept; of `state` what does not fit this blog is left out. */
    readonly kept: PlanRequest['state'];
    readonly state: Map<string, StateLine>;
    readonly keys: Map<string, KeyAnswer>;
    /** The latest first; absent where git was not asked for them. */
    readonly versions: Map<string, readonly string[]>;
    readonly findsByKey: boolean;
    /**
     * Git may say which articles were of files that are gone. Where a key cannot confirm it a state counts more: an
     * article with the text of a file that was deleted before may be a copy that somebody made.
     */
    readonly looksForGone: boolean;
    readonly listed: ReturnType<typeof listedBy>;
    git?: History | undefined;
    namesOf: Known['namesOf'];
    cameFrom: Known['cameFrom'];
    moved?: Known['moved'];
    aside?: NonNullable<Known['aside']>;
    goneInGit: readonly string[];
  };

/** What is known before git or the blog is asked about single paths. */
export async function knownFrom(request: PlanRequest, world: PlanWorld): Promise<Evidence> {
  const { folder, state, hasState } = request;
  const { findsByKey } = await world.retry(() => world.client.blog(), world.signal);
  const names = new Set(folder.posts.map(({ name }) => name));
  const others = [...state.values()].flatMap(({ path, pruned }) =>
    pruned || names.has(path) ? [] : path,
  );
  const isMissing = (name: string) => !folder.skipped.has(name) && !folder.isThere(name);
  const listed = listedBy(folder.path);
  const leftOut = others.some(isMissing) ? (await listed()).leftOut : new Set<string>();
  const isGone = (name: string) =>
    folder.skipped.has(name) || (isMissing(name) && !leftOut.has(name));
  const own = new Map<string, number>();
  const elsewhere = new Map<string, number>();
  for (const { name, article } of folder.posts) {
    const found = article === undefined ? undefined : await world.findOwn(article);
    if (found !== undefined && 'id' in found) own.set(name, found.id);
    else if (article !== undefined) elsewhere.set(name, idIn(article) ?? 0);
  }
  return {
    ...request,
    ...world,
    names,
    posts: folder.posts,
    kept: state,
    state: new Map(state),
    gone: new Set(others.filter(isGone)),
    reserved: new Set(others.filter((name) => !isGone(name))),
    own,
    elsewhere,
    adopted: adoptedOf(request),
    keys: new Map(),
    confirmed: new Set(),
    versions: new Map(),
    listed,
    namesOf: () => [],
    cameFrom: () => [],
    goneInGit: [],
    findsByKey,
    looksForGone: findsByKey || !hasState,
  };
}

/** A path is written as the plan shows it, or from the root of its work tree. */
function adoptedOf({ folder, adopted }: PlanRequest): Known['adopted'] {
  if (adopted.size === 0) return adopted;
  const names = new Set(folder.posts.flatMap(({ path, name }) => [path, name]));
  const unknown = [...adopted.keys()].find((path) => path !== '' && !names.has(path));
  if (unknown !== undefined) {
    throw new BlogctlError('usage', `--adopt names "${unknown}", which is no post of the folder.`, {
      hint: 'Write the path as the plan shows it.',
    });
  }
  return new Map(
    folder.posts.flatMap(({ path, name }) => {
      const id = adopted.get(path) ?? adopted.get(name) ?? adopted.get('');
      return id === undefined ? [] : [[name, id] as const];
    }),
  );
}

/**
 * The texts that the file of a post had; behind them those of its path before, which the state names, or of a
 * file that is gone and had what stands there, where a person named the article.
 */
export function versionsOf(
  name: string,
  { pair, onBlog }: { readonly pair: Pair; readonly onBlog: string },
  { versions, goneInGit }: Evidence,
): readonly string[] | undefined {
  const { line = { path: name } } = pair;
  const hadIt = (path: string) => versions.get(path)?.includes(onBlog) === true;
  const former = isByName(pair) ? goneInGit.find(hadIt) : line.path;
  const own = versions.get(name);
  if (former === undefined || former === name) return own;
  return [...(own ?? []), ...(versions.get(former) ?? [])];
}

/**
 * Whether a file that is gone was of the branch that is checked out, and its article this file's: not where that
 * was only found by it, and either never had a text of the other, or that branch never had the file. Without git
 * there is only one.
 */
function isOfBranch(
  name: string,
  { folder: { path, isThere }, state, git: history }: Evidence,
): boolean {
  const line = state.get(name);
  if (line?.theirs !== true) return true;
  if (line.stored === '' && line.pulled === undefined) return false;
  if (isThere(name)) return true;
  return history === undefined ? !isInWorkTree(path) : history.gone.includes(name);
}

/** How a plan shows a path that is gone: below the folder, or below where the whole folder was before. */
export function shownBefore(
  { pairs }: Pick<Matching, 'pairs'>,
  evidence: Evidence,
): Folder['shown'] {
  const { folder } = evidence;
  const before = new Set<string>();
  for (const { name, path } of folder.posts) {
    const former = pairs.get(name)?.line?.path ?? name;
    if (former !== name && former.endsWith(`/${path}`)) before.add(former.slice(0, -path.length));
  }
  const left = [...before].filter((prefix) => !folder.isThere(prefix));
  return (name) => {
    if (!isOfBranch(name, evidence)) return undefined;
    const prefix = left.find((each) => name.startsWith(each));
    return folder.shown(name) ?? (prefix && name.slice(prefix.length));
  };
}

/** Where files went that are gone. What git cannot say is told where it is asked first. */
export async function movedOf(
  { gone }: Pick<Matching, 'gone'>,
  { git }: Evidence,
): Promise<ReadonlyMap<string, string>> {
  const names = gone.map(({ name }) => name);
  return (await git?.movedOut(names).catch(() => undefined)) ?? new Map();
}

type Found = Pick<Pair, 'by'> & {
  readonly line: StateLine | undefined;
  readonly key: string | undefined;
  readonly post: Pick<Folder['posts'][number], 'article' | 'name'>;
};

/**
 * Whether an equal text is all that says whose an article is: it may be older than the post, and somebody's own.
 * Where nobody can be asked by key, what a first sync finds is what an import has brought.
 */
export function isFoundByText(
  { by, line, key, post }: Found,
  { findsByKey, hasState, kept }: Evidence,
): boolean {
  if (line !== undefined) return line.found === true;
  // What a sync deleted, and `runs undo` has brought back, has another key or none.
  if (kept.get(post.name)?.pruned === true) return false;
  const isByText = by === 'git' || (by === 'text' && post.article === undefined);
  return isByText && key === undefined && (findsByKey || hasState);
}

/**
 * Where a blog cannot be asked by key, imports that were made here say which article a post is: the list
 * may lag behind, or the service have stored another text. One that says something else by now than
 * when it was brought is only offered. Answers whether that told anything.
 */
export async function askImports({ open }: Matching, evidence: Evidence): Promise<boolean> {
  const { findsByKey, brought, folder, keys, articles, client, retry, signal, exact } = evidence;
  const unasked = [...open.keys()].filter((name) => !keys.has(name));
  if (findsByKey || brought === undefined || unasked.length === 0) return false;
  const notes = await brought();
  const noted = unasked.flatMap((name) => {
    const note = notes.get(folder.keyOf(name, 1));
    return note === undefined ? [] : [{ name, ...note }];
  });
  const ask = async ({ name, url, stored }: (typeof noted)[number]) => {
    keys.set(name, {});
    try {
      const { article } = await retry(() => client.article({ url }), signal);
      const { id } = article;
      if (!articles.has(id)) articles.set(id, remoteOf(article, exact));
      const isAsLeft = textDigest(article).startsWith(stored);
      keys.set(name, isAsLeft ? { id, key: folder.keyOf(name, 1) } : { edited: id });
    } catch (error) {
      const code = error instanceof BlogctlError ? error.code : undefined;
      if (code === 'gone') keys.set(name, { wasDeleted: true });
      else if (code !== 'not-found' && code !== 'usage') throw error;
    }
  };
  await forAll(noted, ask, evidence);
  return noted.length > 0;
}
