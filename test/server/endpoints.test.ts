import { describe, expect, it } from 'vitest';
import { api, articles, givenArticles, givenService } from '../support/service.ts';

const base = `http://localhost:4000${api}`;
const blog = `${api}/blogs/1`;
const curies = [{ name: 'doc', href: 'http://localhost:4000/docs/{rel}', templated: true }];
const blogLink = { href: `${base}/blogs/1`, title: 'Café “B”' };
const articleLinks = (id: number) => ({
  curies,
  self: { href: `${base}/blogs/1/articles/${id}` },
  'doc:blog': blogLink,
  'doc:comments': {
    href: `${base}/blogs/1/articles/${id}/comments{?pageIndex,pageSize}`,
    templated: true,
  },
});

describe('the endpoints of the interface', () => {
  it('1: GET a blog', async () => {
    const { send } = await givenService();
    const answer = await send('GET', `${api}/blogs/1`, { token: null });
    expect(answer.status).toBe(200);
    expect(answer.headers).toMatchObject({ 'Content-Type': 'application/hal+json' });
    expect(answer.json).toEqual({
      id: 1,
      title: 'Café “B”',
      description: 'Words',
      _links: {
        curies,
        self: { href: `${base}/blogs/1` },
        'doc:articles': {
          href: `${base}/blogs/1/articles{?pageIndex,pageSize}`,
          templated: true,
        },
      },
    });
  });

  it('2: POST assigns an id and answers 201 with the article', async () => {
    const { send } = await givenService();
    const body = { title: 'T "1"', content: 'line\nline' };
    const answer = await send('POST', articles, { body });
    expect(answer.status).toBe(201);
    expect(answer.headers).toMatchObject({
      'Content-Type': 'application/hal+json',
      Location: `${base}/blogs/1/articles/1`,
    });
    expect(answer.json).toEqual({ id: 1, ...body, _links: articleLinks(1) });
  });

  it('3: GET an article', async () => {
    const service = await givenService();
    await givenArticles(service, 2);
    const answer = await service.send('GET', `${articles}/2`, { token: null });
    expect(answer.status).toBe(200);
    expect(answer.json).toEqual({
      id: 2,
      title: 'Title 2',
      content: 'Content 2',
      _links: articleLinks(2),
    });
    expect(Number(answer.headers['Content-Length'])).toBe(Buffer.byteLength(answer.text));
  });

  it('4: GET a page of articles, with `_link` and a bare `_embedded`', async () => {
    const service = await givenService();
    await givenArticles(service, 5);
    const answer = await service.send('GET', `${articles}?pageIndex=2&pageSize=2`, { token: null });
    const to = (index: number) => ({
      href: `${base}/blogs/1/articles?pageIndex=${index}&pageSize=2`,
    });
    expect(answer.status).toBe(200);
    expect(answer.json).toEqual({
      pageIndex: 2,
      pageSize: 2,
      totalPages: 3,
      totalArticles: 5,
      _link: {
        firstPage: to(1),
        previousPage: to(1),
        self: to(2),
        nextPage: to(3),
        lastPage: to(3),
      },
      _embedded: [3, 4].map((id) => ({
        id,
        title: `Title ${id}`,
        content: `Content ${id}`,
        _links: articleLinks(id),
      })),
    });
  });

  it('5: PUT replaces the whole article; an id in the body is ignored (rule 3)', async () => {
    const service = await givenService();
    await givenArticles(service, 1);
    const body = { id: 77, title: 'New', content: 'Text' };
    const answer = await service.send('PUT', `${articles}/1`, { body });
    expect(answer.status).toBe(200);
    expect(answer.json).toEqual({ id: 1, title: 'New', content: 'Text', _links: articleLinks(1) });
    expect((await service.send('GET', `${articles}/1`)).text).toBe(answer.text);
  });

  it('5: PUT without content removes it (rule 4)', async () => {
    const service = await givenService();
    await givenArticles(service, 1);
    const answer = await service.send('PUT', `${articles}/1`, { body: { title: 'Bare' } });
    expect(answer.json).toEqual({ id: 1, title: 'Bare', _links: articleLinks(1) });
    expect((await service.send('GET', `${articles}/1`)).json).not.toHaveProperty('content');
  });

  it('6: DELETE answers 204, and afterwards the article is gone (rule 6)', async () => {
    const service = await givenService();
    await givenArticles(service, 1);
    expect((await service.send('DELETE', `${articles}/1`)).status).toBe(204);
    expect((await service.send('GET', `${articles}/1`)).status).toBe(410);
    expect((await service.send('GET', articles)).json).toMatchObject({ totalArticles: 0 });
  });
});

