import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { pathToFileURL } from 'node:url';
import { type BlogClient, BlogctlError, createBlogClient } from '../../../src/index.ts';
import { hintForPrograms } from '../../../src/errors.ts';
import { serveInMemory } from '../../../src/local.ts';
import { startBlog, type TestBlog, type TestBlogOptions } from '../../../src/testing/index.ts';
import { givenFolder } from '../../support/command.ts';

async function given(options?: TestBlogOptions): Promise<TestBlog> {
  const blog = await startBlog(options);
  onTestFinished(() => blog.stop());
  return blog;
}

const seed = [{ title: 'One', content: 'first' }, { title: 'Two' }];

async function all({ client }: TestBlog) {
  const found: unknown[] = [];
  for await (const { articles } of client.pages()) found.push(...articles);
  return found;
}

/** Everything that can be read of a blog, dates and tags included. */
async function state({ fetch, url }: TestBlog) {
  const read = async (path: string) => {
    const answer = await fetch(url + path);
    const { etag, 'last-modified': date } = Object.fromEntries(answer.headers);
    return { status: answer.status, etag, date, body: await answer.text() };
  };
  return Promise.all(['', '/articles', '/articles/1', '/articles/2', '/articles/3'].map(read));
}

function write(blog: TestBlog, method: string, path: string, more: Record<string, string> = {}) {
  const headers = { 'x-access-token': blog.token, 'content-type': 'application/json', ...more };
  const body = method === 'DELETE' ? null : '{"title":"New","content":"text"}';
  return blog.fetch(`${blog.url}/articles${path}`, { method, headers, body });
}

describe('startBlog', () => {
  it('serves its articles on a port and without a socket alike', async () => {
    const blog = await given({ seed });
    const answers = await Promise.all([
      fetch(`${blog.url}/articles`),
      blog.fetch(`${blog.url}/articles`),
    ]);
    const [overSocket, inProcess] = await Promise.all(answers.map((answer) => answer.json()));
    expect(inProcess).toEqual(overSocket);
    expect(inProcess).toMatchObject({ totalArticles: 2, _embedded: [{ id: 1 }, { id: 2 }] });
    expect(await all(blog)).toMatchObject([{ id: 1, title: 'One', content: 'first' }, { id: 2 }]);
  });

  it.each([
    ['articles.ndjson', '{"title":"One"}\n{"title":"Two"}\n'],
    ['articles.json', '[{"title":"One"},{"title":"Two"}]'],
    ['texts.json', '[{"id":"1","title":"One"},{"id":"2","title":"Two"}]'],
    [
      'db.json',
      '{"posts":[{"id":"7","title":"One","content":"first","views":1},{"id":"8","title":"Two"}],"tags":[]}',
    ],
  ])('takes %s for a seed', async (name, text) => {
    const file = join(await givenFolder(), name);
    await writeFile(file, text);
    expect(await all(await given({ seed: file }))).toMatchObject([
      { title: 'One' },
      { title: 'Two' },
    ]);
  });

  it('says what it left out of a seed, and not on standard output', async () => {
    const file = join(await givenFolder(), 'db.json');
    await writeFile(file, '{"posts":[{"id":7,"title":"One","author":"me"}]}');
    const warned: string[] = [];
    const listen = ({ name, message }: Error) => warned.push(`${name}: ${message}`);
    process.on('warning', listen);
    onTestFinished(() => void process.off('warning', listen));
    await given({ seed: file });
    await vi.waitFor(() => expect(warned).toHaveLength(2));
    expect(warned).toEqual([
      `BlogctlWarning: Left out of ${file}, as an article has a title and a content: author.`,
      expect.stringContaining(`BlogctlWarning: Ids are given in turn, not as in ${file}`),
    ]);
  });

  it('takes a seed by its URL', async () => {
    const file = join(await givenFolder(), 'a b.json');
    await writeFile(file, '[{"title":"One"}]');
    expect(await all(await given({ seed: pathToFileURL(file) }))).toMatchObject([{ id: 1 }]);
  });

  it.each([
    ['{"id":1,"title":"One","body":"b"}', 'b'],
    ['{"id":1,"title":"One","content":"c","body":"b"}', 'c'],
    ['{"id":1,"title":"One"}', undefined],
  ])('takes content, else body, of a post of json-server: %s', async (post, content) => {
    const file = join(await givenFolder(), 'db.json');
    await writeFile(file, `{"posts":[${post}]}`);
    const [article] = await all(await given({ seed: file }));
    expect(article).toHaveProperty('title', 'One');
    expect(article).toEqual(expect.objectContaining(content === undefined ? {} : { content }));
  });

  it('takes an option that is undefined for one that was not given', async () => {
    const port: number | undefined = undefined;
    const options: object = { seed: undefined, delay: undefined, port };
    expect(await all(await given(options))).toEqual([]);
  });

  it('takes a token of one’s own, and lets no other write', async () => {
    const blog = await given({ token: 'mine' });
    expect(blog.token).toBe('mine');
    expect((await write(blog, 'POST', '')).status).toBe(201);
    expect((await write(blog, 'POST', '', { 'x-access-token': 'other' })).status).toBe(401);
  });
});

