import { cutToWidth, printableLine } from '../terminal/text.ts';
import { actionKinds, actionTable, type Action, type Summary } from './actions.ts';

/** One line for each action that a reader would look for. */
export function linesOfPlan(actions: readonly Action[], prune: boolean): readonly string[] {
  const listed = actions.filter(isListed);
  const paths = listed.map(({ path = '' }) => printableLine(path).length);
  const widest = Math.min(45, Math.max(0, ...paths));
  return listed.map((action) => cutToWidth(lineOf(action, widest, prune), 80));
}

/** Neither unchanged nor unmanaged. */
export function isListed({ action }: Pick<Action, 'action'>): boolean {
  return actionTable[action].sign !== undefined;
}

function lineOf(action: Action, widest: number, prune: boolean): string {
  const { action: kind, path = '', id } = action;
  const article = id === undefined ? '' : `#${id}`;
  const what = whatOf(action, prune);
  return `${actionTable[kind].sign ?? ' '} ${printableLine(path).padEnd(widest)}  ${article.padEnd(4)} ${what}`.trimEnd();
}

export function whatOf(
  {
    action,
    reason = '',
    from,
    lines,
  }: Omit<Action, 'from'> & { readonly from?: string | undefined },
  prune: boolean,
): string {
  const was = from === undefined ? '' : `was ${printableLine(from)}`;
  const isKept = action === 'orphan' ? ` (kept${prune ? '' : ': no --prune'})` : '';
  const changed = action === 'update' ? changedLines(lines) : '';
  return [reason === '' ? changed : `${reason}${isKept}`, was]
    .filter((part) => part !== '')
    .join(', ');
}

function changedLines(lines: Action['lines']): string {
  if (lines === undefined) return '';
  const { added, removed } = lines;
  if (added + removed === 0) return 'title or white space';
  const parts = [
    ...(added > 0 ? [`${added} more`] : []),
    ...(removed > 0 ? [`${removed} less`] : []),
  ];
  return `lines: ${parts.join(', ')}`;
}

/** Each action by its number, in words. */
export function sentenceOf(summary: Summary, moved: number): string {
  const counted = actionKinds
    .filter((action) => isListed({ action }))
    .map((kind) => [summary[kind] ?? 0, actionTable[kind].words] as const);
  const said = [...counted, [moved, 'moved with their folder'] as const]
    .filter(([count]) => count > 0)
    .map(([count, what]) => `${count} ${what}`);
  const rest = `${summary.unchanged ?? 0} unchanged, ${summary.unmanaged ?? 0} not from here.`;
  return said.length === 0 ? `No changes. ${rest}` : `${said.join(', ')}. ${rest}`;
}

/** Paths that are called otherwise only because their folder moved. */
export function movedOf(actions: readonly Action[]): number {
  return actions.filter(({ action, from }) => action === 'unchanged' && from !== undefined).length;
}
