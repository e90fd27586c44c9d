import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  StoreError,
  type Article,
  type Creation,
  type Found,
  type Page,
  type Version,
} from '../../../../server/store/store.ts';
import { type Opened, subjects } from './subjects.ts';

const anyVersion = () => undefined;
const key = { key: 'aa'.repeat(32), request: 'bb'.repeat(32) };
const draft = (title: string) => ({ title, content: `Content of ${title}` });

class Refused extends Error {}

function articleOf(answer: Found | Creation): Article {
  if ('article' in answer) return answer.article;
  throw new TypeError(answer.kind);
}

function idsOf(page: Page | undefined): readonly number[] {
  return (page?.articles ?? []).map(({ id }) => id);
}

describe.each(subjects)('$name', (subject) => {
  let opened: Opened;
  beforeEach(async () => {
    opened = await subject.open();
  });
  afterEach(() => opened.end());

  it('numbers articles from 1 and answers what was written, wherever it is asked', async () => {
    const { store, other } = opened;
    const text = { title: ' \u{1f44b} "\\', content: 'a\r\n\u0000\u2028\ud83d\udc4b' };
    const made = articleOf(await store.create(1, text));
    const more = articleOf(await other.create(1, { title: 'Without content' }));
    expect([made.id, more.id]).toEqual([1, 2]);
    expect(JSON.parse(made.json.toString())).toEqual({ id: 1, ...text });
    expect(made.tag).toMatch(/^1-[0-9a-f]{8}$/);
    for (const one of [store, other]) {
      expect(articleOf(await one.read(1, 1))).toEqual(made);
      expect(articleOf(await one.read(1, 2))).toEqual(more);
      expect(await one.blog(1)).toMatchObject({ id: 1, title: 'My blog', total: 2 });
    }
  });

  it('tells what was deleted from what never was, in every blog', async () => {
    const { store, other } = opened;
    await store.create(1, draft('A'));
    const removed = articleOf(await other.remove(1, 1, anyVersion));
    expect(JSON.parse(removed.json.toString())).toMatchObject({ title: 'A' });
    for (const one of [store, other]) {
      expect((await one.read(1, 1)).kind).toBe('gone');
      expect((await one.read(1, 2)).kind).toBe('absent');
      expect((await one.read(7, 1)).kind).toBe('no-blog');
      expect((await one.replace(1, 1, draft('B'), anyVersion)).kind).toBe('gone');
      expect((await one.remove(1, 2, anyVersion)).kind).toBe('absent');
      expect((await one.remove(7, 1, anyVersion)).kind).toBe('no-blog');
      expect((await one.create(7, draft('B'))).kind).toBe('no-blog');
      expect((await one.readByKey(7, key.key)).kind).toBe('no-blog');
      expect(await one.page(7, 0, 1)).toBeUndefined();
      expect(await one.blog(7)).toBeUndefined();
    }
    expect(articleOf(await store.create(1, draft('C'))).id).toBe(2);
  });

  it('gives each version a tag and a date that never goes back', async () => {
    const { store, other } = opened;
    const versions = [articleOf(await store.create(1, draft('A')))];
    for (const one of [other, store, other]) {
      versions.push(articleOf(await one.replace(1, 1, draft('Same'), anyVersion)));
    }
    expect(new Set(versions.map(({ tag }) => tag)).size).toBe(4);
    expect(versions.map(({ tag }) => tag[0])).toEqual(['1', '2', '3', '4']);
    const dates = versions.map(({ updatedAt }) => updatedAt);
    expect([...dates].sort((a, b) => a - b)).toEqual(dates);
    const changedAt = (await store.blog(1))?.changedAt ?? 0;
    await store.remove(1, 1, anyVersion);
    expect((await other.blog(1))?.changedAt).toBeGreaterThanOrEqual(changedAt);
  });

  it('dates a change of the blog itself', async () => {
    const { store, other } = opened;
    const changedAt = (await store.blog(1))?.changedAt ?? 0;
    await other.changeBlog(1, { title: 'Renamed' });
    expect((await store.blog(1))?.changedAt).toBeGreaterThan(changedAt);
  });

  it('asks a guard inside the change: of writers with one tag one passes', async () => {
    const { store, other } = opened;
    const { tag } = articleOf(await store.create(1, draft('A')));
    const guard = (version: Version) => {
      if (version.tag !== tag) throw new Refused(version.tag);
    };
    const asked = [store, other, store, other].map((one, at) =>
      at === 3 ? one.remove(1, 1, guard) : one.replace(1, 1, draft(`Of ${at}`), guard),
    );
    const ended = await Promise.allSettled(asked);
    expect(ended.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    const reasons = ended.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []));
    for (const reason of reasons) expect(reason).toBeInstanceOf(Refused);
  });

  it('shows a guard the blog as it is in the change', async () => {
    const { store, other } = opened;
    await store.create(1, draft('A'));
    expect(await other.changeBlog(1, { locked: true })).toBe(true);
    expect(await other.changeBlog(7, { locked: true })).toBe(false);
    const seen: boolean[] = [];
    await store.replace(1, 1, draft('B'), (_, blog) => void seen.push(blog.locked));
    const holds = ({ blog }: Page) => void seen.push(blog.locked);
    await store.create(1, draft('C'), { guard: { count: 0, holds } });
    expect(seen).toEqual([true, true]);
    await other.changeBlog(1, { locked: false });
    expect(await store.blog(1)).toMatchObject({ locked: false, tag: expect.stringMatching(/^3-/) });
  });

  it('lets one new article pass of those that ask for the same first page', async () => {
    const { store, other } = opened;
    await store.create(1, draft('A'));
    const before = idsOf(await store.page(1, 0, 20));
    const holds = (page: Page) => {
      if (idsOf(page).join() !== before.join()) throw new Refused();
    };
    const asked = Array.from({ length: 6 }, (_, at) =>
      (at % 2 === 0 ? store : other).create(1, draft('B'), { guard: { count: 20, holds } }),
    );
    const ended = await Promise.allSettled(asked);
    expect(ended.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(idsOf(await other.page(1, 0, 20))).toEqual([1, 2]);
  });

  it('makes one article of a key, and knows the key when the article is gone', async () => {
    const { store, other } = opened;
    const asked = { idempotency: key };
    const [first, second] = await Promise.all([
      store.create(1, draft('A'), asked),
      other.create(1, draft('A'), asked),
    ]);
    const kinds = [first.kind, second.kind].filter((kind) => kind === 'created');
    expect(kinds).toHaveLength(1);
    expect((await other.create(1, draft('A'), asked)).kind).toBe('replayed');
    const reused = { idempotency: { ...key, request: 'cc'.repeat(32) } };
    expect(await store.create(1, draft('B'), reused)).toEqual({ kind: 'key-reused', id: 1 });
    expect(await other.readByKey(1, key.key)).toMatchObject({
      kind: 'article',
      request: key.request,
    });
    expect((await store.readByKey(1, 'dd'.repeat(32))).kind).toBe('absent');
    await store.remove(1, 1, anyVersion);
    expect((await other.readByKey(1, key.key)).kind).toBe('gone');
    expect((await other.create(1, draft('A'), asked)).kind).toBe('gone');
    const again = await opened.reopened();
    expect((await again.create(1, draft('A'), asked)).kind).toBe('gone');
  });

  it('answers by what a key made, and asks no guard then', async () => {
    const { store, other } = opened;
    const guard = {
      count: 20,
      holds: (page: Page) => {
        if (page.articles.length > 0) throw new Refused();
      },
    };
    const asked = { idempotency: key, guard };
    expect((await store.create(1, draft('A'), asked)).kind).toBe('created');
    for (const each of [store, other])
      expect((await each.create(1, draft('A'), asked)).kind).toBe('replayed');
    const unknown = { guard, idempotency: { ...key, key: 'ee'.repeat(32) } };
    await expect(other.create(1, draft('A'), unknown)).rejects.toThrow(Refused);
    const { kind } = await other.create(1, draft('A'), { idempotency: unknown.idempotency });
    expect(kind).toBe('created');
  });

  it('keeps a key to its blog', async () => {
    const { store } = opened;
    const id = await store.addBlog({ title: 'Second', description: '' });
    expect((await store.create(1, draft('A'), { idempotency: key })).kind).toBe('created');
    expect((await store.create(id, draft('A'), { idempotency: key })).kind).toBe('created');
    expect((await store.blogs()).map(({ id: each, total }) => [each, total])).toEqual([
      [1, 1],
      [id, 1],
    ]);
  });

  it('pages by rank, whatever was deleted', async () => {
    const { store, other } = opened;
    await Promise.all(Array.from({ length: 600 }, (_, at) => store.create(1, draft(`${at}`))));
    const gone = (id: number) => id % 7 === 0 || (id > 200 && id < 320);
    const ids = Array.from({ length: 600 }, (_, at) => at + 1);
    await Promise.all(
      ids.filter(gone).map((id, at) => (at % 2 === 0 ? store : other).remove(1, id, anyVersion)),
    );
    const live = ids.filter((id) => !gone(id));
    for (const one of [store, other]) {
      for (const first of [0, 1, 19, 170, 175, 200, 250, live.length - 3, live.length, 5000]) {
        const page = await one.page(1, first, 20);
        expect(idsOf(page)).toEqual(live.slice(first, first + 20));
        expect(page?.blog.total).toBe(live.length);
      }
    }
    expect(idsOf(await store.page(1, 0, 1000))).toEqual(live);
  });

  it('changes its version with everything that can be read', async () => {
    const { store, other } = opened;
    const seen = [await other.version()];
    const after = async (change: Promise<unknown>) => {
      await change;
      seen.push(await other.version());
    };
    await after(store.create(1, draft('A')));
    await after(store.replace(1, 1, draft('B'), anyVersion));
    await after(store.lockArticle(1, 1, true));
    await after(store.changeBlog(1, { locked: true }));
    await after(store.remove(1, 1, anyVersion));
    await after(store.addBlog({ title: 'Second', description: '' }));
    expect(new Set(seen).size).toBe(seen.length);
    expect(await other.version()).toBe(seen.at(-1));
  });

  it('changes the version of an article with it and with its blog', async () => {
    const { store, other } = opened;
    await store.create(1, draft('A'));
    await store.create(1, draft('B'));
    const article = { blogId: 1, articleId: 1 };
    const seen = [await other.version(article)];
    const after = async (change: Promise<unknown>) => {
      await change;
      seen.push(await other.version(article));
    };
    await after(store.replace(1, 1, draft('B'), anyVersion));
    await after(store.lockArticle(1, 1, true));
    await after(store.changeBlog(1, { locked: true }));
    await after(store.remove(1, 1, anyVersion));
    expect(new Set(seen).size).toBe(seen.length);
  });

  it('locks an article as a new version, and keeps it over an opening', async () => {
    const { store } = opened;
    await store.create(1, draft('A'), { idempotency: key });
    expect(await store.lockArticle(1, 1, true)).toMatchObject({ article: { locked: true } });
    expect((await store.lockArticle(1, 9, true)).kind).toBe('absent');
    const again = await opened.reopened();
    const seen: Version[] = [];
    await again.replace(1, 1, draft('B'), (version) => void seen.push(version));
    expect(seen).toMatchObject([{ locked: true, tag: expect.stringMatching(/^2-/) }]);
    expect(await again.lockArticle(1, 1, false)).toMatchObject({ article: { locked: false } });
    expect((await again.create(1, draft('A'), { idempotency: key })).kind).toBe('replayed');
  });

  it('takes changes until it is closed, and finishes those', async () => {
    const { store } = opened;
    expect(await store.writesRefused()).toBeUndefined();
    const waiting = store.create(1, draft('A'));
    const closing = store.close();
    await expect(store.create(1, draft('B'))).rejects.toMatchObject({ failure: 'closing' });
    await expect(store.create(1, draft('B'))).rejects.toBeInstanceOf(StoreError);
    expect((await waiting).kind).toBe('created');
    await closing;
    expect(idsOf(await (await opened.reopened()).page(1, 0, 9))).toEqual([1]);
  });
});
