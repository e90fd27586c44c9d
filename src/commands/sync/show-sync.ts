import type { Context } from '../context.ts';
import { storedOtherwise } from '../../client/articles.ts';
import { BlogctlError, type Hint } from '../../errors.ts';
import type { ApplyReport } from '../../syncing/apply.ts';
import { anothers, doesOf, isListed, whyByHand } from '../../syncing/decide.ts';
import type { Action, ActionKind, Step } from '../../syncing/decide.ts';
import { betterKnown, byHand, type Lines, outdated } from '../../syncing/plan-document.ts';
import type { PlanDocument } from '../../syncing/plan-document.ts';
import { linesOfPlan, markdownOf, sentenceOf, whatOf } from '../../syncing/report.ts';
import { wrapWords } from '../../terminal/table.ts';
import { counted, fileInShell, inShell } from '../../terminal/text.ts';

type Shown = {
  readonly steps: readonly Step[];
  readonly lines: Lines;
  readonly context: Context;
};

/** The plan to stdout in the format asked for; what it comes to is said to a person in any case. */
export async function showPlan(
  plan: PlanDocument,
  { steps, lines, context: { terminal, flags } }: Shown,
): Promise<void> {
  const { actions } = plan;
  const sentence = sentenceOf(plan);
  await terminal.show({
    one: plan,
    columns: ['blog', 'importId', 'folder', 'summary'],
    human: () => {
      const rows = linesOfPlan(actions, lines, terminal.width);
      const end = wrapWords(sentence, terminal.width);
      return [...rows, ...(rows.length > 0 ? [''] : []), end, ''].join('\n');
    },
    isDocument: true,
    rows: {
      many: actions
        .filter(isListed)
        .map((action) => ({ ...action, reason: whatOf(action, lines) })),
      columns: ['action', 'path', 'id', 'reason'],
    },
    markdown: async () =>
      markdownOf(plan, steps, { lines, way: waysFrom(refusedOf(steps), lines) }),
  });
  if (terminal.format === 'table') return;
  // Who keeps a plan has to see what it is.
  if (flags.output === undefined) await warnOf(actions, lines, terminal);
  else for (const line of linesOfPlan(actions, lines)) await terminal.notice(line);
  // On a terminal Markdown has said it.
  if (terminal.format !== 'md' || terminal.width === Number.POSITIVE_INFINITY)
    await terminal.notice(sentence);
}

const mostShown = 20;
/** What nobody should miss in a log. */
export async function warnOf(
  actions: readonly Action[],
  lines: Lines,
  terminal: Context['terminal'],
): Promise<void> {
  const urgent = actions.filter(
    (action) =>
      doesOf(action) === 'refuse' ||
      (doesOf(action) === 'leave' && (lines.prune || action.action !== 'orphan')),
  );
  for (const action of urgent.slice(0, mostShown)) {
    const article = action.id === undefined ? '' : ` (article ${action.id})`;
    await terminal.warn(`${action.path}${article}: ${whatOf(action, lines)}`);
  }
  if (urgent.length > mostShown) await terminal.warn(`and ${urgent.length - mostShown} more`);
}

/** A plan that was looked at has them written over all the same. */
export async function warnOfUnsure(
  { unsure, run }: { readonly unsure: readonly Action[]; readonly run: string | undefined },
  lines: Lines,
  terminal: Context['terminal'],
): Promise<void> {
  if (unsure.length === 0) return;
  const named = unsure.slice(0, mostShown).map(({ path, id }) => `${path} (article ${id})`);
  const more = unsure.length > mostShown ? ` and ${unsure.length - mostShown} more` : '';
  const back = run === undefined ? '' : ` ${lines.undo(run)} takes this run back.`;
  await terminal.warn(
    `Written over, though nobody knew who had changed it on the blog: ${named.join(', ')}${more}.${back}`,
  );
}

