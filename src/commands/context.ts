import type { BlogClient } from '../client/blog-client.ts';
import type { Transport } from '../http/transport.ts';
import type { LocalBlog } from '../local.ts';
import type { ConfigFile } from '../settings/config-file.ts';
import type { Flags } from '../settings/layers.ts';
import type { Setting, Settings } from '../settings/settings.ts';
import type { FileTarget, Target } from '../settings/target.ts';
import type { FoundToken } from '../settings/token.ts';
import type { Streams } from '../terminal/streams.ts';
import { createTerminal, type Terminal } from '../terminal/terminal.ts';

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
  /** Ends at the first Ctrl-C, SIGTERM or SIGHUP; its reason is the BlogctlError to end with. */
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
  /**
   * Lets the store file of a local blog go while a person thinks, and answers whether there was one: then
   * its client is of no use any more.
   */
  release(): Promise<boolean>;
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
  /**
   * Where the store file of the blog is not there: it is made, or the local blog is taken as the
   * empty blog that it will be. Without it that is `not-found`, and nothing is made.
   */
  readonly missing?: 'make' | 'empty';
  /** The address of another blog than the chosen one; only `token` is sent there. */
  readonly at?: string;
  readonly token?: string;
};

type ContextOptions = {
  readonly host: Host;
  /** The global flags; complete once the command line is parsed. */
  readonly flags: () => Flags;
  readonly signal: () => AbortSignal;
};

/** The outside world as a command finds it; what a command does without is not loaded. */
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
    get signal() {
      return signal();
    },
    config: async () => {
      const { configFolder } = await import('../settings/paths.ts');
      const { openConfigFile } = await import('../settings/config-file.ts');
      return openConfigFile(configFolder(host));
    },
    settings: () => (settings ??= readAll(context)),
    chosen: () => (chosen ??= choose(context)),
    token: async (origin) => {
      const { lookUpToken } = await import('./connect.ts');
      return lookUpToken(context, origin);
    },
    connection: async (options = {}) => {
      const { connect } = await import('./connect.ts');
      return connect(context, (file, how) => (local ??= open(file, how)), options);
    },
    client: async (options) => {
      const { createBlogClient } = await import('../client/create-blog-client.ts');
      return createBlogClient(await context.connection(options));
    },
    release: async () => {
      const held = local;
      local = undefined;
      // A file that could not be opened was reported by who asked for it.
      await held?.then(
        (opened) => opened.close(),
        () => {},
      );
      return held !== undefined;
    },
    close: async (succeeded) => {
      try {
        await terminal.conclude(succeeded);
      } finally {
        await context.release();
      }
    },
  };
  return context;

  async function open(file: FileTarget, options: ClientOptions): Promise<LocalBlog> {
    const { openFile } = await import('./open-file.ts');
    return openFile(file, options, context);
  }
}

async function readAll(context: Context): Promise<Settings> {
  const { readSettings } = await import('../settings/settings.ts');
  return readSettings({ ...context, config: await context.config() });
}

async function choose(context: Context): Promise<Setting<Target>> {
  const chosen = (await context.settings()).target();
  if (chosen.origin === 'default' && chosen.value.kind === 'file') {
    await context.terminal.notice(`Using the local blog in ${chosen.value.path}`);
  }
  await tellUnread(context, chosen.origin);
  return chosen;
}

/** Variables that others would read; where the line itself says what they would, nothing is told. */
async function tellUnread({ env, flags, terminal }: Context, origin: string): Promise<void> {
  const isFormatSaid = (flags.format ?? flags.json) !== undefined;
  const blog = 'a blog is named by BLOGCTL_BLOG';
  const unread = [
    { names: ['URL', 'HOST', 'SITE', 'DB', 'FILE'], isSaid: origin === 'flag', instead: blog },
    { names: ['STORE'], isSaid: origin !== 'default', instead: `${blog}, here as file:<path>` },
    { names: ['LIMIT'], isSaid: false, instead: 'a limit is given by --limit' },
    {
      names: ['FORMAT', 'OUTPUT', 'JSON'],
      isSaid: isFormatSaid,
      instead: 'a format is given by --format',
    },
    { names: ['DEBUG', 'VERBOSE'], isSaid: false, instead: 'requests are shown by -v' },
  ];
  for (const { names, isSaid, instead } of unread)
    for (const name of isSaid ? [] : names.map((each) => `BLOGCTL_${each}`))
      if (env[name]) await terminal.notice(`${name} is not read: ${instead}.`);
}
