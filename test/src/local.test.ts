import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { atServer, openLocalBlog, type Maintenance } from '../../src/local.ts';
import { main } from '../../src/main.ts';
import { givenHost } from '../support/host.ts';
import { run } from '../support/run.ts';

let folder: string;
let env: Record<string, string>;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'blogctl-local-'));
  env = { BLOGCTL_CONFIG_DIR: join(folder, 'config'), BLOGCTL_DATA_DIR: join(folder, 'data') };
});
afterEach(() => rm(folder, { recursive: true }));

const making = (file: string) => ({ file, missing: 'make', notice: () => {} }) as const;

const create = ['articles', 'create', '--title', 'T', '--content', 'C', '--format', 'ids'];

describe('nothing configured', () => {
  it('is a working state: the local blog, named on stderr once', async () => {
    const path = join(folder, 'data', 'blog.json');
    const { status, out, err } = await run(create, { env });
    expect([status, out]).toEqual([0, '1\n']);
    expect(err).toBe(`Using the local blog in ${path}\nCreated article 1.\n`);
    expect((await run(['articles', 'list', '-q'], { env })).out).toBe('1\tT\n');
    expect(JSON.parse(await readFile(path, 'utf8'))).toMatchObject({ format: 'blogctl/1' });
  });

  it('lists nothing where there is nothing, without failing', async () => {
    const { status, out, err } = await run(['articles', 'list'], { env });
    expect([status, out]).toEqual([0, '']);
    expect(err).toContain('The blog has no articles yet.\n');
  });
});

it.each(['create', 'list'])('token %s makes nothing beside what is no store file', async (verb) => {
  const inner = join(folder, 'inner');
  await mkdir(inner);
  const { status, err } = await run(['token', verb, '--store', inner], { env, folder });
  expect([status, await readdir(folder)]).toEqual([7, ['inner']]);
  expect(err).toContain(`${inner} is a folder, not a file.`);
});

describe('53: what is made by reading', () => {
  it.each([
    'blog',
    'articles list',
    'articles get 1',
    'articles update 1 --title T',
    'articles delete 1 -y',
    'articles export out.ndjson',
    'articles links 1',
    'api',
    'links',
    'store check --store typo.json',
    'store compact --store typo.json',
    'token list --store typo.json',
  ])('is nothing, in a file that is mistyped: %s', async (line) => {
    const blog = line.includes('--store') ? [] : ['--blog', 'file:typo.json'];
    const { status } = await run([...line.split(' '), ...blog], { env, folder });
    expect([status, await readdir(folder)]).toEqual([5, []]);
  });
});

describe('a store file', () => {
  it('takes articles of any length: who opens it is its operator', async () => {
    const content = 'é"\\\n'.repeat(600_000);
    await writeFile(join(folder, 'd.ndjson'), JSON.stringify({ title: 'Long', content }));
    const blog = ['--blog', 'file:posts.json'];
    const options = { env, folder };
    const imported = await run(['articles', 'import', join(folder, 'd.ndjson'), ...blog], options);
    expect(imported).toMatchObject({ status: 0 });
    const { out } = await run(['articles', 'get', '1', '--field', 'content', ...blog], options);
    expect(out.replace(/\n$/, '')).toBe(content.replace(/\n$/, ''));
    const changed = ['articles', 'update', '1', '--title', 'Longer', '--yes', ...blog];
    expect(await run(changed, options)).toMatchObject({ status: 0 });
  });

  it.each(['file:posts.json', 'file:./posts.json'])('is named as %s', async (blog) => {
    const { status, err } = await run([...create, '--blog', blog], { env, folder });
    expect([status, err]).toEqual([0, 'Created article 1.\n']);
    expect(JSON.parse(await readFile(join(folder, 'posts.json'), 'utf8'))).toHaveProperty('blogs');
  });

  it('is named by its absolute path', async () => {
    const blog = `file:${join(folder, 'posts.json')}`;
    expect((await run([...create, '--blog', blog], { env, folder: '/' })).status).toBe(0);
  });

  it('that is none of ours is refused and left as it is', async () => {
    await writeFile(join(folder, 'notes.json'), '{"mine": true}');
    const line = [...create, '--blog', 'file:notes.json'];
    const { status, err } = await run(line, { env, folder });
    expect(status).toBe(7);
    expect(err).toContain(`error: ${join(folder, 'notes.json')}`);
    expect(err).toContain('hint: ');
    expect(await readFile(join(folder, 'notes.json'), 'utf8')).toBe('{"mine": true}');
  });

  it('that another command has open is waited for', async () => {
    const path = join(folder, 'blog.json');
    const other = await openLocalBlog(making(path));
    const waits: number[] = [];
    const sleep = async (ms: number) => {
      waits.push(ms);
      if (waits.length === 3) await other.close();
    };
    const opened = await openLocalBlog(making(path), { sleep });
    expect(waits).toHaveLength(3);
    await opened.close();
  });

  it('that stays in use is locked, and its user is named', async () => {
    const path = join(folder, 'blog.json');
    const other = await openLocalBlog(making(path));
    await expect(openLocalBlog(making(path), { waitMs: 0 })).rejects.toMatchObject({
      code: 'locked',
      message: expect.stringContaining(`${path} is in use by process ${process.pid}`),
      hint: 'Wait until that process is done, or use another file.',
    });
    await other.close();
  });
});

