import { crc32 } from 'node:zlib';
import { expect, test } from 'vitest';
import { createMemoryFileSystem } from '../../../server/store/file-system/memory-file-system.ts';
import { checkJsonFile } from '../../../server/store/json-file/check.ts';
import { repairJsonFile } from '../../../server/store/json-file/repair.ts';
import { openJsonFile } from '../../../server/store/json-file/open.ts';
import { UnusableStore } from '../../../server/store/unusable-store.ts';
import { anyVersion, givenStore, PATH, reopened, textOf } from './support/given-store.ts';

/** A log as a killed process leaves it: 2 and 3 in two versions, 4 deleted, 5 in a second blog. */
async function givenLog(closed = false): Promise<ReadonlyMap<string, Buffer>> {
  const { store, disk } = await givenStore(4);
  await store.addBlog({ title: 'Second', description: '' });
  await store.create(2, { title: 'Of the second' });
  await store.replace(1, 3, { title: 'Newer 3' }, anyVersion);
  const last = [
    store.remove(1, 4, anyVersion),
    store.replace(1, 2, { title: 'Newer 2' }, anyVersion),
  ];
  await Promise.all(last); // One batch.
  if (closed) await store.close();
  return disk.files();
}

type Change = (text: string) => string;

async function harmed(change: Change, { closed = false, lock = false } = {}) {
  const files = await givenLog(closed);
  const text = change(files.get(PATH)?.toString('latin1') ?? '');
  const left = [...files].filter(([path]) => lock && path !== PATH);
  return createMemoryFileSystem([...left, [PATH, Buffer.from(text, 'latin1')]]);
}

async function opening(disk: Awaited<ReturnType<typeof harmed>>) {
  const notices: string[] = [];
  const report = (notice: string) => void notices.push(notice);
  const store = await reopened(disk, report).catch((error: unknown): undefined => {
    if (!(error instanceof UnusableStore)) throw error;
    notices.push(error.message);
  });
  const shown: Record<string, unknown> = {};
  for (const blog of [1, 2]) {
    const { articles = [] } = (await store?.page(blog, 0, 9)) ?? {};
    for (const { id, json = '' } of articles)
      shown[`${blog}/${id}`] = JSON.parse(json.toString()).title;
  }
  await store?.close();
  return { shown: store && shown, told: notices.join('\n') };
}

const whole = { '1/1': 'Title 1', '1/2': 'Newer 2', '1/3': 'Newer 3', '2/5': 'Of the second' };
const line = (pattern: string) => new RegExp(`,\\{[^\\n]*${pattern}[^\\n]*\\n`);
const without =
  (...patterns: string[]): Change =>
  (text) =>
    patterns.reduce((now, pattern) => now.replace(line(pattern), ''), text);
