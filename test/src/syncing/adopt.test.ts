import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

import { run } from '../../support/run.ts';
import { givenSync, writesOf, type SyncWorld } from './given-sync.ts';

/** Two posts that are on the blog, and one that is not; nothing is known of an earlier sync. */
async function givenTwoAndOne(): Promise<SyncWorld> {
  const world = await givenSync();
  world.write({ 'a.md': 'A/text a', 'b.md': 'B/text b' });
  world.commit();
  await world.sync('apply posts');
  world.forgetState();
  world.write({ 'own.md': 'Own/own text' });
  world.commit();
  return world;
}

type Row = readonly [
  what: string,
  change: (world: SyncWorld) => Promise<void> | void,
  adopt: string,
  why: string,
];

const table: readonly Row[] = [
  ['the article of another post', () => {}, 'own.md=1', "article 1 is another post's"],
  [
    'the article of another post that was edited here',
    (w) => {
      w.write({ 'a.md': 'A/text a, edited' });
      w.commit();
    },
    'own.md=1',
    "article 1 is another post's",
  ],
  [
    'the article of another post that was edited there',
    (w) => w.edit(1, 'A/typo'),
    'own.md=1',
    "article 1 is another post's",
  ],
  [
    'an article of nobody, for a post that has one',
    async (w) => {
      await w.add('By hand', 'by hand');
      await w.edit(2, 'B/typo');
    },
    'b.md=3',
    'the post is article 2',
  ],
];

describe('--adopt without a state', () => {
  it.each(table)('refuses %s', async (_what, change, adopt, why) => {
    const world = await givenTwoAndOne();
    await change(world);
    const before = await world.there();
    const refused = await world.sync(`apply posts --adopt ${adopt} --on-drift overwrite`);
    expect(refused.err).toContain(`--adopt ${adopt} cannot be: ${why}.`);
    expect(refused.status).toBe(2);
    expect(writesOf(refused.asked)).toEqual([]);
    expect(await world.there()).toEqual(before);
  });

  it('refuses what an equal text alone says is another post’s', async () => {
    const world = await givenSync();
    await world.add('A', 'text a');
    world.write({ 'a.md': 'A/text a', 'own.md': 'Own/own text' });
    world.commit();
    const refused = await world.sync('apply posts --adopt own.md=1');
    expect(refused).toMatchObject({ status: 2 });
    expect(refused.err).toContain("article 1 is another post's");
  });

  it('takes one of equal text for the twin that is named', async () => {
    const world = await givenSync();
    await world.add('A', 'text a');
    world.write({ 'a.md': 'A/text a', 'b.md': 'A/text a' });
    const plan = await world.sync('plan posts --adopt b.md=1');
    expect(plan).toMatchObject({ status: 0, said: ['create a.md'] });
  });

  it('takes an article of nobody', async () => {
    const world = await givenTwoAndOne();
    await world.add('Own, by hand', 'by hand');
    const applied = await world.sync('apply posts own.md --adopt own.md=3 --on-drift overwrite');
    expect(applied).toMatchObject({ status: 0, json: { written: 1 } });
    expect(await world.there()).toEqual(['1 A/text a', '2 B/text b', '3 Own/own text']);
  });
});

