import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

import { givenSync, writesOf, type SyncWorld } from './given-sync.ts';

/** A post whose article was deleted on the blog, where another one has its title now. */
async function givenTea(): Promise<SyncWorld> {
  const world = await givenSync();
  world.write({ 'a.md': 'Tea/from here', 'b.md': 'B/b' });
  world.commit();
  await world.sync('apply posts');
  await world.destroy(1);
  await world.add('Tea', 'rewritten on the blog');
  return world;
}

describe('a post that is to be made again, of whose title the blog has an article that nobody claims', () => {
  it.each(['', 'without a state'])('is in doubt %s', async (how) => {
    const world = await givenTea();
    if (how !== '') world.forgetState();
    expect((await world.sync('plan posts')).said).toEqual([
      how === '' ? 'deleted-there a.md 1' : 'deleted-there a.md',
    ]);
    const plan = await world.sync('plan posts --recreate --format md');
    expect(plan.out).toContain('looks like &#35;&#8203;3');
    const applied = await world.sync('apply posts --recreate');
    expect(applied).toMatchObject({ status: 10, json: { written: 0, refused: 1 } });
    expect(writesOf(applied.asked)).toEqual([]);
    expect(applied.err).toContain('--adopt a.md=3 says which article a post is');
    expect(applied.err).toContain('posts a.md --adopt a.md=3 --on-drift overwrite --blog');
    const adopted = await world.sync('apply posts a.md --adopt a.md=3 --on-drift overwrite');
    expect(adopted).toMatchObject({ status: 0, json: { written: 1 } });
    expect(await world.there()).toEqual(['2 B/b', '3 Tea/from here']);
    expect((await world.sync('plan posts --recreate')).said).toEqual([]);
  });

  it('is made where somebody says that it is new', async () => {
    const world = await givenTea();
    await world.sync('apply posts --recreate --adopt none');
    expect(await world.there()).toEqual([
      '2 B/b',
      '3 Tea/rewritten on the blog',
      '4 Tea/from here',
    ]);
  });

  it('is in doubt where an undo brought it back and somebody edited it', async () => {
    const world = await givenSync();
    world.write({ 'a.md': 'Post 1/one', 'b.md': 'B/b' });
    world.commit();
    await world.sync('apply posts');
    world.remove('a.md');
    world.commit();
    await world.sync('apply posts --prune');
    // As `runs undo` does.
    await world.add('Post 1', 'one');
    await world.edit(3, 'Post 1/edited there');
    world.git('revert', '--no-edit', 'HEAD');
    const { status, json } = await world.sync('apply posts --prune --recreate');
    expect(status).toBe(10);
    expect(json).toMatchObject({ written: 0, refused: 1 });
    expect(await world.there()).toEqual(['2 B/b', '3 Post 1/edited there']);
  });
});

it.each([true, false])(
  'what an undo brought back is deleted with its file, keys: %s',
  async (hasKeys) => {
    const world = await givenSync(
      hasKeys ? {} : { hides: ['link-template', 'accept-idempotency'] },
    );
    world.write({ 'a.md': 'A/one', 'b.md': 'B/two' });
    world.commit();
    await world.sync('apply posts');
    world.remove('b.md');
    world.commit();
    await world.sync('apply posts --prune');
    // As `runs undo` does.
    await world.add('B', 'two');
    world.write({ 'b.md': 'B/two' });
    world.commit();
    expect((await world.sync('apply posts')).err).not.toContain('Known by the text alone');
    world.remove('b.md');
    world.commit();
    await world.sync('apply posts --prune');
    expect(await world.there()).toEqual(['1 A/one']);
  },
);

it.each([
  ['', true],
  ['', false],
  ['without a state', true],
  ['of a new post', true],
  ['of a new post', false],
] as const)('a plan that was kept makes an article anew once, %s', async (how, hasKeys) => {
  const world = await givenSync(hasKeys ? {} : { hides: ['link-template', 'accept-idempotency'] });
  const lose = () => how === 'without a state' && world.forgetState();
  world.write({ 'a.md': 'A/one', 'b.md': 'B/two' });
  world.commit();
  if (how === 'of a new post') await world.sync('apply posts b.md');
  else {
    await world.sync('apply posts');
    await world.destroy(1);
    lose();
  }
  await world.sync('plan posts --recreate -o plan.json');
  expect((await world.sync('apply plan.json')).json).toMatchObject({ written: 1 });
  expect(await world.sync('apply plan.json')).toMatchObject({ status: 0, json: { written: 0 } });
  await world.destroy(how === 'of a new post' ? 2 : 3);
  lose();
  const again = await world.sync('apply plan.json');
  expect(again).toMatchObject({ status: 10, json: { written: 0, refused: 1 } });
  expect(again.err).toContain('a.md: changed since the plan was made');
  expect(await world.there()).toHaveLength(1);
});

