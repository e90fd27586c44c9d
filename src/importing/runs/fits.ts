import type { VersionedArticle } from '../../client/blog-client.ts';
import { BlogctlError } from '../../errors.ts';
import { textDigest } from '../identity/record-key.ts';
import type { Answered } from './journal-lines.ts';
import type { Journal } from './journal.ts';

export type ReadArticle = (url: string) => Promise<VersionedArticle>;

/**
 * Whether a journal is about this blog as it is now: one of the articles it names has the text it
 * was given, or was there and has been deleted. A store file that was made anew has neither.
 */
export async function fitsBlog(journal: Journal, read: ReadArticle): Promise<boolean> {
  if (journal.sample.length === 0) return true;
  for (const answer of journal.sample) if (await isThere(answer, read)) return true;
  return false;
}

async function isThere(answer: Answered, read: ReadArticle): Promise<boolean> {
  try {
    const { article } = await read(answer.url);
    return textDigest(article).startsWith(answer.stored);
  } catch (error) {
    if (!(error instanceof BlogctlError)) throw error;
    if (error.code === 'gone') return true;
    // An address of another port or host: not the blog that gave it.
    if (error.code === 'not-found' || error.code === 'usage') return false;
    throw error;
  }
}
