import { readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';

import { run as runLine } from '../../../support/run.ts';
import { describe, expect, it } from 'vitest';

import { BlogctlError } from '../../../../src/errors.ts';
import { createFakeBlog } from '../../importing/fake-blog.ts';
import { withFiles } from '../../importing/sources/files.ts';
import { givenCommand } from './given-command.ts';

const post = (title: string): string => `---\ntitle: ${title}\n---\nText\n`;
const ndjson = (...titles: string[]): string =>
  titles.map((title) => `${JSON.stringify({ title, content: 'x' })}\n`).join('');

const hintOf = (error: unknown) => (error instanceof BlogctlError ? (error.hint ?? '') : '');

describe('blogctl articles import', () => {
  it('sums up what it did in one line for a person', async () => {
    const blog = createFakeBlog();
    await withFiles(
      { 'posts/a.md': post('A'), 'posts/b.md': `---\ntitle: B\ndraft: true\n---\n` },
      async (folder) => {
        const line = ['articles', 'import', join(folder, 'posts'), '--format', 'table'];
        const first = await givenCommand(line, blog);
        expect(first).toMatchObject({
          status: 0,
          stdout: '2 records: 1 created, 1 skipped (draft 1).\n',
        });
        expect((await givenCommand(line, blog)).stdout).toBe(
          '2 records: 1 already there, 1 skipped (draft 1).\n',
        );
      },
    );
  });

  it('names the states of the records where none has one that was asked for', async () => {
    const text = '{"title":"A","content":"x","status":"pending"}\n';
    await withFiles({ 'd.ndjson': text }, async (folder) => {
      const line = ['articles', 'import', join(folder, 'd.ndjson'), '--status', 'drafts'];
      const { stderr } = await givenCommand(line, createFakeBlog());
      expect(stderr).toContain('No record is in a state that --status names; there are: pending.');
    });
  });

  it.each([
    ['where nobody chose', [], 'page'],
    ['not where somebody did', ['--types', 'post'], undefined],
    ['where none of those that were chosen is there', ['--types', 'posst'], 'post, page'],
    ['where none may be', ['--types', 'all', '--allow-empty'], 'post, page'],
  ])('names the types of items that an export has beside: %s', async (_, flags, named) => {
    const item = (type: string) =>
      `<item><title>${type}</title><guid>${type}</guid><wp:post_type>${type}</wp:post_type><wp:status>publish</wp:status></item>`;
    const wxr = `<rss version="2.0" xmlns:wp="http://wordpress.org/export/1.2/"><channel><wp:wxr_version>1.2</wp:wxr_version>${item('post')}${item('page')}</channel></rss>`;
    await withFiles({ 'shop.xml': wxr }, async (folder) => {
      const line = ['articles', 'import', join(folder, 'shop.xml'), ...flags];
      const { stderr, status } = await givenCommand(line, createFakeBlog());
      expect(status).toBe(flags[1] === 'posst' ? 7 : 0);
      const [, found] = /items of these types: (.+)\. --types names/.exec(stderr) ?? [];
      expect(found).toBe(named);
      const more = await givenCommand(
        [...line.slice(0, 3), '--types', 'post,pgae'],
        createFakeBlog(),
      );
      expect(more).toMatchObject({ status: 0, stdout: expect.stringContaining('"created": 1') });
      expect(more.stderr).toContain('No item of an export is of the type "pgae"');
      expect(more.stderr).not.toContain('the type "post"');
    });
  });

  const inStates = (...values: readonly string[]) =>
    values
      .map((status, id) => `${JSON.stringify({ id, title: 'T', content: 'x', status })}\n`)
      .join('');
  const dates =
    '{"id":1,"title":"A","publishAt":"2940-01-01"}\n{"id":2,"publishAt":"2940-01-02"}\n';

  it.each([
    [
      'd.csv',
      'title,content,published\nA,x,\nB,x,\n',
      [],
      '(unpublished): "published" is empty. --drafts',
    ],
    [
      'd.csv',
      'title,content,Tag\nA,x,\nB,x,\n',
      ['--map', 'published=Tag'],
      '(unpublished): "Tag" is empty. --drafts',
    ],
    ['d.ndjson', inStates('private'), [], '(status private): "status" is private. --drafts'],
    [
      'd.ndjson',
      inStates('trash', 'trash'),
      [],
      '(status trash): "status" is trash. --status trash',
    ],
    ['d.ndjson', dates, [], '(future): "publishAt" says so. --drafts'],
    ['d.md', '---\ntitle: A\ndraft: true\n---\n', [], '(draft). --drafts'],
    ['d.ndjson', inStates('private', 'draft'), [], undefined],
    ['d.ndjson', inStates('private', 'public'), [], undefined],
    ['d.ndjson', inStates('private'), ['--status', 'draft'], undefined],
  ])(
    'names the sign by which every record of %s is left out: %j %j',
    async (name, text, flags, said) => {
      await withFiles({ [name]: text, 'e.ndjson': inStates('public') }, async (folder) => {
        const line = ['articles', 'import', join(folder, name), ...flags];
        const { stderr } = await givenCommand(line, createFakeBlog());
        const sentence =
          said && `Every record is left out ${said} publishes such records all the same.\n`;
        expect(/^Every .*\n/m.exec(stderr)?.[0]).toBe(sentence);
        const both = await givenCommand([...line, join(folder, 'e.ndjson')], createFakeBlog());
        const isOne = text.trim().split('\n').length === 1 || name === 'd.md';
        expect(/^Every .*\n/m.exec(both.stderr)?.[0]).toBe(
          isOne ? undefined : sentence?.replace('record', `record of ${name}`),
        );
      });
    },
  );

  it.each([
    ['d.ndjson', '{"title":"A","content":"","istEntwurf":true}', 'draft=istentwrf', 'istentwrf'],
    ['d.ndjson', '{"title":"A","content":"","istEntwurf":true}', 'draft=istentwurf', undefined],
    ['p/a.md', '---\ntitle: A\nstand: x\n---\n', 'status=stnd', 'stnd'],
    ['p/a.md', '---\ntitle: A\nstand: live\n---\n', 'status=stand', undefined],
    [
      'feed.xml',
      '<rss version="2.0"><channel><item><title>A</title><guid>1</guid></item></channel></rss>',
      'password=passwort',
      'passwort',
    ],
  ])('names the member of --map that no record has: %s %s', async (name, text, map, unseen) => {
    await withFiles({ [name]: text }, async (folder) => {
      const line = ['articles', 'import', join(folder, name.split('/')[0] ?? ''), '--map', map];
      const { stderr } = await givenCommand(line, createFakeBlog());
      expect(/No record has "(.*?)", which --map names/.exec(stderr)?.[1]).toBe(unseen);
    });
  });

  it('says what is known with another text, and how to take back what it made beside that', async () => {
    const row = (id: string, content: string) => JSON.stringify({ id, title: id, content });
    await withFiles({ 'd.ndjson': row('a', 'x') }, async (folder) => {
      const [blog, env] = [createFakeBlog(), { BLOGCTL_DATA_DIR: join(folder, 'data') }];
      const line = ['articles', 'import', join(folder, 'd.ndjson'), '--format', 'table'];
      await givenCommand(line, blog, { env });
      await writeFile(join(folder, 'd.ndjson'), `${row('a', 'y')}\n${row('b', 'x')}\n`);
      const tried = await givenCommand([...line, '--dry-run'], blog, { env });
      expect(tried.stdout).toBe('2 records: 1 would be created, 1 known with another text.\n');
      expect(hintOf(tried.error)).not.toContain('runs undo');
      const made = await givenCommand(line, blog, { env });
      expect(made).toMatchObject({
        stdout: '2 records: 1 created, 1 known with another text.\n',
        error: { message: 'Of 2 records: 1 known with another text.' },
      });
      const [, id = ''] = /blogctl runs undo (\w+) takes back/.exec(hintOf(made.error)) ?? [];
      await givenCommand(['runs', 'undo', id, '-y'], blog, { env });
      expect(blog.articles.map(({ title }) => title)).toEqual(['a']);
      const unkept = { BLOGCTL_NO_RUNS: '1', BLOGCTL_DATA_DIR: join(folder, 'other') };
      const again = await givenCommand([...line, '--recreate'], blog, { env: unkept });
      expect(blog.articles).toHaveLength(2);
      expect(hintOf(again.error)).not.toContain('runs undo');
    });
  });

  it('writes one JSON document for a program', async () => {
    await withFiles({ 'd.ndjson': ndjson('A', 'B') }, async (folder) => {
      const line = ['articles', 'import', join(folder, 'd.ndjson'), '--json'];
      const { stdout } = await givenCommand(line, createFakeBlog());
      expect(JSON.parse(stdout)).toEqual({
        records: 2,
        created: 2,
        replayed: 0,
        skipped: 0,
        rejected: 0,
        inDoubt: 0,
        unsent: 0,
        reasons: { skipped: {}, rejected: {} },
        notices: { 'known-by-text': 2 },
      });
    });
  });

  it('lists what is wrong, sends nothing and ends with 7', async () => {
    const blog = createFakeBlog();
    await withFiles({ 'd.ndjson': `${ndjson('A')}{"title":""}\n` }, async (folder) => {
      const line = ['articles', 'import', join(folder, 'd.ndjson'), '--format', 'table'];
      const run = await givenCommand(line, blog);
      expect(run).toMatchObject({
        status: 7,
        stdout: '2 records: 1 rejected (title 1), 1 not sent.\n',
        stderr:
          'warning: d.ndjson:2: The title is empty.\nwarning: 1 record is known by title and content alone, having no uuid, guid, id, slug or url: one that is edited becomes a new article. --key-field names a member that identifies them, from the first import on: what is there without it is created again, unless blogctl runs undo takes it back before.\n',
        error: { message: '1 of 2 records cannot be imported, so nothing was sent.' },
      });
      expect(blog.posted).toEqual([]);
    });
  });

  it('leaves what is wrong in the rejects file and ends with 10', async () => {
    await withFiles({ 'd.ndjson': `${ndjson('A')}{"title":""}\n` }, async (folder) => {
      const rejects = join(folder, 'wrong.ndjson');
      const line = ['articles', 'import', join(folder, 'd.ndjson')];
      const tolerant = [...line, '--continue-on-error', '--rejects', rejects];
      const run = await givenCommand(tolerant, createFakeBlog());
      expect(run.status).toBe(10);
      expect(JSON.parse(run.stdout)).toMatchObject({ records: 2, created: 1, rejected: 1 });
      expect(run.stderr).toContain(`Rejected records are in ${rejects}`);
      expect(JSON.parse(await readFile(rejects, 'utf8'))).toMatchObject({ position: 2 });
    });
  });

  it.each([
    ['1', 10],
    ['0', 7],
    ['50%', 10],
    ['49%', 7],
  ])('bears up to %s of wrong records', async (most, status) => {
    await withFiles({ 'd.ndjson': `${ndjson('A')}{"title":""}\n` }, async (folder) => {
      const line = ['articles', 'import', join(folder, 'd.ndjson'), '--max-errors', most];
      const run = await givenCommand([...line, '--rejects', join(folder, 'r')], createFakeBlog());
      expect(run.status).toBe(status);
    });
  });

  it('reads stdin', async () => {
    const blog = createFakeBlog();
    const line = ['articles', 'import', '-', '--import-id', 'weekly'];
    expect((await givenCommand(line, blog, { stdin: [ndjson('A', 'B')] })).status).toBe(0);
    expect(blog.articles).toHaveLength(2);
  });

  it('annotates what is wrong in GitHub Actions, beside the file', async () => {
    await withFiles(
      { 'd.ndjson': `${ndjson('A')}{"title":""}\n`, 'p/a,b.md': 'x' },
      async (folder) => {
        const env = { GITHUB_ACTIONS: 'true' };
        const lines = await givenCommand(
          ['articles', 'import', `${folder}/d.ndjson`],
          createFakeBlog(),
          { env },
        );
        expect(lines.stderr).toContain(
          `::error file=${folder}/d.ndjson,line=2::The title is empty.\n`,
        );
        const posts = await givenCommand(['articles', 'import', `${folder}/p`], createFakeBlog(), {
          env,
        });
        expect(posts.stderr).toContain(
          `::error file=${folder}/p/a%2Cb.md::No front matter, so no title.`,
        );
      },
    );
  });

  it('writes few lines outside of a terminal', async () => {
    const many = Array.from({ length: 3_000 }, (_, at) => `T${at}`);
    await withFiles({ 'd.ndjson': ndjson(...many) }, async (folder) => {
      const run = await givenCommand(
        ['articles', 'import', join(folder, 'd.ndjson')],
        createFakeBlog(),
      );
      expect(run.stderr.trim().split('\n').length).toBeLessThan(20);
    });
  });

  it('says in few lines what was read with care', async () => {
    const odd = (title: string): string => `---\ntitle: ${title}\nx: y: z\n---\n`;
    const files = { 'p/a.md': odd('A'), 'p/b.md': odd('B'), 'p/c.md': odd('C') };
    await withFiles(files, async (folder) => {
      const run = await givenCommand(['articles', 'import', join(folder, 'p')], createFakeBlog());
      expect(run.status).toBe(0);
      expect(run.stderr.split('\n')[0]).toMatch(
        /^warning: a\.md: Only the title was read, .* \(and 2 more like this: b\.md, c\.md\)$/,
      );
    });
  });

  it('says of a post that is public one day that its front matter is broken', async () => {
    const broken = (title: string, line: string) =>
      `---\ntitle: ${title}\ntags: [a\n${line}\n---\n`;
    const posts = {
      'p/a.md': broken('A', 'date: 2999-01-01'),
      'p/b.md': broken('"B', 'date: 2999-01-01'),
      'p/c.md': broken('"C', 'draft: yes'),
    };
    await withFiles(posts, async (folder) => {
      const line = ['articles', 'import', join(folder, 'p'), '--format', 'table'];
      const run = await givenCommand(line, createFakeBlog());
      expect(run).toMatchObject({
        status: 0,
        stdout: '3 records: 3 skipped (future 2, draft 1).\n',
      });
      expect(run.stderr).toContain('a.md: Only the title was read, the YAML around it is broken:');
      expect(run.stderr).toContain('b.md: The YAML cannot be read:');
      expect(run.stderr).not.toContain('c.md');
    });
  });

  it('names links and counts what it does not read, and creates in the order of dates', async () => {
    const files = {
      'p/a.md': '---\ntitle: New\ndate: 2021-05-01\n---\n',
      'p/2020-01-01-b.md': '---\ntitle: Old\n---\n',
      'p/c.png': '',
      'p/d.rst': '',
      'p/e.rst': '',
    };
    await withFiles(files, async (folder) => {
      for (const name of ['x.md', 'y.md']) await symlink('/etc/hostname', join(folder, 'p', name));
      const blog = createFakeBlog();
      const words = ['articles', 'import', join(folder, 'p'), '--sort', 'date'];
      const run = await givenCommand(words, blog);
      expect(run.status).toBe(0);
      expect(run.stderr.split('\n').slice(0, 2)).toEqual([
        'warning: x.md: It is a link that leads to /etc/hostname; name that file itself to import it. (and 1 more like this: y.md)',
        'warning: p: Not read: 2 .rst, 1 image. Convert .rst to Markdown first.',
      ]);
      expect(blog.articles.map(({ title }) => title)).toEqual(['Old', 'New']);
      expect(JSON.parse(run.stdout)).toMatchObject({
        notices: { 'link-out-of-source': 2, 'not-read': 1 },
      });
    });
  });

  it('takes what a list of the shell names once, and nothing of elsewhere', async () => {
    const files = {
      'p/a.md': '---\ntitle: A\n---\nText',
      'elsewhere/s.md': '---\ntitle: S\n---\n',
    };
    await withFiles(files, async (folder) => {
      await symlink('a.md', join(folder, 'p/same.md'));
      await symlink(join(folder, 'elsewhere/s.md'), join(folder, 'p/about.md'));
      const blog = createFakeBlog();
      await givenCommand(['articles', 'import', join(folder, 'p')], blog);
      const list = ['a.md', 'about.md', 'same.md'].map((name) => join(folder, 'p', name));
      const line = ['articles', 'import', ...list, '--title-from', 'filename'];
      const run = await givenCommand(line, blog);
      expect(run.status).toBe(0);
      expect(run.stderr).toContain(
        `about.md: It is a link that leads to ${join(folder, 'elsewhere/s.md')}; name that file itself to import it.`,
      );
      expect(blog.articles.map(({ title }) => title)).toEqual(['A']);
    });
  });

  it.each([
    [
      ['--map', 'body=x'],
      'Write it as title=…,content=…; each of these can be named once: title, content, draft,',
    ],
    [['--concurrency', '65'], 'It must be a whole number, 1 to 64.'],
    [['--max-errors', 'many'], 'Write a number of records, or a share of them such as 5%.'],
    [['--on-changed', 'merge'], 'Allowed choices are fail, skip.'],
  ])('refuses %j', async (flags, message) => {
    const { error } = await givenCommand(['articles', 'import', 'x', ...flags], createFakeBlog());
    expect(error).toMatchObject({ message: expect.stringContaining(message) });
  });

  it('adds up flags that are given more than once', async () => {
    const blog = createFakeBlog();
    await withFiles({ 'd.ndjson': '{"t":"T","c":"C"}\n' }, async (folder) => {
      const twice = ['--map', 'title=t', '--map', 'content=c', '--fields', 'created', '--fields'];
      const line = ['articles', 'import', join(folder, 'd.ndjson'), ...twice, 'records', '--json'];
      const { status, stdout } = await givenCommand(line, blog);
      expect([status, JSON.parse(stdout)]).toEqual([0, { created: 1, records: 1 }]);
    });
    expect(blog.articles).toMatchObject([{ title: 'T', content: 'C' }]);
    const item = (title: string, state: string) =>
      `<item><title>${title}</title><wp:post_id>${title.charCodeAt(0)}</wp:post_id><wp:post_type>post</wp:post_type><wp:status>${state}</wp:status></item>`;
    const items = item('A', 'publish') + item('B', 'private') + item('C', 'pending');
    const rss = '<rss version="2.0" xmlns:wp="http://wordpress.org/export/1.2/"><channel>';
    const wxr = `<?xml version="1.0"?>${rss}${items}</channel></rss>`;
    await withFiles({ 'e.xml': wxr }, async (folder) => {
      const states = ['--status', 'publish', '--status', 'private'];
      await givenCommand(['articles', 'import', join(folder, 'e.xml'), ...states], blog);
    });
    expect(blog.articles.map(({ title }) => title)).toEqual(['T', 'A', 'B']);
  });

  it.each([
    ['--rejects', 'posts', 'posts/a.md'],
    ['--results', 'posts', 'posts/a.md'],
    ['--results', 'posts/*.md', 'posts/a.md'],
    ['--rejects', 'posts', 'posts/sub/d.ndjson'],
    ['--results', 'link', 'posts/a.md'],
    ['--results', 'posts', 'link/empty.md'],
  ])('lets %s overwrite no file of the source: %s, %s', async (flag, source, output) => {
    const files = {
      'posts/a.md': post('A'),
      'posts/sub/d.ndjson': ndjson('D'),
      'posts/empty.md': '',
    };
    await withFiles(files, async (folder) => {
      await symlink('posts', join(folder, 'link'));
      const [named, file] = [join(folder, source), join(folder, output)];
      const words = ['articles', 'import', named, flag, file, '--overwrite', '--continue-on-error'];
      expect(await givenCommand(words, createFakeBlog())).toMatchObject({
        status: 2,
        error: { message: `"${file}" would overwrite the source "${named}".` },
      });
    });
  });

  it('writes results and rejects of an earlier run anew, in the folder of the source too', async () => {
    await withFiles({ 'posts/a.md': post('A'), 'posts/b.md': 'No title' }, async (folder) => {
      const names = ['posts/results.ndjson', 'posts/rejects.ndjson'].map((name) =>
        join(folder, name),
      );
      const [results = '', rejects = ''] = names;
      const outputs = ['--results', results, '--rejects', rejects, '--overwrite'];
      const words = [
        'articles',
        'import',
        join(folder, 'posts'),
        '--continue-on-error',
        ...outputs,
      ];
      const blog = createFakeBlog();
      for (let times = 0; times < 2; times += 1)
        expect(await givenCommand(words, blog)).toMatchObject({ status: 10 });
    });
  });

  it('does not let the rejects overwrite their source', async () => {
    await withFiles({ 'd.ndjson': ndjson('A') }, async (folder) => {
      const path = join(folder, 'd.ndjson');
      const line = ['articles', 'import', path, '--rejects', `${folder}/./d.ndjson`];
      expect(await givenCommand(line, createFakeBlog())).toMatchObject({
        status: 2,
        error: { message: `"${folder}/./d.ndjson" would overwrite the source "${path}".` },
      });
    });
  });
});

describe('--results', () => {
  it.each(['--results', '--rejects'])('%s - makes no file of that name', async (flag) => {
    const { status, err } = await runLine(['articles', 'import', 'posts', flag, '-'], {});
    expect([status, err]).toEqual([2, expect.stringContaining('hint: ')]);
    expect(err).toContain('Name a file: stdout has what the run came to, as --json does.');
  });

  const records = [
    { id: 1, title: 'Kept', content: 'x' },
    { id: 2, title: 'Gone', content: 'x' },
    { id: 3, title: 'Edited', content: 'x' },
  ];
  const lines = (values: readonly object[]): string =>
    values.map((value) => `${JSON.stringify(value)}\n`).join('');

  it('says of each record what became of it, in a dry run too', async () => {
    const blog = createFakeBlog();
    await withFiles({ 'd.ndjson': lines(records) }, async (folder) => {
      const line = ['articles', 'import', join(folder, 'd.ndjson'), '--continue-on-error'];
      const rejects = ['--rejects', join(folder, 'rejects.ndjson')];
      const resultsOf = async (more: readonly string[]) => {
        const path = join(folder, `results-${more.length}.ndjson`);
        await givenCommand([...line, ...rejects, '--results', path, '--ordered', ...more], blog);
        const text = await readFile(path, 'utf8');
        const found = text
          .trim()
          .split('\n')
          .map((each): Record<string, unknown> => JSON.parse(each));
        return found.toSorted((a, b) => Number(a['position']) - Number(b['position']));
      };
      const url = (id: number) => `file:${relative(folder, '/blog.json')}#${id}`;
      const at = (position: number) => ({ source: 'd.ndjson', position });
      await givenCommand([...line, '--ordered'], blog);
      await blog.remove({ id: 2 });
      const more = [
        { ...records[2], content: 'y' },
        { id: 4, title: 'New', content: 'x' },
      ];
      const after = [...records.slice(0, 2), ...more, { id: 5, title: '' }, records[0] ?? {}];
      await writeFile(join(folder, 'd.ndjson'), lines(after));
      const known = [
        { ...at(1), outcome: 'replayed', id: 1, url: url(1) },
        { ...at(2), outcome: 'skipped', reason: 'deleted' },
        { ...at(3), outcome: 'rejected', reason: 'changed', id: 3, url: url(3) },
      ];
      const left = [
        { ...at(5), outcome: 'rejected', reason: 'title' },
        { ...at(6), outcome: 'skipped', reason: 'repeated' },
      ];
      const planned = { ...at(4), outcome: 'created' };
      expect(await resultsOf(['--dry-run'])).toEqual([...known, planned, ...left]);
      const created = { ...planned, id: 4, url: url(4) };
      expect(await resultsOf([])).toEqual([...known, created, ...left]);
      const [passed] = (await resultsOf(['--on-changed', 'skip', '--dry-run'])).slice(2);
      expect(passed).toMatchObject({ outcome: 'skipped', reason: 'changed', id: 3, url: url(3) });
    });
  });

  it.each([
    [
      'd-2024.csv',
      'id,title,content\n1,A,x\n',
      /`blogctl articles update https:\/\/blog\.test\/articles\/1 --title <text> --content/,
    ],
    ['p.md', '---\ntitle: A\n---\nx\n', /blogctl sync plan <folder> shows/],
  ])('says of what changed in %s how it comes to the blog', async (name, text, hint) => {
    await withFiles({ [name]: text }, async (folder) => {
      const blog = createFakeBlog();
      const line = ['articles', 'import', join(folder, name)];
      await givenCommand(line, blog);
      await writeFile(join(folder, name), text.replace('x', 'y'));
      const { status, error } = await givenCommand(line, blog);
      expect([status, error]).toMatchObject([10, { hint: expect.stringMatching(hint) }]);
      const said = error instanceof BlogctlError ? (error.hint ?? '') : '';
      expect(said.match(/Where (?:posts of a folder|a record)/g)).toHaveLength(1);
      expect(said).toContain('with the same names or ids, --import-id <name> keeps the two apart.');
    });
  });

  it('overwrites no file unless it is told to', async () => {
    await withFiles({ 'd.ndjson': ndjson('A'), 'r.ndjson': 'mine' }, async (folder) => {
      const results = join(folder, 'r.ndjson');
      const line = ['articles', 'import', join(folder, 'd.ndjson'), '--results', results];
      const refused = await givenCommand(line, createFakeBlog());
      expect(refused).toMatchObject({ status: 6 });
      expect(await readFile(results, 'utf8')).toBe('mine');
      expect((await givenCommand([...line, '--overwrite'], createFakeBlog())).status).toBe(0);
    });
  });
});

describe('a record that was imported and is not public any more', () => {
  const record = (id: number, more: object = {}) => ({
    id,
    title: `T${id}`,
    content: 'x',
    ...more,
  });
  const textOf = (records: readonly object[]) =>
    records.map((each) => JSON.stringify(each)).join('\n');

  it.each([
    [true, 3],
    [false, 0],
  ])('is named with its article, which stays: keys %s', async (honoursKeys, asked) => {
    const blog = createFakeBlog({ honoursKeys });
    let looks = 0;
    const articleByKey: typeof blog.articleByKey = (key) => ((looks += 1), blog.articleByKey(key));
    await withFiles({ 'd.ndjson': textOf([1, 2, 3].map((id) => record(id))) }, async (folder) => {
      const env = { BLOGCTL_DATA_DIR: join(folder, 'data') };
      const results = join(folder, 'results.ndjson');
      const line = ['articles', 'import', join(folder, 'd.ndjson'), '--ordered'];
      const run = (...more: string[]) =>
        givenCommand([...line, ...more], { ...blog, articleByKey }, { env });
      await run();
      await blog.remove({ id: 2 });
      const never = Array.from({ length: 30 }, (_, at) => record(at + 10, { draft: true }));
      const now = [
        record(1, { status: 'private' }),
        record(2, { status: 'private' }),
        record(3, { password: 'p' }),
        record(3),
        ...never,
      ];
      await writeFile(join(folder, 'd.ndjson'), textOf(now));
      const said =
        'warning: d.ndjson:1: left out (status private), but its article is on the blog: "T1" at https://blog.test/articles/1; it stays until';
      expect((await run('--dry-run')).stderr).toContain(said);
      looks = 0;
      const { status, stdout, stderr } = await run('--json');
      expect([status, looks]).toEqual([0, asked]);
      expect(stderr.match(/left out/g)).toHaveLength(1);
      expect(JSON.parse(stdout)).toMatchObject({ notices: { 'still-public': 1 } });
      await run('--results', results);
      const lines = (await readFile(results, 'utf8')).trim().split('\n');
      const left = lines
        .filter((each) => each.includes('"skipped"'))
        .map((each) => JSON.parse(each));
      expect(left.toSorted((a, b) => a.position - b.position).slice(0, 4)).toEqual([
        {
          source: 'd.ndjson',
          position: 1,
          outcome: 'skipped',
          reason: 'status private',
          notice: 'still-public',
          id: 1,
          url: expect.stringMatching(/#1$/),
        },
        { source: 'd.ndjson', position: 2, outcome: 'skipped', reason: 'status private' },
        { source: 'd.ndjson', position: 3, outcome: 'skipped', reason: 'password' },
        { source: 'd.ndjson', position: 5, outcome: 'skipped', reason: 'draft' },
      ]);
      expect((await run('--status', 'draft')).stderr).not.toContain('T3');
    });
  });

  it('is named twenty times at most, and in posts, tables and exports too', async () => {
    const item = (id: number, state: string) =>
      `<item><title>T</title><guid>${id}</guid><wp:post_type>post</wp:post_type><wp:status>${state}</wp:status></item>`;
    const wxr = (state: string) =>
      `<rss version="2.0" xmlns:wp="http://wordpress.org/export/1.2/"><channel><wp:wxr_version>1.2</wp:wxr_version>${item(1, state)}</channel></rss>`;
    const csv = (state: string) => `slug,title,content,status\na,A,x,${state}\n`;
    const lines = (state: string) =>
      textOf(Array.from({ length: 22 }, (_, id) => record(id, { status: state })));
    const all = (state: string) => ({
      'p/a.md': `---\ntitle: A\nstatus: ${state}\n---\n`,
      'p/b.csv': csv(state),
      'p/c.xml': wxr(state),
      'p/d.ndjson': lines(state),
    });
    const blog = createFakeBlog();
    await withFiles(all('publish'), async (folder) => {
      const env = { BLOGCTL_DATA_DIR: join(folder, 'data') };
      const line = ['articles', 'import', join(folder, 'p')];
      await givenCommand(line, blog, { env });
      for (const [name, text] of Object.entries(all('private')))
        await writeFile(join(folder, name), text);
      const { stderr } = await givenCommand(line, blog, { env });
      expect(stderr.match(/^warning: [abcd]\S+: left out/gm)).toHaveLength(20);
      expect(new Set(stderr.match(/(?<=^warning: )[abc](?=\S+: left out)/gm))).toEqual(
        new Set('abc'),
      );
      expect(stderr).toContain('and 5 more on the blog; --results <file> names them all');
      expect(blog.articles).toHaveLength(25);
    });
  });
});

it('a backup brings back what was deleted where it was taken, and calls that blog no other', async () => {
  await withFiles({}, async (folder) => {
    const at = { env: { BLOGCTL_DATA_DIR: folder }, folder };
    const on = (...line: string[]) => runLine(['articles', ...line, '--blog', 'file:b.json'], at);
    await on('create', '--title', 'A', '--content', 'x');
    await on('export', 'backup.ndjson');
    await on('delete', '1', '-y');
    const line = ['import', join(folder, 'backup.ndjson'), '--json'];
    expect(JSON.parse((await on(...line)).out)).toMatchObject({ created: 0, skipped: 1 });
    const { out, err } = await on(...line, '--recreate');
    expect(JSON.parse(out)).toMatchObject({ created: 1 });
    expect(err).not.toContain('another blog');
  });
});

describe('what an import writes beside the blog', () => {
  const wrong = `${ndjson('A')}{"title":"","content":"x"}\n`;

  it('takes the place of nothing that is there: repaired rejects stay', async () => {
    await withFiles({ 'd.ndjson': wrong, 'mine.txt': 'mine' }, async (folder) => {
      const line = ['articles', 'import', join(folder, 'd.ndjson'), '--continue-on-error'];
      for (const flag of ['--rejects', '--results']) {
        const path = join(folder, 'mine.txt');
        expect(await givenCommand([...line, flag, path], createFakeBlog())).toMatchObject({
          status: 6,
          error: { message: `${path} is there already.` },
        });
        expect(await readFile(path, 'utf8')).toBe('mine');
      }
      const both = ['--rejects', join(folder, 'r'), '--results', join(folder, './r')];
      expect((await givenCommand([...line, ...both], createFakeBlog())).status).toBe(2);
    });
  });

  it('is made anew where it is the results of an earlier run', async () => {
    await withFiles({ 'd.ndjson': ndjson('A') }, async (folder) => {
      const results = join(folder, 'r.ndjson');
      const line = ['articles', 'import', join(folder, 'd.ndjson'), '--results', results];
      expect((await givenCommand([...line, '--dry-run'], createFakeBlog())).status).toBe(0);
      expect((await givenCommand(line, createFakeBlog())).status).toBe(0);
      expect(await readFile(results, 'utf8')).toContain('"id":1');
      const rehearsed = await givenCommand([...line, '--dry-run'], createFakeBlog());
      expect(rehearsed).toMatchObject({
        status: 6,
        error: { message: `${results} is there already.` },
      });
    });
  });
});

describe('rejects that nobody named a file for', () => {
  it('fill no folder where an earlier run left the very same', async () => {
    const wrong = (title: string) => `${ndjson(title)}{"title":"","content":"${title}"}\n`;
    await withFiles({ 'd.ndjson': wrong('A') }, async (folder) => {
      const before = process.cwd();
      try {
        process.chdir(folder);
        const line = ['articles', 'import', 'd.ndjson', '--continue-on-error'];
        const night = async () => {
          const { stdout, stderr } = await givenCommand(line, createFakeBlog());
          const [, rejectsFile = ''] = /"rejectsFile": ?"([^"]*)"/.exec(stdout) ?? [];
          expect(stderr).toContain(`Rejected records are in ${rejectsFile}`);
          return rejectsFile;
        };
        const first = await night();
        expect([await night(), await night()]).toEqual([first, first]);
        await writeFile('d.ndjson', wrong('B'));
        const [third, fourth] = [await night(), await night()];
        expect([first, third, fourth]).toEqual([
          'd.rejects.ndjson',
          'd.rejects-2.ndjson',
          'd.rejects-2.ndjson',
        ]);
        // What was mended meanwhile stays.
        await writeFile('d.rejects-2.ndjson', ndjson('B'));
        expect(await night()).toBe('d.rejects-3.ndjson');
        expect(await readFile('d.rejects-2.ndjson', 'utf8')).toBe(ndjson('B'));
        expect((await readdir('.')).length).toBe(4);
      } finally {
        process.chdir(before);
      }
    });
  });
});

describe('a rejects file that cannot be made', () => {
  it('ends the import before anything is sent', async () => {
    const blog = createFakeBlog();
    await withFiles({ 'd.ndjson': `${ndjson('A')}{"title":""}\n` }, async (folder) => {
      const rejects = join(folder, 'nowhere', 'r.ndjson');
      const line = ['articles', 'import', join(folder, 'd.ndjson'), '--continue-on-error'];
      const run = await givenCommand([...line, '--rejects', rejects], blog);
      expect(run.status).toBe(7);
      expect(blog.posted).toEqual([]);
    });
  });
});

/** The blog is a store file at the root; its path is relative to where one stands. */
const article = `{"title":"A","content":"x","url":"file:${relative('', '/blog.json')}#1"}`;

describe('blogctl articles export', () => {
  it.each([
    [[], '"=1+1","-x"'],
    [['--csv-safe'], `"'=1+1","'-x"`],
  ])(
    'writes what a spreadsheet would run as it is, unless told otherwise: %j',
    async (flags, row) => {
      const blog = createFakeBlog({ articles: [{ title: '=1+1', content: '-x' }] });
      const line = ['articles', 'export', '-', '--format', 'csv', ...flags];
      expect((await givenCommand(line, blog)).stdout).toContain(`\n${row},`);
    },
  );

  it('writes what an import reads', async () => {
    const blog = createFakeBlog({ articles: [{ title: 'A', content: 'x' }] });
    await withFiles({}, async (folder) => {
      for (const name of ['posts', 'd.ndjson', 'd.json', 'd.csv']) {
        const path = join(folder, name);
        expect((await givenCommand(['articles', 'export', path], blog)).status).toBe(0);
        const copy = createFakeBlog();
        expect((await givenCommand(['articles', 'import', path], copy)).status).toBe(0);
        expect(copy.articles).toEqual(blog.articles);
      }
    });
  });

  it.each([
    [[], `${article}\n`],
    [['-', '--format', 'ndjson'], `${article}\n`],
    [['-', '--json'], `[\n${article}\n]\n`],
  ])('writes to stdout with %j', async (line, expected) => {
    const blog = createFakeBlog({ articles: [{ title: 'A', content: 'x' }] });
    expect((await givenCommand(['articles', 'export', ...line], blog)).stdout).toBe(expected);
  });

  it.each([
    [['d.txt'], 'The name "d.txt" does not say its format.'],
    [['-', '--format', 'table'], 'There is no export as table.'],
  ])('refuses %j', async (line, message) => {
    const run = await givenCommand(['articles', 'export', ...line], createFakeBlog());
    expect(run).toMatchObject({ status: 2, error: { message } });
  });
});
