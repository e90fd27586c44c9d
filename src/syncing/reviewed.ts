import { readFileSync } from 'node:fs';

import type { Step } from './actions.ts';
import type { KeptPlan } from './plan-document.ts';
import { fileDigest } from './same-text.ts';

type Kept = KeptPlan['actions'][number];

/**
 * The steps of a plan that was kept, each as the folder and the blog are now: to be carried out where
 * both still are as its pin says, done where the blog has it already, refused where anything moved.
 * What the plan does not hold is not touched.
 */
export function reviewedSteps(kept: KeptPlan, now: readonly Step[]): readonly Step[] {
  const byPath = new Map(
    now.flatMap((step) => (step.post ? [[step.post.path, step] as const] : [])),
  );
  const byId = new Map(now.flatMap((step) => (step.post ? [] : [[step.action.id, step] as const])));
  return kept.actions.flatMap((action): Step[] => {
    if (action.action === 'unmanaged') return [];
    const step =
      action.action === 'delete' || action.action === 'orphan'
        ? byId.get(action.id)
        : byPath.get(action.path ?? '');
    if (isWritten(action)) return [written(action, step)];
    return step === undefined ? [] : leftAlone(action, step);
  });
}

function isWritten({ action }: Kept): boolean {
  return ['create', 'update', 'unverified', 'delete'].includes(action);
}

/** What was unchanged and is not any more belongs to another plan. */
function leftAlone({ action }: Kept, step: Step): Step[] {
  const isSame = (kind: string) => kind === 'unchanged' || kind === 'rename';
  if (isSame(step.action.action)) return [step];
  return isSame(action) ? [] : [{ action: { ...step.action, action } }];
}

function written(kept: Kept, step: Step | undefined): Step {
  const { action, path, id } = kept;
  const shown = { ...(path && { path }), ...(id && { id }) };
  const done: Step = { action: { ...shown, action: 'unchanged', reason: 'done already' } };
  const refused: Step = {
    action: { ...shown, action: 'conflict', reason: 'changed since the plan was made' },
  };
  if (action === 'delete') {
    if (step === undefined) return done;
    return isPinned(step.action.pin, kept.pin) && step.target !== undefined
      ? { ...step, action: { ...step.action, action } }
      : refused;
  }
  if (step?.post === undefined) return refused;
  const { action: now } = step.action;
  if (now === 'unchanged' || now === 'rename') return step;
  const file = fileDigest(readFileSync(step.post.file));
  if (file !== kept.pin?.file) return refused;
  if (action === 'create') return now === 'create' ? step : refused;
  const isAsPlanned = step.action.id === id && isPinned(step.action.pin, kept.pin);
  if (!isAsPlanned || step.target === undefined) return refused;
  return { ...step, action: { ...step.action, action: 'update' } };
}

/** The same version of the article: by its tag, else its date, else its text. */
function isPinned(now: Kept['pin'], kept: Kept['pin']): boolean {
  if (now === undefined || kept === undefined) return false;
  const parts = ['etag', 'lastModified', 'digest'] as const;
  return parts.every((part) => now[part] === kept[part]);
}
