import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import * as fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import type { BlogClient } from '../../../src/client/blog-client.ts';
import { BlogctlError } from '../../../src/errors.ts';
import type { ImportSummary } from '../../../src/importing/plan.ts';
import { readChanges } from '../../../src/importing/runs/journal-lines.ts';
import { listRuns } from '../../../src/importing/runs/runs.ts';
import { findUnanswered } from '../../../src/importing/sending/unkeyed-delivery.ts';
import type { Entry, Batch } from '../../../src/importing/sources/source.ts';
import { createFakeBlog, silence, type FakeBlog, type Mishap } from './fake-blog.ts';
import {
  createFakeClock,
  givenImport,
  givenJournal,
  givenReject,
  givenSource,
} from './given-import.ts';
import { withFiles } from './sources/files.ts';

const notStopped = new AbortController().signal;
const numbers = (count: number): string[] =>
  Array.from({ length: count }, (_, n) => `Post ${n + 1}`);
const titlesOf = (blog: { articles: readonly { title: string }[] }): string[] =>
  blog.articles.map(({ title }) => title).sort();
const addsUp = (summary: ImportSummary): boolean =>
  summary.records ===
  summary.created +
    summary.replayed +
    summary.skipped +
    summary.rejected +
    summary.inDoubt +
    summary.unsent;

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'blogctl-test-'));
});
afterEach(() => rm(folder, { recursive: true }));

describe('an import', () => {
  it('creates every record and says so', async () => {
    const blog = createFakeBlog();
    const { summary, failure } = await givenImport(blog, [givenSource(numbers(10))]);
    expect(failure).toBeUndefined();
    expect(summary).toMatchObject({ records: 10, created: 10, unsent: 0 });
    expect(titlesOf(blog)).toEqual(numbers(10).sort());
  });

  it('creates nothing when it is repeated', async () => {
    const blog = createFakeBlog();
    await givenImport(blog, [givenSource(numbers(10))]);
    const { summary } = await givenImport(blog, [givenSource(numbers(10))]);
    expect(summary).toMatchObject({ records: 10, created: 0, replayed: 10 });
    expect(blog.articles).toHaveLength(10);
  });

  it('keeps records apart that are equal to the letter', async () => {
    const blog = createFakeBlog();
    await givenImport(blog, [givenSource(['Same', 'Same', 'Same'])]);
    expect(titlesOf(blog)).toEqual(['Same', 'Same', 'Same']);
  });

  it('takes two sources that number alike as different', async () => {
    const blog = createFakeBlog();
    await givenImport(blog, [givenSource(['A'], 'one'), givenSource(['A'], 'two')]);
    expect(blog.articles).toHaveLength(2);
  });

  it('rejects the second record of one identity', async () => {
    const sources = [givenSource(['A'], 'one'), givenSource(['B'], 'two')];
    const { summary, rejected } = await givenImport(createFakeBlog(), sources, {
      importId: 'same',
    });
    expect(summary).toMatchObject({ records: 2, rejected: 1, unsent: 1 });
    expect(rejected).toMatchObject([
      {
        class: 'identity',
        identity: 'id:1',
        message:
          'Known as "id:1" like the record at posts.ndjson:1, which has another text. Where they are two, give one another name, choose another member with --key-field, or give each source an --import-id of its own, after blogctl runs undo has taken back what an earlier import created of them.',
      },
    ]);
  });

  it.each([1, 4, 9])('sends at most %i records at a time', async (concurrency) => {
    const blog = createFakeBlog();
    await givenImport(blog, [givenSource(numbers(30))], { concurrency });
    expect(blog.mostAtOnce).toBe(concurrency);
  });

  it('never reads further ahead than it sends', async () => {
    let read = 0;
    const blog = createFakeBlog();
    const source = givenSource(numbers(100));
    let mostAhead = 0;
    function* counted(batch: Batch): Batch {
      for (const entry of batch) {
        read += 1;
        if (blog.posted.length > 0) mostAhead = Math.max(mostAhead, read - blog.posted.length);
        yield entry;
      }
    }
    const counting = {
      ...source,
      async *batches() {
        read = 0;
        for await (const batch of source.batches()) yield counted(batch);
      },
    };
    await givenImport(blog, [counting]);
    expect(read).toBe(100);
    expect(mostAhead).toBeGreaterThan(0);
    expect(mostAhead).toBeLessThanOrEqual(5);
  });
});

