import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

import { failureOf } from '../../../src/commands/sync/show-sync.ts';
import { BlogctlError } from '../../../src/errors.ts';
import { fileInShell } from '../../../src/terminal/text.ts';
import { run } from '../../support/run.ts';
import { givenSync, plainLines } from './given-sync.ts';

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

it('says that two names are one in other letters', async () => {
  const world = await givenSync();
  world.write({ ['caf\u00E9.md']: 'A/one', ['cafe\u0301.md']: 'B/two' });
  const { status, err } = await world.sync('plan posts');
  expect(status).toBe(7);
  expect(err).toMatch(
    /rename one of them, whose letters are in another form of Unicode \(NFC, NFD\)/,
  );
});

it('says that a run of which answers were lost may be run again', () => {
  const ended = new BlogctlError('unreachable', 'No answer.', { hint: 'Check the network.' });
  const counts = { planned: 1, written: 0, unchanged: 0, left: 0, refused: 0 };
  const summary = { ...counts, failed: 1, unsent: 0 };
  const report = { summary, storedOtherwise: [], refusals: [], ended };
  const { signal } = new AbortController();
  expect(failureOf(report, { steps: [], lines: plainLines }, { signal })?.hint).toBe(
    'Run the same command again: nothing is made twice. Check the network.',
  );
});

it('gives a line that a shell reads, whatever a post is called', async () => {
  const name = "a\nb'\u0085.md";
  const shown = execFileSync('bash', ['-c', `printf %s ${fileInShell(name)}`], {
    encoding: 'utf8',
  });
  expect(shown).toBe(name);
  const world = await givenSync();
  world.write({ 'new\nline.md': 'A/one' });
  world.commit();
  await world.sync('apply posts');
  await world.destroy(1);
  const { err } = await world.sync('apply posts');
  expect(err).toContain(String.raw`apply posts $'new\\012line.md' --recreate`);
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

it('says once that a token is empty', async () => {
  const world = await givenSync();
  world.write({ 'a.md': 'A/one', 'b.md': 'B/two' });
  const { status, err } = await run(['sync', 'apply', 'posts', '-y', '--blog', world.blogUrl], {
    folder: world.root,
    env: { BLOGCTL_TOKEN: '', BLOGCTL_DATA_DIR: join(world.root, 'data') },
  });
  expect(status).toBe(3);
  expect(err.split('BLOGCTL_TOKEN is empty')).toHaveLength(2);
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
