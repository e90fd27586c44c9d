import {
  createQueues,
  grouped,
  openBook,
  unusedLines,
  type ArticleToMatch,
  type Book,
  type Gone,
  type Known,
  type Matching,
  type PostToMatch,
} from './book.ts';
import type { StateLine } from './state-file.ts';

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

/**
 * Of twins their keys tell which is which; until they were asked nothing else does, however many of
 * them are settled: else what one run leaves open the next would take for another.
 */
function ambiguity(book: Book): (post: PostToMatch) => boolean {
  const { keys, findsByKey, posts, articles } = book.known;
  if (findsByKey !== true || book.open().length === 0) return () => false;
  const byDigest = ({ digest }: { readonly digest: string }) => digest;
  const [here, there] = [grouped(posts, byDigest), grouped([...articles.values()], byDigest)];
  const free = new Set(book.free().map(byDigest));
  return ({ name, digest }) => {
    const alike = Math.max(here.get(digest)?.length ?? 0, there.get(digest)?.length ?? 0);
    return alike > 1 && free.has(digest) && !keys.has(name);
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

/** Files that are gone here and have an article there: as the state says, as their keys or git say. */
function goneOf(book: Book): readonly Gone[] {
  const { goneInGit, versions, keys } = book.known;
  const lines = unusedLines(book).filter(([, { id }]) => book.isFree(id));
  const found: Gone[] = lines.map(([name, line]) => ({ name, id: line.id, line }));
  const named = new Set(found.map(({ name }) => name));
  const taken = new Set(found.map(({ id }) => id));
  const left = book.free().filter(({ id }) => !taken.has(id));
  const articles = createQueues(left, ({ digest }) => digest);
  for (const name of goneInGit) {
    const answer = keys.get(name);
    // Where articles have keys, only its key says that a file that is gone had one.
    if (answer?.kind === 'free' || (answer === undefined && named.has(name))) continue;
    const id = answer?.id ?? articles.take(versions.get(name)?.keys() ?? [])?.id;
    // That of its key, unless another path has become it. It may have one more than the state knows.
    if (id === undefined || !book.isFree(id) || taken.has(id)) continue;
    found.push({ name, id });
    taken.add(id);
  }
  return found;
}
