import type { Command } from 'commander';
import type { Context } from '../../context/context.ts';
import { BlogctlError } from '../../errors.ts';

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
  const { value: target, origin: chosenBy, place } = await context.chosen();
  const blog = target.kind === 'service' ? target.url : `file:${target.path}`;
  const token =
    target.kind === 'service'
      ? (await context.token(new URL(target.url).origin))?.from
      : 'not needed';
  await context.terminal.show({
    one: { blog, chosenBy, ...(place !== '' && { place }), token },
    columns: ['blog', 'chosenBy', 'token'],
  });
  if (token === undefined) throw noToken(blog);
}

export function noToken(blog: string): BlogctlError {
  return new BlogctlError('authentication-required', `There is no token for ${blog}.`, {
    hint: `blogctl auth login ${blog}`,
  });
}