describe('what cannot be done with an option', () => {
  it.each([
    ['null', 'The options are seed, '],
    ['5', 'The options are seed, '],
    ['"articles.ndjson"', 'Write startBlog({ seed: … }).'],
    ['[{"title":"A"}]', 'Write startBlog({ seed: … }).'],
  ])('%s is no options', async (options, hint) => {
    await expect(startBlog(JSON.parse(options))).rejects.toMatchObject({
      code: 'usage',
      message: expect.stringContaining(
        `startBlog: what it was given is no object of options. ${hint}`,
      ),
    });
  });

  it.each([() => {}, new Map(), Promise.resolve({}), new Date()])(
    '%s is no options either',
    async (options) => {
      const start = () => Reflect.apply(startBlog, undefined, [options]);
      await expect(start()).rejects.toMatchObject({
        code: 'usage',
        message: expect.stringContaining('startBlog: what it was given is no object of options.'),
      });
    },
  );

  it.each<[object, string, string]>([
    [
      { seed: [{ title: 'A' }, { title: '' }] },
      'seed: article 2: /title needs at least',
      'A seed is',
    ],
    [
      { seed: [{ name: 'A' }] },
      'seed: article 1: /title is missing; /name is not a member',
      'A seed',
    ],
    [
      { seed: 5 },
      'seed: Write a list, [{ title, content }], or the name of a file.',
      'Write a list',
    ],
    [{ seed: new URL('http://a.example/db.json') }, 'seed: Write a list', 'Write a list'],
    [{ seed: new URL('file:///a%2Fb.json') }, 'seed: Write a list', 'Write a list'],
    [{ seed: Array(2) }, 'seed: article 1 must be an object. A seed is', 'A seed is'],
    [{ token: 'a'.repeat(8001) }, 'token: The token chosen is longer than 8000 letters', 'Take a'],
    [{ delay: true }, 'delay: Write milliseconds', 'Write milliseconds'],
    [{ faults: ['POST explode once'] }, 'faults: No fault: POST explode once', 'Write method'],
    [{ faults: 'POST drop-before once' }, 'faults: Write a list', 'Write a list of texts'],
    [{ faults: Array(1) }, 'faults: Write a list', 'Write a list of texts'],
    [{ delay: -5 }, 'delay: No delay: -5', 'Write milliseconds'],
    [{ delay: 1_000_000 }, 'delay: No delay: 1000000. Write milliseconds up to 999999,', 'as 200'],
    [{ faults: ['GET slow 1000000ms once'] }, 'is no failure', 'slow 200ms (up to 999999ms)'],
    [{ faults: ['GET drop-before 1000000 times'] }, 'is not how often', '3 times (up to 999999)'],
    [{ port: -1 }, 'port: Write a whole number', 'Write a whole number from 0 to 65535'],
    [{ port: 70_000 }, 'port: Write a whole', 'Write a whole number from 0 to 65535'],
    [{ cors: ['*'] }, 'cors: No origin: *', 'Write scheme and host'],
    [{ rateLimit: '5' }, 'rateLimit: No rate: 5', 'Write requests a second'],
    [{ token: '' }, 'token: Write a text', 'Write a text'],
    [{ token: 'a\nb' }, 'token: The token chosen cannot be sent in a header', 'Take letters'],
    [{ token: 'tökén' }, 'token: The token chosen cannot be sent in a header', 'Take letters'],
    [{ faults: ['PSOT drop-before once'] }, 'faults: No fault: PSOT drop-before once', 'Write'],
    [{ fault: [] }, 'fault: there is no such option. Did you mean faults? The', 'The options are'],
    [{ colour: 1 }, 'colour: there is no such option. The options are seed', 'The options are'],
    [{ seed: '' }, 'seed: There is no file without a name. Check', 'the working directory'],
    [
      { seed: 'docs' },
      'seed: docs is a folder, and a seed is a file of JSON. Bring in a folder of Markdown',
      '`blogctl articles import docs`',
    ],
    [{ faults: ['/articles/1 status 503 once'] }, 'a path begins with /', 'Write'],
    [{ seed: 'nope.json' }, 'seed: There is no file nope.json. Check', 'the working directory'],
    [{ seed: [{ id: 7, title: 'A' }] }, 'seed: article 1 has the id 7 and would get 1.', 'in turn'],
  ])('%j names it', async (options, message, hint) => {
    await expect(startBlog(options)).rejects.toMatchObject({
      name: 'BlogctlError',
      code: 'usage',
      message: expect.stringContaining(message),
      hint: expect.stringContaining(hint),
    });
  });

  it('says once what is wrong with a fault, and of its grammar the part that is wrong', async () => {
    const refused = startBlog({ faults: ['POST status 304 100%'] });
    const told = await refused.catch((error: unknown) => error);
    expect(told).toMatchObject({
      message: expect.stringMatching(
        /^faults: No fault: .*"status 304" is no failure\. Write .*503/,
      ),
      hint: expect.not.stringMatching(/HEAD|3 times/),
    });
    expect(told).not.toHaveProperty('cause');
  });

  it.each([
    ['{"title":"A"}\n{"title":""}\n', ':2: /title needs at least one visible character.'],
    [
      '[{"title":"A"},{"name":"B"}]',
      ', article 2: /title is missing; /name is not a member of an article.',
    ],
  ])('names the place in a file that is no seed: %j', async (text, message) => {
    const file = join(await givenFolder(), 'seed.ndjson');
    await writeFile(file, text);
    await expect(startBlog({ seed: file })).rejects.toMatchObject({
      code: 'usage',
      message: expect.stringContaining(`seed: ${file}${message} A seed is a list of articles`),
    });
  });

  it('names a seed that is not there', async () => {
    const file = join(await givenFolder(), 'none.json');
    await expect(startBlog({ seed: file })).rejects.toMatchObject({
      code: 'usage',
      message: expect.stringContaining(`seed: There is no file ${file}.`),
    });
  });

  it('leaves a port free that it cannot use, and names one that is taken', async () => {
    const { url, stop } = await startBlog();
    const port = Number(new URL(url).port);
    await expect(startBlog({ port })).rejects.toMatchObject({
      code: 'usage',
      message: `port: Something listens at 127.0.0.1, port ${port} already. Choose another, or 0 for a free one.`,
    });
    await stop();
    await expect(startBlog({ port, seed: [{ title: '' }] })).rejects.toThrow('seed: article 1');
    const blog = await given({ port });
    expect(new URL(blog.url).port).toBe(String(port));
  });
});

it('has the date of a clock that is faked later, and the right one again', async () => {
  const blog = await given({ seed });
  const dated = async () => {
    await write(blog, 'PUT', '/1');
    const { headers } = await blog.fetch(`${blog.url}/articles/1`);
    return headers.get('last-modified');
  };
  vi.useFakeTimers({ toFake: ['Date'], now: Date.UTC(2031, 0, 1) });
  onTestFinished(() => void vi.useRealTimers());
  expect(await dated()).toBe('Wed, 01 Jan 2031 00:00:00 GMT');
  await blog.reset();
  vi.useRealTimers();
  expect(Date.parse((await dated()) ?? '')).toBeLessThan(Date.UTC(2031, 0, 1));
});

