import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
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

/** The repository of the world, checked out elsewhere, with a post that was written anew since it was brought. */
async function givenAnew(
  how: 'import' | 'sync',
  clone: (of: SyncWorld) => void,
): Promise<SyncWorld> {
  const world = await givenSync();
  world.write({ 'a.md': 'A/one', 'b.md': 'B/two' });
  world.commit();
  await (how === 'sync' ? world.sync('apply posts') : imported(world, 'posts'));
  world.write({ 'b.md': 'Other/words' });
  world.commit();
  clone(world);
  return world;
}

describe.each(['import', 'sync'] as const)('a checkout elsewhere, after an %s', (how) => {
  it('of which the history is shallow is not said to be another folder', async () => {
    const world = await givenAnew(how, (of) =>
      of.git('clone', '-q', '--depth', '1', `file://${of.root}`, 'checkout'),
    );
    const { status, err, asked } = await world.sync('apply checkout/posts b.md');
    expect(status).toBe(10);
    expect(writesOf(asked)).toEqual([]);
    expect(err).toContain('fetch-depth: 0');
    const isOfState = err.includes('cannot be told, because the checkout is shallow');
    expect(isOfState).toBe(how === 'sync');
    expect(err).not.toMatch(/another folder|elsewhere|an --import-id/);
    world.git('-C', 'checkout', 'fetch', '-q', '--unshallow');
    expect(await world.sync('apply checkout/posts')).toMatchObject({ status: 0 });
    expect(await world.there()).toEqual(['1 A/one', '2 Other/words']);
  });
});

it('a checkout whose history was written anew goes on with the state of before, once it is named', async () => {
  const world = await givenAnew('sync', (of) => {
    of.git('checkout', '-q', '--orphan', 'anew');
    of.git('commit', '-qm', 'x');
    of.git('clone', '-q', '.', 'checkout');
  });
  const { status, err } = await world.sync('apply checkout/posts');
  expect(status).toBe(10);
  expect(err).toContain('b.md (article 2): brought there from elsewhere');
  expect(err).not.toContain('from another folder');
  const [, state = ''] = /go on with its state once by --state (\S+\.ndjson)\./.exec(err) ?? [];
  const applied = await world.sync(`apply checkout/posts --state ${state}`);
  expect(applied).toMatchObject({ status: 0, json: { written: 1 } });
  expect(await world.there()).toEqual(['1 A/one', '2 Other/words']);
  expect((await world.sync('plan checkout/posts')).err).not.toContain('another folder');
  await world.edit(1, 'A/there');
  expect((await world.sync('plan checkout/posts')).said).toEqual(['drift a.md 1']);
});

const headIn = (state: string) => JSON.parse(readFileSync(state, 'utf8').split('\n')[0] ?? '').sync;

it('is bound to the state that is named, also where nothing is written, and keeps its owner', async () => {
  const world = await givenSync();
  world.write({ 'a.md': 'A/one', 'b.md': 'B/two' });
  world.commit();
  await world.sync('apply posts');
  world.git('checkout', '-q', '--orphan', 'anew');
  world.git('commit', '-qm', 'x');
  world.git('clone', '-q', '.', 'checkout');
  await world.edit(1, 'A/there');
  const { err } = await world.sync('apply checkout/posts --prune');
  const [, state = ''] = /once by --state (\S+\.ndjson)\./.exec(err) ?? [];
  const { root, commit } = headIn(state);
  expect(await world.sync(`apply checkout/posts --prune --state ${state}`)).toMatchObject({
    status: 0,
    json: { written: 0, left: 1 },
  });
  expect(headIn(state)).toMatchObject({ root: expect.stringMatching(`^${root}.+`) });
  expect(headIn(state).commit).not.toBe(commit);
  const after = await world.sync('plan checkout/posts --prune');
  expect(after.said).toEqual(['drift a.md 1']);
  expect(after.err).not.toContain('--state');
  // A file of somebody's own says nothing of where it is used.
  await world.sync(`apply checkout/posts --state ${join(world.root, 'own.ndjson')}`);
  expect(headIn(join(world.root, 'own.ndjson'))).toEqual({ blog: world.blogUrl, importId: '' });
});

describe.each(['whole', 'shallow'] as const)(
  'a repository that is cloned, %s, to where another one was',
  (how) => {
    const depth = how === 'whole' ? [] : ['--depth', '1'];

    async function givenPlace() {
      const world = await givenTwo('sync');
      const other = `file://${join(world.root, 'other')}`;
      const clone = (from: string) => {
        rmSync(join(world.root, 'ws'), { recursive: true, force: true });
        world.git('clone', '-q', ...depth, from, 'ws');
      };
      const first = () => clone(`file://${world.root}`);
      world.forgetState();
      first();
      await world.sync('apply ws/posts');
      return { world, first, second: () => clone(other) };
    }

    it('neither writes over nor deletes what that one brought', async () => {
      const { world, first, second } = await givenPlace();
      second();
      for (const flags of ['', '--prune', '--prune --no-history']) {
        const applied = await world.sync(`apply ws/posts ${flags}`);
        expect(applied.status).toBe(10);
        expect(writesOf(applied.asked)).toEqual([]);
      }
      expect(await world.there()).toEqual(untouched);
      first();
      await world.edit(1, 'About A/there');
      expect((await world.sync('plan ws/posts --prune')).said).toEqual(['drift about.md 1']);
    });

    it('is known again, whatever else was there', async () => {
      const { world, first, second } = await givenPlace();
      second();
      await world.sync('apply ws/posts about.md --adopt none');
      first();
      world.write({ '../ws/posts/about.md': 'About A/edited' });
      const applied = await world.sync('apply ws/posts --prune');
      expect(applied).toMatchObject({ status: 0, json: { written: 1 } });
      expect(applied.err).not.toContain('left alone');
    });
  },
);

it('what was imported from where a repository was cloned to since is not said to be its own', async () => {
  const world = await givenSync();
  world.write({ 'about.md': 'About A/repo A' });
  world.commit();
  world.git('clone', '-q', '.', 'ws');
  await imported(world, 'ws/posts');
  rmSync(join(world.root, 'ws'), { recursive: true });
  world.git('init', '-q', 'ws');
  mkdirSync(join(world.root, 'ws', 'posts'));
  world.write({ '../ws/posts/about.md': 'About B/repo B' });
  world.git('-C', 'ws', 'add', '-A');
  world.git('-C', 'ws', 'commit', '-qm', 'x');
  const applied = await world.sync('apply ws/posts --prune');
  expect(applied).toMatchObject({ status: 10, said: [] });
  expect(await world.there()).toEqual(['1 About A/repo A']);
});

describe.each(['import', 'sync'] as const)('what an %s of another repository brought', (how) => {
  it('is not written over and not deleted by the sync of a folder with the same paths', async () => {
    const world = await givenTwo(how);
    for (const flags of ['', '--prune', '--no-history', '--on-drift overwrite']) {
      const applied = await world.sync(`apply other/posts ${flags}`);
      expect(applied.status).toBe(10);
      expect(applied.err).toContain('about.md (article 1): brought there from elsewhere');
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
  expect(applied.err).toContain(
    'is that of another folder or repository, as far as the first commits tell',
  );
  expect(await world.there()).toEqual(['1 About A/repo A']);
  expect((await world.sync('apply other/posts --prune')).err).not.toContain(
    'is that of another folder',
  );
  expect((await world.sync('plan posts')).said).toEqual([]);
});
