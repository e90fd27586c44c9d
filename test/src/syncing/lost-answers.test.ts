import { join } from 'node:path';
import { expect, it } from 'vitest';

import { run } from '../../support/run.ts';
import { givenSync, type SyncWorld } from './given-sync.ts';

function runsOf({ root, blogUrl }: SyncWorld) {
  const env = {
    BLOGCTL_DATA_DIR: join(root, 'data'),
    BLOGCTL_CONFIG_DIR: join(root, 'config'),
    BLOGCTL_TOKEN: 'all',
  };
  const runs = (...words: string[]) =>
    run(['runs', ...words, '--blog', blogUrl], { env, folder: root });
  const list = async (): Promise<readonly { id: string; state: string; counts: unknown }[]> =>
    JSON.parse((await runs('list', '--json')).out);
  return { runs, list };
}

it.each([
  ['with keys', []],
  ['without keys', ['link-template', 'accept-idempotency']],
])(
  'what a sync created belongs to its run though the answer was lost, %s',
  async (_what, hides) => {
    let isDown = true;
    const world = await givenSync({ hides, loses: (method) => isDown && method === 'POST' });
    const { runs, list } = runsOf(world);
    world.write({ 'a.md': 'A/one', 'b.md': 'B/two', 'c.md': 'C/three' });
    world.commit();
    await world.add('Before', 'by hand');
    const cut = await world.sync('apply posts --retries 0 --max-wait 0s');
    expect(cut.json).toMatchObject({ written: 0 });
    expect((await world.there()).length).toBeGreaterThan(1);
    isDown = false;
    await world.add('D', 'by hand');
    const id = (await list())[0]?.id ?? '';
    const created = (await world.there()).length - 2;
    const undone = await runs('undo', id, '-y', '--json');
    expect(JSON.parse(undone.out)).toMatchObject({ changes: created, deleted: created, kept: 0 });
    expect((await world.there()).map((each) => each.replace(/^\d+ /, ''))).toEqual([
      'Before/by hand',
      'D/by hand',
    ]);
    expect(JSON.parse((await runs('undo', id, '-y', '--json')).out)).toMatchObject({ deleted: 0 });
  },
);

it('what a later sync created is not that of one whose request never arrived', async () => {
  let isDown = true;
  const world = await givenSync({
    refuses: (method) =>
      isDown && method === 'POST' ? { status: 504, detail: 'Down' } : undefined,
  });
  const { runs, list } = runsOf(world);
  world.write({ 'a.md': 'A/one' });
  world.commit();
  await world.sync('apply posts --retries 0 --max-wait 0s');
  isDown = false;
  const id = (await list())[0]?.id ?? '';
  expect((await world.sync('apply posts')).json).toMatchObject({ written: 1 });
  const undone = await runs('undo', id, '-y', '--json');
  expect(JSON.parse(undone.out)).toMatchObject({ changes: 0 });
  expect(await world.there()).toEqual(['1 A/one']);
});

it('a sync whose posts were all refused leaves no run', async () => {
  const world = await givenSync({
    refuses: (method) => (method === 'POST' ? { status: 422, detail: 'Not this one' } : undefined),
  });
  world.write({ 'a.md': 'A/one' });
  expect((await world.sync('apply posts')).json).toMatchObject({ refused: 1 });
  expect(await runsOf(world).list()).toEqual([]);
});
