import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { link, mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { run } from '../../support/run.ts';

let folder: string;
let file: string;
const inFile = ['--blog', 'file:b.json'];
const store = (...words: readonly string[]) =>
  run(['store', ...words, '--store', 'b.json'], { env: {}, folder });

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'blogctl-store-'));
  file = join(folder, 'b.json');
  for (const title of ['One', 'Two', 'Three']) {
    const line = ['articles', 'create', '--title', title, '--content', title, ...inFile];
    await run(line, { env: {}, folder });
  }
});
afterEach(() => rm(folder, { recursive: true }));

async function damage(change: (text: string) => string): Promise<string> {
  const damaged = change(await readFile(file, 'utf8'));
  await writeFile(file, damaged);
  return damaged;
}

describe('store check', () => {
  it('calls a file sound that is as it was written', async () => {
    const { status, out } = await store('check');
    expect([status, out]).toEqual([0, `${file}\tsound\t3\n`]);
  });

  it('names an article changed by hand, and that the file can be used', async () => {
    await damage((text) => text.replace('"Two"', '"Deux"'));
    const { status, out, err } = await store('check');
    expect([status, out]).toEqual([0, `${file}\tusable\t3\n`]);
    expect(err).toMatch(/^warning: line \d+, byte \d+: /);
  });

  it('ends with 7 for a broken file, names the place and the way out, and changes nothing', async () => {
    const damaged = await damage((text) => text.replace('"Two"', '"Two'));
    const { status, err } = await store('check');
    expect(status).toBe(7);
    expect(err).toMatch(/^warning: line \d+/);
    expect(err).toContain(`error: ${file} is broken; it was left as it is.`);
    expect(err).toContain('hint: Run blogctl store repair');
    expect(await readFile(file, 'utf8')).toBe(damaged);
  });

  it('says why a file that is read can not be written', async () => {
    await link(file, join(folder, 'second.json'));
    const create = ['articles', 'create', '--title', 'A', '--content', 'x', ...inFile];
    const refused = await run(create, { env: {}, folder });
    expect(refused.status).toBe(7);
    const list = await run(['articles', 'list', ...inFile], { env: {}, folder });
    expect(list.status).toBe(0);
    const { status, out, err } = await store('check');
    expect([status, out]).toEqual([0, `${file}\tread-only\t3\n`]);
    expect(err).toContain(`${file} is one of 2 names (hard links) of a file.`);
    for (const said of [err, refused.err])
      expect(said).toContain(`\`blogctl serve --read-only --store ${file}\``);
  });

  it('finds a name too long for what stands beside a store', async () => {
    const name = `${'n'.repeat(240)}.json`;
    await rename(file, join(folder, name));
    const check = await run(['store', 'check', '--store', name], { env: {}, folder });
    expect(check.out).toContain('\tread-only\t3\n');
    const create = [
      'articles',
      'create',
      '--title',
      'A',
      '--content',
      'x',
      '--blog',
      `file:${name}`,
    ];
    const refused = await run(create, { env: {}, folder });
    for (const { err } of [check, refused]) expect(err).toContain('ENAMETOOLONG');
  });

  it.each([
    ['a named pipe', (path: string) => void execFileSync('mkfifo', [path])],
    ['a folder', (path: string) => mkdir(path)],
  ])('does not want %s repaired, and what opens it says the same', async (what, make) => {
    await make(join(folder, 'odd.json'));
    const check = ['store', 'check', '--store', 'odd.json'];
    for (const line of [check, ['articles', 'list', '--blog', 'file:odd.json']]) {
      const { status, err } = await run(line, { env: {}, folder });
      expect(status).toBe(7);
      expect(err).toBe(
        `error: ${join(folder, 'odd.json')} is ${what}, not a file.\nhint: Name a regular file.\n`,
      );
    }
  });
});

