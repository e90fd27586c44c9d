import { describe, expect, it } from 'vitest';

import { isSpelledSo } from '../../../src/syncing/folder.ts';
import { givenSync, writesOf, type SyncWorld } from './given-sync.ts';

/** Thirty posts that were brought to the blog. */
async function givenThirty(): Promise<SyncWorld> {
  const world = await givenSync();
  const posts = Array.from({ length: 30 }, (_, at) => [`p${at}.md`, `Post ${at}/text ${at}`]);
  world.write(Object.fromEntries(posts));
  world.commit();
  expect((await world.sync('apply posts')).status).toBe(0);
  return world;
}

const from = (first: number) => Array.from({ length: 30 - first }, (_, at) => `p${first + at}.md`);

type Row = readonly [
  what: string,
  change: (world: SyncWorld) => void,
  line: string,
  status: number,
  said: string,
  /** What the hint says to do, and the deletes that follow from it. */
  followed: readonly [line: string, status: number, deletes: number],
];

const table: readonly Row[] = [
  [
    'an empty folder',
    (w) => w.remove(...from(0)),
    'apply posts --prune',
    7,
    'There is no post in "posts".',
    ['apply posts --prune --allow-empty', 6, 0],
  ],
  [
    'a folder that is not there',
    () => {},
    'apply nothing --prune',
    7,
    'No folder "nothing".',
    ['apply posts --prune', 0, 0],
  ],
  [
    'a wrong folder',
    (w) => {
      w.remove(...from(0));
      w.write({ 'other.md': 'Other/other' });
    },
    'apply posts --prune',
    6,
    'None of the posts in "posts" is on the blog, which has 30 of an earlier sync',
    ['apply posts --import-id other --adopt none --prune', 0, 0],
  ],
  [
    'a branch with a tenth of the posts',
    (w) => w.remove(...from(3)),
    'apply posts --prune',
    6,
    '27 of 30 articles would be deleted (90 %)',
    ['apply posts --prune --max-deletes 27', 0, 27],
  ],
  [
    'a file that cannot be read',
    (w) => w.write({ 'p0.md': '---\ntitle: [a\n---\nx' }),
    'apply posts --prune',
    7,
    'p0.md cannot be read',
    ['apply posts --prune --continue-on-error', 10, 0],
  ],
  [
    'a file that cannot be read, and others gone',
    (w) => {
      w.write({ 'p0.md': '---\ntitle: [a\n---\nx' });
      w.remove('p1.md');
    },
    'apply posts --prune',
    7,
    'p0.md cannot be read',
    ['apply posts --prune --continue-on-error', 10, 0],
  ],
  [
    'five gone are not too many',
    (w) => w.remove(...from(25)),
    'apply posts --prune --max-deletes 10%',
    6,
    '5 of 30 articles would be deleted (17 %)',
    ['apply posts --prune', 0, 5],
  ],
];

describe('what nobody can have meant is refused whole', () => {
  it.each(table.map((row) => [row[0], row] as const))('%s', async (_what, row) => {
    const [, change, line, status, said, [next, ends, deletes]] = row;
    const world = await givenThirty();
    change(world);
    const refused = await world.sync(line);
    expect({ status: refused.status, writes: writesOf(refused.asked) }).toEqual({
      status,
      writes: [],
    });
    const { error } = JSON.parse(refused.err.trim().split('\n').at(-1) ?? '');
    expect(error.message).toContain(said);
    expect(error.hint).toBeTypeOf('string');
    const followed = await world.sync(next);
    const gone = writesOf(followed.asked).filter((method) => method === 'DELETE').length;
    expect({ status: followed.status, gone }).toEqual({ status: ends, gone: deletes });
  });

  it('the state of another blog', async () => {
    const world = await givenThirty();
    await world.sync('apply posts --state mine.ndjson');
    const other = await givenSync();
    other.write({ 'a.md': 'A/a' });
    const { status, err, asked } = await other.sync(
      `apply posts --state ${world.root}/mine.ndjson`,
    );
    expect({ status, asked }).toEqual({ status: 6, asked: [] });
    expect(err).toContain(`is that of ${world.blogUrl}.`);
  });

  it('a folder of which the blog has nothing, where no state says what it should have', async () => {
    const world = await givenThirty();
    world.forgetState();
    world.git('mv', 'posts', 'elsewhere');
    world.write({ 'foreign.md': 'Foreign/foreign' });
    const refused = await world.sync('apply posts --import-id o/r --prune');
    expect({ status: refused.status, writes: writesOf(refused.asked) }).toEqual({
      status: 6,
      writes: [],
    });
    expect(refused.err).toContain('None of the posts in \\"posts\\" is on the blog, which has 30');
    expect((await world.sync('apply posts --import-id o/r --adopt none')).status).toBe(0);
    expect((await world.sync('apply posts --import-id o/r')).json).toMatchObject({ unchanged: 1 });
  });

  it('but not a folder all of whose articles were deleted there, beside one that is gone here', async () => {
    const world = await givenSync();
    world.write({ 'a.md': 'A/a', 'b.md': 'B/b', 'old.md': 'Old/old' });
    await world.sync('apply posts');
    await world.destroy(1);
    await world.destroy(2);
    world.remove('old.md');
    const { status, said } = await world.sync('plan posts');
    expect({ status, said }).toEqual({
      status: 0,
      said: ['deleted-there a.md 1', 'deleted-there b.md 2', 'orphan old.md 3'],
    });
    await world.sync('apply posts --recreate');
    expect(await world.there()).toEqual(['3 Old/old', '4 A/a', '5 B/b']);
  });

  it('posts of another folder that share the state are never deleted, and in no count', async () => {
    const world = await givenThirty();
    world.write({ 'sub/s.md': 'S/s' });
    await world.sync('apply posts');
    const { status, json } = await world.sync('apply posts/sub --prune');
    expect({ status, json }).toMatchObject({ status: 0, json: { written: 0, unchanged: 1 } });
    expect(await world.there()).toHaveLength(31);
    await world.add('Hers', 'hers');
    expect((await world.sync('plan posts/sub')).err).toContain('1 unchanged, 1 not from here.');
  });
});

describe('one file under two names', () => {
  it.each([
    ['/r/a.md', '/r/a.md', true],
    ['/r/a.md', undefined, false],
    // A disk on which capitals make no difference finds A.md by its old name.
    ['/r/a.md', '/r/A.md', false],
    ['/r/caf\u00e9.md', '/r/cafe\u0301.md', true],
    ['/r/link/a.md', '/r/other/a.md', true],
  ])('%s is there where the disk has %s: %s', (path, real, isThere) => {
    expect(isSpelledSo(path, real)).toBe(isThere);
  });

  it('is said to be so, where it is two files with accents written in two ways', async () => {
    const world = await givenSync();
    world.write({ 'caf\u00e9.md': 'One/text', 'cafe\u0301.md': 'Two/text' });
    const { status, err } = await world.sync('apply posts');
    expect(status).toBe(7);
    expect(err).toContain('and so is that of caf');
  });
});
