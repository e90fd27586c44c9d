import { doesOf, type Step } from './decide.ts';
import { grouped } from './same-text.ts';

/**
 * No text leaves the blog by an update while the post that has it waits for a person: the article may be that one's.
 * What would write over it waits as well.
 */
export function holdTexts(steps: readonly Step[]): Step[] {
  const held = [...steps];
  const updates = held.flatMap(({ action: { action, before } }, at) =>
    action === 'update' && before !== undefined ? { before, at } : [],
  );
  const writers = grouped(updates, 'before');
  // One that waits may have the text of a third.
  const waiting = held.filter(({ action, post }) => post && doesOf(action) === 'refuse');
  for (const { post, action: first } of waiting) {
    const digest = post?.digest ?? '';
    for (const { at } of writers.get(digest) ?? []) {
      const step = held[at];
      if (step === undefined) continue;
      const reason = `its article has the text of ${first.path}, which waits`;
      const next: Step = { ...step, action: { ...step.action, action: 'unverified', reason } };
      held[at] = next;
      waiting.push(next);
    }
    writers.delete(digest);
  }
  return held;
}
