import {
  cpSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import {
  blogctl,
  givenFolder,
  givenService,
  startBlogctl,
  type Service,
} from '../support/command.ts';
import { givenSmallDisk, mayMount } from '../support/mounts.ts';

const isAllowed = mayMount();

function post({ blogUrl, token }: Service, characters: number): Promise<Response> {
  return fetch(`${blogUrl}/articles`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-access-token': token },
    body: JSON.stringify({ title: 'Any', content: 'x'.repeat(characters) }),
  });
}

async function total({ blogUrl }: Service): Promise<number> {
  const answer = await fetch(`${blogUrl}/articles?pageSize=1`);
  expect(answer.status).toBe(200);
  return JSON.parse(await answer.text()).totalArticles;
}

test.skipIf(!isAllowed)('a full disk is 507 to writes alone, until there is room', async () => {
  const disk = givenSmallDisk(1024);
  const ballast = join(disk, 'ballast');
  writeFileSync(ballast, 'x'.repeat(300_000));
  const place = ['--store', join(disk, 'blog.json'), '--port', '0'];
  const service = await givenService(await givenFolder(), place);
  let created = 0;
  let answer = await post(service, 3000);
  for (; answer.status === 201; answer = await post(service, 3000)) created += 1;
  expect(answer.status).toBe(507);
  expect(answer.headers.get('retry-after')).toBe('30');
  expect(JSON.parse(await answer.text())).toMatchObject({ status: 507 });
  expect(created).toBeGreaterThan(50);
  expect(await total(service)).toBe(created);
  expect((await post(service, 3000)).status).toBe(507);
  rmSync(ballast);
  expect((await post(service, 3000)).status).toBe(201);
  expect((await service.end('SIGTERM')).exitCode).toBe(0);
  const again = await givenService(await givenFolder(), place);
  expect(await total(again)).toBe(created + 1);
});

test.skipIf(!isAllowed)(
  'an import whose journal finds no room brings all of its records, and says what it lacks',
  async () => {
    const folder = await givenFolder();
    const [disk, file] = [givenSmallDisk(16), join(folder, 'blog.json')];
    const records = Array.from({ length: 300 }, (_, at) => ({ title: `T ${at}`, content: 'x' }));
    const lines = records.map((record) => `${JSON.stringify(record)}\n`).join('');
    writeFileSync(join(folder, 'records.ndjson'), lines);
    const run = (...words: readonly string[]) =>
      blogctl([...words, '--blog', `file:${file}`], { folder, env: { BLOGCTL_DATA_DIR: disk } });
    await run('articles', 'create', '--title', 'Before', '--content', 'Text');
    const imported = await run('articles', 'import', 'records.ndjson', '--json');
    expect(JSON.parse(imported.stdout)).toMatchObject({ created: 300 });
    expect(imported.stderr).toMatch(/The journal .+\.ndjson.+ cannot be written: ENOSPC/);
    expect(imported.exitCode).toBe(0);
    const [interrupted] = JSON.parse((await run('runs', 'list', '--json')).stdout);
    expect(interrupted).toMatchObject({ state: 'interrupted', command: 'articles import' });
    const undo = ['runs', 'undo', interrupted.id, '-y', '--json', '--blog', `file:${file}`];
    const unnoted = await blogctl(undo, { folder, env: { BLOGCTL_DATA_DIR: disk } });
    expect(unnoted.exitCode).toBe(7);
    expect(unnoted.stderr).toMatch(/The journal .+\.ndjson.+ cannot be written: ENOSPC/);
    cpSync(disk, join(folder, 'roomy'), { recursive: true });
    const undone = await blogctl(undo, {
      folder,
      env: { BLOGCTL_DATA_DIR: join(folder, 'roomy') },
    });
    expect(JSON.parse(undone.stdout)).toMatchObject({ deleted: 300 });
  },
  60_000,
);

