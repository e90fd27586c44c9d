import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { run } from '../../support/run.ts';

let folder: string;
let env: Record<string, string>;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'blogctl-habits-'));
  env = { BLOGCTL_CONFIG_DIR: folder, BLOGCTL_BLOG: `file:${join(folder, 'blog.json')}` };
  for (const title of ['One', 'Two'])
    await run(['articles', 'create', '--title', title, '--content', ''], { env });
});
afterAll(() => rmSync(folder, { recursive: true }));

describe('what gh, wp-cli and json-server taught is taken', () => {
  it.each([
    ['articles ls -L 1', /^1\tOne\n$/],
    ['articles view 2 --field title', /^Two$/],
    ['articles new --title Three --content=', /^3\tThree\t/],
    ['articles rm 3 -y', /^3\tdeleted\t/],
    [
      'articles ls -L 1 --json id,title',
      /^\[\n {2}\{\n {4}"id": 1,\n {4}"title": "One"\n {2}\}\n\]\n$/,
    ],
    ['articles view --json title 2', /^\{\n {2}"title": "Two"\n\}\n$/],
    ['articles view --json 2 --field title', /^Two$/],
    ['--json articles ls -L 1 --fields id', /^\[\n {2}\{\n {4}"id": 1\n {2}\}\n\]\n$/],
    ['articles --json ls -L 1 --fields id', /^\[\n {2}\{\n {4}"id": 1\n {2}\}\n\]\n$/],
    ['articles ls -L 2 --json title -q .[].title', /^One\nTwo\n$/],
    ['articles view 2 --json title -q .title', /^Two\n$/],
    ['articles ls --fields title --jq .[0]', /^\{"title":"One"\}\n$/],
    ['profile ls --json', /^\[\]\n$/],
    ['help articles view', /^Usage: blogctl articles get\|view /],
  ])('%s', async (line, out) => {
    const ended = await run(line.split(' '), { env });
    expect(ended).toMatchObject({ status: 0, out: expect.stringMatching(out) });
  });

  it('a name behind --json is an argument where the command takes one', async () => {
    const { err } = await run(['profile', 'show', '--json', 'work'], { env });
    expect(err).toContain('There is no profile \\"work\\".');
  });

  it('serve takes a file as json-server does, and no second one', async () => {
    const { status, err } = await run(['serve', 'a.json', '--store', 'b.json'], { env, folder });
    expect([status, err]).toEqual([
      2,
      'error: Two files are named: a.json and b.json.\nhint: One service serves one store file: name one.\n',
    ]);
  });
});

