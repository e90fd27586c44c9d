import { copyFile, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { describe, expect, it } from 'vitest';

import { BlogctlError } from '../../../src/errors.ts';
import { listRuns } from '../../../src/importing/runs/runs.ts';
import { textDigest } from '../../../src/importing/sources/identity.ts';
import { createFakeBlog, silence, type FakeBlog } from '../importing/fake-blog.ts';
import { withFiles } from '../importing/sources/files.ts';
import { run as runLine } from '../../support/run.ts';
import { givenCommand } from './articles/given-command.ts';

const lines = ['A', 'B', 'C', 'D']
  .map((title) => `${JSON.stringify({ title, content: 'x' })}\n`)
  .join('');

it('an interrupted import is listed, shown and gone on with', async () => {
  await withFiles({ 'd.ndjson': lines }, async (folder) => {
    const env = { BLOGCTL_DATA_DIR: folder };
    const blog = createFakeBlog({ mishap: (n) => (n === 3 ? 'never arrived' : undefined) });
    const line = ['articles', 'import', `${folder}/d.ndjson`, '--ordered', '--max-wait', '0ms'];
    const cut = await givenCommand([...line, '--json'], blog, { env });
    expect(cut.status).toBe(9);
    expect(JSON.parse(cut.stdout)).toMatchObject({ created: 2, inDoubt: 1, unsent: 1 });
    const [, id = ''] = /To go on: blogctl runs resume (\w+)/.exec(cut.stderr) ?? [];

    const list = await givenCommand(['runs', 'list', '--json'], blog, { env });
    expect(JSON.parse(list.stdout)).toMatchObject([
      { id, state: 'interrupted', counts: { answered: 2 }, blog: 'file:/blog.json' },
    ]);
    const show = await givenCommand(['runs', 'show', id.slice(0, 6), '--json'], blog, { env });
    expect(JSON.parse(show.stdout)).toMatchObject({ id, options: { ordered: true } });

    const resumed = await givenCommand(['runs', 'resume', id, '--json'], blog, { env });
    expect(resumed.status).toBe(0);
    expect(JSON.parse(resumed.stdout)).toMatchObject({ created: 2, replayed: 2 });
    expect(blog.posted).toEqual(['A', 'B', 'C', 'C', 'D']);
    const after = await givenCommand(['runs', 'list', '--json'], blog, { env });
    const [ended] = JSON.parse(after.stdout);
    expect(ended).toMatchObject({
      id,
      state: 'ended',
      command: 'articles import',
      counts: { created: 4, replayed: 0 },
    });
    const again = await givenCommand(['runs', 'resume', ended.id], blog, { env });
    expect(again).toMatchObject({
      status: 2,
      error: { message: expect.stringMatching(/has ended/) },
    });
  });
});

it.each([
  ['left out', lines.replace(/.*A.*\n/, ''), { records: 4, created: 4, replayed: 0, rejected: 0 }],
  ['changed', lines.replace('"x"', '"y"'), { records: 5, created: 4, replayed: 0, rejected: 1 }],
])(
  'the counts of a resumed import are true where a record that was sent is %s since',
  async (_what, since, counts) => {
    const named = (text: string) => text.replaceAll(/"title":"(.)"/g, '"id":"$1",$&');
    await withFiles({ 'd.ndjson': named(lines) }, async (folder) => {
      const env = { BLOGCTL_DATA_DIR: folder };
      const blog = createFakeBlog({ mishap: (n) => (n === 3 ? 'never arrived' : undefined) });
      const line = ['articles', 'import', `${folder}/d.ndjson`, '--ordered', '--max-wait', '0ms'];
      const cut = await givenCommand([...line, '--json'], blog, { env });
      expect(cut.status).toBe(9);
      await writeFile(join(folder, 'd.ndjson'), named(since));
      await givenCommand(line, blog, { env });
      const { stdout } = await givenCommand(['runs', 'list', '--json'], blog, { env });
      const [ended] = JSON.parse(stdout);
      expect(ended).toMatchObject({ state: 'ended', counts });
      const { records, ...outcomes } = ended.counts;
      const all = Object.values<number>(outcomes).reduce((sum, count) => sum + count, 0);
      expect(all).toBe(records);
    });
  },
);

it.each(['', '1'])(
  'runs are listed where no blog is named, and none is assumed: CI=%s',
  async (CI) => {
    await withFiles({ 'd.ndjson': lines }, async (folder) => {
      const env = { BLOGCTL_DATA_DIR: folder, CI };
      const at = { folder, env };
      const imported = [
        'articles',
        'import',
        join(folder, 'd.ndjson'),
        '--blog',
        'file:other.json',
      ];
      expect((await runLine(imported, at)).status).toBe(0);
      const { status, out, err } = await runLine(['runs', 'list', '--format', 'tsv'], at);
      expect([status, err]).toEqual([0, '']);
      expect(out).toContain(`file:${join(folder, 'other.json')}`);
      const unknown = await runLine(['runs', 'list', '--profile', 'nowhere'], at);
      expect([unknown.status, unknown.err]).toEqual([2, expect.stringContaining('nowhere')]);
    });
  },
);

it('the same import into a blog that was made anew asks for every record again', async () => {
  await withFiles({ 'd.ndjson': lines }, async (folder) => {
    const env = { BLOGCTL_DATA_DIR: folder };
    const line = ['articles', 'import', `${folder}/d.ndjson`, '--ordered', '--max-wait', '0ms'];
    const first = createFakeBlog({ mishap: (n) => (n > 2 ? 'never arrived' : undefined) });
    expect((await givenCommand(line, first, { env })).status).toBe(9);
    const anew = createFakeBlog();
    const { status, stderr } = await givenCommand(line, anew, { env });
    expect(status).toBe(0);
    expect(stderr).toContain('What an earlier run of this import left does not fit this blog');
    expect(anew.articles).toHaveLength(4);
  });
});

it('an import from stdin is gone on with by the same input, with its own options', async () => {
  await withFiles({}, async (folder) => {
    const env = { BLOGCTL_DATA_DIR: folder };
    const blog = createFakeBlog({ mishap: (n) => (n === 3 ? 'never arrived' : undefined) });
    const line = ['articles', 'import', '-', '--import-id', 's', '--ordered', '--max-wait', '0ms'];
    const cut = await givenCommand(line, blog, { env, stdin: [lines] });
    const [, id = ''] = /blogctl runs resume (\w+)/.exec(cut.stderr) ?? [];
    const resumed = await givenCommand(['runs', 'resume', id], blog, { env, stdin: [lines] });
    expect(resumed.status).toBe(0);
    expect(blog.articles.map(({ title }) => title)).toEqual(['A', 'B', 'C', 'D']);
  });
});

it.each([
  ['zzzzzz', 'No run "zzzzzz".', 'No runs of this blog are known. See blogctl runs list --all.'],
])('a run that is not there is named: %s', async (id, message, hint) => {
  await withFiles({}, async (folder) => {
    const env = { BLOGCTL_DATA_DIR: folder };
    const run = await givenCommand(['runs', 'resume', id], createFakeBlog(), { env });
    expect(run).toMatchObject({ status: 5, error: { message, hint } });
  });
});

it('are a table for a person, which fits the screen and names each run whole', async () => {
  await withFiles({ 'd.ndjson': lines }, async (folder) => {
    const env = { BLOGCTL_DATA_DIR: folder, BLOGCTL_BLOG: `file:${folder}/b.json` };
    const imported = ['articles', 'import', `${folder}/d.ndjson`];
    expect(await runLine(imported, { env, folder })).toMatchObject({ status: 0 });
    const [{ id, started }] = JSON.parse((await runLine(['runs', 'list', '--json'], { env })).out);
    const table = async (...line: string[]) =>
      (await runLine(['runs', 'list', '--no-color', ...line], { env, terminal: 80 })).out;
    const [short, minute] = [id.slice(0, 6), `${started.slice(0, 16)}Z`];
    expect(await table()).toBe(
      `ID      STARTED            COMMAND                   STATE  COUNTS\n${short}  ${minute}  articles import d.ndjson  ended  created 4\n`,
    );
    const [heading = '', ...rows] = (await table('--all')).trimEnd().split('\n');
    expect(heading).toMatch(/^ID +STARTED +COMMAND +STATE +BLOG +COUNTS$/);
    expect(rows.map((row) => row.slice(0, 6))).toEqual([short]);
    expect([heading, ...rows].every((row) => row.length <= 80)).toBe(true);
    expect((await runLine(['runs', 'show', short], { env })).out).toContain(id);
  });
});

it('the runs of one blog are listed, those of others counted', async () => {
  await withFiles({ 'd.ndjson': lines }, async (folder) => {
    const env = { BLOGCTL_DATA_DIR: join(folder, 'data') };
    const blog = createFakeBlog();
    await givenCommand(['articles', 'import', join(folder, 'd.ndjson')], blog, { env });
    const runs = join(folder, 'data', 'runs');
    const [name = ''] = await readdir(runs);
    const record = await readFile(join(runs, name), 'utf8');
    const elsewhere = record
      .replace('"blog":"file:/blog.json"', '"blog":"https://other.test"')
      .replace(/"id":"\w+"/, '"id":"ffffffffff"');
    expect(elsewhere).not.toBe(record);
    await writeFile(join(runs, 'ffffffffff.ndjson'), elsewhere);
    const own = await givenCommand(['runs', 'list', '--json'], blog, { env });
    expect(JSON.parse(own.stdout)).toMatchObject([{ blog: 'file:/blog.json' }]);
    expect(own.stderr).toContain('Not shown: 1 of other blogs; see --all.');
    const all = await givenCommand(['runs', 'list', '--all', '--json'], blog, { env });
    expect(JSON.parse(all.stdout)).toHaveLength(2);
    const typo = await givenCommand(['runs', 'show', 'zzz'], blog, { env });
    expect(typo.error).toMatchObject({
      hint: expect.not.stringContaining('ffffffffff'),
    });
  });
});

describe('runs undo', () => {
  type Env = { readonly BLOGCTL_DATA_DIR: string };
  const twins = lines + lines;

  async function withRuns(
    work: (run: (...line: string[]) => ReturnType<typeof givenCommand>, env: Env) => Promise<void>,
    blog: FakeBlog,
    files: Readonly<Record<string, string>> = { 'd.ndjson': twins },
  ): Promise<void> {
    await withFiles(files, async (folder) => {
      const env = { BLOGCTL_DATA_DIR: join(folder, 'data') };
      const run = (...line: string[]) =>
        givenCommand(
          line.map((word) => word.replace('@', `${folder}/`)),
          blog,
          { env },
        );
      await work(run, env);
    });
  }

  async function latest(run: (...line: string[]) => ReturnType<typeof givenCommand>) {
    const { stdout } = await run('runs', 'list', '--json');
    const runs: readonly { id: string; command: string }[] = JSON.parse(stdout);
    return runs[0] ?? { id: 'none', command: 'none' };
  }

  it.each([
    ['undo last', 'blogctl runs undo'],
    ['undo HEAD', 'blogctl runs undo'],
    ['show latest', 'blogctl runs show'],
    // It may have ended.
    ['resume last', undefined],
  ])('%s offers the line with the id of that run', async (words, line) => {
    await withRuns(async (run) => {
      await run('articles', 'import', '@d.ndjson');
      const { id } = await latest(run);
      const offered = line === undefined ? id : `\`${line} ${id}\``;
      const hint = `The latest: ${offered} (articles import). See blogctl runs list --all.`;
      expect((await run('runs', ...words.split(' '))).error).toMatchObject({ hint });
    }, createFakeBlog());
  });

  it('offers --source where a source is named instead of a run', async () => {
    const blog = createFakeBlog();
    await withRuns(async (run) => {
      await run('articles', 'import', '@d.ndjson');
      const { error } = await run('runs', 'undo', '@d.ndjson');
      const hint = error instanceof BlogctlError ? (error.hint ?? '') : '';
      const [, line = ''] = /^Run `blogctl ([^`]*)` to take back/.exec(hint) ?? [];
      expect((await run(...line.split(' '), '-y')).status).toBe(0);
      expect(blog.articles).toEqual([]);
      expect((await run('runs', 'show', '@d.ndjson')).error).not.toMatchObject({
        hint: expect.stringContaining('--source'),
      });
    }, blog);
  });

  it('leaves the blog as it was before an import, once, and the import can be made again', async () => {
    const blog = createFakeBlog({ articles: [{ title: 'Before', content: 'x' }] });
    const before = JSON.stringify(blog.articles);
    await withRuns(async (run) => {
      expect((await run('articles', 'import', '@d.ndjson')).status).toBe(0);
      expect(blog.articles).toHaveLength(9);
      const { id } = await latest(run);
      const planned = await run('runs', 'undo', id, '--dry-run', '--json');
      expect(JSON.parse(planned.stdout)).toMatchObject({ changes: 8, deleted: 8, dryRun: true });
      expect(planned.stderr.match(/Would be deleted: /g)).toHaveLength(8);
      expect(blog.articles).toHaveLength(9);
      const short = await run('runs', 'undo', id.slice(0, 5), '-y');
      expect(short.error).toMatchObject({
        message: `No run "${id.slice(0, 5)}": give six characters of its id at least.`,
      });
      const refused = await run('runs', 'undo', id);
      expect(refused.status).toBe(2);
      const undone = await run('runs', 'undo', id, '-y', '--json');
      expect(undone.status).toBe(0);
      expect(JSON.parse(undone.stdout)).toMatchObject({ changes: 8, deleted: 8, kept: 0 });
      expect(JSON.stringify(blog.articles)).toBe(before);
      const unshown = await run('runs', 'undo', id, '-y', '--jq', '.[].x');
      expect(unshown).toMatchObject({
        error: { hint: expect.stringContaining('What could be undone is undone all the same.') },
      });
      const twice = await run('runs', 'undo', id, '-y', '--json');
      expect(twice.status).toBe(0);
      expect(JSON.parse(twice.stdout)).toMatchObject({ deleted: 0, nothing: 8 });
      const again = await run('articles', 'import', '@d.ndjson', '--recreate', '--json');
      expect(JSON.parse(again.stdout)).toMatchObject({ created: 8 });
    }, blog);
  });

  it.each([
    ['--blog', 'file:two.json'],
    ['BLOGCTL_BLOG', 'file:two.json'],
    ['--profile', 'two'],
    ['BLOGCTL_PROFILE', 'two'],
  ])('is of its own blog, whatever %s names', async (how, given) => {
    await withFiles({ 'd.ndjson': lines }, async (folder) => {
      const env = {
        BLOGCTL_DATA_DIR: join(folder, 'data'),
        BLOGCTL_CONFIG_DIR: join(folder, 'config'),
      };
      const at = { folder, env };
      const [one, two] = ['one', 'two'].map((name) => `file:${join(folder, name)}.json`);
      const source = join(folder, 'd.ndjson');
      await runLine(['articles', 'import', source, '--blog', 'file:one.json'], at);
      await copyFile(join(folder, 'one.json'), join(folder, 'two.json'));
      const [{ id }] = JSON.parse((await runLine(['runs', 'list', '--json'], at)).out);
      await runLine(['profile', 'add', 'two', 'file:two.json'], at);
      const isFlag = how.startsWith('--');
      const other = isFlag ? [how, given] : [];
      const there = { folder, env: { ...env, ...(!isFlag && { [how]: given }) } };
      const refused = await runLine(['runs', 'undo', id, '-y', ...other], there);
      expect(refused.status).toBe(2);
      expect(refused.err).toContain(`The run ${id} is about ${one}, not ${two}.`);
      const asked = await runLine(['runs', 'undo', id], at);
      expect(asked.err).toContain(`Undo on ${one}: delete up to 4?`);
      const found = ['runs', 'undo', '--source', source, '-y', '--blog', 'file:two.json'];
      expect(JSON.parse((await runLine([...found, '--json'], at)).out)).toMatchObject({
        deleted: 4,
      });
      const undone = await runLine(['runs', 'undo', id, '-y', '--blog', 'file:one.json'], at);
      expect([undone.status, JSON.parse(undone.out)]).toMatchObject([0, { deleted: 4 }]);
    });
  });

  it('of an undo brings back articles that the import knows again: none is made beside them', async () => {
    await withFiles({ 'p/a.md': '# A\n', 'p/b.md': '# B\n' }, async (folder) => {
      const env = { BLOGCTL_DATA_DIR: join(folder, 'data'), BLOGCTL_BLOG: 'file:b.json' };
      const run = (...line: string[]) => runLine([...line, '--format', 'json'], { folder, env });
      const imported = async (...flags: string[]) =>
        JSON.parse(
          (await run('articles', 'import', join(folder, 'p'), '--title-from', 'h1', ...flags)).out,
        );
      const undo = async () => {
        const [{ id } = { id: '' }] = await listRuns(join(folder, 'data'));
        return run('runs', 'undo', id, '-y');
      };
      await imported();
      await undo();
      expect(await imported()).toMatchObject({ created: 0, skipped: 2 });
      expect(JSON.parse((await undo()).out)).toMatchObject({ restored: 2 });
      await run('articles', 'update', '3', '--title', 'Edited');
      for (const flags of [['--dry-run'], [], ['--recreate']])
        expect(await imported(...flags)).toMatchObject({ created: 0, replayed: 2 });
      await writeFile(join(folder, 'p/a.md'), '# A\n\nMore.\n');
      for (const flags of [['--dry-run'], ['--recreate']])
        expect(await imported(...flags)).toMatchObject({ replayed: 1, rejected: 1 });
      await run('articles', 'delete', '4', '-y');
      expect(await imported('--recreate')).toMatchObject({ created: 1, replayed: 1 });
    });
  });

  it('notes what an undo that was killed had created again and could not note', async () => {
    await withFiles({ 'p/a.md': '# A\n', 'p/b.md': '# B\n' }, async (folder) => {
      const data = join(folder, 'data');
      const env = { BLOGCTL_DATA_DIR: data, BLOGCTL_BLOG: 'file:b.json' };
      const run = async (...line: string[]) =>
        JSON.parse((await runLine([...line, '--json'], { folder, env })).out);
      const imported = ['articles', 'import', join(folder, 'p'), '--title-from', 'h1'];
      await run(...imported);
      const undo = async () => {
        const [newest = { id: '', journal: '' }] = await listRuns(data);
        const counts = await run('runs', 'undo', newest.id, '-y');
        return { ...newest, counts };
      };
      await undo();
      const { id } = await undo();
      const [{ journal } = { journal: '' }] = await listRuns(data);
      const noted = await readFile(journal, 'utf8');
      await writeFile(journal, noted.split('\n').slice(0, 2).join('\n'));
      expect(await run('runs', 'undo', id, '-y')).toMatchObject({ restored: 0, nothing: 2 });
      expect(await run(...imported, '--recreate')).toMatchObject({ created: 0, replayed: 2 });
      expect((await undo()).counts).toMatchObject({ changes: 1, deleted: 1 });
    });
  });

  it('by its sources goes by what the import left, whatever the sources have become', async () => {
    const blog = createFakeBlog();
    const post = (title: string) => `# ${title}\n\ntext\n`;
    await withFiles(
      { 'p/a.md': post('A'), 'p/b.md': post('B'), 'p/c.md': post('C') },
      async (folder) => {
        const env = { BLOGCTL_DATA_DIR: join(folder, 'data') };
        const flags = ['--title-from', 'h1'];
        await givenCommand(['articles', 'import', join(folder, 'p'), ...flags], blog, { env });
        await writeFile(join(folder, 'p/b.md'), post('B, edited'));
        await rm(join(folder, 'p/c.md'));
        const line = ['runs', 'undo', '--source', join(folder, 'p'), '-y', '--json'];
        const undone = await givenCommand(line, blog, { env });
        expect([undone.status, JSON.parse(undone.stdout)]).toMatchObject([
          0,
          { deleted: 3, kept: 0 },
        ]);
        expect(blog.articles).toEqual([]);
      },
    );
  });

  it('by sources that are gone goes by what was noted of their import', async () => {
    const blog = createFakeBlog();
    await withRuns(async (run) => {
      await run('articles', 'import', '@d.ndjson');
      await run('runs', 'list');
      const undo = ['runs', 'undo', '--source', '@gone.ndjson', '-y', '--json'];
      expect((await run(...undo)).status).toBe(7);
      const { id } = await latest(run);
      expect(id).not.toBe('none');
    }, blog);
    await withFiles({ 'd.ndjson': lines }, async (folder) => {
      const env = { BLOGCTL_DATA_DIR: join(folder, 'data') };
      const source = join(folder, 'd.ndjson');
      const other = createFakeBlog();
      await givenCommand(['articles', 'import', source], other, { env });
      await rm(source);
      const line = ['runs', 'undo', '--source', source, '-y', '--json'];
      const undone = await givenCommand(line, other, { env });
      expect([undone.status, JSON.parse(undone.stdout)]).toMatchObject([0, { deleted: 4 }]);
      expect(undone.stderr).toContain('What was noted of its import is taken back.');
    });
  });

  it('keeps and names what was changed since', async () => {
    const blog = createFakeBlog();
    await withRuns(async (run) => {
      await run('articles', 'import', '@d.ndjson', '--ordered');
      await blog.replace({ id: 3 }, { title: 'C', content: 'by hand' });
      const { status, stderr, error } = await run('runs', 'undo', (await latest(run)).id, '-y');
      expect(status).toBe(10);
      expect(stderr).toContain('Kept, changed since: file:/blog.json#3 "C"');
      expect(error).toMatchObject({
        message: '1 article was changed since that run, and left alone.',
      });
      expect(blog.articles).toMatchObject([{ id: 3, content: 'by hand' }]);
    }, blog);
  });

  it('brings back what a delete of one took', async () => {
    const blog = createFakeBlog({ articles: [{ title: 'A', content: 'of A' }] });
    await withRuns(async (run) => {
      await run('articles', 'delete', '1', '-y');
      const undone = await run('runs', 'undo', (await latest(run)).id, '-y', '--json');
      expect(JSON.parse(undone.stdout)).toMatchObject({ restored: 1 });
      expect(blog.articles).toMatchObject([{ title: 'A', content: 'of A' }]);
    }, blog);
  });

  it('brings back what was deleted once, without keys, too, and has no word of keys', async () => {
    const articles = [{ title: 'A', content: 'of A' }];
    const blog = createFakeBlog({ articles, honoursKeys: false });
    await withRuns(async (run) => {
      await run('articles', 'delete', '1', '-y');
      const { id } = await latest(run);
      const undone = await run('runs', 'undo', id, '-y', '--json');
      expect(JSON.parse(undone.stdout)).toMatchObject({ restored: 1 });
      expect(undone.stderr).not.toContain('--recreate');
      for (const how of ['-n', '-y']) {
        const twice = await run('runs', 'undo', id, how, '--json');
        expect(JSON.parse(twice.stdout)).toMatchObject({ restored: 0, nothing: 1 });
      }
      expect(blog.articles.map(({ title }) => title)).toEqual(['A']);
    }, blog);
  });

  it('has no word of what is created again where nothing was', async () => {
    const blog = createFakeBlog({ articles: [{ title: 'A', content: 'new' }] });
    await withRuns(async (run, env) => {
      const url = 'https://blog.test/articles/1';
      const about = { command: 'sync apply', blog: 'file:/blog.json', folder: '/', sources: ['p'] };
      const noted = [
        { run: { id: 'abcdef0123', started: '2026-01-01T00:00:00Z', ...about, options: {} } },
        { deleted: url, before: { title: 'A', content: 'new' } },
        {
          updated: url,
          digest: textDigest({ title: 'A', content: 'new' }).slice(0, 32),
          before: { title: 'A', content: 'old' },
        },
      ];
      await mkdir(join(env.BLOGCTL_DATA_DIR, 'runs'), { recursive: true });
      await writeFile(
        join(env.BLOGCTL_DATA_DIR, 'runs', 'abcdef0123.ndjson'),
        noted.map((line) => `${JSON.stringify(line)}\n`).join(''),
      );
      const undone = await run('runs', 'undo', 'abcdef0123', '-y', '--json');
      expect(JSON.parse(undone.stdout)).toMatchObject({ restored: 1, nothing: 1 });
      expect(undone.stderr).toContain('Where its folder still says what is undone, take');
      expect(undone.stderr).not.toContain('created again');
    }, blog);
  });

  it.each([
    ['deletes', undefined, true],
    ['deletes', undefined, false],
    ['changes', '# B\n\nNew.\n', true],
    ['changes', '# B\n\nNew.\n', false],
  ])(
    'says that the folder of a sync that %s says so still, unless the post is back',
    async (_, text, isBack) => {
      const posts = { 'p/a.md': '# A\n\nText.\n', 'p/b.md': '# B\n\nText.\n' };
      await withFiles(posts, async (folder) => {
        const at = { folder, env: { BLOGCTL_DATA_DIR: join(folder, 'data') } };
        const flags = ['--blog', 'file:b.json', '-y'];
        const sync = ['sync', 'apply', 'p', '--title-from', 'h1', '--prune', ...flags];
        expect((await runLine(sync, at)).status).toBe(0);
        const file = join(folder, 'p/b.md');
        await (text === undefined ? rm(file) : writeFile(file, text));
        expect((await runLine(sync, at)).status).toBe(0);
        if (isBack) await writeFile(file, posts['p/b.md']);
        const [{ id } = { id: '' }] = await listRuns(join(folder, 'data'));
        const undone = await runLine(['runs', 'undo', id, ...flags], at);
        expect(undone).toMatchObject({ status: 0, out: expect.stringContaining('restored') });
        expect(undone.err.includes('The folder still says what is undone')).toBe(!isBack);
        expect(undone.err.includes('still says')).toBe(!isBack);
      });
    },
  );

  it('brings back what a delete of several took, in its order, at new addresses, and can be undone too', async () => {
    const articles = ['A', 'B', 'C'].map((title) => ({ title, content: `of ${title}` }));
    const blog = createFakeBlog({ articles });
    await withRuns(async (run) => {
      await run('articles', 'delete', '1', '3', '-y');
      const deletion = await latest(run);
      expect(deletion.command).toBe('articles delete');
      const undone = await run('runs', 'undo', deletion.id, '-y', '--json');
      expect(JSON.parse(undone.stdout)).toMatchObject({ restored: 2 });
      expect(undone.stderr).toContain('file:/blog.json#1 is file:/blog.json#');
      expect(undone.stderr).toContain(
        'is not kept takes it for deleted, and --recreate makes it twice.',
      );
      expect(blog.articles.map(({ title }) => title)).toEqual(['B', 'A', 'C']);
      const looked = await run('runs', 'undo', deletion.id, '--dry-run', '--json');
      expect(JSON.parse(looked.stdout)).toMatchObject({ restored: 0, nothing: 2 });
      const twice = await run('runs', 'undo', deletion.id, '-y', '--json');
      expect(JSON.parse(twice.stdout)).toMatchObject({ restored: 0, nothing: 2 });
      const undo = await latest(run);
      expect(undo.command).toBe('runs undo');
      await run('runs', 'undo', undo.id, '-y');
      expect(blog.articles.map(({ title }) => title)).toEqual(['B']);
    }, blog);
  });

  it('names twenty articles that are elsewhere now and twenty that it leaves, and where all are named', async () => {
    const articles = Array.from({ length: 23 }, (_, at) => ({ title: `T${at}`, content: 'x' }));
    const blog = createFakeBlog({ articles });
    await withRuns(async (run) => {
      await run('articles', 'delete', ...articles.map((_, at) => `${at + 1}`), '-y');
      const { id } = await latest(run);
      const { stderr } = await run('runs', 'undo', id, '-y');
      expect(stderr.match(/; links to it stay gone/g)).toHaveLength(20);
      const [, named = 'none'] = /^and 3 more; blogctl runs show (\w+) names/m.exec(stderr) ?? [];
      const { stdout } = await run('runs', 'show', named, '--format', 'table');
      expect(stdout.match(/^created {2}\S+ {2}once \S+$/gm)).toHaveLength(23);
      expect((await run('runs', 'undo', id, '-y')).stderr).toMatch(/^and 3 more$/m);

      for (const each of blog.articles) await blog.replace({ id: each.id }, { title: 'Edited' });
      const undone = await run('runs', 'undo', named, '-y');
      expect(undone.stderr.match(/Kept, changed since: /g)).toHaveLength(20);
      expect(undone.stderr).toContain(
        'and 3 more kept; the same line with --dry-run names them all',
      );
      const looked = await run('runs', 'undo', named, '--dry-run');
      expect(looked.stderr.match(/Kept, changed since: /g)).toHaveLength(23);
    }, blog);
  });

  it('knows nothing of a deletion that was refused, and creates an article again once', async () => {
    const articles = ['A', 'B'].map((title) => ({ title, content: `of ${title}` }));
    const blog = createFakeBlog({ articles });
    const remove: typeof blog.remove = (...asked) => before.remove(...asked);
    const before = { ...blog };
    await withRuns(async (run) => {
      const missing = new BlogctlError('authentication-required', 'A token is needed.', {
        status: 401,
      });
      Object.assign(blog, { remove: () => Promise.reject(missing) });
      expect((await run('articles', 'delete', '1', '-y')).status).toBe(3);
      const refused = await latest(run);
      expect(refused).toMatchObject({ counts: { deleted: 0 } });
      Object.assign(blog, { remove });
      await run('articles', 'delete', '1', '-y');
      const deleted = await latest(run);
      for (const { id } of [refused, deleted, refused, deleted])
        await run('runs', 'undo', id, '-y');
      expect(blog.articles.map(({ title }) => title).toSorted()).toEqual(['A', 'B']);
    }, blog);
  });

  it('says which article keeps the text of another run, where two know different texts of one', async () => {
    const blog = createFakeBlog({ articles: [{ title: 'A', content: 'first' }] });
    const { ...before } = blog;
    await withRuns(async (run) => {
      // Killed between its note and its request.
      Object.assign(blog, { remove: () => Promise.reject(silence()) });
      await run('articles', 'delete', '1', '-y');
      const killed = await latest(run);
      Object.assign(blog, { remove: (reference: { id: number }) => before.remove(reference) });
      await blog.replace({ id: 1 }, { title: 'A', content: 'second' });
      await run('articles', 'delete', '1', '-y');
      const deleted = await latest(run);
      await run('runs', 'undo', killed.id, '-y');
      const { status, stderr } = await run('runs', 'undo', deleted.id, '-y');
      expect(status).toBe(10);
      expect(stderr).toContain(
        'Kept, created again with another text: file:/blog.json#2, once file:/blog.json#1 "A"',
      );
      expect(blog.articles).toMatchObject([{ id: 2, content: 'first' }]);
    }, blog);
  });

  it('finds by its keys what an import on another machine has created', async () => {
    const blog = createFakeBlog({ articles: [{ title: 'Before', content: 'x' }] });
    await withRuns(async (run) => {
      await run('articles', 'import', '@d.ndjson');
      const rehearsed = await run('runs', 'prune', '--older-than', '0d', '--dry-run');
      expect(rehearsed.stderr).toBe('Would remove 1 run.\n');
      expect((await latest(run)).id).not.toBe('none');
      const asked = await run('runs', 'prune', '--older-than', '0d');
      expect(asked).toMatchObject({
        status: 2,
        error: {
          message:
            'Nobody can be asked here: Forget 1 run, of all blogs? None can be undone any more.',
        },
      });
      expect((await latest(run)).id).not.toBe('none');
      const pruned = await run('runs', 'prune', '--older-than', '0d', '-y');
      expect(pruned.stderr).toBe('Removed 1 run.\n');
      expect((await latest(run)).id).toBe('none');
      const undone = await run('runs', 'undo', '--source', '@d.ndjson', '-y', '--json');
      expect(JSON.parse(undone.stdout)).toMatchObject({ changes: 8, deleted: 8 });
      expect(blog.articles).toHaveLength(1);
    }, blog);
  });

  it('leaves what another import of the same records had created, where its own record is kept', async () => {
    const blog = createFakeBlog();
    const files = { 'two.ndjson': lines.split('\n').slice(0, 2).join('\n'), 'd.ndjson': lines };
    await withRuns(
      async (run) => {
        await run('articles', 'import', '@two.ndjson', '--import-id', 'x');
        await run('articles', 'import', '@d.ndjson', '--import-id', 'x');
        expect(blog.articles).toHaveLength(4);
        const undo = ['runs', 'undo', '--source', '@d.ndjson', '--import-id', 'x', '-y', '--json'];
        const undone = await run(...undo);
        expect(JSON.parse(undone.stdout)).toMatchObject({ changes: 2, deleted: 2 });
        expect(undone.stderr).toContain('Left, created by another import of these records: 2.');
        expect(blog.articles.map(({ title }) => title)).toEqual(['A', 'B']);
      },
      blog,
      files,
    );
  });

  it('that is interrupted says how far it came, and the same line goes on', async () => {
    const blog = createFakeBlog();
    await withRuns(async (run, env) => {
      await run('articles', 'import', '@d.ndjson');
      const { id } = await latest(run);
      const stop = new AbortController();
      const { signal } = stop;
      const stopping: typeof blog = {
        ...blog,
        remove: async (...asked) => {
          stop.abort(new BlogctlError('interrupted', 'Interrupted.'));
          return blog.remove(...asked);
        },
      };
      const cut = await givenCommand(['runs', 'undo', id, '-y'], stopping, { env, signal });
      expect(cut).toMatchObject({
        status: 130,
        error: { message: 'Interrupted. 4 of 8 changes were looked at.' },
      });
      const undo = await latest(run);
      expect(undo).toMatchObject({ command: 'runs undo', counts: { changes: 4 } });
      const resumed = await run('runs', 'resume', undo.id);
      expect(resumed.error).toMatchObject({
        message: `The run ${undo.id} is no import: it was \`blogctl runs undo\`.`,
      });
      const states = async () =>
        (await listRuns(env.BLOGCTL_DATA_DIR)).map(({ command, state }) => `${command} ${state}`);
      expect(await states()).toEqual(['runs undo interrupted', 'articles import ended']);
      await run('runs', 'undo', id, '-y', '--dry-run');
      expect(await states()).toContain('runs undo interrupted');
      await run('runs', 'undo', id, '-y');
      expect(blog.articles).toEqual([]);
      expect(await states()).not.toContain('runs undo interrupted');
    }, blog);
  });

  it('of an interrupted import ends it: the same import begins anew', async () => {
    const blog = createFakeBlog({ mishap: (n) => (n === 3 ? 'never arrived' : undefined) });
    await withRuns(async (run) => {
      await run('articles', 'import', '@d.ndjson', '--ordered', '--max-wait', '0ms');
      const { id } = await latest(run);
      await run('runs', 'undo', id, '-y');
      expect(blog.articles).toEqual([]);
      const again = await run('articles', 'import', '@d.ndjson', '--recreate', '--json');
      expect(JSON.parse(again.stdout)).toMatchObject({ created: 8, replayed: 0 });
    }, blog);
  });

  it.each([
    ['and gone on with', ['runs', 'resume']],
    ['and not gone on with', undefined],
  ])('takes back what was sent and not noted when an import was interrupted, %s', async (_, on) => {
    const articles = [{ title: 'Before', content: 'x' }];
    const blog = createFakeBlog({ articles, mishap: (n) => (n === 5 ? 'lost answer' : undefined) });
    const half = lines.split('\n').slice(0, 2).join('\n');
    await withRuns(
      async (run) => {
        const sending = [
          'articles',
          'import',
          '--import-id',
          'x',
          '--ordered',
          '--max-wait',
          '0ms',
        ];
        await run(...sending, '@half.ndjson');
        const cut = await run(...sending, '@d.ndjson');
        expect(cut.status).toBe(9);
        expect(blog.articles.map(({ title }) => title)).toEqual(['Before', 'A', 'B', 'C']);
        const { id } = await latest(run);
        const resumed = on && (await run(...on, id));
        expect(resumed?.status ?? 0).toBe(0);
        const undone = await run('runs', 'undo', id, '-y', '--json');
        const deleted = on === undefined ? 1 : 2;
        expect(JSON.parse(undone.stdout)).toMatchObject({ changes: deleted, deleted });
        expect(blog.articles.map(({ title }) => title)).toEqual(['Before', 'A', 'B']);
      },
      blog,
      { 'half.ndjson': half, 'd.ndjson': lines },
    );
  });

  it.each([[['runs', 'resume']], [undefined]])(
    'leaves what an import by another address of the blog brought meanwhile: %s',
    async (on) => {
      const blog = createFakeBlog({ mishap: (n) => (n === 3 ? 'never arrived' : undefined) });
      const sending = ['articles', 'import', '@d.ndjson', '--ordered', '--max-wait', '0ms'];
      await withRuns(
        async (run, env) => {
          expect((await run(...sending)).status).toBe(9);
          const [cut = { id: '', journal: '' }] = await listRuns(env.BLOGCTL_DATA_DIR);
          const { id, journal } = cut;
          const noted = await readFile(journal, 'utf8');
          await rm(journal);
          const there = await run(...sending, '--json');
          expect(JSON.parse(there.stdout)).toMatchObject({ created: 2, replayed: 2 });
          for (const { journal: path } of await listRuns(env.BLOGCTL_DATA_DIR)) {
            const text = await readFile(path, 'utf8');
            await writeFile(path, text.replace('file:/blog.json', 'file:/other.json'));
          }
          await writeFile(journal, noted);
          const resumed = on && (await run(...on, id));
          expect(resumed?.status ?? 0).toBe(0);
          const undone = await run('runs', 'undo', id, '-y', '--json');
          expect(JSON.parse(undone.stdout)).toMatchObject({ changes: 2, deleted: 2 });
          expect(blog.articles.map(({ title }) => title)).toEqual(['C', 'D']);
        },
        blog,
        { 'd.ndjson': lines },
      );
    },
  );

  it('takes back by its sources what was sent and not noted, and asks for what was asked first', async () => {
    const blog = createFakeBlog({ mishap: (n) => (n === 2 ? 'lost answer' : undefined) });
    const post = (title: string) => `# ${title}\n\ntext\n`;
    await withRuns(
      async (run) => {
        const sending = ['articles', 'import', '@posts', '--title-from', 'h1', '--ordered'];
        const cut = await run(...sending, '--max-wait', '0ms');
        expect(cut.status).toBe(9);
        expect((await run(...sending)).status).toBe(0);
        const undone = await run('runs', 'undo', '--source', '@posts', '-y', '--json');
        expect(JSON.parse(undone.stdout)).toMatchObject({ changes: 3, deleted: 3 });
        expect(undone.stderr).not.toContain('Left');
        expect(blog.articles).toEqual([]);
        const again = await run('runs', 'undo', '--source', '@posts', '-y');
        expect(again).toMatchObject({ status: 0, stderr: 'Deleted already: 3.\n' });
      },
      blog,
      { 'posts/a.md': post('A'), 'posts/b.md': post('B'), 'posts/c.md': post('C') },
    );
  });

  it('by sources needs the flags that the import had, and says so where it finds nothing', async () => {
    const blog = createFakeBlog();
    await withRuns(
      async (run) => {
        await run('articles', 'import', '@d.csv', '--map', 'content=text', '--delimiter', ';');
        await run('runs', 'prune', '--older-than', '0d', '-y');
        const undo = ['runs', 'undo', '--source', '@d.csv', '-y'];
        expect(await run(...undo)).toMatchObject({
          status: 5,
          error: { message: expect.stringContaining('nothing is undone') },
        });
        const asThen = await run(...undo, '--map', 'content=text', '--delimiter', ';');
        expect(asThen.status).toBe(0);
        expect(blog.articles).toEqual([]);
      },
      blog,
      { 'd.csv': 'title;content;text\nA;of a;x\nB;of b;y\n' },
    );
  });

  it.each([
    [[], 'Nothing is named that could be undone.'],
    [['zzzzzz'], 'No run "zzzzzz".'],
  ])('refuses %j', async (words, message) => {
    await withRuns(async (run) => {
      expect(await run('runs', 'undo', ...words)).toMatchObject({ error: { message } });
    }, createFakeBlog());
  });

  it('is not possible where nothing is kept', async () => {
    await withFiles({ 'd.ndjson': lines }, async (folder) => {
      const env = { BLOGCTL_DATA_DIR: join(folder, 'data'), BLOGCTL_NO_RUNS: '1' };
      await givenCommand(['articles', 'import', join(folder, 'd.ndjson')], createFakeBlog(), {
        env,
      });
      const list = await givenCommand(['runs', 'list', '--json'], createFakeBlog(), { env });
      expect(list.stdout).toBe('[]\n');
    });
  });
});

describe('an import that doubles what an earlier one made of records that it does not have', () => {
  const named = (ids: readonly string[], member = 'id') =>
    ids
      .map((id) => `${JSON.stringify({ [member]: id, title: `T${id}`, content: 'x' })}\n`)
      .join('');

  async function givenImports(
    [first, second]: readonly [Readonly<Record<string, string>>, Readonly<Record<string, string>>],
    {
      words = [],
      meanwhile,
      env = {},
    }: {
      words?: string[];
      meanwhile?: (blog: FakeBlog) => unknown;
      env?: Record<string, string>;
    } = {},
  ) {
    const blog = createFakeBlog();
    const said: string[] = [];
    for (const [at, files] of [first, second].entries()) {
      await withFiles(files, async (folder) => {
        const line = [
          'articles',
          'import',
          ...Object.keys(files).map((name) => join(folder, name)),
        ];
        const more = at === 0 ? [] : words;
        const run = await givenCommand([...line, ...more], blog, { env: { ...env } });
        said.push(run.stderr);
      });
      if (at === 0) await meanwhile?.(blog);
    }
    return { told: said[1] ?? '', blog };
  }

  it.each([
    ['under another name', { 'a.ndjson': named(['1', '2']) }, { 'b.ndjson': named(['1', '2']) }, 2],
    ['by another member', { 'a.ndjson': named(['1']) }, { 'a.ndjson': named(['1'], 'slug') }, 1],
    [
      'where the source grew as well',
      { 'a.ndjson': named(['1', '2']) },
      { 'a.ndjson': named(['3', '1'], 'guid') },
      1,
    ],
  ])('says so before it does, and what takes it back: %s', async (_, first, second, count) => {
    await withFiles({}, async (data) => {
      const env = { BLOGCTL_DATA_DIR: data };
      for (const words of [['--dry-run'], []]) {
        const { told } = await givenImports([first, second], { words, env });
        const said = `${count} new record${count === 1 ? ' has' : 's have'} the very text of an article`;
        expect(told).toContain(said);
        expect(told).toContain(' be there twice: "T1" of ');
        expect(told).toContain(' is https://blog.test/articles/1 already.');
        const [, id] =
          /blogctl runs undo (\w+) takes back all that this import creates/.exec(told) ?? [];
        expect(id !== undefined).toBe(words.length === 0);
        for (const { journal } of await listRuns(data)) await rm(journal);
      }
    });
  });

  it('says so where the blog had another address, and how many at least it has seen', async () => {
    const ids = Array.from({ length: 12 }, (_, at) => `${at + 1}`);
    await withFiles({ 'a.ndjson': named(ids), 'b.ndjson': named(ids) }, async (folder) => {
      const env = { BLOGCTL_DATA_DIR: join(folder, 'data') };
      const imported = async (name: string, blog: string) => {
        const line = ['articles', 'import', join(folder, name), '--blog', blog];
        return (await runLine(line, { folder, env })).err;
      };
      await imported('a.ndjson', 'file:one.json');
      await copyFile(join(folder, 'one.json'), join(folder, 'two.json'));
      expect(await imported('b.ndjson', 'file:three.json')).not.toContain('very text');
      expect(await imported('b.ndjson', 'file:two.json')).toContain(
        'At least 10 new records have the very text of an article that is there',
      );
    });
  });

  const twins = `${named(['1'])}${named(['1']).replace('"id":"1"', '"id":"2"')}`;
  it.each<[string, ...Parameters<typeof givenImports>]>([
    ['twins of one source', [{ 'a.ndjson': named(['1']) }, { 'a.ndjson': twins }]],
    ['other texts', [{ 'a.ndjson': named(['1']) }, { 'b.ndjson': named(['2']) }]],
    [
      'what is deleted since',
      [{ 'a.ndjson': named(['1']) }, { 'b.ndjson': named(['1']) }],
      { meanwhile: (blog) => blog.remove({ id: 1 }) },
    ],
    [
      'what is changed since',
      [{ 'a.ndjson': named(['1']) }, { 'b.ndjson': named(['1']) }],
      { meanwhile: (blog) => blog.replace({ id: 1 }, { title: 'T1', content: 'y' }) },
    ],
  ])('says nothing of %s', async (_, files, options = {}) => {
    await withFiles({}, async (data) => {
      const env = { BLOGCTL_DATA_DIR: data };
      const { told } = await givenImports(files, { ...options, env });
      expect(told).not.toContain('very text');
    });
  });
});
