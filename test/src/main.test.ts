import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { main } from '../../src/main.ts';
import { givenHost } from '../support/host.ts';
import { run } from '../support/run.ts';
import { type Manners, type OtherService, startOtherService } from '../support/other-service.ts';

let service: OtherService;
let folder: string;
let env: Record<string, string>;

async function given(titles: readonly string[], liberties: Manners = {}): Promise<void> {
  await service?.stop();
  service = await startOtherService(titles, { ownPaths: true, ...liberties });
  env = { BLOGCTL_BLOG: service.blogUrl, BLOGCTL_TOKEN: 'right-token', BLOGCTL_CONFIG_DIR: folder };
}

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'blogctl-main-'));
  await given(['One', 'Two', 'Three', 'Four']);
});

afterEach(async () => {
  await service.stop();
  await rm(folder, { recursive: true });
});

const requested = () => service.requests.map(({ method, path }) => `${method} ${path}`);

describe('reading', () => {
  it('shows the blog', async () => {
    const { status, out } = await run(['blog', '--json'], { env });
    expect(status).toBe(0);
    expect(JSON.parse(out)).toEqual({
      id: 9,
      title: 'Another',
      description: 'of another make',
      articles: 4,
      url: service.blogUrl,
    });
  });

  it('lists lines for a pipe and nothing else', async () => {
    expect(await run(['articles', 'list', '--page-size', '2'], { env })).toEqual({
      status: 0,
      out: '1\tOne\n2\tTwo\n3\tThree\n4\tFour\n',
      err: '',
    });
    expect(requested()).toEqual([
      'GET /weblog',
      'GET /weblog/entries?pageSize=2',
      'GET /weblog/entries?pageSize=2&pageIndex=2',
    ]);
  });

  it('lists a table for a person', async () => {
    const { out } = await run(['articles', 'list', '--no-color'], { env, terminal: 80 });
    expect(out).toBe('ID  TITLE\n1   One\n2   Two\n3   Three\n4   Four\n');
  });

  it('cuts a table at 30 rows and says so; machines get everything', async () => {
    await given(Array.from({ length: 31 }, (_, at) => `T${at}`));
    const table = await run(['articles', 'list'], { env, terminal: 80 });
    expect(table.out.split('\n')).toHaveLength(32);
    expect(table.err).toBe('30 of 31 articles, use --all\n');
    const whole = await run(['articles', 'list', '--all'], { env, terminal: 80 });
    expect(whole).toMatchObject({ err: '' });
    expect(whole.out.split('\n')).toHaveLength(33);
    const ids = await run(['articles', 'list', '--format', 'ids'], { env });
    expect(ids.out.split('\n')).toHaveLength(32);
  });

  it('takes global flags before and after the command', async () => {
    const before = await run(['--format', 'ids', 'articles', 'list'], { env });
    const after = await run(['articles', 'list', '--format', 'ids'], { env });
    expect(before.out).toBe('1\n2\n3\n4\n');
    expect(after.out).toBe(before.out);
  });

  it('gets one article as a document and several as a list', async () => {
    const one = await run(['articles', 'get', '2', '--json'], { env });
    expect(JSON.parse(one.out)).toMatchObject({ id: 2, title: 'Two', content: 'Content of Two' });
    const several = await run(['articles', 'get', '2', '-', '--json'], { env, stdin: '4\n\n1\n' });
    expect(JSON.parse(several.out)).toMatchObject([{ id: 2 }, { id: 4 }, { id: 1 }]);
  });

  it('goes on after an article that is not there, and ends with 10', async () => {
    const { status, out, err } = await run(['articles', 'get', '1', '99', '2', '--format', 'ids'], {
      env,
    });
    expect([status, out]).toEqual([10, '1\n2\n']);
    expect(err).toContain(
      `error: Reading ${service.origin}/weblog/entries/99: not found (HTTP 404)`,
    );
    expect(err).toContain('error: 1 of 3 articles failed.');
  });

  it('carries no token', async () => {
    await run(['articles', 'get', '1'], { env });
    expect(service.requests.some(({ headers }) => 'x-access-token' in headers)).toBe(false);
  });
});

