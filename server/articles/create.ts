import { Refusal } from '../errors.ts';
import type { ArticleInput } from '../policy/article-input.ts';
import type { Article, Blog, Creation, Idempotency, Store } from '../store/store.ts';

export type Created = { readonly article: Article; readonly replayed: boolean };

/** One article more, or the one an earlier request with the same key made (decisions 38). */
export async function createArticle(
  create: Store['create'],
  blog: Blog,
  { input, idempotency }: { input: ArticleInput; idempotency: Idempotency | undefined },
): Promise<Created> {
  return requireCreated(await create(blog.id, input, idempotency));
}

function requireCreated(creation: Creation): Created {
  if (creation.kind === 'created' || creation.kind === 'replayed') {
    return { article: creation.article, replayed: creation.kind === 'replayed' };
  }
  if (creation.kind === 'key-reused') throw keyReused(creation.id);
  throw refusalOf[creation.kind]();
}

function keyReused(article: number): Refusal {
  const what = 'This Idempotency-Key was sent before with another article.';
  return new Refusal('idempotency-key-reused', what, { article });
}

const refusalOf = {
  'key-in-flight': () =>
    new Refusal('conflict', 'The first request with this Idempotency-Key still runs.', {
      headers: { 'Retry-After': '1' },
    }),
  gone: () => new Refusal('gone', 'The article made with this Idempotency-Key was deleted.'),
};
