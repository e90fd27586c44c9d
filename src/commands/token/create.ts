import { type Command, InvalidArgumentError } from 'commander';
import type { Context } from '../../context/context.ts';
import { duration, wholeNumber } from '../arguments.ts';
import { shownStore, storeFile } from '../store-file.ts';

const rights = ['create', 'update', 'delete'] as const;
type Right = (typeof rights)[number];

export type CreateTokenOptions = {
  readonly store?: string;
  readonly name?: string;
  /** Absent: every blog of the store. */
  readonly forBlog?: readonly number[];
  readonly allow: readonly Right[];
  /** Milliseconds from now; absent: never. */
  readonly expires?: number;
};

export function define(command: Command, context: Context, run = createToken): void {
  command
    .option('--store <file>', 'the store file (default: that of the chosen blog)')
    .option('--name <text>', 'what the token is for')
    .option('--for-blog <id>', 'only for this blog; repeatable (default: every blog)', blogIds)
    .option('--allow <rights>', 'create, update, delete, separated by commas', rightsOf, rights)
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
  blogctl token create --store blog.json > token.txt`,
    )
    .action((options: CreateTokenOptions) => run(options, context));
}

/** Makes an access token; stdout carries nothing else. */
export async function createToken(
  options: CreateTokenOptions,
  context: Context,
  now = Date.now,
): Promise<void> {
  const { terminal } = context;
  const file = await storeFile(options.store, context);
  const { withTokensOf } = await import('../../local.ts');
  const grant = {
    name: options.name ?? 'token',
    rights: options.allow,
    ...(options.forBlog !== undefined && { blogs: options.forBlog }),
    ...(options.expires !== undefined && { expiresAt: now() + options.expires }),
  };
  const { id, token } = await withTokensOf(file, (tokens) => tokens.create(grant));
  await terminal.notice(`Made token ${id} for ${shownStore(file)}; it is not shown again.`);
  if (terminal.format === 'table' || terminal.format === 'tsv') return terminal.write(`${token}\n`);
  await terminal.show({ one: { id, ...grant, token }, columns: ['id', 'token'] });
}

function blogIds(text: string, previous: readonly number[] = []): readonly number[] {
  return [...previous, wholeNumber(1)(text)];
}

function rightsOf(text: string): readonly Right[] {
  return text.split(',').map((word) => {
    const right = rights.find((each) => each === word.trim());
    if (right !== undefined) return right;
    throw new InvalidArgumentError(`"${word}" is none of ${rights.join(', ')}.`);
  });
}
