import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  type First,
  type Manners,
  type OtherService,
  startOtherService,
} from '../../support/other-service.ts';
import { foreignServices } from '../../support/foreign-services.ts';
import { run } from '../../support/run.ts';

const busy = { status: 500 };
let service: OtherService;
let folder: string;
let env: Record<string, string>;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'blogctl-foreign-'));
});
afterEach(async () => {
  await service.stop();
  await rm(folder, { recursive: true });
});

async function given(liberties: Manners): Promise<void> {
  service = await startOtherService(['One', 'Two', 'Three', 'Four', 'Five'], liberties);
  env = { BLOGCTL_BLOG: service.blogUrl, BLOGCTL_TOKEN: 'right-token', BLOGCTL_CONFIG_DIR: folder };
}

describe.each(foreignServices)('a service that %s', (_name, liberties) => {
  it('is read and written like any other, without configuration', async () => {
    await given(liberties);
    const listed = await run(['articles', 'list'], { env });
    expect(listed).toMatchObject({
      status: 0,
      out: '1\tOne\n2\tTwo\n3\tThree\n4\tFour\n5\tFive\n',
    });
    expect(listed.err).not.toContain('warning');
    const created = await run(
      ['articles', 'create', '--title', 'Six', '--content', 'c', '--format', 'ids'],
      { env },
    );
    expect(created).toMatchObject({ status: 0, out: '6\n' });
    const updated = await run(['articles', 'update', '2', '--title', 'Zwei'], { env });
    expect(updated.status).toBe(0);
    expect(service.articles.get(2)).toMatchObject({ title: 'Zwei', content: 'Content of Two' });
    const removed = await run(['articles', 'delete', '1', '3', '-y'], { env });
    expect([removed.status, [...service.articles.keys()]]).toEqual([0, [2, 4, 5, 6]]);
    const gone = await run(['articles', 'get', '1'], { env });
    expect(gone.status).toBe(5);
  });
});

describe('a listing that does not add up is announced', () => {
  it.each<[string, Manners, string]>([
    [
      'fewer than announced',
      { announced: 7 },
      'The service announced 7 articles and sent 5: the list is not whole.',
    ],
    [
      'one twice',
      { pageCap: 2, insertsWhileRead: true },
      'Article 2 came twice: the blog changed while it was read',
    ],
    [
      'deleted meanwhile',
      { pageCap: 2, deletesWhileRead: true },
      'it had 5 articles at first and 4 in the end.',
    ],
  ])('%s', async (_name, liberties, warning) => {
    await given(liberties);
    const { status, err } = await run(['articles', 'list'], { env });
    expect(status).toBe(0);
    expect(err).toMatch(/^warning: /);
    expect(err).toContain(warning);
    await service.stop();
    await given(liberties);
    // An export that does not add up is worse than none.
    const exported = await run(['articles', 'export', '-'], { env });
    expect(exported.err).toMatch(/^warning: |^error: The (?:blog changed|service counts)/m);
  });
});

it.each<[string, unknown]>([
  ['an id that is a text', { id: '1', title: 'One', content: '' }],
  ['what is no JSON', '{"id":1'],
])('an article against the interface is the fault of the service: %s', async (_name, body) => {
  const headers = { 'content-type': 'application/hal+json' };
  await given({ first: { GET: ['answer', { status: 200, headers, body }] } });
  const { status, err } = await run(['articles', 'get', '1'], { env });
  expect(status).toBe(9);
  expect(err).toContain(
    'hint: The service answers against the interface: blogctl check <blog-url>',
  );
});

it('an export names both figures where a service counts otherwise than it lists', async () => {
  await given({ announced: 7, pageCap: 2 });
  const { status, err } = await run(['articles', 'export', '-'], { env });
  expect(status).toBe(6);
  expect(err).toContain(
    'counts otherwise than it lists: 5 articles were read, and first and last it said 7.',
  );
  expect(err).not.toContain('changed while');
});