it('is the same again, links and tags included, on its own port under a faked date', async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.UTC(2026, 0, 1) });
  onTestFinished(() => void vi.useRealTimers());
  const first = await startBlog({ seed });
  const before = await state(first);
  await first.stop();
  const again = await given({ seed, port: Number(new URL(first.url).port) });
  expect(await state(again)).toEqual(before);
});

it('takes no faults that were forgotten for none', async () => {
  const blog = await given({ faults: ['GET status 503 once'] });
  expect(() => Reflect.apply(blog.faults, blog, [])).toThrow(
    "faults: nothing was given. Write a list of texts: ['GET",
  );
  expect((await blog.fetch(blog.url)).status).toBe(503);
});

it.each([400, 401, 403, 404, 409, 410, 412, 422, 423, 429, 500, 501, 503, 507])(
  'what its client says of %i names no command and no flag of it',
  async (status) => {
    const blog = await given({ seed });
    const { client } = blog;
    const hints = [];
    const calls = [
      () => client.article({ id: 1 }),
      () => client.pages().next(),
      () => client.create({ title: 'T', content: '' }),
      () => client.place({ title: 'T', content: '' }),
      () => client.replace({ id: 1 }, { title: 'T' }),
      () => client.remove({ id: 1 }),
      () => client.blog(),
    ];
    for (const call of calls) {
      // Pages are read from the blog that was read before.
      await client.blog();
      blog.faults([`* status ${status} 100%`]);
      const error: unknown = await call().catch((met: unknown) => met);
      expect(error).toMatchObject({ name: 'BlogctlError', context: { status } });
      hints.push(error instanceof BlogctlError ? error.hint : '');
      blog.faults([]);
    }
    expect(hints.filter((hint = '') => /blogctl|-v|--/.test(hint))).toEqual([]);
  },
);

it.each([
  [
    'POST drop-after-commit once',
    /^No answer from \S+\. It may have been created all the same\.$/,
    'It may have been created all the same.',
  ],
  ['POST status 503 once', /this fault\. Try again in 1 s\.$/, 'Try again in 1 s.'],
  [
    'POST status 423 once',
    /this fault\. Its operator has locked it\.$/,
    'Its operator has locked it.',
  ],
  ['POST status 401 once', /this fault\.$/, undefined],
])('%s: the message of its client ends with what is to be done', async (fault, message, hint) => {
  const { client } = await given({ faults: [fault] });
  const error: unknown = await client.create({ title: 'T', content: '' }).catch((met) => met);
  expect(error).toMatchObject({ message: expect.stringMatching(message), hint });
});

it.each([
  ['Try again in 5 s, or allow that wait with --max-wait 5s.', 'Try again in 5 s.'],
  ['Try again later; -v shows the exchange.', 'Try again later.'],
  ['Use a token with that right (blogctl token create).', 'Use a token with that right.'],
  ['Its operator has locked it; of your own, blogctl store unlock.', 'Its operator has locked it.'],
  [
    'Check the address of the blog, and the network.',
    'Check the address of the blog, and the network.',
  ],
  ['See with -vvv what was sent.', undefined],
  ['Store a token for http://127.0.0.1:80 with blogctl auth login.', undefined],
] as const)('of the hint %j programs have %j', (hint, kept) => {
  expect(hintForPrograms(hint)).toBe(kept);
});

it('answers nothing after stop, not even what its client has read before', async () => {
  const blog = await given({ seed });
  expect(await blog.client.blog()).toMatchObject({ id: 1 });
  await blog.stop();
  await expect(blog.client.blog()).rejects.toThrow('This blog was stopped.');
});

/** As a program calls it that no compiler has seen. */
function untyped(client: BlogClient, method: keyof BlogClient, words: readonly unknown[]) {
  return Reflect.apply(Reflect.get(client, method), client, words);
}

