import { type Command, InvalidArgumentError } from 'commander';
import type { Context } from './context.ts';
import { BlogctlError, type Hint } from '../errors.ts';
import { inShell } from '../terminal/text.ts';
import { duration, wholeNumber } from './arguments.ts';
import { shownStore, storeFile, storeFlag, storeHelp, warning } from './store-file.ts';

export const verbs = { create: defineCreate, list: defineList, revoke: defineRevoke };

const allRights = ['create', 'update', 'delete'] as const;
type Right = (typeof allRights)[number];

type CreateTokenOptions = {
  readonly store?: string;
  readonly name?: string;
  /** Absent: every blog of the store. */
  readonly forBlog?: readonly number[];
  readonly allow: readonly Right[];
  /** Milliseconds from now; absent: never. */
  readonly expires?: number;
};

function defineCreate(command: Command, context: Context, run = createToken): void {
  command
    .option('--store <store>', storeHelp)
    .option('--name <text>', 'what the token is for')
    .option('--for-blog <id>', 'only for this blog; repeatable (default: every blog)', blogIds)
    .option('--allow <rights>', 'create, update, delete, separated by commas', rightsOf, allRights)
    .option(
      '--expires <duration>',
      'valid for so long, like 12h or 30d (default: for ever)',
      duration,
    )
    .addHelpText(
      'after',
      `
The token is shown once, alone on stdout; the store keeps only its hash.

Examples:
  blogctl token create --name ci --allow create --expires 30d
  (umask 077; blogctl token create --store blog.json > token.txt)`,
    )
    .action((options: CreateTokenOptions) => run(options, context));
}

/** Makes an access token; stdout carries nothing else. */
async function createToken(
  options: CreateTokenOptions,
  context: Context,
  now = Date.now,
): Promise<void> {
  const { terminal } = context;
  const isChosen = requireSecret(context);
  const file = await storeFile(options.store, context);
  const { withTokensOf } = await import('../local.ts');
  await requireBlogs(options.forBlog ?? [], file);
  const grant = {
    name: options.name ?? 'token',
    rights: options.allow,
    ...(options.forBlog !== undefined && { blogs: options.forBlog }),
    ...(options.expires !== undefined && { expiresAt: now() + options.expires }),
  };
  const { id, token } = await withTokensOf(file, (tokens) => tokens.create(grant), {
    notice: warning(terminal),
  });
  await terminal.notice(`Made token ${id} for ${shownStore(file)}; it is not shown again.`);
  const isPlain = !isChosen && (terminal.format === 'table' || terminal.format === 'tsv');
  if (isPlain) return terminal.write(`${token}\n`);
  const done: Hint = `Token ${id} was made all the same: \`blogctl token revoke ${id} ${storeFlag(file)}\` takes it back.`;
  await terminal.show({ one: { id, ...grant, token }, columns: ['id', 'token'], done });
}

/** A token for a blog that is not there would be one for whatever gets its id later. */
async function requireBlogs(asked: readonly number[], file: string): Promise<void> {
  if (asked.length === 0) return;
  const { atServer } = await import('../local.ts');
  const known = await atServer(file, (server) => server.listBlogs(file));
  const missing = asked.find((id) => !known.includes(id));
  if (missing === undefined) return;
  throw new BlogctlError('not-found', `There is no blog ${missing} in ${shownStore(file)}.`, {
    hint: `Its blogs are ${known.join(', ')}; blogctl store add-blog --title <text> ${storeFlag(file)} adds one.`,
  });
}

/** Whether fields are chosen; a choice without the token would lose it, for it is shown once. */
function requireSecret({ terminal, flags: { fields, field, jq } }: Context): boolean {
  terminal.requireFields(['id', 'name', 'rights', 'blogs', 'expiresAt', 'token']);
  const chosen = fields ?? (field === undefined ? undefined : [field]);
  const hasIds = terminal.format === 'ids' && field === undefined && chosen?.[0] !== 'token';
  const hasNone = chosen?.includes('token') === false || /^(?!.*token|\.$)/s.test(jq ?? '.');
  if (!hasIds && !hasNone) return chosen !== undefined || jq !== undefined;
  throw new BlogctlError('usage', 'A token is shown once, and this would not show it.', {
    hint: 'Ask for the token too, as --fields id,token or --json does.',
  });
}