describe('an invalid record', () => {
  const records = [...numbers(20), givenReject(21)];

  it('at the end lets nothing be sent', async () => {
    const blog = createFakeBlog();
    const { summary, failure } = await givenImport(blog, [givenSource(records)]);
    expect(blog.posted).toEqual([]);
    expect(summary).toMatchObject({ records: 21, rejected: 1, unsent: 20 });
    expect(failure).toMatchObject({
      code: 'unusable-input',
      message: '1 of 21 records cannot be imported, so nothing was sent.',
      hint: 'Repair them, or import the others with --continue-on-error.',
    });
  });

  it('is no one of which others could be imported where there are none', async () => {
    const { failure } = await givenImport(createFakeBlog(), [givenSource([givenReject(1)])]);
    expect(failure).toMatchObject({
      message: 'The one record cannot be imported, so nothing was sent.',
      hint: 'Repair it: the reason stands above. Of records --map says which members are title and content, of posts --title-from where the title is.',
    });
  });

  it('is one record where it is the only one', async () => {
    const { failure } = await givenImport(createFakeBlog(), [givenSource([givenReject(1)])], {
      tolerance: { kind: 'any' },
    });
    expect(failure?.message).toBe('Of 1 record: 1 rejected.');
  });

  it('is left in the rejects file when the others are imported', async () => {
    const rejects = join(folder, 'rejects.ndjson');
    const { summary, failure } = await givenImport(createFakeBlog(), [givenSource(records)], {
      tolerance: { kind: 'any' },
      rejects,
    });
    expect(summary).toMatchObject({ created: 20, rejected: 1, unsent: 0 });
    expect(failure).toMatchObject({ code: 'partly-failed', message: 'Of 21 records: 1 rejected.' });
    expect(JSON.parse(await readFile(rejects, 'utf8'))).toEqual({
      source: 'posts.ndjson',
      position: 21,
      stage: 'read',
      class: 'title',
      message: 'The title is empty.',
      importId: 'posts',
      identity: 'id:21',
      record: { title: '', content: 'x' },
    });
  });

  it.each([
    [{ kind: 'count', most: 1 } as const, 20],
    [{ kind: 'count', most: 0 } as const, 0],
    [{ kind: 'share', most: 0.05 } as const, 20],
    [{ kind: 'share', most: 0.04 } as const, 0],
  ])('is borne as far as %j', async (tolerance, created) => {
    const blog = createFakeBlog();
    await givenImport(blog, [givenSource(records)], { tolerance });
    expect(blog.articles).toHaveLength(created);
  });
});

describe('a record the blog refuses', () => {
  const refuse3 = (_: number, { title }: { title: string }): Mishap | undefined =>
    title === 'Post 3'
      ? new BlogctlError('unprocessable', 'The title is taken.', { status: 422 })
      : undefined;

  it('stops the import', async () => {
    const blog = createFakeBlog({ mishap: refuse3 });
    const { summary, failure, rejected } = await givenImport(blog, [givenSource(numbers(50))]);
    expect(failure).toMatchObject({ code: 'partly-failed' });
    expect(summary.rejected).toBe(1);
    expect(summary.unsent).toBeGreaterThan(40);
    expect(addsUp(summary)).toBe(true);
    expect(rejected).toMatchObject([
      { position: 3, stage: 'send', class: 'refused', status: 422, message: 'The title is taken.' },
    ]);
  });

  it('is left out where that is allowed', async () => {
    const blog = createFakeBlog({ mishap: refuse3 });
    const { summary } = await givenImport(blog, [givenSource(numbers(50))], {
      tolerance: { kind: 'any' },
    });
    expect(summary).toMatchObject({ created: 49, rejected: 1, unsent: 0 });
    expect(summary.reasons.rejected).toEqual({ refused: 1 });
  });
});

describe('a record that a service refuses for its size', () => {
  const cure = 'A store of your own takes more with blogctl serve --max-body <bytes>.';
  const tooLong = new BlogctlError('bad-request', 'A body has at most 9 bytes.', {
    status: 400,
    reason: 'payload-too-large',
    hint: cure,
  });
  const long = { title: 'Post 2', content: 'long' };
  const records = ['Post 1', long, 'Post 3'];

  async function givenSmaller(meanwhile?: (blog: FakeBlog) => Promise<unknown>) {
    let isSmall = false;
    const blog = createFakeBlog({
      mishap: (_, { title }) => (isSmall && title === long.title ? tooLong : undefined),
    });
    if (meanwhile !== undefined) await givenImport(blog, [givenSource(records)]);
    await meanwhile?.(blog);
    isSmall = true;
    return blog;
  }

  it.each([
    ['as it was', async () => undefined, { replayed: 3 }],
    [
      'edited there',
      (blog: FakeBlog) => blog.replace({ id: 2 }, { title: 'By hand', content: '' }),
      { replayed: 3 },
    ],
    ['deleted there', (blog: FakeBlog) => blog.remove({ id: 2 }), { replayed: 2, skipped: 1 }],
  ])('is known by its key, %s', async (_, meanwhile, expected) => {
    const blog = await givenSmaller(meanwhile);
    for (const dryRun of [true, false])
      expect(
        await givenImport(blog, [givenSource(records)], { dryRun, concurrency: 1 }),
      ).toMatchObject({
        summary: { ...expected, rejected: 0, unsent: 0 },
      });
  });

  it('is changed where it has another text', async () => {
    const blog = await givenSmaller(async () => undefined);
    const edited = ['Post 1', { ...long, content: 'longer' }, 'Post 3'];
    const { summary } = await givenImport(blog, [givenSource(edited)], { concurrency: 1 });
    expect(summary).toMatchObject({ replayed: 2, reasons: { rejected: { changed: 1 } } });
  });

  it('is refused where it is not there, with what cures that and no file that nobody wrote', async () => {
    for (const rejects of [undefined, join(folder, 'rejects.ndjson')]) {
      const options = { concurrency: 1, ...(rejects !== undefined && { rejects }) };
      const { failure } = await givenImport(await givenSmaller(), [givenSource(records)], options);
      expect(failure?.hint).toContain(cure);
      expect(failure?.hint?.includes('rejects file')).toBe(rejects !== undefined);
    }
  });
});

