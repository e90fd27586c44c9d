import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rename, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createJsonFile } from '../../../../server/store/json-file/create.ts';
import { realFileSystem } from '../../../../server/store/file-system/real-file-system.ts';
import { openJsonFile } from '../../../../server/store/json-file/open.ts';
import { StoreHeld } from '../../../../server/store/unusable-store.ts';
import { seed } from '../../../support/random.ts';
import { bundledProgram, type Program } from '../support/program.ts';

let folder: string;
let path: string;
let program: Program;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'blogctl-lock-'));
  path = join(folder, 'blog.json');
  await createJsonFile(path, { title: 'My blog', description: '' });
  program = await bundledProgram(join(import.meta.dirname, 'racer.ts'));
});
afterAll(async () => {
  await rm(folder, { recursive: true });
  await program.remove();
});

async function say(racer: ChildProcess, line: string): Promise<string> {
  racer.stdin?.write(`${line}\n`);
  const [answer] = racer.stdout === null ? [] : await once(racer.stdout, 'data');
  return String(answer).trim();
}

function startRacer(nth = 0): ChildProcess {
  const env = { ...process.env, BLOGCTL_SEED: String(seed + nth) };
  return spawn(process.execPath, [program.path], { env, stdio: ['pipe', 'pipe', 'inherit'] });
}

test(`of six processes that race for a store one gets it, forty times (seed ${seed})`, async () => {
  const racers = Array.from({ length: 6 }, (_, nth) => startRacer(nth));
  for (let round = 0; round < 40; round += 1) {
    const answers = await Promise.all(racers.map((racer) => say(racer, path)));
    const winners = racers.filter((_, at) => answers[at] === 'won');
    expect(winners).toHaveLength(1);
    const losers = answers.filter((answer) => answer !== 'won');
    expect(new Set(losers)).toEqual(new Set([`held by ${winners[0]?.pid}`]));
    await Promise.all(racers.map((racer) => say(racer, 'release')));
  }
  for (const racer of racers) racer.kill();
});

test('a killed holder leaves the store free at once', async () => {
  const racer = startRacer();
  expect(await say(racer, path)).toBe('won');
  racer.kill('SIGKILL');
  await once(racer, 'exit');
  const store = await openJsonFile({ path });
  expect(store.writesRefused()).toBeUndefined();
  await store.close();
  expect(await readdir(folder)).toEqual(['blog.json']);
});

const hasSockets = process.platform === 'linux';

test.skipIf(!hasSockets)(
  'whose sockets are removed alone keeps the store, and leaves it free when killed',
  async () => {
    const racer = startRacer();
    expect(await say(racer, path)).toBe('won');
    const sockets = (await readdir(folder)).filter((name) => name.startsWith('blog.json.lock-'));
    expect(sockets).toHaveLength(1);
    for (const name of sockets) await rm(join(folder, name));
    await expect(openJsonFile({ path })).rejects.toMatchObject({
      name: 'StoreHeld',
      holder: { pid: racer.pid },
    });
    racer.kill('SIGKILL');
    await once(racer, 'exit');
    const store = await openJsonFile({ path });
    await store.create(1, { title: 'After the other' });
    await store.close();
    expect(await readdir(folder)).toEqual(['blog.json']);
  },
);

test('a holder that is stopped is told of, with what its lock file says, and waited for by the clock', async () => {
  const racers = [startRacer(), startRacer(), startRacer()];
  for (const racer of racers) expect(await say(racer, path)).toMatch(/won|held/);
  for (const racer of racers) racer.kill('SIGSTOP');
  const { pid } = JSON.parse(await readFile(`${path}.lock`, 'utf8'));
  await expect(openJsonFile({ path })).rejects.toMatchObject({
    name: 'StoreHeld',
    message: `${path} is held by process ${pid} on ${hostname()}, which does not answer.`,
    holder: { pid, isSilent: true },
  });
  for (const racer of racers) racer.kill('SIGKILL');
});

test('who is turned away learns where the store is served; only the owner may read that', async () => {
  const store = await openJsonFile({ path });
  await store.announce({ url: 'http://127.0.0.1:4000', token: 'bct_secret' });
  const refusal = await openJsonFile({ path }).catch((error: unknown) => error);
  expect(refusal).toBeInstanceOf(StoreHeld);
  expect(refusal).toMatchObject({
    message: expect.stringContaining(`is held by process ${process.pid}`),
    holder: { pid: process.pid, url: 'http://127.0.0.1:4000', token: 'bct_secret' },
  });
  expect((await stat(`${path}.lock`)).mode & 0o777).toBe(0o600);
  await store.close();
});

