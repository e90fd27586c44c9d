import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import {
  type First,
  type Manners,
  type OtherService,
  startOtherService,
  type Texts,
} from '../../../support/other-service.ts';
import { run } from '../../../support/run.ts';

let service: OtherService;
let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'blogctl-foreign-'));
});
afterEach(async () => {
  await service.stop();
  await rm(folder, { recursive: true });
});

const titles = ['One', 'Two', 'Three', 'Four', 'Five', 'Six', 'Seven'];

/** A blog of another make, and a folder of posts, each with a line break at its end. */
async function given(manners: Manners, names: readonly string[] = titles): Promise<void> {
  service = await startOtherService([], manners);
  await mkdir(join(folder, 'posts'));
  for (const name of names) await write(name, { title: name, content: `Content of ${name}\n` });
}

const write = (name: string, { title, content = '' }: Texts) =>
  writeFile(join(folder, 'posts', `${name}.md`), `---\ntitle: ${title}\n---\n${content}`);

function importing(...flags: readonly string[]) {
  const format = flags.includes('--json') ? [] : ['--format', 'table'];
  return on('articles', 'import', join(folder, 'posts'), ...format, ...flags);
}

function on(...line: readonly string[]) {
  const BLOGCTL_DATA_DIR = join(folder, 'data');
  const env = { BLOGCTL_TOKEN: 'right-token', BLOGCTL_CONFIG_DIR: folder, BLOGCTL_DATA_DIR };
  return run([...line, '--blog', service.blogUrl], { env });
}

async function undoLatest(): Promise<unknown> {
  const [latest] = JSON.parse((await on('runs', 'list', '--json')).out);
  return JSON.parse((await on('runs', 'undo', latest.id, '-y', '--json')).out);
}

const posts = () => service.requests.filter(({ method }) => method === 'POST').length;

describe('a listing that is not whole', () => {
  it.each<[string, Manners, string]>([
    ['counts pages from 0', { pagesFromZero: true }, 'announced 7 articles and sent 0'],
    ['leaves one out', { announced: 8 }, 'announced 8 articles and sent 7'],
  ])('stops an import before it sends anything: %s', async (_name, manners, message) => {
    await given(manners);
    for (const [at, title] of titles.entries()) {
      service.articles.set(at + 1, { title, content: `Content of ${title}\n`, revision: 1 });
    }
    const { status, out, err } = await importing();
    expect([status, out, posts()]).toEqual([6, '7 records: 7 not sent.\n', 0]);
    expect(err).toContain(`error: The service ${message}: the list is not whole.`);
  });
});

const alterations: readonly (readonly [string, Manners])[] = [
  ['trims', { keeps: ({ title, content = '' }) => ({ title, content: content.trim() }) }],
  [
    'writes CRLF',
    { keeps: ({ title, content = '' }) => ({ title, content: content.replaceAll('\n', '\r\n') }) },
  ],
  ['drops the content', { keeps: ({ title }: Texts) => ({ title }) }],
  ['cannot write letters', { keeps: (sent) => ({ ...sent, title: '????' }) }],
];

