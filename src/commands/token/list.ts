import type { Command } from 'commander';
import type { Context } from '../../context/context.ts';
import { shownStore, storeFile } from '../store-file.ts';

export type ListTokensOptions = { readonly store?: string };

export function define(command: Command, context: Context, run = listTokens): void {
  command
    .option('--store <file>', 'the store file (default: that of the chosen blog)')
    .addHelpText('after', '\nExamples:\n  blogctl token list --store blog.json')
    .action((options: ListTokensOptions) => run(options, context));
}

/** Lists the access tokens of a store: what they allow, never the tokens themselves. */
export async function listTokens({ store }: ListTokensOptions, context: Context): Promise<void> {
  const file = await storeFile(store, context);
  const shown = shownStore(file);
  const { withTokensOf } = await import('../../local.ts');
  const tokens = await withTokensOf(file, (each) => each.list());
  await context.terminal.show({
    many: tokens.map(({ id, name, rights, blogs, expiresAt }) => ({
      id,
      name,
      rights: rights.join(','),
      blogs: blogs?.join(',') ?? 'all',
      expires: expiresAt === undefined ? 'never' : new Date(expiresAt).toISOString(),
    })),
    columns: ['id', 'name', 'rights', 'blogs', 'expires'],
  });
  if (tokens.length === 0) {
    await context.terminal.notice(
      `No tokens for ${shown}. Next: blogctl token create --store ${shown}`,
    );
  }
}
