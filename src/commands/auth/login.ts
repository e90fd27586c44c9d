import { type Command, Option } from 'commander';
import type { Context } from '../../context/context.ts';
import { BlogctlError } from '../../errors.ts';
import type { StoredToken } from '../../settings/config-file.ts';
import { readTarget } from '../../settings/target.ts';
import { checkToken, readTokenFile } from '../../settings/token.ts';

export type LoginOptions = { readonly blogUrl: string; readonly tokenCommand?: string };

export function define(command: Command, context: Context, run = logIn): void {
  command
    .argument('<blog-url>', 'address of the blog, like https://host/api/v1.2/blogs/1')
    .addOption(
      new Option('--token-command <line>', 'keep a command that prints the token, not the token'),
    )
    .addHelpText(
      'after',
      `
The token is asked for, or read from --token-file. It is kept in the configuration
file, readable by you alone, for this service only; the blog becomes the one that
commands use when they are not told another. With --profile it is that profile's blog.

Examples:
  blogctl auth login https://blog.example/api/v1.2/blogs/1
  pass show blog | blogctl auth login https://blog.example/api/v1.2/blogs/1 --token-file -
  blogctl auth login https://blog.example/api/v1.2/blogs/1 --token-command "pass show blog"`,
    )
    .action((blogUrl: string, options: { tokenCommand?: string }) =>
      run({ ...options, blogUrl }, context),
    );
}

/** Checks that a blog answers there, then remembers it and the token for its origin. */
export async function logIn(options: LoginOptions, context: Context): Promise<void> {
  const { terminal, flags } = context;
  const url = serviceUrl(options.blogUrl, context);
  const { origin } = new URL(url);
  const token = await obtainToken(options, origin, context);
  const blog = await (await context.client({ at: url })).blog();
  const profile = flags.profile ?? 'default';
  const config = await context.config();
  await config.change((known) => ({
    ...known,
    profile,
    profiles: { ...known.profiles, [profile]: { ...known.profiles[profile], blog: url } },
    tokens: { ...known.tokens, [origin]: token },
  }));
  await warnIfShadowed(url, context);
  await terminal.notice(`Logged in. The token for ${origin} is kept in ${config.path}`);
  await terminal.show({
    one: { blog: url, title: blog.title, origin, profile, config: config.path },
    columns: ['blog', 'title', 'origin', 'profile', 'config'],
  });
}

function serviceUrl(text: string, { folder }: Context): string {
  const target = readTarget(text, folder);
  if (target.kind === 'service') return target.url;
  throw new BlogctlError('usage', 'A store file needs no login.', {
    hint: `use it with --blog ${text}`,
  });
}

async function obtainToken(
  { tokenCommand }: LoginOptions,
  origin: string,
  context: Context,
): Promise<StoredToken> {
  const { flags, terminal, folder } = context;
  if (tokenCommand !== undefined) return { command: await tried(tokenCommand, context) };
  if (flags.tokenFile !== undefined) {
    return readTokenFile(flags.tokenFile, { folder, readInput: () => terminal.readInput() });
  }
  if (terminal.mayAsk) {
    const typed = await terminal.ask({ text: `Access token for ${origin}: `, hidden: true });
    return checkToken(typed, 'What was typed');
  }
  throw new BlogctlError('usage', 'Nobody can be asked for the token here.', {
    hint: 'give --token-file <file>, or --token-file - to read it from stdin',
  });
}

/** A command is kept only when it prints a token now. */
async function tried(command: string, { signal }: Context): Promise<string> {
  const { runCommand } = await import('../../terminal/programs/run-command.ts');
  checkToken(await runCommand(command, signal), `What "${command}" prints`);
  return command;
}

/** What is nearer than the configuration file outranks what was just stored there. */
async function warnIfShadowed(url: string, context: Context): Promise<void> {
  const { env, terminal } = context;
  for (const name of ['BLOGCTL_BLOG', 'BLOGCTL_TOKEN', 'BLOGCTL_TOKEN_FILE', 'BLOGCTL_PROFILE']) {
    if (env[name]) await terminal.warn(`${name} is set and outranks this login.`);
  }
  const blog = (await context.settings()).written('blog');
  if (blog?.origin === 'project' && blog.value !== url) {
    await terminal.warn(`${blog.place} names another blog and outranks this login there.`);
  }
}
