import { momentsOf } from './dates.ts';

/**
 * What a record says of who may read it, as its format gives it: texts, or values of JSON and TOML.
 * Absent, null and empty say nothing.
 */
export type PublicitySigns = {
  readonly draft?: unknown;
  readonly published?: unknown;
  readonly status?: unknown;
  /** When it is, was or will be published. */
  readonly date?: unknown;
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

/**
 * The names under which records and front matter hold the signs. The first that is there counts; of
 * dates all do.
 */
const memberNames: Readonly<Record<keyof PublicitySigns, readonly string[]>> = {
  draft: ['draft'],
  published: ['published'],
  status: ['status'],
  date: ['date', 'publishDate', 'pubDate', 'published_at', 'publishedAt', 'date_published'],
  password: ['password'],
  visibility: ['visibility', 'audience'],
};

/** All of them. */
export const publicityNames = Object.values(memberNames).flat();

const publicStates = new Set(['published', 'publish', 'public', 'live']);
const futureStates = new Set(['future', 'scheduled']);
/** Thrown away or never an article: nobody who asks for drafts means these. */
const discarded = new Set(['trash', 'trashed', 'deleted', 'spam', 'auto-draft', 'inherit']);
const nothing = new Set(['', '~', 'null']);
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

/** The signs among the members of a record or of front matter, by a look-up of one name. */
export function publicitySigns(memberNamed: (name: string) => unknown): PublicitySigns {
  const signs = Object.entries(memberNames).map(([sign, names]) => {
    const values = names.map(memberNamed).filter((value) => textOf(value) !== '');
    return [sign, sign === 'date' && values.length > 1 ? values : values[0]];
  });
  return Object.fromEntries(signs);
}

function unpublishedReason(
  { draft, published, date }: PublicitySigns,
  status: string,
  now: number,
): NotPublic | undefined {
  const isDraft = textOf(draft).toLowerCase();
  if (isDraft !== '' && !no.has(isDraft)) return 'draft';
  if (no.has(textOf(published).toLowerCase())) return 'unpublished';
  if (status === 'draft') return 'draft';
  if (futureStates.has(status)) return 'future';
  if (status !== '' && !publicStates.has(status)) return `status ${status}`;
  return isFuture(date, now) || isFuture(published, now) ? 'future' : undefined;
}

function limitedReason({ password, visibility }: PublicitySigns): NotPublic | undefined {
  if (password !== false && textOf(password) !== '') return 'password';
  const audience = textOf(visibility).toLowerCase();
  return audience === '' || audience === 'public' ? undefined : `visibility ${audience}`;
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
function textOf(value: unknown): string {
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
  return dates.some((date) => momentsOf(textOf(date)).some((moment) => moment > now));
}
