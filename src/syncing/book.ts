import type { Post } from './folder.ts';
import type { Remote } from './listing.ts';
import type { StateLine } from './state-file.ts';

/** How the article of a path was found. */
export type FoundBy = 'state' | 'own' | 'key' | 'text' | 'git' | 'asked';

/** What the blog answered to the keys of a path. */
export type KeyAnswer =
  | { readonly kind: 'article'; readonly id: number; readonly key?: string }
  /** Nobody has used this generation of the key; an article of an earlier one may be deleted. */
  | { readonly kind: 'free'; readonly generation: number; readonly wasDeleted: boolean };

/** Of the texts that a file had, the latest first. */
export type Digests = Pick<ReadonlySet<string>, 'has' | 'keys' | 'size'>;

export type PostToMatch = Pick<Post, 'name' | 'title' | 'content' | 'digest'>;
export type ArticleToMatch = Pick<Remote, 'id' | 'title' | 'content' | 'digest'>;

/** What is known about both sides; values only. */
export type Known = {
  readonly posts: readonly PostToMatch[];
  readonly articles: ReadonlyMap<number, ArticleToMatch>;
  readonly state: ReadonlyMap<string, StateLine>;
  /** State lines of files that are there without being a post of this folder: theirs stay theirs. */
  readonly reserved: ReadonlySet<string>;
  /** State lines whose file is not there any more, or is not to be published any more. */
  readonly gone: ReadonlySet<string>;
  /** Articles that posts say they are. */
  readonly own: ReadonlyMap<string, number>;
  readonly keys: ReadonlyMap<string, KeyAnswer>;
  /** The blog can be asked by key. */
  readonly findsByKey?: boolean;
  /** `none`: of the articles that look alike, none is it. */
  readonly adopted: ReadonlyMap<string, number | 'none'>;
  /** From git. */
  readonly versions: ReadonlyMap<string, Digests>;
  readonly namesOf: (name: string) => readonly string[];
  /** Files that git remembers and the folder has no more. */
  readonly goneInGit: readonly string[];
};

export type Pair = {
  readonly by: FoundBy;
  /** Absent where the article was deleted on the blog. */
  readonly id?: number;
  /** What the state knows; of its former path where it was renamed. */
  readonly line?: StateLine;
};

export type Gone = { readonly name: string; readonly id: number; readonly line?: StateLine };

export type Matching = {
  readonly pairs: ReadonlyMap<string, Pair>;
  /** Paths that say they are an article that another path is. */
  readonly contested: ReadonlyMap<string, number>;
  /** Files that are gone here and have an article there. */
  readonly gone: readonly Gone[];
  /** Paths without an article, and the articles that look like theirs. */
  readonly open: ReadonlyMap<string, readonly number[]>;
  /** Articles that are nobody's here. */
  readonly unmanaged: readonly number[];
};

/** What was decided so far. */
export type Book = {
  readonly known: Known;
  readonly pairs: Map<string, Pair>;
  readonly contested: Map<string, number>;
  isFree(id: number): boolean;
  /** Posts that nothing was found for yet, in the order of their paths. */
  open(): readonly PostToMatch[];
  /** Articles that nothing was found for yet, by id. */
  free(): readonly ArticleToMatch[];
  pair(name: string, found: Pair): void;
};

export function openBook(known: Known): Book {
  const pairs = new Map<string, Pair>();
  const contested = new Map<string, number>();
  const taken = new Set([...known.reserved].map((name) => known.state.get(name)?.id));
  let open = known.posts;
  let free: readonly ArticleToMatch[] = [...known.articles.values()];
  return {
    known,
    pairs,
    contested,
    isFree: (id) => known.articles.has(id) && !taken.has(id),
    open: () => (open = open.filter(({ name }) => !pairs.has(name) && !contested.has(name))),
    free: () => (free = free.filter(({ id }) => !taken.has(id))),
    pair(name, found) {
      pairs.set(name, found);
      taken.add(found.id);
    },
  };
}

/** Of files that are gone, and that no other file has become. */
export function unusedLines({
  known: { gone, state },
  pairs,
}: Book): (readonly [string, StateLine])[] {
  if (gone.size === 0) return [];
  const used = new Set([...pairs.values()].map(({ line }) => line?.path));
  return [...gone].flatMap((name) => {
    const line = used.has(name) ? undefined : state.get(name);
    return line === undefined ? [] : [[name, line] as const];
  });
}

/** Hands out things by digest, each once, in their order. */
export function createQueues<T>(things: readonly T[], keyOf: (thing: T) => string) {
  const queues = grouped(things, keyOf);
  return {
    take(digests: Iterable<string>): T | undefined {
      for (const digest of digests) {
        const found = queues.get(digest)?.shift();
        if (found !== undefined) return found;
      }
      return undefined;
    },
  };
}

export function grouped<T>(things: readonly T[], keyOf: (thing: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const thing of things) {
    const group = groups.get(keyOf(thing));
    if (group === undefined) groups.set(keyOf(thing), [thing]);
    else group.push(thing);
  }
  return groups;
}
