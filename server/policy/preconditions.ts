import { Refusal } from '../errors.ts';
import { isOfOneVersion } from '../store/store.ts';

type Headers = Readonly<Record<string, string | undefined>>;

/** What the client can know of the newest version. */
type Validators = {
  readonly etag: string;
  /**
   * Milliseconds since the epoch; only whole seconds are ever compared (decisions 15), and before a
   * change none that saw more than one version (RFC 9110, 13.1.4).
   */
  readonly changedAt: number;
};

/** Whether a reader's copy is current, which is a 304 (interface, Endpoints, rules 8 and 9). */
export function isCurrentCopy(headers: Headers, current: Validators): boolean {
  requireMatch(headers['if-match'], current);
  if (headers['if-match'] === undefined && headers['if-none-match'] === undefined)
    requireNotSince(headers['if-unmodified-since'], current);
  const ifNoneMatch = headers['if-none-match'];
  if (ifNoneMatch !== undefined) return matchesWeakly(parseTags(ifNoneMatch), current.etag);
  const since = headers['if-modified-since'];
  if (since === undefined || headers['if-match'] !== undefined) return false;
  const date = parseHttpDate(since, current.changedAt);
  if (date === undefined) return false;
  return wholeSeconds(current.changedAt) <= wholeSeconds(date);
}

/**
 * Lets a change pass whose guards all hold, else 412 (interface, Endpoints, rules 8 and 9). A tag
 * outranks a date (interface, Endpoints, rule 10); a guard that cannot be read does not hold (decisions 17); *any other*
 * date than Last-Modified differs (decisions 16). Where a guard `isRequired`, none that says
 * which version is meant is 400 (decisions 18).
 */
export function requireHolds(headers: Headers, current: Validators, isRequired = false): void {
  const { 'if-match': ifMatch, 'if-none-match': ifNoneMatch } = headers;
  requireMatch(ifMatch, current);
  if (ifNoneMatch !== undefined) requireNoMatch(ifNoneMatch, current);
  if (ifMatch !== undefined) return;
  const since = ifNoneMatch === undefined ? headers['if-unmodified-since'] : undefined;
  const date = since === undefined ? undefined : parseHttpDate(since, current.changedAt);
  if (date === undefined) {
    if (isRequired) throw unguarded(since);
    return;
  }
  const changed = httpDate(current.changedAt);
  if (wholeSeconds(date) !== wholeSeconds(current.changedAt)) {
    throw new Refusal('precondition-failed', `It was last changed on ${changed}.`);
  }
  if (!isOfOneVersion(current.changedAt)) {
    const message = `It was changed more than once on ${changed}: send its ETag as If-Match.`;
    throw new Refusal('precondition-failed', message);
  }
}

/** A reader wants what it has begun to read, or nothing (RFC 9110, 13.2.2, step 2). */
function requireNotSince(since: string | undefined, { changedAt }: Validators): void {
  const date = since === undefined ? undefined : parseHttpDate(since, changedAt);
  if (date === undefined || wholeSeconds(changedAt) <= wholeSeconds(date)) return;
  throw new Refusal('precondition-failed', `It was last changed on ${httpDate(changedAt)}.`);
}

/** A date that cannot be read and a tag that is not there hold, whatever the version is. */
function unguarded(since: string | undefined): Refusal {
  const unread =
    since === undefined
      ? ''
      : ` ${JSON.stringify(since.slice(0, 100))} is no date of HTTP, as "${httpDate(0)}" is.`;
  const message = `Send the ETag you read as If-Match: this service takes no change without it.${unread}`;
  return new Refusal('precondition-required', message);
}

/** Whether the request carries any guard of a change. */
export function isGuarded(headers: Headers): boolean {
  return guards.some((name) => headers[name] !== undefined);
}

const guards = ['if-match', 'if-none-match', 'if-unmodified-since'] as const;

function requireMatch(ifMatch: string | undefined, current: Validators): void {
  if (ifMatch === undefined || matchesStrongly(parseTags(ifMatch), current.etag)) return;
  throw new Refusal('precondition-failed', `The current ETag is ${current.etag}.`);
}

function requireNoMatch(ifNoneMatch: string, current: Validators): void {
  const condition = parseTags(ifNoneMatch);
  if (condition !== 'unreadable' && !matchesWeakly(condition, current.etag)) return;
  throw new Refusal('precondition-failed', `If-None-Match meets the current ETag ${current.etag}.`);
}

