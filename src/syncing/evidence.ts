import { sendAll } from '../importing/sending/send-all.ts';
import { BlogctlError } from '../errors.ts';
import { GitFailed, readHistory, type History } from './history.ts';
import { remoteOf, type Remote } from './listing.ts';
import type { Gone, KeyAnswer, Known, Matching } from './match.ts';
import type { PlanRequest, PlanWorld } from './plan.ts';
import type { StateLine } from './state-file.ts';

/** What is known so far; grows while the blog and git are asked. */
export type Evidence = Omit<Known, 'posts' | 'articles' | 'versions'> &
  Omit<PlanWorld, 'findOwn'> & {
    readonly request: PlanRequest;
    /** Of the posts. */
    readonly names: ReadonlySet<string>;
    readonly posts: PlanRequest['folder']['posts'];
    readonly articles: Map<number, Remote>;
    readonly state: Map<string, StateLine>;
    readonly keys: Map<string, KeyAnswer>;
    /** The latest first; absent where git was not asked for them. */
    readonly versions: Map<string, ReadonlySet<string>>;
    readonly findsByKey: boolean;
    /**
     * Git may say which articles were of files that are gone. Where a key cannot confirm it a state
     * counts more: an article with the text of a file that was deleted before may be a copy that
     * somebody made.
     */
    readonly looksForGone: boolean;
    history?: History | undefined;
    namesOf: Known['namesOf'];
    goneInGit: readonly string[];
  };

/** Does something for each of several things, some at a time; the first failure ends it. */
export async function forAll<T>(
  things: readonly T[],
  act: (thing: T, signal: AbortSignal) => Promise<void>,
  { concurrency, signal }: { readonly concurrency: number; readonly signal: AbortSignal },
): Promise<void> {
  async function* batches(): AsyncGenerator<readonly T[], void, void> {
    yield things;
  }
  await sendAll(batches(), { deliver: act, concurrency, settled: () => true }, signal);
}

/**
 * A store that was made anew gives the same ids to other articles. Where none of the articles that
 * the state knows has its text, one of them is asked for by its key.
 */
export async function checkState(evidence: Evidence): Promise<void> {
  const { state, articles, client, retry, signal } = evidence;
  const listed = [...state.values()].filter(({ id }) => articles.has(id));
  const first = listed.find(({ answered }) => answered !== '');
  if (first === undefined) return;
  if (listed.some(({ id, stored }) => articles.get(id)?.digest === stored)) return;
  const found = await retry(() => client.articleByKey(first.answered), signal);
  if (found.kind === 'article' && found.article.id === first.id) return;
  evidence.warned('The state of an earlier sync does not fit this blog: it is found out again.');
  state.clear();
}

/** Without git what only it could tell is left open, and that is said. */
async function fromGit<T>(evidence: Evidence, ask: () => Promise<T>): Promise<T | undefined> {
  try {
    return await ask();
  } catch (error) {
    if (!(error instanceof GitFailed)) throw error;
    evidence.warned(
      `Git cannot say what the files were: ${error.message}. What only their history could tell is left as it is.`,
    );
    evidence.history = undefined;
    evidence.namesOf = () => [];
    evidence.goneInGit = [];
    return undefined;
  }
}

export async function askGit(evidence: Evidence, others: readonly string[] = []): Promise<void> {
  const { names, request, looksForGone } = evidence;
  const { folder, reading } = request;
  const present = (name: string) => names.has(name);
  await fromGit(evidence, async () => {
    const history = await readHistory(folder.path, { present, reading, others });
    evidence.history = history;
    evidence.namesOf = (name) => history.namesOf(name);
    if (!looksForGone) return;
    const gone = history.gone.filter((name) => folder.shown(name) !== undefined);
    evidence.goneInGit = [...new Set([...gone, ...folder.skipped.keys()])];
  });
}

/** Files that were moved into the folder have a history elsewhere; answers whether there is some. */
export async function askWhereFrom({ open }: Matching, evidence: Evidence): Promise<boolean> {
  const { history } = evidence;
  const others = await fromGit(evidence, async () => history?.cameFrom([...open.keys()]) ?? []);
  if (others === undefined || others.length === 0) return false;
  await askGit(evidence, others);
  return true;
}

/**
 * Asks the blog for the paths that are open, and for those that only git says had an article; answers
 * whether that told anything.
 */
