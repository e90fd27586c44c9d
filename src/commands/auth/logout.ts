import type { Command } from 'commander';
import type { Context } from '../../context/context.ts';

export function define(command: Command, context: Context, run = logOut): void {
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
export async function logOut(context: Context): Promise<void> {
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
