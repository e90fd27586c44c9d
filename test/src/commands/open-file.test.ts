import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { run } from '../../support/run.ts';

let folder: string;
let env: Record<string, string>;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'blogctl-missing-'));
  env = {
    BLOGCTL_EDITOR: 'true',
    BLOGCTL_CONFIG_DIR: join(folder, 'config'),
    BLOGCTL_DATA_DIR: join(folder, 'data'),
  };
  await writeFile(join(folder, 'backup.ndjson'), 'what was saved yesterday\n');
  await mkdir(join(folder, 'posts'));
  await writeFile(join(folder, 'posts', 'one.md'), '---\ntitle: One\n---\nText\n');
});
afterEach(() => rm(folder, { recursive: true }));

/** Every command that has no business making a store file. */
const readers: readonly string[] = [
  'articles list',
  'articles list --all --format ids -o ids.txt',
  'articles get 1',
  'articles get 1 2 -o got.json',
  'articles export',
  'articles export ./backup.ndjson',
  'articles export ./backup.json',
  'articles export ./posts-of-today',
  'articles delete 1 -y',
  'articles delete 1 2 -y --ignore-missing',
  'articles update 1 --title T',
  'articles update 1 --title T --replace --force',
  'articles edit 1 -y',
  'articles links 1',
  'articles import ./posts --dry-run',
  'links',
  'links doc:articles',
  'blog',
  'api',
  'api doc:articles --paginate',
  'api doc:articles -X POST -F title=T -F content=C',
];

const caretakers: readonly string[] = [
  'store check',
  'store repair',
  'store repair --to saved.json',
  'store compact',
  'store add-blog --title T',
  'store edit-blog --title T',
  'store lock',
  'store unlock --article 1',
  'token create',
  'token list',
  'token revoke ci',
  'serve --read-only --port 0',
];

/** Paths of a source or a destination are those of this process: they are given whole. */
const words = (line: string) => line.split(' ').map((word) => word.replace(/^\.\//, `${folder}/`));
const everyPath = async () => (await readdir(folder, { recursive: true })).sort();

async function endsWithNothingMade(line: string, more: readonly string[] = []) {
  const before = await everyPath();
  const ended = await run([...words(line), ...more], { env, folder });
  expect(await everyPath()).toEqual(before);
  expect(await readFile(join(folder, 'backup.ndjson'), 'utf8')).toBe('what was saved yesterday\n');
  return ended;
}

describe('a store file that is not there', () => {
  it.each(readers)('is not made by %s, which ends with 5', async (line) => {
    for (const path of ['typo.json', 'new/deep/typo.json']) {
      const { status, out, err } = await endsWithNothingMade(line, ['--blog', `file:${path}`]);
      expect([status, out]).toEqual([5, '']);
      expect(err).toContain(`error: There is no store file ${join(folder, path)}.\nhint: `);
      expect(err).toMatch(/hint: Check the spelling .*blogctl store init --store/);
    }
  });

  it.each(caretakers)('is not made by %s, which ends with 5', async (line) => {
    for (const path of ['typo.json', 'new/deep/typo.json']) {
      const { status, out, err } = await endsWithNothingMade(line, ['--store', path]);
      expect([status, out]).toEqual([5, '']);
      expect(err).toContain(`error: There is no store file ${join(folder, path)}.\nhint: `);
    }
  });

  it.each(['--blog', 'BLOGCTL_BLOG', '.blogctl.json'])('is as missing by %s', async (how) => {
    if (how === 'BLOGCTL_BLOG') env = { ...env, BLOGCTL_BLOG: 'file:typo.json' };
    if (how === '.blogctl.json')
      await writeFile(join(folder, how), JSON.stringify({ blog: 'file:typo.json' }));
    const more = how === '--blog' ? ['--blog', 'file:typo.json'] : [];
    expect((await endsWithNothingMade('articles list', more)).status).toBe(5);
  });

  const makers: readonly string[] = [
    'articles create --title T --content C --blog file:PATH',
    'articles import ./posts --blog file:PATH',
    'store init --store PATH',
    'store init --store file:PATH',
  ];

  it.each(makers)('is made by %s', async (line) => {
    const { status } = await run(words(line.replace('PATH', 'new.json')), { env, folder });
    expect(status).toBe(0);
    expect(existsSync(join(folder, 'new.json'))).toBe(true);
  });

  it('is made once by commands that find it missing at the same time', async () => {
    const line = 'articles create --title T --content C --blog file:new.json'.split(' ');
    const ended = await Promise.all([1, 2, 3].map(() => run(line, { env, folder })));
    expect(ended.map(({ status }) => status)).toEqual([0, 0, 0]);
    const listed = await run('articles list --blog file:new.json --format ids'.split(' '), {
      env,
      folder,
    });
    expect(listed.out).toBe('1\n2\n3\n');
  });

  it.each([...makers, 'serve --port 0 --store PATH'])('gets no folder made by %s', async (line) => {
    const { status, err } = await endsWithNothingMade(line.replace('PATH', 'new/deep/x.json'));
    expect(status).toBe(7);
    const path = join(folder, 'new', 'deep');
    expect(err).toContain(`${join(path, 'x.json')} cannot be made: there is no folder ${path}.`);
    expect(err).toMatch(/hint: .*make the folder first/);
  });

  it('of a name with blanks is named as a shell reads it', async () => {
    const { err } = await run(['blog', '--blog', 'file:a b.json'], { env, folder });
    expect(err).toContain(`store init --store '${join(folder, 'a b.json')}'\``);
  });

  it('may stand in the home folder, written as ~', async () => {
    const { status, err } = await run(['blog', '--blog', 'file:~/no-such-blog.json'], { env });
    expect(status).toBe(5);
    expect(err).toContain(`There is no store file ${join(homedir(), 'no-such-blog.json')}.`);
  });
});

describe('the local blog before its first article', () => {
  const path = () => join(folder, 'data', 'blog.json');

  it('is listed as empty, and not made', async () => {
    const { status, out, err } = await endsWithNothingMade('articles list --json');
    expect([status, out]).toEqual([0, '[]\n']);
    expect(err).toContain(`Using the local blog in ${path()}"}\n`);
    expect(err).toContain('"The blog has no articles yet."}\n');
  });

  it('takes a rehearsal of its first import, and is not made', async () => {
    expect((await endsWithNothingMade('articles import ./posts --dry-run')).status).toBe(0);
  });

  const others = readers.filter((line) => !/^articles list|--dry-run/.test(line));
  it.each(others)('is not there for %s', async (line) => {
    const { status, out, err } = await endsWithNothingMade(line);
    expect([status, out]).toEqual([5, '']);
    expect(err).toContain(`error: There is no local blog yet: ${path()} is not there.\n`);
    expect(err).toContain('hint: Make it by its first article with blogctl articles create');
  });

  it.each([
    'articles create --title T --content C',
    'articles import ./posts',
    'store init',
    'store init --store data/blog.json',
  ])('is made, folder and all, by %s', async (line) => {
    expect((await run(words(line), { env, folder })).status).toBe(0);
    expect(existsSync(path())).toBe(true);
  });
});
