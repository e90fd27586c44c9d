/** Why a file cannot serve as a store. */
export type Unusable =
  | 'missing'
  | 'exists'
  | 'empty'
  /** Another program's file, or a newer format. */
  | 'foreign'
  | 'damaged'
  /** The platform refuses to read or write it. */
  | 'forbidden';

/** A file that is left as it is. The message names path, line and column where that can be told. */
export class UnusableStore extends Error {
  override readonly name = 'UnusableStore';
  readonly code: Unusable;
  /** What to do next. */
  readonly hint: string;

  constructor(code: Unusable, message: string, options: { hint: string; cause?: unknown }) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.hint = options.hint;
  }
}

/** The process that holds a store file, as its lock file tells. */
export type Holder = {
  readonly pid: number;
  readonly host: string;
  /** RFC 3339. */
  readonly since: string;
  /** Where it serves the store, once it does. */
  readonly url?: string;
  /** Grants every right on the store for the run of that process. */
  readonly token?: string;
};

/** Another process holds the store file. */
export class StoreHeld extends Error {
  override readonly name = 'StoreHeld';
  readonly holder: Holder;

  constructor(path: string, holder: Holder) {
    const at = holder.url === undefined ? '' : ` at ${holder.url}`;
    super(`${path} is held by process ${holder.pid} on ${holder.host}${at}.`);
    this.holder = holder;
  }
}
