import { momentsOf } from './dates.ts';
import { abroad, lineOf, meansNo, no, plainValue, plainWords, textOf } from './words.ts';

/**
 * What a record says of who may read it, as its format gives it: texts, or values of JSON and TOML.
 * Absent, null and empty say nothing here.
 */
export type PublicitySigns = {
  readonly draft?: unknown;
  readonly published?: unknown;
  readonly status?: unknown;
  /** When it is, was or will be published. */
  readonly date?: unknown;
  /** From when on it is public no more. */
  readonly expires?: unknown;
  readonly password?: unknown;
  readonly visibility?: unknown;
};

export type NotPublic =
  | 'draft'
  | 'unpublished'
  | 'future'
  | 'password'
  | `date ${string}`
  | `status ${string}`
  | `visibility ${string}`;

export type PublicityOptions = {
  /** Take what is not public too. */
  readonly drafts: boolean;
  /** Take records of these states only, or `any`. */
  readonly statuses?: readonly string[] | undefined;
  /** Milliseconds since 1970; one moment for a whole import, so that two readings agree. */
  readonly now: number;
};

/**
 * Another number with each sign that is new: a sync deletes no article for one that nobody put into its file since
 * (docs/sync.md). A test holds the two together.
 */
export const signsKnown = 5;

const unfinished = new Set(['draft', 'pending', 'future']);
/** Thrown away or never an article: nobody who asks for drafts means these. */
const discarded = new Set(['trash', 'trashed', 'deleted', 'spam', 'auto-draft', 'inherit']);
const states = new Map(
  Object.entries({
    draft: `draft ${abroad.draft} ${abroad.unfinished}`,
    future: `future scheduled ${abroad.scheduled}`,
    unpublished: `unpublished ${abroad.unpublished}`,
    published: `published publish public live ${abroad.published} ${abroad.public}`,
  }).flatMap(([state, list]) => plainWords(list).map((word) => [word, state] as const)),
);
const everybody = new Set(['', ...plainWords(`public everyone anyone ${abroad.public}`)]);

/**
 * Why a record is not for everybody (decisions 50); undefined where it is to be imported. What cannot
 * be understood counts as a sign. `--drafts` takes what is not public but for what was discarded;
 * `--status` takes the states it names, with a date that is ahead only where that is named too (`future`);
 * a password and an audience only `any` and `--drafts` take.
 */
export function reasonNotPublic(
  signs: PublicitySigns,
  { drafts, statuses, now }: PublicityOptions,
): NotPublic | undefined {
  if (statuses?.includes('any')) return undefined;
  const status = stateOf(textOf(signs.status));
  const limited = drafts ? undefined : limitedReason(signs);
  if (statuses !== undefined) {
    const missing = reasonsWithStates(signs, status, now).find(
      ([, needed]) => !statuses.some((name) => needed.includes(stateOf(name.trim()))),
    );
    return missing?.[0] ?? limited;
  }
  if (drafts) return discarded.has(status) ? `status ${status}` : undefined;
  return unpublishedReason(signs, status, now) ?? limited;
}

/** Why any of these keeps a record from the public. */
export function firstReason(
  signs: readonly PublicitySigns[],
  options: PublicityOptions,
): NotPublic | undefined {
  for (const each of signs) {
    const reason = reasonNotPublic(each, options);
    if (reason !== undefined) return reason;
  }
  return undefined;
}

/** Whether a record is passed over because it is not for everybody, and not for what it is or because others are wanted. */
export function isNotPublic(reason: string): boolean {
  if (/^(?:section-page|repeated|type .*)$/s.test(reason)) return false;
  return !isPublicState(reason.replace(/^status /, ''));
}

/** The flag that takes what was left out for this reason. */
export function flagFor(reason: string): string {
  const [, state = ''] = /^status (.*)$/s.exec(reason) ?? [];
  return discarded.has(state) ? `--status ${state}` : '--drafts';
}

export function isPublicState(text: string): boolean {
  return stateOf(text) === 'published';
}

/** In English where that is known; the name of a member that is lacking stands as it is written. */
export function stateOf(text: string): string {
  return text.startsWith('no "') ? text : (states.get(plainValue(text)) ?? text.toLowerCase());
}

function unpublishedReason(
  { draft, published, date, expires }: PublicitySigns,
  status: string,
  now: number,
): NotPublic | undefined {
  if (textOf(draft) !== '' && !meansNo(draft)) return 'draft';
  if (status === 'draft') return 'draft';
  if (status === 'future') return 'future';
  if (status !== '' && status !== 'published') return `status ${status}`;
  if (meansNo(published)) return 'unpublished';
  if (momentsIn(published).some((moment) => moment > now)) return 'future';
  const later = laterReason(date, now);
  if (later !== undefined) return later;
  return momentsIn(expires).some((moment) => moment <= now) ? 'status expired' : undefined;
}

