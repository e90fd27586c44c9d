import { cpSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

import { givenSync, type SyncWorld } from './given-sync.ts';

/** A post that had these texts in git; each was brought to the blog. */
async function givenVersions(...texts: readonly string[]): Promise<SyncWorld> {
  const world = await givenSync();
  for (const text of texts) {
    world.write({ 'p.md': `P/${text}` });
    world.commit();
    expect((await world.sync('apply posts')).status).toBe(0);
  }
  return world;
}

describe('a text on the blog that the file had before', () => {
  it('is the blog’s own where the state knows that a later one was brought', async () => {
    const world = await givenVersions('alpha', 'WRONG');
    await world.edit(1, 'P/alpha');
    expect((await world.sync('plan posts')).said).toEqual(['drift p.md 1']);
    const { status, err } = await world.sync('apply posts');
    expect(status).toBe(0);
    expect(err).toContain('p.md (article 1): changed on the blog');
    expect(await world.there()).toEqual(['1 P/alpha']);
    expect((await world.sync('pull posts')).status).toBe(0);
    world.commit();
    expect((await world.sync('plan posts')).said).toEqual([]);
    world.write({ 'p.md': 'P/beta' });
    expect((await world.sync('apply posts')).json).toMatchObject({ written: 1 });
    expect(await world.there()).toEqual(['1 P/beta']);
  });

  it('also where the later one was not committed', async () => {
    const world = await givenVersions('alpha');
    world.write({ 'p.md': 'P/WRONG' });
    await world.sync('apply posts');
    await world.edit(1, 'P/alpha');
    expect((await world.sync('plan posts')).said).toEqual(['drift p.md 1']);
  });

  it('is in conflict where the file was edited since', async () => {
    const world = await givenVersions('alpha', 'WRONG');
    await world.edit(1, 'P/alpha');
    world.write({ 'p.md': 'P/beta' });
    world.commit();
    const { status } = await world.sync('apply posts');
    expect(status).toBe(10);
    expect(await world.there()).toEqual(['1 P/alpha']);
  });

  it('is not deleted with --prune', async () => {
    const world = await givenVersions('alpha', 'WRONG');
    world.write({ 'q.md': 'Q/other' });
    await world.sync('apply posts');
    await world.edit(1, 'P/alpha');
    world.remove('p.md');
    world.commit();
    expect((await world.sync('apply posts --prune')).said).toEqual([]);
    expect(await world.there()).toEqual(['1 P/alpha', '2 Q/other']);
  });

  it('is ours without a state, as in a fresh checkout', async () => {
    const world = await givenVersions('alpha', 'WRONG');
    await world.edit(1, 'P/alpha');
    world.forgetState();
    expect((await world.sync('plan posts')).said).toEqual(['update p.md 1']);
  });

  it('is ours where another machine brought it later than the state knows', async () => {
    const world = await givenVersions('alpha');
    const [here, kept] = [join(world.root, 'data'), join(world.root, 'kept')];
    cpSync(here, kept, { recursive: true });
    for (const text of ['beta', 'gamma']) {
      world.write({ 'p.md': `P/${text}` });
      world.commit();
      await world.sync('apply posts');
    }
    rmSync(here, { recursive: true });
    cpSync(kept, here, { recursive: true });
    world.write({ 'p.md': 'P/delta' });
    world.commit();
    expect((await world.sync('plan posts')).said).toEqual(['update p.md 1']);
    await world.edit(1, 'P/beta');
    expect((await world.sync('plan posts')).said).toEqual(['update p.md 1']);
    expect((await world.sync('apply posts')).status).toBe(0);
    await world.edit(1, 'P/beta');
    expect((await world.sync('plan posts')).said).toEqual(['drift p.md 1']);
  });
});