describe.each(['blog.client', 'createBlogClient'])('%s', (door) => {
  const etag = '"old"';
  const article = { article: { id: 1, title: 'One' }, validators: { etag } };
  const noValidators = 'is no object of validators. The validators are etag, lastModified.';
  async function givenClient() {
    const blog = await given({ seed });
    const { url, token } = blog;
    return {
      blog,
      client: door === 'blog.client' ? blog.client : createBlogClient(url, { token }),
    };
  }

  it.each<[unknown, string]>([
    [{ ifMatch: etag }, 'ifMatch: there is no such validator. The validators are etag,'],
    [{ ETag: etag }, 'ETag: there is no such validator. Did you mean etag?'],
    [article, 'article: there is no such validator.'],
    [etag, `expected: what it was given ${noValidators}`],
    [null, `expected: what it was given ${noValidators}`],
    [{ etag: '"a\u0001"' }, 'etag: Give the etag among the validators of article().'],
    [{ etag: '"日"' }, 'etag: Give the etag among the validators of article().'],
    [{ etag: 5 }, 'etag: Give the etag among the validators of article().'],
    [{ etag: '' }, 'etag: Give the etag'],
    [{ lastModified: '2020-01-01T00:00:00.000Z' }, 'lastModified: Write it as article() gave it'],
    [{ lastModified: 'Invalid Date' }, 'lastModified: Write it as article() gave it'],
    [{ lastModified: 'yesterday' }, 'lastModified: Write it as article() gave it'],
    [{ lastModified: 'Wed, 01 Jan 1970 00:00:00 GMT' }, 'as Thu, 01 Jan 1970 00:00:00 GMT.'],
    [{ etag, lastModified: 'Thu, 1 Jan 1970 00:00:00 GMT' }, 'lastModified: Write it'],
    [{ lastModified: new Date(0) }, 'lastModified: Write it'],
    [{}, 'expected: there is neither an etag nor a lastModified in it. Give the validators'],
    [{ etag: undefined }, 'expected: there is neither'],
  ])('changes nothing under a guard that is none: %j', async (guard, message) => {
    const { blog, client } = await givenClient();
    const refused = {
      name: 'BlogctlError',
      code: 'usage',
      message: expect.stringContaining(message),
    };
    for (const change of [
      untyped(client, 'replace', [{ id: 1 }, { title: 'Over' }, guard]),
      untyped(client, 'remove', [{ id: 1 }, guard]),
    ])
      await expect(change).rejects.toMatchObject(refused);
    expect(blog.requests()).toEqual([]);
    expect(await all(blog)).toMatchObject([{ title: 'One' }, { title: 'Two' }]);
  });

  it('is guarded by validators, and by none where none are given', async () => {
    const { client } = await givenClient();
    const { validators: old } = await client.article({ id: 1 });
    await client.replace({ id: 1 }, { title: 'Theirs' }, undefined);
    const late = { code: 'precondition-failed' };
    await expect(client.replace({ id: 1 }, { title: 'Over' }, old)).rejects.toMatchObject(late);
    await expect(client.remove({ id: 1 }, old)).rejects.toMatchObject(late);
    await client.remove({ id: 1 });
  });

  it('is guarded by a date alone', async () => {
    const { client } = await givenClient();
    const { validators } = await client.article({ id: 1 });
    const { lastModified } = validators;
    const old = { lastModified: 'Thu, 01 Jan 1970 00:00:00 GMT' };
    const change = (guard: object) => client.replace({ id: 1 }, { title: 'Mine' }, guard);
    await expect(change(old)).rejects.toMatchObject({ code: 'precondition-failed' });
    expect((await change({ lastModified })).article.title).toBe('Mine');
  });

  it.each<[unknown, string]>([
    [{ colour: 1 }, 'colour: there is no such option. The options are idempotencyKey.'],
    [{ key: 'k' }, 'key: there is no such option. Did you mean idempotencyKey?'],
    [{ idempotencykey: 'k' }, 'idempotencykey: there is no such option. Did you mean idempoten'],
    ['k', 'options: what it was given is no object of options. The options are idempotencyKey.'],
    [{ idempotencyKey: 5 }, 'idempotencyKey: Write 1 to 255 visible ASCII characters'],
    [{ idempotencyKey: '' }, 'idempotencyKey: Write 1 to 255'],
    [{ idempotencyKey: 'a b' }, 'idempotencyKey: Write 1 to 255'],
    [{ idempotencyKey: 'ü' }, 'idempotencyKey: Write 1 to 255'],
    [{ idempotencyKey: 'k'.repeat(256) }, 'idempotencyKey: Write 1 to 255'],
  ])('creates nothing with an option that is none: %j', async (options, message) => {
    const { blog, client } = await givenClient();
    for (const create of ['create', 'place'] as const)
      await expect(
        untyped(client, create, [{ title: 'T', content: '' }, options]),
      ).rejects.toMatchObject({ code: 'usage', message: expect.stringContaining(message) });
    expect(blog.requests()).toEqual([]);
  });

  it.each(['k-1', '"a b"', 'k'.repeat(255)])('creates once under the key %s', async (key) => {
    const { blog, client } = await givenClient();
    const create = () => client.create({ title: 'T', content: '' }, { idempotencyKey: key });
    expect([(await create()).replayed, (await create()).replayed]).toEqual([false, true]);
    expect(await all(blog)).toHaveLength(3);
  });

  it.each([undefined, null, 'T', [{ title: 'T', content: '' }], () => {}, Promise.resolve({})])(
    'creates and replaces nothing by what is no article: %s',
    async (draft) => {
      const { blog, client } = await givenClient();
      for (const [method, ...words] of [['create'], ['place'], ['replace', { id: 1 }]] as const)
        await expect(untyped(client, method, [...words, draft])).rejects.toMatchObject({
          code: 'usage',
          message: 'draft: what it was given is no article. Write { title, content }.',
        });
      expect(blog.requests()).toEqual([]);
    },
  );

  it.each<[unknown, string]>([
    [{ pageSize: 0 }, 'pageSize: Write a whole number from 1 on.'],
    [{ pageIndex: 1.5 }, 'pageIndex: Write a whole number'],
    [{ pageSize: '2' }, 'pageSize: Write a whole number'],
    [{ colour: 1 }, 'colour: there is no such option. The options are pageIndex, pageSize, known.'],
    [{ pagesize: 1 }, 'pagesize: there is no such option. Did you mean pageSize?'],
    [{ pagSize: 1 }, 'pagSize: there is no such option. Did you mean pageSize?'],
    [{ size: 1 }, 'size: there is no such option. Did you mean pageSize?'],
    [{ page: 1 }, 'page: there is no such option. Did you mean pageIndex?'],
    [5, 'range: what it was given is no object of options'],
  ])('reads no pages of a range that is none: %j', async (range, message) => {
    const { client } = await givenClient();
    const pages = untyped(client, 'pages', [range]);
    await expect(pages.next()).rejects.toMatchObject({
      code: 'usage',
      message: expect.stringContaining(message),
    });
  });

  it.each([
    [article],
    [7],
    [{}],
    [null],
    [{ id: undefined }],
    [{ id: null }],
    [{ id: Number.NaN }],
    [{ id: 1n }],
    [{ id: '1' }],
    [{ id: '../articles/1' }],
    [{ url: 5 }],
    [{ url: '/articles/1' }],
    [{ id: 1, url: 'http://127.0.0.1/api/v1.2/blogs/1/articles/2' }],
  ])('knows no article by %o', async (reference) => {
    const { blog, client } = await givenClient();
    for (const [method, ...more] of [
      ['article'],
      ['replace', { title: 'Over' }],
      ['remove'],
    ] as const)
      await expect(untyped(client, method, [reference, ...more])).rejects.toMatchObject({
        code: 'usage',
        message: expect.stringContaining('names no article. Give { id: 7 }, or { url }'),
      });
    expect(blog.requests()).toEqual([]);
  });

  it('takes an address as text, as a URL, and in an article that was read', async () => {
    const { blog, client } = await givenClient();
    const [one, two] = [1, 2].map((id) => `${blog.url}/articles/${id}`);
    const { article: read } = await client.article({ url: new URL(one ?? '') });
    expect(read).toMatchObject({ id: 1, url: one });
    await client.replace({ url: new URL(two ?? '') }, { title: 'Second' });
    await client.remove(read);
    expect(blog.requests().map(({ method }) => method)).toEqual(['GET', 'GET', 'PUT', 'DELETE']);
    expect(await all(blog)).toMatchObject([{ title: 'Second' }]);
  });

  it.each(['', '/', '/articles', '/articles?pageIndex=1', '/articles/'])(
    'takes the address of the blog and %j below it for no article',
    async (path) => {
      const { blog, client } = await givenClient();
      const url = blog.url + path;
      for (const call of [
        client.article({ url }),
        client.replace({ url }, { title: 'Over' }),
        client.remove({ url }),
      ])
        await expect(call).rejects.toMatchObject({
          code: 'usage',
          message: `${url} leads to articles and is none. Give the address of one of them.`,
        });
      expect(blog.requests()).toHaveLength(1);
    },
  );

  it('asks by no key that is none', async () => {
    const { client } = await givenClient();
    await expect(untyped(client, 'articleByKey', [])).rejects.toThrow(
      'key: there is none. Give the Idempotency-Key',
    );
  });

  it('asks for the blog each time, and otherwise first and once', async () => {
    const { blog, client } = await givenClient();
    const methods = () => blog.requests().map(({ method }) => method);
    await client.create({ title: 'A', content: '' });
    await client.create({ title: 'B', content: '' });
    expect(methods()).toEqual(['GET', 'POST', 'POST']);
    await client.blog();
    expect(methods()).toEqual(['GET', 'POST', 'POST', 'GET']);
    const creation = client.create({ title: 'C', content: '' });
    await Promise.all([creation, client.blog(), client.create({ title: 'D', content: '' })]);
    expect(await all(blog)).toHaveLength(6);
  });
});