function wholeSeconds(milliseconds: number): number {
  return Math.floor(milliseconds / 1000);
}

type EntityTag = { readonly weak: boolean; readonly opaque: string };

/** `*`, a list, or `unreadable` where the field is neither (RFC 9110, 13.1.1). */
type TagCondition = '*' | 'unreadable' | readonly EntityTag[];

const element = /[ \t]*(?:(W\/)?"([\x21\x23-\x7e\x80-\xff]*)")?[ \t]*(,|$)/y;

function parseTags(field: string): TagCondition {
  if (field.trim() === '*') return '*';
  const tags: EntityTag[] = [];
  let at = 0;
  while (at < field.length) {
    element.lastIndex = at;
    const found = element.exec(field);
    if (found === null) return 'unreadable';
    const [whole, weak, opaque] = found;
    if (opaque !== undefined) tags.push({ weak: weak !== undefined, opaque: `"${opaque}"` });
    at += whole.length;
  }
  return tags.length === 0 ? 'unreadable' : tags;
}

/** Whether the condition holds for a strong `etag`, compared strongly (for If-Match). */
function matchesStrongly(condition: TagCondition, etag: string): boolean {
  if (condition === '*') return true;
  return listOf(condition).some((tag) => !tag.weak && tag.opaque === etag);
}

/** The same, compared weakly (for If-None-Match). */
function matchesWeakly(condition: TagCondition, etag: string): boolean {
  return condition === '*' || listOf(condition).some((tag) => tag.opaque === etag);
}

function listOf(condition: 'unreadable' | readonly EntityTag[]): readonly EntityTag[] {
  return condition === 'unreadable' ? [] : condition;
}

const obsolete = {
  /** Sunday, 06-Nov-94 08:49:37 GMT */
  rfc850:
    /^[A-Z][a-z]{5,8}, (?<day>\d\d)-(?<month>[A-Z][a-z]{2})-(?<year>\d\d) (?<time>[\d:]{8}) GMT$/,
  /** Sun Nov  6 08:49:37 1994 */
  asctime:
    /^[A-Z][a-z]{2} (?<month>[A-Z][a-z]{2}) (?<day>[ \d]\d) (?<time>[\d:]{8}) (?<year>\d{4})$/,
};

/** Milliseconds since the epoch as an HTTP date (IMF-fixdate; RFC 9110, 5.6.7). */
export function httpDate(milliseconds: number): string {
  return new Date(milliseconds).toUTCString();
}

/**
 * Milliseconds since the epoch of an HTTP date in any of its three forms (RFC 9110, 5.6.7);
 * undefined where it is none, so that the caller can ignore it (decisions 16).
 */
export function parseHttpDate(text: string, now: number): number | undefined {
  const found = obsolete.rfc850.exec(text) ?? obsolete.asctime.exec(text);
  const { day, month, year, time } = found?.groups ?? {};
  if (day === undefined || year === undefined) return preciseDate(text);
  return preciseDate(
    imfDate(`${day.trim().padStart(2, '0')} ${month} ${fullYear(year, now)} ${time}`),
  );
}

/** Date.parse takes many texts for dates; only what it prints back in the same words is one. */
function preciseDate(text: string): number | undefined {
  const milliseconds = Date.parse(text);
  const isDate = !Number.isNaN(milliseconds) && httpDate(milliseconds) === text;
  return isDate ? milliseconds : undefined;
}

/** The weekday carries no information; the one that belongs to the date is put before it. */
function imfDate(dayMonthYearTime: string): string {
  const milliseconds = Date.parse(`${dayMonthYearTime} GMT`);
  const weekday = Number.isNaN(milliseconds) ? '' : httpDate(milliseconds).slice(0, 3);
  return `${weekday}, ${dayMonthYearTime} GMT`;
}

/** Two digits more than 50 years ahead mean the past (RFC 9110, 5.6.7). */
function fullYear(digits: string, now: number): string {
  if (digits.length === 4) return digits;
  const thisYear = new Date(now).getUTCFullYear();
  const year = Math.floor(thisYear / 100) * 100 + Number(digits);
  return String(year > thisYear + 50 ? year - 100 : year);
}
