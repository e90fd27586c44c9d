import { mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { givenFolder } from '../../support/command.ts';
import { givenNoPatience, run } from '../../support/run.ts';

let folder: string;
let env: Record<string, string>;
const blogctl = (line: string) => run(line.split(' '), { env, folder });
const text = (name: string) => readFile(join(folder, name), 'utf8');
const tokens = async () => (await blogctl('token list --store blog.json --format ids')).out;

beforeEach(async () => {
  folder = await givenFolder();
  env = {
    BLOGCTL_CONFIG_DIR: join(folder, 'config'),
    BLOGCTL_DATA_DIR: join(folder, 'data'),
    BLOGCTL_BLOG: 'file:blog.json',
  };
  for (const title of ['One', 'Two']) await blogctl(`articles create --title ${title} --content C`);
});

describe('a store is neither read nor written as another file', () => {
  it.each([
    'articles import blog.json --list articles',
    'articles import link.json --list articles',
    'token create --store blog.json -o blog.json --overwrite',
    'store check --store blog.json -o blog.json --overwrite',
  ])('%s', async (line) => {
    await symlink(join(folder, 'blog.json'), join(folder, 'link.json'));
    const before = await text('blog.json');
    const { status, err } = await blogctl(line);
    expect([status, await text('blog.json')]).toEqual([2, before]);
    expect(err).toMatch(
      /is the store of this blog\.|is a store of blogs: nothing is written over it\./,
    );
  });

  it.each([
    'token create --name x -o blog.tokens.json --overwrite',
    'token create --store ./blog.json -o blog.tokens.json --overwrite',
    'articles list -o blog.tokens.json --overwrite',
    'articles export blog.tokens.json --overwrite',
  ])('%s', async (line) => {
    await blogctl('token create --name first');
    const before = await text('blog.tokens.json');
    const { status, err } = await blogctl(line);
    expect([status, await text('blog.tokens.json')]).toEqual([2, before]);
    expect(err).toMatch(/blog\.tokens\.json"? holds the tokens of (?:this blog|a store: nothing)/);
  });
});

describe('token create', () => {
  it.each(['--format ids', '--json id', '--field id', '--fields id,name', '--jq .id'])(
    'makes none that %s would lose',
    async (flags) => {
      const { status, out, err } = await blogctl(`token create ${flags}`);
      expect([status, out, await tokens()]).toEqual([2, '', '']);
      expect(err).toContain('A token is shown once, and this would not show it.');
    },
  );

  it.each([
    ['', /^bct_\w+\n$/],
    ['--field token', /^bct_\w+$/],
    ['--fields token,id --format ids', /^bct_\w+\n$/],
    ['--fields id,token', /^\w{8}\tbct_\w+\n$/],
    ['--json id,token', /^\{\s+"id": "\w{8}",\s+"token": "bct_\w+"\s+\}\n$/],
    ['--jq .token', /^bct_\w+\n$/],
    ['--format csv', /^id,token\r\n\w{8},bct_\w+\r\n$/],
  ])('%s shows it', async (flags, shown) => {
    const { status, out } = await blogctl(`token create ${flags}`.trim());
    expect(status).toBe(0);
    expect(out).toMatch(shown);
  });
});

it('token revoke demands the id where several have the name', async () => {
  for (const _ of [1, 2]) await blogctl('token create --name ci');
  const before = await tokens();
  const { status, err } = await blogctl('token revoke ci');
  expect([status, await tokens()]).toEqual([2, before]);
  const [first = '', second = ''] = before.split('\n');
  for (const id of [first, second]) expect(err).toContain(id);
  expect((await blogctl(`token revoke ${first}`)).status).toBe(0);
  expect(await tokens()).toBe(`${second}\n`);
});

it('serve makes no store for a profile of a service that is named', async () => {
  env = { BLOGCTL_CONFIG_DIR: join(folder, 'config'), BLOGCTL_DATA_DIR: join(folder, 'data') };
  await blogctl('profile add work http://127.0.0.1:9/api/v1.2/blogs/1');
  const { status, err } = await blogctl('serve --profile work --port 0');
  expect(status).toBe(2);
  expect(err).toContain('is a service, not a store file.');
  expect(await readdir(folder)).not.toContain('data');
});

describe('a folder is no file to write', () => {
  it.each(['articles list -o out --overwrite', 'articles list -o out'])('%s', async (line) => {
    await mkdir(join(folder, 'out'));
    const before = await readdir(folder);
    const { err } = await blogctl(line);
    expect(err).toContain('out is a folder.');
    expect(await readdir(folder)).toEqual(before);
  });
});

describe('what begins as the address of a database is never a file', () => {
  const before = async () => [...(await readdir(folder))].sort();
  it.each([
    'postgres:blog',
    'postgres:',
    'postgres:/u@h:1/db',
    'PostgreSQL:blog',
    'postgres:///a@b',
  ])('%s', async (store) => {
    const files = await before();
    for (const line of ['serve --port 0', 'store init', 'token create', 'store check']) {
      const { status, err } = await blogctl(`${line} --store ${store}`);
      expect([line, status, err]).toEqual([
        line,
        2,
        expect.stringContaining('hint: Write it as postgres://role@host:5432/database'),
      ]);
    }
    expect(await before()).toEqual(files);
  });

  it('in whatever case it is written', async () => {
    givenNoPatience();
    const { status, err } = await blogctl('store check Postgres://a@127.0.0.1:1/b');
    expect([status, err]).toEqual([9, expect.stringContaining('a@127.0.0.1:1/b does not answer')]);
  });

  it.each(["'postgres://u:hush@h/db'", 'jdbc:postgresql://u:hush@h/db', 'postgres//u:hush@h/db'])(
    '%s shows no password either',
    async (store) => {
      const at = { env: { ...env, BLOGCTL_STORE: store }, folder };
      for (const line of [
        ['store', 'check'],
        ['serve', '--port', '0', '--read-only'],
      ]) {
        const { status, err } = await run(line, at);
        expect(status).toBeGreaterThan(0);
        expect(err).not.toContain('hush');
      }
      const seeded = await run(['serve', '--ephemeral', '--seed', store], { env, folder });
      expect(seeded.err).not.toContain('hush');
    },
  );

  it.each(['postgres:u:hush@h/db', 'postgres:/u:hush@h/db'])(
    '%s shows no password',
    async (store) => {
      const { status, err } = await blogctl(`store check ${store}`);
      expect([status, err]).toEqual([2, expect.stringContaining('PGPASSFILE')]);
      expect(err).not.toContain('hush');
    },
  );
});

describe('what begins as the address of another store is no file either', () => {
  it.each(['sqlite:b2.db', 'mysql:b', 'jdbc:sqlite:b.db'])('%s', async (store) => {
    const before = await readdir(folder);
    for (const line of ['store init', 'serve --port 0']) {
      const { status, err } = await blogctl(`${line} ${store}`);
      expect([status, err]).toEqual([
        2,
        expect.stringContaining('a file of such a name as ./<name>'),
      ]);
    }
    expect(await readdir(folder)).toEqual(before);
  });

  it('but one that is there, or is named as a file', async () => {
    expect((await blogctl('store init ./a:b.json')).status).toBe(0);
    expect((await blogctl('store check a:b.json')).status).toBe(0);
  });
});

describe('the name of a file says what is in it', () => {
  it.each(['t.tsv', 't.md', 't.txt'])('also of an export: -o %s is refused', async (name) => {
    const { status, err } = await blogctl(`articles export -o ${name}`);
    const said = `error: The name "${name}" does not say its format.\nhint: Name a folder`;
    expect([status, err]).toEqual([2, expect.stringContaining(said)]);
    expect(await readdir(folder)).not.toContain(name);
  });

  it.each([
    'list -o t.xlsx',
    'get 1 -o t.html',
    'list -o t.yaml',
    'export -o t.xml',
    'list -o t.tap',
  ])('articles %s is refused', async (line) => {
    const { status, err } = await blogctl(`articles ${line}`);
    expect([status, err]).toEqual([
      2,
      expect.stringMatching(/is not written as .*\.txt for a table/s),
    ]);
    expect((await readdir(folder)).some((name) => name.startsWith('t.'))).toBe(false);
  });

  it.each([
    ['get 1 --field content -o t.html', 't.html', /^C$/],
    ['list --format csv -o t.xml', 't.xml', /^id,title/],
    ['list -o t.txt', 't.txt', /^ID +TITLE\n1 +One\n/],
    ['list -o t.jsonl', 't.jsonl', /^\{"id":1,/],
  ])('articles %s', async (line, name, content) => {
    expect((await blogctl(`articles ${line}`)).status).toBe(0);
    expect(await text(name)).toMatch(content);
  });
});

describe('no answer comes in no time', () => {
  it.each([
    'config set timeout 0s',
    'config set timeout 0',
    'articles list --timeout 0s',
    'articles list --timeout 0ms',
  ])('%s is refused', async (line) => {
    const { status, err } = await blogctl(line);
    expect([status, err]).toEqual([
      2,
      expect.stringMatching(/hint: (?:Write (?!0)|Run `blogctl articles list`)/),
    ]);
  });

  it('and a limit that is none is left out', async () => {
    const { err } = await blogctl('articles list --max-time 0');
    expect(err).toContain('Run `blogctl articles list`.');
  });
});

it.each([
  'store check blog.json --store nofile.json',
  'store init x.json --store y.json',
  'store upgrade x.json --store y.json',
])('%s names two files', async (line) => {
  const { status, err } = await blogctl(line);
  expect(status).toBe(2);
  expect(err).toContain('Two stores are named: ');
});

it('articles export takes no -o beside its destination', async () => {
  const { status, err } = await blogctl('articles export out.csv -o out.json');
  expect(status).toBe(2);
  expect(err).toContain('Two destinations are named: out.csv and -o out.json.');
  expect(await readdir(folder)).not.toContain('out.csv');
});

describe('what looks like a flag', () => {
  it.each([
    ['articles update 1 --title --force', '--title'],
    ['articles update 1 --title --replace=x', '--title'],
    ['articles create --title Hello --content --force', '--content'],
    ['articles create --title Hello --content --no-such', '--content'],
    ['articles create --title -q --content C', '--title'],
    ['articles list --blog --all', '--blog'],
  ])('is no value: %s', async (line, flag) => {
    const before = await text('blog.json');
    const { status, err } = await blogctl(line);
    expect([status, await text('blog.json')]).toEqual([2, before]);
    expect(err).toMatch(new RegExp(`option '.*${flag} <.*>' argument missing`));
  });

  it.each([
    ['--title=--force', '--force'],
    ['--title -5', '-5'],
    ['--title ---', '---'],
  ])('may be a text: %s', async (flag, title) => {
    expect((await blogctl(`articles update 1 ${flag}`)).status).toBe(0);
    expect((await blogctl('articles get 1 --field title')).out).toBe(title);
  });

  it('begins a text of several words', async () => {
    const line = ['articles', 'update', '1', '--title', '--force and its use'];
    expect((await run(line, { env, folder })).status).toBe(0);
  });
});

it.each(['undo', 'show', 'resume'])('runs %s names runs of this blog alone', async (verb) => {
  env = { ...env, BLOGCTL_BLOG: 'file:other.json' };
  await blogctl('articles create --title Other --content C');
  await blogctl('articles delete 1 -y');
  const other = (await blogctl('runs list --format ids')).out.trim();
  expect(other).not.toBe('');
  env = { ...env, BLOGCTL_BLOG: 'file:blog.json' };
  for (const id of [1, 2]) await blogctl(`articles delete ${id} -y`);
  const own = (await blogctl('runs list --format ids')).out.trim().split('\n');
  expect(own).toHaveLength(2);
  const { status, err } = await blogctl(`runs ${verb} latest`);
  expect(status).toBe(5);
  for (const id of own) expect(err).toContain(id);
  expect(err).not.toContain(other);
});

describe('what the hint of a lock names opens it', () => {
  it.each([
    ['--article 1', /, blogctl (store unlock --article 1 --store \S+) opens the article\.$/m],
    ['', /, blogctl (store unlock --store \S+) opens the blog\.$/m],
  ])('store lock %s', async (flags, hint) => {
    await blogctl(`store lock --store blog.json ${flags}`.trim());
    const refused = await blogctl('articles update 1 --title New');
    const [, unlock = ''] = hint.exec(refused.err) ?? [];
    expect((await blogctl(unlock)).status).toBe(0);
    expect((await blogctl('articles update 1 --title New')).status).toBe(0);
  });
});

it('a store with a space in its name is quoted in what is to be run next', async () => {
  const made = await run(['store', 'init', 'my blog.json'], { env, folder });
  const path = `'${join(folder, 'my blog.json')}'`;
  expect(made.err).toContain(`Next: blogctl serve --store ${path}`);
  const listed = await run(['token', 'list', '--store', 'my blog.json'], { env, folder });
  expect(listed.err).toContain(`Next: blogctl token create --store ${path}`);
});

describe('a line that is offered is about the blog or the store that was typed', () => {
  const other = '--blog file:other.json';
  const articles = `blogctl ${other} articles`;
  beforeEach(async () => {
    await writeFile(join(folder, 'dump.ndjson'), '');
    await blogctl(`articles create --title Other --content C ${other}`);
  });

  it.each([
    [`articles create --from-file dump.ndjson ${other}`, `${articles} import dump.ndjson`],
    [`restore backup.json ${other}`, `${articles} import backup.json --recreate`],
    [`articles update git --title X ${other}`, `${articles} list --search git`],
    [`articles delete git -y ${other}`, `${articles} list --search git`],
    [`articles get ${other}`, `${articles} list`],
    [`articles get 99 ${other}`, `${articles} list`],
    [`sync plan nosuch ${other}`, `${articles} export <folder>`],
    [`status ${other}`, `blogctl ${other} auth status`],
    [`build ${other}`, `blogctl serve ${other}`],
    [`articles create --web ${other}`, `blogctl serve ${other}`],
    [`user list ${other}`, `blogctl token list ${other}`],
    ['token rotate --store other.json', 'blogctl token create --store other.json'],
    ['token rotate --store other.json', 'blogctl token revoke --store other.json <id>'],
    ['token revoke --store other.json', 'blogctl token list --store other.json'],
    ['store list other.json', 'blogctl --blog file:other.json blog'],
    ['store rm other.json', 'blogctl store check --store other.json'],
    [`store drop ${other}`, `blogctl store check ${other}`],
    ['db drop other.json', 'blogctl store check --store other.json'],
    ['serve other.json --host 127.0.0.1 --foo', 'blogctl serve'],
  ])('%s', async (line, offered) => {
    expect((await blogctl(line)).err).toContain(offered);
  });

  it('of a service that is typed no store is offered', async () => {
    const { err } = await blogctl('user list --blog http://127.0.0.1:9/api/v1.2/blogs/1');
    expect(err).toContain('`blogctl token list`');
  });
});

describe('no line that is offered writes over, forgets, locks or deletes what was not meant', () => {
  it.each([
    ['articles export posts --force', '--overwrite replaces a file that is named.'],
    ['runs prune --all', 'No undo would be left'],
    ['store compact blog.json --dry-run', 'It takes --store: see'],
    ['store lock --article 1 --dry-run', 'It takes --store, --on-blog and --article: see'],
    ['serve blog.json --fks', 'It takes --store, --port,'],
    ['articles delete 1 --confirm', '`blogctl articles delete 1` asks first'],
    ['articles delete -f 1', '`blogctl articles delete 1` asks first'],
    ['runs prune --older-than 0', 'Write `blogctl runs prune --older-than <days>`'],
    ['articles create --title T --content C --file note.md', 'There is no --file here'],
    [
      'serve blog.json posts',
      'name one; `blogctl articles import posts --blog file:blog.json` brings there',
    ],
  ])('%s', async (line, said) => {
    await mkdir(join(folder, 'posts'));
    const { err } = await blogctl(line);
    expect(err).toContain(said);
    expect(err).not.toMatch(
      /all\.ndjson|--content C|--older-than 0d|--yes|`blogctl (?:store|serve)[^`]*[^p]`/,
    );
  });
});
