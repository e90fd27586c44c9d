import { momentsOf } from './dates.ts';

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
export const signsKnown = 3;

const publicStates = new Set(['published', 'publish', 'public', 'live']);
const everybody = new Set(['', 'public', 'everyone', 'anyone']);
const futureStates = new Set(['future', 'scheduled']);
const unfinished = new Set(['draft', 'pending']);
/** Thrown away or never an article: nobody who asks for drafts means these. */
const discarded = new Set(['trash', 'trashed', 'deleted', 'spam', 'auto-draft', 'inherit']);
/** As YAML, JSON and the dumps of MySQL and PostgreSQL (`\N`) write it. */
const nothing = new Set(['', '~', 'null', '\\n']);
const no = new Set(['false', 'no', 'off', '0', 'n', 'f']);

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
  // The name of a member that is lacking stands as it is written.
  const status = textOf(signs.status).replace(/^(?!no ").*/s, (word) => word.toLowerCase());
  const limited = drafts ? undefined : limitedReason(signs);
  if (statuses !== undefined) {
    const missing = reasonsWithStates(signs, status, now).find(
      ([, states]) => !states.some((state) => isNamed(state, statuses)),
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

/** Whether a word is how somebody says no; what is empty says nothing. */
export function meansNo(value: unknown): boolean {
  return no.has(textOf(value).toLowerCase());
}

export function isPublicState(text: string): boolean {
  return publicStates.has(text.toLowerCase());
}

function unpublishedReason(
  { draft, published, date, expires }: PublicitySigns,
  status: string,
  now: number,
): NotPublic | undefined {
  if (textOf(draft) !== '' && !meansNo(draft)) return 'draft';
  if (status === 'draft') return 'draft';
  if (futureStates.has(status)) return 'future';
  if (status !== '' && !publicStates.has(status)) return `status ${status}`;
  if (meansNo(published)) return 'unpublished';
  if (momentsIn(published).some((moment) => moment > now)) return 'future';
  const later = laterReason(date, now);
  if (later !== undefined) return later;
  return momentsIn(expires).some((moment) => moment <= now) ? 'status expired' : undefined;
}

function limitedReason({ password, visibility }: PublicitySigns): NotPublic | undefined {
  if (textOf(password) !== '' && !meansNo(password)) return 'password';
  const audience = textOf(visibility).toLowerCase();
  return everybody.has(audience) ? undefined : `visibility ${audience}`;
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
  const isUnfinished = unfinished.has(status) || discarded.has(status) || futureStates.has(status);
  const isOwn = !isUnfinished && status !== '' && !publicStates.has(status);
  const own: NotPublic = `status ${status || 'published'}`;
  const other = unpublishedReason(signs, isUnfinished ? status : '', now);
  return [
    ...(isOwn || other === undefined ? [[own, [status || 'published']] as const] : []),
    ...(other === undefined ? [] : [[other, statesOf(other, isUnfinished ? status : '')] as const]),
  ];
}

function statesOf(reason: NotPublic, status: string): readonly string[] {
  if (reason === 'future' || reason.startsWith('date ')) return [...futureStates];
  if (discarded.has(status)) return [status];
  return reason.startsWith('status ') ? [reason.slice('status '.length)] : ['draft', status];
}

/** The words for published mean the same. */
function isNamed(state: string, statuses: readonly string[]): boolean {
  const names = statuses.map((name) => name.trim().toLowerCase());
  return names.some(
    (name) => name === state || (publicStates.has(name) && publicStates.has(state)),
  );
}

/** One line of at most 40 characters, because it becomes part of a reason. */
export function textOf(value: unknown): string {
  return lineOf(value).slice(0, 40);
}

/** With all that stands around a date: its zone is mostly last. */
export function momentsIn(value: unknown): readonly number[] {
  return momentsOf(lineOf(value));
}

function lineOf(value: unknown): string {
  if (value === undefined || value === null) return '';
  const line = plainText(value).replaceAll(/\s+/g, ' ').trim();
  return nothing.has(line.toLowerCase()) ? '' : line;
}

function plainText(value: unknown): string {
  if (value instanceof Date) return value.toISOString();
  return typeof value === 'string' ? value : JSON.stringify(value);
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
