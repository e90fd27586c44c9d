import { spawnSync } from 'node:child_process';
import {
  closeSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { run } from '../../support/run.ts';

let folder: string;
let env: Record<string, string>;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'blogctl-habits-'));
  env = { BLOGCTL_CONFIG_DIR: folder, BLOGCTL_BLOG: `file:${join(folder, 'blog.json')}` };
  for (const title of ['One', 'Two'])
    await run(['articles', 'create', '--title', title, '--content', ''], { env });
  for (const name of ['work', 'prod', 'staging'])
    await run(['profile', 'add', name, 'file:blog.json'], { env, folder });
});
afterAll(() => rmSync(folder, { recursive: true }));

/** Runs a line whose words may stand in double quotes. */
function runLine(line: string): ReturnType<typeof run> {
  const words = [...line.matchAll(/"([^"]*)"|(\S+)/g)];
  return run(
    words.map(([, quoted, bare]) => quoted ?? bare ?? ''),
    { env, folder },
  );
}

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
    ['profile ls --json', /^\[\n {2}\{\n {4}"profile": "work",/],
    ['help articles view', /^Usage: blogctl articles get\|view /],
  ])('%s', async (line, out) => {
    const ended = await run(line.split(' '), { env });
    expect(ended).toMatchObject({ status: 0, out: expect.stringMatching(out) });
  });

  it('a name behind --json is an argument where the command takes one', async () => {
    const { err } = await run(['profile', 'show', '--json', 'nobody'], { env });
    expect(err).toContain('There is no profile \\"nobody\\".');
  });

  it.each([
    ['serve posts-db.json --port 7210 --json', '--port 7210 --json'],
    ['serve --watch posts-db.json --grace 2s', '--watch --grace 2000ms'],
  ])('%s: the line that serves posts of json-server keeps its flags', async (line, flags) => {
    writeFileSync(join(folder, 'posts-db.json'), '{"posts":[{"id":1,"title":"A"}]}');
    const { status, err } = await run(line.split(' '), { env, folder });
    expect([status, err]).toEqual([
      7,
      expect.stringMatching(`--store \\S*posts-db-blog.json --seed \\S*posts-db.json ${flags}\``),
    ]);
  });

  it('serve takes a file as json-server does, and no second one', async () => {
    const { status, err } = await run(['serve', 'a.json', '--store', 'b.json'], { env, folder });
    expect([status, err]).toEqual([
      2,
      'error: Two stores are named: a.json and b.json.\nhint: Name one.\n',
    ]);
  });
});

