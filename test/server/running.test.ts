import { mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { once } from 'node:events';
import { get } from 'node:http';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { exchangeBytes } from '../support/served.ts';
import { withTokens, startServer, UnusableOption, UnusableStore } from '../../server/index.ts';
import type { ServeOptions } from '../../server/index.ts';

let folder = '';
const endings: (() => Promise<unknown>)[] = [];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'blogctl-running-'));
});
afterEach(async () => {
  for (const end of endings.splice(0)) await end();
  await rm(folder, { recursive: true });
});

async function serve(options: Partial<ServeOptions> = {}) {
  const file = join(folder, 'blog.json');
  const server = await startServer({ file, host: '127.0.0.1', port: 0, ...options });
  endings.push(() => server.stop());
  return server;
}

async function given(name: string, content: string | Buffer): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, content);
  return path;
}

async function titlesOf(server: { blogs: readonly { url: string }[] }): Promise<readonly string[]> {
  const answer = await fetch(`${server.blogs[0]?.url}/articles?pageSize=1000`);
  const { _embedded: embedded } = JSON.parse(await answer.text());
  return embedded.map(({ title }: { title: string }) => title);
}

it('tells that it is there at once, however its answers are delayed', async () => {
  const { url } = await serve({ delay: '60000' });
  expect((await fetch(`${url}/health`, { signal: AbortSignal.timeout(5000) })).status).toBe(200);
});

describe('the address that is bound', () => {
  it('is told where links begin with another', async () => {
    const { url, ownUrl } = await serve({ baseUrl: 'https://blog.example' });
    expect(url).toBe('https://blog.example');
    expect((await fetch(`${ownUrl}/health`)).status).toBe(200);
  });

  it.each([
    '127.0.0.1',
    '127.1',
    '2130706433',
    '0x7f.1',
    '127.0.0.2',
    '::ffff:127.0.0.1',
    '::ffff:7f00:1',
  ])('%s is this machine: foreign names are refused, however it is spelled', async (host) => {
    const { url } = await serve({ host });
    const { port } = new URL(url);
    const at = host === '127.0.0.2' ? host : '127.0.0.1';
    const statusFor = (name: string) =>
      new Promise((resolve, reject) => {
        const headers = { host: name };
        const asked = get({ host: at, port, path: '/', headers }, ({ statusCode }) =>
          resolve(statusCode),
        );
        asked.on('error', reject);
      });
    for (const name of ['evil.example', `evil.example:${port}`, '10.0.0.1', '[::2]']) {
      expect([name, await statusFor(name)]).toEqual([name, 400]);
    }
    const own = [new URL(url).host, `127.0.0.1:${port}`, 'localhost', '[::ffff:7f00:1]'];
    for (const name of own) expect([name, await statusFor(name)]).toEqual([name, 200]);
  });

  it('is not told of a name that leads nowhere, and nothing is made', async () => {
    const starting = serve({ host: 'no-such-host.invalid' });
    await expect(starting).rejects.toMatchObject({ syscall: 'getaddrinfo' });
    expect(await readdir(folder)).toEqual([]);
  });

  it('that others reach makes a short token of one’s own worth a word', async () => {
    const notices: string[] = [];
    const notice = (text: string) => notices.push(text);
    await serve({ token: 'short', notice });
    expect(notices).toEqual([]);
    const open = { file: join(folder, 'open.json'), host: '0.0.0.0', notice };
    await serve({ ...open, token: 'short' });
    expect(notices).toEqual([
      'BLOGCTL_SERVE_TOKEN is short and can be guessed: take 16 characters or more, or blogctl token create.',
    ]);
  });
});

