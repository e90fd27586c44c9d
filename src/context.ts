import type { BlogClient } from './client/blog-client.ts';
import type { Credential } from './http/with-token.ts';
import type { Transport } from './http/transport.ts';
import type { LocalBlog } from './local.ts';
import type { ConfigFile } from './settings/config-file.ts';
import type { Flags } from './settings/flags.ts';
import type { Setting, Settings } from './settings/settings.ts';
import type { Target } from './settings/target.ts';
import type { FoundToken } from './settings/token.ts';
import {
  createTerminal,
  type Streams,
  type Terminal,
  type TerminalFlags,
} from './terminal/terminal.ts';

/** What a process offers; `process` is one. */
export type Host = Streams & {
  readonly platform: string;
  cwd(): string;
};

/** What commands may use of the outside world, each part loaded when first asked for. */
export type Context = {
  readonly terminal: Terminal;
  readonly flags: Flags;
  readonly env: Host['env'];
  readonly platform: string;
  /** The folder relative paths start from. */
  readonly folder: string;
  /** Ends at the first Ctrl-C or SIGTERM; its reason is the BlogctlError to end with. */
  readonly signal: AbortSignal;
  config(): Promise<ConfigFile>;
  settings(): Promise<Settings>;
  /** The blog this command is about, and what chose it. */
  chosen(): Promise<Setting<Target>>;
  /** The token for an origin and where it comes from; undefined where there is none. */
  token(origin: string): Promise<FoundToken | undefined>;
  /** What carries requests to that blog, and where it begins; see `client`. */
  connection(options?: ClientOptions): Promise<Connection>;
  /** A client of that blog; the store file of a local one stays open until close. */
  client(options?: ClientOptions): Promise<BlogClient>;
  /** Ends what is open; what was written to a file is kept only where the command succeeded. */
  close(succeeded: boolean): Promise<void>;
};

export type Connection = { readonly transport: Transport; readonly blogUrl: string };

export type ClientOptions = {
  /**
   * Requests under way are finished after Ctrl-C; the caller heeds `signal` between them.
   * Without it they end with `signal`.
   */
  readonly finishRequests?: boolean;
  /** Instead of --retries, for a caller that repeats requests by a plan of its own. */
  readonly retries?: number;
  /** Instead of --timeout. */
  readonly timeoutMs?: number;
  /** The address of another blog than the chosen one; no token is sent there. */
  readonly at?: string;
};

export type ContextOptions = {
  readonly host: Host;
  /** The global flags; complete once the command line is parsed. */
  readonly flags: () => Flags & TerminalFlags;
  readonly signal: AbortSignal;
};

type Connected = {
  readonly blogUrl: string;
  readonly credential: Credential | undefined;
  readonly send: Transport;
};

export function createContext({ host, flags, signal }: ContextOptions): Context {
  const terminal = createTerminal(host, flags, signal);
  let settings: Promise<Settings> | undefined;
  let chosen: Promise<Setting<Target>> | undefined;
  let local: Promise<LocalBlog> | undefined;

  const context: Context = {
    terminal,
    get flags() {
      return flags();
    },
    env: host.env,
    platform: host.platform,
    folder: host.cwd(),
    signal,
    config: async () => {
      const { configFolder } = await import('./settings/places.ts');
      const { openConfigFile } = await import('./settings/config-file.ts');
      return openConfigFile(configFolder(host));
    },
    settings: () => (settings ??= readAll(context)),
    chosen: () => (chosen ??= choose(context)),
    token: (origin) => lookUpToken(context, origin),
    connection: async (options = {}) => {
      const { blogUrl, credential, send } = await connect(options);
      const { createConnection } = await import('./http/connection.ts');
      const habits = await habitsOf(context, options);
      const transport = createConnection(visibly(send, options), { credential, ...habits });
      return { transport, blogUrl };
    },
    client: async (options) => {
      const { createBlogClient } = await import('./client/create-blog-client.ts');
      return createBlogClient(await context.connection(options));
    },
    close: async (succeeded) => {
      await terminal.conclude(succeeded);
      // A file that could not be opened was reported by who asked for it.
      await local?.then(
        (opened) => opened.close(),
        () => {},
      );
    },
  };
  return context;

  /** A spinner while one waits; a caller that finishes requests has a progress of its own. */
  function visibly(send: Transport, { finishRequests = false }: ClientOptions): Transport {
    if (finishRequests || (flags().verbose ?? 0) > 0) return send;
    return (request) => terminal.waiting.during(() => send(request));
  }

  async function connect(options: ClientOptions): Promise<Connected> {
    if (options.at !== undefined) {
      const send = await createSockets(context, options);
      return { blogUrl: options.at, credential: undefined, send };
    }
    const { value: target } = await context.chosen();
    return target.kind === 'file'
      ? connectToFile(context, (local ??= openFile(context, target.path)), options)
      : connectToService(context, target.url, options);
  }
}