describe('48: a record edited since its import', () => {
  const edited = [{ title: 'Post 1', content: 'new' }, 'Post 2'];

  it.each([
    ['fail', { rejected: 1, replayed: 1 }, 'partly-failed'],
    ['skip', { skipped: 1, replayed: 1 }, undefined],
  ] as const)('is neither created again nor written: %s', async (onChanged, figures, code) => {
    const blog = createFakeBlog();
    await givenImport(blog, [givenSource(numbers(2))]);
    const { summary, failure } = await givenImport(blog, [givenSource(edited)], { onChanged });
    expect(summary).toMatchObject({ created: 0, ...figures });
    expect(addsUp(summary)).toBe(true);
    expect(failure?.code).toBe(code);
    expect(blog.articles).toHaveLength(2);
    expect(blog.articles[0]?.content).toBe('Post 1');
  });

  it('is left alone once the blog has its new text', async () => {
    const blog = createFakeBlog();
    await givenImport(blog, [givenSource(numbers(2))]);
    await blog.replace({ id: 1 }, { title: 'Post 1', content: 'new' });
    const { summary, failure } = await givenImport(blog, [givenSource(edited)]);
    expect(summary).toMatchObject({ replayed: 2, rejected: 0 });
    expect(failure).toBeUndefined();
  });

  it.each(['a\r\nb', 'a\nb\n\n', '\na\nb'])(
    'is there already with other white space: %j',
    async (content) => {
      const blog = createFakeBlog();
      await givenImport(blog, [givenSource([{ title: 'Post 1', content: 'a\nb' }])]);
      const { summary } = await givenImport(blog, [givenSource([{ title: 'Post 1 ', content }])]);
      expect(summary).toMatchObject({ created: 0, replayed: 1, rejected: 0 });
      expect(blog.articles).toMatchObject([{ content: 'a\nb' }]);
    },
  );

  it('is reported with the article it became', async () => {
    const blog = createFakeBlog();
    await givenImport(blog, [givenSource(numbers(2))]);
    const { rejected } = await givenImport(blog, [givenSource(edited)]);
    expect(rejected).toMatchObject([
      {
        class: 'changed',
        message:
          'Known there as "Post 1" at https://blog.test/articles/1, with another content than it has here.',
      },
    ]);
  });
});

