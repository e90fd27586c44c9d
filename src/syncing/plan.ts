import { existsSync } from 'node:fs';

import type { BlogClient } from '../client/blog-client.ts';
import { BlogctlError } from '../errors.ts';
import type { FindOwn } from '../importing/sending/own-articles.ts';
import type { Patience } from '../importing/sending/patience.ts';
import type { Step } from './actions.ts';
import { askByNames, forAll, wasDeleted, type Asking } from './evidence.ts';
import type { Folder, Post } from './folder.ts';
import {
  noHistory,
  readHistory,
  type History,
  type HistoryOptions,
  type Version,
} from './history.ts';
import { readListing, type Remote } from './listing.ts';
import { match, type KeyAnswer, type Known, type Matching } from './match.ts';
import { digestOf } from './same-text.ts';
import type { StateLine } from './state-file.ts';
import { stepsOf } from './steps.ts';

export type PlanRequest = {
  readonly folder: Folder;
  readonly state: ReadonlyMap<string, StateLine>;
  /** There is a state, though it may hold nothing. */
  readonly hasState: boolean;
  readonly reading: HistoryOptions;
  readonly exact: boolean;
  /** Ask git what the files were. */
  readonly history: boolean;
  readonly prune: boolean;
  readonly overwrite: boolean;
  readonly recreate: boolean;
  /** By the path as a plan shows it; under '' what holds for all others. */
  readonly adopted: ReadonlyMap<string, number | 'none'>;
  readonly concurrency: number;
};

export type PlanWorld = {
  readonly client: BlogClient;
  readonly findOwn: FindOwn;
  readonly patience: Patience;
  readonly signal: AbortSignal;
  warned(text: string): void;
};

export type Plan = {
  readonly steps: readonly Step[];
  /** Posts that have an article here, and articles whose file is gone. */
  readonly managed: number;
  /** Articles that the state, or git, says are of this folder or were. */
  readonly known: number;
  readonly paired: number;
  /** State lines of which nothing is left on either side. */
  readonly forgotten: readonly string[];
};

/** What is known so far; grows while the blog and git are asked. */
export type Evidence = {
  readonly request: PlanRequest;
  readonly articles: Map<number, Remote>;
  readonly state: Map<string, StateLine>;
  readonly keys: Map<string, KeyAnswer>;
  readonly own: ReadonlyMap<string, number>;
  /** Texts that files had, the latest first; absent where git was not asked for them. */
  readonly versions: Map<string, readonly (Version & { readonly digest: string })[]>;
  history?: History | undefined;
  /**
   * Git may say which articles were of files that are gone. Where a key cannot confirm it a state counts
   * more: an article with the text of a file that was deleted before may be a copy that somebody made.
   */
  readonly looksForGone: boolean;
};

/** Compares a folder with its blog; writes nothing on either side. */
export async function makePlan(request: PlanRequest, world: PlanWorld): Promise<Plan> {
  const { client, patience, signal } = world;
  const { concurrency, exact } = request;
  const asking = { client, patience, signal, concurrency, exact };
  const { findsByKey } = await patience(() => client.blog(), signal);
  const evidence: Evidence = {
    request,
    articles: new Map(await readListing(asking)),
    state: new Map(request.state),
    keys: new Map(),
    own: await ownArticles(request.folder.posts, world.findOwn),
    versions: new Map(),
    looksForGone: findsByKey || !request.hasState,
  };
  if (findsByKey) await checkState(evidence, asking, world);
  let matching = match(knownOf(evidence));
  if (request.history && isUnexplained(matching, evidence)) {
    await askGit(evidence, world);
    matching = match(knownOf(evidence));
    if (await askWhereFrom(matching, evidence, world)) matching = match(knownOf(evidence));
  }
  for (;;) {
    const asked = await askBlog(matching, evidence, { ...asking, findsByKey });
    const read = await readVersions(matching, evidence, world);
    if (!asked && !read) break;
    matching = match(knownOf(evidence));
  }
  return stepsOf(matching, evidence, asking);
}

/**
 * A store that was made anew gives the same ids to other articles. Where none of the articles that
 * the state knows has its text, one of them is asked for by its key.
 */
