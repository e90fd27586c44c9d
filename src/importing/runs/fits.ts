import type { BlogClient } from '../../client/blog-client.ts';
import { BlogctlError } from '../../errors.ts';
import { textDigest } from '../identity/record-key.ts';
import type { Answered } from './journal-lines.ts';
import type { Journal } from './journal.ts';

/**
 * Whether a journal is about this blog as it is now. One of the articles it names must have the text
 * it was given; a store file that was made anew has none. A blog that can be asked again (`asksAgain`)
 * must have them all, and not fewer articles than were answered: it may have been restored from a
 * copy, or some were deleted, and then asking again tells the truth. Elsewhere the journal is all
 * there is to go by, and an article that is gone was there.
 */
export async function fitsBlog(
  journal: Journal,
  client: Pick<BlogClient, 'article' | 'pages'>,
  asksAgain: boolean,
): Promise<boolean> {
  if (journal.sample.length === 0) return true;
  const found: Found[] = [];
  for (const answer of journal.sample) found.push(await look(answer, client));
  if (!asksAgain) return found.some((each) => each === 'same' || each === 'gone');
  if (found.includes('gone') || found.includes('missing')) return false;
  const { value: page } = await client.pages({ pageIndex: 1, pageSize: 1 }).next();
  return found.includes('same') && (page?.totalArticles ?? 0) >= journal.answers;
}

type Found = 'same' | 'other' | 'gone' | 'missing';

async function look(answer: Answered, client: Pick<BlogClient, 'article'>): Promise<Found> {
  try {
    const { article } = await client.article({ url: answer.url });
    return textDigest(article).startsWith(answer.stored) ? 'same' : 'other';
  } catch (error) {
    if (!(error instanceof BlogctlError)) throw error;
    if (error.code === 'gone') return 'gone';
    // An address of another port or host: not the blog that gave it.
    if (error.code === 'not-found' || error.code === 'usage') return 'missing';
    throw error;
  }
}
