import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

import { givenSync, type SyncWorld } from './given-sync.ts';

/** a.md is another on each of two branches; c.md is edited on ours alone. */
async function givenTwoBranches(there: (w: SyncWorld) => void, here: (w: SyncWorld) => void) {
  const world = await givenSync();
  world.write({ 'a.md': 'A/one', 'b.md': 'B/two', 'c.md': 'C/three' });
  world.commit();
  world.git('branch', '-M', 'main');
  expect((await world.sync('apply posts')).status).toBe(0);
  world.git('checkout', '-q', '-b', 'z');
  there(world);
  world.commit();
  world.git('checkout', '-q', 'main');
  here(world);
  world.write({ 'c.md': 'C/THREE' });
  world.commit();
  return world;
}

const theirs = (w: SyncWorld) => w.write({ 'a.md': 'A/THEIRS' });
const ours = (w: SyncWorld) => w.write({ 'a.md': 'A/OURS' });
const without = (w: SyncWorld) => w.remove('a.md');

/** Git says that it failed, as it shall. */
function conflicting(world: SyncWorld, ...words: readonly string[]): void {
  expect(() => world.git(...words)).toThrow('git');
}

const left = ['1 A/one', '2 B/two', '3 C/THREE'];

type Row = readonly [
  what: string,
  there: (w: SyncWorld) => void,
  here: (w: SyncWorld) => void,
  conflict: (w: SyncWorld) => void,
];

const merge = (w: SyncWorld) => conflicting(w, 'merge', 'z');
const table: readonly Row[] = [
  ['a merge', theirs, ours, merge],
  ['a rebase', theirs, ours, (w) => conflicting(w, 'rebase', 'z')],
  ['a cherry-pick', theirs, ours, (w) => conflicting(w, 'cherry-pick', 'z')],
  [
    'a stash pop',
    () => {},
    () => {},
    (w) => {
      theirs(w);
      w.git('stash', '-q');
      ours(w);
      w.commit();
      conflicting(w, 'stash', 'pop');
    },
  ],
  ['deleted by them', without, ours, merge],
  ['deleted by us, and there again', theirs, without, merge],
  [
    'deleted by us, and not there',
    theirs,
    without,
    (w) => {
      merge(w);
      w.remove('a.md');
    },
  ],
  [
    'in the front matter, where what is left may say that it is a draft',
    (w) => w.write({ 'a.md': '---\ntitle: A\ndraft: true\n---\none\n' }),
    (w) => w.write({ 'a.md': '---\ntitle: A!\n---\none\n' }),
    merge,
  ],
];

