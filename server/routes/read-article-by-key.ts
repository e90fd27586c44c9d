import { noBlog } from '../articles/find.ts';
import { Refusal } from '../errors.ts';
import { hashOfKey } from '../policy/idempotency.ts';
import { apiPath } from '../representations/addresses.ts';
import { halJson } from '../representations/representation.ts';
import { answerRead } from './answers.ts';
import { idIn } from './route.ts';
import type { Route } from './route.ts';

/**
 * The article that an Idempotency-Key made, as it is when read at its own address (decisions 51).
 * The key is its value, percent-encoded; what is no key at all was never used as one. The fingerprint
 * of the request that the key came with tells a client whether its own would be answered by this
 * article or be 422.
 */
export const readArticleByKey: Route = {
  method: 'GET',
  path: `${apiPath}/blogs/{blog_id}/article-keys/{key}`,
  mediaTypes: [halJson],
  described: {
    operationId: 'readArticleByKey',
    summary: 'Read the article that was created with an Idempotency-Key',
    successes: { 200: 'Article', 304: undefined },
    refusals: [404, 410, 412],
  },
  async answer(call) {
    const key = decodeURIComponent(call.variables['key'] ?? '');
    const blogId = idIn(call, 'blog_id');
    const found = await call.store.readByKey(blogId, hashOfKey(key));
    if (found.kind === 'no-blog') throw noBlog(blogId);
    const present = call.present(found.blog);
    if (found.kind === 'article') {
      const answer = answerRead(call, present.article(found.article));
      return {
        ...answer,
        headers: { ...answer.headers, 'Idempotency-Fingerprint': found.request },
      };
    }
    if (found.kind === 'gone') {
      throw new Refusal('gone', 'The article made with this Idempotency-Key was deleted.');
    }
    throw new Refusal('not-found', 'No article of this blog was made with this Idempotency-Key.');
  },
};
