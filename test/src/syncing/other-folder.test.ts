import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

import { run } from '../../support/run.ts';
import { givenSync, writesOf, type SyncWorld } from './given-sync.ts';

/** Two repositories on one machine, each with posts/about.md; that of the world was brought to the blog. */
async function givenTwo(how: 'import' | 'sync'): Promise<SyncWorld> {
  const world = await givenSync();
  world.write({ 'about.md': 'About A/repo A', 'x.md': 'X/x' });
  world.commit();
  const brought = how === 'sync' ? world.sync('apply posts') : imported(world, 'posts');
  expect(await brought).toMatchObject({ status: 0 });
  const other = join(world.root, 'other');
  mkdirSync(join(other, 'posts'), { recursive: true });
  writeFileSync(join(other, 'posts', 'about.md'), '---\ntitle: About B\n---\nrepo B\n');
  world.git('init', '-q', 'other');
  world.git('-C', 'other', 'add', '-A');
  world.git('-C', 'other', 'commit', '-qm', 'x');
  return world;
}

function imported(world: SyncWorld, folder: string) {
  const env = {
    BLOGCTL_DATA_DIR: join(world.root, 'data'),
    BLOGCTL_CONFIG_DIR: join(world.root, 'config'),
    BLOGCTL_TOKEN: 'all',
  };
  const words = [
    'articles',
    'import',
    join(world.root, folder),
    '--blog',
    world.blogUrl,
    '--concurrency',
    '1',
  ];
  return run(words, { env, folder: world.root });
}

const untouched = ['1 About A/repo A', '2 X/x'];

describe.each(['import', 'sync'] as const)('what an %s of another repository brought', (how) => {
  it('is not written over and not deleted by the sync of a folder with the same paths', async () => {
    const world = await givenTwo(how);
    for (const flags of ['', '--prune', '--no-history', '--on-drift overwrite']) {
      const applied = await world.sync(`apply other/posts ${flags}`);
      expect(applied.status).toBe(10);
      expect(applied.err).toContain('about.md (article 1): brought there from another folder');
      expect(applied.err).toContain('give each of the two an --import-id');
      expect(writesOf(applied.asked)).toEqual([]);
    }
    expect(await world.there()).toEqual(untouched);
    // The first one goes on as before.
    world.write({ 'about.md': 'About A/repo A, edited' });
    expect((await world.sync('apply posts --prune')).json).toMatchObject({ written: 1 });
    const forced = await world.sync('apply other/posts about.md --on-drift overwrite');
    expect(forced.json).toMatchObject({ written: 1 });
    expect(await world.there()).toEqual(['1 About B/repo B', '2 X/x']);
  });

  it('is that of another checkout of its repository', async () => {
    const world = await givenTwo(how);
    world.git('clone', '-q', '.', 'checkout');
    writeFileSync(
      join(world.root, 'checkout', 'posts', 'about.md'),
      '---\ntitle: About A\n---\nrepo A, edited\n',
    );
    const applied = await world.sync('apply checkout/posts --prune');
    expect(applied).toMatchObject({ status: 0, json: { written: 1, unchanged: 1 } });
    expect(await world.there()).toEqual(['1 About A/repo A, edited', '2 X/x']);
    // Text that git never had, which the state alone knows.
    writeFileSync(
      join(world.root, 'checkout', 'posts', 'about.md'),
      '---\ntitle: About A\n---\nrepo A, edited again\n',
    );
    await world.sync('apply checkout/posts');
    world.write({ 'about.md': 'About A/third' });
    expect((await world.sync('plan posts')).said).toEqual(['update about.md 1']);
    expect(
      readdirSync(join(world.root, 'data', 'sync')).filter((name) => name.endsWith('.ndjson'))
        .length,
    ).toBe(1);
  });
});

it('posts of a folder without git that is elsewhere are not those of another one', async () => {
  const world = await givenSync({ git: false });
  world.write({ 'about.md': 'About A/repo A' });
  await world.sync('apply posts');
  const other = join(world.root, 'other', 'posts');
  mkdirSync(other, { recursive: true });
  writeFileSync(join(other, 'about.md'), '---\ntitle: About B\n---\nrepo B\n');
  const applied = await world.sync('apply other/posts --prune');
  expect(applied.status).toBe(10);
  expect(applied.err).toContain('The posts of another folder are synced with this blog from here');
  expect(await world.there()).toEqual(['1 About A/repo A']);
  expect((await world.sync('apply other/posts --prune')).err).not.toContain('The posts of another');
  expect((await world.sync('plan posts')).said).toEqual([]);
});
