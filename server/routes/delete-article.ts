import { guardOf } from '../articles/guard.ts';
import { noBody } from '../http/message.ts';
import type { Response } from '../http/message.ts';
import { preferredReturn } from '../policy/preferences.ts';
import { apiPath } from '../representations/addresses.ts';
import { deletionLinkHeader, deletionResult } from '../representations/deletion.ts';
import type { Viewpoint } from '../representations/links.ts';
import { halJson } from '../representations/representation.ts';
import { articleInView, etagIn, idIn } from './route.ts';
import type { Route } from './route.ts';

/** interface, Endpoints, rule 16. */
export const deleteArticle: Route = {
  method: 'DELETE',
  path: `${apiPath}/blogs/{blog_id}/articles/{article_id}`,
  mediaTypes: [halJson],
  right: 'delete',
  described: {
    operationId: 'deleteArticle',
    summary: 'Delete an article',
    successes: { 200: 'DeletionResult', 204: undefined },
    refusals: [401, 403, 404, 410, 412, 423, 503, 507],
  },
  async answer(call) {
    const { headers } = call.request;
    const guard = guardOf({ headers, etag: etagIn(call), rules: call.rules });
    const [blogId, articleId] = [idIn(call, 'blog_id'), idIn(call, 'article_id')];
    const { present } = articleInView(call, await call.store.remove(blogId, articleId, guard));
    const wantsBody = preferredReturn(headers['prefer']) === 'representation';
    return wantsBody ? withResult(present.viewpoint) : withoutContent(present.viewpoint);
  },
};

/** HTTP knows no content on 204, and a length of what never comes breaks clients (decisions 1). */
function withoutContent(viewpoint: Viewpoint): Response {
  return { status: 204, headers: headersOf(viewpoint), body: noBody };
}

function withResult(viewpoint: Viewpoint): Response {
  const body = deletionResult(viewpoint);
  const headers = {
    ...headersOf(viewpoint),
    'Content-Length': String(body.length),
    'Preference-Applied': 'return=representation',
  };
  return { status: 200, headers, body };
}

function headersOf(viewpoint: Viewpoint) {
  return {
    'Content-Type': halJson,
    'Cache-Control': 'no-store',
    Link: deletionLinkHeader(viewpoint),
  };
}
