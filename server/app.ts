import { Refusal } from './errors.ts';
import { isHealth } from './http/access-log.ts';
import {
  type App,
  noAnswer,
  noBody,
  type Request,
  type Response,
  whenAnswered,
  readTarget,
} from './http/message.ts';
import {
  createRouter,
  allowedMethods,
  checkExpectation,
  entryFor,
  negotiate,
} from './policy/negotiation.ts';
import { type RequestContext, withRefusals } from './http/refusals.ts';
import { authorize, createAuthenticator, createRateLimit } from './policy/authentication.ts';
import { checkFraming, checkTransferCoding } from './policy/body.ts';
import { resolveTarget, type TargetRules } from './policy/target-uri.ts';
import { apiPath } from './representations/representation.ts';
import { createSerializers, type Serializer } from './representations/serializer.ts';
import { createArticleRoute, listArticles, readBlog } from './routes/blog.ts';
import {
  deleteArticle,
  readArticleByKey,
  readArticleRoute,
  readComments,
  replaceArticle,
} from './routes/article.ts';
import {
  describeRoutes,
  readAsset,
  readHealth,
  readProblem,
  readReference,
  readRelation,
  startPage,
} from './routes/documents.ts';
import { idIn, type Route, type Rules } from './routes/route.ts';
import type { Blog, Store } from './store/store.ts';
import type { TokenLookup } from './store/tokens.ts';

/** The endpoints of the interface, in its order, and what the links of articles lead to besides. */
const api: readonly Route[] = [
  readBlog,
  createArticleRoute,
  readArticleRoute,
  listArticles,
  replaceArticle,
  deleteArticle,
  readComments,
  readArticleByKey,
];

/** All that is served: the API, and what explains it. */
const routes: readonly Route[] = [
  ...api,
  startPage,
  readHealth,
  describeRoutes(api),
  readReference(api),
  readAsset,
  readRelation,
  readProblem,
];

/** What the service works with; clock, tokens and addresses come from outside. */
export type Service = {
  readonly store: Store;
  readonly tokens: TokenLookup;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  readonly target: TargetRules;
  /** Whose pages may use the service from a browser (decisions 25). */
  readonly origins: readonly string[];
  /** Requests a second of each client; absent = no limit (decisions 35). */
  readonly rate?: number | undefined;
  readonly rules: Rules;
  /** Hears of failures that are not the client's. */
  readonly report: (error: unknown) => void;
};

/** The service as a function from request to response: the policies in their order. */
export function createApp(service: Service, table: readonly Route[] = routes): App {
  const { store, tokens, target, rules } = service;
  const find = createRouter(table);
  const serializerOf = createSerializers((blogId, id) => store.read(blogId, id));
  const grantOf = createAuthenticator(tokens);
  const limit = service.rate === undefined ? undefined : createRateLimit(service.rate, tokens);

  async function answer(request: Request, context: RequestContext): Promise<Response> {
    const { headers, method, peer } = request;
    if (method === 'CONNECT') throw new Refusal('not-implemented', 'This service is no proxy.');
    const { authority, path, query } = readTarget(request.target);
    const { baseUrl, address } = resolveTarget({ headers, authority, peer }, target);
    context.baseUrl = baseUrl;
    const presented = { token: headers['x-access-token'], address, now: service.now() };
    if (limit !== undefined && !isProbe(method, path)) await limit(presented);
    checkTransferCoding(headers);
    checkExpectation(headers['expect']);

    if (method === 'OPTIONS' && path === '*') return answerOptions(everyMethod);
    const { methods, variables } = find(path) ?? (await refusePath(path, store, find));
    if (method === 'OPTIONS') return answerOptions(methods.keys());
    const route = entryFor(method, methods, path);
    const mediaType = negotiate(headers['accept'], route.mediaTypes);
    const blogId = idIn({ variables }, 'blog_id');
    if (route.right !== undefined) {
      authorize({ right: route.right, blogId }, await grantOf(presented));
    }
    if (route.takesBody) checkFraming(headers, rules.maxBodyBytes);

    const present = (blog: Blog): Serializer => {
      const serializer = serializerOf(baseUrl, blog);
      context.blog = serializer.context;
      return serializer;
    };
    return route.answer({
      request,
      baseUrl,
      query,
      variables,
      mediaType,
      get now() {
        return service.now();
      },
      store,
      rules,
      present,
    });
  }

  const refusing = withRefusals(answer, { baseUrl: target.baseUrl ?? '', report: service.report });
  return withOrigins(withoutBodyOfHead(refusing), service.origins);
}

/** Who asks whether the service works may share an address with its readers; it costs next to nothing. */
function isProbe(method: string, path: string): boolean {
  return isHealth(path) && (method === 'GET' || method === 'HEAD');
}

const everyMethod = ['GET', 'POST', 'PUT', 'DELETE'] as const;