it('a service that refuses long pages is read in pages of its own size', async () => {
  await given({ mostPerPage: 3 });
  const { status, out } = await run(['articles', 'export', '-'], { env });
  expect([status, out.trim().split('\n').length]).toEqual([0, 5]);
  expect((await run(['articles', 'list', '--search', 'Five'], { env })).out).toBe('5\tFive\n');
  await mkdir(join(folder, 'posts'));
  await writeFile(join(folder, 'posts/a.md'), '---\ntitle: Five\n---\nContent of Five\n');
  const planned = await run(['sync', 'plan', join(folder, 'posts'), '--json'], { env });
  expect(JSON.parse(planned.out)).toMatchObject({ summary: { unchanged: 1, unmanaged: 4 } });
  // Who names a page is told.
  const named = await run(['articles', 'list', '--page', '1', '--page-size', '4'], { env });
  expect(named.status).toBe(7);
});

it('a weak ETag is no condition: what was read just before is changed, deleted and put back', async () => {
  await given({ weakTags: true });
  const on = (...line: string[]) =>
    run(line, { env: { ...env, BLOGCTL_DATA_DIR: join(folder, 'data') } });
  const updated = await on('articles', 'update', '1', '--title', 'Uno');
  expect(updated).toMatchObject({ status: 0, err: expect.stringContaining('names no versions') });
  expect((await on('articles', 'delete', '2', '-y')).status).toBe(0);
  expect([service.articles.get(1)?.title, service.articles.has(2)]).toEqual(['Uno', false]);
  const [{ id }] = JSON.parse((await on('runs', 'list', '--json')).out);
  expect((await on('runs', 'undo', id, '-y')).status).toBe(0);
  const [latest] = JSON.parse((await on('runs', 'list', '--json')).out);
  expect(await on('runs', 'undo', latest.id, '-y')).toMatchObject({ status: 0 });
  expect([...service.articles.keys()]).toEqual([1, 3, 4, 5]);
  expect(service.requests.filter(({ headers }) => headers['if-match'])).toEqual([]);
  // A tag that somebody gives is theirs: nothing is changed without it.
  expect((await on('articles', 'delete', '1', '-y', '--if-match', 'W/"2"')).status).toBe(2);
  expect(service.articles.has(1)).toBe(true);
});

describe('an article that says another id than the one that was named is left alone', () => {
  const lines = [
    'get 3',
    'delete 3 -y',
    'update 3 --title X',
    'update 3 --title X --replace --force',
  ];

  it.each([...lines, 'edit 3 -y'])('and found where the list says it is: %s', async (line) => {
    await given({ placedOffByOne: true });
    await writeFile(join(folder, 'editor'), '#!/bin/sh\necho more >> "$1"\n', { mode: 0o755 });
    const before = JSON.stringify([...service.articles].filter(([id]) => id !== 3));
    const edits = { ...env, EDITOR: join(folder, 'editor') };
    const { status } = await run(['articles', ...line.split(' ')], { env: edits });
    expect([status, JSON.stringify([...service.articles].filter(([id]) => id !== 3))]).toEqual([
      0,
      before,
    ]);
    const isAsItWas = service.articles.get(3)?.revision === 1 && line !== 'get 3';
    expect(isAsItWas).toBe(false);
  });

  it('and an undo brings it back from there', async () => {
    await given({ placedOffByOne: true });
    const on = (...line: string[]) =>
      run(line, { env: { ...env, BLOGCTL_DATA_DIR: join(folder, 'data') } });
    expect((await on('articles', 'delete', '3', '-y')).status).toBe(0);
    const [{ id }] = JSON.parse((await on('runs', 'list', '--json')).out);
    expect((await on('runs', 'undo', id, '-y')).status).toBe(0);
    const titles = [...service.articles.values()].map(({ title }) => title);
    expect(titles).toEqual(['One', 'Two', 'Four', 'Five', 'Three']);
  });

  it.each(lines)('else it is the fault of the service: %s', async (line) => {
    await given({ twoPlacesFor: 3 });
    const { status, err } = await run(['articles', ...line.split(' ')], { env });
    expect([status, service.articles.size]).toEqual([9, 5]);
    expect(err).toContain('where article 3 belongs, is article 1 (rule 1.7).');
    expect(service.requests.filter(({ method }) => method !== 'GET')).toEqual([]);
  });
});

