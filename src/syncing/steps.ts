import {
  actionTable,
  anothers,
  conflicts,
  decide,
  isDoubtful,
  isListed,
  whyMissing,
  type Decision,
  type Step,
} from './decide.ts';
import { forAll } from '../importing/sending/pace.ts';
import { isWorkTree } from '../importing/sources/walk.ts';
import { type Evidence, isFoundByText, movedOf, shownBefore, versionsOf } from './evidence.ts';
import type { Post } from './folder.ts';
import { holdTexts, stepsOfGone, type Matched, type Places } from './removals.ts';
import { changedMeanwhile, readTarget, type RemoteText } from './listing.ts';
import type { Matching, Pair } from './match.ts';
import { byHand, withPin } from './plan-document.ts';
import { type ImportedText, toldByImport } from './same-text.ts';

/** The actions that follow from a matching; articles that would be written over are read for them. */
export async function stepsOf(matching: Matching, evidence: Evidence): Promise<Step[]> {
  const { posts, articles, folder } = evidence;
  const inDoubt = new Set([...matching.open.values()].flat());
  const given = { matching, evidence, inDoubt };
  const shown = shownBefore(matching, evidence);
  const moved = await movedOf(matching, evidence);
  const here = posts.map((post) => stepOfPost(post, given));
  const isAtRest = matching.gone.length === 0 && !here.some(({ action }) => isListed(action));
  const told = folder.notices.filter(({ notice }) => notice.kind === 'conflict-of-git');
  const committed = told.map(({ path }) => folder.nameOf(path));
  const listed = isAtRest ? undefined : await evidence.listed();
  const unmerged = new Set(listed && [...listed.unmerged, ...committed]);
  const modules = [...(listed?.submodules ?? [])];
  const away = modules.filter((name) => !isWorkTree(folder.fileOf(name)));
  const removals = stepsOfGone(given, { shown, moved, unmerged, away });
  const decided = [...here, ...removals].map((step) => leftUnmerged(step, unmerged));
  const steps = holdTexts(await readTargets(decided, given));
  const elsewhere = matching.gone.filter(({ name }) => shown(name) === undefined);
  for (const id of [...matching.unmanaged, ...elsewhere.map((each) => each.id)]) {
    const url = articles.get(id)?.url;
    steps.push({ action: { action: 'unmanaged', id, ...(url && { url }) } });
  }
  return steps;
}

/** What has a conflict says both texts, or is gone until somebody decides. */
function leftUnmerged(step: Step, unmerged: Places['unmerged']): Step {
  const { post, line, action } = step;
  if (action.action === 'unchanged' || !unmerged.has(post?.name ?? line?.path ?? '')) return step;
  const { path, id, url } = action;
  const said = { action: 'unmerged', path, id, url, reason: actionTable.unmerged.reason } as const;
  return post === undefined ? { action: said, line } : { action: said, post };
}

/** As it was read since it was listed, and what an import brought there. */
type Now = RemoteText & { readonly imported: ImportedText | undefined };

/** What becomes of a post. */
function stepOfPost(post: Post, given: Matched, now?: Now): Step {
  const { path, digest: after, name } = post;
  const { contested, pairs } = given.matching;
  const pair = pairs.get(name);
  if (pair !== undefined) return stepOfPair(post, { pair, now }, given);
  const id = contested.get(name);
  if (id !== undefined) {
    const reason = `says it is article ${id}, ${anothers}`;
    return { action: { action: 'conflict', path, id, reason, after }, post };
  }
  return creation(post, 'new', given);
}

/** Where an article that is nobody's looks like it, a person has to say whether it is that one. */
function creation(post: Post, why: string, { matching, evidence }: Matched): Step {
  const { path, name, digest: after } = post;
  const { elsewhere, keys, folder, findsByKey } = evidence;
  const candidates = matching.open.get(name) ?? matching.deleted.get(name) ?? [];
  if (candidates.length === 0) {
    const key = folder.keyOf(name, keys.get(name)?.generation ?? 1);
    const anew = findsByKey ? key : String(matching.pairs.get(name)?.line?.id ?? '');
    return { action: { action: 'create', path, reason: why, after, pin: { anew } }, post, key };
  }
  const isNamed = candidates.includes(elsewhere?.get(name) ?? 0);
  const like = `looks like ${candidates.map((each) => `#${each}`).join(', ')}`;
  const reason = isNamed ? `${like}, by its line article: ${post.article}` : like;
  const base = 'unknown';
  return { action: { action: 'suggestion', path, reason, base, candidates, after }, post };
}

