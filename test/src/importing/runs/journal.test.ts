import { readFileSync } from 'node:fs';
import { appendFile, readFile, truncate } from 'node:fs/promises';

import { describe, expect, it } from 'vitest';

import type { BlogClient } from '../../../../src/client/blog-client.ts';
import { BlogctlError } from '../../../../src/errors.ts';
import type { KeyedRecord } from '../../../../src/importing/sources/keyed-entries.ts';
import { recordKey, textDigest } from '../../../../src/importing/sources/identity.ts';
import { fitsBlog } from '../../../../src/importing/runs/memory.ts';
import { openJournal, type Journal } from '../../../../src/importing/sending/journal.ts';
import { readChanges } from '../../../../src/importing/runs/journal-lines.ts';
import { listRuns } from '../../../../src/importing/runs/runs.ts';
import { givenJournal } from '../given-import.ts';
import { withFiles } from '../sources/files.ts';

const record = (number: number, content = 'x'): KeyedRecord => ({
  kind: 'record',
  place: { source: 's', position: number },
  namespace: 'i',
  name: String(number),
  key: recordKey('i', String(number)),
  keyOf: (generation) => recordKey('i', String(number), generation),
  digest: textDigest({ title: `T${number}`, content }),
  title: `T${number}`,
  content,
});
const stored = (number: number, content = 'x') => ({
  title: `T${number}`,
  content,
  url: `https://blog.test/articles/${number}`,
});

async function withJournal(work: (open: () => Promise<Journal>, path: string) => Promise<void>) {
  await withFiles({}, async (folder) => {
    const { path, run } = givenJournal(folder);
    await work(() => openJournal(path, async () => run), path);
  });
}

describe('a journal', () => {
  it('loses no change to a refusal of what it does not know', async () => {
    const deleted = { deleted: stored(1).url, before: { title: 'T1' } };
    const lines = [deleted, { refused: stored(2).url }, deleted, { refused: stored(1).url }];
    const text = lines.map((line) => `${JSON.stringify(line)}\n`).join('');
    await withFiles({ 'run.ndjson': text }, async (folder) => {
      expect(await readChanges(`${folder}/run.ndjson`)).toEqual([deleted]);
    });
  });

  it('knows in the next run what was answered, and what has changed since', async () => {
    await withJournal(async (open) => {
      const first = await open();
      first.answered(record(1), stored(1), 'created');
      first.close();
      const next = await open();
      expect(next.state(record(1))).toBe('answered');
      expect(next.state(record(1, 'edited'))).toBe('changed');
      expect(next.state(record(2))).toBe('unknown');
      expect(await next.addressOf(record(1))).toBe('https://blog.test/articles/1');
      expect(await next.addressOf(record(2))).toBeUndefined();
      next.close();
    });
  });

  it('of two imports of the same records at once is kept by both, each article once', async () => {
    await withFiles({}, async (folder) => {
      const { path, run } = givenJournal(folder);
      const both = [];
      for (let at = 0; at < 2; at += 1)
        both.push(await openJournal(path, async () => run, { keeps: true }));
      for (const journal of both) journal.answered(record(1), stored(1), 'created');
      for (const journal of both) journal.end({ created: 1 });
      const [kept, ...others] = await listRuns(folder);
      expect(others).toEqual([]);
      expect(await readChanges(kept?.journal ?? '')).toMatchObject([{ created: stored(1).url }]);
    });
  });

  it('has an answer in its file at once', async () => {
    await withJournal(async (open, path) => {
      const journal = await open();
      journal.answered(record(1), stored(1), 'created');
      expect(readFileSync(path, 'utf8')).toContain(stored(1).url);
      journal.close();
    });
  });

  it('leaves out the line that a kill has cut off, wherever it was cut', async () => {
    await withJournal(async (open, path) => {
      const first = await open();
      first.answered(record(1), stored(1), 'created');
      first.answered(record(2), stored(2), 'created');
      first.close();
      const whole = await readFile(path, 'utf8');
      const secondLine = whole.lastIndexOf('{"answered"');
      for (let length = whole.length - 1; length > secondLine; length -= 7) {
        await truncate(path, length);
        const journal = await open();
        expect(journal.state(record(1))).toBe('answered');
        expect(journal.state(record(2))).toBe(length === whole.length - 1 ? 'answered' : 'unknown');
        journal.answered(record(3), stored(3), 'created');
        journal.close();
        const again = await open();
        expect(again.state(record(3))).toBe('answered');
        again.close();
      }
    });
  });

  it('does not stumble over lines of another make', async () => {
    await withJournal(async (open, path) => {
      (await open()).close();
      await appendFile(
        path,
        '7\nnull\n{"run":1}\n{"answered":"a","sent":"zz","stored":"1","url":"u"}\n',
      );
      const journal = await open();
      expect(journal.sample).toEqual([]);
      journal.close();
    });
  });

  it('forgets everything but what it is about when it is started anew', async () => {
    await withFiles({}, async (folder) => {
      const { path, run } = givenJournal(folder);
      const first = await openJournal(path, async () => run);
      first.answered(record(1), stored(1), 'created');
      await first.restart();
      expect(first.state(record(1))).toBe('unknown');
      first.answered(record(2), stored(2), 'created');
      first.close();
      expect(await listRuns(folder)).toMatchObject([
        { ...run, state: 'interrupted', counts: { answered: 1 } },
      ]);
    });
  });
});

describe('a journal fits a blog', () => {
  const gone = new BlogctlError('gone', 'gone', { status: 410 });
  const missing = new BlogctlError('not-found', 'not found', { status: 404 });
  type Asked = Pick<BlogClient, 'article' | 'pages'>;

  /** What it says of each article, the last answer for all that follow, and how many it has. */
  function blogOf(answers: readonly (string | Error)[], total = 9): Asked {
    let asked = 0;
    return {
      async article() {
        const answer = answers[Math.min(asked, answers.length - 1)] ?? missing;
        asked += 1;
        if (typeof answer !== 'string') throw answer;
        const url = stored(asked).url;
        return { article: { id: 1, title: `T${asked}`, content: answer, url }, validators: {} };
      },
      async *pages() {
        yield { pageIndex: 1, pageSize: 1, totalPages: 1, totalArticles: total, articles: [] };
      },
    };
  }

  it.each([
    ['that has the articles as they were stored', () => blogOf(['x']), 'whole', 'whole'],
    ['one of whose articles was edited', () => blogOf(['x', 'edited']), 'whole', 'whole'],
    ['that had one and lost it', () => blogOf(['x', gone]), 'part', 'whole'],
    ['that was restored from an earlier copy', () => blogOf(['x', missing]), 'part', 'whole'],
    ['that has fewer articles than were answered', () => blogOf(['x'], 1), 'part', 'whole'],
    ['that has other texts there', () => blogOf(['other']), 'other', 'other'],
    ['that has nothing there', () => blogOf([missing]), 'other', 'other'],
  ])('%s', async (_name, blog, expected, expectedWithoutKeys) => {
    for (const asksAgain of [true, false]) {
      await withJournal(async (open) => {
        const first = await open();
        expect(await fitsBlog(first, blogOf([new Error('nobody asks')]), asksAgain)).toBe('whole');
        first.answered(record(1), stored(1), 'created');
        first.answered(record(2), stored(2), 'created');
        first.close();
        const journal = await open();
        const asked = blog();
        expect(await fitsBlog(journal, asked, asksAgain)).toBe(
          asksAgain ? expected : expectedWithoutKeys,
        );
        journal.close();
      });
    }
  });
});
