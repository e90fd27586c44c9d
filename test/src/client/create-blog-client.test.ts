import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { createBlogClient } from '../../../src/client/create-blog-client.ts';
import { createFinder } from '../../../src/client/idempotency.ts';
import { BlogctlError } from '../../../src/errors.ts';
import { createConnection } from '../../../src/http/connection.ts';
import type { Transport } from '../../../src/http/transport.ts';
import type { ArticlePage } from '../../../src/client/blog-client.ts';
import {
  articleBody,
  blogBody,
  givenService,
  pageBody,
  type Reply,
  root,
  type Script,
} from '../../support/transport.ts';

function given(script: Script = {}) {
  const service = givenService({ [`GET ${root}`]: { body: blogBody }, ...script });
  return { client: createBlogClient({ transport: service, blogUrl: root }), service };
}

/** As the command has it: redirects are followed. */
function connected(service: Transport): Transport {
  return createConnection(service, {
    origins: { home: 'http://blog.test', allowed: ['http://new.test'] },
    retry: { retries: 0, maxWaitMs: 0 },
    trace: { level: 0, write: () => {} },
  });
}

const articles = `${root}/articles`;
const article7 = `${articles}/7`;

async function all(pages: AsyncIterable<ArticlePage>): Promise<number[]> {
  const ids: number[] = [];
  for await (const page of pages) ids.push(...page.articles.map(({ id }) => id));
  return ids;
}

describe('an article', () => {
  it('named by its bare id is refused, with how it is named', async () => {
    const { client } = given();
    const article: (reference: never) => Promise<unknown> = (reference) =>
      client.article(reference);
    await expect(Reflect.apply(article, undefined, [7])).rejects.toMatchObject({
      message: '7 names no article. Give { id: 7 }, or { url } with the address of an article.',
      hint: 'Give { id: 7 }, or { url } with the address of an article.',
    });
  });
});

describe('another blog of the service', () => {
  it('is no article', async () => {
    const other = 'http://blog.test/api/v1.2/blogs/2';
    const { client } = given({ [`GET ${other}`]: { body: blogBody } });
    await expect(client.article({ url: other })).rejects.toMatchObject({
      code: 'not-found',
      message: `${other} is a blog, not an article.`,
    });
  });
});

describe('the blog', () => {
  it('is read once, whatever is asked of it', async () => {
    const { client, service } = given({ [`GET ${article7}`]: { body: articleBody(7) } });
    await client.blog();
    await client.article({ id: 7 });
    expect(service.requests.map(({ url }) => url)).toEqual([root, article7]);
    expect(service.requests[0]?.headers['accept']).toBe('application/hal+json');
  });

  it('says whether the service honours an Idempotency-Key', async () => {
    const headers = { 'accept-idempotency': 'key' };
    const { client } = given({ [`GET ${root}`]: { body: blogBody, headers } });
    expect((await client.blog()).honoursIdempotencyKey).toBe(true);
    expect((await given().client.blog()).honoursIdempotencyKey).toBe(false);
  });

  it.each([
    ['a web page', '<!doctype html>', 'text/html', 'but text/html: "<!doctype html>"'],
    ['nothing', '', 'text/plain', 'but text/plain: nothing'],
    ['control characters', '\x1b[2J', 'text/plain', 'but text/plain: "\\u001b[2J"'],
    ['a list', '[1]', 'application/json', 'but application/json: "[1]"'],
  ])('is not %s', async (_name, body, type, message) => {
    const { client } = given({ [`GET ${root}`]: { body, headers: { 'content-type': type } } });
    await expect(client.blog()).rejects.toMatchObject({
      code: 'broken-contract',
      message: `No HAL representation came from ${root}, ${message}`,
      hint: 'The address must be that of a blog: https://host/api/v1.2/blogs/1, for example.',
    });
  });

  it('without a link to its articles is not one, and the links it has are named', async () => {
    const { client } = given({
      [`GET ${root}`]: {
        body: {
          ...blogBody,
          _links: {
            curies: [{ name: 'doc', href: '/{rel}', templated: true }],
            self: { href: root },
          },
        },
      },
    });
    await expect(client.blog()).rejects.toMatchObject({
      code: 'broken-contract',
      message: `No "doc:articles" link at ${root}.`,
      hint: 'Links offered there: self.',
    });
  });

  it('with members of the wrong type is not one, and they are named', async () => {
    const { client } = given({ [`GET ${root}`]: { body: { ...blogBody, id: '1', title: 3 } } });
    await expect(client.blog()).rejects.toMatchObject({
      code: 'broken-contract',
      context: { details: [{ pointer: '/id' }, { pointer: '/title' }] },
    });
  });
});