describe('the rest is answered with the line that does it', () => {
  it.each([
    ['list', 'blogctl articles list'],
    ['ls --limit 3', 'blogctl articles list --limit 3'],
    ['post list --posts_per_page=3', 'blogctl articles list --limit 3'],
    [
      "post create --post_title=It's --porcelain",
      String.raw`blogctl articles create --title 'It'\''s' --format ids --content <text>`,
    ],
    ['posts view 7', 'blogctl articles get 7'],
    ['login https://b.test/1', 'blogctl auth login https://b.test/1'],
    ['whoami', 'blogctl auth status'],
    ['init --store x.json', 'blogctl store init --store x.json'],
    ['push posts', 'blogctl sync apply posts'],
    ['db.json --port 3000', 'blogctl serve db.json --port 3000'],
    ['articles lst', 'blogctl articles list'],
    ['articles show 7', 'blogctl articles get 7'],
    ['articles list 7', 'blogctl articles get 7'],
    ['articles list --limt 3', 'blogctl articles list --limit 3'],
    ['articles list --url=file:x', 'blogctl articles list --blog file:x'],
    ['articles list -q .[]', "blogctl articles list --jq '.[]'"],
    ['articles list --format count', 'blogctl blog --field articles'],
    ['articles create Hello', 'blogctl articles create --title Hello --content <text>'],
    ['articles create a.md', 'blogctl articles create --from-file a.md'],
    ['articles create -t A --body B', 'blogctl articles create --title A --content B'],
    ['articles delete 7 --force', 'blogctl articles delete 7 --yes'],
    ['profile create a file:b', 'blogctl profile add a file:b'],
    ['serve --db x.json -w', 'blogctl serve --store x.json --watch'],
    ['del 71', 'blogctl articles delete 71'],
    ['rm 70 -f', 'blogctl articles delete 70 --yes'],
    ['import posts -n', 'blogctl articles import posts --dry-run'],
    ['create -t X -c Y', 'blogctl articles create --title X --content Y'],
    ['articles create -F a.md', 'blogctl articles create --content-file a.md --title <text>'],
    ['new Hello', 'blogctl articles create --title Hello --content <text>'],
    ['search oak -n 3', 'blogctl articles list --search oak --limit 3'],
    ['articles list file:b.json', 'blogctl articles list --blog file:b.json'],
    ['articles export file:b.json', 'blogctl articles export --blog file:b.json'],
    ['articles export http://b.test/1', 'blogctl articles export --blog http://b.test/1'],
    ['articles list --sort -title', 'blogctl articles list --sort title --reverse'],
    ['articles list --format jsonl', 'blogctl articles list --format ndjson'],
    ['articles list -limit 5', 'blogctl articles list --limit 5'],
    ['articles list --tsv -a', 'blogctl articles list --format tsv --all'],
    ['articles count', 'blogctl blog --field articles'],
    ['sync posts', 'blogctl sync plan posts'],
    ['config timeout 10s', 'blogctl config set timeout 10s'],
    ['api GET /articles', 'blogctl api -X GET /articles'],
    ['store info', 'blogctl blog'],
    ['up', 'blogctl serve'],
    ['log', 'blogctl runs list'],
  ])('%s', async (line, hint) => {
    const { status, out, err } = await run(line.split(' '), { env, folder });
    expect([status, out, err.split('\n').at(-2)]).toEqual([2, '', `hint: Run \`${hint}\`.`]);
  });

  it.each([
    [
      'articles get',
      'Write `blogctl articles get <article...>`: id, URL, or - for one a line on stdin; `blogctl articles list` shows them.',
    ],
    ['articles update', 'Write `blogctl articles update <article>`: id or URL of the article; `'],
    ['articles update --title New', 'Write `blogctl articles update --title New <article>`: '],
    ['config set timeout', 'Write `blogctl config set timeout <value>`: what it shall be.'],
    [
      'config view',
      'Write `blogctl config view <setting>`: blog, profile, timeout, retries, max-wait;',
    ],
    ['completion', 'Write `blogctl completion <shell>`: bash, zsh, fish, powershell.'],
    ['completion nushell', 'Write `blogctl completion <shell>`: bash, zsh, fish, powershell.'],
    [
      'runs resume',
      'Write `blogctl runs resume <run>`: id of an interrupted import, or its first six',
    ],
    ['run rerun', 'Write `blogctl runs resume <run>`: id of an interrupted import, or its first'],
    ['undo', 'Write `blogctl runs undo <run>`'],
    ['get', 'Write `blogctl articles get <article...>`: '],
    ['sync push', 'Write `blogctl sync apply <folder|plan.json>`: folder of Markdown, or a plan'],
    ['login', 'Write `blogctl auth login <blog-url>`'],
    ['create', 'Run `blogctl articles create --title <text> --content <text>`.'],
    ['new blog', 'Write `blogctl store init <file>`.'],
    ['store add-blog --name Second', 'Run `blogctl store add-blog --title Second`.'],
    [
      'articles list --limit abc',
      'Write `blogctl articles list --limit <n>`: at most so many articles.',
    ],
    ['serve --port', 'Write `blogctl serve --port <n>`: port to listen at; 0 picks a free one.'],
    [
      'articles delete hello-world -y',
      'Write `blogctl articles delete <article...> -y`: id, URL, or',
    ],
    ['config set host x', 'Write `blogctl config set <setting> x`: blog, profile, '],
    ['create a b c', 'It is `blogctl articles create`, with --title, --content, --content-file, '],
    ['articles import posts --batch 9', 'Run `blogctl articles import posts --concurrency 9`.'],
    [
      'store zip',
      'Its commands are init, upgrade, copy, add-blog, edit-blog, lock, unlock, check, ',
    ],
  ])('%s is told what is missing, or else what there is', async (line, hint) => {
    const { status, err } = await run(line.split(' '), { env, folder });
    expect(status).toBe(2);
    expect(err).toContain(`\nhint: ${hint}`);
  });

  it('fields behind --json are said to be --fields where a folder could be meant', async () => {
    const { err } = await run(['articles', 'export', 'out', '--json', 'id'], { env, folder });
    expect(err).toContain('Run `blogctl articles export out --json --fields id`.');
  });

  it('fields of an answer of api are taken out of it by a filter', async () => {
    const { err } = await run(['api', 'articles', '--json', 'id,title'], { env, folder });
    expect(err).toContain('The answer is JSON as it is: --jq takes what is wanted out of it.');
  });

  it('gh fields and their filter stay a filter in the hint', async () => {
    const { err } = await run(['list', '--json', 'title', '-q', '.[].title'], { env, folder });
    expect(err).toContain("Run `blogctl articles list --json --fields title --jq '.[].title'`.");
  });

  it.each([
    ['articles create --title A --content -', '--content-file -'],
    ['articles create --title A --content @note.md', '--content-file note.md;'],
    ['articles update 1 --content @not-there.md', 'Give --content-file not-there.md;'],
    ['articles update 1 --content /dev/fd/63', 'Give --content-file /dev/fd/63;'],
    ['articles list -o json', 'a file of that name would be written ./json'],
    ['articles list -o json', 'Run `blogctl articles list --format json`.'],
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
    ['api articles/2 --jq .title', /^Two$/m],
    ['api /articles?page=2&per_page=1 --jq .pageIndex', /^2$/m],
    ['api blogs/1 --jq .title', /^My blog$/m],
    ['api -X get articles/2 --jq .title', /^Two$/m],
    ['links articles/2 doc:blog --format ids', /^doc:articles$/m],
    ['api 2 --jq .title', /^Two$/m],
    ['links #2 --format ids', /^doc:blog$/m],
    ['api /articles?_page=2&_limit=1 --jq .pageIndex', /^2$/m],
    ['articles ls -L=1', /^1\tOne\n$/],
    ['articles list -S=two', /^2\tTwo\n$/],
    ['articles view 2 --field title -o=-', /^Two$/],
  ])('%s is taken', async (line, out) => {
    const ended = await run(line.split(' '), { env, folder });
    expect(ended).toMatchObject({ status: 0, out: expect.stringMatching(out) });
  });

  it.each([
    [
      'articles list --since 2024',
      'None is chosen by its date: `blogctl articles list --sort updated --reverse --fields ',
    ],
    ['articles delete 2 --dry-run', 'It asks before it deletes: leave out --yes, and say no.'],
    ['sync apply posts --dry-run', 'Run `blogctl sync plan posts`.'],
    ['config --list', 'Run `blogctl config list`.'],
    ['blog edit', 'Run `blogctl store edit-blog --title <text>`.'],
    ['articles list --state=draft', 'Articles have no state: what is on the blog is public.'],
    ['articles publish 2', 'Articles have no state: what is on the blog is public.'],
    ['articles add 2', 'It is `blogctl articles create`, with --title, '],
    ['articles edit 2 --title X', 'Run `blogctl articles update 2 --title X`.'],
    ['publish 2', 'Articles have no state: what is on the blog is public.'],
    ['set 2 --title X', 'Run `blogctl articles update 2 --title X`.'],
    ['serve posts/a.md', 'A store file is named as blog.json: '],
    ['serve feed.xml --port 3000', 'A store file is named as blog.json: '],
    ['serve index.js', 'A store file is named as blog.json: '],
    ['serve db.sqlite --port 3000', 'A store file is named as blog.json: '],
    ['serve a.json b.json', 'One service serves one store file: name one.'],
    ['sync status', 'Write `blogctl sync plan <folder>`: folder of Markdown.'],
    ['lint', 'It manages the articles of a blog alone: see `blogctl --help`.'],
    ['gist list', 'It manages the articles of a blog alone: see `blogctl --help`.'],
    ['articles create --title A --content x --slug a', 'An article has a title and a content, and'],
    ['api articles -d {}', 'A body comes by --input <file>, - for stdin, or by -F.'],
    [
      'articles create --editor',
      'Give --content or --content-file, or name an editor by BLOGCTL_EDITOR.',
    ],
    ['articles edit 1 -y', 'Use blogctl articles update, or name an editor by BLOGCTL_EDITOR.'],
    ['articles list --fields ID', 'It is called id.'],
    ['articles list --field post_title', 'It is called title.'],
    ['articles list --fields ID,post_title', 'Give id,title.'],
    ['articles list -output', 'Write `blogctl articles list --output <file>`: write the answer to'],
    ['runs new.json', 'Its commands are list, '],
    ['serve a.json --https', 'It speaks HTTP; what stands before it is said by --base-url and'],
    ['articles list --foo 1 --bar 2', 'There is no --foo here. Conditions are written in jq: '],
    ['articles list --indent 2', 'Without what is not known here: `blogctl articles list`.'],
    [
      'articles create {"title":"A","tags":"b"}',
      'JSON is read by --from-file <file>, - for stdin.',
    ],
    ['import posts --force', 'Only `blogctl sync apply <folder>` writes over articles, and with'],
    ['issue close 2', 'Articles have no state: what is on the blog is public.'],
    ['pr comment 2 -b Hi', 'Comments have a link and no endpoint: docs/interface.md.'],
    ['config set token x', 'A token is kept by `blogctl auth login <blog-url>`.'],
    [
      'articles update 1,2 --title x',
      'One is changed at a time, and keeps its id: `blogctl articles update <id> --title <text>`.',
    ],
    [
      'articles update 1 2 --title x',
      'One is changed at a time, and keeps its id: `blogctl articles update <id> --title <text>`.',
    ],
    ['articles LIST', 'Run `blogctl articles list`.'],
    ['articles list --format JSON', 'Run `blogctl articles list --format json`.'],
    ['stop', '`blogctl serve` ends with Ctrl-C, or with SIGTERM to its process.'],
    ['articles browser', '`blogctl serve <file>` shows the address of its pages; '],
    ['health-check', 'Run `blogctl blog`.'],
    ['articles list --title “One”', 'Run `blogctl articles list --search One`.'],
    ['view blogs/1/articles/3', 'Run `blogctl articles get 3`.'],
    ['view blogs/2/articles/3', 'Run `blogctl articles list --search blogs/2/articles/3`.'],
    ['articles get store.json#2', "Run `blogctl articles get 'file:store.json#2'`."],
    ['articles list --limit 2 3', 'Conditions are written in jq: '],
    ['articles list -u http://b.test/1', 'Run `blogctl articles list --blog http://b.test/1`.'],
    ['article clone 3', 'Its text makes another: `blogctl articles get 3 --format md -o copy.md`,'],
    ['publish posts/one.md', 'Run `blogctl articles create --from-file posts/one.md`.'],
    ['postgres://h/db', 'Run `blogctl serve --store postgres://h/db`.'],
    ['apply -f posts/x.md', 'Run `blogctl sync apply posts x.md`.'],
    ['validate posts', 'Run `blogctl articles import posts --dry-run`.'],
    ['articles list -o jsonpath={.kind}', 'Templates are not read: --jq takes a filter of jq,'],
    ['articles create -b -', 'Run `blogctl articles create --content-file - --title <text>`.'],
    ['-version', 'Run `blogctl --version`.'],
    [
      'auth login --hostname 127.0.0.1:8080 --with-token',
      'Run `blogctl auth login --token-file - http://127.0.0.1:8080/api/v1.2/blogs/1`.',
    ],
    ['auth logout --hostname b.test', 'Run `blogctl auth logout --blog https://b.test/`.'],
    ['@prod article list', 'Run `blogctl --profile prod articles list`.'],
    ['article mv 3 T', 'Run `blogctl articles update 3 --title T`.'],
    ['issue list -l bug', 'An article has a title and a content, and nothing else.'],
    ['articles list --tail 3', 'Run `blogctl articles list --reverse --limit 3`.'],
    ['articles list -o x.txt --force', 'Run `blogctl articles list -o x.txt --overwrite`.'],
    ['articles list --where author==x', 'Conditions are written in jq: '],
    ['articles import t.csv --no-header', 'The first line of a table names its columns: '],
    ['articles export --format markdown', 'Markdown, which Hugo and Jekyll read, is written '],
    ['serve blog.json --baseurl /blog', 'A base URL is whole, as --base-url https://example.org.'],
    ['articles list -k', 'A certificate of your own is trusted by NODE_EXTRA_CA_CERTS=<file>, '],
    ['watch blog.json', 'Run `blogctl serve blog.json --watch`.'],
    ['serve posts/', 'A store file is named as blog.json: '],
    [
      'serve --allowed-host https://a.test',
      'Write `blogctl serve --allowed-host <name>`: a Host to answer for besides local ones; repeatable.',
    ],
    [
      'serve --allowed-host *.a.test',
      'Write `blogctl serve --allowed-host <name>`: a Host to answer for besides local ones; repeatable.',
    ],
    [
      'serve --cors',
      'Write `blogctl serve --cors <origin>`: an origin whose pages may use the service; repeatable.',
    ],
    ['config set editor vim', 'Editor, pager and browser are those of EDITOR, PAGER and BROWSER: '],
    ['articls list', 'Run `blogctl articles list`.'],
    ['artikel list', 'Run `blogctl articles list`.'],
    ['article detele 3', 'Run `blogctl articles delete 3`.'],
    ['articles list --colums id', 'Run `blogctl articles list --fields id`.'],
    ['articles lint', 'Its commands are list, '],
  ])('%s is not taken for something else', async (line, hint) => {
    const { err } = await run(line.split(' '), { env, folder });
    expect(err).toContain(`\nhint: ${hint}`);
  });

  it.each([
    ['articles update 2 -', 'Stdin is read by --content-file -, or as JSON by --from-file -.'],
    [
      'articles create --title Hi - --content c',
      'Stdin is read by --content-file -, or as JSON by',
    ],
    ['articles update 2 posts/x.md', 'Run `blogctl articles update 2 --from-file posts/x.md`.'],
    ['articles update 2 title=New', 'Run `blogctl articles update 2 --title New`.'],
    ['articles update 2 -f title=a=b', 'Run `blogctl articles update 2 --title a=b`.'],
    [
      'articles import posts --limit 1',
      'A source is taken as a whole: of records a line each, `head -n 20',
    ],
    [
      'articles trash 2',
      'There is no trash, and no state: `blogctl articles delete 2` takes it away, after a question,',
    ],
    [
      'serve blog.json --token x',
      'A command line is no place for a token: set BLOGCTL_SERVE_TOKEN,',
    ],
    [
      'auth login --token x',
      'A command line is no place for a token: it is asked for, or read from',
    ],
    ['config set blog=file:b.json', 'Run `blogctl config set blog file:b.json`.'],
    ['serve 3001', 'Run `blogctl serve --port 3001`.'],
    ['serve blog.json 3001', 'Run `blogctl serve blog.json --port 3001`.'],
    ['serve version', 'A store file is named as blog.json: '],
    ['export 2', 'Run `blogctl articles get 2 --format md`.'],
    ['/?', 'Run `blogctl --help`.'],
    ['./posts', 'Files come to a blog by `blogctl articles import <source>`.'],
    ['runs delete', 'None is forgotten alone: `blogctl runs prune --older-than <days>` forgets'],
    [
      'runs prune --older-than 1s',
      'Write `blogctl runs prune --older-than <days>`: forgets runs that ended so long ago, as 30d',
    ],
    ['create --title A --title B --content c', 'Give it once.'],
    ['auth login --with-token', 'Write `blogctl auth login --token-file - <blog-url>`'],
    [
      'articles list --config x.json',
      'BLOGCTL_CONFIG_DIR names the folder of the configuration: `',
    ],
    ['articles list --repo o/r', 'A blog is named by --blog <url>, or by --blog file:<file>.'],
  ])('%s: no hint would lose, drop or publish anything', async (line, hint) => {
    const { status, out, err } = await run(line.split(' '), { env, folder });
    expect([status, out]).toEqual([2, '']);
    expect(err).toContain(`\nhint: ${hint}`);
  });

  it.each([
    ['version', '--version'],
    ['articles --version', '--version'],
    ['list articles', 'articles list'],
    ['get posts', 'articles list'],
    ['get article 2', 'articles get 2'],
    ['articles 2', 'articles get 2'],
    ['articles/2', 'articles get 2'],
    ['delete articles/2 -y', 'articles delete 2 -y'],
    ['delete 1,2,3 -y', 'articles delete 1 2 3 -y'],
    ['get 2-4', 'articles get 2 3 4'],
    ['get --id 2', 'articles get 2'],
    ['open 2 --blog file:b.json', 'articles get --web 2 --blog file:b.json'],
    ['edit 2 -t New -b Body', 'articles update 2 --title New --content Body'],
    ['create A B', "articles create --title 'A B' --content <text>"],
    ['create a.md b.md', 'articles import a.md b.md'],
    ['list 1 2 3', 'articles get 1 2 3'],
    ['list --page 2 --per-page 5', 'articles list --page 2 --page-size 5'],
    ['list --sort=-id', 'articles list --sort id --reverse'],
    ['list --orderby=title --order=desc', 'articles list --sort title --reverse'],
    ['list --format=yaml', 'articles list --format json'],
    ['list --json=id,title', 'articles list --json --fields id,title'],
    ['list -f json', 'articles list --format json'],
    ['list b.json', 'articles list --blog file:b.json'],
    ['--limit 3 articles list', 'articles list --limit 3'],
    ['articles --limit 3 list', 'articles list --limit 3'],
    ['list --lim 3', 'articles list --limit 3'],
    ['lsit', 'articles list'],
    ['--watch db.json --port 3001', 'serve --watch db.json --port 3001'],
    ['json-server --watch db.json', 'serve --watch db.json'],
    ['import --dir posts', 'articles import posts'],
    ['export out.json --force', 'articles export out.json --overwrite'],
    ['export 2 out.md', 'articles get 2 -o out.md'],
    ['option update blogname X', 'store edit-blog --title X'],
    ['sync posts --dry-run', 'sync plan posts'],
    ['auth status -t --blog file:b', 'auth token --blog file:b'],
    ['api -f title=A -f content=B', 'api -X POST -F title=A -F content=B'],
    ['completion --shell zsh', 'completion zsh'],
    ['post --help', 'help articles'],
    ['post list --help', 'help articles list'],
    ['artcles list -h', 'help articles list'],
    ['pr list', 'articles list'],
    ['pr view 3 --web', 'articles get 3 --web'],
    [
      'http://b.test/blogs/1/articles/18',
      'articles get http://b.test/blogs/1/articles/18 --blog http://b.test/blogs/1',
    ],
    ['http://b.test/blogs/1', 'blog --blog http://b.test/blogs/1'],
    ['file:b.json#7', "articles get 'file:b.json#7'"],
    ['serve new.json :18440', 'serve new.json --port 18440'],
    [
      'create --post_title=A --post_content=B --post_status=publish',
      'articles create --title A --content B',
    ],
    ['run list', 'runs list'],
    ['get profiles', 'profile list'],
    ['logs 20261125-1', 'runs show 20261125-1'],
    ['init .', 'store init'],
    ['articles create -t A --body @a.md', 'articles create --title A --content-file a.md'],
    ['articles list --total', 'blog --field articles'],
    ['articles info 1', 'articles get 1'],
    ['articles update 1 --set title=Hi', 'articles update 1 --title Hi'],
    ['config get-contexts', 'profile list'],
    ['articles import posts file:b.json', 'articles import posts --blog file:b.json'],
    ['profile set p file:x', 'profile add p file:x'],
    ['articles gt 1', 'articles get 1'],
    ['st', 'auth status'],
    ['completion pwsh', 'completion powershell'],
    ['list -ojson', 'articles list --format json'],
    ['list -n5', 'articles list --limit 5'],
    ['list -output x.json', 'articles list --output x.json'],
    ['list -limit=5', 'articles list --limit 5'],
    ['api articles/2 -ftitle=A', 'api articles/2 -X POST -F title=A'],
    ['list --count', 'blog --field articles'],
    ['post list --fields=ID,post_title', 'articles list --fields=id,title'],
    [
      'sync plan articles --fields path --formt json',
      'sync plan articles --fields path --format json',
    ],
    [
      'delete 2 --fields ID,result --formt json',
      'articles delete 2 --fields id,result --format json',
    ],
    ['api DELETE articles/1', 'api -X DELETE articles/1'],
    ['run new.json', 'serve new.json'],
    ['run show abc', 'runs show abc'],
    ['articles file:b.json', 'articles list --blog file:b.json'],
    ['profile delete p', 'profile remove p'],
    ['config add timeout 9s', 'config set timeout 9s'],
    ['runs cat abc', 'runs show abc'],
    ['list --search two words', "articles list --search 'two words'"],
    ['create --title=Two Words --content x', "articles create '--title=Two Words' --content x"],
    ['update --title New Title 2', "articles update --title 'New Title' 2"],
    ['list --fields id title', 'articles list --fields id,title'],
    ['get 2 --fields title content', 'articles get 2 --fields title,content'],
    ['list --format jsn', 'articles list --format json'],
    ['list --sort titel', 'articles list --sort title'],
    ['list --sort Title', 'articles list --sort title'],
    ['list --sort=-date', 'articles list --sort id --reverse'],
    ['post list --orderby=modified --order=DESC', 'articles list --sort updated --reverse'],
    ['post list --posts_per_page=-1', 'articles list --all'],
    ['list -o=json', 'articles list --format json'],
    ['list -5', 'articles list --limit 5'],
    ['list --hepl', 'articles list --help'],
    ['--verison', '--version'],
    ['completion bsh', 'completion bash'],
    ['config set timout 5s', 'config set timeout 5s'],
    ['config --edit', 'config path'],
    ['import posts -j 4', 'articles import posts --concurrency 4'],
    ['import feed.xml --authors=create', 'articles import feed.xml'],
    ['import posts --into b.json', 'articles import posts --blog file:b.json'],
    ['add posts/', 'articles import posts/'],
    ['create ./a.txt --title A', 'articles create --content-file ./a.txt --title A'],
    ['sync up posts', 'sync apply posts'],
    ['sync posts -n', 'sync plan posts'],
    ['auth switch work', 'profile use work'],
    ['remote add a file:b', 'profile add a file:b'],
    ['serve a.json 0.0.0.0:3000', 'serve a.json --host 0.0.0.0 --port 3000'],
    ['store lock 2', 'store lock --article 2'],
    ['store add-blog New', 'store add-blog --title New'],
    ['token create ci', 'token create --name ci'],
    ['get 2 --open', 'articles get 2 --web'],
    ['ARTICLES LIST', 'articles list'],
    ['articles-list', 'articles list'],
    ['serve :3000', 'serve --port 3000'],
    ['serve localhost:3000', 'serve --host localhost --port 3000'],
    ['token create --name ci --ttl 30d', 'token create --name ci --expires 30d'],
    ['store check --fix', 'store repair'],
    ['post:create Hello', 'articles create --title Hello --content <text>'],
    ['list --pageIndex 2 --pageSize 1', 'articles list --page 2 --page-size 1'],
    ['import posts --dryRun', 'articles import posts --dry-run'],
    ['list --select id,title', 'articles list --fields id,title'],
    ['list -?', 'articles list --help'],
    ['ls -la', 'articles list'],
    ['articles get first', 'articles list --limit 1'],
    ['revert 046b14', 'runs undo 046b14'],
    ['sync destroy posts', 'runs undo --source posts'],
    ['sync apply posts --no-delete', 'sync apply posts'],
    ['articles import posts --on-conflict skip', 'articles import posts --on-changed skip'],
    ['cli cmd-dump', 'commands'],
    ['run list', 'runs list'],
    ['run blog.json', 'serve blog.json'],
    ['blog title', 'blog --field title'],
    ['api articles/2 -I', 'api articles/2 -X HEAD -i'],
  ])('%s is answered with %s', async (line, hint) => {
    const { status, out, err } = await run(line.split(' '), { env, folder });
    expect([status, out, err.split('\n').at(-2)]).toEqual([
      2,
      '',
      `hint: Run \`blogctl ${hint}\`.`,
    ]);
  });

  it('a flag takes no other flag for its value, and a value is no word of the line', async () => {
    const flag = await run(['create', '-t', '--content', 'x'], { env, folder });
    expect(flag.err).toContain(
      '\nhint: There is no -t here. It is `blogctl articles create`, with',
    );
    const value = await run(['list', '--search', 'posts', 'posts'], { env, folder });
    expect(value.err).toContain('\nhint: Run `blogctl articles list --search posts`.');
  });

  it.each([
    ['articles list --search “One”', 'The quotes of “One” are part of it: a shell takes away '],
    [
      'articles create --title ‘One’ --content= --blog file:curly.json',
      'The quotes of ‘One’ are part of it: ',
    ],
  ])('%s is done, and said of', async (line, notice) => {
    const { status, err } = await run(line.split(' '), { env, folder });
    expect(status).toBe(0);
    expect(err).toContain(notice);
  });

  it('what nobody can guess is answered with the help', async () => {
    const { err } = await run(['articles', 'nonsense'], { env });
    expect(err).toMatch(/\nhint: Its commands are list, .*: see `blogctl articles --help`\.\n$/);
  });

  it.each(['--token', '--user', '-u'])('no token is taken from the line: %s', async (flag) => {
    const { status, err } = await run(['articles', 'rm', '7', flag, 'secret'], { env });
    expect(status).toBe(2);
    expect(err).toContain('set BLOGCTL_TOKEN, or give --token-file <file>.');
    expect(err).not.toContain('secret');
  });
});

