import { findBlog } from './articles/find.ts';
import { createWrites } from './articles/writes.ts';
import { Refusal } from './errors.ts';
import { noBody } from './http/message.ts';
import type { App, Request, Response } from './http/message.ts';
import { withRefusals } from './http/refusals.ts';
import type { Trail } from './http/refusals.ts';
import { createRouter } from './http/router.ts';
import { readTarget } from './http/target.ts';
import { authorize } from './policy/authentication.ts';
import { checkFraming } from './policy/body-framing.ts';
import { checkHost } from './policy/host.ts';
import type { HostRules } from './policy/host.ts';
import { allowedMethods, entryFor } from './policy/methods.ts';
import { negotiate } from './policy/negotiation.ts';
import { createPresenters } from './representations/presenters.ts';
import type { BlogInView, Limits } from './routes/route.ts';
import { idIn } from './routes/route.ts';
import { routes } from './routes/table.ts';
import type { Store } from './store/store.ts';
import type { TokenLookup } from './store/tokens.ts';

/** What the service works with; clock, tokens and addresses come from outside. */
export type Service = {
  readonly store: Store;
  readonly tokens: TokenLookup;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** What links begin with, without a trailing slash; absent = the Host of each request. */
  readonly baseUrl?: string | undefined;
  readonly hosts: HostRules;
  readonly limits: Limits;
  /** Hears of failures that are not the client's. */
  readonly report: (error: unknown) => void;
};

/** The service as a function from request to response: the policies in their order. */
export function createApp(service: Service): App {
  const { store, tokens, limits } = service;
  const find = createRouter(routes);
  const presenterOf = createPresenters();
  const writes = createWrites(store);

  async function answer(request: Request, trail: Trail): Promise<Response> {
    const { headers, method } = request;
    const { authority, path, query } = readTarget(request.target);
    const host = checkHost(authority ?? headers['host'], service.hosts);
    const baseUrl = service.baseUrl ?? `http://${host}`;
    trail.baseUrl = baseUrl;

    if (method === 'OPTIONS' && path === '*') return answerOptions(everyMethod);
    const { methods, variables } = find(path) ?? refusePath(path);
    if (method === 'OPTIONS') return answerOptions(methods.keys());
    const route = entryFor(method, methods);
    const mediaType = negotiate(headers['accept'], route.mediaTypes);
    if (route.right !== undefined) {
      const deed = { right: route.right, blogId: idIn({ variables }, 'blog_id') };
      authorize(deed, { token: headers['x-access-token'], now: service.now() }, tokens);
    }
    if (route.takesBody) checkFraming(headers, limits.maxBodyBytes);

    const blog = async (): Promise<BlogInView> => {
      const found = await findBlog(store, idIn({ variables }, 'blog_id'));
      const present = presenterOf(baseUrl, found);
      trail.blog = present.viewpoint;
      return { blog: found, present };
    };
    const call = { request, baseUrl, query, variables, mediaType, store, writes, limits, blog };
    return route.answer(call);
  }

  const { baseUrl = '', report } = service;
  return withoutBodyOfHead(withRefusals(answer, { baseUrl, report }));
}

const everyMethod = ['GET', 'POST', 'PUT', 'DELETE'] as const;

/** Other versions of the interface end here too (decisions 43). */
function refusePath(path: string): never {
  throw new Refusal('not-found', `There is nothing at ${path.slice(0, 200)}.`);
}

function answerOptions(methods: Iterable<string>): Response {
  const headers = { Allow: allowedMethods(methods), 'Cache-Control': 'no-store' };
  return { status: 204, headers, body: noBody };
}

/** HEAD is GET with the same headers and no body, errors included (decisions 21). */
function withoutBodyOfHead(app: App): App {
  return async (request) => {
    const response = await app(request);
    return request.method === 'HEAD' ? { ...response, body: noBody } : response;
  };
}
