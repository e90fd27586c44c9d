import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { main } from '../../../src/main.ts';
import { type OtherService, startOtherService } from '../../support/other-service.ts';
import { blogBody, pageBody, whole } from '../../support/hostile-answers.ts';
import { givenHost } from '../../support/host.ts';
import { startRawServer } from '../../support/raw-server.ts';
import { run } from '../../support/run.ts';

let service: OtherService;
let folder: string;
let env: Record<string, string>;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'blogctl-trust-'));
  service = await startOtherService(['One']);
  env = { BLOGCTL_CONFIG_DIR: join(folder, 'config') };
});
afterEach(async () => {
  await service.stop();
  await rm(folder, { recursive: true });
});

const create = ['articles', 'create', '--title', 'T', '--content', ''];
const tokensSent = () => service.requests.map(({ headers }) => headers['x-access-token']);

describe('an address that only a project file names', () => {
  beforeEach(() =>
    writeFile(join(folder, '.blogctl.json'), JSON.stringify({ blog: service.blogUrl })),
  );

  it('gets no token of the environment', async () => {
    const { status, err } = await run(create, { env: { ...env, BLOGCTL_TOKEN: 'secret' }, folder });
    expect(status).toBe(3);
    expect(err).toContain(
      `No token is sent to ${service.origin}: only ${join(folder, '.blogctl.json')}`,
    );
    expect(tokensSent()).toEqual([undefined, undefined]);
  });

  it.each([
    create,
    ['auth', 'status'],
    ['auth', 'token'],
    ['api', 'doc:articles', '-XPOST', '-F', 'title=T'],
  ])('wants a word of the user, which no token is: %s', async (...line) => {
    for (const given of [{ ...env, BLOGCTL_TOKEN: 'right-token' }, env]) {
      const { status, err } = await run(line, { env: given, folder });
      expect([status, err.split('\n').at(-2)]).toEqual([
        3,
        'hint: No token goes where only a project file leads: name the blog yourself with --blog, or run blogctl auth login <blog-url>.',
      ]);
      const named = await run([...line, '--blog', service.blogUrl], { env: given, folder });
      expect(named.err).not.toContain('hint: No token goes');
    }
  });

  it('gets it once the user has logged in there', async () => {
    const login = ['auth', 'login', service.blogUrl, '--token-file', '-'];
    await run(login, { env, stdin: 'right-token' });
    expect(await run(create, { env, folder })).toMatchObject({ status: 0 });
  });

  it('is used for reading', async () => {
    expect((await run(['articles', 'list'], { env, folder })).out).toBe('1\tOne\n');
  });
});

describe.skipIf(process.getuid === undefined)('a project file of another user', () => {
  const own = process.getuid?.() ?? 0;
  const path = () => join(folder, '.blogctl.json');
  const as = (uid: number, line: readonly string[]) => run(line, { env, folder, uid });
  const said = () => `${path()} belongs to another user (uid ${own}) and is not obeyed.`;

  beforeEach(() => writeFile(path(), JSON.stringify({ blog: service.blogUrl, timeout: '7s' })));

  it.each([create, ['auth', 'status'], ['sync', 'plan', '.'], ['serve'], ['store', 'init']])(
    'ends what would use its blog: %s',
    async (...line) => {
      const { status, err } = await as(own + 1, line);
      expect([status, err.split('\n')[0]]).toEqual([7, `error: ${said()}`]);
      expect(err).toMatch(/hint: Name the blog with --blog or BLOGCTL_BLOG; .*make it yours/);
      expect(service.requests).toEqual([]);
    },
  );

  it('is named where settings are shown, and sets none', async () => {
    const { out, err } = await as(own + 1, ['config', 'list', '--show-origin']);
    expect(err).toBe(`warning: ${said()}\n`);
    expect(out).toBe('timeout\t30s\tdefault\t\nretries\t3\tdefault\t\nmax-wait\t5m\tdefault\t\n');
    expect((await as(own, ['config', 'get', 'timeout'])).out).toBe('7s\n');
  });

  it('is nothing to a blog that is named', async () => {
    const list = ['articles', 'list', '--blog', service.blogUrl];
    expect(await as(own + 1, list)).toEqual({ status: 0, out: '1\tOne\n', err: '' });
  });
});

