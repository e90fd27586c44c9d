import { BlogctlError } from '../errors.ts';
import { tolerates, type Tolerance } from '../importing/import-request.ts';
import { askBlog, askGit, checkState, readVersions } from './ask.ts';
import { notMadeHere, type SyncPlan, type Step } from './decide.ts';
import {
  type Evidence,
  knownFrom,
  type PlanRequest,
  type PlanWorld,
  shownBefore,
} from './evidence.ts';
import type { Folder } from './folder.ts';
import { match, type Matching } from './match.ts';
import { movedLines, tellOfLeft } from './moved-lines.ts';
import { mayBeOf } from './same-text.ts';
import { stepsOf } from './steps.ts';

/** Compares a folder with its blog; writes nothing on either side. */
export async function makePlan(request: PlanRequest, world: PlanWorld): Promise<SyncPlan> {
  const evidence = await knownFrom(request, world);
  if (evidence.findsByKey) await checkState(evidence);
  let matching = match(evidence);
  for (;;) {
    // What the blog told may be what only git can explain.
    if (evidence.git === undefined && (await askGit(matching, evidence)))
      matching = match(evidence);
    const asked = await askBlog(matching, evidence);
    const read = await readVersions(matching, evidence);
    if (read) Object.assign(evidence, movedLines(evidence));
    world.signal.throwIfAborted();
    if (!asked && !read) {
      requireAdopted(matching, evidence);
      tellOfStrangers(matching, evidence);
      tellOfLeft(matching, evidence);
      const plan = { steps: await stepsOf(matching, evidence), ...countKnown(matching, evidence) };
      tellOfElsewhere(plan, evidence);
      return isMadeAnew(plan, evidence) ? doubted(plan, evidence) : plan;
    }
    matching = match(evidence);
  }
}

/** How much of what an earlier sync knew is there, on either side. */
function countKnown(matching: Matching, evidence: Evidence): Omit<SyncPlan, 'steps'> {
  const { folder, articles, state } = evidence;
  const shown = shownBefore(matching, evidence);
  const gone = matching.gone.filter(({ name }) => shown(name) !== undefined);
  const pairs = [...matching.pairs.values()];
  const paired = pairs.filter(({ id }) => id !== undefined).length;
  const used = new Set(pairs.map(({ line }) => line?.path));
  let stillThere = 0;
  const forgotten: string[] = [];
  for (const [name, { id, pruned }] of evidence.kept) {
    if (state.has(name) && articles.has(id)) stillThere += 1;
    else if (!pruned && !used.has(name) && folder.shown(name) !== undefined) forgotten.push(name);
  }
  return {
    managed: paired + gone.length,
    known: Math.max(stillThere, gone.length),
    recognised: pairs.length,
    forgotten,
  };
}

/** Refuses a folder that cannot be read as it was meant, before anything is asked. */
export function requireReadable(
  { named, posts, skipped, rejected }: Folder,
  { allowEmpty, tolerance }: { readonly allowEmpty: boolean; readonly tolerance: Tolerance },
): void {
  const [first] = rejected;
  if (
    first !== undefined &&
    !tolerates(tolerance, rejected.length, posts.length + rejected.length)
  ) {
    const others = rejected.length === 1 ? '' : ` and ${rejected.length - 1} more`;
    throw new BlogctlError(
      'unusable-input',
      `${first.path}${others} cannot be read: ${first.message}`,
      {
        hint: 'Repair what is named, or go on without it with --continue-on-error; then nothing is deleted.',
      },
    );
  }
  if (posts.length > 0 || allowEmpty) return;
  const passed = skipped.size > 0 ? ` (${skipped.size} are not public)` : '';
  throw new BlogctlError('unusable-input', `There is no post in "${named}"${passed}.`, {
    hint: 'Check the folder and the branch; --allow-empty accepts a folder without posts.',
  });
}

/**
 * Refuses a folder that has nothing in common with what was synced before, or, where nobody knows what
 * was, with any of the blog's `others` articles.
 */
export function requireFamiliar(
  { named }: Folder,
  { recognised, known }: SyncPlan,
  { others, isSaidToBeNew }: { readonly others: number; readonly isSaidToBeNew: boolean },
): void {
  if (recognised > 0 || known + others === 0 || isSaidToBeNew) return;
  const has = known > 0 ? `${known} of an earlier sync` : `${others} articles`;
  const what = `None of the posts in "${named}" is on the blog, which has ${has}`;
  throw new BlogctlError('conflict', `${what}: nothing was written.`, {
    hint: 'Check the folder, the branch and --import-id. Where all of its posts are new --adopt none says so; a second folder takes an --import-id of its own as well.',
  });
}

/** What --adopt says of a path has to be so, or nothing is done: it may be a slip of the finger. */
function requireAdopted(matching: Matching, evidence: Evidence): void {
  const { adopted, posts } = evidence;
  for (const { name, path } of posts) {
    const asked = adopted.get(name);
    const why = typeof asked === 'number' ? whyNot({ name, asked }, matching, evidence) : undefined;
    if (why === undefined) continue;
    throw new BlogctlError('usage', `--adopt ${path}=${asked} cannot be: ${why}.`, {
      hint: 'Name the article that the plan shows, or leave it out; nothing was changed.',
    });
  }
}

