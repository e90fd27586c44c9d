import { Refusal } from '../errors.ts';
import { noBlog } from './find.ts';
import type { Article, Blog, Creation } from '../store/store.ts';

export type Created = {
  readonly article: Article;
  readonly blog: Blog;
  readonly replayed: boolean;
};

/** One article more, or the one an earlier request with the same key made (decisions 38). */
export function requireCreated(creation: Creation, blogId: number): Created {
  if (creation.kind === 'created' || creation.kind === 'replayed') {
    const { article, blog, kind } = creation;
    return { article, blog, replayed: kind === 'replayed' };
  }
  if (creation.kind === 'no-blog') throw noBlog(blogId);
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
