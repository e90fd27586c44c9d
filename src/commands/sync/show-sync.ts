import type { Context } from '../../context/context.ts';
import { BlogctlError, type Hint } from '../../errors.ts';
import {
  countActions,
  doesOf,
  type Action,
  type ActionKind,
  type Step,
  linesOfPlan,
  movedOf,
  sentenceOf,
  whatOf,
} from '../../syncing/actions.ts';
import type { Applied, ApplyReport } from '../../syncing/apply.ts';
import { actionsOf, planSchema, type PlanDocument } from '../../syncing/plan-document.ts';
import { counted } from '../../terminal/text.ts';
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

export async function showSummary(summary: Applied, { terminal }: Context): Promise<void> {
  const { planned, written, unchanged, left, refused, failed, unsent } = summary;
  const said = counted({ written, unchanged, left, refused, failed, 'not sent': unsent });
  const line = `${planned} planned${said && `: ${said}`}.`;
  await terminal.show({
    one: summary,
    columns: ['planned', 'written', 'unchanged', 'left', 'refused', 'failed', 'unsent'],
    human: () => `${line}\n`,
    isDocument: true,
  });
  if (terminal.format !== 'table') await terminal.notice(line);
}

export function failureOf(
  { summary: { refused, failed, unsent, planned }, ended }: ApplyReport,
  steps: readonly Step[],
  { signal }: Context,
): BlogctlError | undefined {
  if (signal.aborted && signal.reason instanceof BlogctlError) {
    return new BlogctlError(signal.reason.code, `Stopped: ${unsent} of ${planned} were not sent.`, {
      hint: 'Run the same command again to go on.',
    });
  }
  if (ended !== undefined) return ended;
  const said = counted({ refused, failed, 'not sent': unsent });
  if (said === '') return undefined;
  return new BlogctlError('partly-failed', `Of ${planned} planned: ${said}.`, {
    hint: whatNext(steps, failed > 0),
  });
}

/** What somebody can do about those that are refused; for all others it is enough to ask again. */
const waysOut: Readonly<Partial<Record<ActionKind, Hint>>> = {
  conflict:
    'In conflict: blogctl sync pull <folder> <path> brings here what was changed there; --on-drift overwrite writes over it.',
  unverified:
    'Unverified: the whole history of git tells what was ours (git fetch --unshallow; fetch-depth: 0 in CI), or somebody does: an answer in a terminal, or blogctl sync plan <folder> -o plan.json, a look, and blogctl sync apply plan.json -y.',
  suggestion:
    'In doubt: --adopt <path>=<id> says which article a post is, --adopt none that it is new.',
};

function whatNext(steps: readonly Step[], hasFailed: boolean): Hint {
  const kinds = new Set(steps.map(({ action }) => action.action));
  const ways = [...kinds].flatMap((kind) => waysOut[kind] ?? []);
  const again: Hint = 'Run the same command again.';
  const [first = again, ...more] = hasFailed ? [...ways, again] : ways;
  return more.reduce<Hint>((before, next) => `${before} ${next}`, first);
}

export function unreadable(count: number): BlogctlError {
  const files = count === 1 ? 'One file was' : `${count} files were`;
  return new BlogctlError('partly-failed', `${files} left out, because it cannot be read.`, {
    hint: 'Repair what is named above and run it again.',
  });
}