describe('changing', () => {
  it('creates an article from a file', async () => {
    await writeFile(join(folder, 'text.md'), '\ufeffWords.\n');
    const line = ['articles', 'create', '--title', 'Five', '--content-file', 'text.md', '--json'];
    const { status, out, err } = await run(line, { env, folder });
    expect([status, err]).toEqual([0, '{"notice":"Created article 5."}\n']);
    expect(JSON.parse(out)).toMatchObject({ id: 5, title: 'Five', content: 'Words.\n' });
    expect(service.articles.get(5)).toMatchObject({ title: 'Five', content: 'Words.\n' });
  });

  it('creates an article from what a get printed', async () => {
    const { out } = await run(['articles', 'get', '2', '--json'], { env });
    const line = ['articles', 'create', '--from-file', '-', '--format', 'ids'];
    expect((await run(line, { env, stdin: out })).out).toBe('5\n');
    expect(service.articles.get(5)).toMatchObject({ title: 'Two', content: 'Content of Two' });
  });

  it('keeps the content when only the title changes, on condition of the version read', async () => {
    const { status } = await run(['articles', 'update', '2', '--title', 'Zwei'], { env });
    expect(status).toBe(0);
    expect(service.articles.get(2)).toMatchObject({ title: 'Zwei', content: 'Content of Two' });
    expect(service.requests.at(-1)).toMatchObject({
      method: 'PUT',
      headers: { 'if-match': '"1"' },
    });
  });

  it('takes the content away only when told to', async () => {
    await run(['articles', 'update', '2', '--clear-content'], { env });
    expect(service.articles.get(2)).toEqual({ title: 'Two', revision: 2 });
    await run(['articles', 'update', '3', '--replace', '--title', 'Drei'], { env });
    expect(service.articles.get(3)).toEqual({ title: 'Drei', revision: 2 });
  });

  it('ends with 6 where somebody was faster, and with --force goes over it', async () => {
    const line = ['articles', 'update', '2', '--title', 'X'];
    const { status, err } = await run([...line, '--if-match', '"old"'], { env });
    expect(status).toBe(6);
    expect(err).toContain('changed since it was read (HTTP 412)');
    expect(err).toContain('hint: See it as it is now with blogctl articles get');
    expect((await run([...line, '--force'], { env })).status).toBe(0);
    expect(service.requests.at(-1)?.headers).not.toHaveProperty('if-match');
  });

  it('says that nothing guards a change where the service names no versions', async () => {
    await given(['One'], { noValidators: true });
    const { status, err } = await run(['articles', 'update', '1', '--title', 'X'], { env });
    expect(status).toBe(0);
    expect(err).toContain('This service names no versions');
  });

  it('deletes with -y, on condition of the version read', async () => {
    const { status, out } = await run(['articles', 'delete', '1', '3', '-y'], { env });
    expect([status, [...service.articles.keys()]]).toEqual([0, [2, 4]]);
    expect(out).toBe(
      `1\tdeleted\t${service.origin}/weblog/entries/1\n3\tdeleted\t${service.origin}/weblog/entries/3\n`,
    );
    expect(service.requests.at(-1)?.headers['if-match']).toBe('"1"');
  });

  it('deletes nothing where nobody can be asked', async () => {
    const { status, err } = await run(['articles', 'delete', '1'], { env });
    expect(status).toBe(2);
    expect(err).toBe(
      `error: Nobody can be asked here: Delete article 1 "One" of ${service.blogUrl}?\nhint: Give -y to answer yes beforehand.\n`,
    );
    expect(service.articles.has(1)).toBe(true);
  });

  it.each([
    ['n\n', 4, 'error: Cancelled: nothing was deleted.\n', true],
    ['y\n', 0, '', false],
  ])('asks a person: %j', async (stdin, status, message, stays) => {
    const line = ['articles', 'delete', '1', '--no-color'];
    const ended = await run(line, { env, stdin, terminal: 80 });
    expect(ended.err).toContain(`Delete article 1 "One" of ${service.blogUrl}? [y/N] `);
    expect(ended.err).toContain(message);
    expect(ended.status).toBe(status);
    expect(service.articles.has(1)).toBe(stays);
  });

  it.each([
    ['y\n', 4, 21],
    ['21\n', 0, 0],
  ])('wants the count typed for more than 20: %j', async (stdin, status, left) => {
    await given(Array.from({ length: 21 }, (_, at) => `T${at}`));
    const ids = [...service.articles.keys()].map(String);
    const ended = await run(['articles', 'delete', ...ids], { env, stdin, terminal: 80 });
    expect(ended.err).toContain(
      `and 1 more\nDelete 21 articles of ${service.blogUrl}? Type 21 to go on: `,
    );
    expect([ended.status, service.articles.size]).toEqual([status, left]);
  });

  it('asks nobody in CI, terminal or not', async () => {
    const { status } = await run(['articles', 'delete', '1'], {
      env: { ...env, CI: 'true' },
      stdin: 'y\n',
      terminal: 80,
    });
    expect(status).toBe(2);
    expect(service.articles.has(1)).toBe(true);
  });

  it('ends with 5 for an article that was deleted, unless told to ignore it', async () => {
    await run(['articles', 'delete', '1', '-y'], { env });
    const again = await run(['articles', 'delete', '1', '-y'], { env });
    expect(again.status).toBe(5);
    expect(again.err).toContain('was there and has been deleted (HTTP 410)');
    const ignored = await run(['articles', 'delete', '1', '-y', '--ignore-missing'], { env });
    expect([ignored.status, ignored.out]).toEqual([0, '1\tmissing\t\n']);
  });

  it('ends with 3 for a wrong token and never repeats the token', async () => {
    const wrong = { ...env, BLOGCTL_TOKEN: 'wrong-token' };
    const line = ['articles', 'create', '--title', 'T', '--content', '', '-vvv', '--debug'];
    const { status, err } = await run(line, { env: wrong });
    expect(status).toBe(3);
    expect(err).toContain('the token was refused: who are you? (HTTP 401)');
    expect(err).toContain(`blogctl auth login`);
    expect(err).not.toContain('wrong-token');
  });
});

