import { describe, expect, test } from 'vitest';
import { checkJsonFile } from '../../../server/store/json-file/check.ts';
import { createMemoryFileSystem } from '../../../server/store/file-system/memory-file-system.ts';
import { openJsonFile } from '../../../server/store/json-file/open.ts';
import { dateAfter, isOfOneVersion } from '../../../server/store/store.ts';
import { articles, givenService } from '../../support/service.ts';
import { withChangedFiles } from './support/changed-files.ts';
import { givenStore, PATH, reopened, textOf } from './support/given-store.ts';

test.each([
  ['what is new has the time of the clock', undefined, 5_250, 5_250, true],
  ['what is new never looks like a second version', undefined, 5_950, 5_899, true],
  ['a later second is the time of the clock', 4_250, 5_250, 5_250, true],
  ['the same second is marked', 5_100, 5_250, 5_900, false],
  ['and goes on being told apart', 5_900, 5_950, 5_901, false],
  ['a clock that fell behind stays in the second', 9_100, 5_000, 9_900, false],
  ['a full second is full', 5_999, 5_100, 5_999, false],
])('%s', (_, before, now, date, alone) => {
  expect(dateAfter(before, now)).toBe(date);
  expect(isOfOneVersion(date)).toBe(alone);
});

const put = { title: 'New', content: 'C' };

describe('a date', () => {
  test('that two versions of an article share lets no change through', async () => {
    const { send } = await givenService();
    await send('POST', articles, { body: put });
    const read = await send('GET', `${articles}/1`);
    const since = String(read.headers['Last-Modified']);
    await send('PUT', `${articles}/1`, { body: { ...put, title: 'By another' } });
    const lost = await send('PUT', `${articles}/1`, {
      body: put,
      headers: { 'if-unmodified-since': since },
    });
    expect(lost).toMatchObject({ status: 412, json: { code: 'precondition-failed' } });
    expect(lost.text).toContain('changed more than once');
  });

  test('of one version guards a change and answers 304, as before', async () => {
    const { send } = await givenService();
    await send('POST', articles, { body: put });
    const read = await send('GET', `${articles}/1`);
    const since = String(read.headers['Last-Modified']);
    const headers = { 'if-modified-since': since };
    expect((await send('GET', `${articles}/1`, { headers })).status).toBe(304);
    const guarded = { body: put, headers: { 'if-unmodified-since': since } };
    expect((await send('PUT', `${articles}/1`, guarded)).status).toBe(200);
  });

  test.each([
    ['an article', `${articles}/1`],
    ['a page', articles],
    ['a blog', '/api/v1.2/blogs/1'],
  ])('that %s shows answers 304, however often that second saw it change', async (_, target) => {
    const { send, clock } = await givenService();
    clock.now += 1000;
    await send('POST', articles, { body: put });
    await send('PUT', `${articles}/1`, { body: put });
    const since = String((await send('GET', target)).headers['Last-Modified']);
    const headers = { 'if-modified-since': since };
    expect((await send('GET', target, { headers })).status).toBe(304);
    clock.now += 1000;
    await send('PUT', `${articles}/1`, { body: put });
    expect((await send('GET', target, { headers })).status).toBe(200);
  });

  test('in the future is never sent, and is equal to none that was', async () => {
    const { send, clock } = await givenService();
    clock.now += 3_600_000;
    const created = await send('POST', articles, { body: put });
    clock.now -= 3_600_000;
    const now = new Date(clock.now).toUTCString();
    const read = await send('GET', `${articles}/1`);
    const page = await send('GET', articles);
    expect(created.headers['Last-Modified']).not.toBe(now);
    expect([read, page].map(({ headers }) => headers['Last-Modified'])).toEqual([now, now]);
    const changed = await send('PUT', `${articles}/1`, { body: put });
    expect(changed.headers['Last-Modified']).toBe(now);
    const headers = { 'if-modified-since': now };
    expect((await send('GET', `${articles}/1`, { headers })).status).toBe(200);
    const guarded = { body: put, headers: { 'if-unmodified-since': now } };
    expect((await send('PUT', `${articles}/1`, guarded)).status).toBe(412);
  });
});

test('a blog that is renamed, locked or freed was changed then, and after a restart', async () => {
  const { store, disk: made } = await givenStore();
  await store.close();
  let moment = Date.UTC(2027, 0, 1);
  const open = await openJsonFile({ path: PATH, fileSystem: made, now: () => moment });
  await open.create(1, { title: 'One' });
  for (const change of [{ title: 'Renamed' }, { locked: true }, { locked: false }]) {
    moment += 60_000;
    await open.changeBlog(1, change);
    expect((await open.blog(1))?.changedAt).toBe(moment);
  }
  await open.close();
  expect((await (await reopened(made)).blog(1))?.changedAt).toBe(moment);
});

