import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

import { run } from '../../support/run.ts';
import { givenSync } from './given-sync.ts';

it('says what is not read, and of which folder where it is one', async () => {
  const world = await givenSync();
  world.write({ 'a.md': 'A/one' });
  writeFileSync(join(world.root, 'posts', 'x.txt'), 'text');
  const { err } = await world.sync('plan posts');
  expect(err).toContain('{"warning":"Not read: 1 .txt.');
});

it('names both files of one name', async () => {
  const world = await givenSync({ git: false });
  for (const clone of ['one', 'two']) {
    mkdirSync(join(world.root, 'posts', clone), { recursive: true });
    world.git('init', '-q', join('posts', clone));
    writeFileSync(join(world.root, 'posts', clone, 'a.md'), `---\ntitle: ${clone}\n---\n`);
  }
  const { status, err } = await world.sync('plan posts');
  expect(status).toBe(7);
  expect(err).toContain('Its name is a.md, and so is that of one/a.md');
});

it('does not try again where the line says so', async () => {
  const world = await givenSync();
  world.write({ 'a.md': 'A/one' });
  const nobody = ['--blog', 'http://127.0.0.1:1/api/v1.2/blogs/1'];
  const { status, err } = await run(['sync', 'plan', 'posts', ...nobody, '--retries', '0'], {
    folder: world.root,
  });
  expect(status).toBe(9);
  expect(err).not.toContain('Trying again');
});

it('says that a token is empty', async () => {
  const world = await givenSync();
  world.write({ 'a.md': 'A/one' });
  const { status, err } = await run(['sync', 'apply', 'posts', '-y', '--blog', world.blogUrl], {
    folder: world.root,
    env: { BLOGCTL_TOKEN: '', BLOGCTL_DATA_DIR: join(world.root, 'data') },
  });
  expect(status).toBe(3);
  expect(err).toContain('BLOGCTL_TOKEN is empty');
});

it('says which posts a green run leaves the blog without', async () => {
  const world = await givenSync();
  world.write({ 'a.md': 'A/one', 'b.md': 'B/two' });
  await world.sync('apply posts');
  await world.destroy(1);
  const { status, err } = await world.sync('apply posts');
  expect(status).toBe(0);
  expect(err).toContain(
    'One post is not on the blog, having been deleted there: blogctl sync apply posts a.md --recreate',
  );
});

it('says that a plan is of another folder', async () => {
  const world = await givenSync();
  world.write({ 'a.md': 'A/one' });
  await world.sync('plan posts -o plan.json');
  mkdirSync(join(world.root, 'elsewhere'));
  const words = ['sync', 'apply', '../plan.json', '-y', '--blog', world.blogUrl];
  const { status, err } = await run(words, { folder: join(world.root, 'elsewhere') });
  expect(status).toBe(7);
  expect(err).toContain('Run it in the folder in which the plan was made.');
});
