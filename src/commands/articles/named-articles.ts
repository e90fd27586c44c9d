import { InvalidArgumentError } from 'commander';
import type { ArticleReference } from '../../client/blog-client.ts';
import { BlogctlError } from '../../errors.ts';
import type { Context } from '../../context/context.ts';
import { readTarget, targetName } from '../../settings/target.ts';
import { type ArticleArgument, articleReference } from '../arguments.ts';

/** An article as the command line names it; `-` stands for the lines of stdin. */
export type NamedArticle = ArticleArgument | '-';

/** What was named, with the lines of stdin in the place of `-`; empty lines are passed over. */
export async function resolveNamed(
  named: readonly NamedArticle[],
  context: Context,
): Promise<readonly ArticleArgument[]> {
  const resolved: ArticleArgument[] = [];
  for (const each of named) {
    if (each === '-') resolved.push(...readLines(await context.terminal.readInput()));
    else resolved.push(each);
  }
  for (const { store } of resolved) if (store !== undefined) await requireChosen(store, context);
  return resolved;
}

/** An address names its blog, and the command is about one. */
export async function requireChosen(store: string, context: Context): Promise<void> {
  const { value: chosen } = await context.chosen();
  const named = readTarget(store, context.folder);
  if (targetName(named) === targetName(chosen)) return;
  throw new BlogctlError('usage', `${store} is not the blog of this command.`, {
    hint: `it works on ${targetName(chosen)}; name the other with --blog ${store}`,
  });
}

function readLines(bytes: Uint8Array): ArticleArgument[] {
  const lines = Buffer.from(bytes).toString('utf8').split('\n');
  return lines.flatMap((line, at) => (line.trim() === '' ? [] : [readLine(line.trim(), at + 1)]));
}

function readLine(text: string, line: number): ArticleArgument {
  try {
    return articleReference(text);
  } catch (error) {
    if (!(error instanceof InvalidArgumentError)) throw error;
    throw new BlogctlError('unusable-input', `stdin, line ${line}: "${text}" names no article.`, {
      hint: 'each line names one article by id or URL: blogctl articles list --format ids',
    });
  }
}

/** How an article is called in messages. */
export function nameOf(reference: ArticleReference): string {
  return 'id' in reference ? `article ${reference.id}` : reference.url;
}
