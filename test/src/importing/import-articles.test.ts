import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import * as fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { BlogctlError } from '../../../src/errors.ts';
import type { Summary } from '../../../src/importing/tally.ts';
import type { Portion } from '../../../src/importing/sources/source.ts';
import { createFakeBlog, silence, type Mishap } from './fake-blog.ts';
import {
  createFakeClock,
  givenImport,
  givenJournal,
  givenReject,
  givenSource,
} from './given-import.ts';

const numbers = (count: number): string[] =>
  Array.from({ length: count }, (_, n) => `Post ${n + 1}`);
const titlesOf = (blog: { articles: readonly { title: string }[] }): string[] =>
  blog.articles.map(({ title }) => title).sort();
const addsUp = (summary: Summary): boolean =>
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
        message:
          'Known as "id:1" like the record at posts.ndjson:1, which has another text. Where they are two, choose another member with --key-field.',
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
    function* counted(portion: Portion): Portion {
      for (const entry of portion) {
        read += 1;
        if (blog.posted.length > 0) mostAhead = Math.max(mostAhead, read - blog.posted.length);
        yield entry;
      }
    }
    const counting = {
      ...source,
      async *portions() {
        read = 0;
        for await (const portion of source.portions()) yield counted(portion);
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

describe('a record edited since its import', () => {
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

  it('is reported with the article it became', async () => {
    const blog = createFakeBlog();
    await givenImport(blog, [givenSource(numbers(2))]);
    const { rejected } = await givenImport(blog, [givenSource(edited)]);
    expect(rejected).toMatchObject([
      {
        class: 'changed',
        message:
          'Imported before as "Post 1" at https://blog.test/articles/1, with another text than "Post 1" has here.',
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
    const { summary } = await givenImport(blog, [givenSource(numbers(10))], {
      tolerance: { kind: 'any' },
    });
    expect(summary).toMatchObject({ created: 9, rejected: 1 });
    expect(summary.reasons.rejected).toEqual({ failed: 1 });
    expect(blog.posted.filter((title) => title === 'Post 2')).toHaveLength(5);
  });

  it('gets no more retries than its answers earn', async () => {
    const failed = new BlogctlError('service-failed', 'Broken.', { status: 500 });
    const blog = createFakeBlog({ mishap: () => failed });
    await givenImport(blog, [givenSource(numbers(1_000))], { tolerance: { kind: 'any' } });
    expect(blog.posted.length).toBeLessThanOrEqual(1_000 + 100);
  });
});

describe('a dry run', () => {
  it('reads everything, asks for the blog and sends nothing', async () => {
    const blog = createFakeBlog();
    const { summary, failure } = await givenImport(blog, [givenSource(numbers(5))], {
      dryRun: true,
    });
    expect(blog.posted).toEqual([]);
    expect(failure).toBeUndefined();
    expect(summary).toMatchObject({ records: 5, unsent: 5 });
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
          const first = await givenImport(blog, [givenSource(titles)], { concurrency });
          expect(addsUp(first.summary)).toBe(true);
          const second = await givenImport(blog, [givenSource(titles)], { concurrency });
          expect(addsUp(second.summary)).toBe(true);
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

  it('gives up asking a silent service without keys, too', async () => {
    const blog = createFakeBlog({ honoursKeys: false, mishap: () => 'lost answer' });
    const pages = blog.pages.bind(blog);
    let asked = 0;
    blog.pages = (range) => {
      asked += 1;
      if (asked > 1) throw silence();
      return pages(range);
    };
    const { failure, summary } = await givenImport(blog, [givenSource(numbers(20))]);
    expect(failure).toMatchObject({ code: 'unreachable' });
    expect(summary).toMatchObject({ inDoubt: 4, unsent: 16 });
  });
});
