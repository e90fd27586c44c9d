import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  type First,
  type OtherService,
  startOtherService,
} from '../../../support/other-service.ts';
import { run } from '../../../support/run.ts';

let service: OtherService;
let folder: string;
let env: Record<string, string>;

async function given(first: Readonly<Record<string, readonly First[]>> = {}): Promise<void> {
  await service?.stop();
  service = await startOtherService(['One', 'Two', 'Three'], { first });
  env = {
    BLOGCTL_BLOG: service.blogUrl,
    BLOGCTL_TOKEN: 'right-token',
    BLOGCTL_CONFIG_DIR: folder,
    BLOGCTL_RETRIES: '0',
  };
}

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'blogctl-partly-'));
  await given();
});
afterEach(async () => {
  await service.stop();
  await rm(folder, { recursive: true });
});

const titles = (text: string) => JSON.parse(text).map(({ title }: { title: string }) => title);

/** What stdout must be where article 1 can be read and article 99 cannot. */
const expected: readonly (readonly [flags: string, isWhole: (out: string) => void])[] = [
  ['--jq .[].title', (out) => expect(out).toBe('One\n')],
  ['--json', (out) => expect(titles(out)).toEqual(['One'])],
  ['--json --fields title', (out) => expect(JSON.parse(out)).toEqual([{ title: 'One' }])],
  ['--format ndjson', (out) => expect(JSON.parse(out)).toMatchObject({ title: 'One' })],
  ['--format csv', (out) => expect(out).toBe('id,title,content\r\n1,One,Content of One\r\n')],
  ['--format tsv', (out) => expect(out).toBe('1\tOne\tContent of One\n')],
  ['--format ids', (out) => expect(out).toBe('1\n')],
  ['--format md', (out) => expect(out).toMatch(/^\| id .*\n\| -.*\n\| 1 .*One.*\n$/)],
  ['--field title', (out) => expect(out).toBe('One\n')],
  ['--format table', (out) => expect(out).toContain('Content of One')],
];

describe('articles get, one of which fails', () => {
  describe.each(['1 99', '99 1'])('in the order %s', (order) => {
    it.each(expected)(
      'prints one whole document with %s and ends with 10',
      async (flags, isWhole) => {
        const line = `articles get ${order} ${flags}`.split(' ');
        const { status, out, err } = await run(line, { env });
        isWhole(out);
        expect(status).toBe(10);
        expect(err).toContain('1 of 2 articles failed.');
      },
    );

    it.each(expected)('leaves that document in the file of -o with %s', async (flags, isWhole) => {
      const line = `articles get ${order} ${flags} -o got`.split(' ');
      const { status, out } = await run(line, { env, folder });
      expect([status, out]).toEqual([10, '']);
      expect(await readdir(folder)).toEqual(['got']);
      isWhole(await readFile(join(folder, 'got'), 'utf8'));
    });
  });

  it.each([
    ['98 99', 10],
    ['-', 5],
  ])('prints an empty list where nothing of %s can be read', async (named, ends) => {
    const line = `articles get ${named} --json`.split(' ');
    const { status, out } = await run(line, { env, stdin: '99\n' });
    expect([status, out]).toEqual([ends, '[]\n']);
  });

  it('prints a whole document too where a failure ends the run, and ends with its status', async () => {
    await given({ GET: ['answer', 'answer', 'drop-before'] });
    const { status, out } = await run('articles get 1 2 3 --json'.split(' '), { env });
    expect([status, titles(out)]).toEqual([9, ['One']]);
    expect(service.requests).toHaveLength(3);
  });
});

describe('articles delete, one of which fails', () => {
  it.each([
    [{ status: 423 }, 10, [1, 3]],
    ['drop-before', 9, [1]],
  ] as const)('prints a whole document after %j', async (failure, ends, deleted) => {
    await given({ DELETE: ['answer', failure] });
    const { status, out } = await run('articles delete 1 2 3 -y --json'.split(' '), { env });
    expect(JSON.parse(out).map(({ id }: { id: number }) => id)).toEqual(deleted);
    expect(status).toBe(ends);
  });
});

describe('articles delete, one of which is named twice', () => {
  it.each(['2 2', '2 #2 {blog}/articles/2', '-'])('deletes it once: %s', async (named) => {
    await given();
    const words = named.replace('{blog}', service.blogUrl).split(' ');
    const line = ['articles', 'delete', ...words, '-y', '--json'];
    const { status, out, err } = await run(line, { env, stdin: '2\n2\n' });
    expect([status, err]).toEqual([0, '']);
    expect(JSON.parse(out)).toMatchObject([{ id: 2, result: 'deleted' }]);
    expect([...service.articles.keys()]).toEqual([1, 3]);
  });
});

describe('articles list, a later page of which fails', () => {
  const list = (...flags: string[]) =>
    run(['articles', 'list', '--all', '--page-size', '1', ...flags], { env, folder });

  beforeEach(() => given({ GET: ['answer', 'answer', { status: 500 }] }));

  it('leaves its JSON open, so that no parser takes a part for the whole', async () => {
    const { status, out } = await list('--json');
    expect(status).toBe(9);
    expect(() => JSON.parse(out)).toThrow(SyntaxError);
    expect(titles(`${out}]`)).toEqual(['One']);
  });

  it.each([
    ['ndjson', /^\{.*"title":"One".*\}\n$/],
    ['ids', /^1\n$/],
    ['csv', /^id,title\S*\r\n1,One\S*\r\n$/],
  ])('has whole lines of %s', async (format, whole) => {
    const { status, out } = await list('--format', format);
    expect([status, out]).toEqual([9, expect.stringMatching(whole)]);
  });

  it('filters nothing, and makes no file', async () => {
    const filtered = await list('--json', '--jq', 'length');
    expect([filtered.status, filtered.out]).toEqual([9, '']);
    await given({ GET: ['answer', 'answer', { status: 500 }] });
    expect((await list('-o', 'all.json')).status).toBe(9);
    expect(await readdir(folder)).toEqual([]);
  });
});
