import { InvalidArgumentError } from 'commander';
import type { ArticleReference } from '../../client/blog-client.ts';
import { BlogctlError } from '../../errors.ts';
import type { Terminal } from '../../terminal/terminal.ts';
import { articleReference } from '../arguments.ts';

/** An article as the command line names it; `-` stands for the lines of stdin. */
export type NamedArticle = ArticleReference | '-';

/** What was named, with the lines of stdin in the place of `-`; empty lines are passed over. */
export async function resolveNamed(
  named: readonly NamedArticle[],
  terminal: Terminal,
): Promise<readonly ArticleReference[]> {
  const resolved: ArticleReference[] = [];
  for (const each of named) {
    if (each === '-') resolved.push(...readLines(await terminal.readInput()));
    else resolved.push(each);
  }
  return resolved;
}

function readLines(bytes: Uint8Array): ArticleReference[] {
  const lines = Buffer.from(bytes).toString('utf8').split('\n');
  return lines.flatMap((line, at) => (line.trim() === '' ? [] : [readLine(line.trim(), at + 1)]));
}

function readLine(text: string, line: number): ArticleReference {
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
