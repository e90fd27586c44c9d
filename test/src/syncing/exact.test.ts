import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

import { givenSync } from './given-sync.ts';

const spaced = { title: 'A', content: 'one\n\n\n\n' };

async function givenExact(flags: string) {
  const world = await givenSync();
  world.write({ 'a.md': 'A/one', 'b.md': 'B/two', 'c.md': 'C/three' });
  world.commit();
  await world.sync(`apply posts ${flags}`);
  await world.put(1, spaced);
  return world;
}

it.each(['--exact', ''])(
  'with --exact white space that was changed on the blog alone is a change, after apply %s',
  async (before) => {
    const world = await givenExact(before);
    expect((await world.sync('plan posts --exact')).said).toEqual(['drift a.md 1']);
    expect((await world.sync('plan posts')).said).toEqual([]);
    const applied = await world.sync('apply posts --exact');
    expect(applied).toMatchObject({ status: 0, json: { written: 0, left: 1 } });
    // A run that does not look at it says nothing of it.
    await world.sync('apply posts');
    expect((await world.sync('plan posts --exact')).said).toEqual(['drift a.md 1']);
    const pulled = await world.sync('pull posts --exact');
    expect(pulled.status).toBe(0);
    const file = join(world.root, 'posts', 'a.md');
    expect(readFileSync(file, 'utf8')).toBe('---\ntitle: "A"\n---\none\n\n\n\n');
    world.commit();
    expect((await world.sync('apply posts --exact')).json).toMatchObject({ unchanged: 3 });
    world.write({ 'a.md': 'A/one' });
    expect((await world.sync('plan posts --exact')).said).toEqual(['update a.md 1']);
  },
);

it('with --exact white space that was changed on both sides is a conflict, and no reason to delete', async () => {
  const world = await givenExact('--exact');
  world.write({ 'a.md': 'A/one\n\n' });
  world.commit();
  expect(await world.sync('apply posts --exact')).toMatchObject({ status: 10 });
  world.remove('a.md');
  world.commit();
  const pruned = await world.sync('apply posts --exact --prune');
  expect(pruned.json).toMatchObject({ written: 0, left: 1 });
  expect(await world.there()).toEqual(['1 A/one', '2 B/two', '3 C/three']);
  await world.sync('apply posts --exact --prune --on-drift overwrite');
  expect(await world.there()).toEqual(['2 B/two', '3 C/three']);
});

it('with --exact white space that was changed here is an update', async () => {
  const world = await givenSync();
  world.write({ 'a.md': 'A/one' });
  await world.sync('apply posts --exact');
  world.write({ 'a.md': 'A/one\n\n' });
  expect((await world.sync('plan posts --exact')).said).toEqual(['update a.md 1']);
  expect((await world.sync('apply posts --exact')).json).toMatchObject({ written: 1 });
  expect((await world.sync('apply posts --exact')).json).toMatchObject({ unchanged: 1 });
});
