import { setTimeout as pause } from 'node:timers/promises';
import { isNativeError } from 'node:util/types';
import type * as ServerDoor from '../server/index.ts';
import type {
  Check,
  Mark,
  PlainRequest,
  Repair,
  RunningServer,
  ServeOptions,
  ServerInMemory,
  StoreHeld,
  Tokens,
  UnusableStore,
  Maintenance,
} from '../server/index.ts';
import { BlogctlError, type ErrorCode, type Hint } from './errors.ts';
import { reads } from './http/connection.ts';
import { noAnswer, type HttpRequest, type Transport } from './http/transport.ts';

export type { Check, Mark, Repair, RunningServer, ServeOptions, Maintenance };

/** A blog in a store file of this machine. */
export type LocalBlog = {
  readonly blogUrl: string;
  /** Grants every right on it, for this run. */
  readonly token: string;
  /** Absent where another process serves the file: then blogUrl leads to that. */
  readonly transport?: Transport;
  close(): Promise<void>;
};

type HeldWait = {
  /** How long another command may keep the file before we give up, in milliseconds; 3 s at most. */
  readonly waitMs?: number;
  readonly now?: () => number;
  readonly sleep?: (ms: number) => Promise<unknown>;
};

const longestHeldMs = 3000;
const askAgainMs = 50;

/**
 * Opens a store file, or finds who serves it; one that is missing is `not-found` unless the options
 * say otherwise. Another command that has it open is waited for a little: two in a row of a script
 * must not collide.
 */