const blogs = /(\{"id":1,"title":"My blog".*)\n,(\{"id":2,"title":"Second".*)\n/;

const blanked: Change = (text) =>
  text.replace(line('"deleted":true'), (found) => `${' '.repeat(found.length - 1)}\n`);

test.each([
  [
    'two blogs are swapped',
    (text: string) => text.replace(blogs, '$2\n,$1\n'),
    whole,
    'the blogs stand in another order than they were written in',
  ],
  [
    'the newest line of an article is gone',
    without('Newer 2'),
    { ...whole, '1/2': 'Title 2' },
    'a line is missing, and an older one may be shown, of article 2',
  ],
  [
    'the newest line is blanked',
    (text: string) => text.replace(line('Newer 2'), (found) => `${' '.repeat(found.length - 1)}\n`),
    { ...whole, '1/2': 'Title 2' },
    'of article 2',
  ],
  [
    'another line, whose checksum holds, stands in the place of one',
    (text: string) => {
      const [older = ''] = line('"title":"Title 2"').exec(text) ?? [];
      return text.replace(line('Newer 3'), older);
    },
    { ...whole, '1/3': 'Title 3' },
    'of article 3',
  ],
  [
    'an id says another live one',
    (text: string) => text.replace('{"id":3,"title":"Newer', '{"id":1,"title":"Newer'),
    whole,
    'a line says article 1, and its checksum is that of article 3: it is read as 3',
  ],
  [
    'the name of a checksum is damaged',
    (text: string) => text.replace(/(Newer 2.*)"etag"/, '$1"etaf"'),
    whole,
    'the name of the checksum of article 2 is damaged, and its text holds',
  ],
] as const)('in a log where %s it is told by name', async (_, change, shown, told) => {
  const found = await opening(await harmed(change));
  expect(found.shown).toEqual(shown);
  expect(found.told).toContain(told);
  const repair = await repairJsonFile(PATH, '/saved.json', await harmed(change));
  expect(repair.problems.map(({ what }) => what).join('\n')).toContain(told);
});

test.each([
  ['a deletion is gone', without('"deleted":true'), 'a deletion is missing, of article 4'],
  ['two newest lines are gone', without('Newer 2', 'Newer 3'), 'older may be shown of any article'],
  [
    'an id is damaged into one that was never given, and the line of another article is gone',
    (text: string) =>
      without('Of the second')(
        text.replace(/\{"id":3,("title":"Newer 3".*"updated":")2/, '{"id":7,$13'),
      ),
    'older may be shown of any article',
  ],
  ['the first blog is gone', (text: string) => text.replace(blogs, '$2\n'), 'blog 1 is not listed'],
  ['the last blog is gone', (text: string) => text.replace(blogs, '$1\n'), 'blog 2 is not listed'],
  [
    'which blogs there were is damaged',
    (text: string) => text.replace('"blogIds":[1,2]', '"blogIds":[2,1]'),
    '"begin" is damaged: it fails its own checksum',
  ],
  [
    'an id is larger than numbers are exact',
    (text: string) =>
      text.replaceAll('{"id":1,"title":"Title', '{"id":9007199254740993,"title":"T'),
    'An article without an id (a whole number from 1 to 9007199254740991)',
  ],
])('a log where %s is refused', async (_, change, told) => {
  const disk = await harmed(change);
  expect(await opening(disk)).toMatchObject({ shown: undefined });
  expect((await opening(disk)).told).toContain(told);
  expect(await checkJsonFile(PATH, disk)).toMatchObject({ verdict: 'broken' });
});

test.each([
  ['gone', without('"deleted":true'), false],
  ['gone beside a lock', without('"deleted":true'), true],
  ['blanked', blanked, false],
  ['blanked beside a lock', blanked, true],
])('a deletion that is proven to be %s is kept by repair', async (_, change, lock) => {
  const disk = await harmed(change, { lock });
  const { problems } = await repairJsonFile(PATH, '/saved.json', disk);
  const saved = await openJsonFile({ path: '/saved.json', fileSystem: disk });
  expect((await saved.read(1, 4)).kind).toBe('gone');
  expect(problems.map(({ what }) => what)).toContain('article 4 is kept deleted');
  expect(await saved.create(1, { title: 'Next' })).toMatchObject({ article: { id: 6 } });
});

test.each([
  [
    'the break between the last two lines is no break',
    (text: string) => text.replace(/\n(,\{"id":2,"title":"Newer 2)/, 'J$1'),
  ],
  [
    'the id of the last line is another',
    (text: string) => text.replace('{"id":2,"title":"Newer 2', '{"id":3,"title":"Newer 2'),
  ],
])('where a crash may have torn the last write and %s nothing is cut', async (_, change) => {
  const { shown, told } = await opening(await harmed(change, { lock: true }));
  expect(shown).toEqual(whole);
  expect(told).not.toContain('of article 3)');
  expect(told).not.toContain('a deletion is missing');
});

test('where a crash may have torn the last write and the commit record is damaged every article is named', async () => {
  const change = (text: string) =>
    without('Newer 3')(text.replace(/("end":\{"articles":)\d/, '$19'));
  const { shown, told } = await opening(await harmed(change, { lock: true }));
  expect(shown).toEqual({ ...whole, '1/3': 'Title 3' });
  expect(told).toContain(
    'nothing tells whether a line is missing of article 1-5 or of any above 5',
  );
});

test('a commit record that stands elsewhere than it says is no crash: a lost deletion brings nothing back', async () => {
  const change = (text: string) => `${without('"deleted":true')(text)},{"id":4,"ti`;
  expect((await opening(await harmed(change, { lock: true }))).shown).toBeUndefined();
});

test('deletions that the list has lost are named, and the highest id is not given again', async () => {
  const { store, disk } = await givenStore(6);
  for (const id of [5, 6]) await store.remove(1, id, anyVersion);
  await store.close();
  disk.put(PATH, textOf(disk).replace('"deleted":[[5,6]]', '"deleted":[]'));
  const { told } = await opening(disk);
  expect(told).toContain('which ids were deleted is in doubt');
  expect(told).toContain('neither an article nor a deletion is there for id 5-6');
  const again = await reopened(disk);
  expect(await again.create(1, { title: 'New' })).toMatchObject({ article: { id: 7 } });
});

test('an article that the list of deleted ids has does not come back', async () => {
  const files = await givenLog();
  const [deleted = ''] = line('"title":"Title 4"').exec(files.get(PATH)?.toString() ?? '') ?? [];
  const disk = await harmed((text) => text.replace('\n],\n"end"', `\n${deleted}],\n"end"`), {
    closed: true,
  });
  expect((await opening(disk)).told).toContain('the list of deleted ids has it');
});

test.each([
  ['line ends of Windows', (text: string) => text.replaceAll('\n', '\r\n'), 'CRLF'],
  ['a byte order mark', (text: string) => `\xef\xbb\xbf${text}`, 'byte order mark'],
])('repair says of %s that nothing else was changed', async (_, change, sign) => {
  const { problems } = await repairJsonFile(PATH, '/saved.json', await harmed(change));
  expect(problems).toHaveLength(1);
  expect(problems[0]?.what).toContain('only its layout was changed');
  expect(problems[0]?.what).toContain(sign);
});

const sealOf = (text: string) => crc32(text).toString(16).padStart(8, '0');

/** The layout of the time before lines were counted. */
function inOldFormat(text: string): string {
  const body = text.slice(0, text.indexOf('],\n"end":')).replace(/,"begin":\{.*\},\n/, ',\n');
  const articles = JSON.parse(text).end.articles;
  const [bytes, crc] = [Buffer.byteLength(body, 'latin1'), crc32(Buffer.from(body, 'latin1'))];
  const sum = crc.toString(16).padStart(8, '0');
  return `${body}],\n"end":{"articles":${articles},"bytes":${bytes},"crc32":"${sum}","from":${bytes},"fromCrc32":"${sum}"}}\n`;
}

test('a file of the time before lines were counted opens as it is, and the next write counts them', async () => {
  const disk = await harmed(inOldFormat);
  const store = await reopened(disk);
  expect(store.recovery.kind).toBe('trusted');
  await store.replace(1, 1, { title: 'New' }, anyVersion);
  const killed = createMemoryFileSystem([[PATH, textOf(disk)]]);
  expect(JSON.parse(textOf(killed)).end).toMatchObject({ lastId: 5, lines: 9 });
  expect((await opening(killed)).told).toBe('');
  killed.put(PATH, textOf(killed).replace(line('"title":"New"'), ''));
  expect((await opening(killed)).told).toContain('of article 1');
});

test('repair takes the version that opening takes, where dates and revisions disagree', async () => {
  const crafted = await harmed((text) => {
    const [newer = ''] = line('Newer 2').exec(text) ?? [];
    const start = newer
      .slice(1, newer.indexOf(',"etag"'))
      .replace(/"updated":"\d{4}/, '"updated":"2020');
    const older = `,${start},"etag":"1-${sealOf(start)}"}\n`;
    return inOldFormat(text.replace(newer, older));
  });
  const { shown } = await opening(crafted);
  await repairJsonFile(PATH, '/saved.json', crafted);
  const saved = await openJsonFile({ path: '/saved.json', fileSystem: crafted });
  const found = await saved.read(1, 2);
  const title = found.kind === 'article' && JSON.parse(found.article.json.toString()).title;
  expect(title).toBe(shown?.['1/2']);
});