describe('words in another order, number or spelling are understood', () => {
  it.each([
    ['store add blog --title X', 'store add-blog --title X'],
    ['store rename blog X', 'store edit-blog --title X'],
    [
      'store add-blog postgres://o@h/b --title X',
      'store add-blog --store postgres://o@h/b --title X',
    ],
    ['store add-blog New postgres://h/b', 'store add-blog --title New --store postgres://h/b'],
    [
      'store edit-blog postgres://h/b --title X',
      'store edit-blog --store postgres://h/b --title X',
    ],
    ['store lock postgres://h/b', 'store lock --store postgres://h/b'],
    ['store unlock postgres://h/b', 'store unlock --store postgres://h/b'],
    ['token create postgres://h/b', 'token create --store postgres://h/b'],
    ['token list postgres://h/b', 'token list --store postgres://h/b'],
    ['token list b.json', 'token list --store b.json'],
    ['export store x.json', 'articles export x.json'],
    ['articles list -p work', 'articles list --profile work'],
    ['-p work articles list', '--profile work articles list'],
    ['list --blog work', 'articles list --profile work'],
    ['list -R work', 'articles list --profile work'],
    ['list @work', 'articles list --profile work'],
    ['dump store x.json', 'articles export x.json'],
    ['dump out.json', 'articles export out.json'],
    ['export 2024-01-02', 'articles export 2024-01-02'],
    ['export 1-3', 'articles get 1 2 3 --format md'],
    ['list help', 'articles list --help'],
    ['update 3 text.md', 'articles update 3 --from-file text.md'],
    ['update 3 "my post.md"', "articles update 3 --from-file 'my post.md'"],
    ['create "my post.md"', "articles create --from-file 'my post.md'"],
    ['link 3', 'links 3'],
    ['sync plan posts -out plan.json', 'sync plan posts --output plan.json'],
    ['config blog http://b.test/1', 'config set blog http://b.test/1'],
    ['config set blog = http://b.test/1', 'config set blog http://b.test/1'],
    ['set blog http://b.test/1', 'config set blog http://b.test/1'],
    ['check http://b.test/1 --only 4.2 7', 'check http://b.test/1 --only 4.2,7'],
    ['articles/list', 'articles list'],
    ['update 3 title New', 'articles update 3 --title New'],
    ['list kettle', 'articles list --search kettle'],
    ['articles list --max-time 5', 'articles list --timeout 5s'],
    ['articles list -a work', 'articles list --profile work'],
    ['articles list --sort-by=.title', 'articles list --sort title'],
    ['articles list list', 'articles list'],
    ['articles get get 3', 'articles get 3'],
    ['articles post --title A --content b', 'articles create --title A --content b'],
    ['articles create --title A --content b --force', 'articles create --title A --content b'],
    ['articles import posts --type md', 'articles import posts'],
    ['articles get --search cats', 'articles list --search cats'],
    ['get --raw /api/v1.2/blogs/1', 'api /api/v1.2/blogs/1'],
    ['serve blog.json -b 0.0.0.0', 'serve blog.json --host 0.0.0.0'],
    ['store gc', 'store compact'],
    ['search posts kettle', 'articles list --search kettle'],
    ['get kettle', 'articles list --search kettle'],
    ['get latest', 'articles list --reverse --limit 1'],
    ['list last 3', 'articles list --reverse --limit 3'],
    [
      'post list --orderby=date --order=DESC --posts_per_page=5',
      'articles list --sort id --reverse --limit 5',
    ],
    ['list --page 2 --limit 3', 'articles list --page 2 --page-size 3'],
    ['import dump.ndjson http://b.test/1', 'articles import dump.ndjson --blog http://b.test/1'],
    ['token create -n ci', 'token create --name ci'],
    ['token create ci --expires 30 days', "token create --name ci --expires '30 days'"],
    ['token create ci --blog 1', 'token create --name ci --for-blog 1'],
    ['token revoke --name ci', 'token revoke ci'],
    ['use work', 'profile use work'],
    ['profile select work', 'profile use work'],
    ['config use-context work', 'profile use work'],
    ['config --get blog', 'config get blog'],
    ['config --global timeout 5s', 'config set timeout 5s'],
    ['config --global --get timeout', 'config get timeout'],
    ['config --unset blog', 'config unset blog'],
    ['clone http://b.test/1 posts', 'articles export --blog http://b.test/1 posts'],
    ['status posts', 'sync plan posts'],
    ['sync posts plan', 'sync plan posts'],
    ['sync apply posts --auto-approve', 'sync apply posts --yes'],
    ['apply -f posts', 'sync apply posts'],
    ['articles lock 3', 'store lock --article 3'],
    ['blog articles list', 'articles list'],
    ['get 3 title', 'articles get 3 --field title'],
    ['import posts -c 8', 'articles import posts --concurrency 8'],
    ['serve 8081 x.json', 'serve --port 8081 x.json'],
    ['serve x.json --listen 3000', 'serve x.json --port 3000'],
    ['wp post list', 'articles list'],
    ['cli version', '--version'],
    ['list —limit 3', 'articles list --limit 3'],
    ['create –title “Two words” --content x', "articles create --title 'Two words' --content x"],
    ['Articles List --LIMIT 3', 'articles list --limit 3'],
    ['delete 3 -rf', 'articles delete 3 --yes'],
    ['delete --ids 3,4', 'articles delete 3 4'],
    ['export json', 'articles export --format json'],
    ['list --reverse=true', 'articles list --reverse'],
    ['get articles -o name', 'articles list --format ids'],
    ['add posts', 'articles import posts'],
    ['validate http://b.test/1', 'check http://b.test/1'],
    ['repo edit --description New', 'store edit-blog --description New'],
    ['"articles list"', 'articles list'],
    ['create "New post"', "articles create --title 'New post' --content <text>"],
    ['create "New post" text.md', "articles create --title 'New post' --from-file text.md"],
    ['update 3 "New title"', "articles update 3 --title 'New title'"],
  ])('%s is answered with %s', async (line, hint) => {
    const { status, out, err } = await runLine(line);
    const proposed = `hint: Run \`blogctl ${hint}\`.`;
    expect([status, out, err.split('\n').at(-2)]).toEqual([2, '', proposed]);
  });

  it.each([
    ['run cancel', 'A run ends with Ctrl-C'],
    ['run watch', '`blogctl runs show <run>` says'],
    ['serve --static public x.json', 'Without what is not known here: `blogctl serve x.json`.'],
    ['serve posts', 'A store file is named as blog.json: '],
    ['show token 3', 'A token is shown once, as it is made'],
    [
      'sync apply posts --force',
      'Changes of the blog are written over by `blogctl sync apply <folder> --on-drift overwrite`',
    ],
    ['commit -m msg', 'Nothing is staged: '],
    ['status', 'Of a folder: `blogctl sync plan <folder>`; of the login: '],
    ['import posts --parallel', 'Four requests are sent at a time'],
    [
      'import posts --log run.log',
      'There is no --log here. It is `blogctl articles import <source...>`, with',
    ],
    ['create --title X --content c --id 9', 'A blog gives each article its id.'],
    [
      'export token ci',
      'Its commands are create, list, revoke, and none for that: see `blogctl token --help`.',
    ],
    ['prune', '`blogctl runs prune` forgets runs'],
    ['store edit-blog --title=', 'Write `blogctl store edit-blog --title <text>`: its new title.'],
  ])('%s is not taken for something else', async (line, hint) => {
    const { status, out, err } = await run(line.split(' '), { env, folder });
    expect([status, out]).toEqual([2, '']);
    expect(err).toContain(`\nhint: ${hint}`);
  });

  it.each([
    ['create -f several.json', 'articles import several.json'],
    ['publish several.json', 'articles import several.json'],
    ['new post several.csv', 'articles import several.csv'],
    ['create -f one.json', 'articles import one.json'],
    ['pull not-there', 'articles export not-there'],
    ['sync .', 'sync plan .'],
  ])('what a file holds decides: %s', async (line, hint) => {
    writeFileSync(join(folder, 'several.json'), '[{"title":"A","content":"B"}]');
    writeFileSync(join(folder, 'one.json'), '{"title":"A","content":"B"}');
    const { err } = await run(line.split(' '), { env, folder });
    expect(err).toContain(`\nhint: Run \`blogctl ${hint}\`.\n`);
  });

  it.each([
    [
      'articles create --from-file list.json',
      'Several articles come by `blogctl articles import list.json`.',
    ],
    [
      'articles create --from-file list.csv',
      'several articles come by `blogctl articles import list.csv`.',
    ],
    [
      'articles create --title A --content-file .',
      'The articles of a folder come by `blogctl articles import .`.',
    ],
    [
      'sync plan list.json',
      'and posts of it behind it; `blogctl articles export <folder>` makes one.',
    ],
    ['sync apply a.md -y', 'Name the folder first, and its posts behind it,'],
  ])('%s names a file of another kind', async (line, hint) => {
    writeFileSync(join(folder, 'list.json'), '[{"title":"A","content":"B"}]');
    writeFileSync(join(folder, 'list.csv'), 'title,content\n');
    writeFileSync(join(folder, 'a.md'), 'A');
    const { err } = await run(line.split(' '), { env, folder });
    expect(err).toContain(hint);
  });

  it.each([
    [['create', '--title', 'X'], 'articles create --title X --content-file -'],
    [['update', '3'], 'articles update 3 --content-file -'],
  ])('a file on stdin is the content: %j', (line, hint) => {
    writeFileSync(join(folder, 'note.md'), 'x');
    const stdin = openSync(join(folder, 'note.md'), 'r');
    const bin = fileURLToPath(new URL('../../../bin/blogctl.cjs', import.meta.url));
    const { stderr } = spawnSync('node', [bin, ...line], {
      env: { ...process.env, ...env },
      stdio: [stdin, 'pipe', 'pipe'],
      encoding: 'utf8',
    });
    closeSync(stdin);
    expect(stderr).toContain(`hint: Run \`blogctl ${hint}\`.\n`);
  });

  it.each([
    ['articles list --page 2 --limit 3', "cannot be used with option '--page <n>'"],
    ['articles get http://b.test/blogs/1/articles/3', '--blog http://b.test/blogs/1.'],
    ['articles get http://b.test/blogs/1/articles/3/', '--blog http://b.test/blogs/1.'],
    ['api http://b.test/blogs/1', '--blog http://b.test/blogs/1, or'],
    ['api http://b.test/blogs/1/articles?pageSize=2', '--blog http://b.test/blogs/1, or'],
    ['articles list --blog=file://blog.json', 'Write it as file:blog.json or'],
    ['articles update 2', '--content-file <file>, - for stdin'],
    ['token create --expires 2months', "argument '2months' is invalid"],
  ])('%s is told %s', async (line, text) => {
    const { status, out, err } = await run(line.split(' '), { env, folder });
    expect([status, out]).toEqual([2, '']);
    expect(err).toContain(text);
  });

  it.each(['30 days', '1 day', '12hours', '5min', '10 seconds'])(
    '%s is a duration',
    async (text) => {
      const line = ['articles', 'list', '--format', 'ids', '--timeout', text];
      expect(await run(line, { env, folder })).toMatchObject({ status: 0, out: '1\n2\n' });
    },
  );

  it.each([
    ['store edit-blog X', 'store edit-blog --title X --store <file>'],
    ['lock 3', 'store lock --article 3 --store <file>'],
    ['rename blog X', 'store edit-blog --title X --store <file>'],
  ])('%s of a service is answered with %s', async (line, hint) => {
    const service = { ...env, BLOGCTL_BLOG: 'http://127.0.0.1:9/api/v1.2/blogs/1' };
    const { err } = await run(line.split(' '), { env: service, folder });
    expect(err).toContain(`hint: Run \`blogctl ${hint}\`.\n`);
  });
});

