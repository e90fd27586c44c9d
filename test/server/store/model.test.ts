import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import type { JsonFileStore } from '../../../server/store/json-file/json-file-store.ts';
import {
  createMemoryFileSystem,
  type MemoryFileSystem,
} from '../../../server/store/file-system/memory-file-system.ts';
import type { Version } from '../../../server/store/store.ts';
import { anyText } from '../../support/any-text.ts';
import { givenStore, PATH, reopened, textOf } from './support/given-store.ts';

/** What the store must answer: the JSON of each article, null where it was deleted. */
type Model = Map<number, string | null>;
type World = { store: JsonFileStore; disk: MemoryFileSystem; readonly model: Model };
type Step = readonly [what: string, number: number, text: string];

const words = [
  'create',
  'create',
  'replace',
  'replace',
  'remove',
  'remove',
  'pair',
  'page',
  'compact',
  'restart',
  'crash',
  'edit',
  'reformat',
  'exchange',
];
const steps = fc.array(fc.tuple(fc.constantFrom(...words), fc.nat(30), anyText(40)), {
  maxLength: 40,
});

test('the store does what a map would do, through restarts, crashes, compactions and editors', async () => {
  const story = fc.asyncProperty(steps, async (taken) => {
    const world: World = { ...(await givenStore()), model: new Map() };
    for (const step of taken) await take(world, step);
    await holds(world);
    await world.store.compact();
    await world.store.close();
    await sameInAnyReader(world);
  });
  await expect(fc.assert(story, { numRuns: 300 })).resolves.toBeUndefined();
});

async function take(world: World, [what, number, text]: Step): Promise<void> {
  const id = 1 + number;
  if (what === 'create') await create(world, text);
  if (what === 'replace') await replace(world, id, text);
  if (what === 'remove') await remove(world, id);
  if (what === 'pair') await pair(world, id, text);
  if (what === 'page') await page(world, number);
  if (what === 'compact') await world.store.compact();
  if (what === 'restart') await world.store.close();
  if (what === 'restart' || what === 'crash')
    await reopen(world, world.disk.files().get(PATH)?.toString() ?? '');
  if (what === 'edit') await edit(world, id);
  if (what === 'reformat')
    await reopen(world, JSON.stringify(JSON.parse(textOf(world.disk)), null, 1));
  if (what === 'exchange') await exchange(world);
}

/** What the file would be read as after an orderly or a sudden end. */
async function reopen(world: World, content: string): Promise<void> {
  world.disk = createMemoryFileSystem([...world.disk.files(), [PATH, content]]);
  world.store = await reopened(world.disk);
}

async function create({ store, model }: World, title: string): Promise<void> {
  const creation = await store.create(1, { title, content: title });
  const { article } = 'article' in creation ? creation : expect.fail(creation.kind);
  expect(article.id).toBe(Math.max(0, ...model.keys()) + 1);
  model.set(article.id, JSON.stringify({ id: article.id, title, content: title }));
  expect(article.json.toString()).toBe(model.get(article.id));
}

function kindIn(model: Model, id: number): string {
  const state = model.get(id);
  if (state === undefined) return 'absent';
  return state === null ? 'gone' : 'article';
}

async function replace({ store, model }: World, id: number, title: string): Promise<void> {
  const { kind } = await store.replace(1, id, { title }, () => undefined);
  expect(kind).toBe(kindIn(model, id));
  if (kind === 'article') model.set(id, JSON.stringify({ id, title }));
}

async function remove({ store, model }: World, id: number): Promise<void> {
  const found = await store.remove(1, id, () => undefined);
  expect(found.kind).toBe(kindIn(model, id));
  if (found.kind !== 'article') return;
  expect(found.article.json.toString()).toBe(model.get(id));
  model.set(id, null);
}

/** Two changes with the same If-Match at once: the first one passes. */
async function pair({ store, model }: World, id: number, title: string): Promise<void> {
  const current = await store.read(1, id);
  if (current.kind !== 'article') return;
  const guard = ({ tag }: Version) => {
    if (tag !== current.article.tag) throw new RangeError('412');
  };
  const both = await Promise.allSettled([
    store.replace(1, id, { title }, guard),
    store.remove(1, id, guard),
  ]);
  expect(both.map(({ status }) => status)).toEqual(['fulfilled', 'rejected']);
  model.set(id, JSON.stringify({ id, title }));
}

async function page({ store, model }: World, first: number): Promise<void> {
  const alive = [...model].filter(([, state]) => state !== null).map(([id]) => id);
  const { blog, articles } = (await store.page(1, first, 5)) ?? expect.fail('no blog 1');
  expect(blog.total).toBe(alive.length);
  expect(articles.map(({ id }) => id)).toEqual(alive.sort((a, b) => a - b).slice(first, first + 5));
}

/** Somebody changes a title in an editor while the store is closed. */
async function edit(world: World, id: number): Promise<void> {
  const state = world.model.get(id);
  await world.store.close();
  const document = JSON.parse(textOf(world.disk));
  if (typeof state === 'string') {
    document.articles.find((article: { id: number }) => article.id === id).title = 'by hand';
    world.model.set(id, JSON.stringify({ ...JSON.parse(state), title: 'by hand' }));
  }
  await reopen(world, JSON.stringify(document));
}

/** Another program puts a file in the place of this one: nothing more is written to it. */
async function exchange(world: World): Promise<void> {
  const content = textOf(world.disk);
  world.disk.put(PATH, content, 'replaced');
  await expect(world.store.create(1, { title: 'lost' })).rejects.toMatchObject({
    failure: 'changed-outside',
  });
  expect(textOf(world.disk)).toBe(content);
  await reopen(world, content);
}

async function holds({ store, model }: World): Promise<void> {
  for (let id = 1; id <= 45; id += 1) {
    const found = await store.read(1, id);
    const state = found.kind === 'article' ? found.article.json.toString() : found.kind;
    expect(state).toBe(model.get(id) ?? kindIn(model, id));
  }
}

/** What `jq .articles[]` shows is what the store answers. */
async function sameInAnyReader({ disk, model }: World): Promise<void> {
  const { articles } = JSON.parse(textOf(disk));
  const shown = articles.map(
    ({ id, title, content }: { id: number; title: string; content?: string }) =>
      JSON.stringify({ id, title, content }),
  );
  const alive = [...model].sort(([a], [b]) => a - b).map(([, state]) => state);
  expect(shown).toEqual(alive.filter((state) => state !== null));
}
