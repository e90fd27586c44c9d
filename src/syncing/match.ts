import { everSaid, firstOf, grouped, lookAlikes, mayBeOf } from './same-text.ts';
import type { Post } from './folder.ts';
import { articlesOf, type KeyAnswer, type Remote } from './listing.ts';
import type { StateLine } from './state-file.ts';

/** How the article of a path was found. */
export type FoundBy = 'state' | 'own' | 'key' | 'text' | 'git' | 'asked';

type PostToMatch = Pick<Post, 'name' | 'title' | 'content' | 'digest'>;
type ArticleToMatch = Pick<Remote, 'id' | 'title' | 'content' | 'digest'>;
type DigestsOf = (post: PostToMatch) => Iterable<string>;

/** What is known about both sides; values only. */
export type Known = {
  readonly posts: readonly PostToMatch[];
  readonly articles: ReadonlyMap<number, ArticleToMatch>;
  readonly state: ReadonlyMap<string, StateLine>;
  /** By path, the line of the file that is there now, where git says that it is another one's. */
  readonly moved?: ReadonlyMap<string, StateLine | undefined> | undefined;
  /** Lines of what left a path that another post has by now, and is not public any more. */
  readonly aside?: readonly StateLine[];
  /** State lines of files that are there without being a post of this folder: theirs stay theirs. */
  readonly reserved: ReadonlySet<string>;
  /** State lines whose file is not there any more, or is not to be published any more. */
  readonly gone: ReadonlySet<string>;
  readonly own: ReadonlyMap<string, number>;
  /** Ids that posts name at an address of another blog, which may be this one under another name. */
  readonly elsewhere?: ReadonlyMap<string, number>;
  readonly keys: ReadonlyMap<string, KeyAnswer>;
  readonly findsByKey?: boolean;
  /** `none`: of the articles that look alike, none is it. */
  readonly adopted: ReadonlyMap<string, number | 'none'>;
  /** From git: digests of the texts that a file had, the latest first. */
  readonly versions: ReadonlyMap<string, readonly string[]>;
  readonly namesOf: (name: string) => readonly string[];
  readonly cameFrom: (name: string) => readonly string[];
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

/** A person named its article, and nothing else says so. */
export const isByName = ({ by, line }: Pair) => by === 'asked' || line?.named === true;
/** The article that is a path's by its key alone: no sync has seen a text of the file there since. */
const idByKey = (pair?: Pair) =>
  pair?.by === 'key' || (pair?.line?.stored === '' && !isByName(pair)) ? pair.id : undefined;

export type Gone = { readonly name: string; readonly id: number; readonly line?: StateLine };

export type Matching = {
  readonly pairs: ReadonlyMap<string, Pair>;
  /** Paths that say they are an article that another path is. */
  readonly contested: ReadonlyMap<string, number>;
  /** Files that are gone here and have an article there. */
  readonly gone: readonly Gone[];
  /** Paths without an article, and the articles that look like theirs. */
  readonly open: ReadonlyMap<string, readonly number[]>;
  /** Paths whose article was deleted on the blog, and the articles that look like theirs. */
  readonly deleted: ReadonlyMap<string, readonly number[]>;
  /** Articles that are nobody's here. */
  readonly unmanaged: readonly number[];
};

/**
 * Which article a path is: the state's, the one it names, that of its key, one of equal text, one
 * whose text it had before. What answers first holds. Equal texts are counted, not merged, in the
 * order of paths and ids, so that twins stay apart.
 */
export function match(known: Known): Matching {
  const { state, own, keys, adopted, versions, namesOf, cameFrom, articles } = known;
  const pairs = new Map<string, Pair>();
  const hadIt = (name: string, id: number) => everSaid(name, id, known);
  const givenTo = new Map([...adopted].map(([name, id]) => [id, name]));
  const contested = new Map<string, number>();
  const taken = new Set([...known.reserved].map((name) => state.get(name)?.id));
  const isFree = (id: number) => articles.has(id) && !taken.has(id);
  /** The article of its key, where no other path has it. */
  const byKey = (name: string) => [keys.get(name)?.id ?? 0].find(isFree);
  let { posts } = known;
  let left: readonly ArticleToMatch[] = [...articles.values()];
  /** Articles that nothing was found for yet, by id. */
  const free = () => (left = left.filter(({ id }) => !taken.has(id)));
  /** Posts that nothing was found for yet, in the order of their paths. */
  const open = () => (posts = posts.filter(({ name }) => !pairs.has(name) && !contested.has(name)));
  const isMissing = ({ name }: PostToMatch) => pairs.has(name) && !pairs.get(name)?.id;
  const deletedThere = () => known.posts.filter(isMissing);
  takeLines(({ name }) => (known.moved?.has(name) ? known.moved : state).get(name));
  const unused = new Set(known.gone);
  takeLines(({ name }) => state.get(namesOf(name).find((each) => unused.delete(each)) ?? ''));
  takeFormerTexts();
  for (const [name, id] of adopted) {
    if (id === 'none' || !isFree(id)) continue;
    const line = unusedLines().find((each) => each.id === id && each.stored !== '');
    pair(name, line ? { by: 'state', id, line } : { by: 'asked', id });
  }
  takeAddresses();
  takeKeys((_ids, said, itsOwn) => said.includes(itsOwn) && itsOwn);
  takeKeys((_ids, said) => said[0]);
  takeKeys((ids) => ids.length === 1 && ids[0]);
  takeKeys((ids) => ids[0]);
  const asItIs = unlessTwin();
  takeTexts('text', asItIs);
  takeTexts('git', ({ name }) => versions.get(name) ?? []);
  // What was deleted on the blog stands there again where an undo, or somebody, made it anew.
  const missing = deletedThere().filter(({ name }) => pairs.get(name)?.by === 'state');
  takeTexts('text', asItIs, missing);
  // Created once under the key of this path, and deleted on the blog since.
  for (const { name } of open()) if (keys.get(name)?.wasDeleted === true) pair(name, { by: 'key' });
  const gone = goneFiles();
  // Where git tells nothing, the file that an article was made of may have another path since.
  const theirs = [...pairs].flatMap(([name, each]) => {
    const there = articles.get(idByKey(each) ?? 0);
    return there && !versions.has(name) && !own.has(name) ? { ...there, name } : [];
  });
  const untold = [grouped(theirs, 'digest'), grouped(theirs, 'title')];
  const similar = lookAlikes(open(), free(), mayBe);
  const deleted = lookAlikes(deletedThere(), free(), mayBe);
  for (const { id } of gone) taken.add(id);
  return { pairs, contested, gone, open: similar, deleted, unmanaged: free().map(({ id }) => id) };

  function pair(name: string, found: Pair): void {
    pairs.set(name, found);
    taken.add(found.id);
  }

  function isGivenAway(name: string, line: StateLine): boolean {
    const to = givenTo.get(line.id);
    if (to === undefined || to === name || hadIt(name, line.id)) return false;
    const isLoose = idByKey({ by: 'state', id: line.id, line }) !== undefined && !state.has(to);
    return cameFrom(to).includes(name) || (isLoose && mayBeOf(to, line.id, known));
  }

  /** Where the article of a line was deleted, it may have been created again under a later key. */
  function takeLines(lineOf: (post: PostToMatch) => StateLine | undefined): void {
    for (const post of open()) {
      const line = lineOf(post);
      if (line === undefined || isGivenAway(post.name, line)) continue;
      const again = isFree(line.id) ? undefined : byKey(post.name);
      if (again !== undefined) pair(post.name, { by: 'key', id: again });
      else pair(post.name, { by: 'state', line, ...(isFree(line.id) && { id: line.id }) });
    }
  }

  /** A new path with the text of a file that is gone is that file, unless its key says that it is not. */
  function takeFormerTexts(): void {
    const lines = unusedLines();
    const sent = grouped(lines, 'sent');
    const digestsOf = unlessTwin();
    takeLines((post) => {
      const id = byKey(post.name);
      return id === undefined
        ? firstOf(sent, digestsOf(post))
        : lines.find((line) => line.id === id);
    });
  }

  /** Of several that say they are one article, the one with its text is it, else the first. */
  function takeAddresses(): void {
    const isEqual = ({ name, digest }: PostToMatch) =>
      articles.get(own.get(name) ?? 0)?.digest === digest;
    for (const post of [...open().filter(isEqual), ...open().filter((each) => !isEqual(each))]) {
      const id = own.get(post.name) ?? 0;
      if (isFree(id)) pair(post.name, { by: 'own', id });
      else if (articles.has(id)) contested.set(post.name, id);
    }
  }

  /** Where files came to the paths of others, what one of them said tells, then what can be no other's. */
  function takeKeys(idOf: (ids: number[], said: number[], itsOwn: number) => unknown): void {
    for (const post of open()) {
      const ids = articlesOf(keys.get(post.name)).filter(isFree);
      const all = [...ids, ...namesOf(post.name).flatMap((each) => byKey(each) ?? [])];
      const said = all.filter((id) => everSaid(post.name, id, { ...known, posts: [post] }));
      const id = idOf(ids, said, keys.get(post.name)?.id ?? 0);
      if (typeof id === 'number') pair(post.name, { by: 'key', id });
    }
  }

  /**
   * Of twins their keys tell which is which; until they were asked nothing else does, however many of
   * them are settled: else what one run leaves open the next would take for another.
   */
  function unlessTwin(): DigestsOf {
    if (known.findsByKey !== true || open().length === 0) return ({ digest }) => [digest];
    const here = grouped(known.posts, 'digest');
    const there = grouped([...articles.values()], 'digest');
    const unclaimed = new Set(free().map(({ digest }) => digest));
    return ({ name, digest }) => {
      const alike = Math.max(here.get(digest)?.length ?? 0, there.get(digest)?.length ?? 0);
      return alike > 1 && unclaimed.has(digest) && !keys.has(name) ? [] : [digest];
    };
  }

  function takeTexts(by: FoundBy, digestsOf: DigestsOf, from = open()): void {
    const unclaimed = grouped(free(), 'digest');
    for (const post of from) {
      const found = firstOf(unclaimed, digestsOf(post));
      if (found !== undefined) pair(post.name, { by, id: found.id });
    }
  }

  /** Articles that a post may be, whatever they say: of the id that it names, and of a path that it had. */
  function mayBe({ name, digest, title }: PostToMatch): readonly number[] | undefined {
    if (adopted.get(name) === 'none') return undefined;
    const named = articles.get(known.elsewhere?.get(name) ?? 0);
    const former = cameFrom(name).flatMap((each) => {
      const found = pairs.get(each);
      const isSure = found === undefined || found.by === 'own' || isByName(found);
      return isSure || !versions.has(each) || hadIt(each, found.id ?? 0) ? [] : (found.id ?? []);
    });
    const alike = [digest, title].flatMap((text, at) => untold[at]?.get(text) ?? []);
    const others = alike.filter((each) => !hadIt(each.name, each.id));
    former.push(...[keys.get(name)?.edited ?? 0].filter(isFree), ...others.map(({ id }) => id));
    // Where another path has it, equal text says that this is a second file of it.
    return named && (isFree(named.id) || named.digest === digest) ? [...former, named.id] : former;
  }

  /** Lines of files that are gone, and that no other file has become. */
  function unusedLines(): readonly StateLine[] {
    const used = new Set([...pairs.values()].map(({ line }) => line?.path));
    const all = [...[...known.gone].map((name) => state.get(name)), ...(known.aside ?? [])];
    return all.flatMap((line) => (line && !used.has(line.path) ? line : []));
  }

  /** Files that are gone here and have an article there: as the state says, as their keys or git say. */
  function goneFiles(): readonly Gone[] {
    const lines = unusedLines().filter(({ id }) => isFree(id));
    const named = new Set(lines.map(({ path }) => path));
    const found = new Map<number, Gone>();
    for (const line of lines) found.set(line.id, { name: line.path, id: line.id, line });
    const others = free().filter(({ id }) => !found.has(id));
    const unclaimed = grouped(others, 'digest');
    for (const name of known.goneInGit) {
      const answer = keys.get(name);
      // Where articles have keys, only its key says that a file that is gone had one.
      if (answer === undefined ? named.has(name) : answer.id === undefined) continue;
      const id = answer?.id ?? firstOf(unclaimed, versions.get(name) ?? [])?.id;
      // That of its key, unless another path has become it. It may have one more than the state knows.
      if (id !== undefined && isFree(id) && !found.has(id)) found.set(id, { name, id });
    }
    return [...found.values()];
  }
}