describe('a blog that redirects led to', () => {
  const relative = {
    ...blogBody,
    _links: {
      self: { href: 'blog' },
      'doc:articles': { href: 'entries{?pageIndex,pageSize}', templated: true },
    },
  };

  it.each([
    ['of the same origin', '/new/area', 'http://blog.test/new/area'],
    ['of one that is allowed', 'http://new.test/area', 'http://new.test/area'],
  ])('has its links from there: %s', async (_where, location, area) => {
    const service = givenService({
      [`GET ${root}`]: { status: 301, headers: { location: `${location}/blog` } },
      [`GET ${area}/blog`]: { body: relative },
      [`GET ${area}/entries`]: {
        body: {
          ...pageBody(1, 1, 1),
          _embedded: [articleBody(7, { _links: { self: { href: 'e-7' } } })],
        },
      },
    });
    const client = createBlogClient({ transport: connected(service), blogUrl: root });
    expect((await client.blog()).url).toBe(`${area}/blog`);
    const { value } = await client.pages().next();
    expect(value?.articles).toMatchObject([{ id: 7, url: `${area}/e-7` }]);
  });
});

describe('an article by its key', () => {
  const meaning = 'http://blog.test/docs/articleKey';
  const blogWith = (field: string) => ({
    [`GET ${root}`]: { body: blogBody, headers: { 'link-template': field } },
  });

  it('is asked for where the template of the blog leads, the key percent-encoded', async () => {
    const address = `${root}/keys/a%2Fb%20%22c%22`;
    const { client } = given({
      ...blogWith(`"/x/{y}"; rel="other", "${root}/keys/{key}"; rel="${meaning}"`),
      [`GET ${address}`]: { body: articleBody(7), headers: { etag: '"e"' } },
    });
    expect((await client.blog()).findsByKey).toBe(true);
    expect(await client.articleByKey('a/b "c"')).toMatchObject({
      kind: 'article',
      article: { id: 7, url: article7 },
      validators: { etag: '"e"' },
    });
  });

  it.each([
    [404, { kind: 'never-seen' }],
    [410, { kind: 'deleted' }],
  ])('that is answered with %i is an answer', async (status, answer) => {
    const { client } = given({
      ...blogWith(`"keys/{key}"; rel="${meaning}"`),
      'GET http://blog.test/api/v1.2/blogs/keys/k': { status },
    });
    expect(await client.articleByKey('k')).toEqual(answer);
  });

  it('that the service fails to look for is a failure', async () => {
    const { client } = given({
      ...blogWith(`"${root}/keys/{key}"; rel="${meaning}"`),
      [`GET ${root}/keys/k`]: { status: 503 },
    });
    await expect(client.articleByKey('k')).rejects.toMatchObject({ code: 'service-failed' });
  });

  it.each([
    ['no template', undefined],
    [
      'a template of another meaning',
      `"${root}/keys/{key}"; rel="http://other.test/docs/articleKey"`,
    ],
    ['a field that cannot be read', `<${root}/keys/{key}>; rel="${meaning}"`],
  ])('cannot be asked for where the blog has %s', async (_what, field) => {
    const { client, service } = given(field === undefined ? {} : blogWith(field));
    expect((await client.blog()).findsByKey).toBe(false);
    await expect(client.articleByKey('k')).rejects.toMatchObject({
      code: 'broken-contract',
      message: `The blog at ${root} does not say how to find an article by its Idempotency-Key.`,
      hint: 'See blogctl articles list for what is there.',
    });
    expect(service.requests).toHaveLength(1);
  });
});