it.each<[unknown, string]>([
  [{ tokn: 'x' }, 'tokn: there is no such option. Did you mean token?'],
  [{ token: 5 }, 'token: Write letters'],
  [{ token: 'a\n' }, 'token: Write letters, digits and signs of ASCII, and no line break.'],
  [{ token: 'tökén' }, 'token: Write letters'],
  [{ token: ' a' }, 'token: Write letters'],
  ['x', 'createBlogClient: what it was given is no object of options. The options are token.'],
  [null, 'createBlogClient: what it was given is no object'],
])('createBlogClient refuses %j for options', (options, message) => {
  const create = () => Reflect.apply(createBlogClient, undefined, ['http://a.example/', options]);
  expect(create).toThrow(expect.objectContaining({ code: 'usage' }));
  expect(create).toThrow(message);
});

describe.each(['reset', 'restore'])('after %s the client', (how) => {
  async function givenRewind(options: TestBlogOptions = {}) {
    const blog = await given({ seed, ...options });
    const mark = blog.snapshot();
    return { blog, rewind: () => (how === 'reset' ? blog.reset() : blog.restore(mark)) };
  }

  it('is one that was asked nothing yet', async () => {
    const { blog, rewind } = await givenRewind();
    const { client } = blog;
    for (const first of [true, false]) {
      await client.create({ title: 'New', content: '' });
      expect(blog.requests().map(({ method }) => method)).toEqual(['GET', 'POST']);
      if (first) await rewind();
    }
    await rewind();
    blog.faults(['GET status 503 once']);
    await expect(client.create({ title: 'New', content: '' })).rejects.toMatchObject({
      code: 'service-failed',
    });
  });

  it('writes nothing any more of what it was still at', async () => {
    const { blog, rewind } = await givenRewind();
    blog.faults(['GET slow 50ms once']);
    const creation = blog.client.create({ title: 'Late', content: '' });
    await Promise.all([
      expect(creation).rejects.toThrow(
        'The blog was put back in the middle of this call. Await the client before.',
      ),
      rewind(),
    ]);
    expect(blog.requests()).toEqual([]);
    expect(await all(blog)).toHaveLength(2);
  });

  it('answers nothing any more of what was asked before', async () => {
    const { blog, rewind } = await givenRewind();
    await blog.client.blog();
    blog.faults(['POST slow 50ms once']);
    const creation = blog.client.create({ title: 'Late', content: '' });
    // Its request is on its way by then.
    await new Promise(setImmediate);
    await Promise.all([
      expect(creation).rejects.toThrow('The blog was put back in the middle of this call.'),
      rewind(),
    ]);
    expect(blog.requests()).toEqual([]);
    expect(await all(blog)).toHaveLength(2);
  });
});

describe('reset', () => {
  it('brings back all that startBlog answered', async () => {
    const options = { seed, faults: ['PUT status 503 once'], rateLimit: '40/s', token: 't' };
    const blog = await given(options);
    const before = await state(blog);
    const change = async () => {
      const key = { 'idempotency-key': 'k-1' };
      const statuses = [
        (await write(blog, 'PUT', '/1')).status,
        (await write(blog, 'PUT', '/1')).status,
        (await write(blog, 'DELETE', '/2')).status,
        (await write(blog, 'POST', '', key)).headers.get('idempotency-replayed'),
        (await blog.fetch(`${blog.url}/articles/2`)).status,
        (await blog.fetch(`${blog.url}/articles/3`)).status,
      ];
      return { statuses, requests: blog.requests().length };
    };
    const first = await change();
    expect(first).toEqual({ statuses: [503, 200, 204, null, 410, 200], requests: 11 });
    for (let round = 0; round < 3; round += 1) {
      blog.faults(['GET drop-before 100%']);
      const heads = Array.from({ length: 200 }, () => blog.fetch(blog.url, { method: 'HEAD' }));
      const spent = (await Promise.all(heads)).map(({ status }) => status);
      expect(spent).toContain(429);
      await blog.reset();
      expect(blog.requests()).toEqual([]);
      expect(await state(blog)).toEqual(before);
      expect(await change()).toEqual(first);
    }
  });

  it('takes no other seed, and whatever a runner hands over', async () => {
    const blog = await given({ seed });
    const reset: (...given: readonly unknown[]) => Promise<void> = blog.reset;
    await reset({ task: {} });
    await expect(reset({ seed: [] })).rejects.toThrow('reset() takes no seed');
  });

  it('lets a request under way end against the old state', async () => {
    const blog = await given({ seed, faults: ['POST slow 50ms once'] });
    const slow = write(blog, 'POST', '');
    await blog.reset();
    expect((await slow).status).toBe(201);
    expect(await all(blog)).toHaveLength(2);
    expect(blog.requests().map(({ method }) => method)).not.toContain('POST');
  });

  it('is the same for many that ask at once', async () => {
    const blog = await given({ seed });
    await write(blog, 'DELETE', '/1');
    await Promise.all(Array.from({ length: 20 }, () => blog.reset()));
    expect(await all(blog)).toHaveLength(2);
  });
});