describe('a token file that somebody spoils while it is served', () => {
  const draft = JSON.stringify({ title: 'T', content: 'C' });

  async function givenWatched() {
    const notices: string[] = [];
    const server = await serve({ notice: (text) => notices.push(text) });
    const { token } = await server.tokens.create({ name: 'n', rights: ['create'] });
    const url = `${server.blogs[0]?.url}/articles`;
    const headers = { 'content-type': 'application/json', 'x-access-token': token };
    const post = () => fetch(url, { method: 'POST', headers, body: draft });
    return { server, notices, url, headers, post };
  }

  it.each([
    ['no JSON', 'broken'],
    ['other JSON', '{"tokens":[]}'],
  ])('with %s: writes are 503, said once in the log; reads go on', async (_, content) => {
    const { notices, url, headers, post } = await givenWatched();
    const path = join(folder, 'blog.tokens.json');
    const whole = await readFile(path);
    for (const round of [1, 2]) {
      await writeFile(path, content.padEnd(content.length + round));
      for (let at = 0; at < 3; at += 1) {
        const answer = await post();
        expect(answer.status).toBe(503);
        expect(answer.headers.get('retry-after')).toBe('60');
        expect(await answer.json()).toMatchObject({
          code: 'unavailable',
          detail: 'The tokens of this service cannot be read at present: its log says why.',
        });
      }
      expect((await fetch(url, { headers })).status).toBe(200);
      expect(notices).toHaveLength(round);
      expect(notices.at(-1)).toBe(
        `Tokens cannot be read: ${path} is no token file of blogctl. Nothing was changed. ` +
          'Put it right, or remove it and create new tokens with `blogctl token create`.',
      );
      await writeFile(path, whole);
      expect((await post()).status).toBe(201);
    }
  });
});