it.each(['update @ --title X', 'delete @ -y', 'edit @ -y'])(
  'an article that redirects led to is changed there: %s',
  async (line) => {
    const away = { status: 307, headers: { location: '/api/v1.2/blogs/9/articles/3' } };
    await given({ weakTags: true, first: { GET: ['answer', away] } });
    await writeFile(join(folder, 'editor'), '#!/bin/sh\necho more >> "$1"\n', { mode: 0o755 });
    const words = line.replace('@', `${service.blogUrl}/articles/2`).split(' ');
    const edits = { ...env, EDITOR: join(folder, 'editor') };
    expect((await run(['articles', ...words], { env: edits })).status).toBe(0);
    expect(service.articles.get(2)).toMatchObject({ title: 'Two', revision: 1 });
    expect(service.articles.get(3)?.revision).not.toBe(1);
  },
);

it('what was changed while the question was there is not deleted, where no versions are named', async () => {
  await given({ weakTags: true });
  const original = service.requests.push.bind(service.requests);
  let reads = 0;
  service.requests.push = (...seen) => {
    if (seen[0]?.path.endsWith('/articles/1') === true && (reads += 1) === 2)
      service.articles.set(1, { title: 'Theirs', revision: 2 });
    return original(...seen);
  };
  const { status, err } = await run(['articles', 'delete', '1', '-y'], { env });
  expect([status, service.articles.has(1)]).toEqual([6, true]);
  expect(err).toContain('Article 1 was changed meanwhile.');
});

it('an export has the contents that pages leave out', async () => {
  await given({ thinPages: true });
  service.articles.set(2, { title: 'Two', revision: 1 });
  const { status, out } = await run(['articles', 'export', '-'], { env });
  const contents = out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line).content);
  const whole = ['One', '', 'Three', 'Four', 'Five'].map((name) => name && `Content of ${name}`);
  expect([status, contents]).toEqual([0, whole]);
});

it.each([
  ['--search CONTENT\\sof\\sthree --format ids', '3\n', 5],
  ['--fields id,content --limit 2', '1\tContent of One\n2\tContent of Two\n', 2],
  ['--json --limit 1 --jq .[].content', 'Content of One\n', 1],
  ['--json id --limit 1 --jq .[].id', '1\n', 0],
  ['--format ids', '1\n2\n3\n4\n5\n', 0],
])(
  'a list reads the contents that pages leave out, where it needs them: %s',
  async (line, out, reads) => {
    await given({ thinPages: true });
    const words = line.split(' ').map((word) => word.replaceAll('\\s', ' '));
    expect(await run(['articles', 'list', ...words], { env })).toMatchObject({ status: 0, out });
    expect(service.requests.filter(({ path }) => /\/\d+$/.test(path)).length - 1).toBe(reads);
  },
);

it.each([
  ['list --search content --format ids', 0, '1\n3\n4\n5\n'],
  ['list --json --jq .[].content', 0, /^Content of One\nContent of Three\n/],
  ['export -', 0, /"One".*\n.*"Three"/],
])(
  'an article that was deleted since its page was read is left out: %s',
  async (line, ends, out) => {
    await given({ thinPages: true, goesWhenRead: 2 });
    const ended = await run(['articles', ...line.split(' ')], { env });
    expect([ended.status, ended.out]).toEqual([ends, expect.stringMatching(out)]);
    expect(ended.err).not.toContain('warning');
  },
);

it('one that its page goes on showing is missing', async () => {
  await given({ thinPages: true, ghost: 2 });
  const { status, err } = await run(['articles', 'list', '--search', 'content'], { env });
  expect([status, err]).toEqual([5, expect.stringContaining('/articles/2')]);
});