describe('a snapshot', () => {
  it('is put back as often as wanted, faults still due included', async () => {
    const blog = await given({ seed, faults: ['DELETE status 503 2 times'] });
    expect((await write(blog, 'DELETE', '/1')).status).toBe(503);
    await write(blog, 'POST', '', { 'idempotency-key': 'k' });
    const mark = blog.snapshot();
    const marked = await state(blog);
    for (const resets of [false, true]) {
      if (resets) await blog.reset();
      else await write(blog, 'PUT', '/1');
      await blog.restore(mark);
      expect(blog.requests()).toEqual([]);
      expect(await state(blog)).toEqual(marked);
      expect(
        (await write(blog, 'POST', '', { 'idempotency-key': 'k' })).headers.get(
          'idempotency-replayed',
        ),
      ).toBe('true');
      const deletions = [await write(blog, 'DELETE', '/1'), await write(blog, 'DELETE', '/1')];
      expect(deletions.map(({ status }) => status)).toEqual([503, 204]);
    }
  });

  it('of another blog is refused', async () => {
    const [one, other] = [await given({ seed }), await given()];
    await expect(other.restore(one.snapshot())).rejects.toMatchObject({
      code: 'usage',
      message: 'This is no snapshot of this blog. Give what its snapshot() answered.',
      hint: 'Give what its snapshot() answered.',
    });
  });
});

describe('faults', () => {
  it.each([
    ['GET status 503 once', [503, 200, 200, 200]],
    ['* status 429 2 times', [429, 429, 200, 200]],
    ['GET status 424 once', [424, 200, 200, 200]],
    ['POST status 503 once', [200, 200, 200, 200]],
    ['GET status 503 100%', [503, 503, 503, 503]],
  ])('%s', async (fault, statuses) => {
    const blog = await given();
    blog.faults([fault]);
    const seen: number[] = [];
    for (let at = 0; at < 4; at += 1) seen.push((await blog.fetch(blog.url)).status);
    expect(seen).toEqual(statuses);
    blog.faults([]);
    expect((await blog.fetch(blog.url)).status).toBe(200);
  });

  it.each([
    ['* /articles/1 status 503 once', [200, 200, 200, 503]],
    ['GET /articles status 503 once', [200, 503, 200, 200]],
    ['GET /articles?pageIndex=2 status 503 once', [200, 200, 503, 200]],
    ['GET /blogs/1 status 503 100%', [503, 200, 200, 200]],
    ['PUT /articles/1 status 503 100%', [200, 200, 200, 200]],
  ])('meet the path that they name: %s', async (fault, statuses) => {
    const blog = await given({ seed, faults: [fault] });
    for (const send of [fetch, blog.fetch]) {
      const seen: number[] = [];
      for (const path of ['', '/articles?pageIndex=1', '/articles?pageIndex=2', '/articles/1'])
        seen.push((await send(blog.url + path)).status);
      expect(seen).toEqual(statuses);
      await blog.reset();
    }
  });

  it('meet the request that is meant, and not the one by which a client finds its way', async () => {
    const blog = await given({ seed });
    blog.faults(['GET /articles/1 status 410 once']);
    await expect(blog.client.article({ id: 1 })).rejects.toMatchObject({ code: 'gone' });
  });

  it('queue and do not combine: a request meets the first that is meant for it', async () => {
    const faults = ['POST drop-before once', 'GET status 503 once', '* status 429 2 times'];
    const blog = await given({ faults });
    const seen: number[] = [];
    for (let at = 0; at < 4; at += 1) seen.push((await blog.fetch(blog.url)).status);
    expect(seen).toEqual([503, 429, 429, 200]);
  });

  it.each([
    ['status 404', 'not-found', 'There is nothing here'],
    ['status 500', 'internal', 'The service failed'],
    ['status 503', 'unavailable', 'The service cannot take this now'],
  ])('by %s are told as the service tells its own', async (what, code, title) => {
    const blog = await given({ seed, faults: [`* ${what} 2 times`] });
    const { origin } = new URL(blog.url);
    const type = `${origin}/docs/problems/${code}`;
    const curies = [{ name: 'doc', href: `${origin}/docs/{rel}`, templated: true }];
    const links = {
      curies,
      'doc:blog': { href: blog.url, title: 'My blog' },
      'doc:help': { href: type },
    };
    for (const send of [fetch, blog.fetch]) {
      const told: unknown = await (await send(blog.url)).json();
      expect(told).toMatchObject({ type, code, title, _links: links });
    }
    blog.faults([`HEAD ${what} once`]);
    expect(await (await blog.fetch(blog.url, { method: 'HEAD' })).text()).toBe('');
  });

  it.each([
    [401, 'POST', '', { 'x-access-token': '' }],
    [404, 'GET', '/9', {}],
    [406, 'GET', '/1', { accept: 'text/plain' }],
    [410, 'GET', '/2', {}],
    [412, 'PUT', '/1', { 'if-match': '"x"' }],
    [422, 'POST', '', {}],
  ])('by status %i have what a real refusal has', async (status, method, path, more) => {
    const blog = await given({ seed });
    await write(blog, 'DELETE', '/2');
    const body = method === 'GET' ? null : '{"title":"","content":""}';
    const headers = { 'x-access-token': blog.token, 'content-type': 'application/json', ...more };
    const told = async () => {
      const answer = await blog.fetch(`${blog.url}/articles${path}`, { method, headers, body });
      const text = await answer.text();
      const problem: object = JSON.parse(text, (name, value: unknown) =>
        name === 'detail' ? '' : value,
      );
      const {
        'content-length': _,
        'x-request-id': _id,
        ...fields
      } = Object.fromEntries(answer.headers);
      return { status: answer.status, fields, problem };
    };
    const real = await told();
    expect(real.status).toBe(status);
    blog.faults([`* status ${status} once`]);
    const planted = await told();
    expect(planted).toEqual(real);
    expect(Object.hasOwn(planted.problem, 'errors')).toBe(status === 422);
  });

  it('that are none are refused, and those before stay', async () => {
    const blog = await given({ faults: ['GET status 503 once'] });
    expect(() => blog.faults(['GET status 503 0 times'])).toThrow(
      'faults: No fault: GET status 503 0 times',
    );
    expect((await blog.fetch(blog.url)).status).toBe(503);
  });

  it('that drop an answer fail a fetch and the client as a lost connection does', async () => {
    const blog = await given();
    blog.faults(['POST drop-after-commit 3 times']);
    await expect(write(blog, 'POST', '')).rejects.toThrow(new TypeError('fetch failed'));
    await expect(write({ ...blog, fetch }, 'POST', '')).rejects.toThrow('fetch failed');
    await expect(blog.client.create({ title: 'B', content: '' })).rejects.toMatchObject({
      code: 'unreachable',
    });
    expect(await all(blog)).toMatchObject([{ title: 'New' }, { title: 'New' }, { title: 'B' }]);
    expect(blog.requests().map(({ status }) => status)).toEqual([0, 0, 200, 0, 200]);
  });
});