describe('an answer that was lost after the work was done', () => {
  it('makes no conflict of a repeated update', async () => {
    await given(['One'], { first: { PUT: ['drop-after-commit'] } });
    const { status, err } = await run(['articles', 'update', '1', '--title', 'Eins'], { env });
    expect([status, service.articles.get(1)]).toMatchObject([0, { title: 'Eins', revision: 2 }]);
    expect(requested().filter((each) => each.startsWith('PUT'))).toHaveLength(2);
    expect(err).toContain('Trying again shortly (1 of 3).');
  });

  it('hides no conflict with somebody else', async () => {
    await given(['One'], { first: { PUT: [{ status: 503 }] } });
    const line = ['articles', 'update', '1', '--title', 'Eins', '--if-match', '"0"'];
    expect((await run(line, { env })).status).toBe(6);
  });

  it('makes no failure of a repeated deletion', async () => {
    await given(['One'], { first: { DELETE: ['drop-after-commit'] } });
    const { status, out } = await run(['articles', 'delete', '1', '-y'], { env });
    expect([status, out]).toEqual([0, `1\tdeleted\t${service.origin}/weblog/entries/1\n`]);
  });

  it('makes no second article: a creation is not repeated without a key', async () => {
    await given(['One'], { first: { POST: ['drop-after-commit'] } });
    const { status } = await run(['articles', 'create', '--title', 'T', '--content', ''], { env });
    expect([status, service.articles.size]).toEqual([9, 2]);
  });
});

