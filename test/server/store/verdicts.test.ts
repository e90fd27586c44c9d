import { expect, test } from 'vitest';
import { createMemoryFileSystem } from '../../../server/store/file-system/memory-file-system.ts';
import { checkJsonFile } from '../../../server/store/json-file/check.ts';
import { repairJsonFile } from '../../../server/store/json-file/repair.ts';
import { openJsonFile } from '../../../server/store/json-file/open.ts';
import { UnusableStore } from '../../../server/store/unusable-store.ts';
import { anyVersion, givenStore, PATH, reopened, textOf } from './support/given-store.ts';

/** A log as a killed process leaves it: article 2 in two versions, 3 deleted, 4 and 5 untouched. */
async function givenLog() {
  const { store, disk } = await givenStore(5);
  await store.replace(1, 2, { title: 'Newer 2' }, anyVersion);
  await store.remove(1, 3, anyVersion);
  await store.create(1, { title: 'Title 6' });
  return textOf(disk);
}

async function given(change: (text: string) => string, killed = true) {
  const text = await givenLog();
  if (killed) return disked(change(text));
  const disk = disked(text);
  const store = await reopened(disk);
  await store.compact();
  await store.close();
  return disked(change(textOf(disk)));
}

function disked(text: string) {
  return createMemoryFileSystem([[PATH, text]]);
}

async function opened(disk: ReturnType<typeof disked>) {
  const notices: string[] = [];
  const store = await reopened(disk, (notice) => void notices.push(notice)).catch(refused);
  if (store === undefined) return { titles: undefined, notices };
  const page = await store.page(1, 0, 100);
  const titles = (page?.articles ?? []).map(({ id, json = '' }) => [
    id,
    JSON.parse(json.toString()).title,
  ]);
  return { titles: Object.fromEntries(titles), notices, store };
}

function refused(error: unknown): undefined {
  if (!(error instanceof UnusableStore)) throw error;
}