describe.each(['over a socket', 'by blog.fetch'])('who gives up %s', (road) => {
  it.each([
    ['POST', '', { faults: ['* slow 60000ms once'] }],
    ['DELETE', '/1', { faults: ['* slow 60000ms once'] }],
    ['POST', '', { delay: 500 }],
  ])('on a %s%s that waits finds nothing done, with status 0', async (method, path, options) => {
    const blog = await given({ seed, ...options });
    const send = road === 'by blog.fetch' ? blog.fetch : fetch;
    const impatient = { ...blog, fetch: hastily(send) };
    await expect(write(impatient, method, path)).rejects.toMatchObject({ name: 'TimeoutError' });
    if (send === fetch) await vi.waitUntil(() => blog.requests().length > 0);
    const body = method === 'POST' ? '{"title":"New","content":"text"}' : '';
    expect(blog.requests()).toMatchObject([{ method, status: 0, body }]);
    expect(await all(blog)).toHaveLength(2);
  });
});

function hastily(send: typeof fetch): typeof fetch {
  return (input, init) => send(input, { ...init, signal: AbortSignal.timeout(100) });
}

describe('requests', () => {
  it('tells method, path, status, headers and body, also of what was refused unread; no token', async () => {
    const blog = await given({ faults: ['POST status 503 once'] });
    const body = '{"title":"Ä","content":""}';
    const conditions = { 'idempotency-key': 'k-1', 'if-match': '"a"' };
    const secrets = { 'x-access-token': blog.token, authorization: 'Basic eDp5', cookie: 'z=1' };
    const headers = { 'content-type': 'application/json', ...conditions, ...secrets };
    for (const send of [fetch, blog.fetch]) {
      await send(`${blog.url}/articles?x=1`, { method: 'POST', headers, body });
      await send(`${blog.url}/articles`, { method: 'POST', body });
      await send(`${blog.url}/nothing`);
    }
    const path = '/api/v1.2/blogs/1/articles';
    const ofOne = (status: number) => [
      { method: 'POST', path: `${path}?x=1`, status, body },
      { method: 'POST', path, status: 401, body },
      { method: 'GET', path: '/api/v1.2/blogs/1/nothing', status: 404, body: '' },
    ];
    expect(blog.requests()).toMatchObject([...ofOne(503), ...ofOne(412)]);
    const told = {
      'x-access-token': '(not shown)',
      authorization: '(not shown)',
      cookie: '(not shown)',
    };
    for (const at of [0, 3])
      expect(blog.requests()[at]?.headers).toMatchObject({ ...conditions, ...told });
    expect(JSON.stringify(blog.requests())).not.toMatch(new RegExp(`${blog.token}|eDp5|z=1`));
  });

  it.each([undefined, 'a-token-of-our-own'])('hides a token in an address (%s)', async (token) => {
    const blog = await given({ token });
    for (const send of [fetch, blog.fetch]) await send(`${blog.url}?access_token=${blog.token}`);
    const hidden = token === undefined ? 'bct_***' : '***';
    const path = `${new URL(blog.url).pathname}?access_token=${hidden}`;
    expect(blog.requests().map((each) => each.path)).toEqual([path, path]);
  });

  it.each(['over a socket', 'by blog.fetch'])(
    'are in the order in which they came, %s',
    async (road) => {
      const blog = await given({ seed });
      const send = road === 'by blog.fetch' ? blog.fetch : fetch;
      // Who comes first is slow, and answered last.
      blog.faults(['* slow 300ms once']);
      const answered: string[] = [];
      const ask = async (path: string) => {
        await send(blog.url + path);
        answered.unshift(new URL(blog.url + path).pathname);
      };
      await Promise.all([ask('/articles/1'), ask('/articles/2')]);
      expect(blog.requests().map(({ path }) => path)).toEqual(answered);
    },
  );

  it('carries out nothing that could not be told', async () => {
    const { transport, blogUrl, token, stop } = await serveInMemory({ port: 0, seed });
    onTestFinished(async () => void (await stop()));
    const url = new URL(`${blogUrl}/articles/1`);
    const headers = { accept: 'application/hal+json', 'x-access-token': token };
    const untold = { method: 'DELETE', url, headers };
    await expect(Reflect.apply(transport, undefined, [untold])).rejects.toThrow(TypeError);
    expect(await transport({ method: 'GET', url: url.href, headers })).toMatchObject({
      status: 200,
    });
  });

  it('are not to be changed', async () => {
    const blog = await given();
    await blog.fetch(blog.url);
    const [request] = blog.requests();
    expect(() => Object.assign(request ?? {}, { status: 777 })).toThrow('read only');
    expect(() => Object.assign(request?.headers ?? {}, { a: 'b' })).toThrow('not extensible');
    expect(blog.requests()).toMatchObject([{ status: 200 }]);
  });

  it('are the last ten thousand', async () => {
    const blog = await given();
    for (let at = 1; at <= 10_002; at += 1)
      await blog.fetch(`${blog.url}?${at}`, { method: 'OPTIONS' });
    const kept = blog.requests();
    expect(kept).toHaveLength(10_000);
    expect(kept[0]?.path).toBe('/api/v1.2/blogs/1?3');
  });
});

