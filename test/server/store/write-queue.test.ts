import { expect, test } from 'vitest';
import { composeChange } from '../../../server/store/json-file/log/write-batch.ts';
import { WriteQueue } from '../../../server/store/json-file/log/write-queue.ts';
import { createJsonFile } from '../../../server/store/json-file/create.ts';
import { keyAlone } from '../../../server/store/json-file/format/article-line.ts';
import { createMemoryFileSystem } from '../../../server/store/file-system/memory-file-system.ts';
import { OpenDocument } from '../../../server/store/json-file/open-document.ts';
import { openForReading } from '../../../server/store/json-file/recovery/recover.ts';

const path = '/blog.json';

/** A queue that writes what is asked for at once; tells sizes of batches and answers as they come. */
async function givenQueue(load: { busy: boolean }) {
  const fileSystem = createMemoryFileSystem();
  await createJsonFile(path, { title: 'Blog', description: '' }, fileSystem);
  const read = await openForReading({ fileSystem, path });
  const place = { fileSystem, path, name: path, isOurs: () => true };
  const open = new OpenDocument(place, { ...read, file: fileSystem.open(path, 'update') });
  const events: string[] = [];
  const watcher = {
    before: async () => void events.push('begin'),
    durable: (changes: readonly unknown[]) => void events.push(`${changes.length} durable`),
    failed: () => undefined,
  };
  const measured = { isBusy: () => load.busy, wasBusy: load.busy };
  return { queue: new WriteQueue(open, watcher, measured), events };
}

function numbered(id: number) {
  const draft = { title: `Title ${id}` };
  const line = {
    id,
    blog: undefined,
    draft,
    updatedAt: 1,
    privates: keyAlone(undefined),
    revision: 1,
  };
  return composeChange({ blogId: 1, effect: 1, newKey: undefined, line });
}

test.each([
  ['slower than we are', false, 64, ['64 durable']],
  ['faster than we are', true, 64, ['32 durable', '32 durable']],
  ['faster, but writers are few', true, 15, ['15 durable']],
])('where the disk is %s, writers share batches accordingly', async (_, busy, count, sizes) => {
  const { queue, events } = await givenQueue({ busy });
  const changes = Array.from({ length: count }, (unused, at) => numbered(at + 1));
  await Promise.all(changes.map((change) => queue.append(change)));
  await queue.drained();
  expect(events.filter((event) => event !== 'begin')).toEqual(sizes);
});

test('a half is told that it is durable as soon as the other half is on its way', async () => {
  const { queue, events } = await givenQueue({ busy: true });
  const told = (name: string) => () => void events.push(name);
  const writers = Array.from({ length: 32 }, (_, at) => queue.append(numbered(at + 1)));
  await Promise.all([writers[0]?.then(told('first told')), writers[31]?.then(told('last told'))]);
  expect(events).toEqual(['begin', '16 durable', 'begin', 'first told', '16 durable', 'last told']);
});