describe('what is asked of the answer', () => {
  it.each([
    'articles import FILE --fields title',
    'articles import FILE --field nope',
    'articles create --title A --content B --fields titel',
    'articles update 1 --title A --fields titel',
    'articles delete 1 -y --fields titel',
    'sync apply FOLDER -y --fields title',
    'sync pull FOLDER --fields title',
    'runs undo --source FILE -y --fields title',
  ])('is looked at before anything is changed: %s', async (line) => {
    const file = join(folder, 'one.ndjson');
    await writeFile(file, '{"title":"A","content":"B"}\n');
    const words = line.split(' ').map((word) => ({ FILE: file, FOLDER: folder })[word] ?? word);
    const { status, err } = await run(words, { env: { ...env, BLOGCTL_DATA_DIR: folder } });
    expect(status).toBe(2);
    expect(err).toMatch(/^error: There is no field "\w+"\.\n/);
    expect(service.requests.filter(({ method }) => method !== 'GET')).toEqual([]);
  });

  it.each([
    ['articles create --title A --content B', 'Article 5'],
    ['articles update 1 --title A', 'Article 1'],
  ])('and what was changed is said where a filter fails on it: %s', async (line, said) => {
    const { status, err } = await run([...line.split(' '), '--jq', '.[].id'], { env });
    expect(status).toBe(2);
    expect(err).toContain(`${said} is saved all the same: blogctl articles get ${service.origin}`);
  });

  it('nor is it unsaid of what was deleted', async () => {
    const words = ['articles', 'delete', '1', '2', '-y', '--jq', '.result'];
    const { status, err } = await run(words, { env: { ...env, BLOGCTL_DATA_DIR: folder } });
    expect(status).toBe(2);
    expect(err).toContain('hint: Deleted all the same: article 1, article 2. The filter is given');
  });
});

