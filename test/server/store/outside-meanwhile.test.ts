import { expect, test } from 'vitest';
import { openJsonFile } from '../../../server/store/json-file/open.ts';
import {
  anyVersion,
  givenStore,
  numbered,
  PATH,
  reopened,
  steadyClock,
  textOf,
} from './support/given-store.ts';
import { withGuest } from './support/guest-file-system.ts';

const ways = ['in-place', 'replaced'] as const;

test.each(ways.flatMap((how) => (['sync', 'syncFolder'] as const).map((call) => ({ how, call }))))(
  'a file that others change ($how) while the lock file is written ($call) is theirs',
  async ({ how, call }) => {
    const { store, disk } = await givenStore(2);
    await store.close();
    const edited = textOf(disk).replace('Title 2', 'A much better title');
    const late = await reopened(withGuest(disk, call, () => disk.put(PATH, edited, how)));
    await expect(late.create(1, numbered(3))).rejects.toMatchObject({ failure: 'changed-outside' });
    expect(textOf(disk)).toBe(edited);
    await late.close();
    expect(textOf(disk)).toBe(edited);
  },
);

test('where a file that is put back is shorter, the lock file says so before it is written', async () => {
  const { store, disk } = await givenStore(2);
  await store.replace(1, 1, numbered(1), anyVersion);
  disk.remove(`${PATH}.lock`);
  await store.close();
  const late = await reopened(withGuest(disk, 'syncFolder', () => disk.remove(PATH)));
  await late.create(1, numbered(3));
  const { bytesAtOpen } = JSON.parse(textOf(disk, `${PATH}.lock`));
  expect(textOf(disk).indexOf(',{"id":3')).toBe(bytesAtOpen);
  await late.close();
});

test.each(ways)(
  'a file that others change (%s) while it is compacted at the end is left as theirs, and what it lacks is told',
  async (how) => {
    const { store: first, disk } = await givenStore(2);
    await first.close();
    const before = textOf(disk);
    const theirs = () => disk.put(PATH, before, how);
    let closes = false;
    const fileSystem = withGuest(disk, 'sync', theirs, () => closes);
    const store = await reopened(fileSystem);
    await store.create(1, { title: 'Acknowledged' });
    await store.remove(1, 1, anyVersion);
    closes = true;
    await store.close();
    expect(textOf(disk)).toBe(before);
    expect(store.loss).toContain('Articles missing or older in the new file: 3.');
  },
);

test('what is changed again while it is taken over is not taken for what was read', async () => {
  const { store: first, disk } = await givenStore(2);
  await first.close();
  const before = textOf(disk);
  const again = before.replace('Title 2', 'A much better title');
  const savesTexts = () => [...disk.files().keys()].some((path) => path.includes('.orphan-'));
  const come = () => disk.put(PATH, again, 'in-place');
  const fileSystem = withGuest(disk, 'syncFolder', come, savesTexts);
  const options = { path: PATH, fileSystem, now: steadyClock(), idleMs: 2 ** 30, watch: true };
  const store = await openJsonFile(options);
  await store.create(1, { title: 'Acknowledged' });
  disk.put(PATH, before, 'replaced');
  for (let times = 0; times < 2; times += 1) {
    const refusal = { failure: 'changed-outside', retryAfterSeconds: 1 };
    await expect(store.create(1, numbered(4))).rejects.toMatchObject(refusal);
  }
  expect((await store.create(1, numbered(4))).kind).toBe('created');
  expect(JSON.parse(textOf(disk)).articles).toMatchObject([
    { id: 1 },
    { id: 2, title: 'A much better title' },
    { id: 4 },
  ]);
  await store.close();
});