it('a post that comes back after a sync deleted its article is said to have been deleted by that', async () => {
  const world = await givenSync();
  const draft = '---\ntitle: A\ndraft: true\n---\none\n';
  world.write({ 'a.md': 'A/one', 'b.md': 'B/two' });
  world.commit();
  await world.sync('apply posts');
  world.write({ 'a.md': draft });
  world.commit();
  expect((await world.sync('apply posts --prune')).json).toMatchObject({ written: 1 });
  // The state keeps it, whatever a later run has to do.
  world.write({ 'b.md': 'B/edited', 'c.md': 'A/one' });
  world.commit();
  expect((await world.sync('apply posts --prune')).json).toMatchObject({ written: 2 });
  world.write({ 'a.md': 'A/back' });
  world.remove('c.md');
  world.commit();
  const { status, err } = await world.sync('apply posts --prune');
  expect(status).toBe(0);
  expect(err).toContain(
    'a.md (article 1): deleted by an earlier sync, when it was gone or not public here',
  );
  const [, line = ''] = /having been deleted there: blogctl sync (.*? --recreate) /.exec(err) ?? [];
  expect((await world.sync(line)).json).toMatchObject({ written: 1 });
  expect(await world.there()).toEqual(['2 B/edited', '4 A/back']);
  expect((await world.sync('plan posts --prune')).said).toEqual([]);
  // What somebody deleted on the blog is that again.
  await world.destroy(4);
  expect((await world.sync('plan posts')).err).toContain('a.md (article 4): deleted on the blog');
});

it('what only a later version takes for a draft keeps its article, until it was public to that one', async () => {
  const world = await givenSync();
  const draft = '---\ntitle: A\ndraft: true\n---\none\n';
  world.write({ 'a.md': 'A/one', 'b.md': 'B/b' });
  world.commit();
  await world.sync('apply posts --state st.nd');
  const place = join(world.root, 'st.nd');
  const known = readFileSync(place, 'utf8');
  // As a version that knew fewer signs left it.
  writeFileSync(place, known.replaceAll(/,"signs":\d+/g, ''));
  world.write({ 'a.md': draft });
  world.commit();
  const flags = '--prune --on-drift overwrite --state st.nd';
  for (let run = 0; run < 2; run += 1) {
    const { status, err } = await world.sync(`apply posts ${flags}`);
    expect(status).toBe(0);
    expect(err).toContain('a draft now, which may be a sign that is new to this version');
    expect(err).toContain('blogctl articles delete 1');
  }
  expect(await world.there()).toEqual(['1 A/one', '2 B/b']);
  world.write({ 'a.md': 'A/one' });
  await world.sync('apply posts --state st.nd');
  world.write({ 'a.md': draft });
  expect((await world.sync(`plan posts ${flags}`)).said).toEqual(['delete a.md 1']);
});

it('a post in a folder without pages keeps the article that an earlier version brought, and the folder is named', async () => {
  const world = await givenSync();
  const settings = join(world.root, 'posts', '_config.yml');
  world.write({ '_archive/a.md': 'A/one', 'b.md': 'B/b' });
  writeFileSync(settings, 'collections:\n  archive:\n    output: true\n');
  world.commit();
  await world.sync('apply posts --state st.nd');
  expect(await world.there()).toEqual(['1 A/one', '2 B/b']);
  const place = join(world.root, 'st.nd');
  writeFileSync(place, readFileSync(place, 'utf8').replaceAll(/,"signs":\d+/g, ',"signs":1'));
  writeFileSync(settings, '');
  const { err } = await world.sync('apply posts --prune --state st.nd');
  expect(err).toContain('Name the folder alone to import or sync it');
  expect(err).toContain('a draft now, which may be a sign that is new to this version');
  expect(await world.there()).toEqual(['1 A/one', '2 B/b']);
  // Without a state nobody knows by which signs it was brought.
  for (const state of ['none.nd', 'none.nd', 'other.nd']) {
    const { err: without } = await world.sync(`apply posts --prune --state ${state}`);
    expect(without).toContain('a draft now, which may be a sign that is new to this version');
  }
  expect(await world.there()).toEqual(['1 A/one', '2 B/b']);
  world.write({ '_archive/a.md': '---\ntitle: A\ndraft: true\n---\none\n' });
  world.commit();
  expect((await world.sync('plan posts --prune --state third.nd')).said).toEqual([
    'delete _archive/a.md 1',
  ]);
});