function blogIds(text: string, previous: readonly number[] = []): readonly number[] {
  return [...previous, wholeNumber(1)(text)];
}

function rightsOf(text: string): readonly Right[] {
  return text.split(',').map((word) => {
    const right = allRights.find((each) => each === word.trim());
    if (right !== undefined) return right;
    throw new InvalidArgumentError(`"${word}" is none of ${allRights.join(', ')}.`);
  });
}

type ListTokensOptions = { readonly store?: string };

function defineList(command: Command, context: Context, run = listTokens): void {
  command
    .option('--store <store>', storeHelp)
    .addHelpText('after', '\nExamples:\n  blogctl token list --store blog.json')
    .action((options: ListTokensOptions) => run(options, context));
}

/** Lists the access tokens of a store: what they allow, never the tokens themselves. */
async function listTokens({ store }: ListTokensOptions, context: Context): Promise<void> {
  const file = await storeFile(store, context);
  const shown = shownStore(file);
  const { withTokensOf } = await import('../local.ts');
  const tokens = await withTokensOf(file, (each) => each.list(), {
    notice: warning(context.terminal),
    readOnly: true,
  });
  await context.terminal.show({
    many: tokens.map(({ id, name, rights, blogs, createdAt, expiresAt }) => ({
      id,
      name,
      rights: rights.join(','),
      blogs: blogs?.join(',') ?? 'all',
      created: new Date(createdAt).toISOString(),
      expires: expiresAt === undefined ? 'never' : new Date(expiresAt).toISOString(),
    })),
    columns: ['id', 'name', 'rights', 'blogs', 'expires'],
    fields: ['id', 'name', 'rights', 'blogs', 'created', 'expires'],
  });
  if (tokens.length === 0) {
    await context.terminal.notice(
      `No tokens for ${shown}. Next: blogctl token create ${storeFlag(file)}`,
    );
  }
}

type RevokeOptions = { readonly token: string; readonly store?: string };

function defineRevoke(command: Command, context: Context, run = revokeToken): void {
  command
    .argument('<id|name>', 'which token, as token list shows it')
    .option('--store <store>', storeHelp)
    .addHelpText('after', '\nExamples:\n  blogctl token revoke ci --store blog.json')
    .action((token: string, options: { store?: string }) => run({ ...options, token }, context));
}

/** Takes a token back; a running server refuses it from its next request on. */
async function revokeToken({ token, store }: RevokeOptions, context: Context): Promise<void> {
  const file = await storeFile(store, context);
  const shown = shownStore(file);
  const { withTokensOf } = await import('../local.ts');
  const known = await withTokensOf(file, (tokens) => tokens.list());
  const named = known.filter(({ name }) => name === token);
  const [found, ...others] = known.some(({ id }) => id === token) ? [{ id: token }] : named;
  if (others.length > 0) {
    const made = named.map(
      ({ id, createdAt }) => `${id} of ${new Date(createdAt).toISOString().slice(0, 16)}Z`,
    );
    throw new BlogctlError('usage', `${shown} has ${named.length} tokens "${token}".`, {
      hint: `Name one by its id: ${made.join(', ')}.`,
    });
  }
  if (found === undefined) {
    throw new BlogctlError('not-found', `${shown} has no token "${token}".`, {
      hint: `See blogctl token list --store ${inShell(shown)} for those there are.`,
    });
  }
  await withTokensOf(file, (tokens) => tokens.revoke(found.id), {
    notice: warning(context.terminal),
  });
  await context.terminal.notice(`Revoked token ${found.id} of ${shown}.`);
}
