import { setTimeout as pause } from 'node:timers/promises';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { blogctl, givenFolder, givenService, startBlogctl } from '../support/command.ts';

const post = (title: string) => `---\ntitle: ${title}\n---\nText\n`;

async function givenBlog() {
  const folder = await givenFolder();
  const env = { BLOGCTL_BLOG: 'file:blog.json' };
  const run = (...words: string[]) => blogctl(words, { folder, env });
  const write = (files: Readonly<Record<string, string>>) => {
    mkdirSync(join(folder, 'posts'), { recursive: true });
    for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  };
  const total = async (): Promise<number> => {
    const { stdout } = await run('articles', 'list', '--format', 'ids');
    return stdout.split('\n').filter((line) => line !== '').length;
  };
  return { folder, env, run, write, total };
}

it('an article of a store that is served now and then is judged once by an undo', async () => {
  const { folder, run, write, total } = await givenBlog();
  write({ 'posts/a.md': post('A'), 'posts/b.md': post('B') });
  expect(await run('articles', 'import', 'posts')).toMatchObject({ exitCode: 0 });
  const service = await givenService(folder);
  write({ 'posts/a.md': `${post('A')}Edited`, 'posts/c.md': post('C') });
  expect(await run('articles', 'import', 'posts')).toMatchObject({ exitCode: 10 });
  const dry = await run('runs', 'undo', '--source', 'posts', '--dry-run', '--json');
  expect(dry).toMatchObject({ exitCode: 0 });
  expect(JSON.parse(dry.stdout)).toMatchObject({ changes: 3, deleted: 3, kept: 0 });
  expect(dry.stderr.match(/Would be deleted: file:blog\.json#\d /g)).toHaveLength(3);
  await run('articles', 'update', '2', '--title', 'By hand');
  await service.end('SIGTERM');
  await givenService(folder);
  const undone = await run('runs', 'undo', '--source', 'posts', '-y', '--json');
  expect(undone).toMatchObject({ exitCode: 10 });
  expect(JSON.parse(undone.stdout)).toMatchObject({ changes: 3, deleted: 2, kept: 1 });
  expect(undone.stderr).toContain('Kept, changed since: file:blog.json#2 ');
  expect(await total()).toBe(1);
  expect(await run('articles', 'get', '2')).toMatchObject({ exitCode: 0 });
});

/** How an import that was killed while its store was served goes on. */
const ways: Readonly<Record<string, { isServed?: true; words?: string[]; isOneLess?: true }>> = {
  unserved: {},
  'at another port': { isServed: true },
  'with --no-resume': { words: ['--no-resume'] },
  'where an article was deleted since': { isOneLess: true },
};

it.each(Object.entries(ways))(
  'all runs of an import that was killed and went on %s have all its articles',
  async (_, { isServed = false, words = [], isOneLess = false }) => {
    const { folder, env, run, write, total } = await givenBlog();
    const lineOf = (at: number) =>
      `${JSON.stringify({ id: at, title: `Of ${at}`, content: 'x' })}\n`;
    write({ 'all.ndjson': Array.from({ length: 600 }, (_each, at) => lineOf(at)).join('') });
    const service = await givenService(folder);
    const count = async (): Promise<number> =>
      JSON.parse(await (await fetch(`${service.blogUrl}/articles?pageSize=1`)).text())
        .totalArticles;
    const line = ['articles', 'import', 'all.ndjson', '--concurrency', '64'];
    const cut = startBlogctl(line, { folder, env });
    while (cut.exitCode === null && (await count()) < 150) await pause(1);
    cut.kill('SIGKILL');
    await cut;
    await service.end('SIGTERM');
    if (isOneLess) await run('articles', 'delete', '1', '-y');
    if (isServed) await givenService(folder);
    expect(await run(...line, ...words)).toMatchObject({ exitCode: 0 });
    expect(await total()).toBe(isOneLess ? 599 : 600);
    const runs: { id: string; command: string }[] = JSON.parse(
      (await run('runs', 'list', '--json')).stdout,
    );
    const imports = runs.filter(({ command }) => command === 'articles import');
    expect(imports).toHaveLength(words.length > 0 || isOneLess ? 2 : 1);
    for (const { id } of imports)
      expect(await run('runs', 'undo', id, '-y')).toMatchObject({ exitCode: 0 });
    expect(await total()).toBe(0);
  },
  120_000,
);

it('a post that is longer than a service takes is already there, and a hint says how it is taken', async () => {
  const { folder, run, write } = await givenBlog();
  const long = `${post('Long')}${'x'.repeat(1_100_000)}`;
  write({ 'posts/a.md': long, 'posts/b.md': post('B') });
  expect(await run('articles', 'import', 'posts')).toMatchObject({ exitCode: 0 });
  await givenService(folder);
  write({ 'posts/c.md': post('C') });
  for (const words of [['--dry-run'], []]) {
    const again = await run('articles', 'import', 'posts', '--json', ...words);
    expect(again).toMatchObject({ exitCode: 0 });
    expect(JSON.parse(again.stdout)).toMatchObject({ created: 1, replayed: 2 });
  }
  write({ 'posts/d.md': long });
  for (const words of [
    ['articles', 'import', 'posts'],
    ['articles', 'update', '1', '--title', 'X'],
    ['articles', 'create', '--from-file', 'posts/d.md'],
    ['sync', 'apply', 'posts', '-y'],
  ]) {
    const refused = await run(...words);
    expect(refused.stderr).toContain('blogctl serve --max-body');
    expect(refused.stderr).not.toContain('rejects file');
  }
});
