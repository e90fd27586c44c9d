import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { checkJsonFile } from '../../../server/store/json-file/check.ts';
import { openJsonFile, type OpenOptions } from '../../../server/store/json-file/open.ts';
import type { OpenMode } from '../../../server/store/file-system/file-system.ts';
import {
  createMemoryFileSystem,
  type MemoryFileSystem,
} from '../../../server/store/file-system/memory-file-system.ts';
import { givenService, type TestService } from '../../support/service.ts';
import {
  afterKill,
  anyVersion,
  givenStore,
  numbered,
  PATH,
  reopened,
  textOf,
} from './support/given-store.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] }));
afterEach(() => void vi.useRealTimers());

async function given(watch: boolean) {
  const { store: first, disk } = await givenStore(3);
  await first.close();
  const notices: string[] = [];
  const report = (notice: string) => void notices.push(notice);
  const store = await openJsonFile({ path: PATH, fileSystem: disk, report, watch });
  await store.create(1, numbered(4));
  const service = await givenService(() => ({ store }));
  return { store, disk, notices, service };
}

/** A second passes: the file is looked at. */
async function aSecond(): Promise<void> {
  await vi.advanceTimersByTimeAsync(1000);
}

async function health({ send }: TestService): Promise<[number, string]> {
  const { status, text } = await send('GET', '/health');
  return [status, text];
}