async function checkState(
  { state, articles }: Evidence,
  { client, patience, signal }: Asking,
  world: PlanWorld,
): Promise<void> {
  const listed = [...state.values()].filter(({ id }) => articles.has(id));
  const first = listed.find(({ answered }) => answered !== '');
  if (first === undefined) return;
  if (listed.some(({ id, stored }) => articles.get(id)?.digest === stored)) return;
  const found = await patience(() => client.articleByKey(first.answered), signal);
  if (found.kind === 'article' && found.article.id === first.id) return;
  world.warned('The state of an earlier sync does not fit this blog: it is found out again.');
  state.clear();
}

/** Something that equal texts and the state leave open. */
function isUnexplained({ pairs, open, gone, unmanaged }: Matching, evidence: Evidence): boolean {
  if (open.size + gone.size + unmanaged.length > 0) return true;
  const digests = new Map(evidence.request.folder.posts.map((post) => [post.name, post.digest]));
  return [...pairs].some(([name, { id, line }]) => {
    const article = evidence.articles.get(id ?? 0);
    const isSame = article?.digest === digests.get(name) || article?.digest === line?.stored;
    return article !== undefined && !isSame;
  });
}

async function askGit(
  evidence: Evidence,
  world: PlanWorld,
  others: readonly string[] = [],
): Promise<void> {
  const { folder, reading } = evidence.request;
  const names = new Set(folder.posts.map(({ name }) => name));
  const present = (name: string) => names.has(name);
  const history = await readHistory(folder.path, { present, reading, others });
  if ('why' in history) world.warned(withoutHistory(history.why));
  else evidence.history = history;
}

/** Files that were moved into the folder have a history elsewhere; answers whether there is some. */
async function askWhereFrom(
  { open }: Matching,
  evidence: Evidence,
  world: PlanWorld,
): Promise<boolean> {
  try {
    const others = (await evidence.history?.cameFrom([...open.keys()])) ?? [];
    if (others.length === 0) return false;
    await askGit(evidence, world, others);
    evidence.versions.clear();
    return true;
  } catch (error) {
    world.warned(withoutHistory(noHistory(error).why));
    return false;
  }
}

function withoutHistory(why: string): string {
  return `Git cannot say what the files were: ${why}. What only their history could tell is left as it is.`;
}

/**
 * Asks the blog for the paths that are open, and for those that only git says had an article; answers
 * whether that told anything.
 */
async function askBlog(
  { pairs, open, gone }: Matching,
  evidence: Evidence,
  asking: Asking & { readonly findsByKey: boolean },
): Promise<boolean> {
  const { request, keys, state, articles, own } = evidence;
  const isOpen = ({ name }: Post) => {
    const isDeleted = pairs.has(name) && pairs.get(name)?.id === undefined;
    return (open.has(name) || isDeleted) && (asking.findsByKey || own.has(name));
  };
  const removed = [...gone].flatMap(([name, { line }]) =>
    line === undefined && asking.findsByKey ? [name] : [],
  );
  const names = [...request.folder.posts.filter(isOpen).map(({ name }) => name), ...removed];
  const unasked = names.filter((name) => !keys.has(name));
  if (unasked.length === 0) return false;
  const byState = new Set(
    [...pairs.values()].flatMap(({ by, id }) => (by === 'state' ? [id] : [])),
  );
  const lines = new Map([...pairs].map(([name, { line }]) => [name, line]));
  const present = new Set(request.folder.posts.map(({ name }) => name));
  const namesOf = (name: string) => {
    const former = evidence.history?.namesOf(name) ?? [];
    return [name, ...former.filter((each) => !present.has(each))];
  };
  const keyOf = (name: string, generation: number) => request.folder.keyOf(name, generation);
  const ask = { ...asking, keyOf };
  await forAll(
    unasked,
    async (name) => {
      const { answer, article } = asking.findsByKey
        ? await askByNames(namesOf(name), (id) => !gone.has(name) && byState.has(id), ask)
        : neverAsked;
      if (article !== undefined) articles.set(article.id, article);
      const named = own.get(name) ?? lines.get(name)?.id;
      const isUnknown = answer.kind === 'free' && !answer.wasDeleted && named !== undefined;
      const isDeleted = isUnknown && (await wasDeleted(named, asking));
      keys.set(name, isDeleted ? { ...answer, wasDeleted: true } : answer);
      // Neither its key nor its id was ever given here: a blog made anew.
      const line = lines.get(name);
      if (isUnknown && !isDeleted && line !== undefined) state.delete(line.path);
    },
    asking,
  );
  return true;
}

