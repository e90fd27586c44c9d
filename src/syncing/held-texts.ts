import { doesOf, type Step } from './decide.ts';
import { grouped } from './same-text.ts';

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
  // One that waits may have the text of a third.
  const waiting = held.filter(
    ({ action, post }) => post && ['leave', 'refuse'].includes(doesOf(action)),
  );
  for (const waits of waiting) {
    for (const { at } of losing.get(waits.post?.digest ?? '') ?? []) {
      const next = heldBy(waits, held[at]);
      if (next === undefined) continue;
      held[at] = next;
      waiting.push(next);
    }
  }
  return held;
}

/** Undefined where it may go on: an update of which the state alone tells that its article is no other post's. */
function heldBy({ action: first }: Step, step: Step | undefined): Step | undefined {
  if (step?.action.action === 'delete')
    return { ...step, action: { ...step.action, action: 'orphan' } };
  const { action, base, after } = step?.action ?? {};
  if (step === undefined || action !== 'update') return undefined;
  // Of posts with one text the state alone tells which is which, until their files have exchanged what they have.
  const isThere = first.action !== 'deleted-there';
  const isTold = base === 'state' && isThere && after !== first.before;
  if (doesOf(first) !== 'refuse' && isTold) return undefined;
  const reason = `its article has the text of ${first.path}, which waits`;
  return { ...step, action: { ...step.action, action: 'unverified', reason } };
}