it.each([
  ['/healthz', '/health'],
  ['/swagger.json', '/docs/openapi.json'],
  ['/index.html', '/'],
  [`${articles}/1.json`, `${articles}/1`],
  [`${articles}.md`, articles],
  [articles.replace('articles', 'posts'), articles],
  [articles.replace('articles', 'Article/7'), `${articles}/7`],
  [articles.replace('articles', 'Articles'), articles],
  ['/posts', articles],
  ['/posts/7', `${articles}/7`],
  ['/api/v1/posts', articles],
  ['/api/v1.2/articles', articles],
  ['/wp-json/wp/v2/posts/7', `${articles}/7`],
  ['/blogs/1/articles', articles],
  ['/api/v3/blogs/7/posts', articles.replace('blogs/1', 'blogs/7')],
  ['/db', `${articles}?pageSize=1000`],
  ['/api/v1.2/blogs', '/'],
  ['/blogs', '/'],
  ['/api', '/'],
  [`${articles}/abc`, `${articles}, where each has a number as its id`],
])('%s, where others have it, is led to %s', async (path, place) => {
  const { send } = await givenService();
  const { status, json } = await send('GET', path);
  expect([status, json]).toEqual([
    404,
    expect.objectContaining({ detail: `There is nothing at ${path}; see ${place}.` }),
  ]);
});

it.each(
  '_limit _page _per_page page per_page pagesize page_size posts_per_page limit offset skip _start _end _sort _order sort order orderby q s search title title_like id id_gte filter fields _embed _expand'.split(
    ' ',
  ),
)('a page is refused where %s asks for another than it would be', async (name) => {
  const { send } = await givenService();
  const { status, json } = await send('GET', `${articles}?pageSize=1&${name}=2`);
  expect([status, json]).toEqual([
    400,
    expect.objectContaining({
      detail: `"${name}" is not known here: a page is asked for by pageIndex and pageSize, and what else is wanted of it is for its reader to do.`,
    }),
  ]);
});

it.each(['_', 'utm_source', 'ts', 'access_token', 'v'])(
  '%s of a page is passed over',
  async (name) => {
    const { send } = await givenService();
    expect((await send('GET', `${articles}?${name}=2`)).status).toBe(200);
  },
);

it('what nobody has here is told where the links begin', async () => {
  const { send } = await givenService();
  const { status, json } = await send('GET', '/metrics');
  const detail = 'There is nothing at /metrics; the links of / lead to what there is.';
  expect([status, json]).toEqual([404, expect.objectContaining({ detail })]);
});

it.each([
  ['PUT', articles, `An article is replaced, title and content, by PUT ${articles}/{id}.`],
  ['DELETE', articles, `An article is deleted by DELETE ${articles}/{id}.`],
  ['PATCH', `${articles}/7`, `An article is replaced, title and content, by PUT ${articles}/7.`],
  ['POST', `${articles}/7`, `Articles are created by POST ${articles}.`],
  ['PUT', blog, 'A blog is changed where its store is, by blogctl store edit-blog --title <text>.'],
  [
    'PATCH',
    blog,
    'A blog is changed where its store is, by blogctl store edit-blog --title <text>.',
  ],
  ['POST', blog, `Articles are created by POST ${articles}.`],
])('%s %s is told what does it', async (method, path, lead) => {
  const { send } = await givenService();
  const { json } = await send(method, path);
  expect(json).toMatchObject({ detail: expect.stringContaining(` are. ${lead}`) });
});

it.each([`${articles}/`, `${articles}/1/`])(
  '%s has a slash too many, and is told so',
  async (path) => {
    const { send } = await givenService();
    const { status, json } = await send('GET', path);
    expect([status, json]).toEqual([
      404,
      expect.objectContaining({
        detail: `There is nothing at ${path}; see ${path.slice(0, -1)}. No address but / ends with a slash.`,
      }),
    ]);
  },
);

it.each([
  [
    { authorization: 'Bearer all' },
    null,
    'Send a token in the header X-Access-Token; Authorization is not read.',
  ],
  [{}, 'Bearer all', 'This token is not known here. Send it alone, without "Bearer".'],
  [{}, 'other', 'This token is not known here.'],
])('a token in another form is told which: %j %s', async (headers, token, detail) => {
  const { send } = await givenService();
  const { status, json } = await send('POST', articles, { body: {}, token, headers });
  expect([status, json]).toEqual([401, expect.objectContaining({ detail })]);
});
