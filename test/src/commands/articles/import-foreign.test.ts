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
  const line = ['articles', 'import', join(folder, 'posts'), ...format, ...flags];
  const BLOGCTL_DATA_DIR = join(folder, 'data');
  const env = { BLOGCTL_TOKEN: 'right-token', BLOGCTL_CONFIG_DIR: folder, BLOGCTL_DATA_DIR };
  return run([...line, '--blog', service.blogUrl], { env });
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

  it('gets again what was deleted there since, and a new twin of what it altered', async () => {
    await given({ keeps: ({ title, content = '' }) => ({ title, content: content.trim() }) });
    await importing();
    service.articles.delete(3);
    // It is to the letter what the service has made of another post.
    await write('A', { title: 'One', content: 'Content of One' });
    const again = await importing();
    expect(again.out).toBe('8 records: 2 created, 6 already there.\n');
    expect(service.articles.size).toBe(8);
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
