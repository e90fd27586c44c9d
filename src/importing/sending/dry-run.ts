import type {
  Article,
  ArticleDraft,
  BlogClient,
  CreatedArticle,
  CreateOptions,
} from '../../client/blog-client.ts';
import { fingerprintOf } from '../../client/keyed-articles.ts';
import { BlogctlError } from '../../errors.ts';

/**
 * The client of a dry run: it reads, and answers a creation as the blog would, without sending it. A
 * key is asked for where the blog can be asked (decisions 51).
 */
export function withoutWriting(client: BlogClient): BlogClient {
  const create = async (
    draft: ArticleDraft,
    { idempotencyKey }: CreateOptions = {},
  ): Promise<CreatedArticle> => {
    if (idempotencyKey === undefined) return notSent(draft);
    const found = await client.articleByKey(idempotencyKey);
    if (found.kind === 'never-seen') return notSent(draft);
    if (found.kind === 'deleted') throw gone();
    const { article, validators, fingerprint } = found;
    const isSame =
      fingerprint === undefined ? isText(draft, article) : fingerprint === fingerprintOf(draft);
    if (!isSame) throw reused(article);
    return { article, validators, replayed: true };
  };
  return {
    ...client,
    create,
    async place(draft, options) {
      const { article, replayed } = await create(draft, options);
      return { url: article.url, article, replayed };
    },
  };
}

function notSent({ title, content = '' }: ArticleDraft): CreatedArticle {
  return { article: { id: 0, title, content, url: '' }, validators: {}, replayed: false };
}

function isText({ title, content = '' }: ArticleDraft, article: Article): boolean {
  return title === article.title && content === (article.content ?? '');
}

function gone(): BlogctlError {
  return new BlogctlError('gone', 'The article of this key was deleted.', { status: 410 });
}

function reused({ url }: Article): BlogctlError {
  const context = { status: 422, reason: 'idempotency-key-reused', article: url };
  return new BlogctlError('unprocessable', 'This key was used for another text.', context);
}
