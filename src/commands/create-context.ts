import type { LocalBlog } from '../local.ts';
import type { Flags } from '../settings/layers.ts';
import type { Setting, Settings } from '../settings/settings.ts';
import type { FileTarget, Target } from '../settings/target.ts';
import { createTerminal } from '../terminal/terminal.ts';
import type { ClientOptions, Context, Host } from './context.ts';

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
  let announced: Promise<string> | undefined;
  let local: Promise<LocalBlog> | undefined;

  const context: Context = {
    terminal,
    get flags() {
      return flags();
    },
    env: host.env,
    platform: host.platform,
    folder: host.cwd(),
    uid: host.geteuid?.(),
    get signal() {
      return signal();
    },
    config: async () => {
      const { configFolder } = await import('../settings/target.ts');
      const { openConfigFile } = await import('../settings/config-file.ts');
      return openConfigFile(configFolder(host));
    },
    settings: () => (settings ??= readAll(context)),
    chosen: () => (chosen ??= choose(context)),
    announceBlog: () => (announced ??= announce(context)),
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

async function announce(context: Context): Promise<string> {
  const { targetName } = await import('../settings/target.ts');
  const { value, project } = await context.chosen();
  const blog = targetName(value);
  if (project !== undefined) {
    await context.terminal.notice(`Using the blog ${blog}, chosen by ${project}`);
  }
  return blog;
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