describe('a service in trouble', () => {
  const later = (status: number, retryAfterMs?: number): BlogctlError =>
    new BlogctlError(status === 429 ? 'rate-limited' : 'service-failed', 'Later.', {
      status,
      retryAfterMs,
    });

  it.each([429, 503])('is left alone for as long as it asks: %i', async (status) => {
    const clock = createFakeClock();
    const blog = createFakeBlog({ mishap: (n) => (n === 3 ? later(status, 7_000) : undefined) });
    const { summary } = await givenImport(blog, [givenSource(numbers(10))], {
      clock,
      concurrency: 1,
    });
    expect(summary.created).toBe(10);
    expect(clock.waited).toBe(7_000);
  });

  it('is given up when it asks for more than --max-wait', async () => {
    const blog = createFakeBlog({ mishap: () => later(429, 400_000) });
    const { summary, failure } = await givenImport(blog, [givenSource(numbers(10))]);
    expect(failure).toMatchObject({ code: 'rate-limited' });
    expect(summary).toMatchObject({ records: 10, unsent: 10 });
  });

  it('that stays silent is given up within a minute, and what was under way is in doubt', async () => {
    const clock = createFakeClock();
    const blog = createFakeBlog({ mishap: (n) => (n > 5 ? 'never arrived' : undefined) });
    const run = await givenImport(blog, [givenSource(numbers(20))], { clock });
    expect(run.failure).toMatchObject({ code: 'unreachable' });
    expect(clock.waited).toBeLessThan(60_000);
    expect(run.summary).toMatchObject({ created: 5, inDoubt: 4, unsent: 11 });
  });

  it('that lets its first request run into the timeout is not asked a second time', async () => {
    const clock = createFakeClock();
    let asked = 0;
    const blog = async () => {
      asked += 1;
      await clock.wait(30_000, notStopped);
      throw silence();
    };
    const run = await givenImport({ ...createFakeBlog(), blog }, [givenSource(numbers(3))], {
      clock,
    });
    expect(run).toMatchObject({ failure: { code: 'unreachable' }, summary: { unsent: 3 } });
    expect({ asked, at: clock.now() }).toEqual({ asked: 1, at: 30_000 });
  });

  it('that lets requests run into their timeout was silent since the last answer', async () => {
    const clock = createFakeClock();
    const fake = createFakeBlog({ mishap: (n) => (n > 5 ? 'never arrived' : undefined) });
    const place: BlogClient['place'] = async (...creation) => {
      await clock.wait(fake.posted.length < 5 ? 1_000 : 30_000, notStopped);
      return fake.place(...creation);
    };
    const options = { clock, concurrency: 1 };
    const run = await givenImport({ ...fake, place }, [givenSource(numbers(20))], options);
    expect(run).toMatchObject({ failure: { code: 'unreachable' }, summary: { created: 5 } });
    expect(fake.posted.length).toBe(7);
  });

  it.each([
    ['at the very end', 49_999, undefined],
    ['a moment too late', 50_001, 'unreachable'],
  ])('that comes back %s of the time it is waited for', async (_, backAt, expected) => {
    const clock = createFakeClock();
    const isAway = (n: number) => n > 5 && clock.now() < backAt;
    const blog = createFakeBlog({ mishap: (n) => (isAway(n) ? 'never arrived' : undefined) });
    const options = { clock, concurrency: 1, maxSilenceMs: 50_000 };
    const { failure } = await givenImport(blog, [givenSource(numbers(20))], options);
    expect(clock.now()).toBe(50_000);
    expect(failure?.code).toBe(expected);
  });

  it.each([
    [401, 'authentication-required'],
    [403, 'forbidden'],
    [404, 'not-found'],
  ] as const)('ends the run at once with %i', async (status, code) => {
    const blog = createFakeBlog({ mishap: () => new BlogctlError(code, 'No.', { status }) });
    const { summary, failure } = await givenImport(blog, [givenSource(numbers(100))], {
      tolerance: { kind: 'any' },
    });
    expect(failure).toMatchObject({ code });
    expect(blog.posted.length).toBeLessThanOrEqual(4);
    expect(summary).toMatchObject({ records: 100, unsent: 100 });
  });

  it('that fails on one record alone loses that record only', async () => {
    const failed = new BlogctlError('service-failed', 'Broken.', { status: 500 });
    const blog = createFakeBlog({
      mishap: (_, { title }) => (title === 'Post 2' ? failed : undefined),
    });
    const { summary, failure } = await givenImport(blog, [givenSource(numbers(10))], {
      tolerance: { kind: 'any' },
    });
    expect(summary).toMatchObject({ created: 9, rejected: 0, inDoubt: 1 });
    expect(failure).toMatchObject({ code: 'service-failed' });
    expect(blog.posted.filter((title) => title === 'Post 2')).toHaveLength(5);
  });

  it.each([
    ['keys', true],
    ['no keys', false],
  ])(
    'that fails on what it does all the same leaves it in doubt: %s',
    async (_name, honoursKeys) => {
      const failed = new BlogctlError('service-failed', 'Broken.', { status: 500 });
      const blog = createFakeBlog({ honoursKeys, mishap: () => failed });
      const { summary, rejected } = await givenImport(blog, [givenSource(numbers(4))]);
      expect(summary).toMatchObject({ rejected: 0, inDoubt: 4 });
      expect(rejected).toEqual([]);
    },
  );

  it('is known to an undo by the articles it made without an answer, where it finds none by key', async () => {
    let isAway = true;
    const fake = createFakeBlog({ mishap: () => (isAway ? 'lost answer' : undefined) });
    const blog = async () => ({ ...(await fake.blog()), findsByKey: false });
    const client = { ...fake, blog };
    await withFiles({}, async (own) => {
      const journal = { ...givenJournal(own), keeps: true };
      await fake.create({ title: 'Before', content: '' }).catch(() => undefined);
      await givenImport(client, [givenSource(numbers(5))], { journal });
      const open = await findUnanswered({ newest: 1, journal: journal.path }, client);
      expect(open).toMatchObject({ left: 0, strangers: [] });
      expect(open.changes).toHaveLength(4);
      isAway = false;
      await givenImport(client, [givenSource(numbers(5))], { journal });
      const [ended] = await listRuns(own);
      const changes = await readChanges(ended?.journal ?? '');
      const created = changes.map((change) => 'created' in change && change.created);
      expect(new Set(created)).toEqual(
        new Set([2, 3, 4, 5, 6].map((id) => `https://blog.test/articles/${id}`)),
      );
    });
  });

  it('gets no more retries than its answers earn', async () => {
    const failed = new BlogctlError('service-failed', 'Broken.', { status: 500 });
    const blog = createFakeBlog({ mishap: () => failed });
    await givenImport(blog, [givenSource(numbers(1_000))], { tolerance: { kind: 'any' } });
    expect(blog.posted.length).toBeLessThanOrEqual(1_000 + 100);
  });
});

