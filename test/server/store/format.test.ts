import { expect, test } from 'vitest';
import { createJsonFile } from '../../../server/store/json-file/create.ts';
import {
  composeLine,
  privateMembers,
} from '../../../server/store/json-file/format/article-line.ts';
import { keyOfLine, timeAt } from '../../../server/store/json-file/format/line-bytes.ts';
import { createMemoryFileSystem } from '../../../server/store/file-system/memory-file-system.ts';
import {
  afterKill,
  anyVersion,
  givenStore,
  PATH,
  reopened,
  textOf,
} from './support/given-store.ts';

test.each(['1970-01-01T00:00:00.000Z', '2024-02-29T23:59:59.999Z', '9999-12-31T00:00:00.001Z'])(
  'the time %s is read from its digits',
  (text) => {
    expect(timeAt(Buffer.from(`"${text}"`), 1)).toBe(Date.parse(text));
  },
);

test.each(['2024-02-29T23:59:59.99', '2024-02-29 noon', ''])('%j is no time', (text) => {
  expect(timeAt(Buffer.from(text), 0)).toBeNaN();
});

test.each([
  ['a plain line', '', undefined],
  ['a line with a key', ',"key":["aa","bb"]', 'aa'],
  ['a locked line with a key', ',"key":["aa","bb"],"locked":true', 'aa'],
  ['a line with a key and a date of somebody', ',"key":["aa","bb"],"at":"2026-01-01"', 'aa'],
  ['a line that only speaks of keys', ',"note":"\\"key\\":[\\"cc\\"]"', undefined],
])('the key of %s is found', (_, privateText, key) => {
  const draft = { title: ',"key":["dd', content: ',"updated":"' };
  const privates = privateMembers(privateText);
  const line = { id: 1, blog: undefined, draft, updatedAt: 1, privates, revision: 12 };
  const { bytes } = composeLine(line);
  expect(keyOfLine(bytes, 1, bytes.length - 1)).toBe(key);
});

/** Dates and checksums depend on the clock of the machine that made the file. */
function shape(text: string): string {
  return text
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'DATE')
    .replaceAll(/[0-9a-f]{8}"/g, 'CRC"')
    .replaceAll(/("bytes"|"from"):\d+/g, '$1:N');
}

test('while it runs the file is a log of lines with leading commas and a footer', async () => {
  const { store, disk } = await givenStore();
  await store.create(1, { title: 'Hello', content: 'First "line"\nsecond' });
  await store.create(
    1,
    { title: 'Café', content: 'naïve' },
    { idempotency: { key: 'aa', request: 'bb' } },
  );
  await store.create(1, { title: 'Gone soon' });
  await store.remove(1, 3, anyVersion);
  await store.replace(1, 2, { title: 'Café, second edition' }, anyVersion);
  expect(shape(textOf(disk)))
    .toBe(`{"format":"blogctl/1","begin":{"blogIds":[1],"blogsCrc32":"CRC","deletedCrc32":"CRC","check":"CRC"},
"blogs":[
{"id":1,"title":"My blog","description":"About","etag":"1-CRC","changed":"DATE"}
],
"deleted":[],
"articles":[
{"id":1,"title":"Hello","content":"First \\"line\\"\\nsecond","updated":"DATE","etag":"1-CRC"}
,{"id":2,"title":"Café","content":"naïve","updated":"DATE","key":["aa","bb"],"etag":"1-CRC"}
,{"id":3,"title":"Gone soon","updated":"DATE","etag":"1-CRC"}
,{"id":3,"deleted":true,"updated":"DATE","etag":"2-CRC"}
,{"id":2,"title":"Café, second edition","updated":"DATE","key":["aa","bb"],"etag":"2-CRC"}
],
"end":{"articles":2,"bytes":N,"crc32":"CRC","from":N,"fromCrc32":"CRC","lastId":3,"lines":5,"sum":"CRC","idSum":"CRC","check":"CRC"}}
`);
  expect(JSON.parse(textOf(disk))).toMatchObject({ format: 'blogctl/1', end: { articles: 2 } });
});

test('a file made with articles is as they are created one by one, and whole before it has its name', async () => {
  const articles = [
    { title: 'Without content' },
    { title: '"Quotes" \\ and\nlines', content: ',"updated":"' },
    ...Array.from({ length: 1500 }, (_, at) => ({ title: `č ${at}`, content: '😀' })),
  ];
  const one = await givenStore();
  for (const article of articles) await one.store.create(1, article);
  await one.store.close();

  const disk = createMemoryFileSystem();
  let named = '';
  const link = (from: string, to: string) => {
    named = textOf(disk, from);
    disk.link(from, to);
  };
  const blog = { title: 'My blog', description: 'About' };
  await createJsonFile(PATH, { ...blog, articles }, { ...disk, link });
  expect(shape(named)).toBe(shape(textOf(one.disk)));
  const notices: string[] = [];
  const store = await reopened(disk, (notice) => notices.push(notice));
  expect(notices).toEqual([]);
  expect(await store.create(1, { title: 'Next' })).toMatchObject({ article: { id: 1503 } });
});

