import { forAll } from '../importing/sending/pace.ts';
import { askImports, type Evidence } from './evidence.ts';
import { GitFailed } from './git.ts';
import { readHistory } from './history.ts';
import { askById, askByKey, type KeyAnswer, type Remote } from './listing.ts';
import { isByName, type Gone, type Matching } from './match.ts';
import { everSaid } from './same-text.ts';
import type { StateLine } from './state-file.ts';

/**
 * A store that was made anew gives the same ids to other articles. Where none of the articles that
 * the state knows has its text, one of them is asked for by its key.
 */
export async function checkState(evidence: Evidence): Promise<void> {
  const { state, articles, client, retry, signal } = evidence;
  const listed = [...state.values()].filter(({ id }) => articles.has(id));
  const first = listed.find(({ answered }) => answered !== '');
  if (first === undefined || listed.some((line) => isAsLeft(line, articles))) return;
  const found = await retry(() => client.articleByKey(first.answered), signal);
  if (found.kind === 'article' && found.article.id === first.id) return;
  evidence.warned('The state of an earlier sync does not fit this blog: it is found out again.');
  state.clear();
}

/** Whether an article is as a state says that it was left. */
function isAsLeft(
  { id, stored, pulled }: Pick<StateLine, 'id' | 'stored' | 'pulled'>,
  articles: ReadonlyMap<number, Remote>,
): boolean {
  const there = articles.get(id)?.digest;
  return there === stored || there === pulled;
}

const none = () => [];

/** Answers whether git told it. Without git what only it could tell is left open, and that is said. */
async function fromGit(evidence: Evidence, isNeeded: boolean, ask: () => Promise<void>) {
  try {
    await ask();
    return true;
  } catch (error) {
    if (!(error instanceof GitFailed)) throw error;
    const told = `Git cannot say what the files were: ${error.message}. What only their history could tell is unverified: apply leaves it, but for an answer to its question or a plan that was kept; a post that was renamed and edited counts as new.`;
    if (isNeeded) evidence.warned(told);
    Object.assign(evidence, {
      history: false,
      git: undefined,
      namesOf: none,
      cameFrom: none,
      goneInGit: [],
    });
    return false;
  }
}

/** Asks what equal texts and the state leave open; answers whether there was something, and git told. */
export async function askGit(matching: Matching, evidence: Evidence): Promise<boolean> {
  const { folder, history, names, reading, looksForGone, keys } = evidence;
  const isNeeded = isUnexplained(matching, evidence);
  // A post that its key does not know may have had another path when it was created.
  const unseen = [...keys].flatMap(([name, { id }]) => (id === undefined ? name : []));
  if (!history || (!isNeeded && unseen.length === 0)) return false;
  return fromGit(evidence, isNeeded, async () => {
    const { leftOut } = await evidence.listed();
    const present = (name: string) => names.has(name) || leftOut.has(name);
    const unread = new Set(folder.rejected.map(({ path }) => folder.nameOf(path)));
    const aside = (name: string) => !present(name) && !unread.has(name) && folder.isThere(name);
    const open = [...matching.open.keys(), ...sampleOf(matching, evidence), ...unseen];
    const git = await readHistory(folder.path, { present, aside, reading, open });
    evidence.git = git;
    Object.assign(evidence, { namesOf: git.namesOf, cameFrom: git.cameFrom });
    for (const name of keys.keys()) if (git.cameFrom(name).length > 0) keys.delete(name);
    if (!looksForGone) return;
    const gone = git.gone.filter((name) => folder.shown(name) !== undefined);
    evidence.goneInGit = [...new Set([...gone, ...folder.skipped.keys()])];
  });
}

function isUnexplained(matching: Matching, { posts, articles, state }: Evidence): boolean {
  const { pairs, open, gone, unmanaged } = matching;
  if (open.size + gone.length + unmanaged.length > 0) return true;
  const others = posts.filter(({ name, digest }) => {
    const there = articles.get(pairs.get(name)?.id ?? 0)?.digest;
    return there !== undefined && there !== digest;
  });
  // The text of another post may have come with its file.
  const sent = others.length > 0 ? [...state.values()].map((line) => line.sent) : [];
  const there = others.length > 0 ? [...articles.values()].map(({ digest }) => digest) : [];
  const texts = new Set([...sent, ...there]);
  return others.some(({ name, digest }) => {
    const { id = 0, line } = pairs.get(name) ?? {};
    return texts.has(digest) || articles.get(id)?.digest !== line?.stored;
  });
}