/** Other versions of the interface end here too (decisions 43). */
async function refusePath(path: string, store: Store, find: Find): Promise<never> {
  const whole = path.replace(/\/$/, '');
  const isSlashed = whole !== path;
  const there = isSlashed && find(whole) !== undefined ? whole : await placeOf(whole, store);
  const slash = isSlashed ? ' No address but / ends with a slash.' : '';
  const lead = there === undefined ? 'the links of / lead to what there is' : `see ${there}`;
  throw new Refusal('not-found', `There is nothing at ${path.slice(0, 200)}; ${lead}.${slash}`);
}

type Find = ReturnType<typeof createRouter<Route>>;

/** The first blog stands for the only one, which others need not name. */
async function placeOf(path: string, store: Store): Promise<string | undefined> {
  const [pattern, place = ''] = elsewhere.find(([odd]) => odd.test(path)) ?? [];
  const [, blog, article = ''] = pattern?.exec(path) ?? [];
  if (!place.includes('{blog}')) return pattern && place;
  const id = blog ?? (await store.blogs())[0]?.id;
  if (id === undefined) return '/';
  return place.replace('{blog}', `${apiPath}/blogs/${id}`).replace('{article}', article);
}

/** What others have before it: `/api`, `/v1`, `/wp-json/wp/v2`; and a blog. */
const before = String.raw`^(?:/(?:api|rest|v\d[\w.]*|wp-json|wp))*(?:/blogs?/([1-9]\d{0,14}))?`;
const articles = `${before}/(?:posts?|articles?|entries|items)`;

/** Where others have what is asked for here under another path. */
const elsewhere: readonly (readonly [RegExp, string])[] = [
  [/^\/(?:healthz|status|readyz?|livez?|ping)$/, '/health'],
  [/^.*\/(?:openapi|swagger|api-docs)(?:\.json|\.ya?ml)?$/, '/docs/openapi.json'],
  [/^\/index\.html?$/, '/'],
  [/^(?:\/(?:api|rest|v\d[\w.]*|wp-json))*(?:\/(?:blogs?|sites?))?$/i, '/'],
  [new RegExp(String.raw`${before}\.\w{2,5}$`), '{blog}'],
  [new RegExp(`${before}/db(?:[.]json)?$`), '{blog}/articles?pageSize=1000'],
  [
    new RegExp(String.raw`${articles}(/[1-9]\d{0,14})?(?:\.\w{2,5})?$`, 'i'),
    '{blog}/articles{article}',
  ],
  [new RegExp(`${articles}/[^/]+$`, 'i'), '{blog}/articles, where each has a number as its id'],
];

function answerOptions(methods: Iterable<string>): Response {
  const headers = { Allow: allowedMethods(methods), 'Cache-Control': 'no-store' };
  return { status: 204, headers, body: noBody };
}

/** HEAD is GET with the same headers and no body, errors included (decisions 21). */
export function withoutBodyOfHead(app: App): App {
  return (request) => {
    if (request.method !== 'HEAD') return app(request);
    return whenAnswered(app(request), (response) => ({ ...response, body: noBody }));
  };
}

/** Off as long as no origin is listed (decisions 25). */
export function withOrigins(app: App, origins: readonly string[]): App {
  if (origins.length === 0) return app;
  return async (request) => {
    const response = await app(request);
    if (response === noAnswer) return response;
    const headers = { ...response.headers, ...corsHeaders(origins, request.headers) };
    return { ...response, headers, lines: undefined };
  };
}

const readable =
  'ETag, Location, Link, Last-Modified, Retry-After, Preference-Applied, X-Request-Id';
const more =
  'Accept-Idempotency, Idempotency-Fingerprint, Idempotency-Replayed, Link-Template, Allow';
const sendable =
  'Accept, Content-Type, X-Access-Token, If-Match, If-None-Match, If-Modified-Since, ' +
  'If-Unmodified-Since, Idempotency-Key, Prefer, X-Request-Id';

/**
 * What lets the pages of listed origins use the service from a browser (decisions 25). Credentials
 * are never allowed: a token is sent by the page that has it, not by the browser.
 */
function corsHeaders(
  origins: readonly string[],
  headers: Request['headers'],
): Readonly<Record<string, string>> {
  const { origin } = headers;
  if (origin === undefined || !origins.includes(origin)) return { Vary: 'Accept, Origin' };
  const allowed = {
    Vary: 'Accept, Origin',
    'Access-Control-Allow-Origin': origin,
    'Access-Control-Expose-Headers': `${readable}, ${more}`,
  };
  return headers['access-control-request-method'] === undefined
    ? allowed
    : { ...allowed, ...preflight };
}

const preflight = {
  'Access-Control-Allow-Methods': 'GET, HEAD, POST, PUT, DELETE',
  'Access-Control-Allow-Headers': sendable,
  'Access-Control-Max-Age': '600',
};