it('a list that is searched or sorted tells as well that it does not add up', async () => {
  await given({ pageCap: 2, deletesWhileRead: true });
  for (const flag of ['--search=e', '--sort=title', '--reverse']) {
    service.articles.set(1, { title: 'One', revision: 1 });
    const { status, err } = await run(['articles', 'list', flag], { env });
    expect([status, err]).toEqual([0, expect.stringMatching(/^warning: .* at first and \d in/m)]);
  }
});

it('a list reads nothing again where articles of a page have no content', async () => {
  await given({});
  service.articles.set(2, { title: 'Two', revision: 1 });
  const { out } = await run(['articles', 'list', '--search', 'two', '--format', 'ids'], { env });
  expect([out, service.requests.length]).toEqual(['2\n', 2]);
});

it('a sync reads the contents that pages leave out', async () => {
  await given({ thinPages: true });
  await mkdir(join(folder, 'posts'));
  await writeFile(join(folder, 'posts/a.md'), '---\ntitle: Five\n---\nContent of Five\n');
  const { out } = await run(['sync', 'plan', join(folder, 'posts'), '--json'], { env });
  expect(JSON.parse(out)).toMatchObject({ summary: { unchanged: 1, unmanaged: 4 } });
});

describe('a sync knows what an import of the same files made, without keys', () => {
  const posts = () => join(folder, 'posts');
  const on = (...line: string[]) =>
    run(line, { env: { ...env, BLOGCTL_DATA_DIR: join(folder, 'data') } });
  const write = async (title: string, content: string) => {
    await mkdir(posts(), { recursive: true });
    await writeFile(join(posts(), 'a.md'), `---\ntitle: ${title}\n---\n${content}\n`);
  };
  const others = ['One', 'Two', 'Three', 'Four', 'Five'];
  const titles = () => [...service.articles.values()].map(({ title }) => title);

  it.each<[string, Manners]>([
    [
      'other texts are stored',
      { keeps: ({ title }) => ({ title: `«${title}»`, content: 'kept' }) },
    ],
    ['the list lags behind', { unlisted: new Set([6]) }],
  ])('where %s', async (_name, manners) => {
    await given(manners);
    await write('Six', 'text');
    expect((await on('articles', 'import', posts())).status).toBe(0);
    const planned = await on('sync', 'plan', posts(), '--json');
    expect(JSON.parse(planned.out)).toMatchObject({ summary: { unchanged: 1 } });
    await write('Seven', 'edited');
    expect((await on('sync', 'apply', posts(), '-y', '--no-history')).status).toBe(0);
    const [kept] = [manners.keeps?.({ title: 'Seven' }) ?? { title: 'Seven' }];
    expect(titles()).toEqual([...others, kept.title]);
  });

  it('and asks where its article says something else by now', async () => {
    await given({ keeps: ({ title }) => ({ title: `«${title}»`, content: 'kept' }) });
    await write('Six', 'text');
    await on('articles', 'import', posts());
    service.articles.set(6, { title: 'Theirs', content: 'theirs', revision: 9 });
    const planned = await on('sync', 'apply', posts(), '-y');
    expect([planned.status, titles()]).toEqual([10, [...others, 'Theirs']]);
    expect(planned.err).toContain('looks like #6');
  });

  it('and that it was deleted there since', async () => {
    await given({});
    await write('Six', 'text');
    await on('articles', 'import', posts());
    await on('articles', 'delete', '6', '-y');
    const { out } = await on('sync', 'plan', posts(), '--json');
    expect(JSON.parse(out)).toMatchObject({ summary: { create: 0, 'deleted-there': 1 } });
  });
});

