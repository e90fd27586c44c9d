import type { Step } from './actions.ts';
import type { PlanDocument } from './plan-document.ts';
import { movedOf, sentenceOf } from './show-plan.ts';

export function markdownOf(
  { importId, summary, actions }: PlanDocument,
  _steps: readonly Step[],
): string {
  return `<!-- blogctl sync ${importId} -->\n${sentenceOf(summary, movedOf(actions))}\n`;
}
