import { expect, test } from 'vitest';
import {
  createMemoryFileSystem,
  type MemoryFileSystem,
} from '../../../server/store/file-system/memory-file-system.ts';
import type { FileSystem } from '../../../server/store/file-system/file-system.ts';
import type { JsonFileStore } from '../../../server/store/json-file/json-file-store.ts';
import { openJsonFile } from '../../../server/store/json-file/open.ts';
import { StoreError } from '../../../server/store/store.ts';
import { crashImages, type Image } from './crash/crash-images.ts';
import { withChangedFiles } from './support/changed-files.ts';
import { withFaults, type Call, type Fault } from './support/faulty-file-system.ts';
import { anyVersion, givenStore, numbered, PATH, reopened, textOf } from './support/given-store.ts';
import { seededRandom } from '../../support/random.ts';

/** What may be found: for each article every state that was promised or may have been reached. */
type Expectation = Map<number, Set<string>>;

const calls: readonly Call[] = [
  'open',
  'read',
  'write',
  'sync',
  'syncData',
  'truncate',
  'rename',
  'remove',
  'syncFolder',
];
const codes: readonly (readonly [code: string, after?: number])[] = [
  ['ENOSPC', 0],
  ['ENOSPC', 1],
  ['ENOSPC', 60],
  ['ENOSPC', 1e9],
  ['short', 1],
  ['short', 60],
  ['EIO'],
  ['EROFS'],
  ['EACCES'],
  ['EBUSY'],
  ['EPERM'],
];

const cases = calls.flatMap((call) =>
  codes
    .filter(([, after]) => after === undefined || call === 'write')
    .flatMap(([code, after]) =>
      [false, true].map((forever) => [call, code, after, forever] as const),
    ),
);

test.each(cases)(
  '%s fails with %s after %s bytes, for ever: %s: nothing acknowledged is lost',
  async (call, code, after, forever) => {
    for (let skip = 0; ; skip += 1) {
      const fault = { call, code, skip, forever, ...(after === undefined ? {} : { after }) };
      const struck = await survive(fault);
      if (!struck) break;
      expect(skip).toBeLessThan(200);
    }
  },
);

let closed: ReadonlyMap<string, Buffer> | undefined;

/** The files of a store of two articles: made once, no life writes into them. */
async function closedStore(): Promise<ReadonlyMap<string, Buffer>> {
  if (closed !== undefined) return closed;
  const { store, disk } = await givenStore(2);
  await store.close();
  return (closed = disk.files());
}

/** One life of a store in which one call fails; false where the life ended before it could. */
async function survive(fault: Fault): Promise<boolean> {
  const base = await closedStore();
  const disk = createMemoryFileSystem(base, { trace: true });
  const faults = withFaults(disk);
  faults.failNext(fault);
  const expected: Expectation = new Map([
    [1, new Set([titled(1)])],
    [2, new Set([titled(2)])],
  ]);
  const opened = await reopened(faults.fileSystem).catch(() => undefined);
  if (opened !== undefined) await live(opened, expected);
  if (opened !== undefined && fault.call !== 'read')
    holds(await statesIn(opened), expected, `living with ${JSON.stringify(fault)}`);
  faults.heal();
  await opened?.close().catch(() => undefined);
  await holdsAfterwards(disk, base, expected, JSON.stringify(fault));
  return faults.struck;
}

function titled(id: number): string {
  return JSON.stringify({ id, ...numbered(id) });
}

/** Creations at once, a change, a deletion, a compaction, one more creation. */
async function live(store: JsonFileStore, expected: Expectation): Promise<void> {
  await Promise.all([create(store, expected), create(store, expected)]);
  await attempt(
    expected,
    1,
    '{"id":1,"title":"new"}',
    store.replace(1, 1, { title: 'new' }, anyVersion),
  );
  await attempt(expected, 2, 'gone', store.remove(1, 2, anyVersion));
  await store.compact().catch(() => undefined);
  await create(store, expected);
}

async function create(store: JsonFileStore, expected: Expectation): Promise<void> {
  const draft = { title: 'made', content: 'x'.repeat(100) };
  try {
    const creation = await store.create(1, draft);
    if (!('article' in creation)) throw new Error(creation.kind);
    expected.set(creation.article.id, new Set([creation.article.json.toString()]));
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    // It may have got any of the next ids.
    if (error.failure !== 'outcome-unknown') return;
    for (let id = 3; id < 8; id += 1) {
      if (!expected.has(id))
        expected.set(id, new Set(['absent', JSON.stringify({ id, ...draft })]));
    }
  }
}

async function attempt(
  expected: Expectation,
  id: number,
  ...[state, change]: readonly [string, Promise<unknown>]
): Promise<void> {
  try {
    await change;
    expected.set(id, new Set([state]));
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    if (error.failure === 'outcome-unknown') expected.get(id)?.add(state);
  }
}

/** What is found under each number up to 9. */
async function statesIn(store: JsonFileStore): Promise<readonly string[]> {
  const states: string[] = [];
  for (let id = 1; id < 10; id += 1) {
    const found = await store.read(1, id);
    states.push(found.kind === 'article' ? found.article.json.toString() : found.kind);
  }
  return states;
}

