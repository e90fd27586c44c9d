import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { describe, expect, it } from 'vitest';

import { BlogctlError } from '../../../src/errors.ts';
import type { ReadingOptions } from '../../../src/importing/sources/source.ts';
import { openSources } from '../../../src/importing/sources/open-sources.ts';
import { createFakeBlog } from './fake-blog.ts';
import { givenImport } from './given-import.ts';
import { withFiles } from './sources/files.ts';

const count = 1_000;
const sound = (number: number) => ({ title: `Post ${number}`, content: `Text ${number}` });

/** Nine ways to be wrong, each as the line of one record. */
const damages: readonly ((number: number) => string | Buffer)[] = [
  (number) => JSON.stringify({ ...sound(number), title: '' }),
  (number) => JSON.stringify({ ...sound(number), title: 7 }),
  (number) => JSON.stringify({ title: `Post ${number}` }),
  () => JSON.stringify({ content: 'x' }),
  (number) => JSON.stringify({ ...sound(number), content: null }),
  (number) => `{"title":"Post ${number}","content":`,
  () => '["not an object"]',
  () => Buffer.from([0x7b, 0xff, 0x7d]),
  (number) => `{"title":"Post ${number}","content":"\\ud800"}`,
];

const broken = new Map(
  Array.from({ length: 37 }, (_, n) => [(n + 1) * 27, damages[n % damages.length]] as const),
);

const source = Buffer.concat(
  Array.from({ length: count }, (_, at) => {
    const line = broken.get(at + 1)?.(at + 1) ?? JSON.stringify(sound(at + 1));
    return Buffer.concat([Buffer.from(line), Buffer.from('\n')]);
  }),
);

async function open(path: string, flags: Partial<ReadingOptions> = {}) {
  const map = { title: 'title', content: 'content' };
  const reading = { drafts: false, now: 0, map, ...flags };
  return (await openSources([path], reading, process.stdin)).sources;
}

it('brings 1,000 records with 37 broken ones to the blog, once, after they are repaired', async () => {
  await withFiles({ 'd.ndjson': source }, async (folder) => {
    const blog = createFakeBlog();
    const path = join(folder, 'd.ndjson');
    const rejects = join(folder, 'd.rejects.ndjson');
    const tolerant = { tolerance: { kind: 'any' }, rejects } as const;

    const first = await givenImport(blog, await open(path), tolerant);
    expect(first.failure).toMatchObject({ code: 'partly-failed' });
    expect(first.summary).toMatchObject({ records: count, created: 963, rejected: 37 });
    const rejected = (await readFile(rejects, 'utf8'))
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(rejected.map(({ position }) => position)).toEqual([...broken.keys()]);
    expect(rejected.every((line) => line.source === 'd.ndjson' && line.stage === 'read')).toBe(
      true,
    );

    const untouched = await givenImport(blog, await open(rejects), { tolerance: { kind: 'any' } });
    expect(untouched.summary).toMatchObject({ records: 37, created: 0, rejected: 37 });

    const repaired = rejected.map((line) =>
      JSON.stringify({ ...line, record: sound(line.position) }),
    );
    await writeFile(rejects, `${repaired.join('\n')}\n`);
    for (const created of [37, 0]) {
      const { summary, failure } = await givenImport(blog, await open(rejects));
      expect(failure).toBeUndefined();
      expect(summary).toMatchObject({ records: 37, created });
    }

    const whole = Array.from({ length: count }, (_, at) => `${JSON.stringify(sound(at + 1))}\n`);
    await writeFile(path, whole.join(''));
    const again = await givenImport(blog, await open(path));
    expect(again.summary).toMatchObject({ created: 0, replayed: count });
    expect(blog.articles).toHaveLength(count);
  });
});

it('takes no row that reads well though its columns are others, until it is mended', async () => {
  const table = 'id,title,content,status\n1,A,a,published\n2,Secret,draft\n';
  await withFiles({ 't.csv': table }, async (folder) => {
    const blog = createFakeBlog();
    const rejects = join(folder, 'r.ndjson');
    const tolerant = { rejects, tolerance: { kind: 'any' } } as const;
    await givenImport(blog, await open(join(folder, 't.csv')), tolerant);
    const again = join(folder, 'again.ndjson');
    const untouched = await givenImport(blog, await open(rejects), { ...tolerant, rejects: again });
    expect(untouched.summary).toMatchObject({ created: 0, rejected: 1 });
    const line = JSON.parse(await readFile(again, 'utf8'));
    expect(line.message).toBe('Not mended: 3 fields, but the header has 4.');
    await writeFile(again, JSON.stringify({ ...line, record: { ...line.record, content: 'b' } }));
    expect((await givenImport(blog, await open(again))).summary).toMatchObject({ created: 1 });
  });
});