export async function openLocalBlog(
  options: ServerDoor.LocalOptions,
  { waitMs = longestHeldMs, now = Date.now, sleep = pause }: HeldWait = {},
): Promise<LocalBlog> {
  const until = now() + Math.min(waitMs, longestHeldMs);
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

async function openOnce(options: ServerDoor.LocalOptions): Promise<LocalBlog> {
  const local = await atServer(options.file, (server) => server.openLocal(options));
  const { blogUrl, token } = local;
  if (local.kind === 'served') return { blogUrl, token, close: async () => {} };
  const refusal = local.refusal && unusable(local.refusal);
  return {
    blogUrl,
    token,
    transport: async (request) => {
      const { method, url } = request;
      if (refusal === undefined || reads.has(method))
        return atServer(options.file, () => local.handle(plain(request)));
      const { code, message, context } = refusal;
      throw new BlogctlError(code, message, { ...context, method, url });
    },
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

/** A blog in memory, served on this machine and in this process. */
export type BlogInMemory = Pick<ServerInMemory, 'stop'> & {
  readonly blogUrl: string;
  readonly token: string;
  readonly transport: Transport;
  readonly blog: ServerInMemory['blog'];
};

/** What would else be loaded with the first blog. */
export async function loadService(): Promise<void> {
  await import('../server/index.ts');
}

/** Serves a blog in memory; what cannot be done with an option is `usage` and names it. */
export async function serveInMemory(
  options: Omit<ServeOptions, 'file' | 'host'>,
): Promise<BlogInMemory> {
  const server = await import('../server/index.ts');
  const { UnusableOption, UnusableStore } = server;
  const host = '127.0.0.1';
  const toOption = (error: unknown) => {
    if (error instanceof UnusableOption) return refusedOption(error.option, error);
    // Nothing but the seed is read.
    if (error instanceof UnusableStore) return refusedOption('seed', error);
    const refused = cannotListen(error, { host, port: options.port });
    if (refused === undefined) return error;
    const hint: Hint = 'Choose another, or 0 for a free one.';
    return refusedOption('port', Object.assign(new Error(refused.message), { hint }));
  };
  const start = server.startInMemory({ ...options, host, file: '', ephemeral: true });
  const running = await start.catch((error: unknown) => {
    throw toOption(error);
  });
  const commit = (faults: readonly string[]) => {
    try {
      running.blog.commit(faults);
    } catch (error) {
      throw toOption(error);
    }
  };
  const transport = async (request: HttpRequest) => {
    const response = await running.handle(plain(request));
    if (response.status > 0) return response;
    throw noAnswer(request, { kind: 'lost', cause: undefined, timeoutMs: 0 });
  };
  return {
    blogUrl: running.blogs[0]?.url ?? running.url,
    token: running.runToken,
    transport,
    blog: { ...running.blog, commit },
    stop: () => running.stop(),
  };
}

/** Does something with the access tokens that are kept beside a store file. */
export function withTokensOf<T>(
  file: string,
  act: (tokens: Tokens) => Promise<T>,
  access?: ServerDoor.StoreAccess,
): Promise<T> {
  return atServer(file, (server) => server.withTokens(file, act, access));
}

/** What was answered is not in the file any more: nobody may take that for a success. */
export function refuseLoss(loss: string | undefined): void {
  if (loss === undefined) return;
  throw new BlogctlError('unusable-store', loss, {
    hint: 'Look at what is there now (`blogctl store check --store <file>` tells), and put back what it lacks.',
  });
}

type Server = typeof ServerDoor;

/** Calls the service's one door, and says its failures in the words of the command. */
export async function atServer<T>(file: string, act: (server: Server) => Promise<T>): Promise<T> {
  const server = await import('../server/index.ts');
  try {
    return await act(server);
  } catch (error) {
    if (error instanceof server.UnusableStore) throw unusable(error);
    if (error instanceof server.StoreHeld) throw held(error);
    if (error instanceof server.UnusableOption) {
      throw new BlogctlError('usage', error.message, { hint: error.hint });
    }
    throw error;
  }
}

function plain({ method, url, headers, body, signal }: HttpRequest): PlainRequest {
  if (body === undefined) return { method, url, headers, signal };
  const bytes = typeof body === 'string' ? Buffer.from(body) : body;
  return { method, url, headers, body: bytes, signal };
}

function unusable({ code, message, hint, cause }: UnusableStore): BlogctlError {
  const kind = kindOf[code] ?? 'unusable-store';
  return new BlogctlError(kind, message, { hint, cause });
}

const kindOf: Partial<Record<UnusableStore['code'], ErrorCode>> = {
  missing: 'not-found',
  held: 'locked',
  denied: 'authentication-required',
  unreachable: 'unreachable',
};

function held({ path, holder }: StoreHeld): BlogctlError {
  const who =
    holder === undefined
      ? 'another process, which does not say who it is'
      : `process ${holder.pid} on ${holder.host} since ${holder.since}`;
  const state = holder?.isSilent === true ? ', which does not answer' : '';
  return new BlogctlError('locked', `${path} is in use by ${who}${state}.`, {
    hint: whatToDoWith(holder),
    retryable: true,
  });
}

function whatToDoWith(holder: StoreHeld['holder']): Hint {
  if (holder?.isSilent === true) {
    return `It may be stopped: let it go on with kill -CONT ${holder.pid}, or end it.`;
  }
  return holder?.url === undefined
    ? 'Wait until that process is done, or use another file.'
    : `It is served at ${holder.url} already: use that address, end that process, or use another file.`;
}

function cannotListen(
  error: unknown,
  { host, port }: Pick<ServeOptions, 'host' | 'port'>,
): BlogctlError | undefined {
  if (!(isNativeError(error) && 'syscall' in error && 'code' in error)) return undefined;
  const { code, syscall } = error;
  const place = `${host}, port ${port}`;
  if (code === 'EADDRINUSE') {
    return new BlogctlError('conflict', `Something listens at ${place} already.`, {
      hint: 'Choose another with --port, or let --port 0 pick a free one.',
      cause: error,
    });
  }
  if (syscall !== 'listen' && syscall !== 'getaddrinfo') return undefined;
  return new BlogctlError('usage', `This machine does not let us listen at ${place}.`, {
    hint: 'Choose a --port from 1024 on and a --host of this machine, like 127.0.0.1.',
    cause: error,
  });
}

/** With the hint in the message: that is all a test runner shows of an error. */
function refusedOption(
  option: string,
  error: Error & { readonly hint?: Hint | undefined },
): BlogctlError {
  const { message, hint, cause } = error;
  const text = `${option}: ${message.replace(/\.$/, '')}. ${hint ?? ''}`.trimEnd();
  // It says all that the error says.
  return new BlogctlError('usage', text, { hint, cause });
}
