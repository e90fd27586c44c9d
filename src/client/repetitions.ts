import { BlogctlError, type ErrorCode } from '../errors.ts';
import type { Transport } from '../http/transport.ts';
import { readVersionedArticle } from './articles.ts';
import type { ArticleDraft, VersionedArticle } from './blog-client.ts';
import { exchange } from './exchange.ts';

/**
 * A change whose answer was lost is sent again, and may then be refused because it was carried out
 * the first time: 412 for the version it made itself, 410 for what it deleted. `look` says what it
 * finds of that; where it finds nothing the refusal stands.
 */
export async function orDoneBefore<T, U>(
  change: () => Promise<T>,
  look: (refused: ErrorCode) => Promise<U | undefined>,
): Promise<T | U> {
  try {
    return await change();
  } catch (error) {
    if (!(error instanceof BlogctlError) || error.context.afterUnclearAnswer !== true) throw error;
    const found = await look(error.code);
    if (found === undefined) throw error;
    return found;
  }
}

/** The article as it is now, if it is what the draft says. */
export async function findReplaced(
  transport: Transport,
  url: string,
  draft: ArticleDraft,
): Promise<VersionedArticle | undefined> {
  const now = readVersionedArticle(await exchange(transport, { method: 'GET', url }));
  const isOurs = now.article.title === draft.title && now.article.content === draft.content;
  return isOurs ? now : undefined;
}