test.skipIf(!isAllowed)(
  'a full disk is named to who changes a file, and the file is read',
  async () => {
    const folder = await givenFolder();
    const disk = givenSmallDisk(256);
    const file = join(disk, 'blog.json');
    const run = (...words: readonly string[]) => blogctl(words, { folder });
    const blog = ['--blog', `file:${file}`];
    await run('articles', 'create', '--title', 'Kept', '--content', 'Text', ...blog);
    const before = readFileSync(file, 'utf8');
    fill(disk);
    for (const words of [
      ['articles', 'update', '1', '--title', 'Other', ...blog],
      ['articles', 'delete', '1', '-y', ...blog],
      ['articles', 'create', '--title', 'Other', '--content', 'Text', ...blog],
      ['store', 'compact', '--store', file],
    ]) {
      const { exitCode, stdout, stderr } = await run(...words);
      expect([exitCode, stdout]).toEqual([7, '']);
      expect(stderr).toContain(`error: The disk of ${file} is full. Nothing was changed.`);
      expect(stderr).toContain('hint: Free some space there, then run the same again');
    }
    const { stderr } = await run(
      'store',
      'repair',
      '--store',
      file,
      '--to',
      join(disk, 'new.json'),
    );
    expect(stderr).toContain(`The disk of ${join(disk, 'new.json')} is full.`);
    const token = await run('token', 'create', '--store', file);
    expect(token.exitCode).toBe(7);
    expect(token.stderr).toContain(`The disk of ${join(disk, 'blog.tokens.json')} is full.`);
    const listed = await run('articles', 'list', ...blog);
    expect(listed).toMatchObject({ exitCode: 0, stdout: '1\tKept\n' });
    expect(readFileSync(file, 'utf8')).toBe(before);
    expect(readdirSync(disk).sort()).toEqual(['ballast', 'blog.json']);
  },
);

test.skipIf(!isAllowed).each([0, 4, 8, 12, 16])(
  'with %i kilobytes left a store is served, or what is lacking is said and nothing is held',
  async (left) => {
    const folder = await givenFolder();
    const disk = givenSmallDisk(64);
    const [file, ballast] = [join(disk, 'blog.json'), join(disk, 'ballast')];
    await blogctl(['store', 'init', '--store', file], { folder });
    fill(disk);
    truncateSync(ballast, statSync(ballast).size - left * 1024);
    const words = ['serve', '--store', file, '--port', '0', '--json'];
    const process = startBlogctl(words, { folder });
    await Promise.race([process, new Promise((ready) => process.stdout.once('data', ready))]);
    process.kill('SIGTERM');
    const { exitCode, stdout, stderr } = await process;
    const isRefused = /"The disk of \S*\.json is full\. Nothing was changed\."/.test(stderr);
    const isLetGo = readdirSync(disk).every((name) =>
      /^(?:ballast|blog(?:\.tokens)?\.json)$/.test(name),
    );
    const isServed = stdout !== '' && stderr.includes('Serving');
    expect([
      { exitCode: 7, isRefused: true, isServed: false, isLetGo: true },
      { exitCode: 0, isRefused: false, isServed: true, isLetGo: true },
    ]).toContainEqual({ exitCode, isRefused, isServed, isLetGo });
  },
);

test.skipIf(!isAllowed)('on a full disk only what is there is said to be readable', async () => {
  const folder = await givenFolder();
  const disk = givenSmallDisk(64);
  const [file, other] = [join(disk, 'blog.json'), join(disk, 'other.json')];
  await blogctl(['store', 'init', '--store', file], { folder });
  fill(disk);
  const hintOf = async (...words: readonly string[]) => {
    const { stderr } = await blogctl(words, { folder });
    return /hint: (.*)/.exec(stderr)?.[1];
  };
  const free = 'Free some space there, then run the same again';
  expect(await hintOf('serve', '--store', file, '--port', '0')).toBe(
    `${free}; meanwhile it can be read, also by \`blogctl serve --read-only --store ${file}\`.`,
  );
  expect(await hintOf('serve', '--store', other, '--port', '0')).toBe(`${free}.`);
  expect(await hintOf('store', 'init', '--store', other)).toBe(`${free}.`);
  expect(await hintOf('token', 'create', '--store', file)).toBe(`${free}.`);
});

function fill(disk: string): void {
  for (let size = 64 * 1024; size > 0; size = Math.floor(size / 2)) {
    try {
      for (;;) writeFileSync(join(disk, 'ballast'), 'x'.repeat(size), { flag: 'a' });
    } catch {
      // Smaller pieces may still fit.
    }
  }
}
