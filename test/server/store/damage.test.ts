import { describe, expect, test } from 'vitest';
import type { FileSystem } from '../../../server/store/file-system/file-system.ts';
import {
  createMemoryFileSystem,
  type MemoryFileSystem,
} from '../../../server/store/file-system/memory-file-system.ts';
import type { JsonFileStore } from '../../../server/store/json-file/json-file-store.ts';
import { UnusableStore } from '../../../server/store/unusable-store.ts';
import { withRot } from './support/changed-files.ts';
import { anyVersion, givenStore, PATH, reopened, textOf } from './support/given-store.ts';

type Damage = (text: string) => string | Buffer;
/** What opening says, on a file that was closed cleanly and on one whose process was killed. */
type Row = readonly [what: string, damage: Damage, clean: string, killed?: string];

const left = 'Nothing was changed.';

const table: readonly Row[] = [
  ['nothing', (text) => text, 'trusted: 5 articles'],
  ['room made for a batch', (text) => text + ' '.repeat(70_000), 'trusted: 5 articles'],
  [
    'room made for a batch, the footer torn',
    (text) => text.slice(0, -40) + ' '.repeat(5000),
    'no-footer: 5 articles',
  ],
  ['a word changed', replaced('Title 2', 'A better title'), 'edited: 5 articles, edited 2'],
  ['a letter changed', replaced('Title 2', 'Title X'), 'edited: 5 articles, edited 2'],
  [
    'a letter changed in the last article',
    replaced('Title 6', 'Title X'),
    'edited: 5 articles, edited 6',
  ],
  ['one bit flipped in a text', replaced('number 4', 'nuMber 4'), 'edited: 5 articles, edited 4'],
  [
    'a member added',
    replaced('"title":"Title 1"', '"tags":["a"],"title":"Title 1"'),
    'edited: 5 articles, edited 1',
  ],
  ['prettified', (text) => JSON.stringify(JSON.parse(text), null, 2), 'reformatted: 5 articles'],
  ['"end" removed', withoutEnd, 'reformatted: 5 articles'],
  ['line ends of Windows', (text) => text.replaceAll('\n', '\r\n'), 'reformatted: 5 articles'],
  ['a byte order mark', (text) => `\u{feff}${text}`, 'reformatted: 5 articles'],
  ['a line doubled', doubled((line) => line), 'reformatted: 5 articles'],
  [
    'a line doubled with another text',
    doubled((line) => line.replace('Title 2', 'Title X')),
    'edited: 5 articles',
  ],
  [
    'a quote removed',
    replaced('"Title 2"', '"Title 2'),
    `damaged: /blog.json:8:28 Expected "," or "}". ${left}`,
  ],
  [
    'a comma removed',
    replaced(',{"id":5', '{"id":5'),
    `damaged: /blog.json:10:1 Expected "," or "]". ${left}`,
    `damaged: /blog.json:11:1 Expected "," or "]". ${left}`,
  ],
  ['the last 40 bytes missing', (text) => text.slice(0, -40), 'no-footer: 5 articles'],
  [
    'cut inside a line',
    (text) => text.slice(0, text.indexOf('Title 5')),
    `damaged: /blog.json:10:18 Unterminated string. ${left}`,
    'torn-tail: 4 articles, cut 18',
  ],
  [
    'cut at the end of a line',
    (text) => text.slice(0, text.indexOf(',{"id":5')),
    `damaged: /blog.json:10:1 The file ends too early. ${left}`,
    'no-footer: 4 articles',
  ],
  [
    'NULs over the last article',
    zeroed('"id":6'),
    `damaged: /blog.json:11:3 Expected a member name in quotes. ${left}`,
    `damaged: /blog.json:12:3 Expected a member name in quotes. ${left}`,
  ],
  [
    'NULs over an article in the middle',
    zeroed('"id":2'),
    `damaged: /blog.json:8:3 Expected a member name in quotes. ${left}`,
  ],
  ['emptied', () => '', `empty: /blog.json is empty. ${left}`],
  [
    'a title that is no string',
    replaced('"Title 2"', '5'),
    `damaged: /blog.json:8:2 Article 2: "title" is no string. ${left}`,
  ],
  ['a byte that is no UTF-8', invalidByte, `damaged: /blog.json:8:2 Invalid UTF-8. ${left}`],
  [
    'the file of another program',
    () => '{"name":"x"}',
    `foreign: /blog.json:1:1 this is no blogctl store: it does not begin with "format": "blogctl/1". ${left}`,
  ],
  [
    'a newer format',
    replaced('blogctl/1', 'blogctl/2'),
    `foreign: /blog.json:1:11 the format "blogctl/2" is not known here, only "blogctl/1". ${left}`,
  ],
];