/** Another post is an article by its key, by what it says, or by what git says that it said. */
function whyNot(
  { name, asked }: { readonly name: string; readonly asked: number },
  { pairs, unmanaged }: Matching,
  { posts, articles, keys, own, versions, cameFrom }: Evidence,
): string | undefined {
  const there = articles.get(asked)?.digest;
  if (there === undefined) return `the blog has no article ${asked}`;
  const { by, id } = pairs.get(name) ?? {};
  const found = by === 'asked' ? (keys.get(name)?.id ?? id) : id;
  if (found !== undefined && found !== asked && (by !== 'asked' || unmanaged.includes(found)))
    return `the post is article ${found}`;
  const isOwn = mayBeOf(name, asked, { posts, articles, versions });
  const isTheirs = (post: Evidence['posts'][number]) => {
    if (own.get(post.name) === asked) return true;
    const isOfKey = keys.get(post.name)?.id === asked;
    const hadIt = [post.digest, ...(versions.get(post.name) ?? [])].includes(there);
    return isOwn ? isOfKey && hadIt : isOfKey || hadIt;
  };
  // A renamed post may be adopted from the one that has its path by now.
  const others = posts.filter(
    (post) => !pairs.has(post.name) && !cameFrom(name).includes(post.name),
  );
  const isAnothers = id === undefined || (by === 'asked' && others.some(isTheirs));
  return isAnothers ? `article ${asked} is another post's` : undefined;
}

/** Articles whose text is known and whose key is not cannot be followed without a state. */
function tellOfStrangers({ pairs, unmanaged }: Matching, evidence: Evidence): void {
  const { folder, keys, kept, versions, articles, goneInGit, hasState, findsByKey } = evidence;
  const isUnseen = (name: string) => {
    const answer = keys.get(name);
    return answer !== undefined && answer.id === undefined && answer.wasDeleted !== true;
  };
  const others = new Set([...keys.values()].flatMap((answer) => answer.others ?? []));
  const ids = new Map(unmanaged.map((id) => [articles.get(id)?.digest, id]));
  const gone = (hasState ? [] : goneInGit).filter(isUnseen).flatMap((name) => {
    const digest = versions.get(name)?.find((each) => ids.has(each));
    return digest === undefined
      ? []
      : `${folder.shown(name)} (gone here, article ${ids.get(digest)})`;
  });
  const there = evidence.posts.flatMap(({ name, path }) => {
    const { by, id = 0 } = pairs.get(name) ?? {};
    const isNobodys = findsByKey ? isUnseen(name) && !others.has(id) : hasState;
    const isStranger = (by === 'text' || by === 'git') && isNobodys && !kept.get(name)?.pruned;
    return isStranger ? `${path} (article ${id})` : [];
  });
  const all = [...gone, ...there];
  const mostNamed = 5;
  if (all.length === 0) return;
  const more = all.length > mostNamed ? ` and ${all.length - mostNamed} more` : '';
  const lost = hasState
    ? ''
    : ' Else, and without the state of a sync, what was removed here or edited on both sides is not tied to its article.';
  evidence.warned(
    `Known by the text alone: ${all.slice(0, mostNamed).join(', ')}${more}. Such articles were created by hand, or under another --import-id or path, and --prune keeps them: give the --import-id that the blog was filled with, or none where it was filled without.${lost}`,
  );
}

/** The blog may only have another address by now (decisions 55). */
function tellOfElsewhere({ steps }: SyncPlan, evidence: Evidence): void {
  const isOther = ({ action: { action }, post }: Step) =>
    action === 'create' && post !== undefined && (evidence.elsewhere?.get(post.name) ?? 0) > 0;
  const [first, ...more] = steps.flatMap((step) => (isOther(step) ? (step.post ?? []) : []));
  if (first === undefined) return;
  const them = more.length === 0 ? '1 new post names' : `${more.length + 1} new posts name`;
  evidence.warned(
    `${them} an article of another blog, such as ${first.path} in its line article: ${first.article}. Where that is this blog under another address, put its address there now, or say --adopt <path>=<id>.`,
  );
}

/**
 * Where nobody can be asked by key: of several posts that the state knows, not one has its title or its
 * text on the blog, whatever a flag would do to those. Ids that other articles were given look like that.
 */
function isMadeAnew({ steps }: SyncPlan, { findsByKey, articles }: Evidence): boolean {
  const known = steps.flatMap(({ post, line, action }) => {
    const there = line && articles.get(action.id ?? 0);
    return post && there ? [{ action, post, line, there }] : [];
  });
  if (findsByKey || known.length < 2) return false;
  return known.every(
    ({ action: { action, base }, post, line, there }) =>
      ['drift', 'conflict', 'update'].includes(action) &&
      base === 'state' &&
      there.digest !== line.stored &&
      post.title !== there.title &&
      (post.content !== there.content || post.content === ''),
  );
}

/** What was maybe never theirs is not brought into files, and is written over only where somebody names the post. */
function doubted(plan: SyncPlan, evidence: Evidence): SyncPlan {
  evidence.warned(
    'None of the posts has its title or its text on the blog: it may have been made anew, and have other articles under their numbers. Where it was, move the state of the sync away (in the data folder, or what --state names): it is found out again.',
  );
  const steps = plan.steps.map((step): Step => {
    const { post, action: told } = step;
    const isNamed = [told.path, post?.name].some((each) => each && evidence.named.includes(each));
    if (told.action === 'delete' && told.edited) {
      const reason = `${told.reason}${notMadeHere}`;
      return { ...step, action: { ...told, action: 'orphan', reason } };
    }
    if (told.action !== 'drift' && (told.action !== 'update' || isNamed)) return step;
    const reason = 'another text on the blog, or another article';
    return { ...step, action: { ...told, action: 'conflict', reason } };
  });
  return { ...plan, steps };
}