describe('a login without an address', () => {
  const other = 'http://127.0.0.1:9/api/v1.2/blogs/1';
  const login = (...flags: string[]) =>
    run(['auth', 'login', '--token-file', '-', ...flags], { env, folder, stdin: 'right-token' });

  it('is for the blog of the one service that is known, and keeps its profile', async () => {
    await run(['profile', 'add', 'work', service.blogUrl], { env });
    await run(['profile', 'use', 'work'], { env });
    const typed = await run(['auth', 'login', '--with-token'], { env });
    expect(typed.err).toContain('hint: Run `blogctl auth login --token-file -`.');
    const { status, err } = await login();
    expect([status, err.split('\n')[0]]).toEqual([0, `Logging in to ${service.blogUrl}`]);
    expect((await run(['profile', 'list'], { env })).out).toBe(`work\tyes\t${service.blogUrl}\n`);
  });

  it('sends no token where two are known, and one is not named', async () => {
    await run(['profile', 'add', 'work', service.blogUrl], { env });
    await run(['profile', 'add', 'other', other], { env });
    await run(['profile', 'use', 'work'], { env });
    const { status, err } = await login();
    expect([status, err]).toEqual([
      2,
      'error: No address says which blog the token is for.\nhint: Give it: blogctl auth login <blog-url>. A token is sent to no service by guessing.\n',
    ]);
    expect(service.requests).toEqual([]);
    expect(await login('--profile', 'work')).toMatchObject({ status: 0 });
    expect(await login('--blog', service.blogUrl)).toMatchObject({ status: 0 });
  });

  it('sends none to what a project file names, nor for a profile that is not there', async () => {
    await run(['profile', 'add', 'work', service.blogUrl], { env });
    expect(await login('--profile', 'none')).toMatchObject({ status: 2 });
    await run(['profile', 'use', 'work'], { env });
    await writeFile(join(folder, '.blogctl.json'), JSON.stringify({ blog: `${service.origin}/x` }));
    expect(await login()).toMatchObject({ status: 2 });
    expect(service.requests).toEqual([]);
  });
});

describe('a service that repeats the token in its answers', () => {
  const token = 'a-token-of-another-service';
  const echo = () =>
    startRawServer((socket, request) => {
      const [, sent = ''] = /^x-access-token: (.*)\r$/im.exec(request) ?? [];
      const address = `http://${/^host: (.*)\r$/im.exec(request)?.[1]}`;
      const places = { origin: address, blog: `${address}/b`, elsewhere: '' };
      const problem = { code: sent, title: sent, detail: `Token ${sent} may not do that.` };
      if (request.startsWith('GET /b/articles')) socket.write(whole(pageBody(places)));
      else if (request.startsWith('GET')) socket.write(whole(blogBody(places)));
      else socket.write(whole(problem, '422 Unprocessable', `X-Seen: ${sent}`));
    });

  it.each([[[]], [['-vvv']], [['--json']]])('has it written nowhere: %j', async (flags) => {
    const server = await echo();
    const line = [...flags, ...create, '--blog', `${server.url}/b`];
    const { status, out, err } = await run(line, { env: { ...env, BLOGCTL_TOKEN: token } });
    expect({ status, out }).toEqual({ status: 7, out: '' });
    expect(server.requests.at(-1)).toContain(token);
    expect(err).toContain('Token … may not do that');
    expect(err).not.toContain(token);
    await server.stop();
  });

  it('has it written in no warning of an import either', async () => {
    const server = await echo();
    await writeFile(join(folder, 'post.md'), '---\ntitle: T\n---\nText');
    const line = [
      'articles',
      'import',
      join(folder, 'post.md'),
      '--continue-on-error',
      '--rejects',
      join(folder, 'rejects.ndjson'),
      '--blog',
      `${server.url}/b`,
    ];
    const { err } = await run(line, { env: { ...env, BLOGCTL_TOKEN: token } });
    expect(err).toContain('Token … may not do that');
    expect(err).not.toContain(token);
    await server.stop();
  });
});

describe('a store file that is served', () => {
  it('is reached without a proxy, which would get the token of the run', async () => {
    const proxy = await startRawServer((socket) => void socket.end());
    const host = givenHost(['serve', '--store', 'blog.json', '--port', '0'], { folder, env });
    const served = main(host);
    await vi.waitFor(() => expect(host.err()).toContain('auth login'), 20_000);
    const proxied = { ...env, HTTP_PROXY: proxy.url, HTTPS_PROXY: proxy.url };
    const ended = await run([...create, '--blog', 'file:blog.json'], { env: proxied, folder });
    host.signal('SIGTERM');
    await Promise.all([served, proxy.stop()]);
    expect(ended).toMatchObject({ status: 0 });
    expect(proxy.requests).toEqual([]);
  });
});

describe('a token from a command', () => {
  const login = (line: string) =>
    run(['auth', 'login', service.blogUrl, '--token-command', line], { env });

  it('is asked for each time and not kept', async () => {
    expect(await login('echo right-token')).toMatchObject({ status: 0 });
    expect(await run(create, { env })).toMatchObject({ status: 0 });
    expect((await run(['auth', 'token'], { env })).out).toBe('right-token\n');
    expect(tokensSent().at(-1)).toBe('right-token');
  });

  it.each([
    ['exit 3', 'error: The command "exit 3" failed.'],
    ['echo two words', 'error: What "echo two words" prints holds more than a token.'],
  ])('that does not come is an error: %s', async (line, message) => {
    const { status, err } = await login(line);
    expect(status).toBe(7);
    expect(err).toContain(message);
  });

  it.each([[], ['--json'], ['--debug']])(
    'is not shown where the command fails: %j',
    async (...how) => {
      const line = `echo hu''sh; exit 3`;
      const { status, err } = await run(
        ['auth', 'login', service.blogUrl, '--token-command', line, ...how],
        { env },
      );
      expect(status).toBe(7);
      expect(err).toContain('exit code 3');
      expect(err).not.toContain('hush');
    },
  );
});

