import { Refusal } from '../errors.ts';
import type { ArticleInput } from '../policy/article-input.ts';
import type { Article, Blog, Creation, Idempotency, Store } from '../store/store.ts';
import { refuseLocked } from './locks.ts';

export type Created = { readonly article: Article; readonly replayed: boolean };

/** One article more, or the one an earlier request with the same key made (decisions 38). */
export async function createArticle(
  create: Store['create'],
  blog: Blog,
  { input, idempotency }: { input: ArticleInput; idempotency: Idempotency | undefined },
): Promise<Created> {
  refuseLocked(blog, 'This blog');
  return requireCreated(await create(blog.id, input, idempotency));
}

function requireCreated(creation: Creation): Created {
  switch (creation.kind) {
    case 'created':
    case 'replayed':
      return { article: creation.article, replayed: creation.kind === 'replayed' };
    case 'key-reused':
      throw new Refusal(
        'idempotency-key-reused',
        'This Idempotency-Key was sent before with another article.',
      );
    case 'key-in-flight':
      throw new Refusal('conflict', 'The first request with this Idempotency-Key still runs.', {
        headers: { 'Retry-After': '1' },
      });
    case 'gone':
      throw new Refusal('gone', 'The article made with this Idempotency-Key was deleted.');
  }
}