describe('an article', () => {
  it('is asked for without what stands behind the # of its address', async () => {
    const { client, service } = given({ [`GET ${article7}`]: { body: articleBody(7) } });
    await client.article({ url: `${article7}#x` });
    expect(service.requests.at(-1)?.url).toBe(article7);
  });

  it('is at its address, and its self link is what it says', async () => {
    const moved = articleBody(7, { _links: { self: { href: 'http://blog.test/elsewhere/7' } } });
    const headers = { etag: '"a"', 'last-modified': 'Thu, 01 Jan 2026 00:00:00 GMT' };
    const { client } = given({ [`GET ${article7}`]: { body: moved, headers } });
    expect(await client.article({ url: article7 })).toEqual({
      readAt: article7,
      article: {
        id: 7,
        title: 'Title 7',
        content: 'Content 7',
        url: 'http://blog.test/elsewhere/7',
      },
      validators: { etag: '"a"', lastModified: 'Thu, 01 Jan 2026 00:00:00 GMT' },
    });
  });

  it.each(['yesterday', '0', '2024-01-01', '1735689600'])(
    'has no date in Last-Modified: %s, which a service would pass over as a condition',
    async (date) => {
      const answer = { body: articleBody(7), headers: { 'last-modified': date } };
      const { client } = given({ [`GET ${article7}`]: answer });
      expect((await client.article({ id: 7 })).validators).toEqual({});
    },
  );

  const isAt = (href: string) => articleBody(7, { _links: { self: { href } } });
  const own = 'http://blog.test/own/7';
  const login = 'http://blog.test/login';
  const listedAt = (href: string): Script => ({
    [`GET ${articles}?pageIndex=1&pageSize=1`]: {
      body: { ...pageBody(1, 1, 1), _embedded: [isAt(href)] },
    },
    [`GET ${articles}?pageSize=100`]: {
      body: { ...pageBody(1, 100, 1), _embedded: [isAt(href)] },
    },
  });

  it.each<[string, Reply]>([
    ...[400, 401, 403, 404, 405, 410, 500, 501].map((status): [string, Reply] => [
      `the answer is ${status}`,
      { status },
    ]),
    ['another of the same id is', { body: isAt('http://blog.test/tags/7') }],
    ['another id is', { body: articleBody(8) }],
    ['a web page is', { body: '<html>' }],
    ['nothing is', { status: 204 }],
    ['a login is', { status: 302, headers: { location: login } }],
  ])('is found by the links of the list where beneath it %s', async (_what, there) => {
    const service = givenService({
      [`GET ${root}`]: { body: blogBody },
      [`GET ${login}`]: { body: '<html>' },
      [`GET ${article7}`]: there,
      ...listedAt(own),
      [`GET ${own}`]: { body: isAt(own) },
    });
    const client = createBlogClient({ transport: connected(service), blogUrl: root });
    expect(await client.article({ id: 7 })).toMatchObject({ readAt: own });
    await client.remove({ id: 7 }).catch(() => {});
    expect(service.requests.at(-1)).toMatchObject({ method: 'DELETE', url: own });
  });

  it('is changed nowhere else, though a redirect led there', async () => {
    const service = givenService({
      [`GET ${root}`]: { body: blogBody },
      [`GET ${article7}`]: { status: 302, headers: { location: `${articles}/8` } },
      [`GET ${articles}/8`]: { body: articleBody(8) },
      ...listedAt(article7),
    });
    const client = createBlogClient({ transport: connected(service), blogUrl: root });
    await expect(client.article({ id: 7 })).rejects.toMatchObject({ code: 'broken-contract' });
    await client.remove({ id: 7 }).catch(() => {});
    expect(service.requests.at(-1)).toMatchObject({ method: 'DELETE', url: article7 });
  });

  it('is looked for nowhere else where nothing answers', async () => {
    const service = givenService({ [`GET ${root}`]: { body: blogBody }, ...listedAt(own) });
    const transport: Transport = async (request) => {
      if (request.url === article7) throw new BlogctlError('unreachable', 'No answer.');
      return service(request);
    };
    const client = createBlogClient({ transport, blogUrl: root });
    await expect(client.article({ id: 7 })).rejects.toMatchObject({ code: 'unreachable' });
    expect(service.requests).toHaveLength(1);
  });

  it.each<[string, Reply, Script, object]>([
    [
      'another of the same id, though the list keeps the rule',
      { body: isAt('http://blog.test/tags/7') },
      listedAt(article7),
      {
        code: 'broken-contract',
        message: `At ${article7}, where article 7 belongs, is one that says it is at http://blog.test/tags/7 (rule 1.7).`,
      },
    ],
    [
      'a web page, where the list has another alone',
      { body: '<html>' },
      {
        [`GET ${articles}?pageIndex=1&pageSize=1`]: { body: pageBody(1, 1, 1) },
        [`GET ${articles}?pageSize=100`]: { body: pageBody(1, 100, 1) },
      },
      { code: 'broken-contract', message: expect.stringContaining('No HAL representation') },
    ],
    [
      'a web page, where the list has another alone at an address of its own',
      { body: '<html>' },
      {
        [`GET ${articles}?pageIndex=1&pageSize=1`]: {
          body: { ...pageBody(1, 1, 1), _embedded: [{ ...isAt(own), id: 8 }] },
        },
        [`GET ${articles}?pageSize=100`]: {
          body: { ...pageBody(1, 100, 1), _embedded: [{ ...isAt(own), id: 8 }] },
        },
      },
      { code: 'not-found', message: 'No link of the list leads to an article 7.' },
    ],
  ])('is not taken for what is beneath: %s', async (_what, there, list, failure) => {
    const { client } = given({ [`GET ${article7}`]: there, ...list });
    await expect(client.article({ id: 7 })).rejects.toMatchObject(failure);
  });

  it.each<[string, Reply, number]>([
    [
      'as an address of the same path',
      { body: isAt('https://inner.test/api/v1.2/blogs/1/articles/7') },
      2,
    ],
    ['without a self link', { body: { id: 7, title: 'T' } }, 2],
    ['by who asks to be left alone', { status: 503, headers: { 'retry-after': '9' } }, 2],
    ['by who had too many requests', { status: 429 }, 2],
    ...[502, 503, 504].map((status): [string, Reply, number] => [`${status}`, { status }, 2]),
    ['by who refuses all', { status: 403 }, 3],
  ])('costs no more requests than needed where it is answered %s', async (_what, there, count) => {
    const { client, service } = given({
      [`GET ${articles}?pageIndex=1&pageSize=1`]: { status: 403 },
      [`GET ${article7}`]: there,
    });
    await client.article({ id: 7 }).catch(() => {});
    expect(service.requests).toHaveLength(count);
  });

  it('may have no content', async () => {
    const { client } = given({ [`GET ${article7}`]: { body: { id: 7, title: 'T' } } });
    expect((await client.article({ id: 7 })).article).toEqual({ id: 7, title: 'T', url: article7 });
  });

  it('of another origin is refused before anything is sent there', async () => {
    const { client, service } = given();
    await expect(client.article({ url: 'http://evil.test/7' })).rejects.toMatchObject({
      code: 'usage',
      message: 'http://evil.test/7 is not an article of http://blog.test.',
    });
    expect(service.requests.map(({ url }) => url)).toEqual([root]);
  });

  it.each([
    [401, 'authentication-required'],
    [403, 'forbidden'],
    [404, 'not-found'],
    [406, 'not-acceptable'],
    [409, 'conflict'],
    [410, 'gone'],
    [412, 'precondition-failed'],
    [418, 'bad-request'],
    [422, 'unprocessable'],
    [423, 'locked'],
    [424, 'failed-dependency'],
    [429, 'rate-limited'],
    [500, 'service-failed'],
    [501, 'service-failed'],
    [599, 'service-failed'],
    [304, 'broken-contract'],
  ])('answered %i is %s', async (status, code) => {
    const body = { detail: 'Because.', code: 'its-word' };
    const { client } = given({ [`GET ${article7}`]: { status, body } });
    await expect(client.article({ id: 7 })).rejects.toMatchObject({
      code,
      message: expect.stringMatching(/^Reading .*\/articles\/7: .*: Because\.$/),
      context: { status, method: 'GET', url: article7, reason: 'its-word' },
    });
  });

  it.each([
    [409, { 'retry-after': '1' }, true, 'Try again in 1 s.'],
    [409, {}, false, 'See with -vvv what was sent and answered.'],
    [429, { 'retry-after': '1' }, true, 'Try again in 1 s.'],
    [429, {}, true, 'Try again later.'],
    [503, { 'retry-after': '1' }, true, 'Try again in 1 s.'],
  ])('a creation without a key that is refused with %i and %j', async (...row) => {
    const [status, headers, retryable, hint] = row;
    const reply = { status, headers, body: { code: 'unavailable' } };
    const { client, service } = given({ [`POST ${articles}`]: reply });
    await expect(client.create({ title: 'T', content: '' })).rejects.toMatchObject({
      hint,
      context: { retryable, maybeDone: false },
    });
    expect(service.requests.filter(({ method }) => method === 'POST')).toHaveLength(1);
  });

  const tooLong = 'Title too long';
  const plain = { 'content-type': 'text/plain; charset=utf-8' };

  it.each<[string, Reply, string, unknown?]>([
    ['title and detail', { body: { title: 'Bad', detail: tooLong } }, `: ${tooLong}`],
    ['title alone', { body: { title: 'Bad' } }, ': Bad'],
    ['message', { body: { message: tooLong, logref: 4 } }, `: ${tooLong}`],
    ['both', { body: { error: 'Bad Request', message: tooLong } }, `: ${tooLong}`],
    ['error', { body: { error: tooLong } }, `: ${tooLong}`],
    ['an object error', { body: { error: { message: tooLong } } }, `: ${tooLong}`],
    ['a text', { body: JSON.stringify(tooLong) }, `: ${tooLong}`],
    ['a plain text', { body: `${tooLong}\n`, headers: plain }, `: ${tooLong}`],
    ['a long text', { body: 'x'.repeat(900), headers: plain }, `: ${'x'.repeat(500)}…`],
    ['errors', { body: { errors: [tooLong, 7] } }, '.', [{ detail: tooLong }]],
    [
      'errors by field',
      { body: { errors: { title: ['too long', 'too odd'], content: 'no' } } },
      '.',
      [
        { pointer: '/title', detail: 'too long' },
        { pointer: '/title', detail: 'too odd' },
        { pointer: '/content', detail: 'no' },
      ],
    ],
    [
      'errors with fields',
      { body: { errors: [{ field: 'title', message: 'too long' }] } },
      '.',
      [{ pointer: 'title', detail: 'too long' }],
    ],
  ])('refused says why: %s', async (_shape, answer, said, details) => {
    const { client } = given({ [`POST ${articles}`]: { status: 422, ...answer } });
    const failed = client.create({ title: 'T', content: '' });
    await expect(failed).rejects.toMatchObject({
      message: `Creating at ${articles}: understood, but not valid${said}`,
      hint: 'Mend what is named above and send it again.',
      context: { details },
    });
  });

  it.each<[string, Reply]>([
    ['nothing', {}],
    ['a list', { body: [] }],
    ['no words', { body: { title: 7, detail: { a: 1 }, message: '', errors: [null] } }],
    ['a page', { body: '<html>', headers: plain }],
    ['a text of another kind', { body: 'x', headers: { 'content-type': 'text/css' } }],
  ])('refused without a reason names nothing to mend: %s', async (_shape, answer) => {
    const { client } = given({ [`POST ${articles}`]: { status: 422, ...answer } });
    await expect(client.create({ title: 'T', content: '' })).rejects.toMatchObject({
      message: `Creating at ${articles}: understood, but not valid.`,
      hint: 'See with -vvv what was sent and answered.',
    });
  });

  it('refused with a body of another shape is still understood by its status', async () => {
    const { client } = given({ [`GET ${article7}`]: { status: 404, body: '<html>' } });
    await expect(client.article({ id: 7 })).rejects.toMatchObject({
      code: 'not-found',
      message: `Reading ${article7}: not found.`,
    });
  });
});