describe('a password in an address', () => {
  it.each([
    ['articles', 'list', '--blog', 'ftp://me:hush@b.test/'],
    ['articles', 'list', '--blog', 'postgres://me:hush@b.test/notes'],
    ['token', 'list', '--store', 'postgres://me:hush@127.0.0.1:1/x'],
    ['token', 'list', '--store', 'postgres://me:hu/hush@127.0.0.1:1/x'],
    ['token', 'list', '--store', 'postgres://me:hu?hush@127.0.0.1:1/x'],
    ['token', 'list', '--store', 'postgres://me:hu@hush@127.0.0.1:1/x'],
    ['token', 'list', '--store', ' postgres://me:hush@127.0.0.1:1/x'],
    ['store', 'check', '--store', 'mysql://me:hush@127.0.0.1:1/x'],
  ])('is not shown: %j', async (...line) => {
    const { status, err } = await run([...line, '--debug'], { env, folder });
    expect(status).toBe(2);
    expect(err).toContain('hint: ');
    expect(err).not.toContain('hush');
  });
});

describe('profiles', () => {
  it('are added, chosen, listed, shown and removed', async () => {
    const add = ['profile', 'add', 'mine', service.blogUrl, '--timeout', '5s'];
    expect(await run(add, { env })).toMatchObject({ status: 0 });
    expect((await run(add, { env })).err).toContain('There is a profile "mine" already.');
    await run(['profile', 'add', 'notes', 'file:n.json'], { env, folder });
    expect((await run(['articles', 'list', '--profile', 'mine'], { env })).out).toBe('1\tOne\n');
    await run(['profile', 'use', 'mine'], { env });
    expect((await run(['articles', 'list'], { env })).out).toBe('1\tOne\n');
    expect((await run(['profile', 'list'], { env })).out).toBe(
      `mine\tyes\t${service.blogUrl}\nnotes\t\tfile:${join(folder, 'n.json')}\n`,
    );
    expect((await run(['profile', 'show', '--json'], { env })).out).toContain(
      '"timeout": "5000ms"',
    );
    await run(['profile', 'remove', 'mine'], { env });
    expect((await run(['profile', 'list', '--format', 'ids'], { env })).out).toBe('notes\n');
    const gone = await run(['profile', 'use', 'mine'], { env });
    expect(gone).toMatchObject({ status: 5 });
    expect(gone.err).toBe(
      'error: There is no profile "mine".\nhint: There are: notes; `blogctl profile add mine <url>` makes it.\n',
    );
  });

  it('keep a login of their own', async () => {
    const login = ['auth', 'login', service.blogUrl, '--token-file', '-', '--profile', 'work'];
    await run(login, { env, stdin: 'right-token' });
    expect((await run(['profile', 'show', 'work', '--json'], { env })).out).toContain(
      '"token": "kept"',
    );
  });
});

describe('config', () => {
  it('sets, shows with its origin, and takes back', async () => {
    expect(await run(['config', 'set', 'timeout', '9s'], { env })).toMatchObject({ status: 0 });
    expect((await run(['config', 'get', 'timeout'], { env })).out).toBe('9s\n');
    const listed = await run(['config', 'list', '--show-origin', '--retries', '7'], { env });
    expect(listed.out.split('\n')).toEqual([
      `timeout\t9s\tconfig\t${join(folder, 'config', 'config.json')}`,
      'retries\t7\tflag\t--retries',
      'max-wait\t5m\tdefault\t',
      '',
    ]);
    await run(['config', 'unset', 'timeout'], { env });
    expect((await run(['config', 'get', 'timeout'], { env })).out).toBe('30s\n');
    expect((await run(['config', 'path'], { env })).out).toBe(
      `${join(folder, 'config', 'config.json')}\n`,
    );
  });

  it.each([
    ['config', 'set', 'timeout', '9s'],
    ['config', 'unset', 'timeout'],
    ['profile', 'add', 'x', 'file:x.json'],
  ])('that cannot be written is named, with its path: %s', async (...line) => {
    const beneath = join(folder, 'a-file');
    await writeFile(beneath, '');
    const config = join(beneath, 'config');
    const ended = await run(line, { env: { BLOGCTL_CONFIG_DIR: config } });
    expect(ended.status).toBe(7);
    expect(ended.err).toContain('The file system refused: ');
    expect(ended.err).toContain(config);
  });

  it.each([
    [['config', 'set', 'timeout', 'soon'], 2, '"soon" is no value for timeout (config set).'],
    [['config', 'set', 'blog', 'here'], 2, '"here" is not the address of a blog.'],
    [['config', 'set', 'profile', 'no'], 5, 'There is no profile "no".'],
    [['config', 'set', 'colour', 'red'], 2, 'Allowed choices are blog, profile'],
    [['config', 'get', 'blog'], 5, 'blog is not set.'],
  ])('refuses %j', async (line, status, message) => {
    const ended = await run(line, { env });
    expect(ended.status).toBe(status);
    expect(ended.err).toContain(message);
  });
});
