import { setTimeout as pause } from 'node:timers/promises';
import type * as ServerDoor from '../server/index.ts';
import type {
  Check,
  PlainRequest,
  Repair,
  RunningServer,
  ServeOptions,
  StoreHeld,
  Tokens,
  UnusableStore,
  Upkeep,
} from '../server/index.ts';
import { BlogctlError } from './errors.ts';
import type { HttpRequest, Transport } from './http/transport.ts';

export type { Check, Repair, RunningServer, ServeOptions, Tokens, Upkeep };

/** A blog in a store file of this machine. */
export type LocalBlog = {
  readonly blogUrl: string;
  /** Grants every right on it, for this run. */
  readonly token: string;
  /** Absent where another process serves the file: then blogUrl leads to that. */
  readonly transport?: Transport;
  close(): Promise<void>;
};

export type LocalOptions = ServerDoor.LocalOptions;

export type Patience = {
  /** How long another command may keep the file before we give up, in milliseconds; 3 s at most. */
  readonly waitMs?: number;
  readonly now?: () => number;
  readonly sleep?: (ms: number) => Promise<unknown>;
};

const patienceMs = 3000;
const askAgainMs = 50;

/**
 * Opens a store file, or finds who serves it; one that is missing is `not-found` unless the options
 * say otherwise. Another command that has it open is waited for a little: two in a row of a script
 * must not collide.
 */
export async function openLocalBlog(
  options: LocalOptions,
  { waitMs = patienceMs, now = Date.now, sleep = pause }: Patience = {},
): Promise<LocalBlog> {
  const until = now() + Math.min(waitMs, patienceMs);
  for (;;) {
    try {
      return await openOnce(options);
    } catch (error) {
      const isHeld = error instanceof BlogctlError && error.code === 'locked';
      if (!isHeld || now() >= until) throw error;
      await sleep(askAgainMs);
    }
  }
}

async function openOnce(options: LocalOptions): Promise<LocalBlog> {
  const local = await atServer(options.file, (server) => server.openLocal(options));
  const { blogUrl, token } = local;
  if (local.kind === 'served') return { blogUrl, token, close: async () => {} };
  return {
    blogUrl,
    token,
    transport: (request) => local.handle(plain(request)),
    close: async () => refuseLoss(await local.close()),
  };
}

/** Serves the file until stopped; made where it is missing, unless it is only to be read. */
export async function serveFile(options: ServeOptions): Promise<RunningServer> {
  try {
    return await atServer(options.file, (server) => server.startServer(options));
  } catch (error) {
    throw cannotListen(error, options) ?? error;
  }
}

/** Makes a store file with one blog; a file that is there is `unusable-store`, untouched. */
export async function createStoreFile(blog: {
  readonly file: string;
  readonly title: string;
  readonly description: string;
}): Promise<void> {
  await atServer(blog.file, (server) => server.initStore(blog));
}

/** Does something with the access tokens that are kept beside a store file. */
export function withTokensOf<T>(file: string, act: (tokens: Tokens) => Promise<T>): Promise<T> {
  return atServer(file, (server) => act(server.openTokens(file)));
}

/** Reads a store file from end to end; changes nothing. */
export function checkStoreFile(file: string): Promise<Check> {
  return atServer(file, (server) => server.checkStore(file));
}

/** Writes what can be saved of a store file into `target`, which must not be there yet. */
export function repairStoreFile(file: string, target: string): Promise<Repair> {
  return atServer(file, (server) => server.repairStore(file, target));
}

/** Does an operator's work on a store file that nobody serves. */
export function withStoreFile<T>(
  operating: ServerDoor.Operating,
  act: (store: Upkeep) => Promise<T>,
): Promise<T> {
  return atServer(operating.file, (server) => server.withUpkeep(operating, act));
}

/** What was answered is not in the file any more: nobody may take that for a success. */
export function refuseLoss(loss: string | undefined): void {
  if (loss === undefined) return;
  throw new BlogctlError('unusable-store', loss, {
    hint: 'look at what took the place of the file, and put back what it lacks',
  });
}

type Server = typeof ServerDoor;

/** Calls the service's one door, and says its failures in the words of the command. */
async function atServer<T>(file: string, act: (server: Server) => Promise<T>): Promise<T> {
  const server = await import('../server/index.ts');
  try {
    return await act(server);
  } catch (error) {
    if (error instanceof server.UnusableStore) throw unusable(error);
    if (error instanceof server.StoreHeld) throw held(file, error);
    if (error instanceof server.UnusableOption) {
      throw new BlogctlError('usage', error.message, { hint: error.hint });
    }
    throw error;
  }
}

function unusable({ code, message, hint, cause }: UnusableStore): BlogctlError {
  const kind = code === 'missing' ? 'not-found' : 'unusable-store';
  return new BlogctlError(kind, message, { hint, cause });
}

function held(file: string, { holder }: StoreHeld): BlogctlError {
  const who =
    holder === undefined
      ? 'another process, which does not say who it is'
      : `process ${holder.pid} on ${holder.host} since ${holder.since}`;
  const state = holder?.isSilent === true ? ', which does not answer' : '';
  return new BlogctlError('locked', `${file} is in use by ${who}${state}.`, {
    hint: whatToDoWith(holder),
    retryable: true,
  });
}

function whatToDoWith(holder: StoreHeld['holder']): string {
  if (holder?.isSilent === true) {
    return `it may be stopped: let it go on with kill -CONT ${holder.pid}, or end it`;
  }
  return holder?.url === undefined
    ? 'wait until that process is done, or use another file'
    : `it is served at ${holder.url} already; end that process first, or use another file`;
}

function cannotListen(error: unknown, { host, port }: ServeOptions): BlogctlError | undefined {
  if (!(error instanceof Error && 'syscall' in error && 'code' in error)) return undefined;
  const { code, syscall } = error;
  const place = `${host}, port ${port}`;
  if (code === 'EADDRINUSE') {
    return new BlogctlError('conflict', `Something listens at ${place} already.`, {
      hint: 'choose another with --port, or let --port 0 pick a free one',
      cause: error,
    });
  }
  if (syscall !== 'listen' && syscall !== 'getaddrinfo') return undefined;
  return new BlogctlError('usage', `This machine does not let us listen at ${place}.`, {
    hint: 'choose a --port from 1024 on and a --host of this machine, like 127.0.0.1',
    cause: error,
  });
}

function plain({ method, url, headers, body }: HttpRequest): PlainRequest {
  if (body === undefined) return { method, url, headers };
  return { method, url, headers, body: typeof body === 'string' ? Buffer.from(body) : body };
}
