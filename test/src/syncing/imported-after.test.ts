import { join } from 'node:path';
import { expect, it } from 'vitest';

import { run } from '../../support/run.ts';
import { givenSync } from './given-sync.ts';

/** A folder and its blog in step, and an import of that folder. */
async function givenSynced(hasKeys: boolean) {
  const world = await givenSync(hasKeys ? {} : { hides: ['link-template', 'accept-idempotency'] });
  world.write({ 'a.md': 'A/one', 'b.md': 'B/two' });
  world.commit();
  await world.sync('apply posts');
  const env = {
    BLOGCTL_DATA_DIR: join(world.root, 'data'),
    BLOGCTL_CONFIG_DIR: join(world.root, 'config'),
    BLOGCTL_TOKEN: 'all',
  };
  const line = [
    'articles',
    'import',
    join(world.root, 'posts'),
    '--blog',
    world.blogUrl,
    '--concurrency',
    '1',
  ];
  return { world, importing: () => run(line, { env, folder: world.root }) };
}

it.each([true, false])(
  'what a sync brought and pulled again is there already for an import, keys: %s',
  async (hasKeys) => {
    const { world, importing } = await givenSynced(hasKeys);
    // The file keeps its line end, and the blog has none.
    await world.edit(1, 'AA/mended on the blog');
    await world.sync('pull posts');
    expect((await importing()).err).toContain('2 records: 2 already there.');
    expect(await world.there()).toEqual(['1 AA/mended on the blog', '2 B/two']);
  },
);

it.each([true, false])(
  'what a sync brought and the blog says otherwise by now is not published again, keys: %s',
  async (hasKeys) => {
    const { world, importing } = await givenSynced(hasKeys);
    await world.edit(1, 'AA/mended on the blog');
    await world.destroy(2);
    await importing();
    expect(await world.there()).toEqual(['1 AA/mended on the blog']);
  },
);

it.each([
  [true, 'c.md'],
  [false, 'c.md'],
  // The new one is read first.
  [false, '0.md'],
] as const)(
  'two posts of one text are two articles for an import after a sync of one of them, keys: %s, %s',
  async (hasKeys, name) => {
    const { world, importing } = await givenSynced(hasKeys);
    await world.edit(1, 'A/mended');
    await world.sync('pull posts');
    world.write({ [name]: '---\ntitle: A\n---\nmended' });
    expect((await importing()).err).toMatch(/3 records: .*1 created/);
    expect(await world.there()).toEqual(['1 A/mended', '2 B/two', '3 A/mended']);
  },
);