function limitedReason({ password, visibility }: PublicitySigns): NotPublic | undefined {
  // Any word of another language may be one.
  const word = textOf(password).toLowerCase();
  if (word !== '' && !no.has(word)) return 'password';
  const audience = textOf(visibility).toLowerCase();
  return everybody.has(plainValue(audience)) ? undefined : `visibility ${audience}`;
}

/**
 * What keeps a record back, and the states of which `--status` has to name one for each. What was never public
 * carries its other signs with it; any other word may be somebody's own for published, with an embargo.
 */
function reasonsWithStates(
  signs: PublicitySigns,
  status: string,
  now: number,
): readonly (readonly [NotPublic, states: readonly string[]])[] {
  const isUnfinished = unfinished.has(status) || discarded.has(status);
  const isOwn = !isUnfinished && status !== '' && status !== 'published';
  const own: NotPublic = `status ${status || 'published'}`;
  const other = unpublishedReason(signs, isUnfinished ? status : '', now);
  return [
    ...(isOwn || other === undefined ? [[own, [status || 'published']] as const] : []),
    ...(other === undefined ? [] : [[other, statesOf(other, isUnfinished ? status : '')] as const]),
  ];
}

function statesOf(reason: NotPublic, status: string): readonly string[] {
  if (reason === 'future' || reason.startsWith('date ')) return ['future'];
  if (discarded.has(status)) return [status];
  return reason.startsWith('status ') ? [reason.slice('status '.length)] : ['draft', status];
}

/** With all that stands around a date: its zone is mostly last. */
export function momentsIn(value: unknown): readonly number[] {
  return momentsOf(lineOf(value));
}

/** One of several dates is enough, and so is one that cannot be understood. */
function laterReason(value: unknown, now: number): NotPublic | undefined {
  const dates: readonly unknown[] = Array.isArray(value) ? value : [value];
  const lines = dates.map(lineOf).filter((line) => line !== '' && !notLater.test(line));
  const read = lines.map(momentsOf);
  if (read.flat().some((moment) => moment > now)) return 'future';
  const unknown = read.findIndex((moments) => moments.length === 0);
  return unknown === -1 ? undefined : `date ${textOf(lines[unknown])}`;
}

/** The time of a day that stands beside it, and words for what is not ahead. */
const notLater =
  /^(?:\d{1,2}:\d{2}(?::\d{2})?(?: ?[ap]m)?|now|today|yesterday|(?:git )?(?:last[- ]modified|created)|.*\bago)$/i;

/** What MongoDB wraps: `{"$date": "2020-01-01"}`, `{"$date": {"$numberLong": "0"}}`. */
export function plainOf(value: unknown, depth = 0): unknown {
  if (!isPlainObject(value) || depth > 3) return value;
  const [only, ...others] = Object.entries(value);
  const isWrapped = only?.[0].startsWith('$') === true && others.length === 0;
  return isWrapped ? plainOf(only[1], depth + 1) : value;
}

export function isPlainObject(value: unknown): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

/** The line, from 1, with the first mark of a conflict of git; undefined where there is none, or it was settled. */
export function lineOfConflict(text: string): number | undefined {
  if (!text.includes('<<<<<<< ') && !text.includes('>>>>>>> ')) return undefined;
  const first = beginOfConflict(besidesCode(text.split(/\r\n?|\n/)));
  return first === -1 ? undefined : first + 1;
}

const marks = [/^<{7} /, /^={7}$/, /^>{7} /] as const;

/** Two of the three marks in their order: who took one out by hand may have forgotten the others. */
function beginOfConflict(lines: readonly string[]): number {
  let [begin, latest] = [-1, -1];
  for (let at = lines.length - 1; at >= 0; at -= 1) {
    const mark = marks.findIndex((each) => each.test(lines[at] ?? ''));
    if (mark !== -1 && mark < latest) begin = at;
    latest = Math.max(latest, mark);
  }
  return begin;
}

/** The line that opens or closes a block of code (CommonMark, 4.5), also behind the sign of a list. */
const fenceLine = /^\s*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)*(`{3,}(?!.*`)|~{3,})/;

/** Without the blocks that have a conflict whole: one that has less of it is on a side of it. */
function besidesCode(lines: readonly string[]): readonly string[] {
  const left = [...lines];
  let open: { readonly at: number; readonly fence: string } | undefined;
  for (const [at, line] of lines.entries()) {
    const [, fence] = fenceLine.exec(line) ?? [];
    if (fence === undefined) continue;
    if (open === undefined) open = { at, fence };
    else if (line.trim() === fence && fence.startsWith(open.fence)) {
      const block = lines.slice(open.at, at);
      if (marks.every((mark) => block.some((each) => mark.test(each)))) left.fill('', open.at, at);
      open = undefined;
    }
  }
  return left;
}

/** What was committed as git left it; who writes of the marks has them in a block of code. */
export function conflictIn(text: string) {
  const line = lineOfConflict(text);
  if (line === undefined) return undefined;
  const message = `Line ${line} is of a conflict of git: settle it, or show it as a block of code.`;
  return { kind: 'conflict-of-git', message } as const;
}