describe('a dry run', () => {
  const before = [...numbers(5), { title: 'Edited there', content: 'x' }];
  const edited = [{ title: 'Post 1', content: 'new' }, ...before.slice(1), 'New', givenReject(9)];

  it.each([
    ['keys', true, {}],
    ['keys, creating again', true, { recreate: true }],
    ['keys, passing over what changed', true, { onChanged: 'skip' }],
    ['no keys', false, {}],
  ] as const)('says what the run does and sends nothing: %s', async (_name, honoursKeys, more) => {
    const blog = createFakeBlog({ honoursKeys });
    await givenImport(blog, [givenSource(before)], { concurrency: 1 });
    await blog.replace({ id: 6 }, { title: 'Edited there', content: 'on the blog' });
    if (honoursKeys) await blog.remove({ id: 2 });
    const options = { ...more, tolerance: { kind: 'any' } } as const;
    const texts = JSON.stringify(blog.articles);
    const posted = blog.posted.length;
    const planned = await givenImport(blog, [givenSource(edited)], { ...options, dryRun: true });
    expect(blog.posted).toHaveLength(posted);
    expect(JSON.stringify(blog.articles)).toBe(texts);
    const done = await givenImport(blog, [givenSource(edited)], options);
    expect(planned.summary).toEqual(done.summary);
    expect(planned.failure?.message).toBe(done.failure?.message);
    expect(planned.rejected).toEqual(done.rejected);
    expect(planned.deleted).toEqual(done.deleted);
    expect(addsUp(planned.summary)).toBe(true);
  });

  it('leaves what an interrupted run knew as it is', async () => {
    await withFiles({}, async (own) => {
      const control = new AbortController();
      const blog = createFakeBlog({
        honoursKeys: false,
        mishap: (n) => void (n === 3 && control.abort()),
      });
      const journal = givenJournal(own);
      const { signal } = control;
      await givenImport(blog, [givenSource(numbers(9))], { signal, journal, concurrency: 1 });
      await blog.replace({ id: 1 }, { title: 'Post 1', content: 'on the blog' });
      const kept = await readFile(journal.path, 'utf8');
      const planned = await givenImport(blog, [givenSource(numbers(9))], { journal, dryRun: true });
      expect(planned.summary).toMatchObject({ replayed: 3, created: 6 });
      expect((await readFile(journal.path, 'utf8')).trim()).toBe(kept.trim());
    });
  });
});

describe('49: a record whose article was deleted', () => {
  it('is named and not created, and created again when told to, once', async () => {
    const blog = createFakeBlog();
    const source = givenSource(numbers(3));
    await givenImport(blog, [source], { concurrency: 1 });
    await blog.remove({ id: 2 });
    const told = await givenImport(blog, [source]);
    expect(told.summary).toMatchObject({ created: 0, replayed: 2, skipped: 1 });
    expect(told.deleted).toEqual([{ source: 'posts.ndjson', position: 2 }]);
    expect(told.failure).toBeUndefined();
    for (const created of [1, 0, 0]) {
      const again = await givenImport(blog, [source], { recreate: true });
      expect(again.summary).toMatchObject({ created, replayed: 3 - created, skipped: 0 });
    }
    expect((await givenImport(blog, [source])).summary).toMatchObject({ replayed: 3, skipped: 0 });
    await blog.remove({ id: 4 });
    expect((await givenImport(blog, [source])).summary).toMatchObject({ replayed: 2, skipped: 1 });
    const third = await givenImport(blog, [source], { recreate: true });
    expect(third.summary).toMatchObject({ created: 1, replayed: 2 });
    expect(titlesOf(blog)).toEqual(numbers(3));
  });
});