const whole = { 1: 'Title 1', 2: 'Newer 2', 4: 'Title 4', 5: 'Title 5', 6: 'Title 6' };
const newer2 = /\{"id":2,"title":"Newer 2"/;
const deletion3 = /\{"id":3,"deleted":true/;

test.each([
  [
    'the newest line of an article says another id that has a line: the checksum proves its own',
    (text: string) => text.replace(newer2, '{"id":4,"title":"Newer 2"'),
    whole,
    'a line says article 4, and its checksum is that of article 2: it is read as 2',
  ],
  [
    'a deletion says another id: what was deleted stays deleted',
    (text: string) => text.replace(deletion3, '{"id":5,"deleted":true'),
    whole,
    'a line says article 5, and its checksum is that of article 3: it is read as 3',
  ],
  [
    'the newest text is damaged: the older one, whose checksum holds, is shown',
    (text: string) => text.replace('"Newer 2"', '"Mewer 2"'),
    { ...whole, 2: 'Title 2' },
    'a line of article 2 whose checksum fails is left out: another line of it holds',
  ],
  [
    'the revision of an old line is damaged, which its checksum does not cover',
    (text: string) => text.replace(/("Title 2".*"etag":")1-/, '$19-'),
    whole,
    'the line that was written is not there of article 2',
  ],
  [
    'two lines of an article stand in the wrong order',
    (text: string) => {
      const lines = text.split('\n');
      const [older, newer] = [lines.findIndex((l) => l.includes('Title 2')), 0];
      const at = lines.findIndex((line) => line.includes('Newer 2')) + newer;
      [lines[older], lines[at]] = [lines[at] ?? '', lines[older] ?? ''];
      return lines.join('\n');
    },
    whole,
    'every checksum holds, but the file is not as the store wrote it',
  ],
] as const)('in a log where %s', async (_, change, titles, notice) => {
  const disk = await given(change);
  const { titles: shown, notices, store } = await opened(disk);
  expect(shown).toEqual(titles);
  expect(notices.join('\n')).toContain(notice);
  await store?.confirm();
  await store?.close();
  expect((await opened(disked(textOf(disk)))).titles).toEqual(titles);
});

test('a damaged deletion brings nothing back: the file is refused', async () => {
  const disk = await given((text) => text.replace(/("id":3,"deleted":true,"updated":")2/, '$13'));
  await expect(reopened(disk)).rejects.toMatchObject({
    code: 'damaged',
    message: expect.stringMatching(
      /Article 3 stands there, and a deletion of it whose checksum fails, in line 9 and here/,
    ),
  });
});

test.each([
  ['with a tag', '$1'],
  ['without one', ''],
])(
  'a deletion that begins as a line of another article, %s, beside a line that is gone, brings nothing back',
  async (_, tag) => {
    const deletion = /\{"id":3,"deleted":true(.*)(,"etag":.*)\}/;
    const change = (text: string) =>
      text
        .replace(/,\{"id":5.*\n/, '')
        .replace(deletion, `{"id":4,"title":"Four"$1${tag && '$2'}}`);
    const disk = await given(change);
    await expect(reopened(disk)).rejects.toMatchObject({ code: 'damaged' });
    const { problems } = await repairJsonFile(PATH, '/saved.json', disk);
    expect(problems.map(({ what }) => what).join('\n')).toContain(
      'older may be shown of any article',
    );
  },
);

test.each([
  [
    'an id is damaged into a free one',
    (text: string) => text.replace('{"id":4,', '{"id":7,'),
    'a line says article 7, and its checksum is that of article 4: it is read as 4',
  ],
  [
    'a line is gone',
    (text: string) => text.replace(/,\{"id":4.*\n/, ''),
    'the commit record counts 5 articles, and 4 are there',
  ],
  [
    'a deleted id is forgotten',
    (text: string) => text.replace('"deleted":[3]', '"deleted":[]'),
    'neither an article nor a deletion is there for id 3',
  ],
  [
    'the title of the blog is changed',
    (text: string) => text.replace('"My blog"', '"Mx blog"'),
    'blog 1 was changed by hand or damaged: its checksum fails',
  ],
  [
    'the number of the blog is damaged',
    (text: string) => text.replace('{"id":1,"title":"My blog"', '{"id":3,"title":"My blog"'),
    'blog 1 was changed by hand or damaged: its checksum fails',
  ],
  [
    'the count in the commit record is damaged, and its checksum of all before it holds',
    (text: string) => text.replace('"end":{"articles":5', '"end":{"articles":4'),
    'the commit record is damaged; all before it is as it was written',
  ],
])('in a closed file where %s it is said', async (_, change, notice) => {
  const disk = await given(change, false);
  const before = textOf(disk);
  const { notices, titles } = await opened(disk);
  expect(notices.join('\n')).toContain(notice);
  expect(titles?.['6']).toBe('Title 6');
  expect(textOf(disk)).toBe(before);
  expect(await checkJsonFile(PATH, disk)).toMatchObject({ verdict: 'usable' });
});

test.each(['articles', 'deleted', 'blogs'])(
  'a damaged name of "%s" hides nothing: the file is refused',
  async (name) => {
    const disk = await given(
      (text) => text.replace(`"${name}":`, `"${name.toUpperCase()}":`),
      false,
    );
    await expect(reopened(disk)).rejects.toMatchObject({ code: 'damaged' });
    expect(await checkJsonFile(PATH, disk)).toMatchObject({ verdict: 'broken' });
  },
);

const damagedEnd = (text: string) => text.replace(/("end":.*"crc32":")./, '$1x');
const ofEnd = '/blog.json:13:7 "end" is damaged';
const ofBegin = '/blog.json:1:31 "begin" is damaged';

test.each([
  ['"end"', damagedEnd, ofEnd],
  [
    '"end" and a line',
    (text: string) => damagedEnd(text).replace(/,\{"id":5.*\n/, ''),
    '/blog.json:12:7 "end" is damaged',
  ],
  [
    '"end", in another layout,',
    (text: string) => JSON.stringify(JSON.parse(damagedEnd(text)), undefined, 1),
    '"end" is damaged',
  ],
  ['"begin"', (text: string) => text.replace('"blogsCrc32":"', '"blogsCrc32":"x'), ofBegin],
  ['the name "end"', (text: string) => text.replace('"end":', '"enf":'), 'the name "enf" of'],
  ['the name "begin"', (text: string) => text.replace('"begin":', '"bagin":'), 'the name "bagin"'],
])('where %s is damaged nothing else is proven: the file is refused', async (_, change, words) => {
  const disk = await given(change, false);
  const before = textOf(disk);
  await expect(reopened(disk)).rejects.toMatchObject({
    code: 'damaged',
    message: expect.stringContaining(words),
    hint: expect.stringContaining('` to save what can be saved'),
  });
  const { verdict, problems } = await checkJsonFile(PATH, disk);
  expect([verdict, problems[0]?.what]).toEqual(['broken', expect.stringContaining(words)]);
  const repair = await repairJsonFile(PATH, '/saved.json', disk);
  expect(repair.problems.length).toBeGreaterThan(0);
  const saved = await openJsonFile({ path: '/saved.json', fileSystem: disk });
  expect(saved.recovery.kind).toBe('trusted');
  expect(await saved.read(1, 4)).toMatchObject({ kind: 'article' });
  expect(textOf(disk)).toBe(before);
});

test('repair says which ids may lack a line where the commit record is damaged', async () => {
  const disk = await given((text) => damagedEnd(text).replace(/,\{"id":6.*\n/, ''), false);
  const { problems } = await repairJsonFile(PATH, '/saved.json', disk);
  expect(problems.map(({ what }) => what)).toEqual([
    'the commit record is damaged: nothing tells whether a line is missing of article 1-5 or of any above 5',
  ]);
});

test('a commit record that a crash tore is no reason to refuse', async () => {
  const disk = await given(damagedEnd);
  const lock = { pid: 1, host: 'here', since: '2026-01-01T00:00:00.000Z', nonce: 'a' };
  const bytesAtOpen = textOf(disk).indexOf(',{"id":6');
  disk.put(`${PATH}.lock`, JSON.stringify({ ...lock, bytesAtOpen }));
  const { titles, notices } = await opened(disk);
  expect(titles).toEqual(whole);
  expect(notices.join()).toContain(
    'the commit record is damaged: nothing tells whether a line is missing of article 1-6 or of any above 6',
  );
});

test('lines that are left out are kept beside the file when it is written anew', async () => {
  const disk = await given((text) => text.replace('"Newer 2"', '"Mewer 2"'));
  const { store, notices } = await opened(disk);
  await store?.confirm();
  const savedAs = /kept in (.*)\.$/.exec(notices.at(-1) ?? '')?.[1];
  expect(textOf(disk, savedAs)).toMatch(/^\{"id":2,"title":"Mewer 2".*\}$/);
});

test('a last line that lacks its newline alone is whole', async () => {
  const { store, disk } = await givenStore(2);
  const text = textOf(disk);
  const cut = text.slice(0, text.indexOf('\n],\n"end"'));
  const files = [...disk.files(), [PATH, Buffer.from(cut)] as const];
  const { titles } = await opened(createMemoryFileSystem(files));
  expect(titles).toEqual({ 1: 'Title 1', 2: 'Title 2' });
  await store.close();
});

test('repair says that deletions may be others where only what stands between the lines was changed', async () => {
  const disk = await given((text) => text.replace('"deleted":[3]', '"deleted":[[3,4]]'), false);
  const { problems } = await repairJsonFile(PATH, '/saved.json', disk);
  expect(problems.map(({ what }) => what).join()).toContain('which ids were deleted');
});

const damaged = (id: number) => (text: string) => text.replace(`Newer ${id}`, `Mewer ${id}`);
const broken = (id: number) => (text: string) => text.replace(`Newer ${id}"`, `Newer ${id}`);

async function givenLongLog(change: (text: string) => string) {
  const { store, disk } = await givenStore(6);
  for (const id of [2, 4, 5]) await store.replace(1, id, { title: `Newer ${id}` }, anyVersion);
  await store.remove(1, 3, anyVersion);
  await store.create(1, { title: 'Title 7' });
  return disked(change(textOf(disk)));
}

async function repairedWords(disk: ReturnType<typeof disked>) {
  const { lost, problems } = await repairJsonFile(PATH, '/saved.json', disk);
  return { ids: lost.map(({ id }) => id), words: problems.map(({ what }) => what).join('\n') };
}

test('several lines whose checksums fail are known by what they say where the account proves it: older texts are shown', async () => {
  const disk = await givenLongLog((text) => damaged(5)(damaged(2)(text)));
  const { titles, notices } = await opened(disk);
  expect(titles).toMatchObject({ 2: 'Title 2', 4: 'Newer 4', 5: 'Title 5' });
  expect((await checkJsonFile(PATH, disk)).verdict).toBe('usable');
  for (const id of [2, 5])
    expect(notices.join()).toContain(`a line of article ${id} whose checksum`);
});

test.each([
  ['two lines that cannot be read', (text: string) => broken(5)(broken(2)(text)), [2, 5]],
  ['one, beside one whose checksum fails', (text: string) => broken(5)(damaged(2)(text)), [5]],
])('repair names the articles of %s, and no range of others', async (_, change, ids) => {
  const found = await repairedWords(await givenLongLog(change));
  expect(found.ids).toEqual(ids);
  expect(found.words).toContain('a line is missing, and an older one may be shown, of article 5');
  expect(found.words).not.toContain('any article');
});

test('a line that cannot be read and says another article than its own proves nothing', async () => {
  const change = (text: string) =>
    broken(5)(broken(2)(text)).replace('{"id":2,"title":"Newer', '{"id":4,"title":"Newer');
  const { ids, words } = await repairedWords(await givenLongLog(change));
  expect(ids).toEqual([4, 5]);
  expect(words).toContain('nothing tells whose: older may be shown of any article 1-7');
  const moved = (text: string) =>
    damaged(5)(text).replace('{"id":2,"title":"N', '{"id":4,"title":"M');
  expect((await opened(await givenLongLog(moved))).titles).toBeUndefined();
});

test('repair names the one article whose deletion cannot be read', async () => {
  const change = (text: string) => text.replace('{"id":3,"deleted":true', '{"id":3,"deleted":tru');
  const { ids, words } = await repairedWords(await givenLongLog(change));
  expect(ids).toEqual([3]);
  expect(words).toContain('of article 3 says that it was deleted: it is kept deleted');
  for (const no of ['any article', 'stands there again', 'an older one'])
    expect(words).not.toContain(no);
});

test('an id of a list of deleted ones that is damaged stands for no line that is lost', async () => {
  const { store, disk } = await givenStore(6);
  await store.remove(1, 3, anyVersion);
  await store.compact();
  await store.replace(1, 5, { title: 'Newer 5' }, anyVersion);
  const gone = [/\{"id":5,"title":"Newer 5"[^\n]*\},?\n/, /\{"id":2,[^\n]*\n/];
  const without = (text: string) => gone.reduce((rest, line) => rest.replace(line, ''), text);
  const harmed = disked(without(textOf(disk)).replace('"deleted":[3]', '"deleted":[9]'));
  expect((await opened(harmed)).titles).toBeUndefined();
  const { words } = await repairedWords(harmed);
  expect(words).toContain('nothing tells whose: older may be shown of any article');
});
