import { isPublicPost } from '../importing/sources/file-set.ts';
import { signsKnown } from '../importing/sources/publicity.ts';
import {
  decideGone,
  doesOf,
  notMadeHere,
  notPublicThere,
  perhapsUnchanged,
  whyGone,
  type Step,
} from './decide.ts';
import type { Evidence } from './evidence.ts';
import type { Folder } from './folder.ts';
import type { Matching } from './match.ts';
import { grouped } from './same-text.ts';
import { lineOf } from './state-file.ts';

export type Matched = {
  readonly matching: Matching;
  readonly evidence: Evidence;
  /** Articles that a post without one may be. */
  readonly inDoubt: ReadonlySet<number>;
};

export type Places = {
  readonly shown: Folder['shown'];
  /** Where files went that are posts of the folder no more. */
  readonly moved: ReadonlyMap<string, string>;
  /** Until all is merged nobody knows what is gone, and what has another name. */
  readonly unmerged: ReadonlySet<string>;
  /** Submodules that are not checked out. */
  readonly away: readonly string[];
};

/** What becomes of the articles of files that are gone here, or not public any more. */
export function stepsOfGone(
  { matching, evidence, inDoubt }: Matched,
  { shown, moved, unmerged, away }: Places,
): readonly Step[] {
  const { folder, overwrite, articles, reading, keys } = evidence;
  const isUnclear = folder.notices.some(({ notice }) => notice.kind === 'unclear-file');
  const prune = evidence.prune && !isUnclear && unmerged.size + folder.rejected.length === 0;
  const again = evidence.recreate ? [...matching.deleted.values()].flat() : [];
  const gone = matching.gone.toSorted((one, other) => (one.name < other.name ? -1 : 1));
  return gone.flatMap(({ name, id, line }) => {
    const path = shown(name);
    const blog = articles.get(id);
    if (path === undefined || blog === undefined) return [];
    const to = moved.get(name) ?? name;
    // Another sync may have its article: that is not deleted.
    const isElsewhere = to !== name && folder.shown(to) === undefined && folder.isThere(to);
    // Only its key tells that it was made from here, and that is asked for where it would be deleted.
    const isStrange = prune && !isElsewhere && line?.found === true && keys.get(name)?.id !== id;
    const skipped = folder.skipped.get(name);
    // Nobody has made it a draft where only this version sees that it is one; of what stands beside it git does not tell.
    const isAlone = () => isPublicPost(folder.fileOf(''), name, reading, { isAlone: true });
    const isBySign = skipped !== undefined && (line ? line.signs !== signsKnown : isAlone());
    const isNeeded = inDoubt.has(id) || again.includes(id);
    // A submodule has names of its own: what git never had here may lie in one.
    const isAway = !skipped && !evidence.git?.gone.includes(name);
    const [module] = isAway ? away : [];
    const isKept = isNeeded || isElsewhere || isStrange || isBySign || module !== undefined;
    const { action, base, edited } = decideGone({
      blog,
      line,
      versions: evidence.versions.get(name),
      overwrite,
      prune: prune && !isKept,
    });
    const isPublic = isElsewhere && isPublicPost(folder.fileOf(''), to, reading);
    const there = `moved to ${to}${isPublic ? '' : notPublicThere}`;
    const why = skipped ?? folder.skipped.get(to);
    const ofModule =
      module && `, or of the submodule ${module}, which git submodule update --init brings`;
    const missing = folder.isThere(name) ? 'cannot be read' : `gone here${ofModule ?? ''}`;
    const doubt = isBySign ? perhapsUnchanged : isStrange ? notMadeHere : '';
    const reason = whyGone(why, isElsewhere ? there : missing, edited) + doubt;
    const { url, digest: before } = blog;
    const said = { action, path, id, url, reason, base, ...(edited && { edited }), before };
    const digest = edited ? '' : before;
    const told = lineOf({ name, digest }, { id, url, digest }, keys.get(name)?.key);
    const found = line ?? { ...told, ...(isBySign && { signs: 0 }) };
    return [{ action: said, isBack: () => !skipped && folder.isThere(name), line: found }];
  });
}

/**
 * No text leaves the blog while the post that has it waits: the article may be that one's. What would delete
 * it waits as well, and what would write over it where a person has to decide, or git alone says whose it is.
 */
export function holdTexts(steps: readonly Step[]): Step[] {
  const held = [...steps];
  const losses = held.flatMap(({ action: { action, before } }, at) =>
    (action === 'update' || action === 'delete') && before !== undefined ? { before, at } : [],
  );
  const losing = grouped(losses, 'before');
  const ofArticle = new Map(losses.map(({ at }) => [held[at]?.action.id, at]));
  // One that waits may have the text of a third.
  const waiting = held.filter(
    ({ action, post }) => post && ['leave', 'refuse'].includes(doesOf(action)),
  );
  const hold = (at: number, step: Step | undefined) => {
    if (step === undefined) return;
    held[at] = step;
    waiting.push(step);
  };
  for (const waits of waiting) {
    for (const { at } of losing.get(waits.post?.digest ?? '') ?? [])
      hold(at, heldBy(waits, held[at]));
    for (const id of waits.action.candidates ?? []) {
      const at = ofArticle.get(id);
      if (at !== undefined) hold(at, leftTo(waits, held[at]));
    }
  }
  return held;
}

/** Undefined where it may go on: an update of which the state alone tells that its article is no other post's. */
function heldBy({ action: first, line }: Step, step: Step | undefined): Step | undefined {
  if (step?.action.action === 'delete')
    return { ...step, action: { ...step.action, action: 'orphan' } };
  const { action, base, after } = step?.action ?? {};
  if (step === undefined || action !== 'update') return undefined;
  // Of posts with one text the state alone tells which is which, until their files have exchanged what they have.
  const isThere = first.action !== 'deleted-there';
  const hadIt = after === first.before || after === line?.pulled;
  const isTold = base === 'state' && isThere && !hadIt;
  if (doesOf(first) !== 'refuse' && isTold) return undefined;
  return unsure(step, `its article has the text of ${first.path}, which waits`);
}

/** Nobody has said yet which of two posts an article is; who would write over it has said so. */
function leftTo({ action: first }: Step, step: Step | undefined): Step | undefined {
  if (step?.action.action !== 'update' || step.action.reason !== undefined) return undefined;
  return unsure(step, `its article may be that of ${first.path}, which waits`);
}

function unsure(step: Step, reason: string): Step {
  return { ...step, action: { ...step.action, action: 'unverified', reason } };
}
