import { doesOf, type Step } from './decide.ts';

/**
 * No text leaves the blog that stands only where another post has its article, while the post of that text waits for
 * a person: its article may be the other one. What would write over it waits as well.
 */
export function holdTexts(steps: readonly Step[]): Step[] {
  const held = [...steps];
  const waits = ({ action, post }: Step) => post !== undefined && doesOf(action) === 'refuse';
  const writers = new Map<string, number[]>();
  for (const [at, { action }] of held.entries()) {
    if (action.action !== 'update' || action.before === undefined) continue;
    writers.set(action.before, [...(writers.get(action.before) ?? []), at]);
  }
  // One that waits may have the text of a third.
  const waiting = held.filter(waits);
  for (const { post, action: waitingFor } of waiting) {
    const found = writers.get(post?.digest ?? '') ?? [];
    writers.delete(post?.digest ?? '');
    for (const at of found) {
      const step = held[at];
      if (step === undefined) continue;
      const reason = `its article has the text of ${waitingFor.path}, which waits`;
      const next: Step = { ...step, action: { ...step.action, action: 'unverified', reason } };
      held[at] = next;
      waiting.push(next);
    }
  }
  return held;
}