describe('blog.fetch', () => {
  it('says what it needs where there is no Request', async () => {
    const blog = await given();
    vi.stubGlobal('Request', undefined);
    onTestFinished(() => void vi.unstubAllGlobals());
    await expect(blog.fetch(blog.url)).rejects.toMatchObject({
      code: 'usage',
      message: expect.stringContaining('blog.fetch: there is no Request in this environment.'),
    });
  });

  it('is a fetch: statuses without a body, address, streams, refusals of other places', async () => {
    const blog = await given({ seed });
    const gone = await write(blog, 'DELETE', '/1');
    expect(gone).toMatchObject({ status: 204, body: null, url: `${blog.url}/articles/1` });
    const etag = (await blog.fetch(blog.url)).headers.get('etag') ?? '';
    const cached = await blog.fetch(new Request(blog.url, { headers: { 'if-none-match': etag } }));
    expect(cached.status).toBe(304);
    await expect(blog.fetch('http://other.example/')).rejects.toThrow(
      new TypeError('fetch failed'),
    );
  });

  it('ends when it is aborted, before and while it waits', async () => {
    const blog = await given({ delay: 60_000 });
    await expect(blog.fetch(blog.url, { signal: AbortSignal.abort() })).rejects.toThrow('aborted');
    await expect(blog.fetch(blog.url, { signal: AbortSignal.timeout(5) })).rejects.toMatchObject({
      name: 'TimeoutError',
    });
  });

  it('ends when it is aborted while its body is awaited, and nothing was asked', async () => {
    const blog = await given();
    const init = { method: 'POST', body: new ReadableStream(), duplex: 'half' as const };
    const signal = AbortSignal.timeout(5);
    await expect(blog.fetch(`${blog.url}/articles`, { ...init, signal })).rejects.toMatchObject({
      name: 'TimeoutError',
    });
    expect(blog.requests()).toEqual([]);
  });
});

it('who waits for /health uses up no fault and is no request of the test', async () => {
  const blog = await given({ faults: ['* status 503 once'] });
  for (const send of [fetch, blog.fetch])
    expect((await send(new URL('/health', blog.url))).status).toBe(200);
  expect(blog.requests()).toEqual([]);
  expect((await fetch(blog.url)).status).toBe(503);
});

it('lets a planted status wait as every other answer', async () => {
  const blog = await given({ delay: 60_000, faults: ['* status 503 once'] });
  const signal = AbortSignal.timeout(50);
  await expect(blog.fetch(blog.url, { signal })).rejects.toMatchObject({ name: 'TimeoutError' });
});

describe('stop', () => {
  it('leaves what was asked to be looked at', async () => {
    const blog = await startBlog({ seed });
    await fetch(blog.url);
    await blog.stop();
    expect(blog.requests()).toMatchObject([{ method: 'GET', status: 200 }]);
  });

  it('lets the port go, twice like once, and then nothing can be asked', async () => {
    const blog = await startBlog({ seed });
    const mark = blog.snapshot();
    await Promise.all([blog.stop(), blog.stop()]);
    await blog.stop();
    const { port } = new URL(blog.url);
    await expect(fetch(blog.url)).rejects.toThrow('fetch failed');
    const stopped = {
      code: 'usage',
      message: 'This blog was stopped. Start another with startBlog().',
      hint: 'Start another with startBlog().',
    };
    await expect(blog.reset()).rejects.toMatchObject(stopped);
    await expect(blog.restore(mark)).rejects.toMatchObject(stopped);
    await expect(blog.client.blog()).rejects.toMatchObject(stopped);
    await expect(blog.fetch(blog.url)).rejects.toMatchObject({
      message: 'fetch failed',
      cause: stopped,
    });
    for (const ask of [() => blog.snapshot(), () => blog.faults([])]) {
      expect(ask).toThrow('This blog was stopped. Start another with startBlog().');
    }
    await given({ port: Number(port) });
  });

  it('ends what waits without a socket, and nothing of it is done', async () => {
    const blog = await startBlog({ seed, delay: 60_000 });
    const stopped = { code: 'usage', message: expect.stringContaining('This blog was stopped.') };
    const body = new ReadableStream();
    const init = { method: 'POST', body, duplex: 'half' as const };
    const ends = Promise.allSettled([
      write(blog, 'DELETE', '/1'),
      blog.fetch(`${blog.url}/articles`, init),
      blog.client.article({ id: 1 }),
    ]);
    // By then they wait in the service.
    await new Promise((resolve) => setTimeout(resolve, 50));
    await blog.stop();
    expect(await ends).toMatchObject([
      { reason: { name: 'TypeError', message: 'fetch failed', cause: stopped } },
      { reason: { name: 'TypeError', message: 'fetch failed', cause: stopped } },
      { reason: stopped },
    ]);
    expect(blog.requests()).toMatchObject([
      { method: 'GET', status: 0 },
      { method: 'DELETE', status: 0 },
    ]);
  });

  it('is what `await using` does', async () => {
    let url = '';
    {
      await using blog = await startBlog();
      ({ url } = blog);
      expect((await fetch(url)).status).toBe(200);
    }
    await expect(fetch(url)).rejects.toThrow('fetch failed');
  });
});

it('fifty blogs in one process share nothing', async () => {
  const blogs = await Promise.all(
    Array.from({ length: 50 }, (_, at) =>
      given({ seed: [{ title: `Of ${at}` }], rateLimit: '5/s' }),
    ),
  );
  expect(new Set(blogs.flatMap(({ url, token }) => [url, token])).size).toBe(100);
  for (const [at, blog] of blogs.entries())
    if (at % 2 === 0) blog.faults([`DELETE status 503 ${at + 1} times`]);
  await Promise.all(blogs.map((blog) => write(blog, 'DELETE', '/1')));
  const [first, second] = [await given(), await given()];
  await expect(second.fetch(first.url)).rejects.toThrow('fetch failed');
  for (const [at, blog] of blogs.entries()) {
    expect(blog.requests()).toMatchObject([{ status: at % 2 === 0 ? 503 : 204 }]);
    expect(await all(blog)).toMatchObject(at % 2 === 0 ? [{ title: `Of ${at}` }] : []);
  }
});
