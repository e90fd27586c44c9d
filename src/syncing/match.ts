import type { Post } from './folder.ts';
import { goneOf, unusedLines } from './gone.ts';
import type { Remote } from './listing.ts';
import { createQueues, grouped } from './queues.ts';
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

type PostToMatch = Pick<Post, 'name' | 'title' | 'content' | 'digest'>;
type ArticleToMatch = Pick<Remote, 'id' | 'title' | 'content' | 'digest'>;

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

/**
 * Which article a path is: the state's, the one it names, that of its key, one of equal text, one
 * whose text it had before. What answers first holds. Equal texts are counted, not merged, in the
 * order of paths and ids, so that twins stay apart.
 */
export function match(known: Known): Matching {
  const book = openBook(known);
  const { keys, adopted } = known;
  byState(book);
  byFormerName(book);
  byFormerText(book);
  for (const [name, id] of adopted) {
    if (id !== 'none' && book.isFree(id)) book.pair(name, { by: 'asked', id });
  }
  byAddress(book);
  byKey(book);
  const isAmbiguous = ambiguity(book);
  byText(book, 'text', (post) => (isAmbiguous(post) ? [] : [post.digest]));
  byText(book, 'git', ({ name }) => known.versions.get(name)?.keys() ?? []);
  for (const { name } of book.open()) {
    // Created once under the key of this path, and deleted on the blog since.
    const answer = keys.get(name);
    if (answer?.kind === 'free' && answer.wasDeleted) book.pair(name, { by: 'key' });
  }
  const gone = goneOf(book);
  const unclaimed = book.free();
  const managed = new Set(gone.map(({ id }) => id));
  return {
    pairs: book.pairs,
    contested: book.contested,
    gone,
    open: lookAlikes(book.open(), unclaimed, adopted),
    unmanaged: unclaimed.map(({ id }) => id).filter((id) => !managed.has(id)),
  };
}

function openBook(known: Known): Book {
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

function byState(book: Book): void {
  for (const { name } of book.open()) pairLine(book, name, book.known.state.get(name));
}

function byFormerName(book: Book): void {
  const { state, gone, namesOf } = book.known;
  const left = new Set(gone);
  for (const { name } of book.open()) {
    const former = namesOf(name).find((each) => left.delete(each));
    pairLine(book, name, state.get(former ?? ''));
  }
}

/** A new path with the text of a file that is gone is that file, unless its key says that it is not. */
function byFormerText(book: Book): void {
  const lines = unusedLines(book).map(([, line]) => line);
  const sent = createQueues(lines, ({ sent: digest }) => digest);
  const isAmbiguous = ambiguity(book);
  for (const post of book.open()) {
    const answer = book.known.keys.get(post.name);
    const own = answer?.kind === 'article' && book.isFree(answer.id) ? answer.id : undefined;
    if (own !== undefined)
      pairLine(
        book,
        post.name,
        lines.find(({ id }) => id === own),
      );
    else if (!isAmbiguous(post)) pairLine(book, post.name, sent.take([post.digest]));
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

/** Of twins their keys tell which is which; until they were asked nothing else does. */
function ambiguity(book: Book): (post: PostToMatch) => boolean {
  const { keys, findsByKey } = book.known;
  if (findsByKey !== true) return () => false;
  const posts = grouped(book.open(), ({ digest }) => digest);
  const articles = grouped(book.free(), ({ digest }) => digest);
  return ({ name, digest }) => {
    const alike = Math.max(posts.get(digest)?.length ?? 0, articles.get(digest)?.length ?? 0);
    return alike > 1 && articles.has(digest) && !keys.has(name);
  };
}

function byText(
  book: Book,
  by: 'text' | 'git',
  digestsOf: (post: PostToMatch) => Iterable<string>,
): void {
  const articles = createQueues(book.free(), ({ digest }) => digest);
  for (const post of book.open()) {
    const found = articles.take(digestsOf(post));
    if (found !== undefined) book.pair(post.name, { by, id: found.id });
  }
}

/** Open posts, each with the articles of its title or its content, by id. */
function lookAlikes(
  posts: readonly PostToMatch[],
  unclaimed: readonly ArticleToMatch[],
  adopted: Known['adopted'],
): Matching['open'] {
  const titles = grouped(unclaimed, ({ title }) => title);
  const contents = grouped(unclaimed, ({ content }) => content);
  return new Map(
    posts.map(({ name, title, content }) => {
      const alike = [...(titles.get(title) ?? []), ...(contents.get(content) ?? [])];
      const ids = new Set(adopted.get(name) === 'none' ? [] : alike.map(({ id }) => id));
      return [name, [...ids].toSorted((one, other) => one - other)];
    }),
  );
}

/** Where the article of a line was deleted, it may have been created again under a later key. */
function pairLine(book: Book, name: string, line: StateLine | undefined): void {
  if (line === undefined) return;
  const { id } = line;
  const answer = book.known.keys.get(name);
  if (book.isFree(id)) book.pair(name, { by: 'state', line, id });
  else if (answer?.kind !== 'article' || !book.isFree(answer.id))
    book.pair(name, { by: 'state', line });
  else book.pair(name, { by: 'key', id: answer.id });
}