test('the first write leaves evidence that a crash may have torn what follows', async () => {
  const store = await openJsonFile({ path });
  const lock = async () => JSON.parse(await readFile(`${path}.lock`, 'utf8'));
  expect(await lock()).not.toHaveProperty('bytesAtOpen');
  const { bytes } = JSON.parse(await readFile(path, 'utf8')).end;
  await store.create(1, { title: 'First' });
  expect(await lock()).toMatchObject({ bytesAtOpen: bytes });
  await store.close();
});

test('a store that lost its lock file to another writes no more', async () => {
  const store = await openJsonFile({ path });
  await rm(`${path}.lock`);
  await expect(store.create(1, { title: 'x' })).rejects.toMatchObject({
    failure: 'degraded',
    message: `${path}.lock was removed or replaced by another program.`,
  });
  await store.close();
});

const container = ['--net', '--uts', '--pid', '--fork', '--kill-child'];
const mayUnshare = spawnSync('unshare', [...container, 'true']).status === 0;

test.skipIf(!mayUnshare)(
  'of two containers on one volume the earlier one writes alone',
  async () => {
    const store = await openJsonFile({ path });
    const { total = 0 } = (await store.blog(1)) ?? {};
    const racer = spawn('unshare', [...container, process.execPath, program.path], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    expect(await say(racer, path)).toBe(`held by ${process.pid}`);
    await store.create(1, { title: 'Goes on' });
    await store.close();
    expect(await say(racer, path)).toBe('won');
    expect(await say(racer, 'release')).toBe('released');
    racer.kill();
    const again = await openJsonFile({ path });
    expect((await again.page(1, 0, 1))?.blog.total).toBe(total + 1);
    await again.close();
  },
);

test('a symbolic link stays one, and two names of one file are one store', async () => {
  const link = join(folder, 'link.json');
  await symlink(path, link);
  const store = await openJsonFile({ path: link });
  await expect(openJsonFile({ path })).rejects.toBeInstanceOf(StoreHeld);
  await store.compact();
  await store.close();
  expect(JSON.parse(await readFile(link, 'utf8')).format).toBe('blogctl/1');
  expect(
    (await readdir(folder, { withFileTypes: true }))
      .find(({ name }) => name === 'link.json')
      ?.isSymbolicLink(),
  ).toBe(true);
});

test.each(['create-new', 'create-shared'] as const)(
  'what is made (%s) is made through no link that somebody laid there',
  async (mode) => {
    const [precious, link] = ['precious', mode].map((name) => join(folder, name));
    await writeFile(precious ?? '', 'mine');
    await symlink(precious ?? '', link ?? '');
    await symlink(join(folder, 'nowhere'), `${link}-dangling`);
    for (const name of [link ?? '', `${link}-dangling`]) {
      expect(() => realFileSystem.open(name, mode)).toThrow('EEXIST');
    }
    expect(await readFile(precious ?? '', 'utf8')).toBe('mine');
    expect(await readdir(folder)).not.toContain('nowhere');
  },
);

test('whoever has a file that goes by another name now leaves it to who opens it by that', async () => {
  const [file, real] = [join(folder, 'moved.json'), join(folder, 'real.json')];
  await createJsonFile(file, { title: 'My blog', description: '' });
  const notices: string[] = [];
  const first = await openJsonFile({ path: file, report: (notice) => void notices.push(notice) });
  await first.create(1, { title: 'Of the first' });
  await rename(file, real);
  await symlink(real, file);
  const second = await openJsonFile({ path: file });
  await expect(first.create(1, { title: 'More' })).rejects.toMatchObject({
    failure: 'changed-outside',
  });
  expect((await second.create(1, { title: 'Of the second' })).kind).toBe('created');
  await first.close();
  expect(first.loss).toBeUndefined();
  expect(notices.at(-1)).toContain('Everything acknowledged is in it.');
  await second.close();
  expect(second.loss).toBeUndefined();
  const { articles } = JSON.parse(await readFile(real, 'utf8'));
  expect(articles.map(({ title }: { title: string }) => title)).toEqual([
    'Of the first',
    'Of the second',
  ]);
});