type Way = (disk: MemoryFileSystem) => void;
const ways: readonly (readonly [string, Way])[] = [
  ['truncated', (disk) => disk.put(PATH, textOf(disk).slice(0, 200), 'in-place')],
  ['emptied', (disk) => disk.put(PATH, '', 'in-place')],
  ['written in place', (disk) => disk.put(PATH, textOf(disk).replace('Title 1', 'X'), 'in-place')],
  ['replaced by an older one', (disk) => disk.put(PATH, textOf(disk).replace(/,\{"id":4.*\n/, ''))],
  ['replaced by something else', (disk) => disk.put(PATH, 'no store')],
];

test.each(ways)(
  'a file that is %s is noticed within a second: log, health and writes say so',
  async (_, harm) => {
    const { store, disk, notices, service } = await given(false);
    expect((await health(service))[0]).toBe(200);
    harm(disk);
    await aSecond();
    expect(notices).toHaveLength(1);
    expect(notices[0]).toMatch(/was (changed|replaced) by another program\. Changes are refused/);
    expect(notices[0]).toContain('A restart takes the file as it is; with --watch');
    const [status, text] = await health(service);
    expect(status).toBe(503);
    for (const word of ['store-changed', 'restart', '--watch', 'log']) expect(text).toContain(word);
    await expect(store.create(1, numbered(5))).rejects.toMatchObject({
      failure: 'changed-outside',
    });
    await aSecond();
    expect(notices).toHaveLength(1);
  },
);

/** The same line of another version, as long and at the same place. */
async function givenOlderAlike() {
  const { store: first, disk } = await givenStore(2);
  await first.compact();
  const older = textOf(disk);
  await first.replace(1, 1, { ...numbered(1), title: 'Title X' }, anyVersion);
  await first.close();
  const store = await reopened(disk);
  await store.compact();
  return { store, disk, older };
}

test.each([
  ['in-place', 'Their texts were written over.', []],
  [
    'replaced',
    'Their last texts are in /blog.json.orphan-',
    [expect.stringMatching(/"acknowledged"/)],
  ],
] as const)(
  'a text that was edited (%s) is not vouched for, and kept where the old file has it',
  async (how, told, kept) => {
    const { store, disk } = await given(false);
    await store.replace(1, 1, { title: 'Precious', content: 'acknowledged' }, anyVersion);
    await store.compact();
    disk.put(PATH, textOf(disk).replace('acknowledged', 'gone for good'), how);
    await aSecond();
    await store.close();
    const edited = 'Articles whose texts there fail their checksums, edited by hand or damaged: 1.';
    expect(store.loss).toContain(`${edited} ${told}`);
    const aside = [...disk.files()].filter(([path]) => path.includes('.orphan-'));
    expect(aside.map(([, text]) => text.toString())).toEqual(kept);
  },
);

test.each(['in-place', 'replaced'] as const)(
  'an older version that stands where the newer one stood (%s) is not taken for it',
  async (how) => {
    const { store, disk, older } = await givenOlderAlike();
    expect(older.indexOf('"id":1')).toBe(textOf(disk).indexOf('"id":1'));
    disk.put(PATH, older, how);
    await store.close();
    expect(store.loss).toContain('Articles missing or older in the new file: 1.');
  },
);

test.each(['in-place', 'replaced'] as const)(
  'a file in another layout (%s), or with what was added to it, has everything',
  async (how) => {
    const { store, disk, notices } = await given(false);
    const elsewhere = createMemoryFileSystem([[PATH, textOf(disk)]]);
    const other = await reopened(elsewhere);
    await other.create(1, numbered(5));
    if (how === 'replaced') await other.replace(1, 2, { title: 'Newer' }, anyVersion);
    await other.close();
    disk.put(PATH, JSON.stringify(JSON.parse(textOf(elsewhere)), undefined, 2), how);
    await store.close();
    expect(store.loss).toBeUndefined();
    expect(notices.at(-1)).toContain('Everything acknowledged is in it.');
  },
);

test('a file that was edited before it was served, and is written again as it was, has lost nothing', async () => {
  const { store: first, disk } = await givenStore(2);
  await first.close();
  const edited = textOf(disk).replace('Title 1', 'Title Y');
  disk.put(PATH, edited, 'replaced');
  const store = await reopened(disk);
  disk.put(PATH, edited, 'replaced');
  await store.close();
  expect(store.loss).toBeUndefined();
});

test.each([
  ['newest', 'in-place', ''],
  ['older', 'in-place', 'fail their checksums, edited by hand or damaged: 4'],
  ['older', 'replaced', 'fail their checksums, edited by hand or damaged: 4'],
] as const)(
  'with --watch an edit of the %s version (%s) is held to be one',
  async (edits, how, told) => {
    const { store, disk } = await given(true);
    const before = textOf(disk);
    await store.replace(1, 4, { title: 'Acknowledged' }, anyVersion);
    await store.compact();
    const text = edits === 'older' ? before : textOf(disk);
    disk.put(PATH, text.replace(/"id":4,"title":"[^"]*"/, '"id":4,"title":"Edited"'), how);
    await aSecond();
    await store.close();
    expect(store.loss ?? '').toContain(told);
    expect(store.loss === undefined).toBe(told === '');
  },
);

test('of a file that is moved no copy is made: changes are refused until it has its name again', async () => {
  const { store, disk, notices, service } = await given(false);
  disk.rename(PATH, '/elsewhere.json');
  await aSecond();
  expect(notices).toEqual([
    '/blog.json was moved by another program. Changes are refused until it has its name again.',
  ]);
  const refused = {
    failure: 'changed-outside',
    message: '/blog.json was moved by another program.',
  };
  // Before anybody asks for a change.
  expect(store.writesRefused()).toMatchObject(refused);
  await expect(store.create(1, numbered(5))).rejects.toMatchObject(refused);
  expect((await service.send('GET', `/api/v1.2/blogs/1/articles/1`)).status).toBe(200);
  expect(textOf(disk)).toBe('');
  disk.rename('/elsewhere.json', PATH);
  await aSecond();
  expect(store.writesRefused()).toBeUndefined();
  expect((await store.create(1, numbered(5))).kind).toBe('created');
  disk.rename(PATH, '/elsewhere.json');
  await store.close();
  expect(store.loss).toContain('it was moved, with everything acknowledged in it.');
  expect(textOf(disk)).toBe('');
});

test('a file that was moved and then removed takes changes again: the next one puts it back', async () => {
  const { store, disk } = await given(false);
  disk.rename(PATH, '/elsewhere.json');
  await aSecond();
  expect(store.writesRefused()).toBeDefined();
  disk.remove('/elsewhere.json');
  await aSecond();
  expect(store.writesRefused()).toBeUndefined();
  expect((await store.create(1, numbered(5))).kind).toBe('created');
  await store.close();
});

test('of a file that is put back nothing is said, however often it was replaced before', async () => {
  const { disk, notices } = await given(false);
  const good = textOf(disk);
  disk.put(PATH, good.replace(/,\{"id":4.*\n/, ''));
  await aSecond();
  disk.put(PATH, good);
  await aSecond();
  expect(notices).toHaveLength(1);
  expect(notices[0]).toContain('Articles missing or older in the new file: 4.');
});

test('with --watch a broken file is reported once and fails health until it can be read', async () => {
  const { disk, notices, service } = await given(true);
  const good = textOf(disk);
  disk.put(PATH, good.replace('"Title 2"', '"Title 2'));
  await aSecond();
  await aSecond();
  expect(notices).toHaveLength(1);
  expect(notices[0]).toContain('/blog.json:8:28 Expected');
  expect((await health(service))[0]).toBe(503);
  disk.put(PATH, good);
  await aSecond();
  expect((await health(service))[0]).toBe(200);
});

test('a file that is removed is told, and is there again at the end', async () => {
  const { store, disk, notices } = await given(false);
  disk.remove(PATH);
  await aSecond();
  expect(notices[0]).toContain('/blog.json was removed by another program. The next change');
  await store.close();
  expect(store.loss).toBeUndefined();
  expect(JSON.parse(textOf(disk)).end.articles).toBe(4);
});

/** Nothing was written since it was opened. */
async function onlyRead(options: Partial<OpenOptions> = {}) {
  const { store: first, disk } = await givenStore(3);
  await first.close();
  const notices: string[] = [];
  const report = (notice: string) => void notices.push(notice);
  const store = await openJsonFile({ path: PATH, fileSystem: disk, report, ...options });
  return { store, disk, notices };
}

test.each([
  ['whole', (text: string) => text, 'trusted'],
  ['edited', (text: string) => text.replace('Title 2', 'Edited'), 'edited'],
  ['of another layout', (text: string) => JSON.stringify(JSON.parse(text), null, 2), 'edited'],
])('a file (%s) that was only read and is removed is there again at the end', async (_, edit) => {
  const { disk } = await onlyRead();
  const before = edit(textOf(disk));
  const again = createMemoryFileSystem([[PATH, before]]);
  const notices: string[] = [];
  const store = await reopened(again, (notice) => void notices.push(notice));
  again.remove(PATH);
  await store.close();
  expect(store.loss).toBeUndefined();
  expect(notices.at(-1)).toBe('/blog.json was removed by another program and has been put back.');
  expect(textOf(again)).toBe(before);
  expect([...again.files().keys()]).toEqual([PATH]);
});

test('a file with damage in it that is removed comes back as it was, and writes go on', async () => {
  const { store, disk } = await given(false);
  const at = textOf(disk).indexOf('number 2');
  disk.open(PATH, 'update').write(Buffer.from('Xumber 2'), at);
  disk.remove(PATH);
  expect((await store.create(1, numbered(5))).kind).toBe('created');
  expect(textOf(disk)).toContain('Xumber 2');
});

test.each(ways.filter(([way]) => way !== 'written in place' && way !== 'replaced by an older one'))(
  'what was only read and is not in a file that is %s is told at the end',
  async (_, harm) => {
    const { store, disk } = await onlyRead();
    harm(disk);
    await store.close();
    expect(store.loss).toMatch(
      /^\/blog\.json was .* The file cannot be read as a store\. Acknowledged articles: 1-3\./,
    );
  },
);

test('what is only to be read is not written back, and that is told', async () => {
  const { store, disk } = await onlyRead({ readOnly: true });
  disk.remove(PATH);
  await store.close();
  expect(store.loss).toBe(
    '/blog.json was removed by another program. It was only read, so it was not put back.',
  );
  expect(disk.files().size).toBe(0);
});

test.each([
  [
    'moved',
    (disk: MemoryFileSystem) => disk.rename(PATH, '/moved.json'),
    'it was moved, with everything',
  ],
  [
    'removed',
    (disk: MemoryFileSystem) => disk.remove(PATH),
    'Acknowledged articles: 1-4. Their last',
  ],
])(
  'of a file that is %s together with its lock no new file is spoken of',
  async (_, harm, words) => {
    const { store, disk } = await given(false);
    harm(disk);
    disk.remove(`${PATH}.lock`);
    await store.close();
    expect(store.loss).toMatch(/^\/blog\.json is not there any more/);
    expect(store.loss).toContain(words);
    expect(store.loss).not.toContain('new file');
  },
);

function orphans(disk: MemoryFileSystem): string[] {
  return [...disk.files().keys()].filter((path) => path.includes('.orphan-'));
}

test.each([false, true])(
  'what a kill would take with it is saved as soon as it is seen, and once (watched: %s)',
  async (watch) => {
    const { store, disk, notices } = await given(watch);
    const older = textOf(disk).replace(/,\{"id":4.*\n/, '');
    disk.put(PATH, watch ? 'no store' : older);
    await aSecond();
    await aSecond();
    const [savedAs = ''] = orphans(disk);
    expect(textOf(disk, savedAs)).toContain('Title 4');
    expect(notices).toHaveLength(1);
    expect(notices[0]).toContain(`Their last texts are in ${savedAs}.`);
    await store.close();
    expect(store.loss).toContain(`Their last texts are in ${savedAs}.`);
    expect(orphans(disk)).toEqual([savedAs]);
  },
);

test('a file that nothing is written to any more is still looked at: one that replaces it again loses nothing', async () => {
  const { disk, notices } = await given(false);
  const [same, older] = [textOf(disk), textOf(disk).replace(/,\{"id":4.*\n/, '')];
  disk.put(PATH, same);
  await aSecond();
  expect(orphans(disk)).toEqual([]);
  disk.put(PATH, older);
  await aSecond();
  expect(textOf(disk, orphans(disk)[0])).toContain('Title 4');
  expect(notices.at(-1)).toContain('Articles missing or older in the new file: 4.');
});

test('of a file that is cut short the deletions are told, too, and which texts are nowhere', async () => {
  const { store, disk } = await given(false);
  await store.remove(1, 2, anyVersion);
  disk.put(PATH, textOf(disk).slice(0, textOf(disk).indexOf('{"id":4') + 20), 'in-place');
  await store.close();
  const [savedAs = ''] = orphans(disk);
  expect(store.loss).toBe(
    `/blog.json was changed by another program. The file cannot be read as a store. Acknowledged articles: 1, 3-4. The last texts of 1, 3 are in ${savedAs}, those of 4 were written over. Acknowledged deletions: article 2.`,
  );
});

test('texts that are kept are for no more eyes than the store was', async () => {
  const { store, disk } = await given(false);
  const { mode } = disk.open(PATH, 'update').stat();
  disk.open(PATH, 'update').adopt({ ...disk.open(PATH, 'read').stat(), mode: 0o100600 });
  disk.put(PATH, 'no store');
  expect(disk.stat(PATH)?.mode).toBe(mode);
  await store.close();
  const orphan = [...disk.files().keys()].find((path) => path.includes('.orphan-')) ?? '';
  expect(disk.stat(orphan)?.mode).toBe(0o100600);
});

describe('a link to the store that is led elsewhere', () => {
  const name = '/link.json';

  async function givenLinked(watch = false) {
    const { store: first, disk } = await givenStore(2);
    await first.close();
    disk.put('/other.json', textOf(disk));
    const notices: string[] = [];
    let target = PATH;
    const led = (path: string) => (path === name ? target : path);
    const fileSystem = {
      ...disk,
      realPath: (path: string) => disk.realPath(led(path)),
      stat: (path: string) => disk.stat(led(path)),
      open: (path: string, mode: OpenMode) => disk.open(led(path), mode),
    };
    const report = (notice: string) => void notices.push(notice);
    const store = await openJsonFile({ path: name, fileSystem, report, watch });
    return { store, disk, notices, lead: (to: string) => void (target = to) };
  }

  test.each([true, false])(
    'refuses changes (watched: %s), and says where they are',
    async (watch) => {
      const { store, notices, lead } = await givenLinked(watch);
      await store.create(1, numbered(3));
      lead('/other.json');
      await aSecond();
      const said = 'The link to /blog.json was led elsewhere by another program.';
      expect(notices.at(-1)).toContain(`${said} Changes are refused from now on.`);
      await expect(store.create(1, numbered(4))).rejects.toMatchObject({
        failure: 'changed-outside',
        message: said,
      });
      expect(store.writesRefused()).toMatchObject({ failure: 'changed-outside' });
      await store.close();
      expect(store.loss).toBe(
        `${said} Articles missing or older in the new file: 3. Their last texts are in /blog.json.`,
      );
    },
  );

  test.each(['/other.json', '/nowhere.json'])(
    'to %s is no loss of what was only read',
    async (to) => {
      const { store, disk, lead } = await givenLinked();
      lead(to);
      await store.close();
      expect(store.loss).toBeUndefined();
      expect([...disk.files().keys()]).toEqual([PATH, '/other.json']);
    },
  );
});

test.each(ways.filter(([way]) => way !== 'written in place'))(
  'what was answered and is not in a file that is %s is told at the end',
  async (_, harm) => {
    const { store, disk } = await given(false);
    harm(disk);
    const left = textOf(disk);
    await store.close();
    expect(store.loss).toMatch(/(Articles missing or older|Acknowledged articles).*: [\d, -]*4/);
    expect(textOf(disk)).toBe(left);
  },
);

test('texts that the new file lacks are kept beside it at the end', async () => {
  const { store, disk } = await given(false);
  disk.put(PATH, 'no store');
  await store.close();
  const savedAs = /texts are in (.*)\.$/.exec(store.loss ?? '')?.[1];
  expect(textOf(disk, savedAs).trim().split('\n')).toHaveLength(4);
});

test('a file that was replaced while a change was written is not said to have it', async () => {
  const { store: first, disk } = await givenStore(1);
  await first.close();
  const slow = {
    ...disk,
    open: (path: string, mode: Parameters<typeof disk.open>[1]) => {
      const file = disk.open(path, mode);
      const syncData = async () => {
        if (path === PATH) disk.put(PATH, 'another file');
        await file.syncData();
      };
      return { ...file, syncData };
    },
  };
  const store = await openJsonFile({ path: PATH, fileSystem: slow });
  await expect(store.create(1, numbered(2))).rejects.toMatchObject({ failure: 'outcome-unknown' });
});

test('a list of deleted ids in another file is not believed at the end', async () => {
  const { store, disk } = await given(false);
  const text = textOf(disk)
    .replace(/,\{"id":4.*\n/, '')
    .replace('"deleted":[]', '"deleted":[4]');
  disk.put(PATH, text);
  await store.close();
  expect(store.loss).toContain('Articles missing or older in the new file: 4.');
});

const harms: readonly (readonly [string, Way])[] = [
  ['with something behind its end', (disk) => disk.put(PATH, `${textOf(disk)}more\n`, 'in-place')],
  ['cut short', (disk) => disk.put(PATH, textOf(disk).slice(0, -200), 'in-place')],
  ['replaced by a copy that is cut short', (disk) => disk.put(PATH, textOf(disk).slice(0, -200))],
];

test.each(
  harms.flatMap(([name, harm]) => [true, false].map((watch) => [name, watch, harm] as const)),
)(
  'of a file that others left %s (watched: %s) who has it, a check and an opening say the same',
  async (_, watch, harm) => {
    const { store, disk, notices } = await given(watch);
    harm(disk);
    await aSecond();
    expect(notices.join()).toContain(watch ? 'Changes are refused until' : 'Changes are refused');
    const refusedByAll = async (files: MemoryFileSystem) => {
      expect((await checkJsonFile(PATH, files)).verdict).toBe('broken');
      await expect(reopened(afterKill(files))).rejects.toMatchObject({ code: 'damaged' });
    };
    await refusedByAll(disk);
    await store.close();
    expect(store.loss).toContain('The file cannot be read as a store. Acknowledged articles: 1-4.');
    await refusedByAll(disk);
  },
);

test('what a crash left and others only touched is what a crash left, to all of them', async () => {
  const { store, disk } = await givenStore(3);
  await store.create(1, numbered(4));
  const torn = afterKill(disk);
  torn.put(PATH, textOf(disk).replace(/"Title 4".*/s, ''), 'in-place');
  const again = await openJsonFile({ path: PATH, fileSystem: torn, watch: true });
  torn.put(PATH, textOf(torn), 'in-place');
  await aSecond();
  expect((await checkJsonFile(PATH, torn)).verdict).toBe('usable');
  expect(again.writesRefused()).toBeUndefined();
  expect((await again.create(1, numbered(4))).kind).toBe('created');
  await again.close();
});

test('who goes on with a file that came back provides for a crash again', async () => {
  const { store, disk, notices } = await given(true);
  const good = textOf(disk);
  disk.put(PATH, 'no store');
  await aSecond();
  disk.put(PATH, good);
  await aSecond();
  expect(notices.join()).toContain('has been read again');
  expect(textOf(disk, `${PATH}.lock`)).not.toContain('bytesAtOpen');
  await store.create(1, numbered(5));
  expect(textOf(disk, `${PATH}.lock`)).toContain('bytesAtOpen');
});
