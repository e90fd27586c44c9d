import {
  assetNamed,
  explorerPage,
  topicPage,
  type Examples,
  referencePage,
} from '../documentation/page.ts';
import { type Topic, problemTopic, relationTopic } from '../documentation/topics.ts';
import { openApiDocument, type Operation } from '../documentation/openapi.ts';
import { Refusal } from '../errors.ts';
import type { Response } from '../http/message.ts';
import {
  blogUrl,
  curies,
  problemUrl,
  relationUrl,
  halJson,
  type Representation,
  wholeOf,
} from '../representations/representation.ts';
import { deletionResult } from '../representations/serializer.ts';
import type { Store, StoreError } from '../store/store.ts';
import type { Call, Route } from './route.ts';

const html = 'text/html';

/** Outside the API, for people; a client that does not ask for HTML gets hal+json (decisions 6). */
const forPeople = { method: 'GET', mediaTypes: [halJson, html] } as const;

/** What is served here. */
export const startPage: Route = {
  ...forPeople,
  path: '/',
  async answer(call) {
    const { baseUrl } = call;
    const blogs = (await call.store.blogs()).map(({ id, title }) => ({
      href: blogUrl(baseUrl, id),
      title,
    }));
    if (call.mediaType === html) return textAnswer(explorerPage(blogs, baseUrl), html);
    const self = { href: `${baseUrl}/` };
    const links = { curies: curies(baseUrl), self, 'doc:blog': blogs };
    return halAnswer({ title: 'Blogs', _links: links });
  },
};

export const readRelation: Route = {
  ...forPeople,
  path: '/docs/{rel}',
  async answer(call) {
    const { rel = '' } = call.variables;
    return answerTopic(call, relationTopic(rel, call.baseUrl), relationUrl(call.baseUrl, rel));
  },
};

export const readProblem: Route = {
  ...forPeople,
  path: '/docs/problems/{code}',
  async answer(call) {
    const { code = '' } = call.variables;
    return answerTopic(call, problemTopic(code), problemUrl(call.baseUrl, code));
  },
};

export const readAsset: Route = {
  method: 'GET',
  path: '/docs/assets/{name}',
  mediaTypes: ['text/javascript', 'text/css'],
  async answer({ variables: { name = '' } }) {
    const asset = await assetNamed(name);
    if (asset === undefined) throw new Refusal('not-found', 'There is nothing of that name.');
    return textAnswer(Buffer.from(asset.text), asset.type);
  },
};

function answerTopic(call: Call, topic: Topic | undefined, self: string): Response {
  if (topic === undefined) throw new Refusal('not-found', 'There is no documentation of that.');
  if (call.mediaType === html) return textAnswer(topicPage(topic, call.baseUrl), html);
  const links = { curies: curies(call.baseUrl), self: { href: self } };
  return halAnswer({ ...topic, _links: links });
}

function halAnswer(resource: object): Response {
  return answerWith(Buffer.from(JSON.stringify(resource)), halJson);
}

function textAnswer(body: Uint8Array, type: string): Response {
  return answerWith(body, `${type}; charset=utf-8`);
}

/** Own scripts, styles and data only; never within another page. */
const contentSecurity =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; " +
  "base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const pageHeaders = {
  'Cache-Control': 'no-cache',
  'Content-Security-Policy': contentSecurity,
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
};

function answerWith(
  body: Uint8Array,
  type: string,
  more: Readonly<Record<string, string>> = pageHeaders,
): Response {
  const length = String(body.length);
  const headers = { 'Content-Type': type, 'Content-Length': length, Vary: 'Accept', ...more };
  return { status: 200, headers, body };
}

/**
 * Whether this service can do all it is there for, for whoever watches it: 200, or the refusal that
 * writes, or those who ask for a damaged article, meet at present. Outside the API (decisions 36, 37).
 */