describe('a post with a conflict that git has not merged is left and named', () => {
  it.each(table)('%s', async (_what, there, here, conflict) => {
    const world = await givenTwoBranches(there, here);
    conflict(world);
    for (const flags of ['', '--prune --on-drift overwrite --recreate']) {
      const plan = await world.sync(`plan posts ${flags}`);
      expect(plan.said).toContain('unmerged a.md 1');
      const { status, err, json } = await world.sync(`apply posts ${flags}`);
      expect({ status, refused: json.refused }).toEqual({ status: 10, refused: 1 });
      expect(err).toContain('has a conflict of git');
      expect(err).toContain('git add it');
      expect(await world.there()).toEqual(left.map((each) => expect.stringContaining(each)));
    }
  });

  it('with git add it is merged', async () => {
    const world = await givenTwoBranches(theirs, ours);
    merge(world);
    await world.sync('apply posts');
    world.write({ 'a.md': 'A/BOTH' });
    world.git('add', 'posts/a.md');
    expect((await world.sync('apply posts')).status).toBe(0);
    expect(await world.there()).toEqual(['1 A/BOTH', '2 B/two', '3 C/THREE']);
  });

  it('also without a state, without history, and where it has no article yet', async () => {
    const world = await givenTwoBranches(
      (w) => w.write({ 'a.md': 'A/THEIRS', 'd.md': 'D/theirs' }),
      (w) => w.write({ 'a.md': 'A/OURS', 'd.md': 'D/ours' }),
    );
    merge(world);
    world.forgetState();
    const { said } = await world.sync('plan posts');
    expect(said).toEqual(['update c.md 3', 'unmerged a.md 1', 'unmerged d.md'].toSorted(byPath));
    const applied = await world.sync('apply posts --no-history');
    expect(applied.status).toBe(10);
    expect((await world.there()).slice(0, 2)).toEqual(['1 A/one', '2 B/two']);
    expect(await world.there()).toHaveLength(3);
  });

  it('what may have another name by then is not deleted meanwhile', async () => {
    const world = await givenTwoBranches(
      (w) => {
        w.move('a.md', 'e.md');
        w.write({ 'e.md': 'E/theirs\n\nquite another text' });
      },
      (w) => w.remove('b.md'),
    );
    world.write({ 'e.md': 'E/ours' });
    world.commit();
    merge(world);
    expect(existsSync(join(world.root, 'posts/a.md'))).toBe(false);
    const { status } = await world.sync('apply posts --prune');
    expect(status).toBe(10);
    expect(await world.there()).toEqual(left);
  });

  it('one that was committed is not brought to the blog, and marks in an example are', async () => {
    const world = await givenSync();
    const [begin, end] = ['<<<<<<< HEAD', '>>>>>>> z'];
    world.write({ 'a.md': 'A/a', 'z.md': 'Z/z' });
    world.commit();
    await world.sync('apply posts');
    rmSync(join(world.root, 'posts/z.md'));
    world.write({
      'a.md': `---\ntitle: A\n---\none\n${begin}\nours\n\`\`\`\n=======\ntheirs\n${end}\n`,
      'b.md': `---\ntitle: B\n---\nGit writes\n\n    ${begin}\n    =======\n    ${end}\n`,
      'c.md': `---\ntitle: C\n---\n${begin} alone is no conflict\n`,
      'd.md': `---\ntitle: D\n---\n~~~\n${begin}\n=======\n${end}\n~~~\n`,
    });
    world.commit();
    const message = 'Line 5 is of a conflict of git: settle it, or show it';
    for (const line of ['plan posts --prune', 'apply posts --prune', 'plan posts']) {
      const { err, status } = await world.sync(line);
      const expected = line.startsWith('apply') ? 10 : 0;
      expect([status, err]).toEqual([expected, expect.stringContaining(message)]);
    }
    const titles = (await world.there()).map((each) => each.split('/')[0]);
    expect(titles).toEqual(['1 A', '2 Z', '3 B', '4 C', '5 D']);
    expect(await world.there()).toContain('1 A/a');
    world.write({ 'a.md': 'A/settled' });
    expect((await world.sync('apply posts --prune')).status).toBe(0);
    expect((await world.there()).slice(0, 2)).toEqual([
      '1 A/settled',
      '3 B/Git writes\n\n    <<<<<<< HEAD\n    =======\n    >>>>>>> z',
    ]);
  });

  it('one that was committed in the head deletes nothing, whichever side says that it is a draft', async () => {
    const world = await givenSync();
    world.write({ 'a.md': 'A/a', 'c.md': 'C/c', 'z.md': 'Z/z' });
    world.commit();
    await world.sync('apply posts');
    rmSync(join(world.root, 'posts/z.md'));
    const heads = '<<<<<<< HEAD\ndraft: true\n=======\ndraft: false\n>>>>>>> z';
    const draft = '---\ntitle: B\ndraft: true\n---\n<<<<<<< a\n=======\n>>>>>>> b\n';
    world.write({ 'a.md': `---\ntitle: A\n${heads}\n---\nnew\n`, 'b.md': draft });
    world.commit();
    const { said, err } = await world.sync('plan posts --prune');
    expect(said).toEqual(['unmerged a.md 1', 'orphan z.md 3']);
    expect(err).toContain('a.md: Line 3 is of a conflict of git');
    expect((await world.sync('apply posts --prune')).status).toBe(10);
    expect(await world.there()).toEqual(['1 A/a', '2 C/c', '3 Z/z']);
  });

  it('in a pull request it is said as well, and an unmerged file that is as the blog is is none', async () => {
    const world = await givenTwoBranches(theirs, ours);
    merge(world);
    expect(readFileSync(join(world.root, 'posts/a.md'), 'utf8')).toContain('<<<<<<<');
    const { out } = await world.sync('plan posts --format md');
    expect(out).toMatch(/\| unmerged \| <code>a.md<\/code> \| 1 \| has a conflict of git \|/);
    expect(out).not.toContain('&lt;&lt;');
    world.write({ 'a.md': 'A/one' });
    expect((await world.sync('plan posts')).said).toEqual(['update c.md 3']);
  });
});

function byPath(one: string, other: string): number {
  return (one.split(' ')[1] ?? '') < (other.split(' ')[1] ?? '') ? -1 : 1;
}