const neverAsked: Awaited<ReturnType<typeof askByNames>> = {
  answer: { kind: 'free', generation: 1, wasDeleted: false },
};

/** Reads what git has of the paths that need it; answers whether there was more to read. */
async function readVersions(
  { pairs, open, gone, unmanaged }: Matching,
  evidence: Evidence,
  world: PlanWorld,
): Promise<boolean> {
  const { request, articles, versions, history, looksForGone } = evidence;
  if (history === undefined) return false;
  const { folder } = request;
  const differs = ({ name, digest }: Post) => {
    const article = articles.get(pairs.get(name)?.id ?? 0);
    return article !== undefined && article.digest !== digest;
  };
  const removed =
    looksForGone && unmanaged.length > 0
      ? [...goneBelow(folder, history), ...folder.skipped.keys()]
      : [];
  const unclear = folder.posts.filter((post) => open.has(post.name) || differs(post));
  const names = [...unclear.map(({ name }) => name), ...gone.keys(), ...removed];
  const wanted = names.filter((name) => !versions.has(name));
  if (wanted.length === 0) return false;
  try {
    const found = await history.versionsOf(wanted);
    for (const name of wanted) {
      const texts = found.get(name) ?? [];
      versions.set(
        name,
        texts.map((text) => ({ ...text, digest: digestOf(text).digest })),
      );
    }
    return true;
  } catch (error) {
    world.warned(withoutHistory(noHistory(error).why));
    evidence.history = undefined;
    return false;
  }
}

function knownOf(evidence: Evidence): Known {
  const { request, articles, state, keys, own, versions, history } = evidence;
  const { folder } = request;
  const posts = new Set(folder.posts.map(({ name }) => name));
  const others = [...state.keys()].filter((name) => !posts.has(name));
  const isGone = (name: string) => folder.skipped.has(name) || !existsSync(folder.fileOf(name));
  return {
    posts: folder.posts,
    articles,
    state,
    gone: new Set(others.filter(isGone)),
    reserved: new Set(others.filter((name) => !isGone(name))),
    own,
    keys,
    adopted: adoptedOf(request),
    versions: new Map(
      [...versions].map(([name, all]) => {
        // What was never to be published is no reason to take an article for that of a file.
        const counted = posts.has(name) ? all : all.filter(({ isPublic }) => isPublic);
        return [name, new Set(counted.map(({ digest }) => digest))];
      }),
    ),
    namesOf: (name) => history?.namesOf(name) ?? [],
    goneInGit: goneInGit(evidence),
  };
}

/** Where articles have keys, only its key says that a file that is gone had one. */
function goneInGit({ request, keys, history, looksForGone }: Evidence): readonly string[] {
  if (history === undefined || !looksForGone) return [];
  const names = new Set([...goneBelow(request.folder, history), ...request.folder.skipped.keys()]);
  return [...names].filter((name) => keys.get(name)?.kind !== 'free');
}

function goneBelow(folder: Folder, { gone }: History): readonly string[] {
  return gone.filter((name) => folder.shown(name) !== undefined);
}

function adoptedOf({ folder, adopted }: PlanRequest): Known['adopted'] {
  if (adopted.size === 0) return adopted;
  const all = adopted.get('');
  const found = new Map<string, number | 'none'>();
  for (const { name, path } of folder.posts) {
    const id = adopted.get(path) ?? all;
    if (id !== undefined) found.set(name, id);
  }
  const paths = new Set(folder.posts.map(({ path }) => path));
  const unknown = [...adopted.keys()].find((path) => path !== '' && !paths.has(path));
  if (unknown === undefined) return found;
  throw new BlogctlError('usage', `--adopt names "${unknown}", which is no post of the folder.`, {
    hint: 'Write the path as the plan shows it.',
  });
}

async function ownArticles(
  posts: readonly Post[],
  findOwn: FindOwn,
): Promise<ReadonlyMap<string, number>> {
  const own = new Map<string, number>();
  for (const { name, article } of posts) {
    const found = article === undefined ? undefined : await findOwn(article);
    if (found !== undefined && 'id' in found) own.set(name, found.id);
  }
  return own;
}
