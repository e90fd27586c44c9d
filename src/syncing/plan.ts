import type { BlogClient } from '../client/blog-client.ts';
import { BlogctlError } from '../errors.ts';
import type { FindOwn } from '../importing/sending/own-articles.ts';
import type { RetryPolicy } from '../importing/sending/retry-policy.ts';
import type { Step } from './decide.ts';
import {
  askBlog,
  askGit,
  askWhereFrom,
  checkState,
  readVersions,
  type Evidence,
} from './evidence.ts';
import type { Folder } from './folder.ts';
import type { HistoryWanted } from './history.ts';
import type { Remote } from './listing.ts';
import { match, type Known, type Matching } from './match.ts';
import type { StateLine } from './state-file.ts';
import { stepsOf } from './steps.ts';

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
  readonly recreate: boolean;
  /** By the path as a plan shows it; under '' what holds for all others. */
  readonly adopted: ReadonlyMap<string, number | 'none'>;
  readonly concurrency: number;
  /** Every article of the blog, by id. */
  readonly articles: Map<number, Remote>;
};

export type PlanWorld = {
  readonly client: BlogClient;
  readonly findOwn: FindOwn;
  readonly retry: RetryPolicy;
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

/** Compares a folder with its blog; writes nothing on either side. */
export async function makePlan(request: PlanRequest, world: PlanWorld): Promise<Plan> {
  const { client, retry, signal } = world;
  const { findsByKey } = await retry(() => client.blog(), signal);
  const { hasState, history, articles } = request;
  const evidence: Evidence = {
    ...(await knownFrom(request, world)),
    ...world,
    request,
    articles,
    findsByKey,
    looksForGone: findsByKey || !hasState,
  };
  if (findsByKey) await checkState(evidence);
  let matching = match(evidence);
  if (history && isUnexplained(matching, evidence)) {
    await askGit(evidence);
    matching = match(evidence);
    if (await askWhereFrom(matching, evidence)) matching = match(evidence);
  }
  for (;;) {
    const asked = await askBlog(matching, evidence);
    const read = await readVersions(matching, evidence);
    signal.throwIfAborted();
    if (!asked && !read) break;
    matching = match(evidence);
  }
  return stepsOf(matching, evidence);
}

/** What is known before git or the blog is asked about single paths. */
async function knownFrom(request: PlanRequest, { findOwn }: PlanWorld) {
  const { folder, state } = request;
  const names = new Set(folder.posts.map(({ name }) => name));
  const others = [...state.keys()].filter((name) => !names.has(name));
  const isGone = (name: string) => folder.skipped.has(name) || !folder.isThere(name);
  const own = new Map<string, number>();
  for (const { name, article } of folder.posts) {
    const found = article === undefined ? undefined : await findOwn(article);
    if (found !== undefined && 'id' in found) own.set(name, found.id);
  }
  return {
    names,
    posts: folder.posts,
    state: new Map(state),
    gone: new Set(others.filter(isGone)),
    reserved: new Set(others.filter((name) => !isGone(name))),
    own,
    adopted: adoptedOf(request),
    keys: new Map(),
    versions: new Map(),
    namesOf: () => [],
    goneInGit: [],
  };
}

/** Something that equal texts and the state leave open. */
function isUnexplained(matching: Matching, { posts, articles }: Evidence): boolean {
  const { pairs, open, gone, unmanaged } = matching;
  if (open.size + gone.length + unmanaged.length > 0) return true;
  return posts.some(({ name, digest }) => {
    const { id = 0, line } = pairs.get(name) ?? {};
    const there = articles.get(id)?.digest;
    return there !== undefined && there !== digest && there !== line?.stored;
  });
}

function adoptedOf({ folder, adopted }: PlanRequest): Known['adopted'] {
  if (adopted.size === 0) return adopted;
  const paths = new Map(folder.posts.map(({ path, name }) => [path, name]));
  const unknown = [...adopted.keys()].find((path) => path !== '' && !paths.has(path));
  if (unknown !== undefined) {
    throw new BlogctlError('usage', `--adopt names "${unknown}", which is no post of the folder.`, {
      hint: 'Write the path as the plan shows it.',
    });
  }
  return new Map(
    [...paths].flatMap(([path, name]) => {
      const id = adopted.get(path) ?? adopted.get('');
      return id === undefined ? [] : [[name, id] as const];
    }),
  );
}
