import { storeToName } from '../client/refusals.ts';
import { createConnection, type Credential, reads } from '../http/connection.ts';
import type { Transport } from '../http/transport.ts';
import type { LocalBlog } from '../local.ts';
import { asPaths, fileAddress, type FileTarget } from '../settings/target.ts';
import { findToken, isKnownOrigin, type LookedUpToken } from '../settings/settings.ts';
import { fileInShell, withoutSecrets } from '../terminal/text.ts';
import type { ClientOptions, Connection, Context } from './context.ts';

type Connected = {
  readonly blogUrl: string;
  readonly credential: Credential | undefined;
  readonly send: Transport;
};

type OpenFile = (file: FileTarget, options: ClientOptions) => Promise<LocalBlog>;

/** What carries requests to a blog: the chosen one, unless the options name another. */
export async function connect(
  context: Context,
  openFile: OpenFile,
  options: ClientOptions,
): Promise<Connection> {
  const { blogUrl, credential, send } = await resolveBlog(context, openFile, options);
  // A service may repeat it in whatever it answers.
  if (credential !== undefined) context.terminal.hide(credential.token);
  const policies = await policiesOf(context, options);
  const { allowOrigin: allowed, allowInsecureLinks: insecure } = context.flags;
  const origins = { home: new URL(blogUrl).origin, allowed, insecure };
  const seen = await announcing(visibly(send, context, options), context, options);
  const transport = createConnection(seen, { credential, origins, ...policies });
  return { transport, blogUrl };
}

async function resolveBlog(
  context: Context,
  openFile: OpenFile,
  options: ClientOptions,
): Promise<Connected> {
  if (options.at !== undefined) {
    const send = await createSockets(context, options);
    const { at: blogUrl, token } = options;
    const credential = token === undefined ? undefined : { origin: new URL(blogUrl).origin, token };
    return { blogUrl, credential, send };
  }
  const { value: target } = await context.chosen();
  return target.kind === 'file'
    ? connectToFile(context, openFile(target, options), { target, options })
    : connectToService(context, target.url, options);
}

async function connectToFile(
  context: Context,
  opening: Promise<LocalBlog>,
  { target, options }: { readonly target: FileTarget; readonly options: ClientOptions },
): Promise<Connected> {
  const { blogUrl, token, transport } = await opening;
  if (transport !== undefined) context.terminal.rename(fileNames(blogUrl, target, context.folder));
  // Who serves the file is named by its lock, and gets the token of this run: no proxy stands between.
  const send = transport ?? (await createSockets(context, options, {}));
  return { blogUrl, credential: { origin: new URL(blogUrl).origin, token }, send };
}

/** Addresses that only this process can open, and its store, in words that the next one can read. */
function fileNames(blogUrl: string, target: FileTarget, folder: string) {
  const origin = new URL(blogUrl).origin.replaceAll('.', '\\.');
  const path = String.raw`/api/v[\d.]*\d/blogs/\d+(?:/articles\b(?:/(\d+))?)?(?:\?[^\s"]*[^\s".,:;)'])?`;
  const addresses = new RegExp(`${origin}(?:${path})?`, 'g');
  const named = fileInShell(fileAddress({ kind: 'file', path: target.path }, { folder }).slice(5));
  // It may come to stand in JSON.
  const store = /["\\]/.test(named) ? storeToName : `--store ${named}`;
  return (text: string) =>
    text
      .replaceAll(storeToName, () => store)
      .replaceAll(addresses, (_address, id?: string) =>
        fileAddress(target, { folder }, id === undefined ? undefined : Number(id)),
      );
}

async function connectToService(
  context: Context,
  blogUrl: string,
  options: ClientOptions,
): Promise<Connected> {
  const { origin } = new URL(blogUrl);
  const found = await context.token(origin);
  const send = await createSockets(context, options);
  if (found === 'withheld') return { blogUrl, credential: undefined, send: withoutToken(send) };
  const isEmpty = found === undefined && context.env['BLOGCTL_TOKEN'] === '';
  return {
    blogUrl,
    credential: found && { origin, token: found.token },
    send: isEmpty ? namingEmptyToken(send, context) : send,
  };
}

function withoutToken(send: Transport): Transport {
  return async (request) => ({ ...(await send(request)), tokenWithheld: true });
}

/** As a secret that a CI does not know. */
function namingEmptyToken(send: Transport, { terminal }: Context): Transport {
  let isTold = false;
  return async (request) => {
    const response = await send(request);
    if (response.status === 401 && !isTold) {
      isTold = true;
      await terminal.notice('BLOGCTL_TOKEN is empty: that is no token.');
    }
    return response;
  };
}

async function createSockets(
  context: Context,
  { finishRequests = false, timeoutMs }: ClientOptions,
  env = context.env,
): Promise<Transport> {
  const { createUndiciTransport } = await import('../http/undici-transport.ts');
  return createUndiciTransport({
    timeoutMs: timeoutMs ?? (await context.settings()).timeoutMs(),
    env,
    ...(!finishRequests && { signal: context.signal }),
  });
}

/** How often and how long a request is repeated, and what is told of it. */
async function policiesOf(context: Context, options: ClientOptions) {
  const { flags, signal, terminal } = context;
  const known = await context.settings();
  return {
    retry: {
      retries: options.retries ?? known.retries(),
      maxWaitMs: known.maxWaitMs(),
      signal,
      notice: (text: string) => void terminal.notice(text),
    },
    trace: {
      level: flags.verbose ?? 0,
      write: (line: string) => void terminal.trace(withoutSecrets(asPaths(line))),
    },
  };
}

/** A spinner while one waits; a caller that finishes requests has a progress of its own. */
function visibly(
  send: Transport,
  { flags, terminal }: Context,
  { finishRequests = false }: ClientOptions,
): Transport {
  if (finishRequests || (flags.verbose ?? 0) > 0) return send;
  return (request) => terminal.waiting.during(() => send(request));
}

/** What a project's file decided is said before the first change; who only reads is not told. */
async function announcing(
  send: Transport,
  context: Context,
  { at }: ClientOptions,
): Promise<Transport> {
  if (at !== undefined || (await context.chosen()).project === undefined) return send;
  return async (request) => {
    if (!reads.has(request.method)) await context.announceBlog();
    return send(request);
  };
}

/**
 * The token for an origin. One that only the project's own file names gets none: whoever wrote that
 * file could have it sent anywhere.
 */
export async function lookUpToken(context: Context, origin: string): Promise<LookedUpToken> {
  const { terminal, signal } = context;
  const config = await context.config();
  const found = await findToken(origin, {
    tokenFile: context.flags.tokenFile,
    env: context.env,
    folder: context.folder,
    reading: { signal, notice: (text) => terminal.notice(text) },
    config,
    readInput: () => terminal.readInput(),
    runCommand: async (command) => {
      const { runCommand } = await import('../terminal/subprocess.ts');
      return runCommand(command, signal);
    },
  });
  const chosen = await context.chosen();
  const isNamedByProject = chosen.origin === 'project';
  if (!isNamedByProject || isKnownOrigin(origin, await config.read())) return found;
  if (found !== undefined) {
    await terminal.warn(
      `No token is sent to ${origin}: only ${chosen.place} names it. To trust it, run blogctl auth login <blog-url>.`,
    );
  }
  return 'withheld';
}