describe('store init', () => {
  it('makes a blog with title and description', async () => {
    const line = ['store', 'init', '--store', 'b.json', '--title', 'Notes', '--description', 'D'];
    expect(await run(line, { env, folder })).toMatchObject({ status: 0 });
    const { out } = await run(['blog', '--blog', 'file:b.json', '--json'], { env, folder });
    expect(JSON.parse(out)).toMatchObject({ title: 'Notes', description: 'D', articles: 0 });
  });

  it('never touches a file that is there', async () => {
    await writeFile(join(folder, 'b.json'), 'mine');
    const { status, err } = await run(['store', 'init', '--store', 'b.json'], { env, folder });
    expect(status).toBe(7);
    expect(err).toContain('exists already');
    expect(await readFile(join(folder, 'b.json'), 'utf8')).toBe('mine');
  });
});

describe('tokens', () => {
  it('are shown once, listed without their text, and revoked by name', async () => {
    const store = ['--store', join(folder, 'b.json')];
    await run(['store', 'init', ...store], { env });
    const made = await run(
      ['token', 'create', ...store, '--name', 'ci', '--allow', 'create', '--for-blog', '1'],
      { env },
    );
    expect(made.status).toBe(0);
    expect(made.out).toMatch(/^bct_\w+\n$/);
    const listed = await run(['token', 'list', ...store], { env });
    expect(listed.out).toMatch(/^\w+\tci\tcreate\t1\tnever\n$/);
    expect(listed.out + listed.err).not.toContain(made.out.trim());
    const again = ['token', 'create', ...store, '--name', 'ci'];
    await run(again, { env });
    const two = await run(['token', 'list', ...store, '--json'], { env });
    const ids: { id: string; created: string }[] = JSON.parse(two.out);
    const asked = await run(['token', 'revoke', 'ci', ...store], { env });
    const named = ids.map(({ id, created }) => `${id} of ${created.slice(0, 16)}Z`);
    expect([asked.status, asked.err]).toEqual([2, expect.stringContaining(named.join(', '))]);
    const second = ids[1]?.id ?? '';
    expect(await run(['token', 'revoke', second, ...store], { env })).toMatchObject({ status: 0 });
    expect(await run(['token', 'revoke', 'ci', ...store], { env })).toMatchObject({ status: 0 });
    expect((await run(['token', 'list', ...store], { env })).out).toBe('');
    expect(await run(['token', 'revoke', 'ci', ...store], { env })).toMatchObject({ status: 5 });
  });
});

