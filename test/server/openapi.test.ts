import * as fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { Refusal } from '../../server/errors.ts';
import { parseArticle } from '../../server/policy/body.ts';
import { api, articles, givenArticles, givenService } from '../support/service.ts';
import type { Answer, Json, TestService } from '../support/service.ts';

const draft = { title: 'T', content: 'C' };
let service: TestService;
let document: Json;

beforeAll(async () => {
  service = await givenService();
  await givenArticles(service, 3);
  await service.send('DELETE', `${articles}/3`);
  document = JSON.parse((await service.send('GET', '/docs/openapi.json')).text);
});

/** The schema of an answer, its references put in. */
function schemaOf(path: string, method: string, status: number): Json {
  const response = document.paths[path]?.[method]?.responses[status];
  expect(response, `${method} ${path} ${status}`).toBeDefined();
  return inlined(response.content?.['application/hal+json'].schema);
}

function inlined(schema: Json): Json {
  if (Array.isArray(schema)) return schema.map(inlined);
  if (typeof schema !== 'object' || schema === null) return schema;
  // The checker takes a URI reference for a URL, which a relative one is not.
  if (schema.format === 'uri-reference') return { type: schema.type };
  if (typeof schema.$ref !== 'string') {
    return Object.fromEntries(Object.entries(schema).map(([name, part]) => [name, inlined(part)]));
  }
  return inlined(document.components.schemas[schema.$ref.split('/').at(-1)]);
}

const blog = `${api}/blogs/{blog_id}`;
const collection = `${blog}/articles`;
const article = `${collection}/{article_id}`;
const key = `${blog}/article-keys/{key}`;

/** What programs go by, of each status. */
const codesOf: Readonly<Record<number, readonly string[]>> = {
  400: ['bad-request', 'method-not-allowed', 'unsupported-media-type', 'precondition-required'],
  401: ['anonymous'],
  403: ['forbidden'],
  404: ['not-found'],
  406: ['not-acceptable'],
  410: ['gone'],
  412: ['precondition-failed'],
  422: ['unprocessable', 'idempotency-key-reused'],
  501: ['not-implemented'],
};

type Case = readonly [string, string, number, (service: TestService) => Promise<Answer>];
const cases: readonly Case[] = [
  [blog, 'get', 200, ({ send }) => send('GET', `${api}/blogs/1`)],
  [blog, 'get', 404, ({ send }) => send('GET', `${api}/blogs/9`)],
  [blog, 'get', 400, ({ send }) => send('GET', `${api}/blogs/1`, { headers: { host: 'a b' } })],
  [
    blog,
    'get',
    412,
    ({ send }) => send('GET', `${api}/blogs/1`, { headers: { 'if-match': '"x"' } }),
  ],
  [blog, 'get', 406, ({ send }) => send('GET', `${api}/blogs/1`, { headers: { accept: 'a/b' } })],
  [collection, 'get', 200, ({ send }) => send('GET', articles)],
  [collection, 'get', 200, ({ send }) => send('GET', `${articles}?pageIndex=2&pageSize=1`)],
  [collection, 'get', 400, ({ send }) => send('GET', `${articles}?pageSize=0`)],
  [collection, 'post', 201, ({ send }) => send('POST', articles, { body: draft })],
  [collection, 'post', 401, ({ send }) => send('POST', articles, { token: null, body: draft })],
  [collection, 'post', 403, ({ send }) => send('POST', articles, { token: 'reader', body: draft })],
  [collection, 'post', 422, ({ send }) => send('POST', articles, { body: {} })],
  [
    collection,
    'post',
    422,
    async ({ send }) => {
      const headers = { 'idempotency-key': 'k' };
      await send('POST', articles, { headers, body: draft });
      return send('POST', articles, { headers, body: { ...draft, title: 'Other' } });
    },
  ],
  [article, 'get', 200, ({ send }) => send('GET', `${articles}/1`)],
  [article, 'get', 410, ({ send }) => send('GET', `${articles}/3`)],
  [article, 'put', 200, ({ send }) => send('PUT', `${articles}/2`, { body: { title: 'T' } })],
  [
    article,
    'put',
    412,
    ({ send }) => send('PUT', `${articles}/2`, { headers: { 'if-match': '"x"' }, body: draft }),
  ],
  [article, 'delete', 404, ({ send }) => send('DELETE', `${articles}/99`)],
  [
    article,
    'delete',
    200,
    ({ send }) => send('DELETE', `${articles}/1`, { headers: { prefer: 'return=representation' } }),
  ],
  [key, 'get', 404, ({ send }) => send('GET', `${api}/blogs/1/article-keys/never`)],
  [
    key,
    'get',
    200,
    async ({ send }) => {
      await send('POST', articles, { headers: { 'idempotency-key': 'k-2' }, body: draft });
      return send('GET', `${api}/blogs/1/article-keys/k-2`);
    },
  ],
  [`${article}/comments`, 'get', 501, ({ send }) => send('GET', `${articles}/2/comments`)],
];

