/** Why a request is refused, and the status it gets (interface, Errors; decisions 2, 3). */
export const statusOf = {
  'bad-request': 400,
  'method-not-allowed': 400,
  'payload-too-large': 400,
  'unsupported-media-type': 400,
  'precondition-required': 400,
  'request-timeout': 400,
  'expectation-failed': 400,
  'headers-too-large': 400,
  anonymous: 401,
  forbidden: 403,
  'not-found': 404,
  'not-acceptable': 406,
  conflict: 409,
  gone: 410,
  'precondition-failed': 412,
  unprocessable: 422,
  'idempotency-key-reused': 422,
  locked: 423,
  /** Of a fault on purpose alone (decisions 34). */
  'failed-dependency': 424,
  'too-many-requests': 429,
  /** What is shown where we failed, and no other reason says why. */
  internal: 500,
  'outcome-unknown': 500,
  'damaged-article': 500,
  'not-implemented': 501,
  unavailable: 503,
  'store-changed': 503,
  'insufficient-storage': 507,
} as const;

export type Reason = keyof typeof statusOf;

/** Short, the same for every occurrence (RFC 9457, 3.1.3). */
export const problemTitleOf: Readonly<Record<Reason, string>> = {
  'bad-request': 'The request is malformed',
  'method-not-allowed': 'This method is not for this resource',
  'payload-too-large': 'The body is too large',
  'unsupported-media-type': 'The body is not application/json',
  'precondition-required': 'A write needs a precondition here',
  'request-timeout': 'The request took too long',
  'expectation-failed': 'The expectation cannot be met',
  'headers-too-large': 'The request header is too large',
  anonymous: 'A token is needed',
  forbidden: 'The token does not allow this',
  'not-found': 'There is nothing here',
  'not-acceptable': 'No acceptable representation',
  conflict: 'The request conflicts with another one',
  gone: 'This was deleted',
  'precondition-failed': 'The precondition does not hold',
  unprocessable: 'The article is not acceptable',
  'idempotency-key-reused': 'The Idempotency-Key belongs to another request',
  locked: 'The resource is locked',
  'failed-dependency': 'Another action that this depends on failed',
  'too-many-requests': 'Too many requests',
  'outcome-unknown': 'It is unknown whether the change was saved',
  'damaged-article': 'The stored article is damaged',
  'not-implemented': 'This service does not do that',
  unavailable: 'The service cannot take this now',
  'store-changed': 'The store file was changed by another program',
  'insufficient-storage': 'There is no room to save this',
  internal: 'The service failed',
};

/** The plainest reason for a status; undefined where no refusal has it. */
export function reasonOf(status: number): Reason | undefined {
  return reasons.find((reason) => statusOf[reason] === status);
}

/** Those of all refusals, in their order. */
export const statuses: readonly number[] = [...new Set(Object.values(statusOf))].sort(
  (a, b) => a - b,
);

const reasons = Object.keys(statusOf).filter((name): name is Reason => name in statusOf);

type RefusalContext = {
  /** JSON pointers into the request body and what is wrong there (RFC 9457, `errors`). */
  readonly errors?: readonly { readonly pointer: string; readonly detail: string }[];
  /** Id of the article the refusal speaks of, for a link to it. */
  readonly article?: number;
  readonly headers?: Readonly<Record<string, string>>;
};

/** A request that is not carried out. Its message is shown to the client as `detail`. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly reason: Reason;
  readonly context: RefusalContext;

  constructor(reason: Reason, message: string, context: RefusalContext = {}) {
    super(message);
    this.reason = reason;
    this.context = context;
  }

  get status(): number {
    return statusOf[this.reason];
  }
}

/** What to do next, as a sentence: one without capital and full stop does not compile. */
export type Hint = `${Capitalize<string>}.`;

/** An option the service cannot work with: what it is, with its value; `hint` shows one that works. */
export class UnusableOption extends Error {
  override readonly name = 'UnusableOption';
  /** As `ServeOptions` calls it. */
  readonly option: string;
  readonly hint: Hint;

  constructor(option: string, message: string, hint: Hint) {
    super(message);
    this.option = option;
    this.hint = hint;
  }
}