describe('serve', () => {
  async function givenServe(more: readonly string[] = [], variables = {}) {
    const ready = join(folder, 'ready.json');
    const line = ['serve', '--store', 'b.json', '--port', '0', '--ready-file', ready, ...more];
    const host = givenHost(line, { env: { ...env, ...variables }, folder });
    const ended = main(host);
    const said = await Promise.race([ended, untilWritten(ready)]);
    if (typeof said === 'number') throw new Error(`serve ended with ${said}: ${host.err()}`);
    const { blogs } = said;
    return {
      host,
      said,
      url: blogs[0]?.url ?? '',
      stop: async () => {
        host.signal('SIGTERM');
        return ended;
      },
    };
  }

  it('says where and with which token, works, and ends with 0 on SIGTERM', async () => {
    const { host, url, stop } = await givenServe();
    const token = /bct_\w+/.exec(host.err())?.[0] ?? '';
    expect(host.err()).toContain(`Serving  ${url}\n`);
    expect(host.err()).toContain(`Store    ${join(folder, 'b.json')}   (new)\n`);
    expect(host.err()).not.toMatch(/not read|unencrypted/);
    expect(host.err()).toContain(`Try      blogctl articles list --blog ${url}\n`);
    const line = `         blogctl articles import <folder> --blog ${url}\n`;
    expect(host.err()).toContain(line);
    const remote = { ...env, BLOGCTL_BLOG: url, BLOGCTL_TOKEN: token };
    expect(await run(create, { env: remote })).toMatchObject({ status: 0, out: '1\n' });
    expect(await stop()).toBe(0);
    expect(host.err()).not.toMatch(new RegExp(`POST.*${token}`));
  });

  it.each([
    [['--base-url', 'http://blog.example:9000'], expect.stringMatching(/^http:\/\/[\w.:]+:\d+$/)],
    [[], undefined],
  ])('says where it listens, where that is not where it is (%j)', async (more, listens) => {
    const { said, stop } = await givenServe(more);
    expect(said).toEqual(expect.objectContaining({ pid: process.pid }));
    expect(said.listens).toEqual(listens);
    const answer = await fetch(`${said.listens ?? said.url}/health`);
    expect(answer.status).toBe(200);
    await stop();
  });

  it('says its address to --quiet too, and tries no login where nothing can be changed', async () => {
    const quiet = await givenServe(['--quiet']);
    await quiet.stop();
    expect(quiet.host.err()).toMatch(/^Serving  http:\S+\nToken    bct_\w+   \(shown once\)\n$/);
    const reading = await givenServe(['--read-only']);
    await reading.stop();
    expect(reading.host.err()).toContain('Try      blogctl articles list --blog ');
    expect(reading.host.err()).not.toContain('auth login');
  });

  it('says which variables it does not read, that others reach it, and no more of a store that was there', async () => {
    await run([...create, '--blog', 'file:b.json'], { env, folder });
    const variables = { PORT: '18441', HOST: 'x86_64-conda', BLOGCTL_PORT: '0' };
    const { host, stop } = await givenServe(['--host', '0.0.0.0'], variables);
    await stop();
    expect(host.err()).toContain('PORT is not read: --port 18441 says so.\n');
    expect(host.err()).not.toMatch(/HOST is not|BLOGCTL_PORT/);
    expect(host.err()).toContain(`Store    ${join(folder, 'b.json')}\n`);
    expect(host.err()).toMatch(/warning: Others reach it at 0\.0\.0\.0, port \d+, unencrypted: /);
  });

  it.each(['0x7f.1', '017700000001', '::ffff:7f00:1', 'localhost', '127.0.0.1'])(
    'says of --host %s, which is this machine, no such thing',
    async (spelled) => {
      const { host, stop } = await givenServe(['--host', spelled]);
      await stop();
      expect(host.err()).toContain('Serving  ');
      expect(host.err()).not.toContain('Others reach it');
    },
  );

  it.each(['no host', 'http://127.0.0.1', '\u0007'])('takes no %j for a host', async (given) => {
    const { status, err } = await run(['serve', '--host', given], { env, folder });
    expect(status).toBe(2);
    expect(err).toContain('Write a name or an address, as 127.0.0.1.');
  });

  it('is talked to by commands on its file', async () => {
    const { host, stop } = await givenServe();
    const line = [...create, '--blog', 'file:b.json'];
    expect(await run(line, { env, folder })).toMatchObject({ status: 0, out: '1\n' });
    await stop();
    expect(host.err()).toContain('POST /api/v1.2/blogs/1/articles 201');
  });

  it('makes no token where it is given one', async () => {
    const given = 'a-token-for-this-run';
    const { host, url, stop } = await givenServe([], { BLOGCTL_SERVE_TOKEN: given });
    expect(host.err()).not.toContain('Token');
    const remote = { ...env, BLOGCTL_BLOG: url, BLOGCTL_TOKEN: given };
    expect(await run(create, { env: remote })).toMatchObject({ status: 0 });
    await stop();
  });

  it('writes one line of JSON on stdout with --json', async () => {
    const { host, url, stop } = await givenServe(['--json']);
    expect(JSON.parse(host.out())).toEqual({
      url: new URL(url).origin,
      blogs: [{ id: 1, url }],
      store: join(folder, 'b.json'),
      pid: process.pid,
      token: /bct_\w+/.exec(host.err())?.[0],
    });
    await stop();
  });

  it('says so where its port is taken, and makes nothing', async () => {
    const { url, stop } = await givenServe();
    const { port } = new URL(url);
    const line = ['serve', '--store', 'other.json', '--port', port];
    const { status, err } = await run(line, { env, folder });
    expect(status).toBe(6);
    expect(err).toContain(`error: Something listens at 127.0.0.1, port ${port} already.`);
    expect((await readdir(folder)).filter((name) => name.startsWith('other'))).toEqual([]);
    await stop();
  });

  it('says so where its file is served', async () => {
    const { url, stop } = await givenServe();
    const line = ['serve', '--store', 'b.json', '--port', '0'];
    const { status, err } = await run(line, { env, folder });
    expect(status).toBe(6);
    expect(err).toContain(`hint: It is served at ${url} already`);
    await stop();
  });

  it.each([[[]], [['--watch']]])('keeps its name while its file is removed: %s', async (flags) => {
    const { stop } = await givenServe(flags);
    const local = ['--blog', 'file:b.json'];
    await run([...create, ...local], { env, folder });
    await rm(join(folder, 'b.json'));
    expect(await run(['articles', 'list', ...local], { env, folder })).toMatchObject({
      status: 0,
      out: '1\tT\n',
    });
    const made = await run(['store', 'init', '--store', 'b.json'], { env, folder });
    expect([made.status, made.err]).toEqual([6, expect.stringContaining('b.json is in use by')]);
    await run(['store', 'init', '--store', 'other.json'], { env, folder });
    const repair = ['store', 'repair', '--store', 'other.json', '--to', 'b.json'];
    const repaired = await run(repair, { env, folder });
    expect([repaired.status, repaired.err]).toEqual([
      6,
      expect.stringContaining('/b.json is in use by'),
    ]);
    expect(await run([...create, ...local], { env, folder })).toMatchObject({ out: '2\n' });
    await stop();
    const kept = await run(['articles', 'list', ...local], { env, folder });
    expect(kept.out).toBe('1\tT\n2\tT\n');
  });
});

