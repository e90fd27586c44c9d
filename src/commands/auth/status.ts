import type { Command } from 'commander';
import type { Context } from '../../context.ts';
import { BlogctlError } from '../../errors.ts';
import { findToken } from '../../settings/token.ts';

export function define(command: Command, context: Context, run = showStatus): void {
  command
    .addHelpText(
      'after',
      `
Ends with 3 where there is no token for the blog.

Examples:
  blogctl auth status
  blogctl auth status --blog https://blog.example/api/v1.2/blogs/1 --json`,
    )
    .action(() => run(context));
}

/** Which blog would be used, what chose it, and where its token comes from; never the token. */
export async function showStatus(context: Context): Promise<void> {
  const { target, origin: chosenBy } = await context.chosen();
  const blog = target.kind === 'service' ? target.url : `file:${target.path}`;
  const token = target.kind === 'service' ? await tokenSource(context, target.url) : 'not needed';
  await context.terminal.show({
    one: { blog, chosenBy, token },
    columns: ['blog', 'chosenBy', 'token'],
  });
  if (token === undefined) {
    throw new BlogctlError('authentication-required', `There is no token for ${blog}.`, {
      hint: `blogctl auth login ${blog}`,
    });
  }
}

async function tokenSource(context: Context, url: string): Promise<string | undefined> {
  const found = await findToken(new URL(url).origin, {
    tokenFile: context.flags.tokenFile,
    env: context.env,
    config: await context.config(),
    readInput: () => context.terminal.readInput(),
  });
  return found?.from;
}