describe('an edit by hand', () => {
  const list = () => run(['articles', 'list', '--json', ...inFile], { env: {}, folder });

  it('is shown with a warning, in spite of --quiet, as long as nobody confirms it', async () => {
    const edited = await damage((text) => text.replace('"Two"', '"Deux"'));
    for (const quiet of [[], ['--quiet']]) {
      const line = ['articles', 'get', '2', '--format', 'csv', ...quiet, ...inFile];
      const { status, out, err } = await run(line, { env: {}, folder });
      expect(status).toBe(0);
      expect(out).toContain('Deux');
      expect(err).toContain('article 2 was changed by hand or damaged: its checksum fails.');
      expect(err).toContain('store check --accept-edits');
    }
    expect(await readFile(file, 'utf8')).toBe(edited);
    expect((await store('check')).out).toBe(`${file}\tusable\t3\n`);
  });

  it('has the same tag in every reading, so that a guarded change finds it', async () => {
    await damage((text) => text.replace('"Two"', '"Deux"'));
    const [first, second] = [await list(), await list()];
    expect(first.out).toBe(second.out);
  });

  it('is confirmed by --accept-edits', async () => {
    await damage((text) => text.replace('"Two"', '"Deux"'));
    const { status, out, err } = await store('check', '--accept-edits');
    expect([status, out]).toEqual([0, `${file}\tsound\t3\n`]);
    expect(err).toContain('article 2 was changed by hand or damaged');
    expect(err).toContain('was taken as it is: what is named above has its checksum now.');
    expect(err).not.toContain('left as it is');
    expect((await list()).err).toBe('');
  });

  it('is confirmed by the next change', async () => {
    await damage((text) => text.replace('"Two"', '"Deux"'));
    const change = ['articles', 'update', '1', '--title', 'Uno', ...inFile];
    expect((await run(change, { env: {}, folder })).err).toContain('article 2 was changed');
    expect((await store('check')).out).toBe(`${file}\tsound\t3\n`);
    expect((await list()).out).toContain('Deux');
  });
});