/**
 * Asks the blog for the paths that are open, and for those that only git says had an article; answers
 * whether that told anything.
 */
export async function askBlog(matching: Matching, evidence: Evidence): Promise<boolean> {
  const { pairs, open, gone, unmanaged } = matching;
  const { prune, posts, keys, own, names, namesOf, findsByKey, versions, goneInGit } = evidence;
  if (findsByKey && (await dropLines(matching, evidence))) return true;
  const mayHaveOne = posts.filter(({ name }) => {
    const isDeletedThere = pairs.has(name) && pairs.get(name)?.id === undefined;
    const isOpen = open.has(name) || pairs.get(name)?.by === 'asked';
    return isDeletedThere || (isOpen && (findsByKey || own.has(name)));
  });
  // What would be deleted may not be all that the key of its path was used for.
  const isAsked = ({ line }: Gone) => findsByKey && (line === undefined || prune);
  const removed = new Set(gone.filter(isAsked).map(({ name }) => name));
  // Without a state, what was public once may have an article that was edited and is nobody's so far.
  const mayBeLost = findsByKey && !evidence.hasState && unmanaged.length > 0;
  const lost = goneInGit.filter((name) => mayBeLost && versions.get(name)?.length);
  for (const name of lost.length > mostLost ? [] : lost) removed.add(name);
  const all = [...mayHaveOne.map(({ name }) => name), ...removed, ...sampleOf(matching, evidence)];
  const unasked = all.flatMap((name) => {
    const others = keys.has(name) ? othersOf(name, matching, evidence) : [];
    return others === undefined ? [] : [[name, others] as const];
  });
  if (unasked.length === 0) return askImports(matching, evidence);
  const byState = new Set([...pairs.values()].map(({ by, id }) => (by === 'state' ? id : 0)));
  const taken = new Set([...pairs.values()].map(({ id }) => id));
  const left = new Set([...names].flatMap(namesOf));
  const ask = async ([name, others]: (typeof unasked)[number]) => {
    const isAnothers = (id: number) =>
      others.includes(id) || (!removed.has(name) && byState.has(id));
    const isTaken = (id: number) => taken.has(id) && pairs.get(name)?.id !== id;
    const found = findsByKey ? await askByNames(name, { isAnothers, isTaken, left }, evidence) : {};
    const answer = { ...found, others };
    const line = pairs.get(name)?.line;
    const id = own.get(name) ?? line?.id;
    const isUnknown = answer.id === undefined && !answer.wasDeleted && id !== undefined;
    const byId = isUnknown ? await askById(id, evidence) : 'not asked';
    keys.set(name, byId === 'deleted' ? { ...answer, wasDeleted: true } : answer);
    // Neither its key nor its id was ever given here: a blog made anew.
    if (byId === 'never seen' && findsByKey && line !== undefined) evidence.state.delete(line.path);
  };
  await forAll(unasked, ask, evidence);
  return true;
}

/**
 * A blog that was restored gives its last ids once more: an article that is not as it was left is asked
 * for by its key. Answers whether a line was of another one.
 */
async function dropLines({ pairs, gone }: Matching, evidence: Evidence): Promise<boolean> {
  const { articles, state, confirmed, client, retry, signal } = evidence;
  const lines = [...pairs.values(), ...gone].flatMap(({ id = 0, line }) => {
    if (!line || line.answered === '' || confirmed.has(line) || !articles.has(id)) return [];
    return isAsLeft({ ...line, id }, articles) ? [] : line;
  });
  let isOther = false;
  await forAll(
    lines,
    async (line) => {
      confirmed.add(line);
      const found = await retry(() => client.articleByKey(line.answered), signal);
      const { id, url } = found.kind === 'article' ? found.article : { id: 0, url: '' };
      if (id === line.id) return;
      isOther = true;
      if (id === 0) state.delete(line.path);
      else state.set(line.path, { ...line, id, url });
    },
    evidence,
  );
  return isOther;
}