it('has the name of a record that is known by it twice, to be given another', async () => {
  const record = (slug: string, title: string) => JSON.stringify({ slug, title, content: 'x' });
  const twins = `${record('a', 'A')}\n${record('a', 'B')}\n`;
  await withFiles({ 'd.ndjson': twins }, async (folder) => {
    const blog = createFakeBlog();
    const [path, rejects] = [join(folder, 'd.ndjson'), join(folder, 'd.rejects.ndjson')];
    await givenImport(blog, await open(path), { rejects, tolerance: { kind: 'any' } });
    const line = JSON.parse(await readFile(rejects, 'utf8'));
    expect(line).toMatchObject({ record: { slug: 'a', title: 'B', content: 'x' } });
    const untouched = await givenImport(blog, await open(rejects), { tolerance: { kind: 'any' } });
    expect(untouched.summary).toMatchObject({ created: 0, rejected: 1 });
    line.record.slug = 'b';
    await writeFile(rejects, JSON.stringify(line));
    expect((await givenImport(blog, await open(rejects))).summary.created).toBe(1);
    await writeFile(path, `${record('a', 'A')}\n${record('b', 'B')}\n`);
    const again = await givenImport(blog, await open(path));
    expect(again.summary).toMatchObject({ created: 0, replayed: 2 });
  });
});

it('imports again what a service refused for a time, as it was', async () => {
  await withFiles({ 'posts/a.md': '---\ntitle: A\n---\n x\n' }, async (folder) => {
    const rejects = join(folder, 'r.ndjson');
    const refuses = new BlogctlError('unprocessable', 'Not today.', { status: 422 });
    const blog = createFakeBlog({ mishap: (n) => (n === 1 ? refuses : undefined) });
    await givenImport(blog, await open(join(folder, 'posts')), {
      rejects,
      tolerance: { kind: 'any' },
    });
    expect((await givenImport(blog, await open(rejects))).summary.created).toBe(1);
    const again = await givenImport(blog, await open(join(folder, 'posts')));
    expect(again.summary).toMatchObject({ created: 0, replayed: 1 });
    expect(blog.articles[0]).toMatchObject({ title: 'A', content: ' x\n' });
  });
});

it('has a row of a table by its columns, to be repaired as it is', async () => {
  const table = 'id,title,content\n1,A,a\n2,B,b,more\n3,C\n4,Un,"oops\n';
  await withFiles({ 't.csv': table }, async (folder) => {
    const rejects = join(folder, 'r.ndjson');
    const blog = createFakeBlog();
    const tolerant = { rejects, tolerance: { kind: 'any' } } as const;
    await givenImport(blog, await open(join(folder, 't.csv')), tolerant);
    const lines = (await readFile(rejects, 'utf8')).trim().split('\n');
    expect(lines.map((line) => JSON.parse(line).record)).toEqual([
      { id: '2', title: 'B', content: 'b', 'column 4': 'more' },
      { id: '3', title: 'C' },
      { id: '4', title: 'Un', content: '"oops' },
    ]);
    await writeFile(rejects, lines[2]?.replace(String.raw`\"oops`, 'mended') ?? '');
    expect((await givenImport(blog, await open(rejects))).summary.created).toBe(1);
    expect(blog.articles.at(-1)).toMatchObject({ title: 'Un', content: 'mended' });
  });
});

it('reads a rejected post that is still a text as its source would', async () => {
  await withFiles({ 'posts/a.md': 'No title here\n' }, async (folder) => {
    const rejects = join(folder, 'r.ndjson');
    const blog = createFakeBlog();
    await givenImport(blog, await open(join(folder, 'posts')), {
      rejects,
      tolerance: { kind: 'any' },
    });
    const line = JSON.parse(await readFile(rejects, 'utf8'));
    const mended = { ...line, record: `---\ntitle: A\n---\n${line.record}` };
    await writeFile(rejects, JSON.stringify(mended, null, 0));
    expect((await givenImport(blog, await open(rejects))).summary.created).toBe(1);
    expect(blog.articles[0]).toMatchObject({ title: 'A', content: 'No title here\n' });
  });
});

