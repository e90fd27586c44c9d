import type { Command } from 'commander';
import type { Context } from '../../context.ts';
import { BlogctlError } from '../../errors.ts';
import { readTarget } from '../../settings/target.ts';
import { checkToken, readTokenFile } from '../../settings/token.ts';

export type LoginOptions = { readonly blogUrl: string };

export function define(command: Command, context: Context, run = logIn): void {
  command
    .argument('<blog-url>', 'address of the blog, like https://host/api/v1.2/blogs/1')
    .addHelpText(
      'after',
      `
The token is asked for, or read from --token-file. It is kept in the configuration
file, readable by you alone, for this service only; the blog becomes the one that
commands use when they are not told another.

Examples:
  blogctl auth login https://blog.example/api/v1.2/blogs/1
  pass show blog | blogctl auth login https://blog.example/api/v1.2/blogs/1 --token-file -`,
    )
    .action((blogUrl: string) => run({ blogUrl }, context));
}

/** Checks that a blog answers there, then remembers it and the token for its origin. */
export async function logIn({ blogUrl }: LoginOptions, context: Context): Promise<void> {
  const { terminal } = context;
  const url = serviceUrl(blogUrl, context);
  const token = await obtainToken(context, url);
  const blog = await (await context.client({ at: url })).blog();
  const { origin } = new URL(url);
  const config = await context.config();
  await config.change((known) => ({
    ...known,
    profile: 'default',
    profiles: { ...known.profiles, default: { blog: url } },
    tokens: { ...known.tokens, [origin]: token },
  }));
  await warnIfShadowed(context);
  await terminal.notice(`Logged in. The token for ${origin} is kept in ${config.path}`);
  await terminal.show({
    one: { blog: url, title: blog.title, origin, config: config.path },
    columns: ['blog', 'title', 'origin', 'config'],
  });
}

function serviceUrl(text: string, { folder }: Context): string {
  const target = readTarget(text, folder);
  if (target.kind === 'service') return target.url;
  throw new BlogctlError('usage', 'A store file needs no login.', {
    hint: `use it with --blog ${text}`,
  });
}

async function obtainToken({ flags, terminal }: Context, url: string): Promise<string> {
  if (flags.tokenFile !== undefined) return readTokenFile(flags.tokenFile, terminal);
  if (terminal.mayAsk) {
    const typed = await terminal.ask({
      text: `Access token for ${new URL(url).origin}: `,
      hidden: true,
    });
    return checkToken(typed, 'What was typed');
  }
  throw new BlogctlError('usage', 'Nobody can be asked for the token here.', {
    hint: 'give --token-file <file>, or --token-file - to read it from stdin',
  });
}

/** What the environment says outranks what was just stored. */
async function warnIfShadowed({ env, terminal }: Context): Promise<void> {
  for (const name of ['BLOGCTL_BLOG', 'BLOGCTL_TOKEN', 'BLOGCTL_TOKEN_FILE']) {
    if (env[name]) await terminal.warn(`${name} is set and outranks this login.`);
  }
}
