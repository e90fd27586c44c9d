import { type Command, InvalidArgumentError, Option } from 'commander';
import type { Blog } from '../client/blog-client.ts';
import { addressOf } from '../client/articles.ts';
import { isHost } from './arguments.ts';
import type { ClientOptions, Context } from './context.ts';
import { BlogctlError } from '../errors.ts';
import type { StoredToken } from '../settings/config-file.ts';
import { readTarget } from '../settings/target.ts';
import { checkToken, readTokenFile } from '../settings/settings.ts';
import { warnIfUnused } from './profile.ts';
import { inShell } from '../terminal/text.ts';

type LoginOptions = { readonly blogUrl?: string; readonly tokenCommand?: string };

export function define(command: Command, context: Context, run = logIn): void {
  command
    .argument('[blog-url]', 'address of the blog, like https://host/api/v1.2/blogs/1', loginAddress)
    .addOption(
      new Option('--token-command <line>', 'keep a command that prints the token, not the token'),
    )
    .addHelpText(
      'after',
      `
The token is asked for, or read from --token-file. It is kept in the configuration
file, readable by you alone, for this service only; the blog becomes the one that
commands use when they are not told another. With --profile it is that profile's blog.
It is tried on a deletion that can change nothing; a token that is refused is not kept.
Without an address it is for the blog of --blog or --profile, or of the one service that is known.

Examples:
  blogctl auth login https://blog.example/api/v1.2/blogs/1
  pass show blog | blogctl auth login https://blog.example/api/v1.2/blogs/1 --token-file -
  blogctl auth login https://blog.example/api/v1.2/blogs/1 --token-command "pass show blog"`,
    )
    .action((blogUrl: string | undefined, options: { tokenCommand?: string }) =>
      run({ ...options, ...(blogUrl !== undefined && { blogUrl }) }, context),
    );
}

/** gh names a service by its host alone. */
function loginAddress(text: string): string {
  if (!isHost.test(text)) return text;
  throw new InvalidArgumentError('A host is no address of a blog.');
}

/** Checks that a blog answers there and knows the token, then remembers both. */
async function logIn(options: LoginOptions, context: Context): Promise<void> {
  const { terminal, flags } = context;
  const named = options.blogUrl === undefined ? await knownBlog(context) : undefined;
  const url = serviceUrl(options.blogUrl ?? named?.blog ?? noAddress(), context);
  const { origin } = new URL(url);
  if (named !== undefined) await terminal.notice(`Logging in to ${url}`);
  const { token, stored } = await obtainToken(options, origin, context);
  const blog = await (await context.client({ at: url })).blog();
  const proof = await prove(token, blog, context);
  const profile = flags.profile ?? named?.profile ?? 'default';
  const config = await context.config();
  await config.change((known) => ({
    ...known,
    profile,
    profiles: { ...known.profiles, [profile]: { ...known.profiles[profile], blog: url } },
    tokens: { ...known.tokens, [origin]: stored },
  }));
  await warnIfUnused(profile, url, context);
  for (const name of ['BLOGCTL_TOKEN', 'BLOGCTL_TOKEN_FILE']) {
    if (context.env[name]) await terminal.warn(`${name} is set and outranks this login.`);
  }
  await terminal.notice(`Logged in. The token for ${origin} is kept in ${config.path}`);
  if (proof === 'unproven') {
    await terminal.notice('Not verified: this service tells nobody whether it knows the token.');
  }
  if (proof === 'forbidden') {
    await terminal.warn(
      'The service knows the token, but it may not delete articles of this blog.',
    );
  }
  const verified = proof !== 'unproven';
  await terminal.show({
    one: { blog: url, title: blog.title, origin, profile, config: config.path, verified },
    columns: ['blog', 'title', 'origin', 'profile', 'config', 'verified'],
  });
}

type KnownBlog = { readonly blog: string; readonly profile: string | undefined };

/**
 * The blog that a login without an address is for. A token goes to no service by guessing: flags name
 * it, or the user has ever named one service alone, in no project's file.
 */