describe('one rule answers a whole class of lines', () => {
  it.each([
    ['a near name of a flag', 'articles list --li 3', 'articles list --limit 3'],
    ['a near name of a flag', 'articles list --trace', 'articles list -vvv'],
    ['a near name of a flag', 'articles list --log-level debug', 'articles list -v'],
    ['a near name of a flag', 'articles list --id-only', 'articles list --field id'],
    ['a near name of a flag', 'articles list --long', 'articles list --fields id,title,content'],
    ['a near name of a flag', 'articles get --all', 'articles list --all'],
    ['a near name of a flag', 'articles update 2 -e', 'articles edit 2'],
    [
      'a near name of a flag',
      'articles import p.csv --separator ,',
      'articles import p.csv --delimiter ,',
    ],
    [
      'a near name of a flag',
      'articles import p.csv --title-column t',
      'articles import p.csv --map title=t',
    ],
    ['a near name of a flag', 'articles import posts --no-drafts', 'articles import posts'],
    ['a near name of a flag', 'sync plan posts --fail-on-changes', 'sync plan posts --exit-code'],
    ['a near name of a flag', 'serve --database postgres://h/x', 'serve --store postgres://h/x'],
    ['a near name of a flag', 'serve -d blog.json', 'serve --store blog.json'],
    ['a joint of another kind', 'articles list --limit:3', 'articles list --limit 3'],
    ['a joint of another kind', 'articles list /limit:3', 'articles list --limit 3'],
    ['a joint of another kind', 'articles list "--limit 3"', 'articles list --limit 3'],
    ['a joint of another kind', 'articles list --limit= 3', 'articles list --limit 3'],
    ['a joint of another kind', 'articles list -- --json', 'articles list --json'],
    ['a joint of another kind', 'articles "list --json"', 'articles list --json'],
    ['a joint of another kind', 'articleslist', 'articles list'],
    ['a word that says nothing', 'get 3 as json', 'articles get 3 --format json'],
    ['a word that says nothing', 'list as table', 'articles list --format table'],
    ['a word that says nothing', 'serve on port 18500', 'serve --port 18500'],
    ['a word that says nothing', 'serve blog.json on 18500', 'serve blog.json --port 18500'],
    ['a word that says nothing', 'who am i', 'auth status'],
    ['a word that says nothing', 'open 3 in browser', 'articles get --web 3'],
    ['a profile as a word', 'articles list staging', 'articles list --profile staging'],
    ['a profile as a word', 'staging articles list', 'articles list --profile staging'],
    ['a profile as a word', 'push posts staging', 'sync apply posts --profile staging'],
    ['a figure', 'head 5', 'articles list --limit 5'],
    ['a figure', 'tail -5', 'articles list --reverse --limit 5'],
    ['a figure', 'head -n 3', 'articles list --limit 3'],
    ['a pattern', 'articles list --title *test*', 'articles list --search test'],
    ['a pattern', 'articles list test*', 'articles list --search test'],
    ['a title', 'articles get --title "Hello world"', "articles list --search 'Hello world'"],
    ['a title', 'articles create title T content C', 'articles create --title T --content C'],
    ['a number first', '3 delete', 'articles delete 3'],
    ['a number first', 'articles 3 --title X', 'articles update 3 --title X'],
    ['a member', 'show 3:content', 'articles get 3 --field content'],
    ['a member', 'articles get 3 .title', 'articles get 3 --field title'],
    ['a format', 'json', 'articles list --format json'],
    ['a blog', 'articles list -f b.json', 'articles list --blog file:b.json'],
    ['a blog', 'use b.json', 'config set blog file:b.json'],
    ['a blog', 'profile add http://b.test/1 b', 'profile add b http://b.test/1'],
    ['a blog', 'sync plan posts file:b.json', 'sync plan posts --blog file:b.json'],
    ['a file', 'check b.json', 'store check b.json'],
    ['a file', 'publish a.md b.md c.md', 'articles import a.md b.md c.md'],
    ['another verb', 'articles fetch 3', 'articles get 3'],
    ['another verb', 'retitle 3 New', 'articles update 3 --title New'],
    ['another verb', 'articles push posts', 'sync apply posts'],
    ['another verb', 'ghost import ghost.json', 'articles import ghost.json'],
    ['another verb', 'store freeze', 'store lock'],
    ['another verb', 'recent', 'articles list --reverse --limit 10'],
    ['another verb', 'export articles out', 'articles export out'],
    ['another verb', 'bulk delete 3 4', 'articles delete 3 4'],
    ['another verb', 'run serve --port 3000', 'serve --port 3000'],
    ['another verb', 'profile current', 'profile list'],
  ])('%s: %s', async (_class, line, hint) => {
    const { status, out, err } = await runLine(line);
    const proposed = `hint: Run \`blogctl ${hint}\`.`;
    expect([status, out, err.split('\n').at(-2)]).toEqual([2, '', proposed]);
  });

  it.each([
    ['articles list -p nobody', 'There is no profile of that name: '],
    ['articles list --env nobody', 'There is no profile of that name: '],
    ['deploy staging', 'Write `blogctl sync apply --profile staging <folder|plan.json>`: '],
    ['deploy nobody', 'Write `blogctl sync apply <folder>`'],
    ['serve --env nobody', 'There is no profile of that name: '],
    ['serve --port 0 --listen 127.0.0.1:3000', 'A port is named once: '],
    ['serve --host 127.0.0.1:3000', 'Run `blogctl serve --host 127.0.0.1 --port 3000`.'],
    ['serve --slow', 'Write `blogctl serve --delay <ms>`: let every answer wait'],
    ['token create --expiry 2030-01-01', 'Write `blogctl token create --expires <duration>`: '],
    ['articles list --today', 'None is chosen by its date: '],
    ['articles list --from 2024-01-01', 'None is chosen by its date: '],
    ['what changed since yesterday', 'None is chosen by its date: '],
    ['query "select * from articles"', 'Conditions are written in jq: '],
    ['articles list --header', 'Only CSV has a heading: '],
    ['articles import posts --draft', 'Drafts are left out; --drafts publishes them too.'],
    ['articles export posts --force', 'A folder is exported to where nothing is: '],
    ['articles export out 3', 'One article is written by '],
    ['copy work staging', 'Articles go to another blog by `blogctl articles export '],
    ['transfer --from file:a.json --to file:b.json', 'Articles go to another blog by '],
    ['publish draft 3', 'Articles have no state: '],
    ['new post not-there.md', 'Write the file first: '],
    ['create backup', '`blogctl articles export backup.ndjson` writes '],
    ['undo delete', '`blogctl runs list` shows the last one first: '],
    ['docker run', 'It manages the articles of a blog alone: '],
    ['.tables', 'It manages the articles of a blog alone: '],
    ['articles update 2 --upsert --title X', 'There is no --upsert here. '],
    ['articles update 2 --all --title X', 'One is changed at a time, and keeps its id: '],
    ['articles update 2 --replace a=b', 'A text is changed as a whole: '],
    ['migrate from wordpress', 'What it exported is a file or a folder: '],
    ['articles export out --bogus', 'There is no --bogus here. It is `blogctl articles export`: '],
    ['delete 1 to 3', 'Write `blogctl articles delete 1 <article...> 3`: '],
    ['clear', 'Say what: '],
    ['sync apply nope', 'Name the folder that has the posts, '],
    ['articles import posts --overwrite', 'Leave it out: only `blogctl sync apply posts` writes'],
    ['serve --timeout 5s', 'Leave it out: see `blogctl serve --help`.'],
  ])('%s is told as it is', async (line, hint) => {
    const { status, out, err } = await runLine(line);
    expect([out, status > 0]).toEqual(['', true]);
    expect(err).toContain(`\nhint: ${hint}`);
  });

  it('a file that is there decides what is exported, and what is looked through', async () => {
    writeFileSync(join(folder, 'there.json'), '[{"title":"A","content":"B"}]');
    const exported = await run(['dump', 'blog.json'], { env, folder });
    expect(exported.err).toContain('Run `blogctl articles export --blog file:blog.json`.');
    const checked = await run(['validate', 'there.json'], { env, folder });
    expect(checked.err).toContain('Run `blogctl articles import there.json --dry-run`.');
  });

  it.each([
    ['-version', "unknown option '-version'"],
    ['articles list --page 2 --all', "cannot be used with option '--page <n>'"],
    ['check links', 'blogctl check asks a service whether it keeps the interface; of a file,'],
  ])('%s: %s', async (line, message) => {
    const { status, err } = await run(line.split(' '), { env, folder });
    expect([status, err]).toEqual([2, expect.stringContaining(message)]);
  });

  it('a format that a variable names is said to be none', async () => {
    const { status, err } = await run(['articles', 'list'], { env: { ...env, BLOGCTL_JSON: '1' } });
    expect([status, err]).toEqual([
      0,
      expect.stringContaining('BLOGCTL_JSON is not read: a format is given by --format.'),
    ]);
  });

  it('a blank behind the blog of a variable is none of its name', async () => {
    const blanked = { ...env, BLOGCTL_BLOG: `${env['BLOGCTL_BLOG']} ` };
    expect(await run(['articles', 'get', '2', '--field', 'title'], { env: blanked })).toMatchObject(
      {
        status: 0,
        out: 'Two',
      },
    );
  });
});

describe('a condition is the filter of jq that says the same', () => {
  it.each([
    ['articles list --where "id > 1"', 'id > 1', /^Two$/],
    ['list --filter id=1', 'id == 1', /^One$/],
    ['list "id <= 1"', 'id <= 1', /^One$/],
    ['articles list --query "id gt 1"', 'id > 1', /^Two$/],
    [`articles list --where "title like 'Two'"`, 'title == "Two"', /^Two$/],
    [`articles list --where "title = 'Two'"`, 'title == "Two"', /^Two$/],
    [`articles list --where "post_title<>'Two' and ID<9"`, 'title != "Two" and .id < 9', /^One$/],
    [
      `articles list --where "title like 'T%' or title like '%x%'"`,
      `(.title // "" | startswith("T")) or (.title // "" | contains("x"))`,
      /^Two$/,
    ],
  ])('%s', async (line, condition, title) => {
    const { err } = await runLine(line);
    const filter = `.[] | select(${condition.startsWith('(') ? '' : '.'}${condition})`;
    expect(err).toContain(`Run \`blogctl articles list --all --jq '${filter}'\`.`);
    const { out } = await run(['articles', 'list', '--all', '--jq', filter], { env, folder });
    expect(JSON.parse(out).title).toMatch(title);
  });

  it('of the first two is none of all', async () => {
    const { err } = await runLine('articles list --where "id > 1" --limit 2');
    expect(err).toContain('hint: Conditions are written in jq: ');
  });

  it.each([
    "id > 'x'",
    'id in (1,2)',
    "title in ('One','Two')",
    'content is null',
    "title like 'T_o'",
    'id > 1 and',
    '(id > 1)',
    "title = 'a' id > 1",
    'date > 2024',
    'id ~ 1',
  ])('%s is none', async (condition) => {
    const { err } = await runLine(`articles list --where "${condition}"`);
    expect(err).toContain('Conditions are written in jq');
    expect(err).not.toContain('Run `blogctl articles list --all');
  });
});

describe('a host that is asked by hand is asked for its articles', () => {
  const at = '--blog http://localhost:80/api/v1.2/blogs/1';

  it.each([
    ['curl localhost:80', `blog ${at}`],
    ['curl -s localhost:80/posts', `api articles ${at}`],
    ['http localhost:80/posts/1', `api articles/1 ${at}`],
    ['curl -d x=y localhost:80', `api -X POST -F x=y articles ${at}`],
    [
      'curl -d title=x -d content=y localhost:80/posts',
      `api -X POST -F title=x -F content=y articles ${at}`,
    ],
    [
      'http POST localhost:80/posts title=x content=y',
      `api -X POST articles -F title=x -F content=y ${at}`,
    ],
    ['curl -X PUT localhost:80/posts/1 -d title=x', `articles update 1 --title x ${at}`],
    ['curl localhost:80/posts?_page=2', `api 'articles?_page=2' ${at}`],
    ['curl localhost:80/health', `api /health ${at}`],
    ['curl -X DELETE localhost:80/posts/1', `api -X DELETE articles/1 ${at}`],
    ['curl -o out.json localhost:80/posts', `api -o out.json articles ${at}`],
    ['wp --url=http://localhost:80 post list', `${at} articles list`],
  ])('%s', async (line, meant) => {
    expect((await runLine(line)).err).toContain(`hint: Run \`blogctl ${meant}\`.`);
  });
});