/**
 * Articles that a path had created, and that are other posts' by now: it is open though its key has one. Undefined
 * where it was asked for, and there is nothing to ask further; that a person gives it away is not enough
 * where neither git nor its text says that it went there.
 */
function othersOf(name: string, { pairs, open }: Matching, evidence: Evidence) {
  const { keys, cameFrom } = evidence;
  const { id, others = [] } = keys.get(name) ?? {};
  if (id === undefined || !open.has(name)) return undefined;
  const [holder = name, { by } = {}] = [...pairs].find(([, pair]) => pair.id === id) ?? [];
  const hasLeft =
    by !== 'asked' ||
    cameFrom(holder).includes(name) ||
    (everSaid(holder, id, evidence) && !everSaid(name, id, evidence));
  return hasLeft ? [...others, id] : undefined;
}

/** An equal text may be anybody's. Of many without a state one tells whether they are known by their keys too. */
function sampleOf({ pairs }: Matching, { posts, findsByKey, hasState }: Evidence) {
  if (!findsByKey) return [];
  const all = posts.flatMap(({ name }) => (pairs.get(name)?.by === 'text' ? name : []));
  if (hasState || all.length <= fewTexts) return all;
  return [...pairs.values()].some(({ by }) => by === 'key') ? [] : all.slice(0, 1);
}

const [fewTexts, mostLost] = [20, 100];

type Others = {
  readonly isAnothers: (id: number) => boolean;
  /** Another post was found for an article. */
  readonly isTaken: (id: number) => boolean;
  /** Paths that a post had before it was renamed. */
  readonly left: ReadonlySet<string>;
};

/** Asks for the article of a path, and of those it had before. */
async function askByNames(
  name: string,
  { isAnothers, isTaken, left }: Others,
  evidence: Evidence,
): Promise<KeyAnswer> {
  const { names, namesOf, git, folder } = evidence;
  // The post that had this path before may have the article of an earlier generation.
  const own = await askByKey(name, { isAnothers, isLatest: !git || left.has(name) }, evidence);
  let answer = own;
  const former: (typeof own)[] = [];
  for (const each of new Set(namesOf(name))) {
    if (each === name) former.unshift(own);
    // Of a file that is gone: what has that path now, in another folder too, may have its article.
    if (each === name || (!names.has(each) && folder.isThere(each))) continue;
    const isOther = names.has(each) ? isTaken : isAnothers;
    const found = await askByKey(each, { isAnothers: isOther, isLatest: false }, evidence);
    if (found.id !== undefined) former.unshift(found);
    if (answer.id !== undefined || answer.wasDeleted === true) continue;
    // What was deleted may have been of either.
    if (found.id !== undefined || !names.has(each)) answer = found;
  }
  const generation = answer.id === undefined && { generation: own.generation };
  return { ...answer, ...generation, ...(former.length > 0 && { former }) };
}

/** Reads what git has of the paths that need it; answers whether there was more to read. */
export async function readVersions(matching: Matching, evidence: Evidence): Promise<boolean> {
  const { posts, articles, versions, git, cameFrom, goneInGit } = evidence;
  const { pairs, open, gone, unmanaged } = matching;
  if (git === undefined) return false;
  const unclear = posts.filter(({ name, digest }) => {
    const there = articles.get(pairs.get(name)?.id ?? 0)?.digest;
    return open.has(name) || (there !== undefined && there !== digest);
  });
  const named = [...unclear, ...gone].map(({ name }) => name);
  const before = named.flatMap((name) => [pairs.get(name)?.line?.path ?? name, ...cameFrom(name)]);
  const isLost = unmanaged.length > 0 || [...pairs.values()].some(isByName);
  const all = new Set([...named, ...before, ...(isLost ? goneInGit : [])]);
  const wanted = [...all].filter((name) => !versions.has(name));
  if (wanted.length === 0) return false;
  return fromGit(evidence, true, async () => {
    for (const [name, digests] of await git.versionsOf(wanted)) versions.set(name, digests);
  });
}
