import { expect, test } from 'vitest';
import {
  createMemoryFileSystem,
  type MemoryFileSystem,
} from '../../../server/store/file-system/memory-file-system.ts';
import { checkJsonFile } from '../../../server/store/json-file/check.ts';
import { repairJsonFile } from '../../../server/store/json-file/repair.ts';
import { anyVersion, givenStore, PATH, reopened, textOf } from './support/given-store.ts';
import { withChangedFiles } from './support/changed-files.ts';
import { openJsonFile } from '../../../server/store/json-file/open.ts';

async function givenText(): Promise<string> {
  const { store, disk } = await givenStore(6);
  await store.remove(1, 3, anyVersion);
  await store.close();
  return textOf(disk);
}

async function givenFile(change: (text: string) => string): Promise<MemoryFileSystem> {
  return createMemoryFileSystem([[PATH, change(await givenText())]]);
}

test('a file as the store wrote it is sound', async () => {
  const disk = await givenFile((text) => text);
  expect(await checkJsonFile(PATH, disk)).toEqual({ verdict: 'sound', articles: 5, problems: [] });
});

test('an article changed by hand is named with its line and byte, and the file stays as it is', async () => {
  const disk = await givenFile((text) => text.replace('Title 4', 'Title X'));
  const before = textOf(disk);
  expect(await checkJsonFile(PATH, disk)).toEqual({
    verdict: 'usable',
    articles: 5,
    problems: [
      {
        line: 9,
        offset: before.indexOf('{"id":4'),
        what: 'article 4 was changed by hand or damaged: its checksum fails',
      },
    ],
  });
  expect(textOf(disk)).toBe(before);
});

test.each([
  ['whole', (text: string) => text],
  ['cut short', (text: string) => text.slice(0, text.indexOf('Title 5'))],
])(
  'a file of a later version (%s) is not judged, and not written as one of this',
  async (_, harm) => {
    const disk = await givenFile((text) => harm(text.replace('blogctl/1', 'blogctl/2')));
    const newer = {
      code: 'foreign',
      message: expect.stringContaining(' the format "blogctl/2" is not known here'),
      hint: expect.stringContaining('Update blogctl to the version that wrote it'),
    };
    await expect(checkJsonFile(PATH, disk)).rejects.toMatchObject(newer);
    await expect(repairJsonFile(PATH, '/saved.json', disk)).rejects.toMatchObject(newer);
    expect([...disk.files().keys()]).toEqual([PATH]);
  },
);

test('a format whose number is damaged is repaired', async () => {
  const disk = await givenFile((text) => text.replace('blogctl/1', 'blogctl/q'));
  expect(await checkJsonFile(PATH, disk)).toMatchObject({ verdict: 'broken' });
  expect(await repairJsonFile(PATH, '/saved.json', disk)).toMatchObject({ articles: 5 });
});

const lock = (bytesAtOpen: number) =>
  JSON.stringify({ pid: 1, host: 'here', since: '2026-01-01T00:00:00.000Z', bytesAtOpen });

test('a torn tail is named with its place, where a crash can have torn it, and what else may be missing', async () => {
  const disk = await givenFile((text) => text.slice(0, text.indexOf('Title 5')));
  disk.put(`${PATH}.lock`, lock(100));
  expect(await checkJsonFile(PATH, disk)).toEqual({
    verdict: 'usable',
    articles: 3,
    problems: [
      {
        line: 10,
        offset: textOf(disk).indexOf(',{"id":5'),
        ids: [[5, 5]],
        what: '18 bytes from here on are a write that was cut short (of article 5) and are left out; the commit record is missing: nothing tells whether a line is missing of article 1-4 or of any above 4',
      },
    ],
  });
});

test('a file cut short that no crash can have left is broken, as opening it finds', async () => {
  const disk = await givenFile((text) => text.slice(0, text.indexOf('Title 5')));
  expect(await checkJsonFile(PATH, disk)).toMatchObject({ verdict: 'broken' });
  await expect(reopened(disk)).rejects.toMatchObject({ code: 'damaged' });
});

test('what would be refused is broken, with the place', async () => {
  const disk = await givenFile((text) => text.replace('"Title 2"', '"Title 2'));
  expect(await checkJsonFile(PATH, disk)).toMatchObject({
    verdict: 'broken',
    problems: [{ line: 8, what: '/blog.json:8:28 Expected "," or "}". Nothing was changed.' }],
  });
});