type Ready = { url: string; listens?: string; pid: number; blogs: { url: string }[] };

async function untilWritten(path: string): Promise<Ready> {
  for (;;) {
    const text = await readFile(path, 'utf8').catch(() => '');
    if (text.endsWith('\n')) return JSON.parse(text);
    await new Promise((resolve) => setImmediate(resolve));
  }
}

describe('another program that writes the file while a command works on it', () => {
  const whatItDoes = {
    confirm: (store) => store.confirm(),
    compact: (store) => store.compact(),
    edit: (store) => store.changeBlog(1, { title: 'zz' }),
    lock: (store) => store.lockArticle(1, 1, true),
  } satisfies Record<string, (store: Maintenance) => Promise<unknown>>;

  it.each(Object.entries(whatItDoes))('is told in words (%s), and no bug', async (_, act) => {
    const file = join(folder, 'blog.json');
    await run([...create, '--blog', `file:${file}`], { env });
    const notices: string[] = [];
    const notice = (text: string) => void notices.push(text);
    const ended = atServer(file, (server) =>
      server.withMaintenance({ file, notice }, async (store) => {
        await writeFile(file, `${await readFile(file, 'utf8')} `);
        await act(store);
      }),
    );
    await expect(ended).rejects.toMatchObject({
      name: 'BlogctlError',
      code: 'locked',
      message: `${file} was changed by another program while this command worked on it. Nothing was written over that.`,
      context: { hint: expect.stringContaining('run the same again') },
    });
    expect(notices.join(' ')).not.toMatch(/restart|--watch/i);
  });

  it('is told so where it changes articles, too', async () => {
    const file = join(folder, 'blog.json');
    await run([...create, '--blog', `file:${file}`], { env });
    const notices: string[] = [];
    const local = await openLocalBlog({
      file,
      missing: 'refuse',
      notice: (text) => void notices.push(text),
    });
    await writeFile(file, `${await readFile(file, 'utf8')} `);
    const sent = local.transport?.({
      method: 'POST',
      url: `${local.blogUrl}/articles`,
      headers: { 'content-type': 'application/json', 'x-access-token': local.token },
      body: JSON.stringify({ title: 'T', content: 'C' }),
    });
    await expect(sent).rejects.toMatchObject({
      code: 'locked',
      message: expect.stringContaining(
        'was changed by another program while this command worked on it',
      ),
    });
    await local.close();
    expect(notices.join(' ')).toContain('This command changes nothing more.');
    expect(notices.join(' ')).not.toMatch(/restart|--watch/i);
  });
});
