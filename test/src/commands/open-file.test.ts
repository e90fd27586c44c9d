import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
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

describe('a store file that a project file names', () => {
  const clone = () => join(folder, 'clone');
  const project = () => join(clone(), '.blogctl.json');
  const names = (blog: string) => writeFile(project(), JSON.stringify({ blog }));
  const within = (line: string, more: object = {}) =>
    run(words(line), { env, folder: clone(), ...more });
  const made = [
    'articles create --title T --content C',
    'articles import ./posts',
    'sync apply ./posts -y',
    'store init',
    'serve --port 0',
  ];

  beforeEach(async () => {
    await mkdir(clone());
    await mkdir(join(folder, 'home'));
    for (const name of ['HOME', 'USERPROFILE']) vi.stubEnv(name, join(folder, 'home'));
    await symlink(folder, join(clone(), 'out'));
    await symlink(join(folder, 'home', '.bash_login'), join(clone(), 'link.json'));
  });

  afterEach(() => vi.unstubAllEnvs());

  it.each(made)('outside of its folder is not made by %s', async (line) => {
    for (const [blog, path] of [
      ['file:../home/.bash_login', join(folder, 'home', '.bash_login')],
      ['file:out/home/.bash_login', join(clone(), 'out', 'home', '.bash_login')],
    ] as const) {
      await names(blog);
      const { status, err } = await within(line);
      expect([status, err.split('\n').filter((said) => /^error|^hint/.test(said))]).toEqual([
        5,
        [
          `error: There is no store file ${path}, and ${project()} makes none outside of its folder.`,
          `hint: If you want one there, \`blogctl store init --store ${path}\` makes it; else name another with --blog.`,
        ],
      ]);
    }
    expect(await readdir(join(folder, 'home'))).toEqual([]);
  });

  it.each(['file:link.json', 'file:~/.bash_login'])('is not made as %s', async (blog) => {
    await names(blog);
    for (const line of made) expect((await within(line)).status).toBeGreaterThan(0);
    expect(await readdir(join(folder, 'home'))).toEqual([]);
  });

  it('is used where it is there, and made where it lies in the folder or is named by others', async () => {
    await names('file:../home/b.json');
    expect((await within('store init --store ../home/b.json')).status).toBe(0);
    expect((await within('articles create --title T --content C')).status).toBe(0);
    expect(
      (await within('articles create --title T --content C --blog file:../o.json')).status,
    ).toBe(0);
    await names('file:..b.json');
    expect((await within('articles create --title T --content C')).status).toBe(0);
    expect(existsSync(join(clone(), '..b.json'))).toBe(true);
  });

  const blog = () => `file:${join(clone(), 'b.json')}`;
  const said = () => `Using the blog ${blog()}, chosen by ${project()}`;

  it('is said, once, by what changes it, and by none that reads it', async () => {
    await names('file:b.json');
    for (const line of ['sync apply ./posts -y', 'articles update 1 --title U', 'token create'])
      expect((await within(line)).err.split(said())).toHaveLength(2);
    expect((await within('articles list')).err).toBe('');
    expect((await within('articles update 1 --title V --blog file:b.json')).err).not.toContain(
      said(),
    );
  });

  it('is said where it names a profile, too', async () => {
    await run(['profile', 'add', 'mine', 'file:b.json'], { env, folder: clone() });
    await writeFile(project(), JSON.stringify({ profile: 'mine' }));
    expect((await within('articles create --title T --content C')).err).toContain(said());
  });

  it.each([
    ['sync apply ./posts', 'Apply to BLOG? [y/N] '],
    ['articles delete 1', 'Delete article 1 "T" of BLOG? [y/N] '],
    ['articles delete 1 2', 'Delete 2 articles of BLOG? [y/N] '],
  ])('is named by the question of %s, and before it what chose it', async (line, question) => {
    await names('file:b.json');
    for (const content of ['C', 'D'])
      await within(`articles create --title T --content ${content}`);
    const { status, err } = await within(line, { stdin: 'n\n', terminal: 300 });
    expect([status, err.split(said())[1]]).toEqual([
      4,
      expect.stringContaining(question.replace('BLOG', blog())),
    ]);
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