test.each([
  ['is empty', '', 'empty', 'remove the file and run `blogctl store init --store /blog.json`.'],
  ['is UTF-16', Buffer.from('\uFEFF{"format":"blogctl/1"}', 'utf16le'), 'foreign', 'as UTF-8'],
  ['has nothing of a store', 'no store', 'damaged', 'Nothing of a store of blogctl is in it'],
  [
    'has the beginning of one',
    '{"format":"blogctl/1",',
    'damaged',
    'remove the file and run `blogctl store init --store /blog.json`.',
  ],
])('of a file that %s a check does not promise a repair', async (_, content, code, hint) => {
  const disk = createMemoryFileSystem([[PATH, content]]);
  const why = { code, hint: expect.stringContaining(hint) };
  await expect(checkJsonFile(PATH, disk)).rejects.toMatchObject(why);
  const repairs = code === 'damaged' ? 'Look for a copy' : hint;
  await expect(repairJsonFile(PATH, '/saved.json', disk)).rejects.toMatchObject({
    hint: expect.stringContaining(repairs),
  });
});

test('repair saves every article that can be read into a new file and names what is lost', async () => {
  const disk = await givenFile((text) => text.replace('"Title 2"', '"Title 2'));
  const before = textOf(disk);
  const repair = await repairJsonFile(PATH, '/saved.json', disk);
  expect(repair).toMatchObject({ savedAs: '/saved.json', articles: 4, newBlogs: false });
  expect(repair.lost).toMatchObject([{ line: 8, id: 2 }]);
  expect(textOf(disk)).toBe(before);
  const saved = await openJsonFile({ path: '/saved.json', fileSystem: disk });
  expect(saved.recovery.kind).toBe('trusted');
  expect((await saved.page(1, 0, 10))?.articles.map(({ id }) => id)).toEqual([1, 4, 5, 6]);
  expect(await saved.read(1, 3)).toMatchObject({ kind: 'gone' });
});

test.each([
  [
    '"content":null',
    (text: string) => text.replace(/"content":"[^"]*number 2[^"]*"/, '"content":null'),
    { title: 'Title 2' },
  ],
  [
    'a byte that is no UTF-8',
    (text: string) => text.replace('Title 2', 'Titl\xe9 2'),
    { title: 'Titl\uFFFD 2' },
  ],
])('repair keeps what can be read of an article with %s, and names it', async (_, change, kept) => {
  const bytes = Buffer.from(change(await givenText()), 'latin1');
  const disk = createMemoryFileSystem([[PATH, bytes]]);
  const repair = await repairJsonFile(PATH, '/saved.json', disk);
  expect(repair).toMatchObject({ articles: 5, lost: [], unverified: [2] });
  const saved = JSON.parse(textOf(disk, '/saved.json')).articles;
  expect(saved[1]).toMatchObject({ id: 2, ...kept });
});

test('an article that could not be read keeps its number: it is given to no other', async () => {
  const disk = await givenFile((text) => text.slice(0, text.indexOf('"Title 6"')));
  const repair = await repairJsonFile(PATH, '/saved.json', disk);
  expect(repair.lost).toMatchObject([{ id: 6 }]);
  const saved = await openJsonFile({ path: '/saved.json', fileSystem: disk });
  expect(await saved.create(1, { title: 'Next' })).toMatchObject({ article: { id: 7 } });
});

test('repair reads articles and blogs in any layout, and says that deletions may be forgotten', async () => {
  const disk = await givenFile((text) =>
    JSON.stringify(JSON.parse(text), null, 2).replace('"format"', 'format'),
  );
  const repair = await repairJsonFile(PATH, '/saved.json', disk);
  expect(repair).toMatchObject({ articles: 5, newBlogs: false });
  expect(repair.problems[0]?.what).toContain('check the blogs and the deleted ids');
  const saved = await openJsonFile({ path: '/saved.json', fileSystem: disk });
  expect((await saved.blogs())[0]?.title).toBe('My blog');
});

/** As `jq -S` and formatters of JSON that sort the names of members write it. */
function sorted(text: string): string {
  const inOrder = (_: string, value: unknown) =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : value;
  return JSON.stringify(JSON.parse(text), inOrder, 2);
}

test('a file whose members were sorted by name is opened, and nothing in it is in doubt', async () => {
  const disk = await givenFile(sorted);
  const found = await checkJsonFile(PATH, disk);
  expect(found).toMatchObject({ verdict: 'usable', articles: 5 });
  expect(found.problems.map(({ what }) => what)).toEqual([
    expect.stringContaining('only its layout was changed'),
  ]);
  const store = await reopened(disk);
  expect((await store.read(1, 3)).kind).toBe('gone');
  expect(await store.create(1, { title: 'Next' })).toMatchObject({ article: { id: 7 } });
  await store.close();
  expect((await checkJsonFile(PATH, disk)).verdict).toBe('sound');
});

