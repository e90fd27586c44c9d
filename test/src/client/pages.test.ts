import { describe, expect, it } from 'vitest';
import { walkPages } from '../../../src/client/pages.ts';
import { BlogctlError } from '../../../src/errors.ts';
import type { HalDocument } from '../../../src/hal/document.ts';

const url = (index: number, size: number) => `http://blog.test/?index=${index}&size=${size}`;

/** A blog whose pages cannot be read where they would be longer than allowed. */
function givenPager(lengths: readonly number[], longest: number) {
  const asked: string[] = [];
  const read = async (address: string): Promise<HalDocument> => {
    asked.push(new URL(address).search.slice(1));
    const query = new URL(address).searchParams;
    const [pageIndex, pageSize] = [Number(query.get('index')), Number(query.get('size'))];
    const ids = lengths
      .map((_, at) => at + 1)
      .slice((pageIndex - 1) * pageSize, pageIndex * pageSize);
    const length = ids.reduce((sum, id) => sum + (lengths[id - 1] ?? 0), 0);
    if (length > longest) throw new BlogctlError('answer-too-long', 'too long');
    const totalPages = Math.ceil(lengths.length / pageSize);
    const figures = { pageIndex, pageSize, totalPages, totalArticles: lengths.length };
    return {
      url: address,
      body: { ...figures, _embedded: ids.map((id) => ({ id, title: 'T', content: '' })) },
    };
  };
  return { asked, pager: { read, addressOf: url } };
}

async function idsOf(
  pager: ReturnType<typeof givenPager>['pager'],
  pageSize: number,
  pageIndex?: number,
) {
  const ids: number[] = [];
  const start = { pageSize, ...(pageIndex && { pageIndex }) };
  for await (const page of walkPages(pager, url(pageIndex ?? 1, pageSize), start)) {
    ids.push(...page.articles.map(({ id }) => id));
  }
  return ids;
}

it('a page that the listing names, and that is not there, is the fault of the service', async () => {
  const { pager } = givenPager([1, 1, 1, 1], 10);
  const missing = new BlogctlError('not-found', 'no', { status: 404, url: url(2, 2) });
  const read = async (address: string) => {
    if (address === url(2, 2)) throw missing;
    return pager.read(address);
  };
  const said = `The listing goes on at ${url(2, 2)}, where no page is.`;
  await expect(idsOf({ ...pager, read }, 2)).rejects.toMatchObject({
    code: 'broken-contract',
    message: said,
  });
  await expect(idsOf({ ...pager, read }, 2, 2)).rejects.toBe(missing);
});

describe('a page that is too long to be read', () => {
  it.each([
    ['the first', [9, 9, 9, 9, 1, 1, 1, 1], 4],
    ['a later one', [1, 1, 1, 1, 9, 9, 9, 9], 4],
    ['every one', [9, 9, 9, 9, 9, 9, 9], 7],
    ['one that no half divides', [1, 1, 1, 1, 1, 1, 9, 9, 9], 3],
  ])('is asked for in smaller ones, and every article comes once: %s', async (_, lengths, size) => {
    const { pager } = givenPager(lengths, 10);
    expect(await idsOf(pager, size)).toEqual(lengths.map((__, at) => at + 1));
  });

  it('stays an error where one article alone is too long, and where that page was asked for', async () => {
    const { pager, asked } = givenPager([1, 20, 1], 10);
    await expect(idsOf(pager, 2)).rejects.toMatchObject({ code: 'answer-too-long' });
    expect(asked).toEqual(['index=1&size=2', 'index=1&size=1', 'index=2&size=1']);
    await expect(idsOf(pager, 2, 1)).rejects.toMatchObject({ code: 'answer-too-long' });
  });
});

it('a blog that grows faster than it is read is not read for ever', async () => {
  let totalPages = 1;
  const read = async (address: string): Promise<HalDocument> => {
    totalPages += 1;
    const pageIndex = totalPages - 1;
    const figures = { pageIndex, pageSize: 1, totalPages, totalArticles: totalPages };
    return { url: address, body: { ...figures, _embedded: [{ id: pageIndex, title: 'T' }] } };
  };
  await expect(idsOf({ read, addressOf: url }, 1)).rejects.toMatchObject({
    code: 'broken-contract',
    message: expect.stringMatching(/^The listing goes on at .* without an end\.$/),
  });
});