/** A blog is left without some of its posts, unless it is asked for them; undefined where it has all. */
export function missingPosts(steps: readonly Step[], lines: Lines): string | undefined {
  const missing = steps.flatMap(({ action }) => (action.action === 'deleted-there' ? action : []));
  const paths = missing.map(({ path = '' }) => fileInShell(path));
  const end = 'not on the blog, having been deleted there:';
  if (paths.length === 0) return undefined;
  return paths.length === 1
    ? `One post is ${end} ${lines.sync('apply', ...paths, '--recreate')} creates it again.`
    : `${paths.length} posts are ${end} ${lines.again('apply')} --recreate creates them again.`;
}

export const appliedFields = [
  'planned',
  'written',
  'unchanged',
  'left',
  'refused',
  'failed',
  'unsent',
] as const;

export async function showSummary(
  { summary, storedOtherwise: [first, ...more] }: ApplyReport,
  lines: Lines,
  { terminal }: Context,
): Promise<void> {
  const { planned, written, unchanged, left, refused, failed, unsent } = summary;
  const said = counted({ written, unchanged, left, refused, failed, 'not sent': unsent });
  const line = `${planned} planned${said && `: ${said}`}.`;
  await terminal.show({
    one: summary,
    columns: appliedFields,
    human: () => `${line}\n`,
    done: `What could be applied was applied all the same: ${lines.again('plan')} shows what is left.`,
    isDocument: true,
  });
  if (terminal.format !== 'table') await terminal.notice(line);
  if (first === undefined) return;
  const which = more.length === 0 ? first : `${first} and ${more.length} more`;
  await terminal.warn(`${which}: ${storedOtherwise}`);
}

export function failureOf(
  report: ApplyReport,
  { steps, lines }: Omit<Shown, 'context'>,
  { signal }: Pick<Context, 'signal'>,
): BlogctlError | undefined {
  const { ended, summary } = report;
  const { refused, failed, unsent, planned } = summary;
  if (signal.aborted && signal.reason instanceof BlogctlError) {
    return new BlogctlError(signal.reason.code, `Stopped: ${unsent} of ${planned} were not sent.`, {
      hint: 'Run the same command again to go on.',
    });
  }
  if (ended?.code === 'unreachable')
    return ended.hinting('Run the same command again: nothing is made twice.');
  if (ended !== undefined) return ended;
  const said = counted({ refused, failed, 'not sent': unsent });
  if (said === '') return undefined;
  const hint = whatNext(steps, report, lines);
  return new BlogctlError('partly-failed', `Of ${planned} planned: ${said}.`, { hint });
}

/** Of a line that a hint gives: real ones where it is about one post. */
type Wording = Pick<Shown, 'lines'> & Readonly<Record<'path' | 'name' | 'id', string>>;

const bring = ({ lines }: Wording): Hint =>
  `Run ${lines.again('apply')} to bring the folder to the blog.`;
const overwrite = ({ lines, path }: Wording) => lines.sync('apply', path, '--on-drift overwrite');

/** What somebody can do about each. */
const waysOut: Readonly<Partial<Record<ActionKind, (words: Wording) => Hint>>> = {
  create: bring,
  update: bring,
  delete: bring,
  rename: bring,
  conflict: (words) =>
    `In conflict: ${words.lines.sync('pull', words.path)} brings here what was changed there: commit that, and then what is to be otherwise; ${overwrite(words)} writes over that one.`,
  unverified: ({ lines, path }) =>
    `Unverified: the whole history of git tells what was ours (where some of it is not here, a warning says what brings it), or somebody does: an answer in a terminal, or ${lines.sync('plan', path, '--format md')}, which shows both texts, then ${lines.sync('plan', path, '-o plan.json')} and ${lines.applyKept}, which writes over the one on the blog.`,
  unmerged: () =>
    'Not merged: resolve the conflict in each such file, git add it (or git rm) and commit it, and run it again; until then nothing is deleted.',
  suggestion: (words) =>
    `In doubt: --adopt ${words.name}=${words.id} says which article a post is, --adopt none that it is new; what somebody wrote there is left until ${words.lines.sync('apply', words.path, `--adopt ${words.name}=${words.id} --on-drift overwrite`)} writes over that one. Where the blog was filled under another --import-id, or none, the same here tells it.`,
  drift: ({ lines }) => `Changed only on the blog: ${lines.sync('pull')} brings it here.`,
  'deleted-there': ({ lines, path }) =>
    `Deleted on the blog: ${lines.sync('apply', path, '--recreate')} makes that one again, or the file can go here as well.`,
};