describe('logging in', () => {
  const login = (stdin: string, more: readonly string[] = []) =>
    run(['auth', 'login', service.blogUrl, '--token-file', '-', ...more], {
      env: { BLOGCTL_CONFIG_DIR: folder },
      stdin,
    });

  it('keeps the token for its origin, readable by its owner alone, and the blog', async () => {
    expect(await login('right-token\n')).toMatchObject({ status: 0 });
    const file = join(folder, 'config.json');
    expect(JSON.parse(await readFile(file, 'utf8'))).toEqual({
      profile: 'default',
      profiles: { default: { blog: service.blogUrl } },
      tokens: { [service.origin]: 'right-token' },
    });
    expect((await stat(file)).mode & 0o777).toBe(process.platform === 'win32' ? 0o666 : 0o600);
    const known = { BLOGCTL_CONFIG_DIR: folder };
    const line = ['articles', 'create', '--title', 'T', '--content', '', '--format', 'ids'];
    expect(await run(line, { env: known })).toMatchObject({ status: 0, out: '5\n' });
  });

  it('tries the token on a deletion that can change nothing, and keeps none that is refused', async () => {
    const { status, err } = await login('wrong-token');
    expect([status, err]).toEqual([
      3,
      `error: ${service.blogUrl} refuses this token (HTTP 401)\nhint: Nothing was stored; look whether the token is whole, of this service, and not expired.\n`,
    ]);
    await expect(stat(join(folder, 'config.json'))).rejects.toThrow('ENOENT');
    expect(service.requests.at(-1)).toMatchObject({
      method: 'DELETE',
      path: `/weblog/entries/${Number.MAX_SAFE_INTEGER}`,
      headers: { 'if-match': '"blogctl-auth-login"' },
    });
    expect((await login('right-token', ['--field', 'verified'])).out).toBe('true');
    expect(service.articles.size).toBe(4);
  });

  it('says where a service cannot tell a token from none', async () => {
    await given(['One'], { looksBeforeItAsks: true });
    const { status, out, err } = await login('any-token', ['--field', 'verified']);
    expect([status, out]).toEqual([0, 'false']);
    expect(err).toContain('Not verified: this service tells nobody whether it knows the token.\n');
  });

  it('says of a token that is known but may not delete that it is', async () => {
    await given(['One'], { first: { DELETE: [{ status: 403 }] } });
    const { out, err } = await login('right-token', ['--field', 'verified']);
    expect([out, err]).toEqual(['true', expect.stringContaining('it may not delete articles')]);
  });

  it('shows every service that a token is kept for', async () => {
    await login('right-token');
    const first = service.blogUrl;
    const other = await startOtherService([]);
    const more = ['--token-file', '-', '--profile', 'other'];
    await run(['auth', 'login', other.blogUrl, ...more], {
      env: { BLOGCTL_CONFIG_DIR: folder },
      stdin: 'right-token',
    });
    await other.stop();
    const { out } = await run(['auth', 'status'], { env: { BLOGCTL_CONFIG_DIR: folder } });
    const file = join(folder, 'config.json');
    expect(out).toBe(`${other.blogUrl}\tprofile\t${file}\n${first}\t\t${file}\n`);
  });

  it('does not store a token for an address where no blog answers', async () => {
    const line = ['auth', 'login', `${service.origin}/elsewhere`, '--token-file', '-'];
    const { status } = await run(line, { env: { BLOGCTL_CONFIG_DIR: folder }, stdin: 'x' });
    expect(status).toBe(5);
    expect(
      (await run(['auth', 'status'], { env: { BLOGCTL_CONFIG_DIR: folder } })).out,
    ).not.toContain(service.origin);
  });

  it.each([
    ['', 'error: stdin holds no token.\n'],
    ['two words', 'error: stdin holds more than a token.\n'],
    ['a\nb', 'error: stdin holds more than a token.\n'],
    ['é', 'error: stdin holds signs that no token has.\n'],
  ])('refuses %j without repeating it', async (stdin, message) => {
    const { status, err } = await login(stdin);
    expect(status).toBe(7);
    expect(err).toBe(`${message}hint: It must hold the token alone, on one line.\n`);
  });

  it('asks a person and does not show what is typed', async () => {
    const { status, err } = await run(['auth', 'login', service.blogUrl], {
      env: { BLOGCTL_CONFIG_DIR: folder },
      stdin: 'right-token\n',
      terminal: 80,
    });
    expect(status).toBe(0);
    expect(err).toContain(`Access token for ${service.origin}: `);
    expect(err).not.toContain('right-token');
  });

  it('says where the token comes from, never the token; and forgets it', async () => {
    await login('right-token');
    const known = { BLOGCTL_CONFIG_DIR: folder };
    const status = await run(['auth', 'status', '--json'], { env: known });
    const file = join(folder, 'config.json');
    const chosen = { chosenBy: 'profile', place: 'profile default', token: file };
    expect(JSON.parse(status.out)).toEqual([{ blog: service.blogUrl, ...chosen }]);
    const named = await run(['auth', 'status', '--json'], { env });
    expect(JSON.parse(named.out)).toMatchObject([
      { chosenBy: 'environment', token: 'BLOGCTL_TOKEN' },
    ]);
    expect(await run(['auth', 'logout'], { env: known })).toMatchObject({
      status: 0,
      err: `Forgot the token for ${service.origin}.\n`,
    });
    expect((await run(['auth', 'status'], { env: known })).status).toBe(3);
  });

  it('says that a token is refused, as one that was revoked, and shows where it comes from', async () => {
    await login('right-token');
    const of = { BLOGCTL_CONFIG_DIR: folder, BLOGCTL_TOKEN: 'revoked' };
    const { status, out, err } = await run(['auth', 'status', '--blog', service.blogUrl], {
      env: of,
    });
    expect([status, out]).toEqual([3, `${service.blogUrl}\tflag\tBLOGCTL_TOKEN\n`]);
    expect(err).toBe(
      `error: ${service.blogUrl} refuses this token (HTTP 401)\nhint: It comes from BLOGCTL_TOKEN: give another there, or keep one by \`blogctl auth login ${service.blogUrl}\`.\n`,
    );
    const away = await run(['auth', 'status', '--blog', 'http://127.0.0.1:9/blogs/1'], { env: of });
    expect([away.status, away.out]).toEqual([
      9,
      expect.stringContaining('http://127.0.0.1:9/blogs/1\tflag\tBLOGCTL_TOKEN\n'),
    ]);
  });

  it('warns where the environment outranks it', async () => {
    const { err } = await run(['auth', 'login', service.blogUrl, '--token-file', '-'], {
      env: { ...env },
      stdin: 'right-token',
    });
    expect(err).toContain('warning: BLOGCTL_TOKEN is set and outranks this login.');
    expect(err).not.toContain('blog is kept');
  });

  it('whoever sets a blog for good is told what outranks it, and nobody else is', async () => {
    const known = { BLOGCTL_CONFIG_DIR: folder };
    await login('right-token');
    const path = (name: string) => `file:${join(folder, name)}`;
    const set = await run(['config', 'set', 'blog', path('new.json')], { env: known, folder });
    expect(set.err).toBe(
      `warning: blog is kept as ${path('new.json')}, but profile default says ${service.blogUrl} and outranks it.\n`,
    );
    await run(['profile', 'add', 'p2', path('two.json')], { env: known, folder });
    const use = (more: Record<string, string>) =>
      run(['profile', 'use', 'p2'], { env: { ...known, ...more }, folder });
    expect((await use({})).err).toBe('Profile p2 is used from now on.\n');
    expect((await use({ BLOGCTL_BLOG: 'file:two.json' })).err).toContain('is used from now on.');
    expect((await use({ BLOGCTL_BLOG: 'https://u:S3cret@b.test/1' })).err).toBe(
      `warning: blog is kept as ${path('two.json')}, but BLOGCTL_BLOG says https://…@b.test/1 and outranks it.\n`,
    );
    expect((await use({ BLOGCTL_PROFILE: 'default' })).err).toContain(
      'warning: profile is kept as p2, but BLOGCTL_PROFILE says default and outranks it.',
    );
  });
});

