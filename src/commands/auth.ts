import type { Command } from 'commander';
import type { Context } from './context.ts';
import { byYourWord } from '../client/refusals.ts';
import { BlogctlError } from '../errors.ts';
import { showsFields } from './lazy-command.ts';
import { targetName } from '../settings/target.ts';
import { withoutSecrets, inShell } from '../terminal/text.ts';

export const verbs = { status: defineStatus, logout: defineLogout, token: defineToken };

const serviceFields = ['blog', 'chosenBy', 'place', 'token'] as const;

function defineStatus(command: Command, context: Context, run = showStatus): void {
  showsFields(command, serviceFields)
    .addHelpText(
      'after',
      `
The token is tried on a deletion that can change nothing. Ends with 3 where there is none for
the blog or the service refuses it, with 9 where it does not answer.

Examples:
  blogctl auth status
  blogctl auth status --blog https://blog.example/api/v1.2/blogs/1 --json`,
    )
    .action(() => run(context));
}

type Service = {
  readonly blog: string;
  readonly chosenBy?: string;
  readonly place?: string;
  readonly token: string | undefined;
  readonly missing?: BlogctlError;
};

/** Which blog would be used, what chose it, and every service there is a token for; never the token. */
async function showStatus(context: Context): Promise<void> {
  const { missing, ...chosen } = await chosenService(context);
  const others = await otherServices(context);
  await context.terminal.show({
    many: [chosen, ...others],
    columns: ['blog', 'chosenBy', 'token'],
    fields: serviceFields,
    id: 'blog',
  });
  if (missing !== undefined) throw missing;
}

async function chosenService(context: Context): Promise<Service> {
  const { value: target, origin: chosenBy, place } = await context.chosen();
  const where = { chosenBy, ...(place !== '' && { place }) };
  if (target.kind === 'file') {
    return { blog: targetName(target), ...where, token: 'not needed' };
  }
  const found = await context.token(new URL(target.url).origin);
  const known = { blog: target.url, ...where };
  if (found !== undefined && found !== 'withheld') {
    const refused = await refusalOf(found, target.url, context);
    return { ...known, token: found.from, ...(refused && { missing: refused }) };
  }
  return { ...known, token: undefined, missing: noToken(target.url, found === 'withheld') };
}

/** What the service says of the token that would be sent, or why it says nothing; undefined where it takes it. */
async function refusalOf(
  { token, from }: { readonly token: string; readonly from: string },
  at: string,
  context: Context,
): Promise<BlogctlError | undefined> {
  const { statusFor } = await import('./login.ts');
  let status: number;
  try {
    const blog = await (await context.client({ at, retries: 0 })).blog();
    status = await statusFor(blog, { token }, context);
  } catch (error) {
    context.signal.throwIfAborted();
    if (error instanceof BlogctlError) return error;
    throw error;
  }
  if (status >= 500)
    return new BlogctlError('service-failed', `${at} does not say whether it takes the token.`, {
      status,
      hint: 'Try again later.',
    });
  if (status !== 401) return undefined;
  return new BlogctlError('authentication-required', `${at} refuses this token.`, {
    status,
    hint: `It comes from ${from}: give another there, or keep one by \`blogctl auth login ${inShell(at)}\`.`,
  });
}

/** The others that a token is kept for, by their profiles' blogs. */
async function otherServices(context: Context): Promise<readonly Service[]> {
  const { value: target } = await context.chosen();
  const used = target.kind === 'file' ? undefined : new URL(target.url).origin;
  const config = await context.config();
  const { tokens, profiles } = await config.read();
  const blogs = Object.values(profiles).map(({ blog = '' }) => blog);
  return Object.entries(tokens).flatMap(([origin, stored]) => {
    if (origin === used) return [];
    const token = typeof stored === 'string' ? config.path : stored.command;
    const known = blogs.filter((blog) => URL.canParse(blog) && new URL(blog).origin === origin);
    return (known.length === 0 ? [origin] : [...new Set(known)]).map((blog) => ({
      blog: withoutSecrets(blog),
      token,
    }));
  });
}

export function noToken(blog: string, isWithheld = false): BlogctlError {
  return new BlogctlError('authentication-required', `There is no token for ${blog}.`, {
    hint: isWithheld
      ? byYourWord
      : `Run blogctl auth login ${inShell(blog)} first; BLOGCTL_TOKEN or --token-file gives one for once.`,
  });
}

function defineLogout(command: Command, context: Context, run = logOut): void {
  command
    .addHelpText(
      'after',
      `
Examples:
  blogctl auth logout
  blogctl auth logout --blog https://blog.example/api/v1.2/blogs/1`,
    )
    .action(() => run(context));
}

/** Forgets the stored token of the blog's origin; the blog itself stays known. */
async function logOut(context: Context): Promise<void> {
  const { value: target } = await context.chosen();
  if (target.kind === 'file') {
    return context.terminal.notice('A store file needs no token; there is nothing to forget.');
  }
  const { origin } = new URL(target.url);
  const config = await context.config();
  const { tokens } = await config.read();
  if (tokens[origin] === undefined) {
    return context.terminal.notice(`No token for ${origin} is stored.`);
  }
  await config.change(({ tokens: { [origin]: _forgotten, ...others }, ...known }) => ({
    ...known,
    tokens: others,
  }));
  await context.terminal.notice(`Forgot the token for ${origin}.`);
}

function defineToken(command: Command, context: Context, run = printToken): void {
  command
    .addHelpText(
      'after',
      `
Examples:
  curl -X DELETE -H "X-Access-Token: $(blogctl auth token)" https://blog.example/…`,
    )
    .action(() => run(context));
}

/** Prints the token that would be sent to the blog, and nothing else. */
async function printToken(context: Context): Promise<void> {
  const { value: target } = await context.chosen();
  if (target.kind === 'file') {
    throw new BlogctlError('usage', 'A store file needs no token.', {
      hint: 'Make one with blogctl token create for those who use it over HTTP.',
    });
  }
  const found = await context.token(new URL(target.url).origin);
  if (found === undefined || found === 'withheld') throw noToken(target.url, found === 'withheld');
  await context.terminal.write(`${found.token}\n`);
}