describe('an import knows the articles of its records, without keys', () => {
  const texts = (...lines: string[]) => lines.map((text) => `${text}\n`);
  const on = (...line: string[]) =>
    run(line, { env: { ...env, BLOGCTL_DATA_DIR: join(folder, 'data') } });
  const write = async (posts: Readonly<Record<string, string>>) => {
    await mkdir(join(folder, 'posts'), { recursive: true });
    for (const [name, text] of Object.entries(posts))
      await writeFile(join(folder, 'posts', `${name}.md`), `---\ntitle: ${name}\n---\n${text}\n`);
  };
  const imported = async (...words: string[]) => {
    const counts = [];
    for (const dry of [['--dry-run'], []]) {
      const { out } = await on(
        'articles',
        'import',
        join(folder, 'posts'),
        '--json',
        ...words,
        ...dry,
      );
      const { created, replayed, skipped, rejected } = JSON.parse(out);
      counts.push({ created, replayed, skipped, rejected });
    }
    expect(counts[0]).toEqual(counts[1]);
    return counts[1];
  };
  const contents = () => [...service.articles.values()].slice(5).map(({ content }) => content);
  const there = { created: 0, replayed: 2, skipped: 0, rejected: 0 };

  beforeEach(async () => {
    await given({});
    await write({ a: 'a', b: 'b' });
    await on('articles', 'import', join(folder, 'posts'), '--ordered');
  });

  it('that were edited there, and the edit stays', async () => {
    await on('articles', 'update', '6', '--content', 'corrected');
    expect(await imported()).toEqual(there);
    await on('articles', 'update', '6', '--title', 'Another', '--content', 'throughout');
    expect(await imported()).toEqual(there);
    expect(contents()).toEqual(['throughout', 'b\n']);
    await on('articles', 'update', '7', '--title', 'Another', '--content', 'throughout');
    expect(await imported()).toEqual({ ...there, replayed: 0, rejected: 2 });
  });

  it('that were deleted there', async () => {
    await on('articles', 'delete', '7', '-y');
    expect(await imported()).toEqual({ ...there, replayed: 1, skipped: 1 });
    expect(await imported('--recreate')).toEqual({ ...there, replayed: 1, created: 1 });
    expect(await imported('--recreate')).toEqual(there);
    expect(contents()).toEqual(texts('a', 'b'));
  });

  it('that the record differs from by now', async () => {
    await write({ a: 'edited' });
    expect(await imported()).toEqual({ ...there, replayed: 1, rejected: 1 });
    expect(await imported('--on-changed', 'skip')).toEqual({ ...there, replayed: 1, skipped: 1 });
    expect(await imported('--import-id', 'x')).toEqual({ ...there, replayed: 1, created: 1 });
    expect(contents()).toEqual(texts('a', 'b', 'edited'));
  });

  it('and goes on alone: of two at once one waits for its turn', async () => {
    await write({ c: 'c', d: 'd' });
    const line = ['articles', 'import', join(folder, 'posts')];
    const both = await Promise.all([on(...line), on(...line)]);
    expect(contents()).toHaveLength(4);
    const [refused] = both.filter(({ status }) => status !== 0);
    expect(refused?.status).toBe(6);
    expect(refused?.err).toContain('Another import into this blog is under way');
    expect(await imported()).toEqual({ ...there, replayed: 4 });
  });

  it('but none of a blog that was made anew', async () => {
    service.articles.clear();
    expect(await imported()).toEqual({ ...there, replayed: 0, created: 2 });
    expect(await imported()).toEqual(there);
  });

  it('and a store that was restored from its export, whatever names its articles have now', async () => {
    const backup = join(folder, 'backup.ndjson');
    const of = (id: number) =>
      JSON.stringify({
        url: `${service.blogUrl}/articles/${id}`,
        title: `T${id}`,
        content: '',
      });
    await writeFile(backup, [9, 8].map(of).join('\n'));
    const line = ['articles', 'import', backup, '--ordered', '--json'];
    for (const created of [2, 0])
      expect(JSON.parse((await on(...line)).out)).toMatchObject({ created, rejected: 0 });
  });
});