it('the line of a hint writes over what somebody wrote under the title of a post that is new', async () => {
  const world = await givenSync();
  await world.add('Doubt', 'theirs');
  world.write({ 'dd.md': 'Doubt/ours' });
  world.commit();
  const { status, err } = await world.sync('apply posts');
  expect(status).toBe(10);
  const [, line = ''] = /is left until blogctl sync (apply .*?) --blog/.exec(err) ?? [];
  expect(await world.sync(line)).toMatchObject({ status: 0, json: { written: 1 } });
  expect(await world.there()).toEqual(['1 Doubt/ours']);
});

it.each(['is gone', 'is a draft'])(
  'an article that a post named by mistake is no orphan of that post, where that %s',
  async (how) => {
    const world = await givenSync();
    world.write({ 'a.md': 'A/one' });
    world.commit();
    await world.sync('apply posts');
    await world.add('Hers', 'written on the blog');
    const post = (more = '') =>
      `---\ntitle: Hij\n${more}article: ${world.blogUrl}/articles/2\n---\nhij`;
    world.write({ 'hij.md': post() });
    world.commit(new Date(Date.now() + 60_000).toISOString());
    expect((await world.sync('apply posts')).status).toBe(10);
    if (how === 'is gone') world.remove('hij.md');
    else world.write({ 'hij.md': post('draft: true\n') });
    world.commit();
    const flags = '--prune --on-drift overwrite';
    const { json } = await world.sync(`plan posts ${flags}`);
    expect(json.summary).toMatchObject({ orphan: 0, delete: 0, unmanaged: 1 });
    expect((await world.sync(`apply posts ${flags}`)).status).toBe(0);
    expect(await world.there()).toEqual(['1 A/one', '2 Hers/written on the blog']);
  },
);

describe('a blog without keys that was made anew', () => {
  const given = async () => {
    const world = await givenSync({ hides: ['link-template', 'accept-idempotency'] });
    world.write({ 'a.md': 'A/one', 'b.md': 'B/two' });
    world.commit();
    await world.sync('apply posts');
    await world.edit(1, 'Hers/hers');
    await world.edit(2, 'His/his');
    return world;
  };

  it('keeps its articles, and the files keep their texts', async () => {
    const world = await given();
    const plan = await world.sync('plan posts');
    expect(plan.said).toEqual(['conflict a.md 1', 'conflict b.md 2']);
    expect(plan.err).toContain('it may have been made anew');
    expect(await world.sync('apply posts')).toMatchObject({ status: 10, json: { written: 0 } });
    expect((await world.sync('pull posts')).status).toBe(10);
    expect(world.git('status', '--porcelain', 'posts')).toBe('');
    world.forgetState();
    expect((await world.sync('apply posts')).json).toMatchObject({ written: 2 });
    expect(await world.there()).toEqual(['1 Hers/hers', '2 His/his', '3 A/one', '4 B/two']);
  });

  it('keeps them whatever the flags, but for the one of a path that is named', async () => {
    const world = await given();
    const overwrite = '--on-drift overwrite --prune';
    const applied = await world.sync(`apply posts ${overwrite}`);
    expect(applied).toMatchObject({ status: 10, json: { written: 0, refused: 2 } });
    expect(applied.err).toContain('it may have been made anew');
    await world.sync(`apply posts a.md ${overwrite}`);
    expect(await world.there()).toEqual(['1 A/one', '2 His/his']);
  });

  it('keeps those of files that are gone too', async () => {
    const world = await given();
    world.write({ 'c.md': 'C/three' });
    await world.sync('apply posts c.md');
    await world.edit(3, 'Its/its');
    world.remove('b.md');
    const { said, err } = await world.sync('plan posts --on-drift overwrite --prune');
    expect(said).toEqual(['conflict a.md 1', 'conflict c.md 3', 'orphan b.md 2 edited']);
    expect(err).toContain('b.md (article 2)');
    expect(err).toContain('blogctl articles delete 2');
  });

  it('is none where one of the titles is as it was', async () => {
    const world = await given();
    await world.edit(2, 'B/his');
    expect((await world.sync('plan posts')).said).toEqual(['drift a.md 1', 'drift b.md 2']);
    expect((await world.sync('pull posts')).status).toBe(0);
  });
});
