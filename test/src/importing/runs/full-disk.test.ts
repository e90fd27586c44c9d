import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { expect, test } from 'vitest';

import { givenSmallDisk, mayMount } from '../../../support/mounts.ts';
import { createFakeBlog, silence } from '../fake-blog.ts';
import { givenImport, givenJournal, givenSource } from '../given-import.ts';

const isAllowed = mayMount();
const titles = Array.from({ length: 1000 }, (_, index) => `T${index}`);

/** Room for the journal of some records, not of all. */
function givenNearlyFullDisk() {
  const disk = givenSmallDisk(512);
  const ballast = join(disk, 'ballast');
  writeFileSync(ballast, 'x'.repeat(450_000));
  return { journal: givenJournal(disk), makeRoom: () => rmSync(ballast) };
}

const titlesOf = (blog: ReturnType<typeof createFakeBlog>) =>
  blog.articles.map(({ title }) => title).toSorted();

test.skipIf(!isAllowed)('an import with keys goes on without room for its journal', async () => {
  const { journal, makeRoom } = givenNearlyFullDisk();
  let isAway = true;
  const blog = createFakeBlog({ mishap: (n) => (isAway && n > 900 ? silence() : undefined) });
  const cut = await givenImport(blog, [givenSource(titles)], { journal });
  expect(cut.summary).toMatchObject({ created: 900 });
  expect(cut.failure).toMatchObject({ code: 'unreachable' });
  expect(cut.warnings).toEqual([
    expect.stringMatching(/^The journal ".+a\.ndjson" cannot be written: ENOSPC/),
  ]);
  isAway = false;
  makeRoom();
  const again = await givenImport(blog, [givenSource(titles)], { journal });
  expect(again).toMatchObject({ summary: { created: 100, replayed: 900 }, warnings: [] });
  expect(titlesOf(blog)).toEqual(titles.toSorted());
});

test.skipIf(!isAllowed)('one without keys ends when it cannot note what was answered', async () => {
  const { journal, makeRoom } = givenNearlyFullDisk();
  const blog = createFakeBlog({ honoursKeys: false });
  const cut = await givenImport(blog, [givenSource(titles)], { journal });
  expect(cut.failure).toMatchObject({
    code: 'unusable-input',
    message: expect.stringMatching(/^The journal ".+a\.ndjson" cannot be written: ENOSPC/),
    context: { hint: 'Make room, or name another folder with BLOGCTL_DATA_DIR.' },
  });
  expect(cut.summary.created).toBe(blog.articles.length);
  expect(cut.summary.unsent).toBeGreaterThan(0);
  makeRoom();
  await givenImport(blog, [givenSource(titles)], { journal });
  expect(titlesOf(blog)).toEqual(titles.toSorted());
});