test.each([
  ['{"posts":[],"tags":[]}', 'blogctl serve --store /blog-blog.json --seed /blog.json'],
  [
    '{"tags":[],"name":"x"}',
    'blogctl articles import /blog.json --list tags --blog file:/blog-blog.json',
  ],
  ['[{"title":"A"}]', 'blogctl articles import /blog.json --blog file:/blog-blog.json'],
  ['{"title":"A","tags":[]}', 'blogctl articles import /blog.json --list tags --blog'],
  ['{"title":"A"}', 'blogctl articles import /blog.json --blog file:/blog-blog.json'],
  ['{"format":"blogctl/2"}', 'Update blogctl to the version that wrote it'],
])('the hint of a file of another program: %s', async (text, hint) => {
  const disk = createMemoryFileSystem(new Map([[PATH, Buffer.from(text)]]));
  const refusal = await reopened(disk).catch((error: unknown) => error);
  expect(refusal).toMatchObject({ code: 'foreign', hint: expect.stringContaining(hint) });
});

describe.each(table.map((row) => [row[0], row] as const))('a store file with %s', (_what, row) => {
  const [, damage, clean, killed = clean] = row;
  test('after a clean stop', async () => {
    expect(await opening(await damagedFiles(damage, 'closed'))).toBe(clean);
  });
  test('after a kill', async () => {
    expect(await opening(await damagedFiles(damage, 'killed'))).toBe(killed);
  });
  test('is left as it is by whoever reads it, and opens trusted once it is confirmed', async () => {
    const files = await damagedFiles(damage, 'killed');
    const disk = createMemoryFileSystem(files);
    const store = await reopened(disk).catch(refused);
    expect(disk.files().get(PATH)).toEqual(files.get(PATH));
    if (store === undefined) return;
    const before = await contentOf(store);
    await store.confirm();
    expect(await contentOf(store)).toEqual(before);
    expect(await isTrusted(disk)).toBe(true);
  });
  test('is left as it is by a store that is opened and closed', async () => {
    const files = await damagedFiles(damage, 'killed');
    const disk = createMemoryFileSystem(files);
    const store = await reopened(disk).catch(refused);
    await store?.close();
    expect(disk.files().get(PATH)).toEqual(files.get(PATH));
  });
});

function refused(error: unknown): undefined {
  if (!(error instanceof UnusableStore)) throw error;
}

async function contentOf(store: JsonFileStore): Promise<unknown> {
  return [await store.blogs(), (await store.page(1, 0, 100))?.articles];
}

async function isTrusted(disk: MemoryFileSystem): Promise<boolean> {
  return (await reopened(createMemoryFileSystem(disk.files()))).recovery.kind === 'trusted';
}

test('spaces that a kill left behind the document are cut off by the end of the next run that writes', async () => {
  const files = await damagedFiles((text) => text + ' '.repeat(5000), 'killed');
  const disk = createMemoryFileSystem(files);
  const store = await reopened(disk);
  await store.create(1, { title: 'New' });
  await store.close();
  expect(textOf(disk)).toMatch(/\}\}\n$/);
});

test('what is cut off is saved aside, byte for byte', async () => {
  const files = await damagedFiles((text) => text.slice(0, text.indexOf('Title 5')), 'killed');
  const disk = createMemoryFileSystem(files);
  const notices: string[] = [];
  const store = await reopened(disk, (notice) => void notices.push(notice));
  await store.confirm();
  const savedAs = /kept in (.*)\.$/.exec(notices.at(-1) ?? '')?.[1];
  expect(savedAs).toMatch(/^\/blog\.json\.torn-2026-01-01T\d{6}\.000Z$/);
  expect(textOf(disk, savedAs)).toBe(',{"id":5,"title":"');
});