describe('55: a record that names an article of this blog', () => {
  const named = (
    id: number,
    content: string,
    origin = 'https://blog.test',
    title = `Post ${id}`,
  ): Entry => ({
    kind: 'record',
    identity: { namespace: '', name: `path:posts/${id}.md` },
    place: { source: `${id}.md`, position: 1 },
    title,
    content,
    article: `${origin}/articles/${id}`,
  });
  const blogOfTwo = (honoursKeys: boolean) =>
    createFakeBlog({ honoursKeys, articles: numbers(2).map((title) => ({ title, content: 'x' })) });

  it.each([true, false])('is that article (keys: %s)', async (honoursKeys) => {
    const blog = blogOfTwo(honoursKeys);
    const source = givenSource([named(1, 'x'), named(2, 'edited')]);
    const { summary, rejected } = await givenImport(blog, [source]);
    expect(summary).toMatchObject({ created: 0, replayed: 1, rejected: 1 });
    expect(rejected).toMatchObject([{ class: 'changed', source: '2.md' }]);
    expect(blog.articles.map(({ content }) => content)).toEqual(['x', 'x']);
  });

  it('means nothing to another blog, nor where it was never given', async () => {
    const blog = blogOfTwo(true);
    const elsewhere = givenSource([named(1, 'y', 'https://other.test'), named(9, 'y')]);
    const { summary, warnings } = await givenImport(blog, [elsewhere]);
    expect(summary).toMatchObject({ created: 2 });
    expect(warnings).toEqual(['elsewhere: https://other.test/articles/1']);
  });

  it('is that article under another address too, where the blog has what was exported', async () => {
    const blog = blogOfTwo(true);
    const moved = [named(1, 'x', 'https://moved.test'), named(2, 'edited', 'https://moved.test')];
    const { summary, rejected } = await givenImport(blog, [givenSource(moved)], { concurrency: 1 });
    expect(summary).toMatchObject({ created: 0, replayed: 1, rejected: 1 });
    expect(rejected).toMatchObject([{ class: 'changed', source: '2.md' }]);
  });

  it('is another one where only a first greeting is the same on two blogs', async () => {
    const blog = createFakeBlog({
      articles: [
        { title: 'Post 1', content: 'x' },
        { title: 'Own', content: 'of this blog' },
      ],
    });
    const moved = [named(1, 'x', 'https://a.test'), named(2, 'of the other', 'https://a.test')];
    const { summary } = await givenImport(blog, [givenSource(moved)], { concurrency: 1 });
    expect(summary).toMatchObject({ created: 1, replayed: 1, rejected: 0 });
  });

  it('is another one where an import made the articles of these ids', async () => {
    const blog = createFakeBlog();
    await givenImport(blog, [givenSource([named(1, 'x', 'https://a.test')])]);
    await blog.create({ title: 'Own', content: 'of this blog' });
    const grown = [named(1, 'x', 'https://a.test'), named(2, 'new there', 'https://a.test')];
    const { summary } = await givenImport(blog, [givenSource(grown)], { concurrency: 1 });
    expect(summary).toMatchObject({ created: 1, replayed: 1, rejected: 0 });
  });

  const newestFirst = (origin?: string) =>
    givenSource(
      // The first and the last are twins.
      [4, 3, 2, 1].map((id) => named(id, 'x', origin, `Post ${id % 3}`)),
    );
  const ordered = { concurrency: 1 };

  it.each([undefined, 'https://moved.test'])(
    'is none of those that this very import made (%s)',
    async (origin) => {
      const [blog, source] = [createFakeBlog(), newestFirst(origin)];
      const dry = await givenImport(blog, [source], { ...ordered, dryRun: true });
      expect(dry.summary).toMatchObject({ created: 4 });
      const { summary, warnings } = await givenImport(blog, [source], ordered);
      expect(summary).toMatchObject({ created: 4, rejected: 0 });
      expect(warnings).toHaveLength(origin === undefined ? 0 : 4);
      for (const dryRun of [true, false]) {
        const again = await givenImport(blog, [source], { ...ordered, dryRun });
        expect(again.summary).toMatchObject({ replayed: 4, created: 0 });
      }
      expect(blog.articles).toHaveLength(4);
    },
  );

  it('is none of those that it had made before it was interrupted', async () => {
    await withFiles({}, async (data) => {
      for (const change of ['none', 'one deleted', 'forgotten']) {
        const journal = { ...givenJournal(data, change), resume: change !== 'forgotten' };
        const stop = new AbortController();
        const blog = createFakeBlog({
          mishap: (number) => {
            if (number === 2) stop.abort();
            return undefined;
          },
        });
        const { signal } = stop;
        await givenImport(blog, [newestFirst()], { ...ordered, journal, signal });
        expect(blog.articles).toHaveLength(2);
        if (change === 'one deleted') await blog.remove({ id: 2 });
        const options = { ...ordered, journal };
        const dry = await givenImport(blog, [newestFirst()], { ...options, dryRun: true });
        const { summary } = await givenImport(blog, [newestFirst()], options);
        expect(summary).toMatchObject({ created: 2, rejected: 0 });
        expect(dry.summary).toEqual(summary);
      }
    });
  });

  it('is none of other text where --import-id says that it is another source', async () => {
    const blog = blogOfTwo(true);
    await blog.create({ title: 'Post 3', content: 'x' });
    await blog.remove({ id: 3 });
    const source = givenSource([named(1, 'x'), named(2, 'of another'), named(3, 'x')]);
    const options = { importId: 'other' };
    const first = await givenImport(blog, [source], options);
    expect(first.summary).toMatchObject({ created: 2, replayed: 1, rejected: 0 });
    expect((await givenImport(blog, [source], options)).summary).toMatchObject({ replayed: 3 });
  });

  it('is created again when it was deleted and that is wanted, once', async () => {
    const blog = blogOfTwo(true);
    await blog.remove({ id: 1 });
    const source = givenSource([named(1, 'x')]);
    expect((await givenImport(blog, [source])).summary).toMatchObject({ skipped: 1, created: 0 });
    const again = { recreate: true };
    expect((await givenImport(blog, [source], again)).summary).toMatchObject({ created: 1 });
    expect((await givenImport(blog, [source], again)).summary).toMatchObject({ replayed: 1 });
    expect((await givenImport(blog, [source])).summary).toMatchObject({ replayed: 1 });
  });
});

