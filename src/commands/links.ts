import type { Command } from 'commander';
import type { Context } from '../context/context.ts';

export type LinksOptions = { readonly names: readonly string[] };

export function define(command: Command, context: Context, run = showLinks): void {
  command
    .argument('[place-or-rel...]', 'where to begin (URL or path), then relations to follow')
    .addHelpText(
      'after',
      `
Begins at the blog where no place is given. A relation that occurs several times is
counted from 0, as in item[2].

Examples:
  blogctl links
  blogctl links doc:articles
  blogctl links /api/v1.2/blogs/1/articles/7 doc:blog --json`,
    )
    .action((names: readonly string[]) => run({ names }, context));
}

/** Shows what can be followed from a resource. */
export async function showLinks({ names }: LinksOptions, context: Context): Promise<void> {
  const { isPlace, walk } = await import('./walk.ts');
  const { exchange } = await import('../client/exchange.ts');
  const { linkView } = await import('./link-view.ts');
  const [first] = names;
  const start = first !== undefined && isPlace(first) ? first : undefined;
  const steps = start === undefined ? names : names.slice(1);
  const connection = await context.connection();
  const url = await walk({ steps, ...(start !== undefined && { start }) }, connection);
  const answer = await exchange(connection.transport, { method: 'GET', url });
  await context.terminal.show(linkView(answer.document()));
}
