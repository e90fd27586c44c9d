import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

import { givenSync, type SyncWorld } from './given-sync.ts';

/** A post that was brought to the blog, was renamed and edited, and left its path to a new one. */
async function givenOldPath(
  isSynced: boolean,
  options: Parameters<typeof givenSync>[0] = {},
): Promise<SyncWorld> {
  const world = await givenSync(options);
  world.write({ 'a.md': `Week/${'nothing yet\n'.repeat(9)}`, 'z.md': 'Z/z' });
  world.commit();
  await world.sync('apply posts');
  world.move('a.md', 'week1.md');
  if (isSynced) world.write({ 'week1.md': `Week/${'nothing yet\n'.repeat(9)}news` });
  world.commit();
  if (isSynced) await world.sync('apply posts');
  return world;
}

const old = 'nothing yet\n'.repeat(9);

describe('a new post at the path that another one had before', () => {
  it.each([
    ['with the text of then', `Week/${old}`, true],
    ['with another text', 'Brand new/x', true],
    ['with another text, where the other was renamed only', 'Brand new/x', false],
  ])('is created without a state too, %s', async (_what, text, isSynced) => {
    const world = await givenOldPath(isSynced);
    world.forgetState();
    world.write({ 'a.md': text });
    world.commit();
    const plan = await world.sync('plan posts');
    expect([plan.said, plan.json.warnings]).toEqual([['create a.md'], []]);
    const applied = await world.sync('apply posts');
    expect(applied).toMatchObject({ status: 0, json: { written: 1 } });
    const there = await world.there();
    expect(there).toEqual([
      `1 Week/${old}${isSynced ? 'news' : ''}`.trim(),
      '2 Z/z',
      `3 ${text}`.trim(),
    ]);
    for (const forgets of [false, true]) {
      if (forgets) world.forgetState();
      expect((await world.sync('apply posts')).json).toMatchObject({ written: 0, unchanged: 3 });
    }
    // Both edited, and nothing known but git and the keys.
    world.forgetState();
    world.write({ 'a.md': `${text}, edited`, 'week1.md': `Week/${old}edited` });
    world.commit();
    expect((await world.sync('plan posts')).said).toEqual(['update a.md 3', 'update week1.md 1']);
    await world.sync('apply posts');
    expect(await world.there()).toEqual([`1 Week/${old}edited`, '2 Z/z', `3 ${text}, edited`]);
  });

  it('leaves the other its article where that was edited meanwhile', async () => {
    const world = await givenOldPath(false);
    world.forgetState();
    world.write({ 'a.md': 'Brand new/x', 'week1.md': `Week/${old}edited` });
    world.commit();
    expect((await world.sync('plan posts')).said).toEqual(['create a.md', 'update week1.md 1']);
    expect((await world.sync('apply posts')).status).toBe(0);
    expect(await world.there()).toEqual([`1 Week/${old}edited`, '2 Z/z', '3 Brand new/x']);
  });

  it('has its own article where that of the other was edited on the blog', async () => {
    const world = await givenOldPath(true);
    world.write({ 'a.md': 'Brand new/x' });
    world.commit();
    await world.sync('apply posts');
    await world.edit(1, 'Week/typo');
    world.forgetState();
    expect((await world.sync('plan posts')).said).toEqual(['conflict week1.md 1']);
    await world.edit(3, 'Brand new/typo');
    expect((await world.sync('plan posts')).said).toEqual(['drift a.md 3', 'conflict week1.md 1']);
    expect((await world.sync('plan posts --no-history')).said).toEqual([
      'unverified a.md 3',
      'suggestion week1.md',
    ]);
  });

  it('has the deletion of the article that either may have had, and the other is new', async () => {
    const world = await givenOldPath(false);
    world.write({ 'a.md': `Week/${old}` });
    world.commit();
    await world.destroy(1);
    world.forgetState();
    expect((await world.sync('plan posts')).said).toEqual([
      'deleted-there a.md',
      'create week1.md',
    ]);
  });

  it('and two that have swapped their texts, one under a new path, are in doubt without git alone', async () => {
    const world = await givenSync();
    world.write({ 'a.md': 'A/the first of two texts', 'b.md': 'B/the second of two texts' });
    world.commit();
    await world.sync('apply posts');
    world.forgetState();
    world.remove('b.md');
    world.write({ 'a.md': 'B/the second of two texts', 'c.md': 'A/the first of two texts' });
    world.commit();
    const shallow = await world.sync('plan posts --no-history');
    expect(shallow.said).toEqual(['unverified a.md 1', 'suggestion c.md']);
    expect((await world.sync('plan posts --no-history --adopt c.md=none')).said).toEqual([
      'unverified a.md 1',
      'create c.md',
    ]);
    await world.sync('apply posts --prune');
    expect(await world.there()).toEqual([
      '1 A/the first of two texts',
      '2 B/the second of two texts',
    ]);
  });

  it('and where one was edited on the blog, its title tells of it', async () => {
    const world = await givenSync();
    world.write({ 'a.md': 'A/the first of two texts', 'b.md': 'B/the second of two texts' });
    world.commit();
    await world.sync('apply posts');
    world.move('a.md', 'n.md');
    world.move('b.md', 'a.md');
    world.commit();
    await world.sync('apply posts');
    await world.edit(1, 'A/mended on the blog');
    world.forgetState();
    const applied = await world.sync('apply posts --prune --no-history');
    expect(applied).toMatchObject({ status: 10, json: { written: 0, refused: 2 } });
    expect(applied.err).toContain('looks like #1');
    const there = ['1 A/mended on the blog', '2 B/the second of two texts'];
    expect(await world.there()).toEqual(there);
    await world.sync('apply posts --prune --no-history --adopt n.md=1');
    expect((await world.sync('plan posts --no-history')).said).toEqual(['unverified n.md 1']);
    expect(await world.there()).toEqual(there);
  });

  it('is in doubt with the other where nobody knows whose text its key has', async () => {
    const world = await givenOldPath(false);
    await world.edit(1, 'Weak/typo');
    world.forgetState();
    world.write({ 'a.md': 'Brand new/x' });
    world.commit();
    expect((await world.sync('plan posts')).said).toEqual(['drift a.md 1', 'suggestion week1.md']);
    const applied = await world.sync('apply posts');
    expect(applied).toMatchObject({ status: 10, json: { written: 0 } });
    expect(applied.err).toContain('--adopt week1.md=1');
    world.forgetState();
    const adopted = await world.sync('apply posts --adopt week1.md=1');
    expect(adopted).toMatchObject({ status: 10, json: { written: 1, refused: 1 } });
    expect(await world.there()).toEqual(['1 Weak/typo', '2 Z/z', '3 Brand new/x']);
  });

  it('is not told as written where the service hides that its key is used', async () => {
    const world = await givenOldPath(true, { hides: ['link-template'] });
    world.write({ 'a.md': `Week/${old}` });
    world.commit();
    const applied = await world.sync('apply posts');
    expect(applied).toMatchObject({ status: 10, json: { written: 0, refused: 1 } });
    expect(applied.err).toContain('a.md: its key was used for article 1, which is that of');
    expect((await world.sync('plan posts')).said).toEqual(['create a.md']);
  });
});