describe('the rest is answered with the line that does it', () => {
  it.each([
    ['list', 'blogctl articles list'],
    ['ls --limit 3', 'blogctl articles list --limit 3'],
    ['post list --posts_per_page=3', 'blogctl articles list --limit=3'],
    [
      "post create --post_title=It's --porcelain",
      String.raw`blogctl articles create '--title=It'\''s' --format ids`,
    ],
    ['posts view 7', 'blogctl articles view 7'],
    ['login https://b.test/1', 'blogctl auth login https://b.test/1'],
    ['whoami', 'blogctl auth status'],
    ['init --store x.json', 'blogctl store init --store x.json'],
    ['push posts', 'blogctl sync apply posts'],
    ['db.json --port 3000', 'blogctl serve db.json --port 3000'],
    ['./posts', 'blogctl articles import ./posts'],
    ['articles lst', 'blogctl articles list'],
    ['articles show 7', 'blogctl articles get 7'],
    ['articles list 7', 'blogctl articles get 7'],
    ['articles list --limt 3', 'blogctl articles list --limit 3'],
    ['articles list --url=file:x', 'blogctl articles list --blog=file:x'],
    ['articles list -q .[]', "blogctl articles list --jq '.[]'"],
    ['articles list --format count', 'blogctl blog --field articles'],
    ['articles create Hello', 'blogctl articles create --title Hello'],
    ['articles create a.md', 'blogctl articles create --from-file a.md'],
    ['articles create -t A --body B', 'blogctl articles create --title A --content B'],
    ['articles delete 7 --force', 'blogctl articles delete 7 --yes'],
    ['profile create a file:b', 'blogctl profile add a file:b'],
    ['serve --db x.json -w', 'blogctl serve --store x.json --watch'],
    ['del 71', 'blogctl articles delete 71'],
    ['rm 70 -f', 'blogctl articles delete 70 --yes'],
    ['import posts -n', 'blogctl articles import posts --dry-run'],
    ['create -t X -c Y', 'blogctl articles create --title X --content Y'],
    ['articles create -F a.md', 'blogctl articles create --content-file a.md'],
    ['new Hello', 'blogctl articles create --title Hello'],
    ['search oak -n 3', 'blogctl articles list --search oak --limit 3'],
    ['articles update 3 Title', 'blogctl articles update 3 --title Title'],
    ['articles list file:b.json', 'blogctl articles list --blog file:b.json'],
    ['articles list --sort -title', 'blogctl articles list --sort title --reverse'],
    ['articles list --format jsonl', 'blogctl articles list --format ndjson'],
    ['articles list -limit 5', 'blogctl articles list --limit 5'],
    ['articles list --tsv -a', 'blogctl articles list --format tsv --all'],
    ['articles count', 'blogctl blog --field articles'],
    ['articles undo', 'blogctl runs undo'],
    ['sync posts', 'blogctl sync plan posts'],
    ['config timeout 10s', 'blogctl config set timeout 10s'],
    ['auth login --with-token', 'blogctl auth login --token-file -'],
    ['api GET /articles', 'blogctl api -X GET /articles'],
    ['store info', 'blogctl blog'],
    ['up', 'blogctl serve'],
    ['log', 'blogctl runs list'],
  ])('%s', async (line, hint) => {
    const { status, out, err } = await run(line.split(' '), { env, folder });
    expect([status, out, err.split('\n').at(-2)]).toEqual([2, '', `hint: Run \`${hint}\`.`]);
  });

  it.each([
    ['articles get', 'blogctl articles get <id>`'],
    ['articles update', 'blogctl articles update <id> '],
    ['articles edit', 'blogctl articles edit <id>`'],
    ['articles delete', 'blogctl articles delete <id>`'],
    ['articles import', 'blogctl articles import posts'],
    ['auth login', 'blogctl auth login '],
    ['sync plan', 'blogctl sync plan posts'],
    ['completion', 'blogctl completion '],
  ])('%s without what it needs is shown how', async (line, example) => {
    const { status, err } = await run(line.split(' '), { env, folder });
    expect(status).toBe(2);
    expect(err).toContain(`\nhint: Run, for example, \`${example}`);
  });

  it('fields behind --json are said to be --fields where a folder could be meant', async () => {
    const { err } = await run(['sync', 'plan', 'posts', '--json', 'summary'], { env, folder });
    expect(err).toContain('Run `blogctl sync plan posts --json --fields summary`.');
  });

  it('gh fields and their filter stay a filter in the hint', async () => {
    const { err } = await run(['list', '--json', 'title', '-q', '.[].title'], { env, folder });
    expect(err).toContain("Run `blogctl articles list --json --fields title --jq '.[].title'`.");
  });

  it.each([
    ['articles create --title A --content -', '--content-file -'],
    ['articles create --title A --content @note.md', '--content-file note.md'],
    ['articles list -o json', '--format json, or -o ./json'],
    ['articles list --blog db.json', 'file:db.json'],
    ['articles list --blog localhost:8080/api/v1.2/blogs/1', 'http://localhost:8080/api'],
    ['articles get latest', 'articles list --search'],
  ])('%s writes nothing and says %s', async (line, hint) => {
    writeFileSync(join(folder, 'note.md'), 'x');
    const { status, out, err } = await run(line.split(' '), { env, folder });
    expect([status, out]).toEqual([2, '']);
    expect(err).toContain(hint);
  });

  it.each([
    ['articles get #2 --field title', /^Two$/],
    ['--help articles list', /^Usage: blogctl articles list/],
    ['help list', /^Usage: blogctl articles list/],
    ['articles help', /^Usage: blogctl articles /],
    ['articles help list', /^Usage: blogctl articles list/],
  ])('%s is taken', async (line, out) => {
    const ended = await run(line.split(' '), { env, folder });
    expect(ended).toMatchObject({ status: 0, out: expect.stringMatching(out) });
  });

  it.each([
    ['articles list --since 2024', 'No listing has dates: `blogctl articles list --sort updated'],
    ['articles delete 2 --dry-run', 'It asks before it deletes: leave out --yes, and say no.'],
    ['sync apply posts --dry-run', 'Run `blogctl sync plan` with the same words.'],
    ['config --list', 'Run `blogctl config list`.'],
    ['blog edit', 'Run `blogctl store edit-blog`.'],
    ['articles list --state=draft', 'Articles have no state: what is on the blog is public.'],
    ['articles publish 2', 'Articles have no state: what is on the blog is public.'],
    ['articles add 2', 'See `blogctl articles --help`.'],
    ['articles edit 2 --title X', 'A title alone is changed by `blogctl articles update <id> '],
    ['articles delete --all', 'Name what to delete: `blogctl articles list --all --format ids`'],
    ['stop', '`blogctl serve` ends with Ctrl-C, or with SIGTERM to its process.'],
    ['articles browser', 'See `blogctl articles --help`.'],
    ['health-check', 'See `blogctl --help`.'],
  ])('%s is not taken for something else', async (line, hint) => {
    const { err } = await run(line.split(' '), { env, folder });
    expect(err).toContain(`\nhint: ${hint}`);
  });

  it('what nobody can guess is answered with the help', async () => {
    const { err } = await run(['articles', 'nonsense'], { env });
    expect(err).toMatch(/\nhint: See `blogctl articles --help`\.\n$/);
  });

  it.each(['--token', '--user', '-u'])('no token is taken from the line: %s', async (flag) => {
    const { status, err } = await run(['articles', 'rm', '7', flag, 'secret'], { env });
    expect(status).toBe(2);
    expect(err).toContain('BLOGCTL_TOKEN=… blogctl articles delete …, or --token-file <file>');
    expect(err).not.toContain('secret');
  });
});