export async function askBlog(matching: Matching, evidence: Evidence): Promise<boolean> {
  const { pairs, open, gone } = matching;
  const { request, posts, keys, own, findsByKey, signal } = evidence;
  const mayBeAsked = (name: string) => findsByKey || own.has(name);
  const mayHaveOne = posts.filter(
    ({ name }) => isDeletedThere(matching, name) || (open.has(name) && mayBeAsked(name)),
  );
  // What would be deleted may not be all that the key of its path was used for.
  const isAsked = ({ line }: Gone) => findsByKey && (line === undefined || request.prune);
  const removed = new Set(gone.filter(isAsked).map(({ name }) => name));
  const names = [...mayHaveOne.map(({ name }) => name), ...removed];
  const unasked = names.filter((name) => !keys.has(name));
  if (unasked.length === 0) return false;
  const byState = new Set([...pairs.values()].map(({ by, id }) => (by === 'state' ? id : 0)));
  await forAll(
    unasked,
    async (name) => {
      const isAnothers = (id: number) => !removed.has(name) && byState.has(id);
      const answer = findsByKey ? await askByNames(name, isAnothers, evidence) : neverAsked;
      const line = pairs.get(name)?.line;
      const id = own.get(name) ?? line?.id;
      const isUnknown = answer.kind === 'free' && !answer.wasDeleted && id !== undefined;
      const byId = isUnknown ? await askById(id, evidence) : 'not asked';
      const isDeleted = answer.kind === 'free' && byId === 'deleted';
      keys.set(name, isDeleted ? { ...answer, wasDeleted: true } : answer);
      // Neither its key nor its id was ever given here: a blog made anew.
      if (byId === 'never seen' && findsByKey && line !== undefined)
        evidence.state.delete(line.path);
    },
    { concurrency: request.concurrency, signal },
  );
  return true;
}

function isDeletedThere({ pairs }: Matching, name: string): boolean {
  const pair = pairs.get(name);
  return pair !== undefined && pair.id === undefined;
}

type Free = Extract<KeyAnswer, { kind: 'free' }>;

const neverAsked: Free = { kind: 'free', generation: 1, wasDeleted: false };

/** Asks for the article of a path, the first of its names, or of those it had before. */
async function askByNames(
  name: string,
  isAnothers: (id: number) => boolean,
  evidence: Evidence,
): Promise<KeyAnswer> {
  const former = evidence.namesOf(name).filter((each) => !evidence.names.has(each));
  const own = await askByKey(name, isAnothers, evidence);
  let answer = own;
  for (const each of former) {
    if (answer.kind === 'article' || answer.wasDeleted) break;
    answer = await askByKey(each, isAnothers, evidence);
  }
  return answer.kind === 'free' && own.kind === 'free'
    ? { ...answer, generation: own.generation }
    : answer;
}

/**
 * Asks the blog for an article by its key, and by the later generations of it while the one before is
 * deleted, or is another post's by now (decisions 49 and 51).
 */
async function askByKey(
  name: string,
  isAnothers: (id: number) => boolean,
  { client, retry, signal, request, articles }: Evidence,
): Promise<KeyAnswer> {
  let isDeleted = false;
  for (let generation = 1; ; generation += 1) {
    const key = request.folder.keyOf(name, generation);
    const found = await retry(() => client.articleByKey(key), signal);
    if (found.kind === 'never-seen') {
      return { kind: 'free', generation, wasDeleted: isDeleted };
    }
    isDeleted = found.kind === 'deleted';
    if (found.kind === 'deleted' || isAnothers(found.article.id)) continue;
    const article = remoteOf(found.article, request.exact);
    articles.set(article.id, article);
    return { kind: 'article', id: article.id, key };
  }
}

/**
 * What became of an article that no page shows: one that is there was left out of the listing. A
 * service that does not remember says of a deleted one that it was never there.
 */
async function askById(
  id: number,
  evidence: Evidence,
): Promise<'there' | 'deleted' | 'never seen'> {
  const { client, retry, signal, request, articles } = evidence;
  try {
    const { article } = await retry(() => client.article({ id }), signal);
    articles.set(id, remoteOf(article, request.exact));
    return 'there';
  } catch (error) {
    const code = error instanceof BlogctlError ? error.code : undefined;
    if (code === 'gone') return 'deleted';
    if (code === 'not-found') return 'never seen';
    throw error;
  }
}

/** Reads what git has of the paths that need it; answers whether there was more to read. */
export async function readVersions(matching: Matching, evidence: Evidence): Promise<boolean> {
  const { posts, articles, versions, history, goneInGit } = evidence;
  const { pairs, open, gone, unmanaged } = matching;
  if (history === undefined) return false;
  const unclear = posts.filter(({ name, digest }) => {
    const there = articles.get(pairs.get(name)?.id ?? 0)?.digest;
    return open.has(name) || (there !== undefined && there !== digest);
  });
  const removed = unmanaged.length > 0 ? goneInGit : [];
  const all = [...unclear.map(({ name }) => name), ...gone.map(({ name }) => name), ...removed];
  const wanted = all.filter((name) => !versions.has(name));
  if (wanted.length === 0) return false;
  const found = await fromGit(evidence, () => history.versionsOf(wanted));
  for (const [name, digests] of found ?? []) versions.set(name, digests);
  return found !== undefined;
}
