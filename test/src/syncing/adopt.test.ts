import { describe, expect, it } from 'vitest';

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