it('a sync finds articles at addresses of their own', async () => {
  await given({ placedOffByOne: true });
  const posts = join(folder, 'posts');
  const on = (...line: string[]) =>
    run(line, { env: { ...env, BLOGCTL_DATA_DIR: join(folder, 'data') } });
  await mkdir(posts);
  await writeFile(join(posts, 'a.md'), '---\ntitle: Three\n---\nContent of Three\n');
  expect((await on('sync', 'apply', posts, '-y')).status).toBe(0);
  await writeFile(join(posts, 'a.md'), '---\ntitle: Three\n---\nEdited\n');
  expect((await on('sync', 'apply', posts, '-y')).status).toBe(0);
  const contents = [...service.articles.values()].map(({ content }) => content);
  const of = ['One', 'Two', 'Four', 'Five'].map((title) => `Content of ${title}`);
  expect(contents.map((content) => content?.trim())).toEqual(of.toSpliced(2, 0, 'Edited'));
});

it('the token goes to no other origin, whatever the links say', async () => {
  const stranger = await startOtherService(['Stolen']);
  try {
    await given({ articleOrigin: stranger.origin });
    await run(['articles', 'update', '1', '--title', 'X'], { env });
    await run(['articles', 'delete', '1', '-y'], { env });
    const there = await run(['articles', 'delete', `${stranger.origin}/weblog/entries/1`, '-y'], {
      env,
    });
    expect(there.status).toBe(2);
    expect(stranger.requests).toEqual([]);
  } finally {
    await stranger.stop();
  }
});

describe('a creation whose answer leaves open what was done says so, and is not to be tried again', () => {
  const fields = { title: 'Six', content: 'c' };
  it.each<[string, First, number]>([
    ['fails', { status: 500, commits: true }, 9],
    ['is of a proxy', { status: 503, headers: { 'retry-after': '1' }, commits: true }, 9],
    ['leads away', { status: 303, headers: { location: 'articles' }, commits: true }, 9],
    ['has no number', { status: 201, body: { id: '6', ...fields }, commits: true }, 9],
    ['is no article', { status: 201, body: 'Created.', commits: true }, 9],
    ['is lost', 'drop-after-commit', 9],
  ])('%s', async (_name, answer, status) => {
    await given({ first: { POST: [answer] } });
    const line = ['articles', 'create', '--title', 'Six', '--content', 'c', '--json'];
    const ended = await run(line, { env });
    const { error } = JSON.parse(ended.err.trim().split('\n').at(-1) ?? '');
    expect([ended.status, service.articles.size]).toEqual([status, 6]);
    const look = 'It may have been created all the same: look with blogctl articles list.';
    const wait = error.status === 503 ? ' Where it was not: Try again in 1 s.' : '';
    expect(error).toMatchObject({ retryable: false, hint: `${look}${wait}` });
  });

  it('but for 429, which says that it was not', async () => {
    await given({ first: { POST: [{ status: 429 }] } });
    const line = ['articles', 'create', '--title', 'Six', '--content', 'c', '--json'];
    const { err } = await run(line, { env });
    expect(JSON.parse(err)).toMatchObject({ error: { retryable: true } });
    expect(err).not.toContain('created all the same');
  });

  it('and of one whose article cannot be read it is said that it is there', async () => {
    const placed = { status: 201, headers: { location: 'articles/6' }, commits: true };
    await given({
      first: { POST: [placed], GET: ['answer', ...Array.from({ length: 9 }, () => busy)] },
    });
    const { err } = await run(
      'articles create --title Six --content c --json --retries 0'.split(' '),
      { env },
    );
    expect(err).toContain('"retryable":false');
    expect(err).toContain('The article was saved all the same.');
  });
});