describe('store repair', () => {
  it.each([
    ['random bytes', '\u0001\u0002 no store at all', 'name another file, or put a copy'],
    ['a text of somebody', 'my notes, three years of them\n', 'name another file, or put a copy'],
    ['a beginning', '{"format":"blogctl/1",\n"blo', 'There is no article in it that can be read'],
    ['an empty file', '', 'is empty. Nothing was changed.'],
  ])('makes no file of %s and ends with 7', async (_, text, why) => {
    await writeFile(file, text);
    const { status, err } = await store('repair');
    expect(status).toBe(7);
    expect(err).toContain(why);
    expect((await store('check')).err).toContain(why);
    expect(err.includes('remove the file')).toBe(/^(?:\{|$)/.test(text));
    expect(existsSync(join(folder, 'b.repaired.json'))).toBe(false);
  });

  it('ends with 0 where nothing is lost', async () => {
    expect((await store('repair')).status).toBe(0);
  });

  it.each([
    ['begun with a mark', (text: string) => `\uFEFF${text}`],
    ['of lines that end as on Windows', (text: string) => text.replaceAll('\n', '\r\n')],
    ['indented', (text: string) => JSON.stringify(JSON.parse(text), null, 2)],
    ['swapped', (text: string) => text.replace(/(\n,\{.*)(\n,\{.*)/, '$2$1')],
  ])('ends with 0 where a file is %s and no more', async (_, change) => {
    await damage(change);
    const { status, out, err } = await store('repair', '--json');
    expect(err).toContain('Nothing was lost. Look at it');
    expect(JSON.parse(out)).toMatchObject({
      lost: [],
      unverified: [],
      problems: [{ isHarmless: true }],
    });
    expect(status).toBe(0);
  });

  it('names a text that no checksum vouches for and ends with 10', async () => {
    await damage((text) => text.replace('"Two"', '"Deux"'));
    const { status, err } = await store('repair');
    expect(status).toBe(10);
    expect(err).toContain('article 2 was changed by hand or damaged: its checksum fails');
  });

  it('saves what is whole into a new file and leaves the old one', async () => {
    const damaged = await damage((text) => text.replace('"Two"', '"Two'));
    const { status, out, err } = await store('repair');
    expect([status, out]).toEqual([10, `${join(folder, 'b.repaired.json')}\t2\n`]);
    expect(err).toMatch(/^warning: line \d+: \d+ bytes from byte \d+ on are no article/);
    expect(await readFile(file, 'utf8')).toBe(damaged);
    const listed = await run(['articles', 'list', '--blog', 'file:b.repaired.json'], {
      env: {},
      folder,
    });
    expect(listed.out).toBe('1\tOne\n3\tThree\n');
  });

  it('leaves a sound file alone', async () => {
    const { status, out, err } = await store('repair');
    expect([status, out, err]).toEqual([0, '', `${file} is sound: there is nothing to repair.\n`]);
    expect(existsSync(join(folder, 'b.repaired.json'))).toBe(false);
  });

  it('overwrites nothing', async () => {
    await damage((text) => text.replace('"Two"', '"Two'));
    await writeFile(join(folder, 'there.json'), 'mine');
    const { status, err } = await store('repair', '--to', 'there.json');
    expect(status).toBe(7);
    expect(err).toContain('exists already. Nothing was changed.');
    expect(await readFile(join(folder, 'there.json'), 'utf8')).toBe('mine');
  });
});

describe('store lock', () => {
  const update = (id: string) =>
    run(['articles', 'update', id, '--title', 'New', ...inFile], { env: {}, folder });

  it('refuses changes of one article until it is unlocked', async () => {
    expect((await store('lock', '--article', '2')).err).toBe(
      `Locked article 2 of blog 1 of ${file}.\n`,
    );
    const refused = await update('2');
    expect(refused.status).toBe(6);
    expect(refused.err).toContain('(HTTP 423)');
    expect((await update('1')).status).toBe(0);
    await store('unlock', '--article', '2');
    expect((await update('2')).status).toBe(0);
  });

  it('refuses changes of a whole blog', async () => {
    await store('lock');
    expect((await update('1')).err).toContain('(HTTP 423)');
    const line = ['articles', 'create', '--title', 'T', '--content', '', ...inFile];
    expect((await run(line, { env: {}, folder })).err).toContain('(HTTP 423)');
  });

  it('names what is not there', async () => {
    const { status, err } = await store('lock', '--article', '99');
    expect(status).toBe(5);
    expect(err).toContain(`error: There is no article 99 of blog 1 in ${file}.`);
  });
});

it('a store that is named twice is not guessed at', async () => {
  const both = ['token', 'create', '--store', file, '--blog', 'file:two.json'];
  const { status, out, err } = await run(both, { env: {}, folder });
  expect([status, out]).toEqual([2, '']);
  expect(err).toContain('--store and --blog both say which store is meant.');
});

describe('a store that reads like the address of a database', () => {
  it.each([
    'host=127.0.0.1 password=hunter2 dbname=blog',
    'dbname=blog user=owner',
    'pg:owner:hunter2@127.0.0.1/blog',
    'postgres;//owner:hunter2@127.0.0.1/blog',
  ])('is refused, not shown and not made: %s', async (written) => {
    const before = await readdir(folder);
    for (const [line, env] of [
      [['serve', '--port', '0'], { BLOGCTL_STORE: written }],
      [['store', 'init', written], {}],
      [['store', 'init', written, '--store', file], {}],
      [['store', 'copy', written, 'q.json'], {}],
    ] as const) {
      const { status, out, err } = await run([...line], { env, folder });
      expect([line, status, out]).toEqual([line, 2, '']);
      expect(err).toContain('reads like the address of a database');
      expect(err).not.toContain('hunter2');
    }
    expect(await readdir(folder)).toEqual(before);
  });

  it.each(['./host=a.json', 'a@b:c.json', 'my host.json'])(
    'is a file where it is one: %s',
    async (name) => {
      expect(await run(['store', 'init', name], { env: {}, folder })).toMatchObject({ status: 0 });
    },
  );

  it('a password as an option of the address is one on the command line, too', async () => {
    const written = 'postgres://owner@127.0.0.1:1/blog?sslmode=disable&password=hunter2';
    const { status, err } = await run(['store', 'check', written], { env: {}, folder });
    expect([status, err]).toEqual([2, expect.stringContaining('PGPASSFILE or BLOGCTL_STORE')]);
    expect(err).not.toContain('hunter2');
  });
});

it('store add-blog answers the id of the new blog', async () => {
  const { status, out } = await store('add-blog', '--title', 'Garden');
  expect([status, out]).toEqual([0, '2\tGarden\t\n']);
});

it('store edit-blog changes what it is told to, as a new version of the blog', async () => {
  const shown = async () =>
    JSON.parse((await run(['blog', '--json', ...inFile], { env: {}, folder })).out);
  const before = await shown();
  expect((await store('edit-blog', '--title', 'Field notes')).err).toContain(
    `Changed blog 1 of ${file}.`,
  );
  expect(await shown()).toMatchObject({ title: 'Field notes', description: before.description });
  await store('edit-blog', '--description', 'Of the weir');
  expect(await shown()).toMatchObject({ title: 'Field notes', description: 'Of the weir' });
  const [nothing, nowhere] = [
    await store('edit-blog'),
    await store('edit-blog', '--on-blog', '7', '--title', 'T'),
  ];
  expect([nothing.status, nothing.err]).toEqual([2, expect.stringContaining('nothing to change')]);
  expect([nowhere.status, nowhere.err]).toEqual([5, expect.stringContaining('There is no blog 7')]);
});

it('store compact puts the lines in order', async () => {
  await run(['articles', 'update', '1', '--title', 'Uno', ...inFile], { env: {}, folder });
  expect((await store('compact')).status).toBe(0);
  const { articles } = JSON.parse(await readFile(file, 'utf8'));
  expect(articles.map(({ id }: { id: number }) => id)).toEqual([1, 2, 3]);
});

describe('a file of another program', () => {
  const others = [
    ['{"posts":[{"id":1,"title":"a"}],"comments":[]}', 'b-blog.json --seed '],
    ['{"articles":[{"id":1,"title":"a","content":"b"}]}', 'blogctl articles import '],
  ] as const;
  it.each(others)('is no broken store, and is left as it is: %s', async (text, hint) => {
    await writeFile(file, text);
    for (const line of [['check'], ['repair'], ['repair', '--to', 'saved.json'], ['compact']]) {
      const { status, out, err } = await store(...line);
      expect([status, out]).toEqual([7, '']);
      expect(err).toContain('this is no blogctl store');
      expect(err).toContain(hint);
      expect(err).not.toContain('store repair');
    }
    expect(await readFile(file, 'utf8')).toBe(text);
    expect(existsSync(join(folder, 'saved.json'))).toBe(false);
  });

  it('is one where articles of ours can be saved from it', async () => {
    await damage((text) => text.replace('"format"', '"formaT"'));
    const { status, err } = await store('check');
    expect(status).toBe(7);
    expect(err).toContain('blogctl store repair');
  });
});

describe('a title of a blog', () => {
  it.each([
    ['edit-blog', ''],
    ['edit-blog', ' \u200b'],
    ['add-blog', ''],
  ])('is seen: %s %j', async (verb, title) => {
    const before = await readFile(file, 'utf8');
    const { status, err } = await store(verb, '--title', title);
    expect(status).toBe(2);
    expect(err).toContain('A title needs a visible character.');
    expect(await readFile(file, 'utf8')).toBe(before);
  });
});

it('a token is made for blogs that are there alone', async () => {
  const token = (blog: string) =>
    run(['token', 'create', '--store', 'b.json', '--for-blog', blog], { env: {}, folder });
  const { status, err } = await token('2');
  expect([status, existsSync(join(folder, 'b.tokens.json'))]).toEqual([5, false]);
  expect(err).toContain('There is no blog 2 in ');
  expect(err).toContain('Its blogs are 1; ');
  expect(err).toContain(`add-blog --title <text> --store ${file} adds one`);
  await store('add-blog', '--title', 'Second');
  expect((await token('2')).status).toBe(0);
});

it('a store is no source of an import, and whoever sends one is told what is', async () => {
  const text = await readFile(file, 'utf8');
  await writeFile(join(folder, 'dump.json'), text);
  for (const [words, stdin] of [
    [['-'], text],
    [['-', '--list', 'articles'], text],
    [[join(folder, 'dump.json'), '--list', 'articles'], ''],
  ] as const) {
    const line = ['articles', 'import', ...words, ...inFile];
    const { status, err } = await run(line, { env: {}, folder, stdin });
    expect(status).toBe(7);
    expect(err).toContain('blogctl articles export - --blog file:');
    expect(await readFile(file, 'utf8')).toBe(text);
  }
});

it.each(['posts/', 'b.json'])('serve --ephemeral does not pass over %s', async (name) => {
  const line = ['serve', `./${name}`, '--ephemeral', '--port', '0'];
  const { status, err } = await run(line, { env: {}, folder });
  expect(status).toBe(2);
  expect(err).toContain('is not read: --ephemeral keeps all in memory.');
});