describe('a service without keys', () => {
  it.each(alterations)(
    'that %s is told of once, and gets nothing twice',
    async (_name, manners) => {
      await given(manners);
      const results = join(folder, 'results.ndjson');
      const first = await importing('--results', results);
      expect(first).toMatchObject({ status: 0, out: '7 records: 7 created.\n' });
      expect(first.err).toMatch(
        /^warning: \w+\.md: The service stored another text than it was sent\. \(and 6 more like this: /m,
      );
      const lines = (await readFile(results, 'utf8')).trim().split('\n');
      expect(lines.map((line) => JSON.parse(line).notice)).toEqual(
        Array.from({ length: 7 }, () => 'stored-otherwise'),
      );
      for (let time = 0; time < 2; time += 1) {
        const again = await importing();
        expect(again).toMatchObject({ status: 0, out: '7 records: 7 already there.\n' });
        expect(again.err).toContain('The service stored another text than it was sent.');
      }
      expect(JSON.parse((await importing('--json')).out).notices).toEqual({
        'stored-otherwise': 7,
      });
      expect(service.articles.size).toBe(7);
    },
  );

  it('that shows articles in short on pages gets nothing twice, whatever the data folder holds', async () => {
    await given({ thinPages: true });
    await importing();
    await rm(join(folder, 'data'), { recursive: true });
    expect(await importing()).toMatchObject({ status: 0, out: '7 records: 7 already there.\n' });
    expect(service.articles.size).toBe(7);
  });

  it('gets again what was deleted there since where that is wanted, and a new twin of what it altered', async () => {
    await given({ keeps: ({ title, content = '' }) => ({ title, content: content.trim() }) });
    await importing();
    service.articles.delete(3);
    // It is to the letter what the service has made of another post.
    await write('A', { title: 'One', content: 'Content of One' });
    const again = await importing();
    expect(again.out).toBe('8 records: 1 created, 6 already there, 1 skipped (deleted 1).\n');
    expect(service.articles.size).toBe(7);
    const wanted = await importing('--recreate');
    expect(wanted.out).toBe('8 records: 1 created, 7 already there.\n');
  });
});

describe('a record whose answer tells nothing of it', () => {
  const away: First = { status: 303, headers: { location: 'articles' }, commits: true };
  const unread: First = { status: 201, body: 'Created.', commits: true };
  it.each<[string, Manners, First]>([
    ['leads away', {}, away],
    ['is no article', {}, unread],
    ['leads away, under keys', { ignoresKeys: true }, away],
  ])(
    'is unknown and ends the run; the next one finds it out: %s',
    async (_name, manners, answer) => {
      await given({ ...manners, first: { POST: [answer] } });
      const first = await importing('--ordered');
      expect(first).toMatchObject({ status: 9, out: '7 records: 1 unknown, 6 not sent.\n' });
      expect(service.articles.size).toBe(1);
      if (manners.ignoresKeys === true) return;
      const again = await importing();
      expect(again).toMatchObject({ status: 0, out: '7 records: 6 created, 1 already there.\n' });
    },
  );
});

const trims: Manners = {
  keeps: ({ title, content = '' }) => ({ title, content: content.trim() }),
};
const failed: First = { status: 500, commits: true };
const led: First = { status: 303, headers: { location: 'articles' }, commits: true };
const two = ['One', 'Two'];

describe('a record whose creation is not clearly answered, without keys', () => {
  it.each<[string, Manners]>([
    ['stores another text', trims],
    ['shows none', { unlisted: new Set([1, 2, 3, 4]) }],
  ])(
    'is sent once and stays unknown, with its candidates, where a service %s',
    async (name, manners) => {
      await given({ ...manners, first: { POST: Array.from({ length: 30 }, () => failed) } }, two);
      const results = join(folder, 'results.ndjson');
      for (let time = 0; time < 2; time += 1) {
        const { status, out, err } = await importing('--results', results);
        expect([status, out, posts()]).toEqual([10, '2 records: 2 unknown.\n', 2]);
        expect(err).toContain('One.md:1 was sent, and not clearly answered.');
        expect(err.includes('articles/2 may be one of them')).toBe(name === 'stores another text');
        expect(err).not.toContain('epair');
        expect((await readFile(results, 'utf8')).match(/inDoubt/g)).toHaveLength(2);
      }
    },
  );

  it.each<[string, First]>([
    ['answered by 500', failed],
    ['lost', 'drop-after-commit'],
    ['answered by 303', led],
  ])('waits for a person in the next run, too: %s', async (_name, answer) => {
    await given({ ...trims, first: { POST: ['answer', 'answer', answer] } });
    await importing('--ordered');
    const again = await importing();
    expect(again.status).toBe(10);
    expect(again.out).toMatch(/^7 records: .*already there, 1 unknown\.\n$/);
    expect(again.err).toContain('articles/3 may be one of them: no answer accounts for it.');
    expect(service.articles.size).toBe(7);
    service.articles.delete(3);
    expect((await importing()).out).toBe('7 records: 1 created, 6 already there.\n');
    expect(service.articles.size).toBe(7);
  });

  it('is sent once more with --no-resume where the article is of somebody else', async () => {
    await given({ ...trims, first: { POST: [failed] } }, two);
    await importing('--ordered');
    expect((await importing('--no-resume')).out).toBe('2 records: 1 created, 1 already there.\n');
  });

  it('is sent again in the same run where the list proves that it is not there', async () => {
    await given({ first: { POST: ['answer', 'drop-before', { status: 500 }] } });
    expect(await importing()).toMatchObject({ status: 0, out: '7 records: 7 created.\n' });
    expect([posts(), service.articles.size]).toEqual([9, 7]);
  });

  it.each([true, false])(
    'is looked for after 503, and done it is not sent again: %s',
    async (commits) => {
      const busy: First = { status: 503, headers: { 'retry-after': '0' }, commits };
      await given({ first: { POST: [busy, 'answer', busy, 'answer', busy] } });
      expect(await importing()).toMatchObject({ status: 0, out: '7 records: 7 created.\n' });
      expect([posts(), service.articles.size]).toEqual([commits ? 7 : 10, 7]);
    },
  );

  it('is not sent for ever where reads alone are answered', async () => {
    const busy: First = { status: 503, headers: { 'retry-after': '0' } };
    const forty = Array.from({ length: 40 }, (_, at) => `Post ${at}`);
    await given({ first: { POST: Array.from({ length: 400 }, () => busy) } }, forty);
    const { status, out } = await importing();
    expect([status, service.articles.size]).toEqual([9, 0]);
    // Those that were under way when it was given up count, too.
    expect(posts()).toBeGreaterThan(19);
    expect(posts()).toBeLessThan(25);
    expect(out).toBe(`40 records: ${posts()} unknown, ${40 - posts()} not sent.\n`);
  });

  it('is sent in the next run where it was refused', async () => {
    await given({ first: { POST: [{ status: 422 }] } }, two);
    expect((await importing('--ordered')).out).toMatch(/1 rejected.*1 not sent/);
    expect(await importing()).toMatchObject({ status: 0, out: '2 records: 2 created.\n' });
  });
});

describe('an import to a service without keys is taken back whole', () => {
  it.each<[string, readonly First[]]>([
    ['some answers failed', ['answer', failed, 'drop-after-commit']],
    ['all failed', Array.from({ length: 7 }, () => failed)],
  ])('where %s', async (_name, answers) => {
    await given({ first: { POST: answers } });
    const results = join(folder, 'results.ndjson');
    expect((await importing('--results', results)).out).toBe('7 records: 7 created.\n');
    const lines = (await readFile(results, 'utf8')).trim().split('\n');
    const ids = lines.map((line) => JSON.parse(line).id);
    expect(new Set(ids)).toEqual(new Set([1, 2, 3, 4, 5, 6, 7]));
    expect(ids).toHaveLength(7);
    expect(await undoLatest()).toMatchObject({ changes: 7, deleted: 7 });
    expect(service.articles.size).toBe(0);
  });

  it.each([
    ['and gone on with', 7],
    ['and left so', 3],
  ])('where it was interrupted %s', async (_name, count) => {
    await given({ first: { POST: ['answer', 'answer', led] } });
    expect((await importing('--ordered')).out).toContain('2 created, 1 unknown, 4 not sent');
    if (count === 7) await importing();
    expect(await undoLatest()).toMatchObject({ changes: count, deleted: count });
    expect(service.articles.size).toBe(0);
  });

  it('but for what nobody can tell, which is named', async () => {
    await given({ ...trims, first: { POST: ['answer', failed] } }, two);
    await importing('--ordered');
    const [latest] = JSON.parse((await on('runs', 'list', '--json')).out);
    const { err } = await on('runs', 'undo', latest.id, '-y');
    expect(err).toContain('Sent, never clearly answered and not undone: 1 record. Look whether');
    expect([...service.articles.keys()]).toEqual([2]);
  });
});

it('what an earlier import created is there where the list of a service without keys leaves it out', async () => {
  await given({ unlisted: new Set([2, 5]) });
  await importing();
  expect(await importing()).toMatchObject({ status: 0, out: '7 records: 7 already there.\n' });
  expect(service.articles.size).toBe(7);
});

it('a change that is answered by a failure may have been made, and says so', async () => {
  await given({ first: { PUT: [{ status: 500, commits: true }] } }, []);
  service.articles.set(1, { title: 'One', content: 'of One', revision: 1 });
  const { status, err } = await on('articles', 'update', '1', '--title', 'New', '--retries', '0');
  expect(status).toBe(9);
  expect(err).toMatch(
    /hint: It may have been done all the same: look with blogctl --blog \S+ articles get/,
  );
});