describe('an undo of deletions, where no keys are known, creates nothing twice', () => {
  const on = (...line: string[]) =>
    run(line, { env: { ...env, BLOGCTL_DATA_DIR: join(folder, 'data') } });
  const deleteThree = async () => {
    expect((await on('articles', 'delete', '1', '2', '3', '-y')).status).toBe(0);
    const [{ id }] = JSON.parse((await on('runs', 'list', '--json')).out);
    return id;
  };
  const titles = () => [...service.articles.values()].map(({ title }) => title).toSorted();
  const whole = ['Five', 'Four', 'One', 'Three', 'Two'];

  it.each<[string, readonly First[], string]>([
    ['an answer is lost', ['answer', 'drop-after-commit'], '0'],
    ['the first one is', ['drop-after-commit'], '0'],
    ['all are', ['drop-after-commit', 'drop-after-commit', 'drop-after-commit'], '0'],
    ['a request is lost', ['answer', 'drop-before'], '0'],
    ['a proxy fails', ['answer', { status: 502, commits: true }], '0'],
    ['it was too busy', [{ status: 503, headers: { 'retry-after': '0' } }], '0'],
    ['it leads away', [{ status: 303, headers: { location: 'a' }, commits: true }], '9 0'],
    ['none arrived', ['drop-before', 'drop-before', 'drop-before'], '10 10'],
  ])('where %s', async (_name, posts, statuses) => {
    await given({ first: { POST: posts } });
    const id = await deleteThree();
    const ended: string[] = [];
    for (const time of statuses.split(' ').keys())
      ended[time] = String((await on('runs', 'undo', id, '-y')).status);
    expect(ended.join(' ')).toBe(statuses);
    expect(titles()).toEqual(statuses.startsWith('10') ? ['Five', 'Four'] : whole);
    const again = await on('runs', 'undo', id, '-y', '--json');
    expect(JSON.parse(again.out)).toMatchObject({ restored: 0 });
  });

  it('and names what may be it where another text was stored, with 10, in later runs too', async () => {
    await given({
      first: { POST: ['drop-after-commit'] },
      keeps: ({ title, content = '' }) => ({ title, content: `${content}\n` }),
    });
    const id = await deleteThree();
    for (const command of ['-y', '-y', '-n']) {
      const { status, err } = await on('runs', 'undo', id, command);
      expect([status, titles()]).toEqual([command === '-n' ? 0 : 10, whole]);
      if (command === '-n') continue;
      expect(err).toContain('may be one of them: no answer accounts for it.');
      expect(err).toContain('creates none twice.');
    }
  });

  it('and an undo of the undo takes away what was found later', async () => {
    await given({ first: { POST: ['answer', 'drop-after-commit'] } });
    await on('runs', 'undo', await deleteThree(), '-y');
    const [{ id }] = JSON.parse((await on('runs', 'list', '--json')).out);
    expect((await on('runs', 'undo', id, '-y')).status).toBe(0);
    expect(titles()).toEqual(['Five', 'Four']);
  });
});