function holds(states: readonly string[], expected: Expectation, when: string): void {
  const wrong = states.flatMap((state, at) => {
    const may = expected.get(at + 1) ?? new Set(['absent']);
    return may.has(state) ? [] : [`article ${at + 1}: ${state}, not ${[...may].join(' or ')}`];
  });
  expect({ when, wrong }).toEqual({ when, wrong: [] });
}

async function holdsAfterwards(
  disk: MemoryFileSystem,
  base: ReadonlyMap<string, Buffer>,
  ...[expected, fault]: readonly [Expectation, string]
): Promise<void> {
  const restarted = await reopened(createMemoryFileSystem(disk.files()));
  holds(await statesIn(restarted), expected, `after a restart, ${fault}`);
  const sampling = { random: seededRandom(7), block: 64, samples: 4 };
  for (const image of crashImages(base, disk.trace, sampling)) {
    expect(image.has(PATH)).toBe(true);
    holds(await statesAfterCut(image), expected, `after a power cut, ${fault}`);
  }
}

const statesByImage = new Map<string, Promise<readonly string[]>>();

/** Many lives leave what others left, but for the number that a holder of the lock made up: that is opened once. */
function statesAfterCut(image: Image): Promise<readonly string[]> {
  const files = [...image].map(([path, bytes]) => `${path} ${bytes.toString('latin1')}`);
  const key = files.join('\n').replaceAll(/(?<="nonce":")[-\da-f]{36}(?=")/g, '');
  const known = statesByImage.get(key) ?? reopened(createMemoryFileSystem(image)).then(statesIn);
  statesByImage.set(key, known);
  return known;
}

test('a disk with room for a batch and no more takes it', async () => {
  const { store, disk } = await givenStore(1);
  await store.close();
  const full = await reopened(withRoomFor(10_000, disk));
  await full.create(1, { title: 'Long', content: 'x'.repeat(5000) });
  expect(textOf(disk)).toMatch(/\}\}\n {4000,}$/);
  const more = { title: 'Long', content: 'x'.repeat(5000) };
  await expect(full.create(1, more)).rejects.toMatchObject({ failure: 'no-room' });
  expect(textOf(disk)).toMatch(/\}\}\n$/);
  expect((await full.remove(1, 2, anyVersion)).kind).toBe('article');
  await full.close();
  expect((await reopened(disk)).recovery.kind).toBe('trusted');
});

/** A disk on which no file grows beyond `most` bytes. */
function withRoomFor(most: number, disk: MemoryFileSystem): FileSystem {
  return withChangedFiles(disk, (file) => ({
    write: (bytes, position) => {
      if (position >= most) throw Object.assign(new Error('ENOSPC'), { code: 'ENOSPC' });
      return file.write(bytes.subarray(0, most - position), position);
    },
  }));
}

test.each<[string, Fault, string]>([
  ['lets no lock file be written', { call: 'open', code: 'EACCES' }, 'EACCES'],
  ['takes no bytes', { call: 'write', code: 'EIO', skip: 1 }, 'EIO'],
  ['neither takes nor gives back', { call: 'write', code: 'EIO', skip: 1, forever: true }, 'EIO'],
  ['does not confirm', { call: 'syncData', code: 'EIO' }, 'EIO'],
])('a disk that %s: the log says why no change is taken, once', async (_, fault, why) => {
  const { store, disk } = await givenStore(1);
  await store.close();
  const faults = withFaults(disk);
  const notices: string[] = [];
  const refused = await reopened(faults.fileSystem, (notice) => notices.push(notice));
  faults.failNext(fault);
  const more = [2, 3].map((id) => refused.create(1, numbered(id)));
  for (const one of more) await expect(one).rejects.toBeInstanceOf(StoreError);
  await expect(refused.create(1, numbered(4))).rejects.toMatchObject({ failure: 'degraded' });
  expect(notices).toEqual([
    expect.stringMatching(`^${PATH} takes no more changes: .*${why}.*[.]$`),
  ]);
});

test('a file at rest that cannot be ended is written no more, and is said to be so', async () => {
  const { store, disk } = await givenStore(1);
  await store.close();
  const faults = withFaults(disk);
  const { fileSystem } = faults;
  const notices: string[] = [];
  const report = (notice: string) => void notices.push(notice);
  const resting = await openJsonFile({ path: PATH, fileSystem, idleMs: 20, report });
  await resting.create(1, numbered(2));
  faults.failNext({ call: 'truncate', code: 'EIO' });
  await expect.poll(() => faults.struck).toBe(true);
  await expect(resting.create(1, numbered(3))).rejects.toMatchObject({
    failure: 'degraded',
    message: 'The disk refused to end the file; the store takes no more writes.',
  });
  expect((await resting.read(1, 2)).kind).toBe('article');
  expect(notices).toEqual([expect.stringMatching('refused to end the file.*EIO')]);
});

test('a disk without room for a batch is met before the document is touched', async () => {
  const { store, disk } = await givenStore(1);
  await store.close();
  const before = textOf(disk);
  const faults = withFaults(disk);
  const faulty = await reopened(faults.fileSystem);
  faults.failNext({ call: 'write', code: 'ENOSPC', after: 30, skip: 1 }); // The lock file is first.
  const long = { title: 'Long', content: 'x'.repeat(4000) };
  await expect(faulty.create(1, long)).rejects.toMatchObject({ failure: 'no-room' });
  expect(textOf(disk)).toBe(before);
});