it.each(['with a new post there', 'alone'])(
  'a post that was renamed is known by its former key, and no other import id is looked for, %s',
  async (how) => {
    const world = await givenOldPath(true);
    if (how !== 'alone') {
      world.write({ 'a.md': 'Brand new/x' });
      world.commit();
      await world.sync('apply posts');
    }
    world.git('mv', 'posts/z.md', 'posts/z2.md');
    world.commit();
    world.forgetState();
    const plan = await world.sync('plan posts');
    expect([plan.said, plan.json.warnings]).toEqual([[], []]);
    const other = await world.sync('plan posts --import-id o/r');
    expect(other.json.warnings).toEqual([expect.stringContaining('Known by the text alone')]);
  },
);

it.each([
  ['log.diffMerges', 'combined'],
  ['log.diffMerges', 'off'],
  ['log.showRoot', 'false'],
])('the history is read whole where git is set to %s=%s', async (setting, value) => {
  const world = await givenOldPath(false);
  world.git('config', setting, value);
  world.git('checkout', '-qb', 'side');
  world.move('week1.md', 'notes.md');
  world.write({ 'notes.md': `Week/${old}news` });
  world.commit();
  world.git('checkout', '-q', '-');
  world.git('merge', '-q', '--no-ff', '-m', 'notes', 'side');
  await world.edit(2, 'mended');
  world.forgetState();
  const { said } = await world.sync('plan posts --prune');
  expect(said).toEqual(['update notes.md 1', 'drift z.md 2']);
});

