/**
 * What can go wrong, and the exit status each kind ends the process with
 * (docs/exit-codes.md). A new code cannot exist without a status.
 */
export const exitStatusOf = {
  'internal-error': 1,
  usage: 2,
  'authentication-required': 3,
  forbidden: 3,
  cancelled: 4,
  'not-found': 5,
  gone: 5,
  conflict: 6,
  'precondition-failed': 6,
  locked: 6,
  'failed-dependency': 6,
  'bad-request': 7,
  'not-acceptable': 7,
  unprocessable: 7,
  'unusable-input': 7,
  'unusable-store': 7,
  'rate-limited': 8,
  unreachable: 9,
  'service-failed': 9,
  'broken-contract': 9,
  'answer-too-long': 9,
  'partly-failed': 10,
  differences: 11,
  'rule-broken': 11,
  interrupted: 130,
  terminated: 143,
} as const;

export type ErrorCode = keyof typeof exitStatusOf;

/** What to do next, as a sentence: one without capital and full stop does not compile. */
export type Hint = `${Capitalize<string>}.`;

const aCommand = /\bblogctl\b|(?<!\S)--?[a-z]/;
const isHint = (text: string): text is Hint => /^[A-Z][^]*\.$/.test(text);

/** A program has no terminal: of a hint it has what stands before a command or a flag of it. */
export function hintForPrograms(hint: Hint): Hint | undefined {
  const at = hint.search(aCommand);
  if (at === -1) return hint;
  const before = hint.slice(0, at);
  const [, kept = ''] = /^(.+)(?:[.:;] | \()/.exec(before) ?? /^(.+), /.exec(before) ?? [];
  return [`${kept}.`].find(isHint);
}

/** Seconds; nobody lets a command sit there for longer than a day. */
const longestAllowed = 86_400;

/**
 * Of a service that asked to be left alone for `ms`: it was asked once or tried again until nothing was left to
 * try, or asks for more than was allowed.
 */
export function hintOfWait(ms: number, end: 'once' | 'tried' | 'too long'): Hint {
  const seconds = Math.ceil(ms / 1000);
  if (end === 'tried' || !Number.isSafeInteger(seconds)) return 'Try again later.';
  if (end === 'once' || seconds > longestAllowed) return `Try again in ${seconds} s.`;
  return `Try again in ${seconds} s, or allow that wait with --max-wait ${seconds}s.`;
}

export type ErrorDetail = { readonly pointer?: string; readonly detail: string };

export type ErrorContext = {
  readonly hint?: Hint | undefined;
  /** HTTP status of the answer that failed. */
  readonly status?: number | undefined;
  readonly method?: string | undefined;
  readonly url?: string | undefined;
  /** The service's own word for its refusal (decisions 2, `code`), e.g. `idempotency-key-reused`. */
  readonly reason?: string | undefined;
  /** The article a refusal speaks of, where the service names one. */
  readonly article?: string | undefined;
  /** What its operator locked. */
  readonly locked?: 'article' | 'blog' | 'article or blog' | 'service' | undefined;
  /** How long the service asked to be left alone (Retry-After), in milliseconds. */
  readonly retryAfterMs?: number | undefined;
  /** The request was sent before without a clear answer: it may have been carried out then. */
  readonly afterUnclearAnswer?: boolean | undefined;
  /** What was sent may have been done all the same. */
  readonly maybeDone?: boolean | undefined;
  /** The same request may succeed later, and does nothing twice. */
  readonly retryable?: boolean | undefined;
  readonly details?: readonly ErrorDetail[] | undefined;
  readonly cause?: unknown;
};

/** The one error of the command: what happened, with the value; `hint` says what to do next. */
export class BlogctlError extends Error {
  override readonly name = 'BlogctlError';
  readonly code: ErrorCode;
  readonly context: ErrorContext;

  constructor(code: ErrorCode, message: string, context: ErrorContext = {}) {
    super(message, context.cause === undefined ? undefined : { cause: context.cause });
    this.code = code;
    this.context = context;
  }

  /** The same failure, with a sentence before its own hint. */
  hinting(hint: Hint): BlogctlError {
    const { hint: own } = this.context;
    const both: Hint = own === undefined ? hint : `${hint} ${own}`;
    return new BlogctlError(this.code, this.message, { ...this.context, hint: both });
  }

  get exitStatus(): number {
    return exitStatusOf[this.code];
  }

  get hint(): Hint | undefined {
    return this.context.hint;
  }
}

/** Of each member whether a value will do, and what to write. */
export type Forms<Given> = {
  readonly [Name in keyof Required<Given>]: readonly [(value: unknown) => boolean, Hint];
};

/** Whether it is an object of members: no function, list, map or promise of one, in any realm. */
export function isRecord(given: unknown): boolean {
  return Object.prototype.toString.call(given) === '[object Object]';
}

/**
 * What a program gave, which no compiler may have seen; a member that is undefined was not given. What
 * is none of the members, or cannot be one, is `usage` and named.
 */
export function checkedMembers<Given extends object>(
  [place, kind]: readonly [string, 'options' | 'validators'],
  given: Given,
  forms: Forms<Given>,
): Given {
  const all: Hint = `The ${kind} are ${Object.keys(forms).join(', ')}.`;
  if (!isRecord(given)) throw usage(`${place}: what it was given is no object of ${kind}`, all);
  const known = new Map<string, readonly [(value: unknown) => boolean, Hint]>(
    Object.entries(forms),
  );
  for (const [name, value] of Object.entries(given)) {
    const [isOne, form] = known.get(name) ?? refuseName(name, kind, all, [...known.keys()]);
    // What it may be says what is wrong.
    if (value !== undefined && !isOne(value))
      throw new BlogctlError('usage', `${name}: ${form}`, { hint: form });
  }
  return given;
}

function refuseName(name: string, kind: string, all: Hint, names: readonly string[]): never {
  const [meant = ''] = names.toSorted((one, other) => alike(name, other) - alike(name, one));
  const hint: Hint = alike(name, meant) > 2 ? `Did you mean ${meant}? ${all}` : all;
  throw usage(`${name}: there is no such ${kind.replace(/s$/, '')}`, hint);
}

/** How many letters two names have in common, at the beginning and at the end. */
function alike(typed: string, known: string): number {
  const [one, other] = [typed.toLowerCase(), known.toLowerCase()];
  const most = Math.min(one.length, other.length);
  let first = 0;
  while (first < most && one[first] === other[first]) first += 1;
  let last = 0;
  while (last < most - first && one.at(-1 - last) === other.at(-1 - last)) last += 1;
  return first + last;
}

/** With the hint in the message: that is all a test runner shows of an error. */
export function usage(message: string, hint: Hint): BlogctlError {
  return new BlogctlError('usage', `${message.replace(/\.$/, '')}. ${hint}`, { hint });
}

/** What an error says, whatever was thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