function stepOfPair(
  post: Post,
  { pair, now }: { readonly pair: Pair; readonly now: Now | undefined },
  given: Matched,
): Step {
  const { evidence } = given;
  const { articles, folder, keys, overwrite } = evidence;
  const { path, name, digest: after } = post;
  const { by, line, id = line?.id } = pair;
  const blog = now ?? articles.get(pair.id ?? 0);
  const versions = versionsOf(name, { pair, onBlog: blog?.digest ?? '' }, evidence);
  const said = decide({ file: post, blog, by, line, versions });
  const { action: decided, base } = now ? seenNow(said, post, evidence, now) : said;
  if (decided === 'deleted-there' && evidence.recreate)
    return creation(post, 'deleted there', given);
  const url = blog?.url ?? line?.url;
  const before = blog?.digest;
  const from = line === undefined || line.path === name ? undefined : line.path;
  const hasMoved = from?.endsWith(`/${path}`) === true && !folder.shown(from);
  const isNamed = evidence.named.some((each) => each === path || each === name);
  const isSaid = isNamed || evidence.adopted.get(name) === id || line?.named === true;
  const isOpen = decided === 'unverified' || (decided === 'conflict' && base === 'import');
  const isForced = overwrite && (isOpen ? isSaid : ['drift', 'conflict'].includes(decided));
  const isRename = decided === 'unchanged' && from !== undefined && !hasMoved;
  const action = isForced ? 'update' : isRename ? 'rename' : decided;
  const doubt = decided === 'conflict' && conflicts[base];
  const missing = decided === 'deleted-there' && line !== undefined && whyMissing(line, after);
  const moves = hasMoved && decided === 'unchanged' && 'moved with its folder';
  const reason = moves || doubt || missing || actionTable[decided].reason;
  const moved = from !== undefined && { from: folder.shown(from) ?? from, to: path };
  const { former = [], ...own } = keys.get(name) ?? {};
  const key = line?.answered ?? [own, ...former].find((each) => each.id === pair.id)?.key;
  const isFound = isFoundByText({ by, line, key, post }, evidence);
  return {
    action: { action, path, id, url, reason, base, ...moved, before, after },
    post,
    key,
    line,
    found: by === 'asked' ? 'named' : isFound ? 'text' : undefined,
    target: now,
  };
}

/** A text that is older than its file in git is no change of it. */
function seenNow(said: Decision, post: Post, { git }: Evidence, now: Now): Decision {
  if (!isDoubtful(said)) return said;
  const told = toldByImport(now.imported, now.text, post.text());
  if (told !== undefined) return { action: told, base: 'import' };
  const isOlder = Date.parse(now.validators.lastModified ?? '') <= (git?.addedAt(post.name) ?? 0);
  return said.action === 'drift' && isOlder ? { action: 'unverified', base: 'unknown' } : said;
}

/** Articles that would be written over, or that differ, are read and looked at again. */
async function readTargets(steps: readonly Step[], given: Matched): Promise<Step[]> {
  const { evidence, inDoubt } = given;
  const all = [...steps];
  const wanted = [...all.entries()].filter(
    ([, { action }]) => actionTable[action.action].reads === true && action.before !== undefined,
  );
  // Which side changed is known only where it is known whose it is.
  const isDue = ({ action }: Step) =>
    !inDoubt.has(action.id ?? 0) &&
    (isDoubtful(action) || (evidence.overwrite && action.base !== 'state'));
  const doubtful = wanted.flatMap(([, step]) => (isDue(step) ? (step.action.url ?? []) : []));
  const imported = doubtful.length > 0 ? await evidence.imported?.(new Set(doubtful)) : undefined;
  await forAll(
    wanted,
    async ([at, step]) => {
      const target = await readTarget(step.action.id ?? 0, evidence);
      if (target === undefined) throw changedMeanwhile(`Article ${step.action.id} was deleted`);
      const now = { ...target, imported: imported?.get(target.url) };
      all[at] = await saidByHand(withPin(lookAgain(step, now, given), target), evidence);
    },
    evidence,
  );
  evidence.signal.throwIfAborted();
  return all;
}

/** What pull would refuse is not promised of it. */
async function saidByHand(step: Step, { reading, exact }: Evidence): Promise<Step> {
  if (step.action.action !== 'drift') return step;
  const { canPull } = await import('./pull.ts');
  if (canPull(step, { ...reading, exact })) return step;
  return { ...step, action: { ...step.action, reason: byHand } };
}

function lookAgain(step: Step, target: Now, given: Matched): Step {
  if (step.post !== undefined) return stepOfPost(step.post, given, target);
  // Edited since it was listed: then it is looked at again, another time.
  if (target.digest === step.action.before) return { ...step, target };
  return { ...step, action: { ...step.action, action: 'orphan', edited: true }, target };
}
