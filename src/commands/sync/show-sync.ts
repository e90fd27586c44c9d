import type { Context } from '../../context/context.ts';
import { countActions, doesOf, type Action, type Step } from '../../syncing/actions.ts';
import { actionsOf, planSchema, type PlanDocument } from '../../syncing/plan-document.ts';
import { linesOfPlan, movedOf, sentenceOf, whatOf } from '../../syncing/show-plan.ts';
import type { SyncFlags } from './plan.ts';
import type { Prepared } from './run-sync.ts';

export function documentOf(
  { folder, rejected, owner, plan }: Prepared,
  flags: SyncFlags,
): PlanDocument {
  const { drafts, titleFrom, encoding, exact, continueOnError, allowEmpty } = flags;
  const options = { drafts, titleFrom, encoding, exact, continueOnError, allowEmpty };
  const actions = actionsOf(plan.steps);
  const prune = flags.prune === true;
  const summary = countActions(actions);
  return {
    schema: planSchema,
    ...owner,
    folder: folder.named,
    prune,
    options,
    summary,
    rejected,
    actions,
  };
}

/** The plan to stdout in the format asked for; what it comes to is said to a person in any case. */
export async function showPlan(
  plan: PlanDocument,
  steps: readonly Step[],
  { terminal }: Context,
): Promise<void> {
  const { actions, prune, summary } = plan;
  const lines = linesOfPlan(actions, prune);
  const sentence = sentenceOf(summary, movedOf(actions));
  await terminal.show({
    one: plan,
    columns: ['blog', 'importId', 'folder', 'summary'],
    human: () => [...lines, ...(lines.length > 0 ? [''] : []), sentence, ''].join('\n'),
    isDocument: true,
    markdown: async () => {
      const { markdownOf } = await import('../../syncing/report-markdown.ts');
      return markdownOf(plan, steps);
    },
  });
  if (terminal.format === 'table') return;
  await warnOf(actions, prune, terminal);
  await terminal.notice(sentence);
}

const mostShown = 20;

/** What nobody should miss in a log. */
export async function warnOf(
  actions: readonly Action[],
  prune: boolean,
  terminal: Context['terminal'],
): Promise<void> {
  const urgent = actions.filter(
    (action) =>
      doesOf(action) === 'refuse' || (doesOf(action) === 'leave' && action.action !== 'orphan'),
  );
  for (const action of urgent.slice(0, mostShown)) {
    const article = action.id === undefined ? '' : ` (article ${action.id})`;
    await terminal.warn(`${action.path}${article}: ${whatOf(action, prune)}`);
  }
  if (urgent.length > mostShown) await terminal.warn(`and ${urgent.length - mostShown} more`);
}