describe('records of one identity', () => {
  const record = (title: string, position: number): Entry => ({
    kind: 'record',
    identity: { namespace: 'posts', name: 'slug:seven' },
    place: { source: 'posts.ndjson', position },
    title,
    content: title,
  });

  it('are one where their texts are equal', async () => {
    const source = givenSource([record('A', 1), 'B', record('A', 3), record('A', 4)]);
    const { summary } = await givenImport(createFakeBlog(), [source]);
    expect(summary).toMatchObject({ records: 4, created: 2, skipped: 2, unsent: 0 });
    expect(summary.reasons.skipped).toEqual({ repeated: 2 });
  });

  it('are an error that names both where they differ, the first one aside', async () => {
    const blog = createFakeBlog();
    const source = givenSource([record('A', 1), ...numbers(200), record('B', 202)]);
    const { summary, rejected } = await givenImport(blog, [source], { tolerance: { kind: 'any' } });
    expect(summary).toMatchObject({ created: 201, rejected: 1 });
    expect(rejected[0]?.message).toBe(
      'Known as "slug:seven" like the record at posts.ndjson:1, which has another text. Where they are two, give one another name, choose another member with --key-field, or give each source an --import-id of its own, after blogctl runs undo has taken back what an earlier import created of them.',
    );
  });
});

describe('records known by their text', () => {
  const text = (title: string): Entry => ({
    kind: 'record',
    identity: { namespace: 'posts' },
    place: { source: 'posts.csv', position: 1 },
    title,
    content: title,
  });

  it('are twins as often as they stand there, wherever that is', async () => {
    const blog = createFakeBlog();
    await givenImport(blog, [givenSource(['A', 'B', 'A'].map(text))]);
    expect(titlesOf(blog).toSorted()).toEqual(['A', 'A', 'B']);
    const grown = givenSource(['C', 'A', 'B', 'A', 'A'].map(text));
    expect((await givenImport(blog, [grown])).summary).toMatchObject({ created: 2, replayed: 3 });
    expect(titlesOf(blog).toSorted()).toEqual(['A', 'A', 'A', 'B', 'C']);
  });
});

describe('an empty source', () => {
  it('is a failure unless it is allowed', async () => {
    const refused = await givenImport(createFakeBlog(), [givenSource([])]);
    expect(refused.failure).toMatchObject({
      code: 'unusable-input',
      message: 'Nothing to import was found.',
    });
    const allowed = await givenImport(createFakeBlog(), [givenSource([])], { allowEmpty: true });
    expect(allowed.failure).toBeUndefined();
  });
});

describe('an interruption', () => {
  it('finishes what is under way, reports, and the next run goes on', async () => {
    const control = new AbortController();
    const blog = createFakeBlog({ mishap: (n) => void (n === 10 && control.abort()) });
    const { signal } = control;
    const { summary, failure } = await givenImport(blog, [givenSource(numbers(30))], { signal });
    expect(failure).toMatchObject({ code: 'interrupted' });
    expect(summary.created).toBe(blog.articles.length);
    expect(summary.inDoubt).toBe(0);
    expect(addsUp(summary)).toBe(true);
    await givenImport(blog, [givenSource(numbers(30))]);
    expect(titlesOf(blog)).toEqual(numbers(30).sort());
  });

  it('while waiting for a silent service leaves the lost record in doubt', async () => {
    const control = new AbortController();
    const blog = createFakeBlog({
      mishap: (n) =>
        n < 5 ? undefined : n > 8 ? (control.abort(), 'never arrived') : 'never arrived',
    });
    const { signal } = control;
    const { summary, failure } = await givenImport(blog, [givenSource(numbers(30))], { signal });
    expect(failure).toMatchObject({ code: 'interrupted' });
    expect(summary).toMatchObject({ created: 4, inDoubt: 4, unsent: 22 });
  });
});