describe('the OpenAPI document', () => {
  it('says 3.1 and describes every route of the API', () => {
    expect(document.openapi).toBe('3.1.0');
    expect(document.servers).toEqual([{ url: 'http://localhost:4000' }]);
    const described = Object.entries<object>(document.paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method} ${path}`),
    );
    const tried = new Set(cases.map(([path, method]) => `${method} ${path}`));
    expect([...tried].toSorted()).toEqual(described.toSorted());
  });

  it.each(cases)(
    '%s %s: a real answer of %i is as described',
    async (path, method, status, send) => {
      const answer = await send(service);
      expect(answer.status).toBe(status);
      expect(answer.headers['Content-Type']).toBe('application/hal+json');
      const schema = z.fromJSONSchema(schemaOf(path, method, status));
      expect(schema.safeParse(answer.json)).toMatchObject({ success: true });
      expect(schema.safeParse({ ...answer.json, more: 1 })).toMatchObject({ success: false });
      if (status < 400) return;
      const { code, type } = answer.json;
      expect(answer.json.status).toBe(status);
      expect(codesOf[status]).toContain(code);
      expect(type).toMatch(new RegExp(`^(?:http://localhost:4000)?/docs/problems/${code}$`));
    },
  );

  it('has a page of every relation that an answer names', async () => {
    const answering = await givenService();
    await givenArticles(answering, 3);
    const relations = new Set<string>();
    for (const [, , , send] of cases) {
      const { text, headers } = await send(answering);
      const named = `${text} ${Object.values(headers).join(' ')}`;
      for (const [, name = ''] of named.matchAll(/(?:"doc:|\/docs\/)(\w+)"/g)) relations.add(name);
    }
    // In a header, a link and an error.
    expect([...relations]).toEqual(expect.arrayContaining(['articleKey', 'comments', 'help']));
    const pages = [...relations].map(async (name) => [
      name,
      (await answering.send('GET', `/docs/${name}`)).status,
    ]);
    expect(await Promise.all(pages)).toEqual([...relations].map((name) => [name, 200]));
  });

  it('has an example of every answer that has a body', async () => {
    const { text } = await service.send('GET', '/docs', { headers: { accept: 'text/html' } });
    const bare = Object.values<Json>(document.paths)
      .flatMap((methods) => Object.values<Json>(methods))
      .filter(({ responses }) => (responses[200] ?? responses[201])?.content !== undefined)
      .map(({ operationId }) => operationId)
      .filter(
        (id) =>
          text.split(`id="${id}"`)[1]?.split('<section')[0]?.includes('</dl>\n<pre>') !== true,
      );
    expect(bare).toEqual([]);
  });

  it('names the header fields that a write can carry', () => {
    const fieldsOf = (path: string, method: string) =>
      document.paths[path][method].parameters
        .filter((parameter: Json) => parameter.in === 'header')
        .map(({ name }: Json) => name);
    const guards = ['If-Match', 'If-None-Match', 'If-Unmodified-Since', 'Prefer'];
    expect(fieldsOf(collection, 'post')).toEqual([...guards, 'Idempotency-Key']);
    expect(fieldsOf(article, 'put')).toEqual(guards);
    expect(fieldsOf(article, 'delete')).toEqual(guards);
  });

  it('describes 429 of every operation, because a rate limit is for all', () => {
    const operations = Object.values<Json>(document.paths).flatMap((path) =>
      Object.values<Json>(path),
    );
    const known = new Set(cases.map(([path, method]) => `${method} ${path}`));
    expect(operations).toHaveLength(known.size);
    for (const { responses } of operations) expect(Object.keys(responses)).toContain('429');
  });

  it('describes request bodies as they are read', () => {
    const { NewArticle, ReplacingArticle } = document.components.schemas;
    const text = fc.constantFrom('T', 'x'.repeat(1000), '😀'.repeat(1000), 'x'.repeat(1001));
    const value = fc.oneof(text, fc.constantFrom(null, 5, ['C'], {}));
    const name = fc.constantFrom('id', '_links', '_embedded', 'contnet');
    const member = fc.tuple(fc.oneof(fc.constantFrom('title', 'content'), name), value);
    const body = fc.oneof(value, fc.array(member).map(Object.fromEntries));
    const isRead = (sent: unknown, content: 'required' | 'optional') => {
      try {
        return parseArticle(sent, content) !== undefined;
      } catch (error) {
        if (error instanceof Refusal) return false;
        throw error;
      }
    };
    const [creating, replacing] = [NewArticle, ReplacingArticle].map((schema) =>
      z.fromJSONSchema(schema),
    );
    fc.assert(
      fc.property(body, (sent) => {
        expect(creating?.safeParse(sent).success).toBe(isRead(sent, 'required'));
        expect(replacing?.safeParse(sent).success).toBe(isRead(sent, 'optional'));
      }),
      { numRuns: 1000 },
    );
  });

  it('says of each operation whether it needs a token, and which one does nothing', () => {
    const operations = Object.values<Json>(document.paths).flatMap((methods) =>
      Object.entries<Json>(methods),
    );
    for (const [method, { security, responses, 'x-not-implemented': isNothing }] of operations) {
      expect(security).toEqual(method === 'get' ? [] : [{ token: [] }]);
      expect(Object.keys(responses).some((status) => status.startsWith('2'))).toBe(!isNothing);
    }
    expect(operations.filter(([, { 'x-not-implemented': isNothing }]) => isNothing)).toHaveLength(
      1,
    );
    expect(document.info.license).toEqual({ name: 'MIT', identifier: 'MIT' });
  });

  it('refers only to schemas it has', () => {
    const names = JSON.stringify(document).matchAll(/"#\/components\/schemas\/(\w+)"/g);
    const missing = [...names].filter(([, name = '']) => !(name in document.components.schemas));
    expect(missing).toEqual([]);
  });
});
