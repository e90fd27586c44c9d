import { join } from 'node:path';
import { ArticleIndex } from '../../server/store/json-file/index/article-index.ts';
import { newBlogRecord } from '../../server/store/json-file/create.ts';
import type { JsonFileStore } from '../../server/store/json-file/json-file-store.ts';
import { openJsonFile } from '../../server/store/json-file/open.ts';
import {
  composeLine,
  keyAlone,
  publicJson,
  readArticleLine,
} from '../../server/store/json-file/format/article-line.ts';
import {
  atLeast,
  atMost,
  CONTENT,
  givenFile,
  median,
  notMeasured,
  timed,
  type Figure,
  type Setting,
} from './setting.ts';
import { sqlite, sqlitePageMs } from './sqlite-pages.ts';

const PAGE = 20;

/** Pages anywhere, deletions, and bytes spliced instead of parsed. */
export async function measureReading({ folder, articles }: Setting): Promise<Figure[]> {
  const path = await givenFile(join(folder, 'reading.json'), articles);
  const whole = await pageRatio(path, articles);
  const wholeMs = await anyPageMs(path, articles);
  const store = await openJsonFile({ path });
  for (let id = 2; id <= articles; id += 8000) {
    const ids = Array.from({ length: 4000 }, (_, at) => id + at * 2).filter(
      (one) => one <= articles,
    );
    await Promise.all(ids.map((one) => store.remove(1, one, () => undefined)));
  }
  await store.close();
  const half = await pageRatio(path, articles / 2);
  const [few, many] = [deletionMs(1000), deletionMs(articles)];
  return [
    atMost('9  any page / the first page', whole, 1.5),
    atMost('9  any page / the first page, half of the articles deleted', half, 1.5),
    atMost('10 deletion in the index, µs', many * 1000, 2),
    atMost('10 deletion in the index / in 1,000 articles', many / few, 3),
    sqliteRatio(folder, articles, wholeMs),
    ...spliceRatios(),
  ];
}

/** A store just opened for each kind, so that neither is served from memory. */
async function pageRatio(path: string, live: number): Promise<number> {
  const ratios: number[] = [];
  for (let round = 0; round < 7; round += 1) {
    const store = await openJsonFile({ path, readOnly: true });
    await pages(store, () => Math.floor(Math.random() * (live - PAGE)), 200);
    const first = await firstPages(path);
    const any = await pages(store, () => Math.floor(Math.random() * (live - PAGE)), 200);
    ratios.push(any / first);
    await store.close();
  }
  return median(ratios);
}

async function anyPageMs(path: string, live: number): Promise<number> {
  const store = await openJsonFile({ path, readOnly: true });
  const ms = await pages(store, () => Math.floor(Math.random() * (live - PAGE)), 500);
  await store.close();
  return ms;
}

function sqliteRatio(folder: string, articles: number, ourMs: number): Figure {
  const figure = '9  any page, speed / SQLite with OFFSET';
  const peer = sqlite();
  if (peer === undefined) return notMeasured(figure, 1000, 'needs Node 22.13');
  const theirMs = sqlitePageMs(peer, join(folder, 'pages.sqlite'), { articles, page: PAGE });
  return atLeast(figure, theirMs / ourMs, 1000);
}

async function pages(store: JsonFileStore, first: () => number, count: number): Promise<number> {
  const times: number[] = [];
  for (let i = 0; i < count; i += 1) times.push(await timed(() => store.page(1, first(), PAGE)));
  return median(times);
}

/** Pages at the front, each read once: page 1, 2, 3 … of a store just opened. */
async function firstPages(path: string): Promise<number> {
  const store = await openJsonFile({ path, readOnly: true });
  let next = 0;
  const time = await pages(store, () => (next += PAGE), 200);
  await store.close();
  return time;
}

function deletionMs(articles: number): number {
  const record = newBlogRecord(1, { title: 'B', description: '' }, 1);
  const rounds = Math.max(1, Math.floor(50_000 / articles));
  let ms = 0;
  let count = 0;
  for (let round = 0; round < rounds; round += 1) {
    const index = new ArticleIndex({ blogs: [record], deleted: new Map(), others: [] });
    const entry = {
      id: 0,
      blog: undefined,
      isTombstone: false,
      keyed: false,
      offset: 0,
      length: 100,
      mark: 1,
    };
    for (let id = 1; id <= articles; id += 1) index.apply({ ...entry, id });
    const ids = Array.from(
      { length: Math.min(articles, 50_000) },
      () => 1 + Math.floor(Math.random() * articles),
    );
    const start = performance.now();
    for (const id of ids) index.apply({ ...entry, id, isTombstone: true });
    ms += performance.now() - start;
    count += ids.length;
  }
  return ms / count;
}

function spliceRatios(): Figure[] {
  const lines = Array.from({ length: PAGE }, (_, at) =>
    composeLine({
      id: at + 1,
      blog: undefined,
      draft: { title: 'T', content: CONTENT },
      updatedAt: 1,
      privates: keyAlone(undefined),
      revision: 1,
    }).bytes.subarray(1, -1),
  );
  const splice = () => lines.map((line) => spliced(line));
  const parse = () => lines.map((line) => reparsed(line));
  const ratio = alternated(splice, parse);
  const pageSplice = () => Buffer.concat(splice());
  const pageParse = () =>
    Buffer.from(JSON.stringify({ _embedded: lines.map((line) => JSON.parse(line.toString())) }));
  return [
    atLeast('11 article by splicing / parse and stringify, speed', ratio, 2),
    atLeast(
      '11 page of 20 by splicing / parse and stringify, speed',
      alternated(pageSplice, pageParse),
      3,
    ),
  ];
}

function spliced(line: Buffer): Buffer {
  const read = readArticleLine(line);
  if (read === undefined) throw new Error('broken line');
  return publicJson(line, read);
}

function reparsed(line: Buffer): Buffer {
  const { id, title, content } = JSON.parse(line.toString());
  return Buffer.from(JSON.stringify({ id, title, content }));
}

function alternated(ours: () => unknown, theirs: () => unknown): number {
  const [a, b]: [number[], number[]] = [[], []];
  for (let round = 0; round < 400; round += 1) {
    a.push(clock(ours));
    b.push(clock(theirs));
  }
  return median(b.slice(100)) / median(a.slice(100));
}

function clock(work: () => unknown): number {
  const start = performance.now();
  for (let i = 0; i < 5; i += 1) work();
  return performance.now() - start;
}