function wayOut({ action, edited, reason, base }: Action, words: Wording): Hint | undefined {
  const { lines, id } = words;
  if (reason === outdated || reason === betterKnown)
    return `Not as it was planned: ${lines.again('plan')} plans it again.`;
  if (reason === byHand)
    return `Changed only on the blog, where pull cannot put it in: ${lines.article('get', id)} shows it.`;
  if (action === 'conflict' && base === 'import')
    return `Brought from elsewhere: where that is a folder with posts of its own, give each of the two an --import-id, from its first import or sync on; where it had the posts of this one, ${overwrite(words)} writes over that one.`;
  if (reason?.endsWith(anothers) === true)
    return 'Named by two: take the line article: out of the one that is the copy; then it is a post of its own.';
  if (action !== 'orphan') return waysOut[action]?.(words);
  if (edited === true)
    return `Gone here, edited on the blog: ${lines.article('delete', id)} deletes that one.`;
  const why = whyByHand(reason);
  if (why !== undefined) return `${why}: ${lines.article('delete', id)} takes it off the blog.`;
  return lines.prune
    ? 'Gone here: nothing is deleted while a file cannot be read, nor what a post in doubt may be, nor what was moved out of the folder.'
    : 'Gone here: --prune deletes the article.';
}

export const waysFrom = (steps: readonly Step[], lines: Lines) => inTurn(waysOf(steps, lines));

/** About one post each names it, about several how to. */
function waysOf(steps: readonly Step[], lines: Lines): readonly Hint[] {
  const groups = new Map<Hint, Action[]>();
  for (const { action } of steps) {
    const hint = wayOut(action, { lines, path: '<path>', name: '<path>', id: '<id>' });
    if (hint !== undefined) groups.set(hint, [...(groups.get(hint) ?? []), action]);
  }
  return [...groups].map(([hint, [first, ...others]]) => {
    if (first === undefined || others.length > 0) return hint;
    const { path = '', id, candidates: [only, ...more] = [] } = first;
    const article = String(id ?? (more.length > 0 ? undefined : only) ?? '<id>');
    const words = { lines, path: fileInShell(path), name: inShell(path), id: article };
    return wayOut(first, words) ?? hint;
  });
}

function inTurn(hints: readonly Hint[]): Hint | undefined {
  return [...new Set(hints)].reduce<Hint | undefined>(
    (before, next) => (before === undefined ? next : `${before} ${next}`),
    undefined,
  );
}

const refusedOf = (steps: readonly Step[]) =>
  steps.filter(({ action }) => doesOf(action) === 'refuse');

const again: Hint = 'Run the same command again.';
/** About those that are refused. */
function whatNext(
  steps: readonly Step[],
  { summary: { refused, failed }, refusals }: ApplyReport,
  lines: Lines,
): Hint {
  const left = refusedOf(steps);
  const ways = waysOf(left, lines);
  const isMore = refused + failed > left.length + refusals.length;
  return inTurn([...ways, ...refusals.map(wayAround), ...(isMore ? [again] : [])]) ?? again;
}

function wayAround({ code, context, hint }: BlogctlError): Hint {
  if (code === 'conflict') return again;
  const cure: '' | ` ${Hint}` = context.reason === 'payload-too-large' && hint ? ` ${hint}` : '';
  return code === 'locked'
    ? 'Locked: its operator has to open each such article; of a store of your own, blogctl store unlock --article <id> --store <store>.'
    : `Refused by the service: change in the file of each such post what the reason above says; as it is, it is refused each time.${cure}`;
}

export function unreadable(count: number): BlogctlError {
  const [files, they] = count === 1 ? ['One file was', 'it'] : [`${count} files were`, 'they'];
  return new BlogctlError('partly-failed', `${files} left out, because ${they} cannot be read.`, {
    hint: 'Repair what is named above and run it again.',
  });
}
