import type { Command } from 'commander';
import type { Context } from '../../context/context.ts';
import { BlogctlError } from '../../errors.ts';
import { noToken } from './status.ts';

export function define(command: Command, context: Context, run = printToken): void {
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
export async function printToken(context: Context): Promise<void> {
  const { value: target } = await context.chosen();
  if (target.kind === 'file') {
    throw new BlogctlError('usage', 'A store file needs no token.', {
      hint: 'blogctl token create makes one for those who use it over HTTP',
    });
  }
  const found = await context.token(new URL(target.url).origin);
  if (found === undefined) throw noToken(target.url);
  await context.terminal.write(`${found.token}\n`);
}
