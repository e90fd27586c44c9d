import type { Command } from 'commander';
import type { Context } from '../../context/context.ts';
import { BlogctlError } from '../../errors.ts';
import { shownStore, storeFile } from '../store-file.ts';

export type RevokeOptions = { readonly token: string; readonly store?: string };

export function define(command: Command, context: Context, run = revokeToken): void {
  command
    .argument('<id|name>', 'which token, as token list shows it')
    .option('--store <file>', 'the store file (default: that of the chosen blog)')
    .addHelpText('after', '\nExamples:\n  blogctl token revoke ci --store blog.json')
    .action((token: string, options: { store?: string }) => run({ ...options, token }, context));
}

/** Takes a token back; a running server refuses it from its next request on. */
export async function revokeToken(
  { token, store }: RevokeOptions,
  context: Context,
): Promise<void> {
  const file = await storeFile(store, context);
  const shown = shownStore(file);
  const { withTokensOf } = await import('../../local.ts');
  const revoked = await withTokensOf(file, (tokens) => tokens.revoke(token));
  if (revoked.length === 0) {
    throw new BlogctlError('not-found', `${shown} has no token "${token}".`, {
      hint: `blogctl token list --store ${shown} shows them`,
    });
  }
  await context.terminal.notice(`Revoked token ${revoked.join(', ')}.`);
}