describe('exactly once', () => {
  const mishaps: readonly (Mishap | undefined)[] = [
    undefined,
    'lost answer',
    'never arrived',
    new BlogctlError('service-failed', 'Busy.', { status: 503 }),
    new BlogctlError('rate-limited', 'Slower.', { status: 429, retryAfterMs: 10 }),
  ];

  it.each([true, false])('whatever is lost, keys honoured: %s', async (honoursKeys) => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.constantFrom('A', 'B', 'C', 'D'), { minLength: 1, maxLength: 25 }),
        fc.array(fc.integer({ min: 0, max: 7 }), { maxLength: 30 }),
        fc.integer({ min: 1, max: 6 }),
        async (titles, troubles, concurrency) => {
          const mishap = (n: number): Mishap | undefined => mishaps[troubles[n - 1] ?? 0];
          const blog = createFakeBlog({ honoursKeys, mishap });
          // What cannot be known is left to the next run, which may lose an answer too.
          for (let left = 1, time = 0; left > 0 && time <= troubles.length; time += 1) {
            const { summary } = await givenImport(blog, [givenSource(titles)], { concurrency });
            expect(addsUp(summary)).toBe(true);
            left = summary.inDoubt + summary.unsent;
          }
          expect(titlesOf(blog)).toEqual(titles.toSorted());
        },
      ),
      { numRuns: 150 },
    );
  });

  it('after an interruption at any moment, with and without the journal', async () => {
    let number = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.constantFrom('A', 'B', 'C'), { minLength: 1, maxLength: 20 }),
        fc.integer({ min: 1, max: 20 }),
        fc.boolean(),
        fc.boolean(),
        async (titles, moment, honoursKeys, withJournal) => {
          const control = new AbortController();
          const blog = createFakeBlog({
            honoursKeys,
            mishap: (n) => (n === moment ? (control.abort(), 'lost answer') : undefined),
          });
          number += 1;
          const journal = withJournal ? givenJournal(folder, String(number)) : undefined;
          const { signal } = control;
          await givenImport(blog, [givenSource(titles)], { signal, journal });
          const { failure } = await givenImport(blog, [givenSource(titles)], { journal });
          expect(failure).toBeUndefined();
          expect(titlesOf(blog)).toEqual(titles.toSorted());
        },
      ),
      { numRuns: 80 },
    );
  });

  it('on a blog that has such articles already: they are taken as imported', async () => {
    const articles = [{ title: 'A', content: 'A' }];
    const blog = createFakeBlog({ honoursKeys: false, articles });
    const { summary } = await givenImport(blog, [givenSource(['A', 'A', 'B'])]);
    expect(summary).toMatchObject({ created: 2, replayed: 1 });
    expect(titlesOf(blog)).toEqual(['A', 'A', 'B']);
  });

  it('knows what was edited since its answer was lost by the text that was sent', async () => {
    await withFiles({}, async (own) => {
      const journal = givenJournal(own);
      const blog = createFakeBlog({
        honoursKeys: false,
        mishap: (n) => (n === 2 ? 'lost answer' : undefined),
      });
      const answerAgain = fallSilent(blog);
      const source = (text: string) => givenSource(['A', { title: 'B', content: text }, 'C']);
      const lost = await givenImport(blog, [source('b')], { journal, concurrency: 1 });
      expect(lost.summary).toMatchObject({ created: 1, inDoubt: 1, unsent: 1 });
      answerAgain();
      const again = await givenImport(blog, [source('edited')], { journal });
      expect(again.summary).toMatchObject({ created: 1, replayed: 1, rejected: 1 });
      expect(again.summary.reasons.rejected).toEqual({ changed: 1 });
      expect(titlesOf(blog)).toEqual(['A', 'B', 'C']);
    });
  });

  it('gives up asking a silent service without keys, too', async () => {
    const blog = createFakeBlog({ honoursKeys: false, mishap: () => 'lost answer' });
    fallSilent(blog);
    const { failure, summary } = await givenImport(blog, [givenSource(numbers(20))]);
    expect(failure).toMatchObject({ code: 'unreachable' });
    expect(summary).toMatchObject({ inDoubt: 4, unsent: 16 });
  });
});

/** From its second listing on it answers none, until it is told to. */
function fallSilent(blog: ReturnType<typeof createFakeBlog>): () => void {
  const pages = blog.pages.bind(blog);
  let asked = 0;
  blog.pages = (range) => {
    asked += 1;
    if (asked > 1) throw silence();
    return pages(range);
  };
  return () => {
    blog.pages = pages;
  };
}
