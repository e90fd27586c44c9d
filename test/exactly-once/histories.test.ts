import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';

import { describe, expect, it } from 'vitest';

import type { BlogClient } from '../../src/client/blog-client.ts';
import { openSources } from '../../src/importing/sources/open-sources.ts';
import { seededRandom, type Random } from '../support/random.ts';
import { givenImport, type ImportRun } from '../src/importing/given-import.ts';
import { givenBlogFile } from '../support/blog-file.ts';

/**
 * The nightly run sets it to 5000. Each history has its seed: BLOGCTL_SEED=7 runs that one alone, with
 * BLOGCTL_HISTORIES=200 so many from that on.
 */
const givenSeed = process.env['BLOGCTL_SEED'];
const firstSeed = Number(givenSeed ?? 1);
const histories = Number(process.env['BLOGCTL_HISTORIES'] ?? (givenSeed === undefined ? 60 : 1));
const stepsEach = 6;
const minutes = 60_000;

type Item = { readonly id: number; readonly title: string; readonly content: string };

/** A source as its owner has it: its name changes, its records come and go. */
type Owned = { folder: string; name: string; items: Item[] };

type Form = {
  readonly extension: string;
  readonly write: (items: readonly Item[]) => string;
  readonly hasIds: boolean;
};

const quote = (text: string): string => `"${text.replaceAll('"', '""')}"`;
const forms: readonly Form[] = [
  {
    extension: '.ndjson',
    hasIds: true,
    write: (items) => items.map((item) => `${JSON.stringify(item)}\n`).join(''),
  },
  {
    extension: '.ndjson',
    hasIds: false,
    write: (items) =>
      items.map(({ title, content }) => `${JSON.stringify({ title, content })}\n`).join(''),
  },
  { extension: '.json', hasIds: true, write: (items) => JSON.stringify({ posts: items }) },
  {
    extension: '.csv',
    hasIds: true,
    write: (items) =>
      ['id,title,content', ...items.map((i) => [i.id, quote(i.title), quote(i.content)].join(','))]
        .join('\n')
        .concat('\n'),
  },
  {
    extension: '.csv',
    hasIds: false,
    write: (items) =>
      ['title,content', ...items.map((i) => [quote(i.title), quote(i.content)].join(','))]
        .join('\n')
        .concat('\n'),
  },
];

const textOf = ({ title, content = '' }: { title: string; content?: string }): string =>
  JSON.stringify([title, content]);

/** The position of the first record; in a table its line, behind the header. */
const firstOf = ({ extension }: Form): number => (extension === '.csv' ? 2 : 1);

/** What happens to a source between two imports. Every text is new but for twins and reverts. */
function createOwner(random: Random, form: Form) {
  let made = 0;
  let reused = 0;
  const fresh = (): Item => {
    made += 1;
    return { id: made, title: `Title ${made}`, content: `Text ${made}` };
  };
  const anyOf = (items: readonly Item[]) => items[random.below(items.length)];
  const steps: readonly ((owned: Owned) => void)[] = [
    ({ items }) => void items.unshift(fresh()),
    ({ items }) => void items.push(fresh(), fresh()),
    ({ items }) => void items.splice(random.below(items.length), 1),
    ({ items }) => void items.sort((a, b) => b.id - a.id),
    ({ items }) => void items.sort((a, b) => (a.content < b.content ? -1 : 1)),
    ({ items }) => {
      const at = random.below(items.length);
      const item = items[at];
      if (item === undefined) return;
      made += 1;
      items[at] = { ...item, content: `Edited ${made}` };
    },
    ({ items }) => {
      const twin = anyOf(items);
      made += 1;
      if (twin !== undefined) items.splice(random.below(items.length), 0, { ...twin, id: made });
    },
    ({ items }) => {
      const same = anyOf(items);
      reused += 1;
      if (same !== undefined) items.push(reused % 2 === 0 ? same : { ...fresh(), id: same.id });
    },
    (owned) => {
      owned.name = `dump.2024-01-${String(random.below(28) + 1).padStart(2, '0')}${form.extension}`;
    },
  ];
  return { fresh, change: (owned: Owned) => random.oneOf(steps)(owned) };
}

type World = {
  readonly client: BlogClient;
  readonly folder: string;
  readonly form: Form;
  /** Texts that an import put on the blog at some time. */
  readonly imported: Set<string>;
  /** How often each text was there to be imported: by record or source, see `noteMost`. */
  readonly most: Map<string, Map<string, number>>;
  /** Texts that somebody changed or deleted on the blog. */
  readonly touched: Set<string>;
};

async function articlesOf(client: BlogClient): Promise<ReadonlyMap<number, string>> {
  const found = new Map<number, string>();
  for await (const { articles } of client.pages({ pageSize: 100 })) {
    for (const article of articles) found.set(article.id, textOf(article));
  }
  return found;
}

