import type { LocalBlog } from '../local.ts';
import type { Setting, Settings } from '../settings/settings.ts';
import type { FileTarget, Target } from '../settings/target.ts';
import { createTerminal } from '../terminal/terminal.ts';
import type { ClientOptions, Context, ContextOptions } from './context.ts';

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
      const { configFolder } = await import('../settings/places.ts');
      const { openConfigFile } = await import('../settings/config-file.ts');
      return openConfigFile(configFolder(host));
    },
    settings: () => (settings ??= readAll(context)),
    chosen: () => (chosen ??= choose(context)),
    token: async (origin) => {
      const { lookUpToken } = await import('./look-up-token.ts');
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
  return chosen;
}