test.each([
  ['a record that is damaged', (text: string) => text.replace(/"check": "\w/, '"check": "x')],
  ['broken JSON', (text: string) => text.replace('"blogs":', '"blogs"')],
])('repair of a sorted file with %s forgets no deletion and gives no id again', async (_, harm) => {
  const whole = await givenText();
  const deleting = createMemoryFileSystem([[PATH, whole]]);
  const store = await reopened(deleting);
  await store.remove(1, 6, anyVersion);
  await store.close();
  const disk = createMemoryFileSystem([[PATH, harm(sorted(textOf(deleting)))]]);
  expect((await checkJsonFile(PATH, disk)).verdict).toBe('broken');
  await repairJsonFile(PATH, '/saved.json', disk);
  const saved = await openJsonFile({ path: '/saved.json', fileSystem: disk });
  for (const id of [3, 6]) expect((await saved.read(1, id)).kind).toBe('gone');
  expect(await saved.create(1, { title: 'Next' })).toMatchObject({ article: { id: 7 } });
});

test('repair never writes over a file', async () => {
  const disk = await givenFile((text) => text);
  await expect(repairJsonFile(PATH, PATH, disk)).rejects.toMatchObject({ code: 'exists' });
  expect((await reopened(disk)).recovery.kind).toBe('trusted');
});

test('a blog that is not listed any more comes back under a made-up title, and is told', async () => {
  const { store, disk } = await givenStore(2);
  await store.addBlog({ title: 'Second', description: '' });
  await store.create(2, { title: 'Of the second' });
  await store.close();
  const broken = createMemoryFileSystem([
    [PATH, textOf(disk).replace(/,\{"id":2,"title":"Second".*\n/, '')],
  ]);
  expect(await checkJsonFile(PATH, broken)).toMatchObject({ verdict: 'broken' });
  const repair = await repairJsonFile(PATH, '/saved.json', broken);
  expect(repair).toMatchObject({ articles: 3, newBlogs: true });
  const saved = await openJsonFile({ path: '/saved.json', fileSystem: broken });
  expect((await saved.blogs()).map(({ title }) => title)).toEqual(['My blog', 'Blog 2']);
  expect((await saved.page(2, 0, 9))?.blog.total).toBe(1);
});

test('a blog that neither the list nor "deleted" has any more is a reason to refuse', async () => {
  const { store, disk } = await givenStore(2);
  await store.addBlog({ title: 'Second', description: '' });
  await store.close();
  const without = textOf(disk).replace(/,\{"id":2,"title":"Second".*\n/, '');
  const broken = createMemoryFileSystem([[PATH, without.replace(/"deleted":.*/, '"deleted":[],')]]);
  await expect(reopened(broken)).rejects.toThrow('blog 2 is not listed any more');
});

test.each([
  ['mounted by itself', { isMountPoint: () => true }, 'is a file mounted by itself'],
  [
    'in a folder that cannot be written',
    { requireWritable: refusing },
    'EACCES: permission denied',
  ],
])('what is %s is read, not sound', async (_, how, why) => {
  const { disk } = await givenStore(1);
  expect(await checkJsonFile(PATH, { ...disk, ...how })).toMatchObject({
    verdict: 'read-only',
    articles: 1,
    problems: [{ what: expect.stringContaining(why) }],
  });
});

function refusing(): never {
  const error = new Error("EACCES: permission denied, access '/'");
  throw Object.assign(error, { code: 'EACCES', syscall: 'access' });
}

/** What a copy made in that moment may be: nothing tells that a crash tore it. */
async function repairedCut(cut: (text: string) => string) {
  const { store, disk } = await givenStore(3);
  await store.replace(1, 1, { title: 'Newer', content: '"deleted":true' }, anyVersion);
  await store.remove(1, 2, anyVersion);
  const copy = createMemoryFileSystem([[PATH, cut(textOf(disk))]]);
  const repair = await repairJsonFile(PATH, '/saved.json', copy);
  const saved = await openJsonFile({ path: '/saved.json', fileSystem: copy });
  const kinds = [];
  for (const id of [1, 2, 3]) kinds.push((await saved.read(1, id)).kind);
  const next = await saved.create(1, { title: 'Next' });
  await saved.close();
  return { words: repair.problems.map(({ what }) => what).join('\n'), kinds, next };
}

const tombstone = ',{"id":2,"deleted":true';

test.each(Array.from({ length: tombstone.length - 7 }, (_, at) => tombstone.slice(0, at + 8)))(
  'a deletion of which no more is left than %s does not come back by repair',
  async (left) => {
    const cut = (text: string) => text.slice(0, text.indexOf(tombstone) + left.length);
    const { words, kinds, next } = await repairedCut(cut);
    expect(kinds).toEqual(['article', 'gone', 'article']);
    expect(words).toMatch(
      left.includes('"d')
        ? 'of article 2 says that it was deleted: it is kept deleted'
        : `left of a line of article 2${left.endsWith('2') ? ', or of one whose id begins so,' : ''} was its deletion`,
    );
    expect(next).toMatchObject({ article: { id: 4 } });
  },
);

test('what is left of a change is no deletion, whatever its text says', async () => {
  const cut = (text: string) => text.slice(0, text.indexOf('deleted\\":') + 12);
  const { words, kinds } = await repairedCut(cut);
  expect(kinds).toEqual(['article', 'article', 'article']);
  expect(words).not.toContain('deletion');
});

test('an article beside a deletion of it whose checksum fails stays deleted by repair', async () => {
  const { words, kinds } = await repairedCut((text) =>
    text.replace(/("deleted":true,"updated":")2/, '$13'),
  );
  expect(kinds).toEqual(['article', 'gone', 'article']);
  expect(words).toContain('a deletion of it whose checksum fails: it is kept deleted');
});

test('the deletion that is left of a line is of the blog that it names', async () => {
  const { store, disk } = await givenStore(1);
  await store.addBlog({ title: 'Second', description: '' });
  await store.create(2, { title: 'Of the second' });
  await store.remove(2, 2, anyVersion);
  const text = textOf(disk);
  const copy = createMemoryFileSystem([[PATH, text.slice(0, text.indexOf('"deleted":true,'))]]);
  await repairJsonFile(PATH, '/saved.json', copy);
  expect(textOf(copy, '/saved.json')).toContain('"deleted":{"1":[],"2":[2]}');
});

test('of many lost ids the words say how many more there are, and the member has them all', async () => {
  const { store, disk } = await givenStore(60);
  await store.close();
  const everyOther = (line: string) => /^,?\{"id":\d*[02468],"title":"Title/.test(line);
  const lines = textOf(disk).split('\n');
  disk.put(PATH, lines.filter((line) => !everyOther(line)).join('\n'));
  const lost = Array.from({ length: 30 }, (_, at) => [2 * at + 2, 2 * at + 2]);
  const named = {
    what: expect.stringMatching(/^neither an article nor .* for id 2, 4, .*, 40 and 10 more$/),
    ids: lost,
  };
  expect((await checkJsonFile(PATH, disk)).problems).toContainEqual(named);
  const { problems } = await repairJsonFile(PATH, '/saved.json', disk);
  expect(problems).toContainEqual(named);
});

test('a member that goes on for lines of its own stays in its article, and becomes none', async () => {
  const comments =
    '"comments":[{"id":7,"title":"c"}\n,{"id":8,"title":"d","content":"no article"}\n]';
  const text = `{"format":"blogctl/1","blogs":[{"id":1,"title":"T"}],"articles":[
{"id":1,"title":"a","content":"x",${comments}}
,{"id":2,"title":"b","content":"y"}
] broken`;
  const disk = createMemoryFileSystem([[PATH, text]]);
  await repairJsonFile(PATH, '/saved.json', disk);
  const { articles } = JSON.parse(textOf(disk, '/saved.json'));
  expect(articles.map(({ id }: { id: number }) => id)).toEqual([1, 2]);
});

test('a file in which every line is broken is read a few times over, not once for each line', async () => {
  const { store, disk } = await givenStore();
  const content = 'x'.repeat(10_000);
  for (let id = 1; id <= 300; id += 1) await store.create(1, { title: `Title ${id}`, content });
  await store.close();
  disk.put(PATH, textOf(disk).replaceAll(/("title":"Title.*)\}\n/g, '$1\n'));
  let bytes = 0;
  const counting = withChangedFiles(disk, (file) => ({
    read: (target, position) => {
      const count = file.read(target, position);
      bytes += count;
      return count;
    },
  }));
  expect(await checkJsonFile(PATH, counting)).toMatchObject({ verdict: 'broken' });
  await expect(repairJsonFile(PATH, '/saved.json', counting)).resolves.toMatchObject({
    articles: 0,
    lost: { length: 300 },
  });
  expect(bytes / textOf(disk).length).toBeLessThan(30);
});
