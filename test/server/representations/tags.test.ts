import { expect, it } from 'vitest';
import { wholeOf } from '../../../server/representations/representation.ts';
import { createSerializers } from '../../../server/representations/serializer.ts';
import type { Article, Blog } from '../../../server/store/store.ts';

const blog: Blog = {
  id: 1,
  title: 'Log "B"',
  description: 'Zwölf',
  tag: '1-0',
  version: 4,
  total: 1,
  changedAt: 0,
  locked: false,
};

function articleOf(id: number): Article {
  const json = Buffer.from(JSON.stringify({ id, title: 'É', content: 'x' }));
  return { blogId: 1, id, tag: '3-c0ffee', updatedAt: 0, locked: false, length: json.length, json };
}

/**
 * A copy that a client keeps across releases is answered with 304 as long as its tag is the same. So
 * where these bytes become others, `serializerVersion` goes up, and the suffix of the tags with it.
 */
it('shows the same bytes under the same tag, from release to release', async () => {
  const read = () => Promise.reject(new Error('is at hand'));
  const serializer = createSerializers(read)('http://blog.test', blog);
  const range = { pageIndex: 1, pageSize: 20 };
  const shown = [
    serializer.article(articleOf(7)),
    serializer.blog(blog),
    serializer.page({ blog, articles: [articleOf(8)] }, range),
  ];
  const texts = await Promise.all(
    shown.map(async ({ etag, body }) => `${etag} ${Buffer.from(await wholeOf(body)).toString()}`),
  );
  const at = 'http://blog.test/api/v1.2/blogs/1';
  const self = (path: string) => `"self":{"href":"${at}${path}"}`;
  const curies = '"curies":[{"name":"doc","href":"http://blog.test/docs/{rel}","templated":true}]';
  const paging = '{?pageIndex,pageSize}';
  const links = (id: number) =>
    `"_links":{${curies},${self(`/articles/${id}`)},"doc:blog":{"href":"${at}","title":"Log \\"B\\""},` +
    `"doc:comments":{"href":"${at}/articles/${id}/comments${paging}","templated":true}}`;
  const first = `{"href":"${at}/articles?pageIndex=1&pageSize=20"}`;
  expect(texts).toEqual([
    `"3-c0ffee-cd660f6a" {"id":7,"title":"É","content":"x",${links(7)}}`,
    `"1-0-cd660f6a" {"id":1,"title":"Log \\"B\\"","description":"Zwölf",` +
      `"_links":{${curies},${self('')},"doc:articles":{"href":"${at}/articles${paging}","templated":true}}}`,
    `"84f4eea61107b939-cd660f6a" {"pageIndex":1,"pageSize":20,"totalPages":1,"totalArticles":1,` +
      `"_link":{"firstPage":${first},"self":${first},"lastPage":${first}},` +
      `"_embedded":[{"id":8,"title":"É","content":"x",${links(8)}}]}`,
  ]);
});