export const readHealth: Route = {
  method: 'GET',
  path: '/health',
  mediaTypes: [halJson, 'application/json'],
  async answer({ baseUrl, mediaType, rules, store }) {
    const refused = rules.readOnly ? undefined : await lookAt(store);
    if (refused !== undefined) throw refused;
    const damage = store.damage?.();
    if (damage !== undefined) {
      throw new Refusal('damaged-article', `${damage.message} The others can be read.`);
    }
    const _links = { curies: curies(baseUrl), self: { href: `${baseUrl}/health` } };
    const body = Buffer.from(JSON.stringify({ status: 'pass', readOnly: rules.readOnly, _links }));
    return answerWith(body, mediaType, { 'Cache-Control': 'no-store' });
  },
};

const looks = new WeakMap<Store, Promise<StoreError | undefined>>();

/** However many ask at a time, and no rate bounds them (decisions 35), a store is asked once. */
function lookAt(store: Store): Promise<StoreError | undefined> {
  const shared = looks.get(store);
  if (shared !== undefined) return shared;
  const look = Promise.resolve(store.writesRefused()).finally(() => looks.delete(store));
  looks.set(store, look);
  return look;
}

/** The description of the routes of a table, for people. */
export function readReference(routes: readonly Route[]): Route {
  const operations = routes.flatMap(operationOf);
  return {
    ...forPeople,
    path: '/docs',
    async answer(call) {
      const { baseUrl } = call;
      if (call.mediaType === html) {
        return textAnswer(referencePage(operations, await examples(call), baseUrl), html);
      }
      const [self, openapi] = [`${baseUrl}/docs`, `${baseUrl}/docs/openapi.json`];
      const _links = {
        curies: curies(baseUrl),
        self: { href: self },
        describedby: { href: openapi },
      };
      const all = operations.map(({ method, path, summary }) => ({ method, path, summary }));
      return halAnswer({ title: 'API reference', operations: all, _links });
    },
  };
}

/** What the service answers about a blog with one article, by the code that answers. */
async function examples(call: Call): Promise<Examples> {
  const changed = { tag: '1-00000000', locked: false };
  const named = { id: 1, title: 'Field notes', description: 'What was seen on the way.' };
  const blog = { ...changed, ...named, total: 1, changedAt: 0 };
  const draft = { id: 7, title: 'Hello', content: 'First *words*.' };
  const json = Buffer.from(JSON.stringify(draft));
  const article = { ...changed, blogId: 1, id: 7, json, length: json.length, updatedAt: 0 };
  const present = call.present(blog);
  const page = present.page({ blog, articles: [article] }, { pageIndex: 1, pageSize: 20 });
  const inWords = async ({ body }: Pick<Representation, 'body'>) =>
    JSON.stringify(JSON.parse(Buffer.from(await wholeOf(body)).toString()), null, 2);
  return {
    Blog: await inWords(present.blog(blog)),
    Article: await inWords(present.article(article)),
    ArticlePage: await inWords(page),
    DeletionResult: await inWords({ body: deletionResult(present.context) }),
  };
}

/** The description of the routes of a table, for tools. */
export function describeRoutes(routes: readonly Route[]): Route {
  const operations = routes.flatMap(operationOf);
  return {
    method: 'GET',
    path: '/docs/openapi.json',
    mediaTypes: ['application/json', 'application/vnd.oai.openapi+json'],
    async answer({ baseUrl, rules: { maxPageSize }, mediaType }) {
      const document = openApiDocument({ baseUrl, maxPageSize, operations });
      const body = Buffer.from(JSON.stringify(document, null, 2));
      return answerWith(body, mediaType, { 'Cache-Control': 'no-cache' });
    },
  };
}

function operationOf({ method, path, right, described }: Route): readonly Operation[] {
  if (described === undefined) return [];
  const { operationId, summary, paged = false, body, successes, refusals } = described;
  const needsToken = right !== undefined;
  return [{ method, path, needsToken, operationId, summary, paged, body, successes, refusals }];
}