async function importOnce(owned: Owned, { client, folder, form }: World): Promise<ImportRun> {
  const path = join(folder, owned.folder, owned.name);
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, form.write(owned.items));
  const reading = { drafts: false, now: 0, map: { title: 'title', content: 'content' } };
  const opened = await openSources([path], reading, Readable.from([]));
  try {
    const tolerance = { kind: 'any' } as const;
    const dry = await givenImport(client, opened.sources, {
      tolerance,
      allowEmpty: true,
      dryRun: true,
    });
    const run = await givenImport(client, opened.sources, { tolerance, allowEmpty: true });
    expect(dry.summary).toEqual(run.summary);
    return run;
  } finally {
    await opened.close();
  }
}

async function importAndJudge(owned: Owned, world: World): Promise<void> {
  const before = await articlesOf(world.client);
  const run = await importOnce(owned, world);
  const after = await articlesOf(world.client);
  noteMost(owned, world);
  for (const [id, text] of before) expect(after.get(id)).toBe(text);
  const counts = new Map<string, number>();
  for (const [id, text] of after) {
    counts.set(text, (counts.get(text) ?? 0) + 1);
    if (!before.has(id)) world.imported.add(text);
  }
  for (const [text, count] of counts) {
    const most = [...(world.most.get(text)?.values() ?? [])].reduce((a, b) => a + b, 0);
    if (world.imported.has(text))
      expect({ text, count: Math.max(count, most) }).toEqual({ text, count: most });
  }
  for (const [text, times] of countsIn(owned)) {
    const left = world.touched.has(text) ? 0 : times;
    if (!world.form.hasIds)
      expect({ text, left: Math.min(counts.get(text) ?? 0, left) }).toEqual({ text, left });
  }
  // One that is repeated is named with the first.
  const named = new Set(
    [...run.rejected, ...run.deleted].map(({ position }) =>
      JSON.stringify(owned.items[position - firstOf(world.form)]),
    ),
  );
  const unnamed = owned.items.filter(
    (item) => !world.imported.has(textOf(item)) && !named.has(JSON.stringify(item)),
  );
  expect(unnamed).toEqual([]);
  const { records, created, replayed, skipped: all, rejected } = run.summary;
  expect(created + replayed + all + rejected).toBe(records);
}

/**
 * With ids each id that ever had a text is a record of its own. Without, records are twins as often as
 * they stand in one source at a time.
 */
function noteMost(owned: Owned, { most, form }: World): void {
  const counts = countsIn(owned);
  for (const item of owned.items) {
    const text = textOf(item);
    const record = form.hasIds ? `id ${item.id}` : owned.folder;
    const times = form.hasIds ? 1 : (counts.get(text) ?? 0);
    const known = most.get(text) ?? new Map<string, number>();
    most.set(text, known.set(record, Math.max(known.get(record) ?? 0, times)));
  }
}

function countsIn({ items }: Owned): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const text of items.map(textOf)) counts.set(text, (counts.get(text) ?? 0) + 1);
  return counts;
}

async function live(seed: number, honoursKeys: boolean): Promise<void> {
  const random = seededRandom(seed);
  const blog = await givenBlogFile({ honoursKeys });
  const folder = await mkdtemp(join(tmpdir(), 'blogctl-history-'));
  try {
    const form = random.oneOf(forms);
    const owner = createOwner(random, form);
    const name = `dump${form.extension}`;
    const sources = ['one', 'two'].map((place): Owned => ({
      folder: place,
      name,
      items: [owner.fresh(), owner.fresh(), owner.fresh()],
    }));
    const world = {
      client: blog.client,
      folder,
      form,
      imported: new Set<string>(),
      most: new Map(),
      touched: new Set<string>(),
    };
    for (let step = 0; step < stepsEach; step += 1) {
      const owned = random.below(4) === 0 ? sources[1] : sources[0];
      if (owned === undefined) continue;
      await importAndJudge(owned, world);
      owner.change(owned);
      owner.change(owned);
      if (random.below(4) === 0) await actOnBlog(world, random, step);
    }
  } finally {
    await blog.remove();
    await rm(folder, { recursive: true });
  }
}

/** Somebody edits or deletes an article on the blog. */
async function actOnBlog({ client, touched }: World, random: Random, step: number): Promise<void> {
  const articles = [...(await articlesOf(client))];
  if (articles.length === 0) return;
  const [id, text] = random.oneOf(articles);
  touched.add(text);
  if (random.below(2) === 0) await client.remove({ id });
  else await client.replace({ id }, { title: `By hand ${id}`, content: `step ${step}` });
}

describe('every history of a source', { timeout: 60 * minutes }, () => {
  it.each([
    ['serve', true],
    ['a service without keys', false],
  ])(
    `overwrites nothing, doubles nothing and names what it leaves: ${histories} towards %s`,
    async (_name, honoursKeys) => {
      const wrong: unknown[] = [];
      for (let nth = 0; nth < histories && wrong.length === 0; nth += 1) {
        const each = firstSeed + nth;
        await live(each, honoursKeys).catch((error: unknown) => wrong.push({ seed: each, error }));
      }
      expect(wrong).toEqual([]);
    },
  );
});
