import type { BlogctlError } from '../errors.ts';
import type { DiffLine } from '../terminal/diff.ts';
import { cutInMiddle, wrapped } from '../terminal/table.ts';
import { counted, displayWidth, printableLine, printableText } from '../terminal/text.ts';
import {
  actionKinds,
  actionTable,
  isListed,
  whyByHand,
  type Action,
  type ActionKind,
  type Step,
} from './decide.ts';
import { byHand, type Lines, type PlanDocument, type PlanReport } from './plan-document.ts';
import { changeOf } from './same-text.ts';

/**
 * One row for each action that a reader would look for; those of one kind stand together. Where columns
 * are few, paths lose their middle, and what is to be done never a word: it goes on beneath.
 */
export function linesOfPlan(
  actions: readonly Action[],
  lines: Pick<Lines, 'prune' | 'article'>,
  columns = Number.POSITIVE_INFINITY,
): readonly string[] {
  const all = actions.filter(isListed);
  const listed = actionKinds.flatMap((kind) => all.filter(({ action }) => action === kind));
  const paths = listed.map(({ path = '' }) => displayWidth(printableLine(path)));
  const room = Math.max(leastPath, columns - gaps - leastWhat);
  const widest = Math.min(45, room, Math.max(0, ...paths));
  return listed.flatMap((action) => rowOf(action, { widest, columns, lines }));
}

const leastPath = 20;
const leastWhat = 24;
/** Of a row: its sign, its article, and the blanks between. */
const gaps = 9;

type ReportRow = { readonly widest: number; readonly columns: number; readonly lines: Ways };
type Ways = Parameters<typeof linesOfPlan>[1];

function rowOf(action: Action, { widest, columns, lines: ways }: ReportRow): readonly string[] {
  const { action: kind, path = '', id } = action;
  const article = (id === undefined ? '' : `#${id}`).padEnd(4);
  const what = whatOf(action, ways);
  const sign = actionTable[kind].sign ?? ' ';
  const isBeneath = columns - gaps - widest < leastWhat;
  const ofPath = isBeneath ? columns - gaps : columns - gaps - displayWidth(what);
  const shown = cutInMiddle(printableLine(path), Math.max(widest, ofPath));
  if (isBeneath) {
    const lines = wrapped(what, columns - 4).map((line) => `    ${line}`);
    return [`${sign} ${shown}  ${article}`.trimEnd(), ...lines];
  }
  const blanks = ' '.repeat(Math.max(0, widest - displayWidth(shown)));
  const start = `${sign} ${shown}${blanks}  ${article} `;
  const [first = '', ...more] = wrapped(what, columns - displayWidth(start));
  const indent = ' '.repeat(displayWidth(start));
  return [(start + first).trimEnd(), ...more.map((line) => indent + line)];
}

export function whatOf(told: Action, ways: Ways): string {
  const { action, reason = '', from, lines } = told;
  const was = from === undefined ? '' : `was ${printableLine(from)}`;
  const left = reason === byHand ? '' : (leftFor[action] ?? '');
  const isKept = action === 'orphan' ? whyKept(told, ways) : left;
  const changed = action === 'update' ? changedLines(lines) : '';
  return [reason === '' ? changed : `${reason}${isKept}`, was]
    .filter((part) => part !== '')
    .join(', ');
}

function whyKept({ edited, reason, id = 0 }: Action, { prune, article }: Ways): string {
  if (whyByHand(reason) !== undefined)
    return ` (kept: ${article('delete', id)} takes it off the blog)`;
  if (!prune) return ' (kept: no --prune)';
  return edited === true ? ' (kept: no --on-drift overwrite)' : ' (kept)';
}