test('an article changed by hand is a new version, and a later crash does not lose it', async () => {
  const disk = createMemoryFileSystem(await damagedFiles(replaced('Title 2', 'Better'), 'closed'));
  const store = await reopened(disk);
  const found = await store.read(1, 2);
  expect(found.kind === 'article' && found.article.tag.startsWith('2-')).toBe(true);
  const after = await reopened(createMemoryFileSystem(disk.files()));
  expect(await after.read(1, 2)).toEqual(found);
});

async function damagedFiles(
  damage: Damage,
  how: 'closed' | 'killed',
): Promise<Map<string, Buffer>> {
  const { store, disk } = await givenStore(6);
  await store.remove(1, 3, anyVersion);
  if (how === 'closed') await store.close();
  return new Map([...disk.files(), [PATH, Buffer.from(damage(textOf(disk)))]]);
}

async function opening(files: Map<string, Buffer>): Promise<string> {
  try {
    const store = await reopened(createMemoryFileSystem(files));
    const { kind, edited, cutBytes } = store.recovery;
    const [blog] = await store.blogs();
    const changed = edited.length > 0 ? `, edited ${edited.join(' ')}` : '';
    return `${kind}: ${blog?.total} articles${changed}${cutBytes > 0 ? `, cut ${cutBytes}` : ''}`;
  } catch (error) {
    if (error instanceof UnusableStore) return `${error.code}: ${error.message}`;
    throw error;
  }
}

function replaced(from: string, to: string): Damage {
  return (text) => text.replace(from, to);
}

function withoutEnd(text: string): string {
  const { end: _end, ...document }: Record<string, unknown> = JSON.parse(text);
  return JSON.stringify(document);
}

function doubled(change: (line: string) => string): Damage {
  return (text) => text.replace(/,\{"id":2.*\n/, (line) => line + change(line));
}

function zeroed(from: string): Damage {
  return (text) => {
    const bytes = Buffer.from(text);
    return bytes.fill(0, bytes.indexOf(from), bytes.indexOf(from) + 64);
  };
}

function invalidByte(text: string): Buffer {
  const bytes = Buffer.from(text);
  bytes[bytes.indexOf('Title 2')] = 0xff;
  return bytes;
}

test('an article that was found damaged is known until it is written again', async () => {
  const { store, disk } = await givenStore(3);
  await store.close();
  let isDamaged = false;
  const reading: FileSystem = {
    ...disk,
    open: (path, mode) => {
      const file = disk.open(path, mode);
      const read = (into: Uint8Array, at: number) => {
        const length = file.read(into, at);
        if (isDamaged) into.fill(0x20, 20, 30);
        return length;
      };
      return { ...file, read };
    },
  };
  const opened = await reopened(reading);
  expect(opened.damage()).toBeUndefined();
  isDamaged = true;
  await expect(opened.read(1, 2)).rejects.toMatchObject({ failure: 'damaged' });
  expect(opened.damage()?.message).toContain('Article 2 is damaged on the disk');
  isDamaged = false;
  await opened.replace(1, 2, { title: 'Whole again' }, anyVersion);
  expect(opened.damage()).toBeUndefined();
  await opened.close();
});

test.each([
  ['line ends of Windows', (text: string) => text.replaceAll('\n', '\r\n')],
  ['another layout', (text: string) => JSON.stringify(JSON.parse(text), null, 2)],
  ['an article changed by hand', replaced('Title 4', 'Title X')],
])(
  'with %s an article that is damaged after the opening is not shown, nor sealed',
  async (_, harm) => {
    const disk = createMemoryFileSystem(await damagedFiles(harm, 'closed'));
    const rot = withRot(disk);
    const store = await reopened(rot.disk);
    rot.isOn = true;
    const before = textOf(disk);
    const harmed = { failure: 'damaged', message: expect.stringContaining('Article 2 is damaged') };
    await expect(store.read(1, 2)).rejects.toMatchObject(harmed);
    await expect(store.page(1, 0, 9)).rejects.toMatchObject(harmed);
    await expect(store.create(1, { title: 'New' })).rejects.toMatchObject(harmed);
    expect(textOf(disk)).toBe(before);
    rot.isOn = false;
    expect(await store.create(1, { title: 'New' })).toMatchObject({ kind: 'created' });
  },
);