describe.each([
  ['keys', {}],
  ['no keys', { hides: ['link-template', 'accept-idempotency'] }],
] as const)(
  'an article of nobody with the text of a new post, on a blog with %s',
  (_what, service) => {
    const kept =
      'b.md (article 2): gone here, and was not made from here (kept: blogctl articles delete 2';

    it('is taken over, and said to be; it is not deleted with its file', async () => {
      const world = await givenSync(service);
      world.write({ 'a.md': 'A/one' });
      world.commit();
      await world.sync('apply posts');
      await world.add('Imprint', 'of the editor');
      world.write({ 'b.md': 'Imprint/of the editor' });
      world.commit();
      const said = /Known by the text alone(?::|&#58;) b\.md \(article 2\)\./;
      expect((await world.sync('plan posts --prune --format md')).out).toMatch(said);
      expect((await world.sync('apply posts --prune')).err).toMatch(said);
      expect((await world.sync('plan posts --prune')).err).not.toContain('by the text alone');
      // What is written over it since makes it no more ours than it was.
      world.write({ 'b.md': 'Imprint/edited here' });
      world.commit();
      expect((await world.sync('apply posts --prune')).json).toMatchObject({ written: 1 });
      world.remove('b.md');
      world.commit();
      const applied = await world.sync('apply posts --prune');
      expect(applied).toMatchObject({ status: 0, json: { written: 0, left: 1 } });
      expect(applied.err).toContain(kept);
      expect(await world.there()).toEqual(['1 A/one', '2 Imprint/edited here']);
    });

    it('is ours where an import of the same tree brought it', async () => {
      const world = await givenSync(service);
      world.write({ 'a.md': 'A/one', 'b.md': 'B/two', 'c.md': 'C/three' });
      world.commit();
      const env = { BLOGCTL_DATA_DIR: join(world.root, 'elsewhere'), BLOGCTL_TOKEN: 'all' };
      const words = ['articles', 'import', join(world.root, 'posts'), '--concurrency', '1'];
      expect(
        await run([...words, '--blog', world.blogUrl], { env, folder: world.root }),
      ).toMatchObject({ status: 0 });
      const first = await world.sync('apply posts --prune');
      expect(first.err).not.toContain('Known by the text alone');
      world.move('b.md', 'd.md');
      world.commit();
      await world.sync('apply posts --prune');
      world.remove('c.md', 'd.md');
      world.commit();
      expect((await world.sync('apply posts --prune')).json).toMatchObject({ written: 2 });
      expect(await world.there()).toEqual(['1 A/one']);
    });
  },
);

describe.each(['a sync whose state is gone', 'an import'])(
  'without git and after %s, a new post at an old path, and the old text at another path',
  (how) => {
    const given = async () => {
      const world = await givenSync({ git: false });
      world.write({ 'a.md': 'A/text of a', 'b.md': 'B/text of b' });
      if (how === 'an import') {
        const env = {
          BLOGCTL_DATA_DIR: join(world.root, 'data'),
          BLOGCTL_CONFIG_DIR: join(world.root, 'config'),
          BLOGCTL_TOKEN: 'all',
        };
        const line = ['articles', 'import', join(world.root, 'posts'), '--concurrency', '1'];
        await run([...line, '--blog', world.blogUrl], { env });
      } else {
        await world.sync('apply posts');
        world.forgetState();
      }
      world.move('a.md', 'moved.md');
      world.write({ 'a.md': 'New/new text' });
      return world;
    };
    const asked = ['unverified a.md 1', 'suggestion moved.md'];

    it('are both asked for, in every run', async () => {
      const world = await given();
      expect((await world.sync('plan posts')).said).toEqual(asked);
      const applied = await world.sync('apply posts');
      expect(writesOf(applied.asked)).toEqual([]);
      expect((await world.sync('plan posts')).said).toEqual(asked);
    });

    it.each([0, 1])('and the article goes where it is said to, after %i runs', async (runs) => {
      const world = await given();
      for (let ran = 0; ran < runs; ran += 1) await world.sync('apply posts');
      await world.sync('apply posts --adopt moved.md=1');
      expect(await world.there()).toEqual(['1 A/text of a', '2 B/text of b', '3 New/new text']);
      expect((await world.sync('plan posts')).said).toEqual([]);
    });

    it('or stays, where the other one is said to be new', async () => {
      const world = await given();
      await world.sync('apply posts --adopt moved.md=none');
      expect((await world.there()).at(-1)).toEqual('3 A/text of a');
      await world.sync('apply posts a.md --on-drift overwrite');
      expect(await world.there()).toEqual(['1 New/new text', '2 B/text of b', '3 A/text of a']);
      expect((await world.sync('plan posts')).said).toEqual([]);
    });
  },
);

describe('a new post at an old path, and the old text at another path, where another branch was brought last', () => {
  const given = async () => {
    const world = await givenSync();
    world.write({ 'a.md': 'A/text of a', 'b.md': 'B/text of b' });
    world.commit();
    world.git('checkout', '-qb', 'other');
    world.write({ 'a.md': 'A/text of a, edited' });
    world.commit();
    await world.sync('apply posts');
    world.git('checkout', '-q', '-');
    world.move('a.md', 'moved.md');
    world.write({ 'a.md': 'New/new text' });
    world.commit();
    return world;
  };
  const before = ['1 A/text of a, edited', '2 B/text of b'];

  it('leave what stands there until somebody says whose it is, in every run', async () => {
    const world = await given();
    for (let ran = 0; ran < 2; ran += 1) {
      const { status, asked, said, err } = await world.sync('apply posts --prune');
      expect([status, writesOf(asked), said]).toEqual([10, [], []]);
      expect(err).toContain('a.md (article 1): its article may be that of moved.md, which waits');
      expect(await world.there()).toEqual(before);
    }
  });

  it.each([
    ['moved.md', '--adopt moved.md=1', ['1 A/text of a', '2 B/text of b', '3 New/new text']],
    ['', '--adopt moved.md=none', ['1 New/new text', '2 B/text of b', '3 A/text of a']],
  ])('and have it as somebody says: %s %s', async (path, adopted, there) => {
    const world = await given();
    const overwrite = path === '' ? '' : '--on-drift overwrite';
    await world.sync(`apply posts ${path} ${adopted} ${overwrite}`);
    await world.sync('apply posts');
    expect(await world.there()).toEqual(there);
    expect((await world.sync('plan posts')).said).toEqual([]);
  });
});