describe('pages', () => {
  const at = (index: number) => `GET ${articles}?pageIndex=${index}&pageSize=2`;

  it('are walked by nextPage to the last', async () => {
    const { client } = given({
      [`GET ${articles}?pageSize=2`]: { body: pageBody(1, 2, 5) },
      [at(2)]: { body: pageBody(2, 2, 5) },
      [at(3)]: { body: pageBody(3, 2, 5) },
    });
    expect(await all(client.pages({ pageSize: 2 }))).toEqual([1, 2, 3, 4, 5]);
  });

  it('are followed to the one that was asked for where the service passes over it', async () => {
    const passedOver = (index: number) => `GET ${articles}?pageIndex=${index}&pageSize=2`;
    const { client } = given({
      [passedOver(3)]: { body: pageBody(1, 2, 7) },
      [at(2)]: { body: pageBody(2, 2, 7) },
    });
    const second = { ...pageBody(2, 2, 7), _link: { nextPage: { href: `${root}/other-3` } } };
    const { client: linked } = given({
      [passedOver(3)]: { body: pageBody(1, 2, 7) },
      [at(2)]: { body: second },
      [`GET ${root}/other-3`]: { body: pageBody(3, 2, 7) },
      [at(4)]: { body: pageBody(4, 2, 7) },
    });
    expect(await all(linked.pages({ pageIndex: 3, pageSize: 2 }))).toEqual([5, 6, 7]);
    await expect(all(client.pages({ pageIndex: 3, pageSize: 2 }))).rejects.toMatchObject({
      code: 'broken-contract',
      message: 'Asked for page 3, the service answered page 1 of 4.',
    });
  });

  it.each([
    ['before it, and has no more', pageBody(2, 2, 4)],
    ['behind it', pageBody(4, 2, 9)],
  ])('are not taken for the one that was asked for: %s', async (_which, body) => {
    const { client } = given({ [at(3)]: { body } });
    await expect(all(client.pages({ pageIndex: 3, pageSize: 2 }))).rejects.toMatchObject({
      code: 'broken-contract',
      message: `Asked for page 3, the service answered page ${body.pageIndex} of ${body.totalPages}.`,
    });
  });

  it('are not asked for beyond what is used', async () => {
    const { client, service } = given({
      [`GET ${articles}?pageSize=2`]: { body: pageBody(1, 2, 5) },
    });
    for await (const page of client.pages({ pageSize: 2 })) if (page.pageIndex === 1) break;
    expect(service.requests).toHaveLength(2);
  });

  it('may keep links in _links and articles in an object', async () => {
    const { _link, _embedded, ...figures } = pageBody(1, 2, 3);
    const { client } = given({
      [`GET ${articles}`]: {
        body: { ...figures, _links: _link, _embedded: { articles: _embedded } },
      },
      [at(2)]: { body: pageBody(2, 2, 3) },
    });
    expect(await all(client.pages())).toEqual([1, 2, 3]);
  });

  const list = pageBody(1, 3, 3)._embedded;
  const authors = [{ id: 1, title: 'Somebody' }];

  it.each<[object, readonly number[] | undefined]>([
    [{ articles: list, authors }, [1, 2, 3]],
    [{ authors, 'doc:articles': list, 'doc:blog': { id: 1 } }, [1, 2, 3]],
    [{ item: list, author: authors }, [1, 2, 3]],
    [{ entries: list }, [1, 2, 3]],
    [{}, []],
    [{ entries: list, authors }, undefined],
    [{ articles: list, items: authors }, undefined],
    [{ articles: {} }, undefined],
  ])('hold the articles of one list alone: case %#', async (_embedded, ids) => {
    const { client } = given({
      [`GET ${articles}`]: { body: { ...pageBody(1, 3, 3), _embedded } },
    });
    const read = await all(client.pages()).catch(({ message }: BlogctlError) => message);
    expect(read).toEqual(ids ?? `What came from ${articles} is not a page of articles.`);
  });

  it('may leave nextPage out before the last: the next index is asked for', async () => {
    const { _link, ...page } = pageBody(1, 2, 3);
    const { client } = given({
      [`GET ${articles}`]: { body: page },
      [at(2)]: { body: pageBody(2, 2, 3) },
    });
    expect(await all(client.pages())).toEqual([1, 2, 3]);
  });

  it('may name a nextPage on the last: it is not followed', async () => {
    const page = pageBody(1, 2, 2);
    const { client } = given({
      [`GET ${articles}`]: { body: { ...page, _link: { nextPage: { href: articles } } } },
    });
    expect(await all(client.pages())).toEqual([1, 2]);
  });

  it('that lead back are an end with an error, not without end', async () => {
    const page = { ...pageBody(1, 2, 9), _link: { nextPage: { href: articles } } };
    const { client } = given({ [`GET ${articles}`]: { body: page } });
    await expect(all(client.pages())).rejects.toMatchObject({
      code: 'broken-contract',
      message: `The listing leads back to ${articles}, which was read.`,
    });
  });

  it('of an empty blog are one', async () => {
    const { client } = given({ [`GET ${articles}`]: { body: pageBody(1, 20, 0) } });
    expect(await all(client.pages())).toEqual([]);
  });
});