describe('what is named by its title, several at once, or in the help of others', () => {
  it.each([
    ['articles One', 'articles list --search One'],
    ['articles "One of two"', "articles list --search 'One of two'"],
    ['articles List', 'articles list'],
    ['bulk-delete 1 2', 'articles delete 1 2'],
    ['articles bulk_update 1 --title x', 'articles update 1 --title x'],
    ['articles list --json=', 'articles list --json'],
    ['articles get 1 --file out.md', 'articles get 1 --output out.md'],
    ['articles get 1 --qj .title', 'articles get 1 --jq .title'],
    ['articles get 1 --jqq .title', 'articles get 1 --jq .title'],
    ['hub issue list', 'articles list'],
    ['kubectl -n work get articles', '--profile work articles list'],
    ['kubectl apply -R -f posts', 'sync apply posts'],
    ['wp help post', 'help articles'],
    ['gh help issue list', 'help articles list'],
    ['wp post help list', 'articles list --help'],
  ])('%s', async (line, meant) => {
    expect((await runLine(line)).err).toContain(`hint: Run \`blogctl ${meant}\`.`);
  });

  it('a flag of others is no slip of ours', async () => {
    const { err } = await runLine('articles list --file x');
    expect(err).toContain('There is no --file here. Conditions');
  });
});

describe('a flag that takes no value', () => {
  it.each([
    ['sync apply posts --prune=yes -y', 'sync apply posts --prune -y'],
    ['sync apply posts --prune=TRUE -y', 'sync apply posts --prune -y'],
    ['sync apply posts --prune=no -y', 'sync apply posts -y'],
    ['sync apply posts -y=yes', 'sync apply posts -y'],
    ['articles list --all=on', 'articles list --all'],
    ['articles import posts --drafts=off', 'articles import posts'],
    ['serve --watch=1', 'serve --watch'],
    ['--debug=0 blog', 'blog'],
  ])('is there or not: %s', async (line, meant) => {
    const { status, err } = await runLine(line);
    expect(status).toBe(2);
    expect(err).toContain(`hint: Run \`blogctl ${meant}\`.\n`);
  });

  it.each([
    ['sync apply posts --prune=some -y', '--prune', 'sync apply posts --prune -y'],
    ['sync apply posts --prune= -y', '--prune', 'sync apply posts --prune -y'],
    ['articles import posts --drafts=draft.md', '--drafts', 'articles import posts --drafts'],
  ])('has none: %s', async (line, flag, meant) => {
    const { status, err } = await runLine(line);
    expect(status).toBe(2);
    expect(err).toContain(
      `hint: The flag ${flag} takes no value: write \`blogctl ${meant}\`, or leave it out.\n`,
    );
  });
});

describe('a file whose name begins as a flag does', () => {
  it.each([
    [
      'sync apply posts -dash.md --on-drift overwrite -y',
      'sync apply posts ./-dash.md --on-drift overwrite -y',
    ],
    ['sync pull posts -nash.md', 'sync pull posts ./-nash.md'],
    ['sync pull posts --prune.md', 'sync pull posts ./--prune.md'],
    ['articles import posts/a.md -here.md', 'articles import posts/a.md ./-here.md'],
    ['articles create -here.md', 'articles import ./-here.md'],
  ])('that is there is meant: %s', async (line, meant) => {
    const posts = join(folder, 'posts');
    mkdirSync(posts, { recursive: true });
    for (const name of [
      '-dash.md',
      'ash.md',
      '-nash.md',
      '--prune.md',
      '../-here.md',
      '../here.md',
      'a.md',
    ])
      writeFileSync(join(posts, name), '---\ntitle: T\n---\nC\n');
    const { status, err } = await runLine(line);
    rmSync(posts, { recursive: true });
    for (const name of ['-here.md', 'here.md']) rmSync(join(folder, name));
    expect(status).toBe(2);
    expect(err).toContain(`hint: Run \`blogctl ${meant}\`.\n`);
  });

  it.each([
    'sync apply posts -dash.md --on-drift overwrite -y',
    'sync apply posts -nash.md',
    'sync pull posts -fash.md',
    'articles import posts -dash.md',
    'sync plan posts -dash.md',
  ])('that is not there is not taken for another: %s', async (line) => {
    const { status, err } = await runLine(line);
    expect(status).toBe(2);
    expect(err).not.toMatch(/ ash\.md|There is no/);
    expect(err).toContain('A file of that name is ./-');
  });
});

describe('what looks like a secret is never printed back', () => {
  it.each([
    [
      'auth login http://b.test/1 bct_S3cret9',
      'it is asked for, or read from --token-file <file>.',
    ],
    ['auth login http://b.test/1 another-S3cret9', 'it is asked for, or read from'],
    ['auth login bct_S3cret9 http://b.test/1', 'it is asked for, or read from'],
    ['login bct_S3cret9', 'give --token-file <file>'],
    ['auth login http://b.test/1 --with-token bct_S3cret9', 'it is asked for, or read from'],
    ['--token=bct_S3cret9 articles list', "error: unknown option '--token=…'"],
    ['articles list --password=S3cret9', "error: unknown option '--password=…'"],
    ['serve --token=other-S3cret9', "error: unknown option '--token=…'"],
    ['token revoke bct_S3cret9 --store blog.json', 'no token "…"'],
    ['profile add p bct_S3cret9', '"…" is not the address of a blog.'],
    ['post list --blog http://u:S3cret9@b.test:80/1', 'a blog without user and password.'],
    ['post list --blog http://u:S3c/S3cret9@b.test/1', 'a blog without user and password.'],
    ['get http://S3cret9@b.test/1', 'a blog without user and password.'],
    ['articles import http://u:S3cret9@b.test/1.xml', 'No file or folder "http://…@b.test/1.xml".'],
    ['new bct_S3cret9', 'give --token-file <file>'],
    ['--pass=S3cret9 articles list', "error: unknown option '--pass=…'"],
    ['config set blog http://b.test/1?token=S3cret9', 'The address of a blog holds no token.'],
    ['profile add p http://b.test/1?x=1&access_token=S3cret9', 'blog holds no token.'],
    ['articles list --blog http://b.test/1?token=bct_S3cret9', 'blog holds no token.'],
    ['api / -H X-Access-Token=S3cret9', "argument '…' is invalid."],
    ['api /articles?token=S3cret9 -v --retries 0 --blog http://127.0.0.1:9/1', '/articles?token=…'],
  ])('%s', async (line, text) => {
    for (const flags of [[], ['--json']]) {
      const { status, out, err } = await run([...line.split(' '), ...flags], { env, folder });
      expect(status).not.toBe(0);
      expect(out + err).not.toContain('S3cret9');
      const plain = flags.length > 0 ? err.replaceAll(String.raw`\"`, '"') : err;
      expect(plain).toContain(flags.length > 0 ? text.replace('error: ', '') : text);
    }
  });

  it('nor a field of -H that is refused, or stands in a line that is', async () => {
    for (const value of ['Authorization Bearer S3cret9', 'Authorization: Bearer S3cret9']) {
      const line = ['api', '/', '--methd', 'GET', '-H', value];
      const { status, err } = await run(line, { env, folder });
      expect([status, err]).toEqual([2, expect.not.stringContaining('S3cret9')]);
      const { err: alone } = await run(['api', '/', '-H', value, '--page', '1'], { env, folder });
      expect(alone).not.toContain('S3cret9');
    }
  });

  it('nor one that an address was kept with', async () => {
    const home = mkdtempSync(join(folder, 'kept-'));
    const blog = 'http://b.test/1?token=S3cret9';
    const kept = { blog, profiles: { work: { blog } }, tokens: { 'http://b.test': 'known-token' } };
    writeFileSync(join(home, 'config.json'), JSON.stringify(kept), { mode: 0o600 });
    const known = { BLOGCTL_CONFIG_DIR: home };
    const lines = ['config list', 'config get blog', 'profile list', 'profile show work'];
    for (const line of [...lines, `auth status --blog file:${join(home, 'blog.json')}`]) {
      const { status, out } = await run(line.split(' '), { env: known, folder });
      expect([line, status, out]).toEqual([line, 0, expect.stringContaining('/1?token=…')]);
      expect(out).not.toContain('S3cret9');
    }
  });

  it('what is no secret stays', async () => {
    const words = ['api', 'http://127.0.0.1:8080/a@b', '--blog', 'http://b.test:8080/x/@user/1'];
    const { err } = await run(words, { env });
    expect(err).toContain('http://127.0.0.1:8080/a@b is not of http://b.test:8080.');
  });
});

