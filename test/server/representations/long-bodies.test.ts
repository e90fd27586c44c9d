import { describe, expect, it } from 'vitest';
import { BodyChanged, isWhole, wholeOf } from '../../../server/representations/representation.ts';
import { listBody } from '../../../server/representations/article-page.ts';
import type { Article } from '../../../server/store/store.ts';
import { api, articles, givenService } from '../../support/service.ts';
import type { Json, TestService } from '../../support/service.ts';

const long = 'Zwölf Boxkämpfer "jagen"\n\\u{1f44b} '.repeat(8_000);

const blog = { id: 1, title: '', description: '', tag: '', total: 0, changedAt: 0, locked: false };

/** Of about a kilobyte. */
function articleOf(id: number): Article {
  const json = Buffer.from(JSON.stringify({ id, title: 'T', content: 'x'.repeat(1000) }));
  return { blogId: 1, id, tag: '1-0', updatedAt: 0, locked: false, length: json.length, json };
}

/** So many articles of 300 KB, with every kind of member that only the store sees. */
async function givenLong(count: number): Promise<TestService> {
  const service = await givenService();
  for (let at = 1; at <= count; at += 1) {
    const headers = at % 2 === 0 ? { 'idempotency-key': `k-${at}` } : undefined;
    const body = { title: `T ${at}`, content: at % 5 === 0 ? 'short' : `${at} ${long}` };
    await service.send('POST', articles, { body, ...(headers && { headers }) });
  }
  return service;
}

async function bodyOf({ app }: TestService, target: string) {
  const headers = { host: 'localhost:4000' };
  const body = async () => Buffer.alloc(0);
  return (await app({ method: 'GET', target, headers, peer: '', body })).body;
}

describe('a body that is sent piece by piece', () => {
  it.each(['?pageSize=1000', '?pageSize=9', '?pageIndex=2&pageSize=9', '?pageIndex=3&pageSize=4'])(
    'is the same page, to the byte as announced: %s',
    async (query) => {
      const service = await givenLong(12);
      await service.send('PUT', `${articles}/7`, { body: { title: 'New', content: long } });
      expect(isWhole(await bodyOf(service, `${articles}${query}`))).toBe(false);
      const page = await service.send('GET', `${articles}${query}`);
      expect(Buffer.byteLength(page.text)).toBe(Number(page.headers['Content-Length']));
      const each: Json[] = page.json._embedded;
      expect(each.length).toBeGreaterThan(2);
      for (const one of each) {
        expect(one).toEqual((await service.send('GET', `${articles}/${one.id}`)).json);
      }
      const head = await service.send('HEAD', `${articles}${query}`);
      expect(head).toEqual({ ...page, text: '', json: undefined });
      const current = { 'if-none-match': page.headers['ETag'] ?? '' };
      const cached = await service.send('GET', `${articles}${query}`, { headers: current });
      expect(cached).toMatchObject({ status: 304, text: '' });
    },
  );

  it('is the same article, and what a writer is told of it is whole', async () => {
    const service = await givenService();
    const body = { title: 'T', content: `${long}${long}` };
    const created = await service.send('POST', articles, { body });
    expect(created.json).toMatchObject({ id: 1, ...body });
    expect(isWhole(await bodyOf(service, `${articles}/1`))).toBe(false);
    const read = await service.send('GET', `${articles}/1`);
    expect(read.text).toBe(created.text);
    expect(read.headers['ETag']).toBe(created.headers['ETag']);
  });

  it('can be read from any byte on', async () => {
    const service = await givenLong(9);
    const body = await bodyOf(service, `${articles}?pageSize=1000`);
    if (isWhole(body)) throw new Error('The page is not long.');
    const whole = Buffer.from(await wholeOf(body));
    for (let at = 0; at < body.length; at += 9_973) {
      const into = Buffer.alloc(50_000);
      const length = await body.read(at, into);
      expect(length).toBe(Math.min(50_000, body.length - at));
      expect(into.subarray(0, length).equals(whole.subarray(at, at + length))).toBe(true);
    }
  });

  it('asks for the short articles of a piece together, and for no more of them', async () => {
    const stored = Array.from({ length: 900 }, (_, at) => articleOf(at + 1));
    const asked: number[][] = [];
    let together: number[] = [];
    const note = () => {
      asked.push(together);
      together = [];
    };
    const read = async (_: number, id: number) => {
      if (together.length === 0) setImmediate(note);
      together.push(id);
      await new Promise(setImmediate);
      return { kind: 'article', article: stored[id - 1] ?? articleOf(0), blog } as const;
    };
    const list = { head: '[', articles: stored, tail: ']' };
    const context = { baseUrl: 'http://localhost:4000', blogId: 1, blogTitle: 'Blog' };
    const body = listBody(list, context, read);
    const whole = Buffer.from(await wholeOf(body)).toString();
    expect(JSON.parse(whole).map(({ id }: Json) => id)).toEqual(stored.map(({ id }) => id));
    expect(asked.length).toBeLessThan(body.length / 50_000);
    expect(Math.max(...asked.map(({ length }) => length))).toBeLessThan(80);
  });

  it.each([
    ['PUT', { body: { title: 'New' } }],
    ['DELETE', {}],
  ])('ends where an article in it changed meanwhile: %s', async (method, sent) => {
    const service = await givenLong(9);
    const body = await bodyOf(service, `${articles}?pageSize=1000`);
    if (isWhole(body)) throw new Error('The page is not long.');
    const into = Buffer.alloc(50_000);
    expect(await body.read(0, into)).toBe(50_000);
    await service.send(method, `${articles}/9`, sent);
    expect(await body.read(0, into)).toBe(50_000);
    await expect(body.read(body.length - 10_000, into)).rejects.toBeInstanceOf(BodyChanged);
    expect(service.reports).toEqual([]);
  });

  it('is made for a page that many read at once without holding up anybody else', async () => {
    const service = await givenLong(9);
    const order: string[] = [];
    const noted = async (name: string, target: string) => {
      await bodyOf(service, target);
      order.push(name);
    };
    const pages = Array.from({ length: 50 }, (_, at) =>
      noted('page', `${articles}?pageSize=${100 + at}`),
    );
    await new Promise(setImmediate);
    await noted('other', `${api}/blogs/1`);
    await Promise.all(pages);
    expect(order.indexOf('other')).toBeLessThan(5);
  });
});