/** What it is left for. */
const leftFor: Readonly<Partial<Record<ActionKind, string>>> = {
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
export function sentenceOf(told: PlanReport): string {
  const { summary, actions, skipped, rejected, notOfPlan = 0 } = told;
  // Paths that are called otherwise only because their folder moved.
  const moved = actions.filter(({ action, from }) => action === 'unchanged' && from !== undefined);
  const listed = actionKinds.filter((action) => isListed({ action }));
  const counts = listed.map((kind) => [actionTable[kind].words, summary[kind] ?? 0] as const);
  const said = counted(Object.fromEntries([...counts, ['moved with their folder', moved.length]]));
  const reasons = Object.entries(skipped).map(([reason, count]) => `${reason} ${count}`);
  const passed = Object.values(skipped).reduce((sum, count) => sum + count, 0);
  const others = [
    `${summary.unchanged ?? 0} unchanged, ${summary.unmanaged ?? 0} not from here`,
    ...(passed > 0 ? [`${passed} not to be published (${reasons.join(', ')})`] : []),
    ...(rejected.length > 0 ? [`${rejected.length} left out (cannot be read)`] : []),
    ...(notOfPlan > 0 ? [`${notOfPlan} not of this plan`] : []),
  ];
  return `${said === '' ? 'No changes' : said}. ${others.join(', ')}.`;
}

/** There may not be room for all: what deletes, waits for somebody or writes over comes before what is new. */
const urgent = ['delete', 'conflict', 'unverified', 'unmerged', 'suggestion', 'update'] as const;
const byUrgency: ReadonlySet<ActionKind> = new Set([...urgent, ...actionKinds]);

const mostCharacters = 60_000; // A comment of a pull request takes 65,536.
const mostRows = 100;
const mostOfWarnings = 10_000;
const mostOfTable = 30_000;
const longestPath = 120;
const mostOfOne = 6_000;

/**
 * A plan as a comment of a pull request or a step summary: a marker to find it again by, a sentence, a
 * table, and what would change as far as there is room. No text of a post can leave its place in it,
 * mention anybody, or hide that something is left out.
 */
export function markdownOf(
  plan: PlanDocument,
  steps: readonly Step[],
  { lines, way }: { readonly lines: Lines; readonly way?: string | undefined },
): string {
  const { actions, importId, warnings, rejected } = plan;
  const leftOut = rejected.map(({ path, message }) => `${path}: ${message}`);
  if (leftOut.length > 0) leftOut.unshift(`Apply leaves out ${leftOut.length} and ends with 10.`);
  const told = [...warnings, ...leftOut].map((warning) => `\n**${prose(warning)}**\n`);
  const { text } = asManyAs(mostOfWarnings, told, (line) => line);
  const head = `${markerOf(importId)}\n${sentenceOf(plan)}\n${text}`;
  const all = actions.filter(isListed);
  const listed = [...byUrgency].flatMap((kind) => all.filter(({ action }) => action === kind));
  if (listed.length === 0) return head;
  const isUnsure = listed.some(({ action }) => action === 'unverified');
  const kept = isUnsure ? '; of a plan that is kept (-o) it writes over what is unverified' : '';
  const leaves = `\n**Apply will leave some of it and end with 10${kept}.** `;
  const next = way === undefined ? '' : `${leaves}${prose(way)}\n`;
  const start = `${head}\n${tableOf(listed, lines)}${next}`;
  return start + detailsOf(steps, mostCharacters - start.length, lines);
}

/** Why there is no plan, for the same place. */
export function failureAsMarkdown({ message, hint }: BlogctlError, importId: string): string {
  return `${markerOf(importId)}\n**There is no plan: ${prose(message)}**\n\n${prose(hint ?? '')}\n`;
}

/** Of a comment in HTML, which two hyphens would end. */
function markerOf(importId: string): string {
  const id = importId.replaceAll(/[^\w./-]/g, '_').replaceAll('--', '__');
  return `<!-- ${`blogctl sync ${id}`.trim()} -->`;
}

function whereWhole({ again }: Lines): string {
  return prose(`The whole plan: ${again('plan')} with --json or -o plan.json.`);
}

function tableOf(actions: readonly Action[], lines: Lines): string {
  const lineOf = (action: Action) => {
    const { action: kind, path = '', id = '', from } = action;
    const was = from === undefined ? '' : ` (was ${code(from)})`;
    const what = prose(whatOf({ ...action, from: undefined }, lines));
    return `| ${kind} | ${code(path)}${was} | ${id} | ${what} |\n`;
  };
  const head = '| action | post | article | |\n| --- | --- | --- | --- |\n';
  const { text, shown } = asManyAs(mostOfTable - head.length, actions.slice(0, mostRows), lineOf);
  const left = actions.slice(shown);
  const deletes = left.filter(({ action }) => action === 'delete').length;
  const which = deletes > 0 ? `, ${deletes} of them deletions` : '';
  const missing = `\n**${left.length} more rows are left out${which}.** ${whereWhole(lines)}\n`;
  return head + text + (left.length > 0 ? missing : '');
}

/** One after the other while there is room. */
function asManyAs<T>(room: number, things: readonly T[], textOf: (thing: T) => string) {
  let text = '';
  let shown = 0;
  for (const thing of things) {
    const next = textOf(thing);
    if (text.length + next.length > room) break;
    text += next;
    shown += 1;
  }
  return { text, shown };
}

/** The texts that would change, each in a fence of its own, until the room is used up. */
function detailsOf(steps: readonly Step[], room: number, lines: Lines): string {
  const changed = steps.filter(({ post, target }) => post !== undefined && target !== undefined);
  const added = steps.filter(({ action }) => action.action === 'create');
  const all = [...changed, ...added];
  const missingOf = (count: number) =>
    `\n**The texts of ${count} more posts are left out.** ${whereWhole(lines)}\n`;
  const reserve = missingOf(all.length).length;
  const { text, shown } = asManyAs(room - reserve, all, detailOf);
  const left = all.length - shown;
  return left > 0 && room > reserve ? text + missingOf(left) : text;
}

function detailOf({ action: { path = '', action }, post, target }: Step): string {
  const now = post?.text();
  if (now === undefined) return '';
  const isDrift = action === 'drift';
  const lines = changeOf(now, target?.text, isDrift).map((line) => marks[line.kind] + line.text);
  const legend = isDrift
    ? ['--- in the file', '+++ on the blog']
    : ['--- on the blog', '+++ in the file'];
  const whole = [...(target === undefined ? [] : legend), ...lines].join('\n');
  const diff = printableText(whole)
    .slice(0, mostOfOne)
    .replace(/[\uD800-\uDBFF]$/, '');
  const cut = whole.length > mostOfOne ? '\n**This text is cut.**\n' : '';
  const fence = '`'.repeat(Math.max(3, longestRun(diff) + 1));
  const title = `${action} ${code(path)}`;
  return `\n<details><summary>${title}</summary>\n\n${fence}diff\n${diff}\n${fence}\n${cut}\n</details>\n`;
}

const marks: Readonly<Record<DiffLine['kind'], string>> = { same: ' ', removed: '-', added: '+' };

function longestRun(text: string): number {
  return Math.max(0, ...(text.match(/`+/g) ?? []).map(({ length }) => length));
}

/** A path as code, in which GitHub finds neither mentions nor issues. */
function code(path: string): string {
  const isLong = path.length > longestPath;
  return `<code>${entities(isLong ? `${path.slice(0, longestPath)}…` : path)}</code>`;
}

/** Words in which nothing is a tag, a cell, a mention or an issue. */
function prose(text: string): string {
  return entities(text).replaceAll(/&#(?:35|64);/g, '$&&#8203;');
}

/** What Markdown or HTML would make something of, as character references. */
function entities(text: string): string {
  return printableLine(text).replaceAll(
    // Within a word a low line is text; of www. and what follows GitHub makes a link.
    /[&<>`|\\*[\]#@~$:]|(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])|(?<=www)\./giu,
    (sign) => `&#${sign.codePointAt(0)};`,
  );
}
