import type { JsonFileStore } from '../../../../server/store/json-file/json-file-store.ts';
import { createMemoryFileSystem } from '../../../../server/store/file-system/memory-file-system.ts';
import { openJsonFile } from '../../../../server/store/json-file/open.ts';
import type { Blog, Found } from '../../../../server/store/store.ts';
import type { Random } from '../../../support/random.ts';

export const PATH = '/blog.json';
export const LOCK = `${PATH}.lock`;

/** What was answered of one article before its file came to harm. */
export type Acknowledged = {
  readonly id: number;
  readonly blogId: number;
  /** Its public JSON; null where it is deleted. */
  readonly state: string | null;
  readonly key: string | undefined;
  /** Its newest line as it stands in the file; undefined where `"deleted"` has it. */
  readonly line: string | undefined;
};

/** A store file that lived, how it was left, and what it had promised. */
export type Start = {
  readonly files: ReadonlyMap<string, Buffer>;
  readonly articles: readonly Acknowledged[];
  readonly blogs: readonly Pick<Blog, 'id' | 'title' | 'locked'>[];
  readonly how: 'closed' | 'killed';
};

const TEXTS = ['paid 1000 ', 'Grüße “x” ', '{"id":7,"title":"no"} ', 'a\\b\n', '],\n"end":', 'x'];
/** No clock but ours has to do with it. */
const EMPTY = { format: 'blogctl/1', blogs: [{ id: 1, title: 'A blog' }], articles: [] };
const MOMENT = Date.UTC(2026, 0, 1);

/** A store with one or two blogs, keys, locks, new versions and deletions. */
export async function givenStart(random: Random): Promise<Start> {
  const disk = createMemoryFileSystem([[PATH, JSON.stringify(EMPTY)]]);
  let moment = MOMENT;
  const now = () => (moment += random.below(3000));
  const store = await openJsonFile({ path: PATH, fileSystem: disk, now, idleMs: 2 ** 30 });
  while (random.next() < 0.4)
    await store.addBlog({ title: `Another ${random.below(9)}`, description: '' });
  const known = new Map<number, { blogId: number; key: string | undefined }>();
  const changes = 2 + random.below(14);
  for (let change = 0; change < changes; change += 1) await live(store, known, random);
  const read = await acknowledged(store, known);
  const how = random.next() < 0.5 ? 'closed' : 'killed';
  if (how === 'closed') await store.close();
  const files = disk.files();
  if (how === 'killed') await store.close();
  const lines = lastLines(files);
  const articles = read.map((one) => ({ ...one, line: lines.get(one.id) }));
  return { files, articles, blogs: await store.blogs(), how };
}

type Known = Map<number, { blogId: number; key: string | undefined }>;

async function live(store: JsonFileStore, known: Known, random: Random): Promise<void> {
  const chance = random.next();
  const [id, one] = random.oneOf<[number, { blogId: number } | undefined]>(
    known.size === 0 ? [[0, undefined]] : [...known],
  );
  if (chance < 0.5 || one === undefined) {
    const blogId = random.oneOf(await store.blogs()).id;
    const key = random.next() < 0.3 ? `a${known.size}` : undefined;
    const idempotency = key === undefined ? undefined : { key, request: 'b' };
    const creation = await store.create(blogId, draft(random), { idempotency });
    if ('article' in creation) known.set(creation.article.id, { blogId, key });
  } else if (chance < 0.75) await store.replace(one.blogId, id, draft(random), () => undefined);
  else if (chance < 0.88) await store.remove(one.blogId, id, () => undefined);
  else if (chance < 0.94) await store.lockArticle(one.blogId, id, random.next() < 0.5);
  else await store.compact();
}

function draft(random: Random): { title: string; content?: string } {
  const title = random.oneOf(TEXTS) + random.below(100);
  return random.next() < 0.1 ? { title } : { title, content: textOf(random) };
}

function textOf(random: Random): string {
  let text = '';
  const length = random.below(random.next() < 0.05 ? 4000 : 120);
  while (text.length < length) text += random.oneOf(TEXTS);
  return text;
}

function lastLines(files: ReadonlyMap<string, Buffer>): Map<number, string> {
  const lines = new Map<number, string>();
  const text = files.get(PATH)?.toString() ?? '';
  const [, articles = ''] = text.split('"articles":[\n');
  for (const line of linesOf(Buffer.from(articles))) {
    const id = /^\{"id":(\d+)/.exec(line)?.[1];
    if (id !== undefined) lines.set(Number(id), line);
  }
  return lines;
}

/** Lines without their leading commas. */
export function linesOf(bytes: Buffer): string[] {
  return bytes
    .toString('utf8')
    .split('\n')
    .map((line) => (line.startsWith(',') ? line.slice(1) : line));
}

async function acknowledged(
  store: JsonFileStore,
  known: Known,
): Promise<readonly Omit<Acknowledged, 'line'>[]> {
  const found: Omit<Acknowledged, 'line'>[] = [];
  for (const [id, { blogId, key }] of known) {
    const state = stateOf(await store.read(blogId, id)) ?? null;
    found.push({ id, blogId, state, key });
  }
  return found;
}

/** Undefined: never heard of. */
export function stateOf(found: Found): string | null | undefined {
  if (found.kind === 'absent' || found.kind === 'no-blog') return undefined;
  return found.kind === 'gone' ? null : found.article.json.toString();
}
