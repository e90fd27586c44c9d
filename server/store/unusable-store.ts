import { isNativeError } from 'node:util/types';

/** Why a file or a database cannot serve as a store. */
export type Unusable =
  | 'missing'
  /** Nothing can be made where there is no folder. */
  | 'no-folder'
  | 'exists'
  | 'empty'
  /** Another program's file, or a newer format. */
  | 'foreign'
  | 'damaged'
  /** The platform refuses to read or write it. */
  | 'forbidden'
  /** A database without a store in it. */
  | 'no-schema'
  /** A database refuses the role. */
  | 'denied'
  /** Nobody answers there at present. */
  | 'unreachable'
  /** Another session of a database holds what is to change, or another program writes the file. */
  | 'held';

/** What to do next, as a sentence: one without capital and full stop does not compile. */
export type Hint = `${Capitalize<string>}.`;

type UnusableStoreOptions = {
  readonly hint: Hint;
  readonly place?: { readonly line: number; readonly offset: number };
  readonly cause?: unknown;
};

/** A path as a line of a hint has it: pasted into a shell it is one word. */
export function inShell(path: string): string {
  return /^[\w@%+=:,./-]+$/.test(path) ? path : `'${path.replaceAll("'", String.raw`'\''`)}'`;
}

/** A file that is left as it is. The message names path, line and column where that can be told. */
export class UnusableStore extends Error {
  override readonly name = 'UnusableStore';
  readonly code: Unusable;
  readonly hint: Hint;
  /** Line from 1, offset in bytes. */
  readonly place: { readonly line: number; readonly offset: number } | undefined;

  constructor(code: Unusable, message: string, options: UnusableStoreOptions) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.hint = options.hint;
    this.place = options.place;
  }
}

/** What else can be done about a refusal of the platform, as the end of a sentence. */
type Otherwise = { readonly full?: string; readonly denied?: string };

/** Of a file that is there and can be read. */
export function readable(path: string): Required<Otherwise> {
  const line = `\`blogctl serve --read-only --store ${inShell(path)}\``;
  return {
    full: `; meanwhile it can be read, also by ${line}`,
    denied: `, or have it read alone by ${line}`,
  };
}

/** Runs work on a store file; what the platform refuses becomes an UnusableStore that says so. */
export async function orUnusable<T>(
  path: string,
  work: () => Promise<T>,
  otherwise?: Otherwise,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw isRefusal(error) ? refused(path, error, otherwise) : error;
  }
}

export function isRefusal(error: unknown): error is Error & { code: string } {
  return isNativeError(error) && 'syscall' in error && 'code' in error;
}

/** No room on the disk, in a quota, or for a file of that length. */
export function isFull(error: unknown): boolean {
  return (
    isNativeError(error) && 'code' in error && /^(?:ENOSPC|EDQUOT|EFBIG)$/.test(String(error.code))
  );
}

/** Also of no room on the disk: what did not fit is taken back by whoever wrote it. */
export function refused(
  path: string,
  error: Error & { code: string },
  { full = '', denied = '' }: Otherwise = {},
): UnusableStore {
  if (isFull(error)) {
    const message = `The disk of ${path} is full. Nothing was changed.`;
    const hint: Hint = `Free some space there, then run the same again${full}.`;
    return new UnusableStore('forbidden', message, { hint, cause: error });
  }
  const isDenied = ['EACCES', 'EPERM', 'EROFS'].includes(error.code);
  return new UnusableStore('forbidden', `${path} cannot be used: ${error.message}.`, {
    hint: isDenied ? `Check the permissions${denied}.` : 'Check the path and the disk.',
    cause: error,
  });
}

export function danglingLink(path: string, target: string): UnusableStore {
  return new UnusableStore('missing', `${path} is a link to ${target}, which is not there.`, {
    hint: 'Bring back the file that it leads to, or remove the link.',
  });
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
  /** It does not answer: stopped, or busy with something long. */
  readonly isSilent?: boolean;
};

/** Another process holds the store file. */
export class StoreHeld extends Error {
  override readonly name = 'StoreHeld';
  readonly path: string;
  /** Undefined where it lives and does not say who it is. */
  readonly holder: Holder | undefined;

  constructor(path: string, holder: Holder | undefined) {
    super(`${path} is held by ${textOf(holder)}.`);
    this.path = path;
    this.holder = holder;
  }
}

function textOf(holder: Holder | undefined): string {
  if (holder === undefined) return 'another process that does not answer';
  const at = holder.url === undefined ? '' : ` at ${holder.url}`;
  const state = holder.isSilent === true ? ', which does not answer' : '';
  return `process ${holder.pid} on ${holder.host}${at}${state}`;
}