describe('failing', () => {
  it.each<[readonly string[], number, string]>([
    [['artcles'], 2, "error: unknown command 'artcles'\nhint: Run `blogctl articles`.\n"],
    [['articles', 'lst'], 2, "error: unknown command 'lst'\nhint: Run `blogctl articles list`.\n"],
    [
      ['articles', 'list', '--limt', '3'],
      2,
      "error: unknown option '--limt'\nhint: Run `blogctl articles list --limit 3`.\n",
    ],
    [
      ['articles', 'list', '--format', 'nope'],
      2,
      "error: option '--format <format>' argument 'nope' is invalid. Allowed choices are table, json, ndjson, csv, tsv, ids, md, tap, junit.\nhint: Write `blogctl articles list --format <format>`: how to write the answer.\n",
    ],
    [
      ['articles', 'list', '--blog', 'blog!'],
      2,
      'error: "blog!" is not the address of a blog.\nhint: Write a blog as https://host/api/v1.2/blogs/1 or file:posts.json; a profile is named by --profile.\n',
    ],
    [
      ['articles', 'list', '--blog', 'https://me:secret@b.test/'],
      2,
      'error: The address of a blog names no user and no password.\n',
    ],
    [
      ['articles', 'list', '--blog', 'postgres://me:secret@db.test/blog'],
      2,
      'error: A database is no blog: a service shows what it holds.\nhint: Start one with blogctl serve --store <database>, and name the address that it prints.\n',
    ],
    [['articles', 'create', '--title', 'T'], 2, 'error: An article needs a content.\n'],
    [['articles', 'update', '1'], 2, 'error: Nothing is given to change in article 1.\n'],
    [
      ['articles', 'create', '--title', 'T', '--content-file', 'no.md'],
      7,
      'error: no.md cannot be read.\n',
    ],
  ])('%j ends with %i', async (line, status, message) => {
    const ended = await run(line, { env, folder });
    expect(ended.status).toBe(status);
    expect(ended.out).toBe('');
    expect(ended.err.slice(0, message.length)).toBe(message);
  });

  it('is one JSON line where the answer would have been JSON', async () => {
    const { status, out, err } = await run(['articles', 'get', '99', '--json'], { env });
    expect([status, out]).toEqual([5, '']);
    expect(JSON.parse(err)).toMatchObject({
      error: { code: 'not-found', exitCode: 5, status: 404, method: 'GET' },
    });
  });

  it.each([
    ['SIGINT', 130, 'error: Interrupted.\n'],
    ['SIGTERM', 143, 'error: Terminated.\n'],
    ['SIGHUP', 143, 'error: Terminated.\n'],
  ] as const)('%s ends a command that waits for stdin', async (signal, status, message) => {
    const host = givenHost(['articles', 'create', '--from-file', '-'], { env });
    const ended = main(host);
    host.stdin.on('newListener', (event) => {
      if (event === 'readable') setImmediate(() => host.signal(signal));
    });
    expect([await ended, host.err()]).toEqual([status, message]);
  });

  it('names the byte that is not UTF-8', async () => {
    await writeFile(join(folder, 'bad.md'), Buffer.from([0x61, 0x0a, 0x62, 0xff, 0x63]));
    const line = ['articles', 'create', '--title', 'T', '--content-file', 'bad.md'];
    const { status, err } = await run(line, { env, folder });
    expect(status).toBe(7);
    expect(err).toContain('error: bad.md is not UTF-8: byte 3 (line 2).');
  });

  it.each([
    ['{"title": 3}', 'The title in stdin is not a string but 3.'],
    ['{"titel": "x"}', 'stdin has a member "titel" that an article does not have.'],
    ['[]', 'stdin holds no JSON object.'],
    ['{', 'stdin is not JSON: '],
  ])('names what is wrong with the file %s', async (stdin, message) => {
    const { status, err } = await run(['articles', 'create', '--from-file', '-'], { env, stdin });
    expect(status).toBe(7);
    expect(err).toContain(`error: ${message}`);
  });

  it('in CI refuses to guess the blog', async () => {
    const { status, err } = await run(['articles', 'list'], { env: { CI: '1' } });
    expect(status).toBe(2);
    expect(err).toBe(
      'error: No blog is named, and in CI none is assumed.\nhint: Name one with --blog <url|file:path> or BLOGCTL_BLOG.\n',
    );
  });

  it('refuses a configuration file that is not JSON, and leaves it', async () => {
    await writeFile(join(folder, 'config.json'), '{"profile": ');
    const { status, err } = await run(['articles', 'list'], {
      env: { BLOGCTL_CONFIG_DIR: folder },
    });
    expect(status).toBe(7);
    expect(err).toContain(
      `error: The configuration file ${join(folder, 'config.json')} cannot be used.`,
    );
    expect(await readFile(join(folder, 'config.json'), 'utf8')).toBe('{"profile": ');
  });
});

describe('help', () => {
  it('is the answer where it is asked for', async () => {
    const asked = await run(['--help']);
    expect(asked).toMatchObject({ status: 0, err: '' });
    expect(asked.out).toContain('Usage: blogctl');
    expect((await run([])).out).toBe(asked.out);
  });

  it('of a command has its options and examples', async () => {
    const { status, out } = await run(['articles', 'update', '--help']);
    expect(status).toBe(0);
    expect(out).toContain('--clear-content');
    expect(out).toContain('Examples:\n  blogctl articles update 7 --title');
  });

  it('of a group is shown where nothing else is asked for, as that of blogctl is', async () => {
    const group = await run(['articles']);
    expect(group).toEqual(await run(['articles', '--help']));
    expect(group).toMatchObject({ status: 0, err: '' });
  });
});