describe('a mended reject', () => {
  const own = { title: 'title', content: 'content' };
  const json = (value: object) => JSON.stringify(value);
  const whole = { title: 'A', content: 'x' };
  const draft = '{"draft": true}';
  const cut = '{"title":';

  it.each<[string, Record<string, string>, string, Partial<ReadingOptions>, object | string]>([
    ['in a file of drafts', { 'drafts.ndjson': cut }, 'drafts.ndjson', {}, whole],
    ['in a table of drafts', { 'drafts.csv': 'title,content\nA' }, 'drafts.csv', {}, whole],
    ['in a folder of drafts', { 'site/drafts/x.ndjson': cut }, 'site/drafts/x.ndjson', {}, whole],
    ['found there', { 'site/drafts/x.ndjson': cut }, 'site', {}, whole],
    [
      'below data',
      { 'w/w.json': draft, 'w/a.md': '---\ntitle: A\n' },
      'w',
      {},
      '---\ntitle: A\n---\n',
    ],
    [
      'with a state that --map names',
      { 'x.csv': 'title,content,Stand\nA,x' },
      'x.csv',
      { map: { ...own, status: 'Stand' } },
      { ...whole, Stand: 'Entwurf' },
    ],
    [
      'without the state that --map names',
      { 'x.csv': 'headline,content,Stand\nA,x' },
      'x.csv',
      { map: { title: 'headline', content: 'content', status: 'Stand' } },
      { headline: 'A', content: 'y' },
    ],
  ])('is no more public than it was: %s', async (_name, files, named, flags, record) => {
    await withFiles(files, async (folder) => {
      const blog = createFakeBlog();
      const [rejects, again] = [join(folder, 'r.ndjson'), join(folder, 'again.ndjson')];
      const tolerant = { rejects, tolerance: { kind: 'any' } } as const;
      await givenImport(blog, await open(join(folder, named), flags), tolerant);
      // Nothing is lost of it where it is a reject again.
      await givenImport(blog, await open(rejects), { ...tolerant, rejects: again });
      const once = JSON.parse(await readFile(again, 'utf8'));
      await writeFile(again, json({ ...once, record }));
      const { summary } = await givenImport(blog, await open(again));
      expect(summary).toMatchObject({ records: 1, created: 0, skipped: 1 });
    });
  });

  it.each<[string, string, string, Partial<ReadingOptions>, object]>([
    ['by --key-field', 'x.ndjson', cut, { keyField: 'sku' }, { sku: 's1', id: 7, ...whole }],
    [
      'by --key-field, in a row',
      'x.csv',
      'sku,title,content\ns1,A',
      { keyField: 'sku' },
      { sku: 's1', ...whole },
    ],
    [
      'by its uuid',
      'x.ndjson',
      cut,
      {},
      { uuid: '1b4e28ba-2fa1-11d2-883f-0016d3cca427', ...whole },
    ],
    [
      'with members that --map names',
      'x.ndjson',
      cut,
      { map: { title: 'a.b', content: 'c' } },
      { id: 1, a: { b: 'A' }, c: 'x' },
    ],
  ])('is the record that its source has, mended: %s', async (_name, file, text, flags, record) => {
    await withFiles({ [file]: text }, async (folder) => {
      const blog = createFakeBlog();
      const rejects = join(folder, 'r.ndjson');
      const tolerant = { rejects, tolerance: { kind: 'any' } } as const;
      await givenImport(blog, await open(join(folder, file), flags), tolerant);
      const line = JSON.parse(await readFile(rejects, 'utf8'));
      await writeFile(rejects, json({ ...line, record }));
      expect((await givenImport(blog, await open(rejects))).summary).toMatchObject({ created: 1 });
      const row = `${Object.keys(record).join(',')}\n${Object.values(record).join(',')}`;
      await writeFile(join(folder, file), file === 'x.csv' ? row : json(record));
      const last = await givenImport(blog, await open(join(folder, file), flags));
      expect(last.summary).toMatchObject({ created: 0, replayed: 1 });
    });
  });

  it('has the name that --key-field chose, where it was known by it twice', async () => {
    const record = (sku: string, title: string) => json({ sku, id: 1, title, content: 'x' });
    await withFiles(
      { 'x.ndjson': `${record('a', 'A')}\n${record('a', 'B')}\n` },
      async (folder) => {
        const blog = createFakeBlog();
        const rejects = join(folder, 'r.ndjson');
        const tolerant = { rejects, tolerance: { kind: 'any' } } as const;
        const flags = { keyField: 'sku' };
        await givenImport(blog, await open(join(folder, 'x.ndjson'), flags), tolerant);
        const line = JSON.parse(await readFile(rejects, 'utf8'));
        await writeFile(rejects, json({ ...line, record: { ...line.record, sku: 'b' } }));
        expect((await givenImport(blog, await open(rejects))).summary).toMatchObject({
          created: 1,
        });
        await writeFile(join(folder, 'x.ndjson'), `${record('a', 'A')}\n${record('b', 'B')}\n`);
        const last = await givenImport(blog, await open(join(folder, 'x.ndjson'), flags));
        expect(last.summary).toMatchObject({ created: 0, replayed: 2 });
      },
    );
  });
});
