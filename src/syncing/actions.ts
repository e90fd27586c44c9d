import type { Validators } from '../client/blog-client.ts';
import { counted, cutToWidth, printableLine } from '../terminal/text.ts';
import type { Post } from './folder.ts';
import type { Text } from './same-text.ts';
import type { StateLine } from './state-file.ts';

type Row = {
  /** In front of its line in a plan; what has none is counted only. */
  readonly sign?: string;
  /** Of several, behind their number. */
  readonly words: string;
  /** What a run does: writes to the blog, leaves it until somebody decides, leaves it, has it already. */
  readonly does: 'write' | 'refuse' | 'leave' | 'nothing' | 'not ours';
  /** Its article is read: for the version to expect, and to say what would change. */
  readonly reads?: true;
  readonly reason?: string;
};

const reads = true;
const differs = 'differs, and nobody knows who changed it';
const edited = 'changed on the blog';
const both = 'changed here and on the blog';
const there = 'deleted on the blog';

/** What can be the case, in the order it is told. */
const table = {
  create: { sign: '+', words: 'to create', does: 'write' },
  update: { sign: '~', words: 'to update', does: 'write', reads },
  delete: { sign: '-', words: 'to delete', does: 'write', reads },
  conflict: { sign: '!', words: 'in conflict', does: 'refuse', reads, reason: both },
  unverified: { sign: '!', words: 'unverified', does: 'refuse', reads, reason: differs },
  suggestion: { sign: '?', words: 'in doubt which article it is', does: 'refuse' },
  drift: { sign: '≠', words: 'changed only on the blog', does: 'leave', reads, reason: edited },
  'deleted-there': { sign: '×', words: there, does: 'leave', reason: there },
  rename: { sign: '→', words: 'renamed', does: 'nothing' },
  orphan: { sign: '-', words: 'gone here', does: 'leave' },
  unchanged: { words: 'unchanged', does: 'nothing' },
  unmanaged: { words: 'not from here', does: 'not ours' },
} as const satisfies Readonly<Record<string, Row>>;

export type ActionKind = keyof typeof table;

export const actionTable: Readonly<Record<ActionKind, Row>> = table;
export const actionKinds = Object.keys(table).filter(isActionKind);

function isActionKind(text: string): text is ActionKind {
  return Object.hasOwn(table, text);
}

/** How many there are of each. */
export type Summary = Readonly<Partial<Record<ActionKind, number>>>;

export function countActions(actions: readonly Pick<Action, 'action'>[]): Summary {
  const counts = new Map(actionKinds.map((kind) => [kind, 0]));
  for (const { action } of actions) counts.set(action, (counts.get(action) ?? 0) + 1);
  return Object.fromEntries(counts);
}

export function doesOf({ action }: Pick<Action, 'action'>): Row['does'] {
  return actionTable[action].does;
}

/** What says that the text on the blog is ours. */
export type Base = 'state' | 'key' | 'git' | 'text' | 'unknown';

/** What an action was decided on; it is carried out only while that is so. */
export type Pin = Validators & {
  /** Of the article's text, where the service names no versions. */
  readonly digest?: string;
  /** sha256 of the bytes of the file. */
  readonly file?: string;
};

/** One line of a plan, without any text of an article. */
export type Action = {
  readonly action: ActionKind;
  /** Below the folder; absent for an article that is not from here. */
  readonly path?: string | undefined;
  readonly id?: number | undefined;
  readonly url?: string | undefined;
  readonly reason?: string | undefined;
  readonly base?: Base | undefined;
  /** Of a renamed file, both below the folder. */
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  /** Gone here, and edited there. */
  readonly edited?: boolean;
  /** Articles that look like the post. */
  readonly candidates?: readonly number[];
  /** Digests of the text on the blog and of the text in the file. */
  readonly before?: string | undefined;
  readonly after?: string;
  /** `title` where that differs too. */
  readonly lines?: { readonly title?: true; readonly added: number; readonly removed: number };
  readonly pin?: Pin;
};

/** The article as it was read when its action was decided. */
export type Target = {
  readonly id: number;
  readonly url: string;
  readonly text: Text;
  readonly digest: string;
  readonly validators: Validators;
};

/** An action with what is needed to carry it out. */
export type Step = {
  readonly action: Action;
  readonly post?: Post;
  readonly target?: Target | undefined;
  /** The digest of the article as the listing shows it. */
  readonly stored?: string | undefined;
  readonly line?: StateLine | undefined;
  /** Of a file that was gone: whether it is there again. */
  readonly isBack?: () => boolean;
  /** The Idempotency-Key to create it under, or that of its article, where that is known. */
  readonly key?: string;
};

/** One line for each action that a reader would look for; those of one kind stand together. */
export function linesOfPlan(actions: readonly Action[], prune: boolean): readonly string[] {
  const all = actions.filter(isListed);
  const listed = actionKinds.flatMap((kind) => all.filter(({ action }) => action === kind));
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
  const isKept =
    action === 'orphan' ? ` (kept${prune ? '' : ': no --prune'})` : (ways[action] ?? '');
  const changed = action === 'update' ? changedLines(lines) : '';
  return [reason === '' ? changed : `${reason}${isKept}`, was]
    .filter((part) => part !== '')
    .join(', ');
}

/** What it is left for. */
const ways: Readonly<Partial<Record<ActionKind, string>>> = {
  drift: ' (sync pull brings it)',
  'deleted-there': ' (left: no --recreate)',
};

function changedLines(lines: Action['lines']): string {
  if (lines === undefined) return '';
  const { title, added, removed } = lines;
  const said = counted({ more: added, less: removed });
  const parts = [title ? 'title' : '', said === '' ? '' : `lines: ${said}`];
  return parts.filter((part) => part !== '').join(', ') || 'white space';
}

/** Each action by its number, in words. */
export function sentenceOf(summary: Summary, moved: number): string {
  const listed = actionKinds.filter((action) => isListed({ action }));
  const counts = listed.map((kind) => [actionTable[kind].words, summary[kind] ?? 0] as const);
  const said = counted(Object.fromEntries([...counts, ['moved with their folder', moved]]));
  const rest = `${summary.unchanged ?? 0} unchanged, ${summary.unmanaged ?? 0} not from here.`;
  return said === '' ? `No changes. ${rest}` : `${said}. ${rest}`;
}

/** Paths that are called otherwise only because their folder moved. */
export function movedOf(actions: readonly Action[]): number {
  return actions.filter(({ action, from }) => action === 'unchanged' && from !== undefined).length;
}
