import type { Post } from './folder.ts';
import type { Remote } from './listing.ts';
import type { StateLine } from './state-file.ts';

/** How the article of a path was found. */
export type FoundBy = 'state' | 'own' | 'key' | 'text' | 'git' | 'asked';

/** What the blog answered to the keys of a path. */
export type KeyAnswer =
  | { readonly kind: 'article'; readonly id: number }
  /** Nobody has used this generation of the key; an article of an earlier one may be deleted. */
  | { readonly kind: 'free'; readonly generation: number; readonly wasDeleted: boolean };

/** What is known about both sides; values only. */
export type Known = {
  readonly posts: readonly Pick<Post, 'name' | 'title' | 'content' | 'digest'>[];
  readonly articles: ReadonlyMap<number, Pick<Remote, 'id' | 'title' | 'content' | 'digest'>>;
  readonly state: ReadonlyMap<string, StateLine>;
  /** State lines of files that are there without being a post of this folder: theirs stay theirs. */
  readonly reserved: ReadonlySet<string>;
  /** State lines whose file is not there any more, or is not to be published any more. */
  readonly gone: ReadonlySet<string>;
  /** Articles that posts say they are. */
  readonly own: ReadonlyMap<string, number>;
  readonly keys: ReadonlyMap<string, KeyAnswer>;
  /** `none`: of the articles that look alike, none is it. */
  readonly adopted: ReadonlyMap<string, number | 'none'>;
  /** Digests of the texts that a file had, from git. */
  readonly versions: ReadonlyMap<string, ReadonlySet<string>>;
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

export type Matching = {
  readonly pairs: ReadonlyMap<string, Pair>;
  /** Paths that say they are an article that another path is. */
  readonly contested: ReadonlyMap<string, number>;
  /** Files that are gone here and have an article there. */
  readonly gone: ReadonlyMap<string, { readonly id: number; readonly line?: StateLine }>;
  /** Paths without an article, and the articles that look like theirs. */
  readonly open: ReadonlyMap<string, readonly number[]>;
  /** Articles that are nobody's here. */
  readonly unmanaged: readonly number[];
};

/** What was decided so far. */
type Book = {
  readonly known: Known;
  readonly pairs: Map<string, Pair>;
  readonly contested: Map<string, number>;
  isFree(id: number): boolean;
  /** Posts that nothing was found for yet, in the order of their paths. */
  open(): Known['posts'];
  pair(name: string, found: Pair): void;
};

/**
 * Which article a path is: the state's, the one it names, that of its key, one of equal text, one
 * whose text it had before. What answers first holds. Equal texts are counted, not merged, in the
 * order of paths and ids, so that twins stay apart.
 */
export function match(known: Known): Matching {
  const book = openBook(known);
  const steps = [
    byState,
    byFormerName,
    byFormerText,
    byWord,
    byAddress,
    byKey,
    byText,
    byOlderText,
  ];
  for (const step of steps) step(book);
  byDeletedKey(book);
  const gone = goneOf(book);
  const managed = new Set([...gone.values()].map(({ id }) => id));
  const unclaimed = [...known.articles.values()].filter(({ id }) => book.isFree(id));
  return {
    pairs: book.pairs,
    contested: book.contested,
    gone,
    open: new Map(book.open().map((post) => [post.name, lookAlikes(post, unclaimed, known)])),
    unmanaged: unclaimed.map(({ id }) => id).filter((id) => !managed.has(id)),
  };
}

function openBook(known: Known): Book {
  const pairs = new Map<string, Pair>();
  const contested = new Map<string, number>();
  const taken = new Set([...known.reserved].map((name) => known.state.get(name)?.id));
  return {
    known,
    pairs,
    contested,
    isFree: (id) => known.articles.has(id) && !taken.has(id),
    open: () => known.posts.filter(({ name }) => !pairs.has(name) && !contested.has(name)),
    pair(name, found) {
      pairs.set(name, found);
      taken.add(found.id);
    },
  };
}

function byState(book: Book): void {
  for (const { name } of book.open()) {
    const line = book.known.state.get(name);
    if (line !== undefined) pairLine(book, name, line);
  }
}

function byFormerName(book: Book): void {
  const { state, gone, namesOf } = book.known;
  const left = new Set(gone);
  for (const { name } of book.open()) {
    const former = namesOf(name).find((each) => left.delete(each));
    const line = former === undefined ? undefined : state.get(former);
    if (line !== undefined) pairLine(book, name, line);
  }
}

/** A new path with the text of a file that is gone is that file. */
function byFormerText(book: Book): void {
  const { state, gone } = book.known;
  const used = new Set([...book.pairs.values()].map(({ line }) => line?.path));
  const lines = [...gone].flatMap((name) => (used.has(name) ? [] : (state.get(name) ?? [])));
  const sent = queuesOf(lines, ({ sent: digest }) => digest);
  for (const { name, digest } of book.open()) {
    const line = sent.get(digest)?.shift();
    if (line !== undefined) pairLine(book, name, line);
  }
}

function byWord(book: Book): void {
  for (const [name, id] of book.known.adopted) {
    if (id !== 'none' && book.isFree(id)) book.pair(name, { by: 'asked', id });
  }
}

/** Of several that say they are one article, the one with its text is it, else the first. */
function byAddress(book: Book): void {
  const { own, articles } = book.known;
  const named = book.open().flatMap((post) => {
    const article = articles.get(own.get(post.name) ?? 0);
    return article === undefined ? [] : [{ post, article }];
  });
  const isEqual = ({ post, article }: (typeof named)[number]) => post.digest === article.digest;
  for (const one of [...named.filter(isEqual), ...named.filter((each) => !isEqual(each))]) {
    const { id } = one.article;
    if (book.isFree(id)) book.pair(one.post.name, { by: 'own', id });
    else book.contested.set(one.post.name, id);
  }
}

function byKey(book: Book): void {
  for (const { name } of book.open()) {
    const answer = book.known.keys.get(name);
    if (answer?.kind !== 'article' || !book.isFree(answer.id)) continue;
    if (!movedAway(name, answer.id, book)) book.pair(name, { by: 'key', id: answer.id });
  }
}

/** The file that had this path when the article was made has another path now, as git says. */
function movedAway(name: string, id: number, book: Book): boolean {
  const { known } = book;
  const digest = known.articles.get(id)?.digest ?? '';
  if (known.versions.get(name)?.has(digest) !== false) return false;
  return book
    .open()
    .some((other) => other.digest === digest && known.namesOf(other.name).includes(name));
}

function byText(book: Book): void {
  const articles = queuesOf(freeOf(book), ({ digest }) => digest);
  for (const { name, digest } of book.open()) {
    const found = articles.get(digest)?.shift();
    if (found !== undefined) book.pair(name, { by: 'text', id: found.id });
  }
}

function byOlderText(book: Book): void {
  const articles = queuesOf(freeOf(book), ({ digest }) => digest);
  for (const { name } of book.open()) {
    for (const digest of book.known.versions.get(name) ?? []) {
      const found = articles.get(digest)?.shift();
      if (found === undefined) continue;
      book.pair(name, { by: 'git', id: found.id });
      break;
    }
  }
}

/** Created once under the key of this path, and deleted on the blog since. */
function byDeletedKey(book: Book): void {
  for (const { name } of book.open()) {
    const answer = book.known.keys.get(name);
    if (answer?.kind === 'free' && answer.wasDeleted) book.pair(name, { by: 'key' });
  }
}

function goneOf(book: Book): Matching['gone'] {
  const { state, gone, goneInGit, versions, keys } = book.known;
  const found = new Map<string, { id: number; line?: StateLine }>();
  const used = new Set([...book.pairs.values()].map(({ line }) => line?.path));
  for (const name of gone) {
    const line = state.get(name);
    if (line === undefined || used.has(name) || !book.isFree(line.id)) continue;
    found.set(name, { id: line.id, line });
  }
  const taken = new Set([...found.values()].map(({ id }) => id));
  const left = freeOf(book).filter(({ id }) => !taken.has(id));
  const articles = queuesOf(left, ({ digest }) => digest);
  for (const name of goneInGit) {
    const answer = keys.get(name);
    if (found.has(name) || (answer?.kind === 'free' && answer.wasDeleted)) continue;
    if (answer?.kind === 'article') {
      // That of its key, unless another path has become it.
      if (book.isFree(answer.id) && !taken.has(answer.id)) found.set(name, { id: answer.id });
      continue;
    }
    for (const digest of versions.get(name) ?? []) {
      const article = articles.get(digest)?.shift();
      if (article === undefined) continue;
      found.set(name, { id: article.id });
      break;
    }
  }
  return found;
}

function lookAlikes(
  { name, title, content }: Known['posts'][number],
  unclaimed: readonly Pick<Remote, 'id' | 'title' | 'content'>[],
  { adopted }: Known,
): readonly number[] {
  if (adopted.get(name) === 'none') return [];
  return unclaimed
    .filter((article) => article.title === title || article.content === content)
    .map(({ id }) => id);
}

/** Where the article of a line was deleted, it may have been created again under a later key. */
function pairLine(book: Book, name: string, line: StateLine): void {
  const { id } = line;
  const answer = book.known.keys.get(name);
  if (book.isFree(id)) book.pair(name, { by: 'state', line, id });
  else if (answer?.kind !== 'article' || !book.isFree(answer.id))
    book.pair(name, { by: 'state', line });
  else book.pair(name, { by: 'key', id: answer.id });
}

function freeOf(book: Book): Pick<Remote, 'id' | 'digest'>[] {
  return [...book.known.articles.values()].filter(({ id }) => book.isFree(id));
}

function queuesOf<T>(things: readonly T[], keyOf: (thing: T) => string): Map<string, T[]> {
  const queues = new Map<string, T[]>();
  for (const thing of things) {
    const queue = queues.get(keyOf(thing));
    if (queue === undefined) queues.set(keyOf(thing), [thing]);
    else queue.push(thing);
  }
  return queues;
}