async function readAll(context: Context): Promise<Settings> {
  const { readSettings } = await import('./settings/settings.ts');
  return readSettings({ ...context, config: await context.config() });
}

async function choose(context: Context): Promise<Setting<Target>> {
  const chosen = (await context.settings()).target();
  if (chosen.origin === 'default' && chosen.value.kind === 'file') {
    await context.terminal.notice(`Using the local blog in ${chosen.value.path}`);
  }
  return chosen;
}

async function lookUpToken(context: Context, origin: string): Promise<FoundToken | undefined> {
  const { findToken, isKnownOrigin } = await import('./settings/token.ts');
  const { terminal, signal } = context;
  const config = await context.config();
  const found = await findToken(origin, {
    tokenFile: context.flags.tokenFile,
    env: context.env,
    folder: context.folder,
    config,
    readInput: () => terminal.readInput(),
    runCommand: async (command) => {
      const { runCommand } = await import('./terminal/run-command.ts');
      return runCommand(command, signal);
    },
  });
  const chosen = await context.chosen();
  const isNamedByProject = chosen.origin === 'project';
  if (found === undefined || !isNamedByProject || isKnownOrigin(origin, await config.read())) {
    return found;
  }
  await terminal.warn(
    `No token is sent to ${origin}: only ${chosen.place} names it. To trust it, run blogctl auth login <blog-url>.`,
  );
  return undefined;
}

async function openFile({ terminal }: Context, path: string): Promise<LocalBlog> {
  const { openLocalBlog } = await import('./local.ts');
  return openLocalBlog(path, (text) => void terminal.notice(text));
}

async function connectToFile(
  context: Context,
  opening: Promise<LocalBlog>,
  options: ClientOptions,
): Promise<Connected> {
  const { blogUrl, token, transport } = await opening;
  const send = transport ?? (await createSockets(context, options));
  return { blogUrl, credential: { origin: new URL(blogUrl).origin, token }, send };
}

async function connectToService(
  context: Context,
  blogUrl: string,
  options: ClientOptions,
): Promise<Connected> {
  const { origin } = new URL(blogUrl);
  const found = await context.token(origin);
  return {
    blogUrl,
    credential: found && { origin, token: found.token },
    send: await createSockets(context, options),
  };
}

async function createSockets(
  context: Context,
  { finishRequests = false, timeoutMs }: ClientOptions,
): Promise<Transport> {
  const { createUndiciTransport } = await import('./http/undici-transport.ts');
  return createUndiciTransport({
    timeoutMs: timeoutMs ?? (await context.settings()).timeoutMs(),
    env: context.env,
    ...(!finishRequests && { signal: context.signal }),
  });
}

/** How patient and how talkative the connection is. */
async function habitsOf(context: Context, options: ClientOptions) {
  const { flags, terminal } = context;
  const known = await context.settings();
  return {
    retry: {
      retries: options.retries ?? known.retries(),
      maxWaitMs: known.maxWaitMs(),
      notice: (text: string) => void terminal.notice(text),
    },
    trace: {
      level: flags.verbose ?? 0,
      write: (line: string) => void terminal.trace(line),
    },
  };
}
