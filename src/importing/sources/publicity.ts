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

const publicStates = new Set(['published', 'publish', 'public', 'live']);
const everybody = new Set(['', 'public', 'everyone', 'anyone']);
const futureStates = new Set(['future', 'scheduled']);
/** Thrown away or never an article: nobody who asks for drafts means these. */
const discarded = new Set(['trash', 'trashed', 'deleted', 'spam', 'auto-draft', 'inherit']);
/** As YAML, JSON and the dumps of MySQL and PostgreSQL (`\N`) write it. */
const nothing = new Set(['', '~', 'null', '\\n']);
const no = new Set(['false', 'no', 'off', '0', 'n', 'f']);

/**
 * Why a record is not for everybody (decisions 50); undefined where it is to be imported. What cannot
 * be understood counts as a sign. `--drafts` takes what is not public but for what was discarded;
 * `--status` takes the states it names: a state that is not public carries the other signs with it,
 * but for a password and an audience, which only `any` and `--drafts` take.
 */
export function reasonNotPublic(
  signs: PublicitySigns,
  { drafts, statuses, now }: PublicityOptions,
): NotPublic | undefined {
  if (statuses?.includes('any')) return undefined;
  const status = textOf(signs.status).toLowerCase();
  const unpublished = unpublishedReason(signs, status, now);
  const limited = drafts ? undefined : limitedReason(signs);
  if (statuses !== undefined) {
    const states = statesOf(status, unpublished);
    const isWanted = states.some((state) => isNamed(state, statuses));
    return isWanted ? limited : (unpublished ?? `status ${states[0]}`);
  }
  if (drafts) return discarded.has(status) ? `status ${status}` : undefined;
  return unpublished ?? limited;
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

/** Whether a word is how somebody says no; what is empty says nothing. */
export function isNo(value: unknown): boolean {
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
  if (textOf(draft) !== '' && !isNo(draft)) return 'draft';
  if (status === 'draft') return 'draft';
  if (futureStates.has(status)) return 'future';
  if (status !== '' && !publicStates.has(status)) return `status ${status}`;
  if (isNo(published)) return 'unpublished';
  if (isFuture(date, now) || isFuture(published, now)) return 'future';
  return momentsOf(textOf(expires)).some((moment) => moment <= now) ? 'status expired' : undefined;
}

function limitedReason({ password, visibility }: PublicitySigns): NotPublic | undefined {
  if (textOf(password) !== '' && !isNo(password)) return 'password';
  const audience = textOf(visibility).toLowerCase();
  return everybody.has(audience) ? undefined : `visibility ${audience}`;
}

/** What `--status` may call a record. */
function statesOf(status: string, unpublished: NotPublic | undefined): readonly string[] {
  if (unpublished === undefined) return [status || 'published'];
  if (unpublished === 'future') return [...futureStates];
  return unpublished.startsWith('status ') ? [status] : ['draft', status];
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
  if (value === undefined || value === null) return '';
  const line = plainText(value).replaceAll(/\s+/g, ' ').trim();
  return nothing.has(line.toLowerCase()) ? '' : line.slice(0, 40);
}

function plainText(value: unknown): string {
  if (value instanceof Date) return value.toISOString();
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function isFuture(value: unknown, now: number): boolean {
  const dates: readonly unknown[] = Array.isArray(value) ? value : [value];
  return dates.some((date) => {
    const text = textOf(date);
    return yetToCome.test(text) || momentsOf(text).some((moment) => moment > now);
  });
}

/** Words in the place of a date. */
const yetToCome =
  /^(?:tomorrow|soon|later|upcoming|coming\b.*|next\b.*|in (?:an?|one|two|three|\d+) .*|.*\bfrom now|\+ ?\d.*|asap|someday|eventually|tb[acd]|t\.b\.[acd]\.?|to be .*|not yet\b.*|never|pending|future|scheduled|unscheduled|draft|wip|\?+)$/i;

/**
 * The moments that a date may mean, in milliseconds since 1970; none where it is no date. One without
 * a zone is read as UTC, so that every machine decides alike. Two where day and month may be either.
 */
export function momentsOf(text: string): readonly number[] {
  if (text === '') return [];
  const parts = calendar.exec(text);
  if (parts !== null) return [momentOfParts(parts)];
  if (/^\d+$/.test(text)) return momentsOfDigits(text);
  const [, ticks] = /^\/?Date\((-?\d+)/.exec(text) ?? [];
  if (ticks !== undefined) return [Number(ticks)];
  const [, first = '', second = '', year = ''] =
    /^(\d{1,2})[/.-](\d{1,2})[/.-](\d{4})\b/.exec(text) ?? [];
  if (year !== '') {
    const orders = [
      [+first, +second],
      [+second, +first],
    ] as const;
    return orders
      .filter(([month]) => month <= 12)
      .map(([month, day]) => Date.UTC(+year, month - 1, day));
  }
  const moment = momentOfText(text);
  if (!Number.isNaN(moment)) return [moment];
  return (text.match(/(?<!\d)[12]\d{3}(?!\d)/g) ?? []).map((each) => Date.UTC(+each, 0));
}

/** A year, a day, a day with its time; else seconds or a smaller unit. */
function momentsOfDigits(text: string): readonly number[] {
  if (text.length === 4) return [Date.UTC(+text, 0)];
  if (text.length === 8) return [momentOfText(text)];
  const sinceEpoch = Number(text) * (1000 / unitOf(text.length));
  const day = /^(?:19|2\d)\d{2}(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])/;
  if (text.length === 14 && day.test(text)) return [momentOfText(text)];
  return text.length === 12 && day.test(text) ? [sinceEpoch, momentOfText(text)] : [sinceEpoch];
}

/** How many of them are a second: what has so many digits is seconds, milliseconds … */
function unitOf(digits: number): number {
  if (digits < 11) return 1;
  if (digits < 15) return 1e3;
  return digits < 18 ? 1e6 : 1e9;
}

/** ISO 8601 without signs: `20200501`, `20200501T093000Z`. */
const compact = /^(\d{4})(\d{2})(\d{2})(?:[T ]?(\d{2})(\d{2})(\d{2})?)?(?=$|Z|[+-]|[.,]\d)/i;

/** ISO 8601 and its looser relatives: `2020-5-1 9:30 +0900`. */
const calendar =
  /^(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})(?:[T ]\s*(\d{1,2}):(\d{2})(?::(\d{2})(?:[.,]\d+)?)?)?\s*(Z|UTC|GMT|[+-]\d{2}(?::?\d{2})?)?$/i;

/** ISO 8601 without signs, else what the language understands. */
function momentOfText(text: string): number {
  const parts = calendar.exec(
    text.replace(
      compact,
      (_, year, month, day, hour = '00', minute = '00', second = '00') =>
        `${year}-${month}-${day}T${hour}:${minute}:${second}`,
    ),
  );
  if (parts !== null) return momentOfParts(parts);
  const hasZone = /(?:[+-]\d{2}:?\d{2}|[A-Z]{1,4})$/.test(text);
  return Date.parse(hasZone ? text : `${text} UTC`);
}

function momentOfParts(parts: RegExpExecArray): number {
  const { 1: year = '', 2: month = '', 3: day = '' } = parts;
  const { 4: hour = '0', 5: minute = '0', 6: second = '0', 7: zone } = parts;
  const moment = Date.UTC(+year, +month - 1, +day, +hour, +minute, +second);
  return zone === undefined ? moment : moment - offsetOf(zone);
}

/** Milliseconds that a zone is ahead of UTC. */
function offsetOf(zone: string): number {
  const [, sign, hours = '', minutes = '0'] = /^([+-])(\d{2}):?(\d{2})?$/.exec(zone) ?? [];
  return sign === undefined ? 0 : Number(`${sign}1`) * (+hours * 60 + +minutes) * 60_000;
}