export async function knownBlog(context: Context): Promise<KnownBlog | undefined> {
  const { flags } = context;
  const { value: blog = '', origin } = (await context.settings()).written('blog') ?? {};
  const config = await (await context.config()).read();
  const profile = origin === 'profile' ? (flags.profile ?? config.profile) : undefined;
  const isNamed = origin === 'flag' || (flags.profile !== undefined && origin === 'profile');
  const blogs = [config, ...Object.values(config.profiles)].map((each) => each.blog ?? '');
  const origins = new Set([...Object.keys(config.tokens), ...blogs.flatMap(originOf)]);
  const isOnly = origins.size === 1 && originOf(blog).some((each) => origins.has(each));
  const isKnown = isNamed || (isOnly && origin !== 'project' && flags.profile === undefined);
  return isKnown ? { blog, profile } : undefined;
}

function originOf(blog: string): readonly string[] {
  return /^https?:/i.test(blog) && URL.canParse(blog) ? [new URL(blog).origin] : [];
}

function noAddress(): never {
  throw new BlogctlError('usage', 'No address says which blog the token is for.', {
    hint: 'Give it: blogctl auth login <blog-url>. A token is sent to no service by guessing.',
  });
}

/** An article that no blog has: its id is the largest that can be counted to. */
const nowhere = { id: Number.MAX_SAFE_INTEGER };
const noTag = '"blogctl-auth-login"';

/** What a service answers to a deletion that can only be refused: of an article that is not there, on a condition that cannot hold. */
export async function statusFor(
  { url: at, articlesUrl }: Blog,
  options: ClientOptions,
  context: Context,
): Promise<number> {
  const url = addressOf(nowhere, articlesUrl);
  const headers = { accept: 'application/hal+json', 'if-match': noTag };
  const { transport } = await context.connection({ at, retries: 0, ...options });
  return (await transport({ method: 'DELETE', url, headers })).status;
}

/** Tries the token so; it proves something where the same without a token is told apart. */
async function prove(
  token: string,
  blog: Blog,
  context: Context,
): Promise<'accepted' | 'forbidden' | 'unproven'> {
  const answer = await statusFor(blog, { token }, context);
  if (answer === 401) throw refused(blog.url);
  if ((await statusFor(blog, {}, context)) !== 401) return 'unproven';
  return answer === 403 ? 'forbidden' : 'accepted';
}

function refused(blog: string): BlogctlError {
  return new BlogctlError('authentication-required', `${blog} refuses this token.`, {
    status: 401,
    hint: 'Nothing was stored; look whether the token is whole, of this service, and not expired.',
  });
}

function serviceUrl(text: string, { folder }: Context): string {
  const target = readTarget(text, folder);
  if (target.kind === 'service') return target.url;
  throw new BlogctlError('usage', 'A store file needs no login.', {
    hint: `Use it with --blog ${inShell(text)} as it is.`,
  });
}

type Obtained = { readonly token: string; readonly stored: StoredToken };

async function obtainToken(
  { tokenCommand }: LoginOptions,
  origin: string,
  context: Context,
): Promise<Obtained> {
  const { flags, terminal, folder } = context;
  if (tokenCommand !== undefined) {
    return { token: await printedBy(tokenCommand, context), stored: { command: tokenCommand } };
  }
  if (flags.tokenFile !== undefined) {
    const readInput = () => terminal.readInput();
    const token = await readTokenFile(flags.tokenFile, { folder, readInput });
    return { token, stored: token };
  }
  if (terminal.mayAsk) {
    const typed = await terminal.ask({ text: `Access token for ${origin}: `, hidden: true });
    const token = checkToken(typed, 'What was typed');
    return { token, stored: token };
  }
  throw new BlogctlError('usage', 'Nobody can be asked for the token here.', {
    hint: 'Give --token-file <file>, or --token-file - to read it from stdin.',
  });
}

/** A command is kept only when it prints a token now. */
async function printedBy(command: string, { signal }: Context): Promise<string> {
  const { runCommand } = await import('../terminal/subprocess.ts');
  return checkToken(await runCommand(command, signal), `What "${command}" prints`);
}
