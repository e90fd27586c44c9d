import { writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type OtherService, startOtherService } from '../../support/other-service.ts';
import { run } from '../../support/run.ts';

let service: OtherService;
let folder: string;
let env: Record<string, string>;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'blogctl-api-'));
  service = await startOtherService(['One', 'Two', 'Three'], { plainHal: true, ownPaths: true });
  env = { BLOGCTL_BLOG: service.blogUrl, BLOGCTL_TOKEN: 'right-token', BLOGCTL_CONFIG_DIR: folder };
});
afterEach(async () => {
  await service.stop();
  await rm(folder, { recursive: true });
});

const last = () => service.requests.at(-1);

describe('api', () => {
  it.each<[readonly string[], string]>([
    [[], 'GET /weblog'],
    [['doc:articles'], 'GET /weblog/entries'],
    [['articles'], 'GET /weblog/entries'],
    [['--follow', 'doc:articles'], 'GET /weblog/entries'],
    [['doc:articles', '-F', 'pageSize=2'], 'GET /weblog/entries?pageSize=2'],
    [
      ['doc:articles', '--follow', 'lastPage', '--follow', 'firstPage'],
      'GET /weblog/entries?pageSize=3&pageIndex=1',
    ],
    [['/weblog/entries/2'], 'GET /weblog/entries/2'],
    [['/weblog/entries', '-F', 'pageIndex=1'], 'GET /weblog/entries?pageIndex=1'],
    [
      ['/weblog/entries/2', '-X', 'PUT', '-F', 'title=Zwei', '-F', 'content=a=b'],
      'PUT /weblog/entries/2',
    ],
  ])('%j ends with %s', async (line, request) => {
    expect(await run(['api', ...line], { env })).toMatchObject({ status: 0, err: '' });
    expect(`${last()?.method} ${last()?.path}`).toBe(request);
  });

  it.each([
    [
      '/weblog/entries?pageSize=2&_sort=title&q=x',
      'The service passed over "_sort" and "q": its answer calls itself ',
      ' `blogctl articles list` takes --search, --sort and --fields.\n',
    ],
    [
      '/weblog/entries/2?fields=id',
      'The service passed over "fields": its answer calls itself ',
      '/entries/2.\n',
    ],
  ])('GET %s: what made no difference is said', async (place, begin, end) => {
    const { status, err } = await run(['api', place], { env });
    expect(status).toBe(0);
    expect(err.startsWith(`warning: ${begin}`)).toBe(true);
    expect(err.endsWith(end)).toBe(true);
  });

  it.each([
    ['/posts', 'Write articles for /posts.'],
    ['/wp-json/wp/v2/posts/2', 'Write articles/2 for /wp-json/wp/v2/posts/2.'],
    ['posts?_limit=5', "Write 'articles?_limit=5' for 'posts?_limit=5'."],
  ])('%s: what others call articles is named', async (place, hint) => {
    expect((await run(['api', place], { env })).err).toContain(`hint: ${hint}\n`);
  });

  it('sends members as JSON', async () => {
    const line = ['api', '/weblog/entries/2', '-X', 'PUT', '-F', 'title=Zwei', '-F', 'content=a=b'];
    await run(line, { env });
    expect(JSON.parse(last()?.body ?? '')).toEqual({ title: 'Zwei', content: 'a=b' });
    expect(last()?.headers).toMatchObject({ 'content-type': 'application/json' });
  });

  it.each([
    ['-F', 'title=x'],
    ['articles', '-F', 'title=x'],
    ['/weblog/entries', '-F', 'q=1'],
  ])('%s %s %s is refused before anything is dropped without a word', async (...line) => {
    const before = service.requests.length;
    const { status, out, err } = await run(['api', ...line], { env });
    expect([status, out]).toEqual([2, '']);
    expect(err).toMatch(/has no place for "(?:title|q)"\.\nhint: Give -X POST to send it/);
    expect(service.requests.slice(before).filter(({ path }) => /[?]/.test(path))).toEqual([]);
  });

  it('a member for an article that is read is answered by the line that changes it alone', async () => {
    const { status, err } = await run(['api', '/blogs/1/articles/7', '-F', 'title=x'], { env });
    expect([status, err]).toEqual([
      2,
      expect.stringContaining(
        'hint: `blogctl articles update 7 --title <text>` changes one member; -X PUT replaces title and content.',
      ),
    ]);
  });

  it('reads a member from a file or stdin, as gh does', async () => {
    writeFileSync(join(folder, 'post.txt'), 'Of the file');
    const line = ['api', 'articles', '-X', 'POST', '-F', 'title=@-', '-F', 'content=@post.txt'];
    const { status } = await run(line, { env, folder, stdin: 'Of stdin' });
    expect(status).toBe(0);
    expect(JSON.parse(last()?.body ?? '')).toEqual({ title: 'Of stdin', content: 'Of the file' });
    const gone = await run(['api', 'articles', '-X', 'POST', '-F', 'title=@x.txt'], {
      env,
      folder,
    });
    expect([gone.status, gone.err]).toEqual([7, expect.stringContaining('x.txt cannot be read.')]);
  });

  it.each([
    [
      'POST articles -F title=X',
      "which may be empty: run `blogctl articles create --title X --content ''`.",
    ],
    ['POST articles -F name=X -F body=Y', 'Run `blogctl articles create --title X --content Y`.'],
    ['PUT articles/1 -F content=Y', 'Run `blogctl articles update 1 --content Y`.'],
    [
      'POST articles -F name=X -F content=Y --blog file:blog.json',
      'create --title X --content Y --blog file:blog.json`.',
    ],
    ['POST articles -F content=Y', 'Mend what is named above and send it again.'],
    [
      'POST articles -F title=X -F content=Y -F tags=z',
      'Mend what is named above and send it again.',
    ],
    ['PUT articles/1 -F title= -F content=Y', 'Mend what is named above and send it again.'],
  ])(
    '-X %s: an article that is refused is written by the line that is named',
    async (line, hint) => {
      const own = { env: { ...env, BLOGCTL_BLOG: 'file:blog.json' }, folder };
      await run(['articles', 'create', '--title', 'A', '--content', 'B'], own);
      const { status, err } = await run(['api', '-X', ...line.split(' ')], own);
      expect([status, err]).toEqual([7, expect.stringContaining(hint)]);
      const [, offered] = /[Rr]un `blogctl (.*)`/.exec(err) ?? [];
      if (offered === undefined) return;
      const words = offered.split(' ').map((word) => word.replace("''", ''));
      expect(await run(words, own)).toMatchObject({ status: 0 });
    },
  );

  it('a filter of a list is told that a page is none: all pages are one', async () => {
    const { status, err } = await run(['api', 'articles', '--jq', '.[0].title'], { env });
    const line = "run `blogctl api articles --paginate --jq '.[0].title'`.";
    expect([status, err]).toEqual([2, expect.stringContaining(line)]);
  });

  it('shows every page as JSON in a pipe too, as it does one', async () => {
    const { out } = await run(['api', 'articles', '--paginate'], { env });
    expect(JSON.parse(out)).toMatchObject([
      { id: 1, content: 'Content of One' },
      { id: 2 },
      { id: 3 },
    ]);
  });

  it('says what is missing in a request that is refused', async () => {
    const { err } = await run(['api', 'articles', '-X', 'POST'], { env });
    expect(err).toContain('hint: It has no body: give one by --input <file>, - for stdin, or');
  });

  it('sends a document from stdin', async () => {
    const stdin = '{"title": "T", "content": "C"}';
    const { status, out } = await run(['api', 'doc:articles', '--input', '-'], { env, stdin });
    expect(status).toBe(0);
    expect(JSON.parse(out)).toMatchObject({ id: 4, title: 'T' });
  });

  it('shows the document as JSON, also for a person', async () => {
    const { out } = await run(['api'], { env, terminal: 80 });
    expect(JSON.parse(out)).toMatchObject({ id: 9, _links: { self: { href: service.blogUrl } } });
  });

  it.each([
    ['/entries', 'is a page of articles, not a blog.'],
    ['/entries/1', 'is an article, not a blog.'],
  ])('%s of a blog is told from the blog', async (path, text) => {
    const { status, err } = await run(['blog', '--blog', `${service.blogUrl}${path}`], { env });
    expect([status, err]).toEqual([5, expect.stringContaining(text)]);
  });

  it('an article is read by the address that get --web opens', async () => {
    const page = `${service.origin}/#/weblog/entries/2`;
    const { out } = await run(['articles', 'get', page, '--field', 'title'], { env });
    expect(out).toBe('Two');
  });

  it('shows status and header fields with -i', async () => {
    const { out } = await run(['api', '/weblog/entries/1', '-i'], { env });
    expect(out).toMatch(/^HTTP\/1\.1 200\n(?:.+\n)*etag: "1"\n(?:.+\n)*\n\{/);
  });

  it('makes one list of all pages', async () => {
    const line = ['api', 'doc:articles', '-F', 'pageSize=1', '--paginate', '--json'];
    const { out } = await run(line, { env });
    expect(JSON.parse(out)).toMatchObject([{ id: 1 }, { id: 2 }, { id: 3 }]);
  });

  it.each<[readonly string[], number, string]>([
    [['http://elsewhere.test/'], 2, 'http://elsewhere.test/ is not of '],
    [['//elsewhere.test/x'], 5, 'not found'],
    [['no:such'], 9, 'No "no:such" link at '],
    [['doc:articles[1]'], 9, 'No "doc:articles[1]" link at '],
    [['/nowhere'], 5, 'not found'],
    [['-F', 'x'], 2, 'Write it as name=value.'],
    [['--input', '-'], 7, 'stdin is not JSON.'],
  ])('%j ends with %i', async (line, status, message) => {
    const ended = await run(['api', ...line], { env, stdin: '{' });
    expect(ended.status).toBe(status);
    expect(ended.err).toContain(message);
  });
});

describe('links', () => {
  it.each([
    [
      ['article', '3'],
      'hint: An article is named in one word, as in blogctl links articles/3. Links offered',
    ],
    [
      ['get', '#3'],
      'hint: An article is named in one word, as in blogctl links articles/3. Links offered',
    ],
    [
      ['list'],
      'hint: Without a word, blogctl links shows those of the blog. Links offered there: ',
    ],
    [['no:such'], 'hint: Links offered there: '],
    [['no:such', '3'], 'hint: Links offered there: '],
  ])('that are none are told how a place is named: %j', async (words, hint) => {
    const { status, err } = await run(['links', ...words], { env });
    expect([status, err]).toEqual([9, expect.stringContaining(hint)]);
  });

  it('shows what can be followed from the blog, with its documentation', async () => {
    const { out } = await run(['links'], { env });
    expect(out).toBe(
      `self\t${service.blogUrl}\t\t\ndoc:articles\t${service.blogUrl}/entries{?pageIndex,pageSize}\t\t${service.origin}/rel/articles\n`,
    );
  });

  it('follows relations first', async () => {
    const { out } = await run(['links', 'doc:articles', '--format', 'ids'], { env });
    expect(out).toBe('self\nfirstPage\nlastPage\n');
  });

  it('shows those of an article', async () => {
    const { out } = await run(['articles', 'links', '2', '--json'], { env });
    expect(JSON.parse(out)).toMatchObject([
      { rel: 'self', href: `${service.blogUrl}/entries/2`, templated: false },
      { rel: 'doc:blog', title: 'Another', documentation: `${service.origin}/rel/blog` },
      { rel: 'doc:comments', templated: true },
    ]);
  });
});