describe('habits of gh, wp-cli and json-server', () => {
  it.each([
    [
      'post create --post_title=A --post_content=c --allow-root',
      'articles create --title A --content c',
    ],
    ['post update 2 --post_title=A --defer-term-counting', 'articles update 2 --title A'],
    ['post delete 2 --force --allow-root', 'articles delete 2 --yes'],
    ['post get 2 --allow-root', 'articles get 2'],
    ['post list --fields=ID,guid', 'articles list --fields=id,url'],
    [
      'repo view --json name,description --no-pager',
      'blog --json --fields title,description --no-pager',
    ],
    ['articles list -S kettle --format=count', 'articles list -S kettle --jq length'],
    ['post list --s=kettle --format=count', 'articles list --search kettle --jq length'],
    ['post list --format=count', 'blog --field articles'],
    ['post list --numberposts=3', 'articles list --limit 3'],
    ['post list --numberposts=-1', 'articles list --all'],
    ['post create - --post_title=T', 'articles create --content-file - --title T'],
    [
      'api articles --raw-field title=A --raw-field content=B',
      'api articles -X POST -F title=A -F content=B',
    ],
    [
      'api articles --field title=A --field content=B',
      'api articles -X POST -F title=A -F content=B',
    ],
    [
      'api articles -X GET -f per_page=2 -f page=2',
      'api articles -X GET -F pageSize=2 -F pageIndex=2',
    ],
    ['api articles --paginate --slurp', 'api articles --paginate'],
    ['sync --dry-run posts', 'sync plan posts'],
    ['blog --title X', 'store edit-blog --title X'],
    ['option get siteurl', 'blog'],
    ['config set host http://b.test/1', 'config set blog http://b.test/1'],
    ['config get blog_url', 'config get blog'],
    ['config gte blog', 'config get blog'],
    ['post url 3', 'articles get 3 --field address'],
    ['db import backup.json', 'articles import backup.json'],
    ['db export', 'articles export backup.ndjson'],
    ['db export backup.sql', 'articles export backup.ndjson'],
    ['-p 3000 db.json', 'serve --port 3000 db.json'],
    ['--host 0.0.0.0 db.json', 'serve --host 0.0.0.0 db.json'],
    ['search --limit 3 kettle', 'articles list --limit 3 --search kettle'],
    ['articles list --search --limit 3 kettle', 'articles list --limit 3 --search kettle'],
    ['articles latest', 'articles list --reverse --limit 1'],
    ['issue view 2 --json body -q .body', 'articles get 2 --json --fields content --jq .content'],
    ['articles list --offset 5 --limit 5', 'articles list --page 2 --page-size 5'],
    ['post list --posts_per_page=5 --offset=0', 'articles list --page 1 --page-size 5'],
    ['api articles/2 -X PATCH -f title=P', 'articles update 2 --title P'],
    ['articles newest 3', 'articles list --reverse --limit 3'],
    ['articles list --sort created-desc', 'articles list --sort id --reverse'],
    ['auth status --hostname h.test', 'auth status --blog https://h.test/'],
  ])('%s is answered with %s', async (line, hint) => {
    const { status, out, err } = await run(line.split(' '), { env, folder });
    expect([status, out]).toEqual([2, '']);
    expect(err).toContain(`Run \`blogctl ${hint}\`.`);
  });

  it.each([
    [
      'post list --fields=ID,post_title,post_status',
      'Without what is not known here: `blogctl articles list --fields=id,title`.',
    ],
    ['post get 2 --field=post_name', 'Write `blogctl articles get 2 --field <names>`.'],
    [
      'articles list --fields id --offset 3 --limit 5',
      'Pages are counted: --page 2 --page-size 20 are the second twenty.',
    ],
    ['undo last', '`blogctl runs list` shows the last one first: `blogctl runs undo <run>`'],
    [
      'site empty --yes',
      '`blogctl articles list --all --format ids | blogctl articles delete -` says how many it would',
    ],
    [
      'articles delete --all',
      '`blogctl articles list --all --format ids | blogctl articles delete -` says how many it would',
    ],
    ['repo sync', 'A folder and its blog are kept in step by `blogctl sync`, and become files by'],
    [
      'config set format json',
      'What can be set is blog, profile, timeout, retries and max-wait: a format',
    ],
    [
      'config set timeout 60',
      'Write 60s for seconds; a duration is written as 500ms, 30s, 5m or 2h.',
    ],
    ['articles list --user=admin', 'There are no users; for a token, set BLOGCTL_TOKEN, or give'],
    [
      'auth switch --user bob',
      'There are no users: `blogctl profile use <name>` chooses another blog,',
    ],
  ])('%s is told %s', async (line, hint) => {
    const { status, out, err } = await run(line.split(' '), { env, folder });
    expect([status, out]).toEqual([2, '']);
    expect(err).toContain(`\nhint: ${hint}`);
  });

  it.each([
    ['update 2 plain.md', 'articles update 2 --content-file plain.md'],
    ['update 2 headed.md', 'articles update 2 --from-file headed.md --title <text>'],
    ['update 2 titled.md', 'articles update 2 --from-file titled.md'],
    ['create plain.md', 'articles create --from-file plain.md --title <text>'],
    ['create titled.md', 'articles import titled.md'],
  ])('%s: a title that the file does not have is asked for', async (line, hint) => {
    writeFileSync(join(folder, 'plain.md'), 'Text.');
    writeFileSync(join(folder, 'headed.md'), '---\ndate: 2024-01-01\n---\nText.\n');
    writeFileSync(join(folder, 'titled.md'), '---\ntitle: T\n---\nText.\n');
    const { status, err } = await run(line.split(' '), { env, folder });
    expect([status, err]).toEqual([2, expect.stringContaining(`hint: Run \`blogctl ${hint}\`.\n`)]);
  });

  it.each([
    ['-o one.json articles get 1', /^\{\n {2}"id": 1,/],
    ['-o all.csv articles list', /^id,title\r\n1,One\r\n/],
    ['-o all.ndjson articles list', /^\{"id":1,/],
    ['-o one.md articles get 1', /^---\ntitle: "One"\n/],
    ['-o all.json articles list --format tsv', /^1\tOne\n/],
    ['-o all.json articles list --field title', /^One\n/],
    ['-o all.txt articles list', /^ID +TITLE\n1 +One\n/],
  ])('%s writes what the file is called by, where no flag says otherwise', async (line, text) => {
    const [, file = '', ...words] = line.split(' ');
    const path = join(folder, file);
    const { status } = await run([...words, '-o', path, '--overwrite'], { env, terminal: 80 });
    expect(status).toBe(0);
    expect(readFileSync(path, 'utf8')).toMatch(text);
  });

  it.each([
    ['"One"', '"'],
    ['kettle AND tea', 'AND'],
    ['kettle*', '*'],
    ['/kettle/', '/'],
    ['-kettle', '-'],
  ])('a search for %s that finds nothing says that %s is searched too', async (search, sign) => {
    const { err } = await run(['articles', 'list', `--search=${search}`], { env, terminal: 80 });
    expect(err).toContain(`matches. Words are searched as they stand, ${sign} too`);
  });

  it.each(['kettle in:title', 'title:letter', 'sort:updated-desc kettle'])(
    'a search for "%s" that finds nothing says that it has no such words',
    async (search) => {
      const { err } = await run(['articles', 'list', '--search', search], { env, terminal: 80 });
      expect(err).toMatch(
        /None of 2 articles matches\. Words are searched as they stand, \w+: too: try --search "\w+"\./,
      );
    },
  );

  it.each([
    ['api posts', 'articles for posts'],
    ['api posts/2', 'articles/2 for posts/2'],
    ['api article/2', 'articles/2 for article/2'],
  ])('%s is told to write %s', async (line, words) => {
    const { status, err } = await run(line.split(' '), { env });
    expect([status, err]).toEqual([9, expect.stringContaining(`hint: Write ${words}.\n`)]);
  });

  it('whoever asks for a user is led to the login', async () => {
    const { err } = await run(['api', 'user'], { env });
    expect(err).toContain('hint: There are no users: `blogctl auth status` says which blog');
  });

  it.each([
    [
      'articles list',
      { BLOGCTL_BLOG: '', BLOGCTL_URL: 'http://b.test/1' },
      'BLOGCTL_URL is not read: a blog is named by BLOGCTL_BLOG.',
    ],
    [
      'articles list',
      { BLOGCTL_BLOG: '', BLOGCTL_HOST: 'b.test' },
      'BLOGCTL_HOST is not read: a blog is named by BLOGCTL_BLOG.',
    ],
    [
      'articles list',
      { BLOGCTL_SITE: 'http://b.test/1' },
      'BLOGCTL_SITE is not read: a blog is named by BLOGCTL_BLOG.',
    ],
    [
      'articles list',
      { BLOGCTL_BLOG: '', BLOGCTL_STORE: 'blog.json' },
      'BLOGCTL_STORE is not read: a blog is named by BLOGCTL_BLOG, here as file:<path>.',
    ],
    [
      'articles list',
      { BLOGCTL_OUTPUT: 'json' },
      'BLOGCTL_OUTPUT is not read: a format is given by --format.',
    ],
    [
      'articles list',
      { BLOGCTL_FORMAT: 'json' },
      'BLOGCTL_FORMAT is not read: a format is given by --format.',
    ],
  ])('%s with %j says what is not read', async (line, others, notice) => {
    const own = { ...env, BLOGCTL_DATA_DIR: folder, ...others };
    const { err } = await run(line.split(' '), { env: own, terminal: 80 });
    expect(err).toContain(notice);
    const said = await run([...line.split(' '), '--json', '--blog', env['BLOGCTL_BLOG'] ?? ''], {
      env: own,
    });
    expect(said.err).not.toContain('is not read');
  });

  it.each([
    ['BLOGCTL_VERBOSE', 'requests are shown by -v'],
    ['BLOGCTL_DEBUG', 'requests are shown by -v'],
    ['BLOGCTL_LIMIT', 'a limit is given by --limit'],
  ])('%s is not read either', async (name, instead) => {
    const { err } = await run(['articles', 'list'], { env: { ...env, [name]: '1' }, terminal: 80 });
    expect(err).toContain(`${name} is not read: ${instead}.`);
  });

  it('-v alone is the version', () => {
    const bin = fileURLToPath(new URL('../../../bin/blogctl.cjs', import.meta.url));
    const { stdout } = spawnSync('node', [bin, '-v'], { encoding: 'utf8' });
    expect(stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
  });
});

describe('a noun behind a verb is the noun of that verb', () => {
  it.each([
    ['create token ci', 'Run `blogctl token create --name ci`.'],
    ['add token ci', 'Run `blogctl token create --name ci`.'],
    ['new profile work file:w.json', 'Run `blogctl profile add work file:w.json`.'],
    ['create post Hello', 'Run `blogctl articles create --title Hello --content <text>`.'],
    ['new article Hello', 'Run `blogctl articles create --title Hello --content <text>`.'],
    ['create --title token', 'Run `blogctl articles create --title token --content <text>`.'],
    ['create blog Garden', 'Run `blogctl store init Garden.json --title Garden`.'],
    ['create store x.json', 'Run `blogctl store init x.json`.'],
    ['init store x.json', 'Run `blogctl store init x.json`.'],
    ['list blogs', 'Run `blogctl blog`.'],
    [
      'export token ci',
      'Its commands are create, list, revoke, and none for that: see `blogctl token --help`.',
    ],
    [
      'import profile x',
      'Its commands are add, list, use, show, remove, and none for that: see `blogctl profile list` and `blogctl profile --help`.',
    ],
    ['list tokens', 'Run `blogctl token list`.'],
    ['list runs', 'Run `blogctl runs list`.'],
    ['list profiles', 'Run `blogctl profile list`.'],
    ['show config', 'Run `blogctl config list`.'],
    ['show run 3', 'Run `blogctl runs show 3`.'],
  ])('%s', async (line, hint) => {
    const { status, err } = await run(line.split(' '), { env });
    expect([status, err]).toEqual([2, expect.stringContaining(`hint: ${hint}\n`)]);
  });
});

describe('a hint is about what was refused', () => {
  it.each([
    [
      'serve x.json --port 80a',
      'Write `blogctl serve x.json --port <n>`: port to listen at; 0 picks a free one.',
    ],
    ['serve x.json --bind 127.0.0.1', 'Run `blogctl serve x.json --host 127.0.0.1`.'],
    ['runs list --status failed', 'A run is interrupted or has ended: its counts say'],
    ['runs list --status ended', `Run \`blogctl runs list --jq '.[]|select(.state=="ended")'\`.`],
    [
      'articles revert 3',
      '`blogctl runs list` shows the imports, deletions and syncs that can be undone; an update, or what `blogctl api` sent, is in none.',
    ],
    ['hugo server -D', 'Run `blogctl serve`.'],
    ['build', 'Nothing is built: `blogctl serve` shows the articles'],
    ['articles list -b file:x.json', 'Run `blogctl articles list --blog file:x.json`.'],
    ['-C /dir articles list', 'It works where it is run: `cd` into the folder first.'],
    ['new theme x', 'It manages the articles of a blog alone: see `blogctl --help`.'],
    ['add user bob', 'There are no users:'],
    ['list drafts', 'Articles have no state:'],
    ['pr merge 2', 'Articles have no state: what is on the blog is public.'],
    ['get pods', 'There are articles alone: `blogctl articles list` shows them.'],
    ['delete -f posts/a.md', 'Run `blogctl runs undo --source posts/a.md`.'],
    ['patch article 2 -p {}', 'JSON is read by --from-file <file>, - for stdin.'],
    ['articles upsert posts/a.md', 'Only `blogctl sync apply <folder>` writes over articles'],
    ['store copy a.json', 'Name both: `blogctl store copy <from> <to>`.'],
    ['store copy --from a.json --to b.json', 'Name both: `blogctl store copy <from> <to>`.'],
    ['sync init', 'Nothing has to be made first: `blogctl sync plan <folder>` shows what would be'],
    ['config set color off', 'NO_COLOR switches colours off, FORCE_COLOR=1 on: '],
    [
      'articles list --where id>2/1',
      'Conditions are written in jq: `blogctl articles list --all --jq',
    ],
    ['articles list --format {{.kind}}', 'Templates are not read: --jq takes a filter of jq'],
    ['auth can-i create articles', 'What a token may change is listed by `blogctl token list`'],
    ['repo create mine --public', 'Run `blogctl store init mine.json --title mine`.'],
    [
      'new posts/first.md',
      'Write the file first: `blogctl articles create --from-file posts/first.md`',
    ],
    ['new posts.json', 'Run `blogctl store init posts.json`.'],
    ['get articles --watch', 'Nothing is watched:'],
    ['get articles -n default --show-labels', 'Run `blogctl articles list`.'],
    ['repo delete garden', 'A blog goes with its store,'],
    ['sync aply posts', 'Run `blogctl sync apply posts`.'],
    ['sync pul /', 'Run `blogctl sync pull /`.'],
    ['doctor check', 'Run `blogctl store check`.'],
    ['push origin main', 'Nothing is staged:'],
    ['serve x.json --detach', 'It stays in the foreground:'],
    ['serve x.json --cors-origin *', 'Each origin is named:'],
    ['articles import w.xml --post_type=page', 'Run `blogctl articles import w.xml --types page`.'],
    ['articles export --format wxr', 'Markdown, which Hugo and Jekyll read,'],
    ['cli info', 'Run `blogctl --version`.'],
    ['--info', 'Run `blogctl --version`.'],
    ['ps', 'Run `blogctl runs list`.'],
    ['post articles title=x', 'Run `blogctl articles create --title x --content <text>`.'],
    ['db import x.sql', 'SQL is no source: WordPress exports WXR, which'],
    [
      'articles import x.xml --authors=skip --skip=attachment',
      'Run `blogctl articles import x.xml`.',
    ],
    ['api graphql -f query={a}', 'There is no GraphQL: `blogctl links` lists what leads on,'],
    ['pr create -t x -d', 'There are no drafts: --editor writes one,'],
    ['auth setup-git', 'It is no service of git:'],
    ['config set git_protocol ssh', 'What can be set is blog, profile,'],
    [
      'sync reset',
      '`blogctl sync plan <folder>` shows what `blogctl sync apply <folder>` would do',
    ],
    ['api -X PATCH articles -f title=P', 'Write `blogctl articles update <article> --title P`.'],
    ['articles list -S x --offset 5 --limit 5', "Run `blogctl articles list -S x --jq '.[5:10]'`."],
    ['articles list --skip 5', "Run `blogctl articles list --jq '.[5:]'`."],
    ['articles list -A @me', 'An article has a title and a content,'],
    ['articles list -n staging', 'Run `blogctl articles list --profile staging`.'],
    ['articles delete 1 -n staging -y', 'Run `blogctl articles delete 1 --profile staging -y`.'],
    ['articles list --namespace prod', 'Run `blogctl articles list --profile prod`.'],
    ['get art', 'Run `blogctl articles list`.'],
    ['get prof', 'Run `blogctl profile show`.'],
    ['get article 1 -o jsonpath={.title}', 'Run `blogctl articles get 1 --field title`.'],
    [
      'get articles -o custom-columns=ID:.id,TITLE:.title',
      'Run `blogctl articles list --fields id,title`.',
    ],
    ['api articles/4 --template {{.title}}', 'Run `blogctl api articles/4 --jq .title`.'],
    ['articles append 1 --content more', 'A text is changed as a whole: `blogctl articles edit'],
    ['articles bulk-create x.json', 'Run `blogctl articles import x.json`.'],
    ['rollout undo articles/5', '`blogctl runs list` shows the last one first:'],
    ['config set-context b --blog file:x.json', 'Run `blogctl profile add b file:x.json`.'],
    ['profile add --url http://b.test/1 b', 'Run `blogctl profile add b http://b.test/1`.'],
    ['profile add file:x.json', 'Write `blogctl profile add <name> file:x.json`.'],
    ['profile add b=file:x.json', 'Run `blogctl profile add b file:x.json`.'],
    ['articles export --output-dir out', 'Run `blogctl articles export out`.'],
    ['articles get 2024-01-01-my-post.md', "Run `blogctl articles list --search 'my post'`."],
    ['articles get my-post', "Run `blogctl articles list --search 'my post'`."],
    [
      'articles import x.csv --columns a,b',
      'Run `blogctl articles import x.csv --map title=a,content=b`.',
    ],
    ['articles import x.json --key posts', 'Run `blogctl articles import x.json`.'],
    ['maintenance-mode activate', 'Run `blogctl store lock`.'],
    ['maintenance off', 'Run `blogctl store unlock`.'],
    ['sync fetch a/b', 'Run `blogctl sync plan a/b`.'],
    ['sync plna a/b', 'Run `blogctl sync plan a/b`.'],
    ['sync show', 'Write `blogctl sync plan <folder>`: folder of Markdown.'],
    ['sync log', 'Run `blogctl runs list`.'],
    ['sync plan --path a/b', 'Run `blogctl sync plan a/b`.'],
    ['publish a/b', 'Run `blogctl sync apply a/b`.'],
    ['new site garden', 'Run `blogctl store init garden.json --title garden`.'],
    ['verify', 'Run `blogctl store check`.'],
    ['articles create help', 'Run `blogctl articles create --help`.'],
    ['runs export', 'Run `blogctl runs list --json`.'],
    ['runs diff 1', 'Run `blogctl runs show 1`.'],
    ['auth logout --all', 'One login is forgotten at a time:'],
    ['auth token create', 'Run `blogctl token create`.'],
    ['config set timeout=10', 'Run `blogctl config set timeout 10s`.'],
    ['config clear-cache', 'Nothing is cached:'],
    ['config get blog retries', 'Run `blogctl config list`.'],
    ['serve x.json -o -p 4301', 'It prints the address of its page: open that.'],
    ['articles create --template post', 'There are no templates of texts:'],
    ['articles update 1 --status publish', 'Articles have no state:'],
    ['articles blame 1', 'An article has one version:'],
    ['articles tag 1 news', 'An article has a title and a content,'],
    ['articles head', 'Run `blogctl articles list --limit 10`.'],
    [
      'articles search',
      'Write `blogctl articles list --search <words>`: only those with this in title or content.',
    ],
    ['articles list --count 5', 'Run `blogctl articles list --limit 5`.'],
    ['store export x.json', 'Run `blogctl articles export x.json`.'],
    ['store use x.json', 'Run `blogctl config set blog file:x.json`.'],
    ['store init --force x.json', 'What is there is never written over:'],
    ['@all articles list', 'One blog is asked at a time:'],
    ['connect http://b.test/1', 'Run `blogctl auth login http://b.test/1`.'],
    ['site use b', 'Run `blogctl profile use b`.'],
    ['versions', 'Run `blogctl --version`.'],
    ['--v', 'Run `blogctl --version`.'],
    ['uninstall', 'It goes as it came: npm uninstall --global blogctl.'],
    ['articles get 1 --url', 'Run `blogctl articles get 1 --field address`.'],
    ['push -u origin main', 'Nothing is staged:'],
    ['diff HEAD~1', 'Nothing is staged:'],
    ['help import x', 'Run `blogctl help import`.'],
    ['help jq', 'Run `blogctl help formatting`.'],
    ['articles list --state open', 'Run `blogctl articles list`.'],
    ['articles batch-create x.ndjson', 'Run `blogctl articles import x.ndjson`.'],
    ['articles export --target-dir out', 'Run `blogctl articles export out`.'],
    ['articles import x.json --path items', 'Run `blogctl articles import x.json`.'],
    ['articles view 4 --template {{.body}}', 'Run `blogctl articles view 4 --field content`.'],
    ['articles head 5', 'Run `blogctl articles list --limit 5`.'],
    ['articles tail 5', 'Run `blogctl articles list --reverse --limit 5`.'],
    ['runs download 83785fe022', 'Run `blogctl runs show 83785fe022 --json`.'],
    ['maintenance-mode status', 'Run `blogctl store check`.'],
    ['--site=all articles list', 'One blog is asked at a time:'],
    ['rebase main', 'Nothing is staged:'],
    ['help articles foo', 'Run `blogctl help articles`.'],
    ['articles list --state closed', 'Articles have no state:'],
    ['articles update 1 --publish', 'Articles have no state:'],
    [
      'articles create --fill --title A --content b',
      'Run `blogctl articles create --title A --content b`.',
    ],
    ['articles create --web', 'The pages of `blogctl serve` write too,'],
    [
      'articles delete 1 -y --ignore-not-found',
      'Run `blogctl articles delete 1 -y --ignore-missing`.',
    ],
    [
      'articles delete --search kettle -y',
      'Look first: `blogctl articles list --search kettle --format ids`; with `| blogctl articles delete -` and -y behind it, all of that is deleted.',
    ],
    [
      'articles delete --all --search test -y',
      '`blogctl articles list`, with --search or --jq, shows which: behind `--format ids`',
    ],
    [
      'articles delete all drafts',
      '`blogctl articles list`, with --search or --jq, shows which: behind `--format ids`',
    ],
    [
      'articles delete --all 3',
      '`blogctl articles list`, with --search or --jq, shows which: behind `--format ids`',
    ],
    [
      'articles delete --all --dry-run',
      '`blogctl articles list`, with --search or --jq, shows which: behind `--format ids`',
    ],
    [
      'articles delete --all --limit 3',
      '`blogctl articles list`, with --search or --jq, shows which: behind `--format ids`',
    ],
    [
      'articles delete --all -y',
      '`blogctl articles list --all --format ids | blogctl articles delete -` says how many it would delete: with -y',
    ],
    [
      'articles delete --all --blog file:b.json',
      '`blogctl --blog file:b.json articles list --all --format ids | blogctl --blog file:b.json articles delete -`',
    ],
    [
      'delete --search t --profile staging',
      'Look first: `blogctl --profile staging articles list --search t --format ids`; with `| blogctl --profile staging articles delete -`',
    ],
    ['backup --store b.json', '`blogctl --blog file:b.json articles export backup.ndjson` writes'],
    [
      'backup',
      '`blogctl articles export backup.ndjson` writes what `blogctl articles import backup.ndjson --recreate` brings back',
    ],
    ['update 3 --replace Body BODY', 'A text is changed as a whole:'],
    ['edit post 3 in vim', 'Run `blogctl articles edit 3`.'],
    ['rename article 3 to New', 'Run `blogctl articles update 3 --title New`.'],
    ['gc', 'Run `blogctl store compact`.'],
    [
      'articles delete --where title=T -y',
      'Look first: `blogctl articles list --all --jq \'.[]|select(.title=="T").id\'`;',
    ],
    ['clone https://b.test/1', 'Write `blogctl articles export <folder> --blog https://b.test/1`'],
    ['articles delete 1 --cascade=orphan', 'Run `blogctl articles delete 1`.'],
    ['articles delete 1 -i', 'It asks before it deletes:'],
    ['articles delete 41:43 -y', 'Run `blogctl articles delete 41 42 43 -y`.'],
    ['articles list --sort-by=.metadata.name', 'Run `blogctl articles list --sort title`.'],
    ['articles list --sort published_at', 'Run `blogctl articles list --sort id`.'],
    ['articles list --format html', 'Run `blogctl articles list --format md`.'],
    ['articles list --format xml', 'Run `blogctl articles list --format json`.'],
    ['articles list --format %(title)', 'Run `blogctl articles list --field title`.'],
    [
      'articles list --regex Po.*',
      `Run \`blogctl articles list --jq '.[]|select(.title|test("Po.*"))'\`.`,
    ],
    ['articles list -l 5', 'Run `blogctl articles list --limit 5`.'],
    ['articles list --fields id,date', 'The fields are id, title, content, address: give id.'],
    ['patch article 5 --type merge -p {"title":"P"}', 'Run `blogctl articles update 5 --title P`.'],
    ['patch article 5 -p {"spec":{"title":"P"}}', 'JSON is read by --from-file'],
    ['articles get 3.', 'Run `blogctl articles get 3`.'],
    ['articles get --slug my-post', "Run `blogctl articles list --search 'my post'`."],
    ['articles update --title x --where id=51', 'Run `blogctl articles update --title x 51`.'],
    ['articles update 1 -m x', 'Run `blogctl articles update 1 --content x`.'],
    ['sync apply a/b --message x', 'Without what is not known here: `blogctl sync apply a/b`.'],
    ['sync apply a/b --only c.md -y', 'Run `blogctl sync apply a/b c.md -y`.'],
    ['sync apply a/b --theirs', '`blogctl sync pull <folder>` brings the changes of the blog,'],
    ['sync plan a/b --purne', 'Run `blogctl sync plan a/b --prune`.'],
    ['pull --rebase', 'Write `blogctl sync pull <folder>`: folder of Markdown.'],
    ['help -a', 'Run `blogctl commands`.'],
    ['runs list --limit 3', "Run `blogctl runs list --jq '.[:3]'`."],
    ['log -n 5', "Run `blogctl runs list --jq '.[:5]'`."],
    ['config set default_blog file:x.json', 'Run `blogctl config set blog file:x.json`.'],
    ['config get core.editor', 'Editor, pager and browser are those of EDITOR,'],
    ['rm posts/a.md', 'Name what to delete by its id;'],
    ['add -A', 'Nothing is staged:'],
    ['api --cache 1h articles/4', 'Run `blogctl api articles/4`.'],
    ['serve x.json --drafts', 'Run `blogctl serve x.json`.'],
    ['serve x.json --log-level debug', 'Run `blogctl serve x.json -v`.'],
  ])('%s', async (line, hint) => {
    const { status, err } = await run(line.split(' '), { env });
    expect([status, err]).toEqual([
      2,
      expect.stringContaining(`hint: ${hint}${hint.endsWith('.') ? '\n' : ''}`),
    ]);
  });
});

describe('what nobody can have meant changes nothing', () => {
  it.each<[readonly string[], number, string]>([
    [
      ['update', '2', '--content-file', '-'],
      7,
      'Give --content "" where an empty content is meant.',
    ],
    [['create', '--title', 'A', '--content-file', '-'], 7, 'Give --content "" where'],
    [['delete', '1', '-', '2', '-y'], 2, 'Name each article on the line, or each on stdin.'],
    [['update', '2', '--title', 'A', '--title', 'B'], 2, 'Give it once.'],
    [['create', '--title', 'A', '--content', 'c', '--field', 'ID'], 2, 'It is called id.'],
    [['update', '2', '--title', 'A', '--fields', 'id,no'], 2, 'The fields are id, title,'],
    [['create', '--from-file', 'a.md', '--from-file', 'b.md'], 2, 'Give it once.'],
  ])('%j with nothing on stdin', async (line, status, hint) => {
    const before = await run(['articles', 'list', '--json'], { env });
    const ended = await run(['articles', ...line], { env, folder, stdin: '' });
    expect(ended).toMatchObject({ status, out: '', err: expect.stringContaining(hint) });
    expect(await run(['articles', 'list', '--json'], { env })).toEqual(before);
  });

  it('whoever typed ids until Ctrl-D can not be asked any more', async () => {
    const before = await run(['articles', 'list'], { env });
    const ended = await run(['articles', 'delete', '-', '--no-color'], {
      env,
      terminal: 80,
      stdin: '1\n2\n',
    });
    expect([ended.status, ended.err]).toEqual([
      2,
      expect.stringMatching(
        /^error: Nobody can be asked here: Delete 2 articles of \S+\?\nhint: Give -y to answer yes beforehand\.\n$/,
      ),
    ]);
    expect(await run(['articles', 'list'], { env })).toEqual(before);
  });

  it('-o - is stdout', async () => {
    const ended = await run(['articles', 'get', '2', '--field', 'title', '-o', '-'], {
      env,
      folder,
    });
    expect(ended).toEqual({ status: 0, out: 'Two', err: '' });
    expect(existsSync(join(folder, '-'))).toBe(false);
  });

  it('an article is written from what a get of a file printed', async () => {
    const { out: stdin } = await run(['articles', 'get', '2', '--json'], { env });
    expect(stdin).toContain('"address": ');
    const ended = await run(['articles', 'update', '2', '--from-file', '-'], { env, stdin });
    expect(ended.status).toBe(0);
  });
});

describe('words of other tools, and slips of the finger', () => {
  it.each([
    ['articles delete 3 -y --remote work', 'articles delete 3 -y --profile work'],
    [
      'articles update 3 --title N --in file:b.json',
      'articles update 3 --title N --blog file:b.json',
    ],
    [
      'post create --title T --body B --org work',
      'articles create --title T --content B --profile work',
    ],
    ['import posts --hostname file:b.json', 'articles import posts --blog file:b.json'],
    ['articles list --find kettle', 'articles list --search kettle'],
    ['articles list -f kettle', 'articles list --search kettle'],
    ['articles list -f json', 'articles list --format json'],
    ['articles list --only id,title', 'articles list --fields id,title'],
    ['articles list --only title', 'articles list --field title'],
    ['articles list "--sort=title desc"', 'articles list --sort title --reverse'],
    ['articles list --max-retries 2', 'articles list --retries 2'],
    ['articles list _sort=title _order=desc', 'articles list --sort title --reverse'],
    ['articles list --_sort=title --_order=desc', 'articles list --sort=title --reverse'],
    ['articles update 3 --empty-content', 'articles update 3 --clear-content'],
    ['articles get "3 "', 'articles get 3'],
    ['delete /articles/3 -y', 'articles delete 3 -y'],
    ['articles:info 3', 'articles get 3'],
    ['blog articles', 'articles list'],
    ['docs 3', 'articles get --web 3'],
    ['clone copy', 'articles export copy'],
    ['profile work', 'profile use work'],
    ['repo set-default work', 'profile use work'],
    ['backup all.ndjson', 'articles export all.ndjson'],
    ['articles export --out out', 'articles export out'],
    ['serve --port :39101 db.json', 'serve --port 39101 db.json'],
    ['import posts --without-drafts', 'articles import posts'],
    ['api -fsS articles/3', 'api articles/3'],
    ['api -m 5 articles/3', 'api --timeout 5s articles/3'],
    ['api articles -q .[].title', "api articles --paginate --jq '.[].title'"],
    ['api articles --paginate -q .[].title', "api articles --paginate --jq '.[].title'"],
    ['api articles -d @post.json', 'api articles -X POST --input post.json'],
    ['api articles -X POST -d @post.json', 'api articles -X POST --input post.json'],
    ['GET /posts/3', 'api -X GET articles/3'],
    ['GET /posts', 'api -X GET articles'],
    ['POST /posts title=T content=C', 'api -X POST articles -F title=T -F content=C'],
    ['PATCH /posts/3 title=N', 'articles update 3 --title N'],
    ['DELETE /posts/3', 'api -X DELETE articles/3'],
    ...'dryrun dry check what-if whatif simulate noop no-op preview pretend test plan diff validate no-act dry-run=client'
      .split(' ')
      .flatMap((word) => [
        [`import posts --${word}`, 'articles import posts --dry-run'],
        [`sync apply posts -y --${word}`, 'sync plan posts -y'],
        [`runs undo abc -y --${word}`, 'runs undo abc -y --dry-run'],
      ]),
    ['articles lost', 'articles list'],
    ['runs liat', 'runs list'],
    ['articles grt 3', 'articles get 3'],
    ['config sey timeout 1m', 'config set timeout 1m'],
    ['symc plan posts', 'sync plan posts'],
    ['tkon list', 'token list'],
    ['seer db.json', 'serve db.json'],
    ['articles pudte 3 --title N', 'articles update 3 --title N'],
    ['articles ipotr posts', 'articles import posts'],
    ['artlies list', 'articles list'],
    ['coifg list', 'config list'],
    ['completion basj', 'completion bash'],
    ['token create --nane ci', 'token create --name ci'],
    ['serve db.json --pory 3000', 'serve db.json --port 3000'],
    ['articles list --page-size 5 --pagr 2', 'articles list --page-size 5 --page 2'],
    ['articles delete 99 --yess', 'articles delete 99 --yes'],
    ['serve -d db.json', 'serve --store db.json'],
    ['serve -d 300', 'serve --delay 300'],
    ['serve --init new.json --port 9000', 'serve new.json --port 9000'],
    ['store serve db.json', 'serve db.json'],
    ['curl -i localhost:9', 'api -i --blog http://localhost:9/api/v1.2/blogs/1'],
    ['curl -s localhost:9/ -i', 'api -i --blog http://localhost:9/api/v1.2/blogs/1'],
    ['http --headers GET articles', 'api -i -X GET articles'],
    ['config set blog file db.json', 'config set blog file:db.json'],
    ['sync plan posts --plan-file plan.json', 'sync plan posts --output plan.json'],
    ['sync apply --plan-file plan.json', 'sync apply plan.json'],
    ['sync apply posts --exit-code', 'sync plan posts --exit-code'],
    ['articles create --title T --stdin', 'articles create --title T --content-file -'],
    ['articles get --latest', 'articles list --reverse --limit 1'],
    ['articles all', 'articles list --all'],
    ['ls-files', 'articles list'],
    ['vi 3', 'articles edit 3'],
    ['diff posts/x.md', 'sync plan posts x.md'],
    ['remote get-url work', 'profile show work'],
    ['auth logout work', 'auth logout --profile work'],
    ['auth token work', 'auth token --profile work'],
    ['blog use work', 'profile use work'],
    ['completion --zsh', 'completion zsh'],
    ['articles get 3 --only content', 'articles get 3 --field content'],
    ['articles get "1, 2, 3"', 'articles get 1 2 3'],
    ['articles get "title=Tea time"', "articles list --search 'Tea time'"],
    ['get 3 --field=title,content', 'articles get 3 --fields=title,content'],
    ['get 3 --field title,body', 'articles get 3 --fields title,content'],
    ['list --fields "title, body"', 'articles list --fields title,content'],
    ['count articles', 'blog --field articles'],
    ['create --data @draft.json', 'articles create --from-file draft.json'],
    ['create @draft.json', 'articles create --from-file draft.json'],
    ['articles update article=3 --title X', 'articles update 3 --title X'],
    ['articles update 3 --title= X', 'articles update 3 --title=X'],
    ['articles delete 3 --cascade', 'articles delete 3'],
    ['import posts --rate-limit 5', 'articles import posts --rate 5'],
    ['import --stdin', 'articles import -'],
    ['logs --tail=5', "runs list --jq '.[:5]'"],
    ['compose logs', 'runs list'],
    ['http :9/articles', 'api articles --blog http://localhost:9/api/v1.2/blogs/1'],
    ['articles list http://b.test/blogs/1/articles', 'articles list --blog http://b.test/blogs/1'],
    ['gh auth token -h b.test', 'auth token --blog https://b.test/'],
    ['gh auth logout -h b.test', 'auth logout --blog https://b.test/'],
    ['gh api blogs/1/articles/3 -X PUT -f title=X', 'articles update 3 --title X'],
    ['gh api articles -F title=X -F content=C', 'api articles -F title=X -F content=C -X POST'],
    [
      'curl -F title=X http://b.test/blogs/1/articles',
      'api -F title=X http://b.test/blogs/1/articles -X POST --blog http://b.test/blogs/1',
    ],
  ])('%s is answered with %s', async (line = '', hint = '') => {
    const { status, err } = await runLine(line);
    expect([status, err.split('\n').at(-2)]).toEqual([2, `hint: Run \`blogctl ${hint}\`.`]);
  });

  it.each(['--simulate', '--dry', '--no-act', '--dry-rum'])(
    '%s is said to be none',
    async (flag) => {
      const deleted = await runLine(`articles delete 3 -y ${flag}`);
      expect(deleted.err).toContain(
        'hint: It asks before it deletes: leave out --yes, and say no.',
      );
      const updated = await runLine(`articles update 3 --title N ${flag}`);
      expect(updated.err).toContain(
        'hint: It is a single request: nothing can be said of it before',
      );
    },
  );

  it.each([
    ['issue create -t Hello -b Body -l bug', 'There is no -l here.'],
    ['unpublish 3', '`blogctl articles delete 3` takes it away, after a question,'],
    [
      'articles export out --search kettle',
      'All are exported: `blogctl articles list --search <text>',
    ],
    ['config rename-context work home', '`blogctl profile show <name>` says which blog it is,'],
    [
      'issue list --json number,updatedAt',
      'Run `blogctl articles list --json --fields id,updated`.',
    ],
    ['profile wrk', 'none for that: see `blogctl profile list` and `blogctl profile --help`.'],
    ['sync plan --plan-file x', 'Write `blogctl sync plan --output x <folder>`'],
    ['watch posts', 'Nothing is watched: run the line again'],
    ['articles list --follow', 'Nothing is watched: run the line again'],
    ['user list', 'and `blogctl token list` names those there are.'],
    ['import notes.md --title X', 'There is no --title here, but --title-from: see'],
    ['issue view 3 --comments', 'Comments have a link and no endpoint:'],
    ['logs --since 1h', '`blogctl runs list` shows the last one first, with dates.'],
    ['run view 5f2c1a --log', 'Run `blogctl runs show 5f2c1a`.'],
    ['run list --json databaseId,status', 'Run `blogctl runs list --json --fields id,state`.'],
    ['gh auth status --json hosts', 'Write `blogctl auth status --json --fields <names>`.'],
    ['import posts --blog 2', 'Write `blogctl articles import posts --blog <url|file:path>`:'],
    ['import posts -f', 'Only `blogctl sync apply <folder>` writes over articles,'],
    ['delete 3 --soft', 'There is no trash:'],
    ['delete everything', 'with -y behind it, every article is deleted.'],
    [
      'delete "title=Tea time"',
      `\`blogctl articles list --all --jq '.[]|select(.title=="Tea time").id'\``,
    ],
    ['update all --title X', 'One is changed at a time,'],
    ['update last --title X', '`blogctl articles list --reverse --limit 1` shows them.'],
    ['"update articles set title=X where id=3"', 'One is changed at a time,'],
    ['compose down', '`blogctl serve` ends with Ctrl-C,'],
    ['compose up -d', 'It stays in the foreground:'],
    ['serve blog.json --no-log', 'The log goes to standard error:'],
    ['token revoke --all', 'There is no --all here. It is `blogctl token revoke <id|name>`'],
    ['runs prune --bogus', 'There is no --bogus here. It takes --older-than and --dry-run: see'],
    ['token create --cidr=1.2.3.4', 'There is no --cidr here. It takes --store,'],
    ['auth logout --bogus', 'There is no --bogus here. It takes no flag of its own: see'],
    ['psql postgres://u:hush@h/db', 'PGPASSWORD to a database,'],
    [
      'json-server b.json --routes r.json',
      'Without what is not known here: `blogctl serve b.json`.',
    ],
    ['json-server b.json -s public', 'Without what is not known here: `blogctl serve b.json`.'],
  ])('%s is told %s', async (line, said) => {
    const { err } = await runLine(line);
    expect(err).toContain(said);
  });

  it('a body of JSON that is nothing but texts is sent as fields', async () => {
    const words = ['api', 'articles', '-d', '{"title":"J","content":"a b"}'];
    const { err } = await run(words, { env, folder });
    expect(err).toContain("Run `blogctl api articles -X POST -F title=J -F 'content=a b'`.");
    for (const flags of [['--json'], []]) {
      const bare = ['api', 'articles', ...flags, '{"title":"J","content":"C"}'];
      const answer = await run(bare, { env, folder });
      expect(answer.err).toContain('Run `blogctl api articles -X POST -F title=J -F content=C`.');
    }
  });
});

describe('lines as the manuals of others have them', () => {
  const nothing = 'It manages the articles of a blog alone: see `blogctl --help`.';
  it.each([
    [
      'update 3 --filter note.md',
      'There is no --filter here. It is `blogctl articles update <article>`',
    ],
    ['list --title Post', 'Run `blogctl articles list --search Post`.'],
    ['list --title posts --limit 1', 'Run `blogctl articles list --search posts --limit 1`.'],
    ['set title 3 x', 'Run `blogctl articles update 3 --title x`.'],
    [
      'posts set title of 3 to New words --blog file:b.json',
      "Run `blogctl articles update 3 --title 'New words' --blog file:b.json`.",
    ],
    ['change content 3 x', 'Run `blogctl articles update 3 --content x`.'],
    ['articles remvoe 3', 'Run `blogctl articles delete 3`.'],
    ['uplaod posts', 'Run `blogctl articles import posts`.'],
    ['psql -d b.json', 'Run `blogctl articles list --blog file:b.json`.'],
    ['psql b.json', 'Run `blogctl articles list --blog file:b.json`.'],
    ['psql postgres://u@h/d', 'Run `blogctl store check postgres://u@h/d`.'],
    ['psql -c "delete from articles where id = 3"', 'Run `blogctl articles delete 3`.'],
    [
      'psql -c "delete from articles"',
      '`blogctl articles list`, with --search or --jq, shows which',
    ],
    ['psql -d b.json -f x.sql', 'SQL is no source:'],
    [
      'get "posts?_sort=-id&_limit=1"',
      'Run `blogctl articles list --sort id --reverse --limit 1`.',
    ],
    ['update post --blog b.json', '`blogctl --blog file:b.json articles list` shows them.'],
    ['prune', '`blogctl sync apply <folder> --prune` deletes articles.'],
    // Of a PUT what is not named is gone.
    [
      'curl -X PUT -H "Accept: */*" -d title=x -v --compressed /api/v1.2/blogs/1/articles/3',
      'Run `blogctl articles update 3 --title x -v`.',
    ],
    ['update blog 3 --content c', 'There is no --content here.'],
    ['articles PUT 3 -b title=@note.md', 'There is no -b here.'],
    ['http GET articles pageSize==2', 'Run `blogctl api -X GET articles -F pageSize=2`.'],
    ['git config timeout 5', 'Run `blogctl config set timeout 5s`.'],
    ['config retries 3', 'Run `blogctl config set retries 3`.'],
    [
      'import posts --overwrite --blog file:b.json',
      'Of articles import: --overwrite is for the file of --output, and none is named. Leave it out: only `blogctl --blog file:b.json sync apply posts` writes over articles.',
    ],
    // No word of a title is lost.
    ['store init new.json My blog', 'A blog is made by `blogctl store add-blog '],
    ['-l', nothing],
    // What is behind a flag is no store, and a second one not served.
    [
      'json-server --static public db.js --host 0.0.0.0',
      '`blogctl serve db.json --host 0.0.0.0` serves it.',
    ],
    ['expose token ci', '`blogctl serve ci.json` makes it where it is missing.'],
    ['npm audit', nothing],
    ['kubectl top', nothing],
    ['wp shell', nothing],
    ['get pods', 'There are articles alone: `blogctl articles list` shows them.'],
  ])('%s', async (line, hint) => {
    const { err } = await runLine(line);
    expect(err.split('\n').at(-2)).toMatch(/^hint: /);
    expect(err.split('\n').at(-2)).toContain(hint);
  });

  it('a file that may be on the blog already is imported, which makes it there once', async () => {
    mkdirSync(join(folder, 'kept'), { recursive: true });
    writeFileSync(join(folder, 'kept', 'a.md'), '---\ntitle: Kept\n---\nText.\n');
    writeFileSync(join(folder, 'kept', 'a.json'), '{"title":"Kept","content":"As JSON."}');
    for (const file of ['kept/a.md', 'kept/a.json'])
      for (const line of [`add ${file}`, `wp post create ${file}`, `kubectl create -f ${file}`])
        expect((await runLine(line)).err).toContain(`Run \`blogctl articles import ${file}\`.`);
    expect((await runLine('kept/a.md')).err).toContain('by `blogctl articles import kept/a.md`.');
    expect((await runLine('gh issue create -t New -F kept/a.md')).err).toContain(
      'Run `blogctl articles create --title New --from-file kept/a.md`.',
    );
    expect((await runLine('articles create --from-file kept/a.md --publish')).err).toContain(
      'Run `blogctl articles create --from-file kept/a.md`.',
    );
    expect((await runLine('create kept/a.json')).err).toContain('articles import kept/a.json`.');
    expect((await runLine('create blog.json')).err).toContain('blog --blog file:blog.json`.');
  });
});
