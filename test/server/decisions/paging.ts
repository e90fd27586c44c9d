// oxlint-disable vitest/no-standalone-expect -- a row runs inside the test that is made of it
// oxlint-disable no-underscore-dangle -- the names are HAL's
import { expect } from 'vitest';
import { articles } from '../../support/service.ts';
import { draft } from './row.ts';
import type { Row } from './row.ts';

export const pagingRows: readonly Row[] = [
  {
    row: 8,
    claim: 'without parameters the page is 1 and its size 20',
    articles: 21,
    async holds({ send }) {
      const { json } = await send('GET', articles);
      expect(json).toMatchObject({ pageIndex: 1, pageSize: 20, totalPages: 2 });
      expect(json._embedded).toHaveLength(20);
    },
  },
  ...[
    '0',
    '-1',
    '1.5',
    '1e3',
    '5abc',
    '',
    '01',
    '1001',
    '%31x',
    '+5',
    '9'.repeat(17),
    '5&pageSize=5',
  ].map((value): Row => ({
    row: 8,
    claim: `pageSize=${value} is 400 and names the parameter`,
    async holds({ send }) {
      const { status, json } = await send('GET', `${articles}?pageSize=${value}`);
      expect({ status, code: json.code }).toEqual({ status: 400, code: 'bad-request' });
      expect(json.detail).toMatch(/^pageSize /);
    },
  })),
  {
    row: 9,
    claim: 'a page past the end is 200 and empty, with totals and without nextPage',
    articles: 3,
    async holds({ send }) {
      const { status, json } = await send('GET', `${articles}?pageIndex=5&pageSize=2`);
      expect(status).toBe(200);
      expect(json).toMatchObject({ pageIndex: 5, totalPages: 2, totalArticles: 3, _embedded: [] });
      expect(Object.keys(json._link)).toEqual(['firstPage', 'previousPage', 'self', 'lastPage']);
      expect(json._link.previousPage.href).toMatch(/pageIndex=4&pageSize=2$/);
      expect(json._link.lastPage.href).toMatch(/pageIndex=2&pageSize=2$/);
    },
  },
  {
    row: 10,
    claim: 'an empty blog has no pages and its lastPage is page 1',
    async holds({ send }) {
      const { json } = await send('GET', articles);
      expect(json).toMatchObject({ totalPages: 0, totalArticles: 0, _embedded: [] });
      expect(json._link.lastPage.href).toMatch(/pageIndex=1&pageSize=20$/);
    },
  },
  {
    row: 11,
    claim: 'previousPage is left out on the first page, nextPage on the last',
    articles: 4,
    async holds({ send }) {
      const first = await send('GET', `${articles}?pageSize=2`);
      const last = await send('GET', `${articles}?pageSize=2&pageIndex=2`);
      expect(Object.keys(first.json._link)).not.toContain('previousPage');
      expect(first.json._link.nextPage.href).toMatch(/pageIndex=2&pageSize=2$/);
      expect(Object.keys(last.json._link)).not.toContain('nextPage');
      expect(last.json._link.previousPage.href).toMatch(/pageIndex=1&pageSize=2$/);
    },
  },
  {
    row: 12,
    claim: 'a page has a Link header with first, prev, next and last',
    articles: 3,
    async holds({ send }) {
      const { headers } = await send('GET', `${articles}?pageSize=1&pageIndex=2`);
      const page = (index: number) =>
        `<http://localhost:4000${articles}?pageIndex=${index}&pageSize=1>`;
      expect(headers['Link']).toBe(
        `${page(1)}; rel="first", ${page(1)}; rel="prev", ${page(3)}; rel="next", ${page(3)}; rel="last"`,
      );
    },
  },
  {
    row: 13,
    claim: 'articles come in ascending id, also after changes',
    articles: 3,
    async holds({ send }) {
      await send('PUT', `${articles}/1`, { body: draft });
      const { json } = await send('GET', articles);
      expect(json._embedded.map(({ id }: { id: number }) => id)).toEqual([1, 2, 3]);
    },
  },
];