describe('what a service says is told', () => {
  it('where it wants a token for reading, which no token helps against', async () => {
    await given({ first: { GET: [{ status: 401 }] } });
    const { status, err } = await run(['articles', 'list'], { env });
    expect([status, err]).toEqual([3, expect.stringContaining('breaks rule 5.2')]);
    expect(err).not.toContain('auth login');
  });

  it('where it leads a change away, for its operator', async () => {
    await given({ first: { POST: [{ status: 308, headers: { location: '/other/' } }] } });
    const line = ['articles', 'create', '--title', 'Six', '--content', 'c'];
    const { status, err } = await run(line, { env });
    expect([status, err]).toEqual([9, expect.stringContaining('its operator has to mend those')]);
    expect(err).not.toContain('--blog');
  });

  it('and no coding is asked for', async () => {
    await given({});
    await run(['articles', 'list'], { env });
    const codings = service.requests.map(({ headers }) => headers['accept-encoding']);
    expect(new Set(codings)).toEqual(new Set(['identity']));
  });

  it('as long as it wants to be left alone', async () => {
    const later = (seconds: string) => ({ status: 429, headers: { 'retry-after': seconds } });
    await given({ first: { GET: ['answer', later('3600')], POST: [later('60')] } });
    const read = await run(['articles', 'get', '1'], { env });
    expect(read.status).toBe(8);
    expect(read.err).toContain('Try again in 3600 s, or allow that wait with --max-wait 3600s.');
    const line = ['articles', 'create', '--title', 'Six', '--content', 'c'];
    expect((await run(line, { env })).err).toContain('hint: Try again in 60 s.\n');
  });

  it.each([
    ['articles get 1 --retries 1', '', 2],
    ['articles create --title Six --content c --idempotency-key k --retries 1', '', 2],
    ['articles import posts --max-wait 1s', '', 2],
    ['sync apply posts -y --max-wait 1s', '', 2],
    ['sync apply posts -y --retries 0', ' in 1 s', 1],
    ['articles get 1 --retries 0', ' in 1 s', 1],
  ])(
    'and no longer wait is offered where a longer one was allowed: %s',
    async (line, when, attempts) => {
      const wanted = { status: 503, headers: { 'retry-after': '1' } };
      const later = Array.from({ length: 9 }, () => wanted);
      const isRead = line.includes('get');
      await given({
        ignoresKeys: true,
        first: isRead ? { GET: ['answer', ...later] } : { POST: later },
      });
      await mkdir(join(folder, 'posts'));
      await writeFile(join(folder, 'posts/a.md'), '---\ntitle: Six\n---\nc\n');
      const words = line.replace('posts', join(folder, 'posts')).split(' ');
      const { status, err } = await run(words, { env, folder });
      expect(status).toBe(9);
      expect(err).toContain(`Try again${when || ' later'}.\n`);
      expect(err).not.toContain('--max-wait');
      const asked = service.requests.filter(({ method }) => method === (isRead ? 'GET' : 'POST'));
      expect(asked.length - Number(isRead)).toBe(attempts);
    },
  );

  it.each(['articles import posts', 'sync apply posts -y'])(
    'and a longer wait is offered that is enough: %s',
    async (line) => {
      const later = { status: 503, headers: { 'retry-after': '1' } };
      await given({ ignoresKeys: true, first: { POST: [later, later] } });
      await mkdir(join(folder, 'posts'));
      await writeFile(join(folder, 'posts/a.md'), '---\ntitle: Six\n---\nc\n');
      const words = line.replace('posts', join(folder, 'posts')).split(' ');
      const { err } = await run([...words, '--max-wait', '500ms'], { env, folder });
      expect(err).toContain('or allow that wait with --max-wait 1s.');
      const second = await run([...words, '--max-wait', '1s'], { env, folder });
      expect(second).toMatchObject({ status: 0 });
    },
  );

  it('and what it was too busy for is sent again after a look, though it has no keys', async () => {
    await given({ first: { POST: [{ status: 503, headers: { 'retry-after': '0' } }] } });
    await mkdir(join(folder, 'posts'));
    await writeFile(join(folder, 'posts/a.md'), '---\ntitle: Six\n---\nc\n');
    const words = ['articles', 'import', join(folder, 'posts')];
    const { status } = await run(words, { env, folder });
    expect(status).toBe(0);
    expect(service.requests.map(({ method }) => method).join(' ')).toMatch(/POST( GET)+ POST$/);
  });

  it('by what to look at where an answer has no meaning here', async () => {
    await given({ first: { GET: [{ status: 304 }] } });
    const { status, err } = await run(['articles', 'get', '1'], { env });
    expect([status, err]).toEqual([9, expect.stringContaining('\nhint: Check the address')]);
  });

  it.each([
    ['create --title Six', 'Created article 6.', 6],
    ['update 2 --title Two', 'Updated article 2.', 2],
  ])('where it stored another text than it was sent: %s', async (line, done, id) => {
    await given({ keeps: () => ({ title: 'Kept' }) });
    const { status, err } = await run(['articles', ...line.split(' '), '--content', 'c'], { env });
    const warning = `warning: Article ${id}: The service stored another text than it was sent.`;
    expect([status, err]).toEqual([0, `${done}\n${warning}\n`]);
  });

  it('but not of what was deleted: that is what was asked for', async () => {
    await given({ selfOffByOne: true });
    const at4 = `${service.blogUrl}/articles/4`;
    const { out } = await run(['articles', 'delete', at4, '-y', '--json'], { env });
    const [{ id, url }] = JSON.parse(out);
    expect([id, url, service.articles.has(4)]).toEqual([4, `${service.blogUrl}/articles/4`, false]);
  });
});