test('a blog that is renamed while articles are written is dated after the last that was seen with its old title', async () => {
  const { store: first, disk } = await givenStore(1);
  await first.close();
  let goOn = (): void => undefined;
  const written = new Promise<void>((resolve) => (goOn = resolve));
  const fileSystem = withChangedFiles(disk, (file, path) => ({
    writeLater: async (bytes, position) => {
      if (path.endsWith('.tmp')) await written;
      return file.writeLater(bytes, position);
    },
  }));
  let moment = Date.UTC(2027, 0, 1);
  const store = await openJsonFile({ path: PATH, fileSystem, now: () => moment });
  const renamed = store.changeBlog(1, { title: 'Renamed' });
  moment += 60_000;
  await store.create(1, { title: 'Meanwhile' });
  const seen = await store.blog(1);
  expect(seen).toMatchObject({ title: 'My blog', changedAt: moment });
  moment += 60_000;
  goOn();
  await renamed;
  expect(await store.blog(1)).toMatchObject({ title: 'Renamed', changedAt: moment });
  await store.close();
});

test('a second that saw several changes of a blog is known after a restart', async () => {
  const disk = createMemoryFileSystem();
  const { store, disk: made } = await givenStore();
  await store.close();
  disk.put(PATH, textOf(made));
  let moment = Date.UTC(2027, 0, 1);
  const open = await openJsonFile({ path: PATH, fileSystem: disk, now: () => (moment += 10) });
  await open.create(1, { title: 'One' });
  const lone = (await open.blog(1))?.changedAt ?? 0;
  expect(isOfOneVersion(lone)).toBe(true);
  await open.create(1, { title: 'Two' });
  const shared = (await open.blog(1))?.changedAt ?? 0;
  expect(isOfOneVersion(shared)).toBe(false);
  await open.close();
  const again = (await (await reopened(disk)).blog(1))?.changedAt ?? 0;
  expect(isOfOneVersion(again)).toBe(false);
});

test.each([
  ['at the same millisecond', 500],
  ['in the last tenth of a second', 950],
])('a change %s as one that was compacted is known after a kill', async (_, moment) => {
  const empty = { format: 'blogctl/1', blogs: [{ id: 1, title: 'A blog' }], articles: [] };
  const fileSystem = createMemoryFileSystem([[PATH, JSON.stringify(empty)]]);
  const now = () => Date.UTC(2027, 0, 1) + moment;
  const store = await openJsonFile({ path: PATH, fileSystem, now, idleMs: 2 ** 30 });
  await store.create(1, { title: 'One' });
  await store.compact();
  expect(isOfOneVersion((await store.blog(1))?.changedAt ?? 0)).toBe(true);
  await store.create(1, { title: 'Two' });
  const again = await reopened(createMemoryFileSystem(fileSystem.files()));
  expect((await again.blog(1))?.changedAt).toBe((await store.blog(1))?.changedAt);
  expect(isOfOneVersion((await again.blog(1))?.changedAt ?? 0)).toBe(false);
});

test('a blog whose last write was cut short has one date, before that is confirmed and ever after', async () => {
  const empty = { format: 'blogctl/1', blogs: [{ id: 1, title: 'A blog' }], articles: [] };
  const disk = createMemoryFileSystem([[PATH, JSON.stringify(empty)]]);
  const store = await reopened(disk);
  for (const title of ['One', 'Two']) await store.create(1, { title });
  const text = textOf(disk);
  const torn = createMemoryFileSystem([...disk.files(), [PATH, text.slice(0, -40)]]);
  const shown = await reopened(torn);
  expect(shown.recovery.kind).toBe('no-footer');
  const before = (await shown.blog(1))?.changedAt ?? 0;
  expect(isOfOneVersion(before)).toBe(true);
  await shown.confirm();
  expect((await shown.blog(1))?.changedAt).toBe(before);
  const again = await reopened(createMemoryFileSystem(torn.files()));
  expect((await again.blog(1))?.changedAt).toBe(before);
});

const highest = Number.MAX_SAFE_INTEGER;

test('no article is made behind the highest id, and check names it', async () => {
  const { store, disk } = await givenStore(1);
  await store.close();
  const text = textOf(disk).replace('{"id":1,"title":"Title 1"', `{"id":${highest},"title":"Last"`);
  const edited = createMemoryFileSystem([[PATH, text]]);
  const { problems } = await checkJsonFile(PATH, edited);
  expect(problems.map(({ what }) => what)).toContain(
    `article ${highest} has the highest id there is: no article can be added`,
  );
  const full = await reopened(edited);
  await expect(full.create(1, { title: 'One more' })).rejects.toMatchObject({ failure: 'no-id' });
  expect(await full.read(1, highest)).toMatchObject({ kind: 'article' });
  const service = await givenService(() => ({ store: full }));
  const answer = await service.send('POST', articles, { body: put });
  expect(answer).toMatchObject({ status: 507, json: { code: 'insufficient-storage' } });
  expect(answer.text).toContain(`Every article id up to ${highest} is used`);
});

test('no blog is made behind the highest id: the file stays one that opens', async () => {
  const blogs = [{ id: highest, title: 'Last' }];
  const text = JSON.stringify({ format: 'blogctl/1', blogs, articles: [] });
  const disk = createMemoryFileSystem([[PATH, text]]);
  const store = await reopened(disk);
  await expect(store.addBlog({ title: 'One more', description: '' })).rejects.toMatchObject({
    message: `Every blog id up to ${highest} is used: no blog can be added.`,
  });
  await store.close();
  expect((await (await reopened(disk)).blogs()).map(({ id }) => id)).toEqual([highest]);
});