describe('without a state, the posts of a folder that was moved', () => {
  async function givenMoved(): Promise<SyncWorld> {
    const world = await givenSync();
    world.write({ 'en/a.md': `A/${old}`, 'fr/b.md': `B/${old}b`, 'fr/c.md': 'C/c' });
    world.commit();
    await world.sync('apply posts');
    world.git('mv', 'posts', 'content');
    world.git('commit', '-qm', 'moved');
    return world;
  }

  it.each(['', 'en/a.md', 'fr/b.md'])(
    'are known by their former keys, where one was edited: %j',
    async (path) => {
      const world = await givenMoved();
      if (path !== '') {
        writeFileSync(join(world.root, 'content', path), `---\ntitle: New\n---\n${old}new\n`);
        world.git('commit', '-qam', 'edited');
      }
      world.forgetState();
      const plan = await world.sync('plan content');
      expect([plan.json.warnings, plan.json.summary]).toMatchObject([
        [],
        { create: 0, suggestion: 0 },
      ]);
    },
  );

  it.each([true, false])(
    'are deleted with their files, with a sync before that: %j',
    async (isSynced) => {
      const world = await givenMoved();
      world.forgetState();
      writeFileSync(join(world.root, 'content/en/a.md'), `---\ntitle: New\n---\n${old}new\n`);
      world.git('commit', '-qam', 'edited');
      if (isSynced) await world.sync('apply content');
      world.git('rm', '-q', 'content/fr/b.md');
      world.git('commit', '-qm', 'gone');
      await world.sync('apply content --prune');
      expect(await world.there()).toEqual([expect.stringMatching(/^1 New/), '3 C/c']);
    },
  );

  it('are not deleted where a post of another folder has the former path again', async () => {
    const world = await givenMoved();
    world.forgetState();
    world.write({ 'fr/b.md': `B/${old}b` });
    world.git('rm', '-q', 'content/fr/b.md');
    world.commit();
    expect((await world.sync('plan content --prune')).said).toEqual([]);
  });
});

describe('a post that was moved from folder to folder between two syncs', () => {
  async function givenMovedOn(): Promise<SyncWorld> {
    const world = await givenSync();
    world.write({ 'a.md': `A/${old}`, 'd.md': 'D/d' });
    world.commit();
    await world.sync('apply posts');
    for (const [from, to] of [
      ['posts', 'notes'],
      ['notes', 'letters'],
    ] as const) {
      mkdirSync(join(world.root, to));
      world.git('mv', `${from}/a.md`, `${to}/a.md`);
      writeFileSync(join(world.root, to, 'a.md'), `---\ntitle: A\n---\n${old}${to}\n`);
      world.git('add', to);
      world.git('commit', '-qam', 'moved');
    }
    return world;
  }

  it('keeps its article when the first one is synced', async () => {
    const world = await givenMovedOn();
    world.forgetState();
    const { json } = await world.sync('plan posts --prune');
    expect(json.actions).toMatchObject([
      { action: 'orphan', path: 'a.md', reason: 'moved to letters/a.md' },
    ]);
  });

  it('has it when the last one is synced', async () => {
    const world = await givenMovedOn();
    world.forgetState();
    expect((await world.sync('plan letters')).said).toEqual(['update a.md 1']);
  });
});

describe('an article without a state whose post is a draft now', () => {
  it.each([
    ['was renamed and got another title', 'a sync', 'a draft'],
    ['was renamed and got another title', 'no sync', 'a draft'],
    ['was renamed and got another title', 'a sync', 'gone'],
  ])('%s, with %s before it is %s, is taken off', async (_what, synced, how) => {
    const world = await givenSync();
    world.write({ 'a.md': `Week/${old}`, 'z.md': 'Z/z' });
    world.commit();
    await world.sync('apply posts');
    world.move('a.md', 'b.md');
    world.write({ 'b.md': `Seven/${old}` });
    world.commit();
    world.forgetState();
    if (synced === 'a sync') await world.sync('apply posts --prune');
    world.forgetState();
    if (how === 'gone') world.remove('b.md');
    else world.write({ 'b.md': `---\ntitle: Seven\ndraft: true\n---\n${old}` });
    world.commit();
    const plan = await world.sync('plan posts --prune');
    const path = synced === 'a sync' ? 'b.md' : 'a.md';
    expect([plan.said, plan.json.warnings]).toEqual([[`delete ${path} 1`], []]);
    await world.sync('apply posts --prune');
    expect(await world.there()).toEqual(['2 Z/z']);
  });

  it.each(['a draft now', 'gone here'])(
    'and that was edited on the blog, is named where it is %s',
    async (how) => {
      const world = await givenOldPath(false);
      await world.edit(2, 'Edited/there');
      world.forgetState();
      if (how === 'gone here') world.remove('z.md');
      else world.write({ 'z.md': '---\ntitle: Z\ndraft: true\n---\nz' });
      world.commit();
      const plan = await world.sync('plan posts --prune');
      expect(plan.said).toEqual(['orphan z.md 2 edited']);
      expect(plan.json.actions[0].reason).toBe(`${how}, edited there`);
      const { err } = await world.sync('apply posts --prune');
      expect(err).toContain('z.md (article 2): ');
      expect(await world.there()).toEqual([expect.stringMatching(/^1 Week/), '2 Edited/there']);
    },
  );
});