test('after a clean stop ids ascend, one line each, deletions are ranges, a key outlives its article', async () => {
  const { store, disk } = await givenStore(5);
  await store.create(1, { title: 'Keyed' }, { idempotency: { key: 'aa', request: 'bb' } });
  for (const id of [3, 4, 6]) await store.remove(1, id, anyVersion);
  await store.replace(1, 2, { title: 'Second' }, anyVersion);
  await store.close();
  expect(shape(textOf(disk)))
    .toBe(`{"format":"blogctl/1","begin":{"blogIds":[1],"blogsCrc32":"CRC","deletedCrc32":"CRC","check":"CRC"},
"blogs":[
{"id":1,"title":"My blog","description":"About","etag":"1-CRC","changed":"DATE"}
],
"deleted":[[3,4]],
"articles":[
{"id":1,"title":"Title 1","content":"Content number 1 with some text","updated":"DATE","etag":"1-CRC"}
,{"id":2,"title":"Second","updated":"DATE","etag":"2-CRC"}
,{"id":5,"title":"Title 5","content":"Content number 5 with some text","updated":"DATE","etag":"1-CRC"}
,{"id":6,"deleted":true,"updated":"DATE","key":["aa","bb"],"etag":"2-CRC"}
],
"end":{"articles":3,"bytes":N,"crc32":"CRC","from":N,"fromCrc32":"CRC","lastId":6,"lines":4,"sum":"CRC","idSum":"CRC","check":"CRC"}}
`);
  const { end } = JSON.parse(textOf(disk));
  expect(end.from).toBe(end.bytes);
  expect([...disk.files().keys()]).toEqual([PATH]);
});

test('a new article is one added line: no byte of an acknowledged line is written again', async () => {
  const { store, disk } = await givenStore(3);
  const before = textOf(disk);
  await store.create(1, { title: 'Next' });
  const body = before.slice(0, before.indexOf('],\n"end"'));
  expect(textOf(disk).startsWith(`${body},{"id":4,"title":"Next",`)).toBe(true);
});

test('members the store does not know are kept through changes and compaction, and not shown', async () => {
  const { store, disk } = await givenStore(2);
  await store.close();
  const edited = textOf(disk)
    .replace('"deleted":[]', '"note":{"by": "hand"},\n"deleted":[]')
    .replace('"title":"Title 1"', '"title":"Title 1","tags":["a", 1.50]');
  const reopenedStore = await reopened(createMemoryFileSystem([[PATH, edited]]));
  const found = await reopenedStore.read(1, 1);
  expect(found.kind === 'article' && found.article.json.toString()).toBe(
    '{"id":1,"title":"Title 1","content":"Content number 1 with some text"}',
  );
});

test('unknown members survive a replacement', async () => {
  const { store, disk } = await givenStore(1);
  await store.close();
  const edited = createMemoryFileSystem([
    [PATH, textOf(disk).replace('"title":"Title 1"', '"title":"Title 1","tags":["a", 1.50]')],
  ]);
  const again = await reopened(edited);
  await again.replace(1, 1, { title: 'New' }, anyVersion);
  await again.compact();
  expect(textOf(edited)).toContain('"tags":["a",1.50],"etag":"3-');
});

test('a second blog numbers its articles on, names itself in its lines and keeps its own deletions', async () => {
  const { store, disk } = await givenStore(2);
  expect(await store.addBlog({ title: 'Other', description: '' })).toBe(2);
  await store.create(2, { title: 'There' });
  await store.create(2, { title: 'Not for long' });
  await store.remove(2, 4, anyVersion);
  await store.remove(1, 1, anyVersion);
  expect(await store.read(1, 3)).toMatchObject({ kind: 'absent' });
  await store.close();
  expect(textOf(disk)).toContain('"deleted":{"1":[1],"2":[4]}');
  expect(textOf(disk)).toContain(',{"id":3,"blog":2,"title":"There",');
  const again = await reopened(disk);
  expect(await again.read(2, 4)).toMatchObject({ kind: 'gone' });
  expect(await again.read(1, 4)).toMatchObject({ kind: 'absent' });
  expect((await again.blogs()).map(({ id, total }) => [id, total])).toEqual([
    [1, 1],
    [2, 1],
  ]);
  const found = await again.read(2, 3);
  expect(found.kind === 'article' && found.article.json.toString()).toBe(
    '{"id":3,"title":"There"}',
  );
});

test('the last change of a blog survives restart and compaction, deletions included', async () => {
  const { store, disk } = await givenStore(3);
  await store.remove(1, 3, anyVersion);
  const changedAt = (await store.blog(1))?.changedAt;
  expect((await (await reopened(afterKill(disk))).blog(1))?.changedAt).toBe(changedAt);
  await store.close();
  expect((await (await reopened(afterKill(disk))).blog(1))?.changedAt).toBe(changedAt);
});