describe('a change', () => {
  it('creates with the key only where the service honours it', async () => {
    const post = { [`POST ${articles}`]: { status: 201, body: articleBody(8) } };
    const plain = given(post);
    await plain.client.create({ title: 'T', content: '' }, { idempotencyKey: 'k' });
    expect(plain.service.requests[1]?.headers).not.toHaveProperty('idempotency-key');

    const headers = { 'accept-idempotency': 'key' };
    const keyed = given({ ...post, [`GET ${root}`]: { body: blogBody, headers } });
    await keyed.client.create({ title: 'T', content: '' }, { idempotencyKey: 'k' });
    expect(keyed.service.requests[1]).toMatchObject({
      headers: { 'idempotency-key': 'k', 'content-type': 'application/json' },
      body: '{"title":"T","content":""}',
    });
  });

  it('says whether a creation was replayed', async () => {
    const headers = { 'idempotency-replayed': 'true' };
    const { client } = given({
      [`POST ${articles}`]: { status: 201, body: articleBody(8), headers },
    });
    expect(await client.create({ title: 'T', content: '' })).toMatchObject({ replayed: true });
  });

  it.each([
    '/api/v1.2/blogs/1/articles/7',
    article7,
    `${articles}/x/../7`,
    `${articles}/../articles/7`,
  ])('that nobody will look at asks for no body, and learns the place: %s', async (location) => {
    const { client, service } = given({
      [`POST ${articles}`]: { status: 201, headers: { location, 'idempotency-replayed': 'true' } },
    });
    expect(await client.place({ title: 'T', content: '' })).toEqual({
      url: article7,
      replayed: true,
    });
    expect(service.requests[1]?.headers).toMatchObject({ prefer: 'return=minimal' });
    expect(service.requests).toHaveLength(2);
  });

  it('that nobody will look at may be shown all the same', async () => {
    const { client } = given({ [`POST ${articles}`]: { status: 201, body: articleBody(7) } });
    const placed = await client.place({ title: 'T', content: '' });
    expect(placed).toMatchObject({ url: article7, article: { id: 7 }, replayed: false });
  });

  it.each([
    ['no place', {}],
    ['a place that is no address', { location: 'http://[' }],
  ])('answered with neither body nor place is done, wherever it is: %s', async (_, headers) => {
    const { client } = given({ [`POST ${articles}`]: { status: 201, headers } });
    const draft = { title: 'T', content: '' };
    expect(await client.place(draft)).toEqual({ url: '', replayed: false });
    await expect(client.create(draft)).rejects.toMatchObject({
      code: 'broken-contract',
      message: 'The service does not say where the new article is.',
      hint: 'The article was saved all the same. See blogctl articles list for what is there.',
    });
  });

  it.each([
    ['gone', true, 410, undefined],
    ['gone, though no answer was lost', false, 410, 'precondition-failed'],
    ['there', true, 200, 'precondition-failed'],
    ['not to be seen', true, 503, 'service-failed'],
  ])(
    'a deletion that is answered 412 is looked at: the article is %s',
    async (_, afterUnclearAnswer, status, code) => {
      const { service } = given({
        [`DELETE ${article7}`]: { status: 412, body: {} },
        [`GET ${article7}`]: { status, body: articleBody(7) },
      });
      const transport: Transport = async (request) => {
        const response = await service(request);
        return request.method === 'DELETE' ? { ...response, afterUnclearAnswer } : response;
      };
      const client = createBlogClient({ transport, blogUrl: root });
      const failure = await client.remove({ id: 7 }, { etag: '"a"' }).catch((error) => error);
      expect(failure?.code).toBe(code);
    },
  );

  it('answered without a body is followed to the article', async () => {
    const { client } = given({
      [`POST ${articles}`]: { status: 201, headers: { location: '/api/v1.2/blogs/1/articles/7' } },
      [`GET ${article7}`]: { body: articleBody(7) },
    });
    expect((await client.create({ title: 'T', content: '' })).article.id).toBe(7);
  });

  it.each([
    [{ etag: '"a"' }, { 'if-match': '"a"' }],
    [{ etag: '"a"', lastModified: 'D' }, { 'if-match': '"a"' }],
    [{ etag: 'W/"a"', lastModified: 'D' }, { 'if-unmodified-since': 'D' }],
    [{ etag: 'W/"a"' }, { 'if-match': 'W/"a"' }],
    [{ lastModified: 'D' }, { 'if-unmodified-since': 'D' }],
    [{}, {}],
  ])('on condition of %j sends %j', async (expected, headers) => {
    const { client, service } = given({ [`PUT ${article7}`]: { body: articleBody(7) } });
    await client.replace({ id: 7 }, { title: 'T' }, expected);
    const sent = service.requests[1]?.headers ?? {};
    const { accept: _accept, 'content-type': _type, ...conditions } = sent;
    expect(conditions).toEqual(headers);
  });

  it.each([
    ['204 without a body', { status: 204 }],
    ['204 with a body', { status: 204, body: { _links: {} } }],
    ['200 with a body', { status: 200, body: { _links: {} } }],
  ])('deletes: %s', async (_name, answer) => {
    const { client } = given({ [`DELETE ${article7}`]: answer });
    await expect(client.remove({ id: 7 })).resolves.toBeUndefined();
  });

  it('does not take the page of another, such as a login, for a deletion', async () => {
    const { client } = given({ [`DELETE ${article7}`]: { body: '<html>Log in' } });
    await expect(client.remove({ id: 7 })).rejects.toMatchObject({
      code: 'broken-contract',
      context: {
        hint: `It may have been done all the same: look with blogctl articles get ${article7}.`,
      },
    });
  });
});

it('articles that are asked for at once are found by one reading of the list', async () => {
  const url = (id: number) => `https://blog.test/own/${id * 7}`;
  const articleOf = (id: number) => ({ id, title: `T${id}`, url: url(id) });
  let lists = 0;
  const finder = createFinder({
    usual: async (named) => ('id' in named ? `https://blog.test/articles/${named.id}` : named.url),
    read: async (address: string) => {
      const id = [1, 2, 3, 4].find((each) => url(each) === address);
      if (id === undefined) throw new BlogctlError('not-found', 'Not found.');
      return { article: articleOf(id), validators: {} };
    },
    async *pages() {
      lists += 1;
      for (const id of [1, 2, 3, 4]) {
        await pause(2);
        yield {
          pageIndex: id,
          pageSize: 1,
          totalPages: 4,
          totalArticles: 4,
          articles: [articleOf(id)],
        };
      }
    },
  });
  const asked = [1, 2, 3, 4].map(async (id) => {
    await pause(id);
    return (await finder.find({ id })).article.id;
  });
  expect(await Promise.all(asked)).toEqual([1, 2, 3, 4]);
  // Its first article, and all of it.
  expect(lists).toBe(2);
});