describe('damage that was found while a store was served', () => {
  /** A byte of each title is another, and what sums up the file has that in it. */
  async function givenDamaged(...titles: readonly string[]) {
    const seed = ['A', 'B', 'C', 'D'].map((title) => ({
      title: `Title ${title}`,
      content: 'Text',
    }));
    await (await serve({ seed })).stop();
    const path = join(folder, 'blog.json');
    const whole = await readFile(path, 'utf8');
    const text = titles.reduce((all, title) => all.replace(title, title.toUpperCase()), whole);
    const sumOf = (bytes: string) => crc32(bytes).toString(16).padStart(8, '0');
    const [body = '', end = ''] = text.split(/(?<=\n)(?=\],\n"end":)/);
    const record = end.replaceAll(/(rc32":)"\w+"/g, `$1"${sumOf(body)}"`);
    const summed = /\{.*(?=,"check")/.exec(record)?.[0] ?? '';
    await writeFile(path, body + record.replace(/(?<="check":")\w+/, sumOf(summed)));
    return serve();
  }

  it.each([
    [['Title B'], 'Article 2 is damaged on the disk: its checksum does not hold.'],
    [['Title B', 'Title D'], 'Articles 2, 4 are damaged on the disk: their checksums do not hold.'],
  ])('%s is told at its end', async (titles, said) => {
    const server = await givenDamaged(...titles);
    const articles = `${server.blogs[0]?.url}/articles`;
    const statuses = await Promise.all(
      [4, 3, 2, 1].map(async (id) => (await fetch(`${articles}/${id}`)).status),
    );
    expect(statuses.filter((status) => status === 500)).toHaveLength(titles.length);
    expect(await server.stop()).toBe(`${join(folder, 'blog.json')}: ${said}`);
  });

  it('by the compaction of the end is told, too', async () => {
    const server = await givenDamaged('Title B');
    const { token } = await server.tokens.create({ name: 'n', rights: ['delete'] });
    const url = `${server.blogs[0]?.url}/articles/1`;
    const headers = { 'x-access-token': token };
    expect((await fetch(url, { method: 'DELETE', headers })).status).toBe(204);
    expect(await server.stop()).toContain('Article 2 is damaged on the disk');
  });
});

describe('a seed', () => {
  it.each([
    ['a JSON array', '[{"title":"A","content":"a"},{"title":"B"}]'],
    [
      'a file that begins with a byte order mark',
      '\uFEFF[{"title":"A","content":"a"},{"title":"B"}]',
    ],
    ['one object a line', '{"title":"A","content":"a"}\n\n{"title":"B"}\n'],
    [
      'an object with articles',
      '{"articles":[{"title":"A","content":"a"},{"title":"B","content":"b"}]}',
    ],
    [
      'a store file',
      '{"format":"blogctl/1","blogs":[{"id":1,"title":"S"}],"articles":[{"id":1,"title":"old"},{"id":2,"title":"B"},{"id":3,"title":"C"},{"id":3,"deleted":true},{"id":1,"title":"A"}]}',
    ],
  ])('%s fills an empty store, and only an empty one', async (_, content) => {
    const seed = await given('seed', content);
    const server = await serve({ seed });
    expect(await titlesOf(server)).toEqual(['A', 'B']);
    await server.stop();
    const notices: string[] = [];
    expect(await titlesOf(await serve({ seed, notice: (text) => notices.push(text) }))).toEqual([
      'A',
      'B',
    ]);
    expect(notices.join()).toContain('seed was left out');
  });

  it.each([
    '{"comments":[{"id":1}],"posts":[{"title":"A","views":3}],"profile":{}}',
    '{\n  "comments": [],\n  "posts": [{"title":"A","views":3}],\n  "profile": {}\n}',
    '{ "profile": {}, "articles": [{"title":"A","views":3}], "comments": [] }',
  ])('%s: what is no title and no content is left out, and said', async (content) => {
    const seed = await given('seed', content);
    const notices: string[] = [];
    const server = await serve({ seed, notice: (text) => notices.push(text) });
    expect(await titlesOf(server)).toEqual(['A']);
    expect(notices).toEqual([
      expect.stringMatching(/^Left out of .*seed, as an article has a title and a content: /),
    ]);
    expect(notices[0]?.split(': ').at(-1)?.replace('.', '').split(', ').toSorted()).toEqual([
      'comments',
      'profile',
      'views',
    ]);
  });

  it.each([
    ['{"posts":[{"id":7,"title":"A"}]}', 1],
    ['{"posts":[{"id":"1","title":"A"},{"id":"x","title":"B"}]}', 1],
    ['{"articles":[{"id":1,"title":"A"},{"id":2,"deleted":true}]}', 1],
    ['{"articles":[{"id":1,"title":"A"},{"id":1,"title":"B"},{"id":2,"title":"B"}]}', 0],
    ['{"posts":[{"id":"1","title":"A"},{"title":"B"}]}', 0],
  ])('%s: ids that are given anew are said', async (content, said) => {
    const seed = await given('seed', content);
    const notices: string[] = [];
    await serve({ seed, notice: (text) => notices.push(text) });
    const deletions = content.includes('deleted') ? ', and deletions there are forgotten' : '';
    const notice = `Ids are given in turn, not as in ${seed}${deletions}.`;
    expect(notices.filter((text) => text === notice)).toHaveLength(said);
  });

  it.each([
    ['{"id":2,"blog":2,"title":"B"}', 1],
    ['{"id":2,"blog":2,"title":"B"},{"id":2,"blog":2,"deleted":true}', 0],
    ['{"id":2,"title":"B"}', 0],
  ])('of a store with two blogs fills one, and that is said: %s', async (second, said) => {
    const blogs = '"blogs":[{"id":1,"title":"S"},{"id":2,"title":"T"}]';
    const articles = `[{"id":1,"title":"A"},${second}]`;
    const seed = await given('seed', `{"format":"blogctl/1",${blogs},"articles":${articles}}`);
    const notices: string[] = [];
    await serve({ seed, notice: (text) => notices.push(text) });
    const forgotten = `Ids are given in turn, not as in ${seed}, and deletions there are forgotten.`;
    expect(notices.includes(forgotten)).toBe(second.includes('deleted'));
    const notice = `The articles of all blogs in ${seed} are put into one blog.`;
    expect(notices.filter((text) => text === notice)).toHaveLength(said);
  });

  it('that is not UTF-8 is refused, and never changed', async () => {
    const seed = await given('seed', Buffer.from('{"title":"\xff"}\n', 'latin1'));
    await expect(serve({ seed })).rejects.toThrow(`${seed} is not UTF-8.`);
  });

  it.each([
    ['{"title":"A"}\n{"title":""}\n', ':2: /title needs at least one visible character'],
    ['{"title":"A"}\n{"title"\n', ':2 is not JSON: '],
    ['[{"title":', ' is not JSON: '],
    ['[3]', ', article 1 must be an object.'],
    ['\n', ' is empty; a list of no articles is [].'],
    ['[{"title":"A"},{"name":"B"}]', ', article 2: /title is missing; /name is not a member'],
    ['5', ': there is no list of articles in it.'],
    ['{"articles":{}}', ': there is no list of articles in it.'],
    [
      '{"posts":[{"title":"A"}],"articles":[{"title":"B"}]}',
      ' has both articles and posts: it is not known which are meant.',
    ],
    ['{"blogs":[{"id":1,"title":"S"}]}', ': there is no list of articles in it.'],
  ])('%j is refused with its place, before a store is made', async (content, message) => {
    const seed = await given('seed', content);
    const refused = serve({ seed });
    await expect(refused).rejects.toThrow(UnusableStore);
    await expect(refused).rejects.toThrow(`${seed}${message}`);
    expect(await readdir(folder)).toEqual(['seed']);
  });
});

describe('an ephemeral service', () => {
  it('takes tokens and writes, and leaves no file', async () => {
    const server = await serve({ ephemeral: true });
    const { token } = await server.tokens.create({ name: 'test', rights: ['create'] });
    const answer = await fetch(`${server.blogs[0]?.url}/articles`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-access-token': token },
      body: '{"title":"A","content":"a"}',
    });
    expect(answer.status).toBe(201);
    expect(await titlesOf(server)).toEqual(['A']);
    expect(await readdir(folder)).toEqual([]);
  });
});

describe('the request log', () => {
  it('as json has every field; an id is passed through or made', async () => {
    const lines: string[] = [];
    const server = await serve({
      logFormat: 'json',
      accessLog: (text) => lines.push(...text.split('\n')),
    });
    const passed = await fetch(`${server.url}/`, { headers: { 'x-request-id': 'mine-1' } });
    const made = await fetch(`${server.url}/`, { headers: { 'x-request-id': 'two words' } });
    expect(passed.headers.get('x-request-id')).toBe('mine-1');
    expect(made.headers.get('x-request-id')).toMatch(/^[\w-]{4}-\d+$/);
    await server.stop();
    expect(lines.map((line) => JSON.parse(line))).toEqual([
      {
        time: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
        method: 'GET',
        path: '/',
        status: 200,
        bytes: expect.any(Number),
        ms: expect.any(Number),
        id: 'mine-1',
      },
      expect.objectContaining({ id: made.headers.get('x-request-id') }),
    ]);
  });

  it.each([
    ['expects what nobody can do', 'GET /', 'Expect: more', 400],
    ['wants a tunnel', 'CONNECT evil.example:80', 'X: y', 501],
  ])('tells of a request that %s', async (_, start, field, status) => {
    const lines: string[] = [];
    const server = await serve({ accessLog: (text) => lines.push(...text.split('\n')) });
    const request = `${start} HTTP/1.1\r\nHost: localhost\r\n${field}\r\n\r\n`;
    const answer = await exchangeBytes(Number(new URL(server.url).port), request);
    const [, id] = /^X-Request-Id: (.+)\r$/m.exec(answer) ?? [];
    expect(answer).toMatch(new RegExp(`^HTTP/1.1 ${status} [^]*\r\n\r\n\\{`));
    await server.stop();
    expect(lines).toEqual([
      expect.stringMatching(new RegExp(`^${start} ${status} \\d+ [\\d.]+ms ${id}$`)),
    ]);
  });
});

// Only Linux has all of 127.0.0.0/8.
it.runIf(process.platform === 'linux')(
  '23: a request that is equal to the letter, but not from the proxy, is answered anew',
  async () => {
    const server = await serve({ trustProxy: ['127.0.0.1'] });
    const url = server.blogs[0]?.url ?? '';
    const linkSeenFrom = async (localAddress: string) => {
      const headers = { 'x-forwarded-host': 'blog.example', accept: 'application/hal+json' };
      const [answer] = await once(get(url, { localAddress, headers, agent: false }), 'response');
      const { _links: links } = JSON.parse((await answer.toArray()).join(''));
      return links.self.href;
    };
    const shown = [await linkSeenFrom('127.0.0.1'), await linkSeenFrom('127.0.0.2')];
    expect(shown).toEqual([expect.stringContaining('http://blog.example/'), url]);
  },
);

it('33: an article its operator locked is read, not changed; its neighbour is changed', async () => {
  const lines = '{"id":1,"title":"A","locked":true},{"id":2,"title":"B"}';
  const blogs = '[{"id":1,"title":"Blog","description":""}]';
  await given('blog.json', `{"format":"blogctl/1","blogs":${blogs},"articles":[${lines}]}`);
  const server = await serve({ token: 'all' });
  const change = async (method: string, id: number) => {
    const answer = await fetch(`${server.blogs[0]?.url}/articles/${id}`, {
      method,
      headers: { 'content-type': 'application/json', 'x-access-token': 'all' },
      ...(method === 'PUT' && { body: '{"title":"New"}' }),
    });
    return answer.status;
  };
  expect([await change('PUT', 1), await change('DELETE', 1)]).toEqual([423, 423]);
  expect([await change('PUT', 2), await change('DELETE', 2)]).toEqual([200, 204]);
  expect(await titlesOf(server)).toEqual(['A']);
});

describe('a fault for a page of a listed origin', () => {
  const origin = 'https://app.example';

  it('can be read by that page', async () => {
    const server = await serve({ cors: [origin], faults: ['GET status 503 100%'] });
    const { status, headers } = await fetch(server.url, { headers: { origin } });
    expect(status).toBe(503);
    expect(headers.get('access-control-allow-origin')).toBe(origin);
  });

  it('still ends the connection where it was to be dropped', async () => {
    const server = await serve({ cors: [origin], faults: ['GET drop-before 100%'] });
    await expect(fetch(server.url, { headers: { origin } })).rejects.toThrow('fetch failed');
    expect((await fetch(server.url, { method: 'HEAD' })).status).toBe(200);
  });
});

it('41: an answer that a fault holds back does not hold the process once the service has stopped', async () => {
  const waits = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
  const before = waits();
  const server = await serve({ faults: ['GET slow 60000ms 100%'] });
  const socket = connect(Number(new URL(server.url).port), '127.0.0.1');
  await once(socket, 'connect');
  socket.write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n');
  await fetch(server.url, { method: 'HEAD' });
  socket.destroy();
  await server.stop();
  expect(waits()).toBeLessThanOrEqual(before);
});

it('33: in a blog its operator locked nothing is changed, and all of it is read', async () => {
  const blogs = '[{"id":1,"title":"Blog","description":"","locked":true}]';
  await given(
    'blog.json',
    `{"format":"blogctl/1","blogs":${blogs},"articles":[{"id":1,"title":"A"}]}`,
  );
  const server = await serve({ token: 'all' });
  const change = async (method: string, path: string) => {
    const answer = await fetch(`${server.blogs[0]?.url}/articles${path}`, {
      method,
      headers: { 'content-type': 'application/json', 'x-access-token': 'all' },
      ...(method !== 'DELETE' && { body: '{"title":"New","content":""}' }),
    });
    return answer.status;
  };
  const statuses = [
    await change('POST', ''),
    await change('PUT', '/1'),
    await change('DELETE', '/1'),
  ];
  expect(statuses).toEqual([423, 423, 423]);
  expect(await titlesOf(server)).toEqual(['A']);
});

it('35: a rate limit counts reads that are equal to the letter', async () => {
  const server = await serve({ rateLimit: '2/s' });
  const statuses: number[] = [];
  for (let at = 0; at < 6; at += 1) statuses.push((await fetch(`${server.url}/`)).status);
  expect(statuses.slice(0, 2)).toEqual([200, 200]);
  expect(statuses).toContain(429);
});

describe('options', () => {
  it.each([
    [{ baseUrl: 'blog.example' }, 'No base URL: blog.example'],
    [{ baseUrl: 'ftp://blog.example' }, 'No base URL: ftp://blog.example'],
    [{ baseUrl: 'https://blog.example/?x' }, 'No base URL'],
    [{ trustProxy: ['10.0.0.0/33'] }, 'No network: 10.0.0.0/33'],
    [{ trustProxy: ['proxy'] }, 'No network: proxy'],
    [{ cors: ['*'] }, 'No origin: *'],
    [{ cors: ['https://app.example/'] }, 'No origin: https://app.example/'],
    [{ rateLimit: '10' }, 'No rate: 10'],
    [{ rateLimit: '0/s' }, 'No rate: 0/s'],
    [{ delay: 'long' }, 'No delay: long'],
    [{ faults: ['POST explode 5%'] }, 'No fault: POST explode 5%'],
    [{ storeConnections: 3 }, '--store-connections is for a database: a file has none.'],
    [{ file: 'postgres://a@127.0.0.1:1/b', watch: true }, '--watch is for a file: '],
    [{ file: 'postgres://a@127.0.0.1:1/b', seed: 'none.json' }, '--seed is for a file: '],
  ])('%j is refused, and no store is made', async (options, message) => {
    const refused = serve(options);
    await expect(refused).rejects.toThrow(UnusableOption);
    await expect(refused).rejects.toThrow(message);
    expect(await readdir(folder)).toEqual([]);
  });

  it('of a token file are kept apart from the store', async () => {
    const server = await serve();
    await withTokens(server.file, (tokens) =>
      tokens.create({ name: 'ci', rights: ['create'], blogs: [1] }),
    );
    expect(await server.tokens.list()).toMatchObject([{ name: 'ci', blogs: [1] }]);
  });
});
