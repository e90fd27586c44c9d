import { readdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { blogctl, givenFolder, givenService, type Service } from '../support/command.ts';

const watched = ['--store', 'blog.json', '--port', '0', '--watch'];

async function post(service: Service, title: string): Promise<number> {
  const answer = await fetch(`${service.blogUrl}/articles`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-access-token': service.token },
    body: JSON.stringify({ title, content: `Text of ${title}` }),
  });
  await answer.arrayBuffer();
  return answer.status;
}

async function titles({ blogUrl }: Service): Promise<readonly string[]> {
  const answer = await fetch(`${blogUrl}/articles`);
  const page = JSON.parse(await answer.text());
  if (answer.status === 503) return []; // Changed in place and not read again yet.
  return page._embedded.map(({ title }: { readonly title: string }) => title);
}

/** The file is looked at each second; the test's own time limit ends the waiting. */
async function untilTitles(service: Service, expected: readonly string[]): Promise<void> {
  while (JSON.stringify(await titles(service)) !== JSON.stringify(expected));
}

const ways = {
  'written in place': (file: string, text: string) => writeFile(file, text),
  'replaced by mv': async (file: string, text: string) => {
    await writeFile(`${file}.new`, text);
    await rename(`${file}.new`, file);
  },
};

test.each(Object.entries(ways))(
  'a file edited while it is served with --watch (%s) is shown as it is now',
  async (_, put) => {
    const folder = await givenFolder();
    const file = join(folder, 'blog.json');
    const service = await givenService(folder, watched);
    expect(await post(service, 'First')).toBe(201);
    const before = await readFile(file, 'utf8');
    await put(file, before.replace('"title":"First"', '"title":"By hand"'));
    await untilTitles(service, ['By hand']);
    expect(await post(service, 'Second')).toBe(201);
    expect(await titles(service)).toEqual(['By hand', 'Second']);
    const { exitCode, stderr } = await service.end('SIGTERM');
    expect(exitCode).toBe(0);
    expect(stderr).not.toContain('cannot be read');
    expect(JSON.parse(await readFile(file, 'utf8')).end.articles).toBe(2);
  },
);

test('articles that an older file put in its place has lost are kept beside it', async () => {
  const folder = await givenFolder();
  const file = join(folder, 'blog.json');
  const service = await givenService(folder, watched);
  await post(service, 'First');
  const older = await readFile(file, 'utf8');
  expect(await post(service, 'Acknowledged')).toBe(201);
  await ways['replaced by mv'](file, older);
  await untilTitles(service, ['First']);
  const saved = (await readdir(folder)).filter((name) => name.startsWith('blog.json.orphan-'));
  expect(saved).toHaveLength(1);
  const line = JSON.parse(await readFile(join(folder, saved[0] ?? ''), 'utf8'));
  expect(line).toMatchObject({ id: 2, title: 'Acknowledged', content: 'Text of Acknowledged' });
});

test('without --watch an edited file is refused to writes and read on', async () => {
  const folder = await givenFolder();
  const file = join(folder, 'blog.json');
  const service = await givenService(folder);
  await post(service, 'First');
  await ways['replaced by mv'](file, (await readFile(file, 'utf8')).replace('First', 'By hand'));
  expect(await post(service, 'Second')).toBe(503);
  expect(await titles(service)).toEqual(['First']);
});

test.each(['--read-only', '--ephemeral'])('--watch and %s exclude each other', async (flag) => {
  const folder = await givenFolder();
  const { exitCode, stderr } = await blogctl(['serve', '--watch', flag], { folder });
  expect(exitCode).toBe(2);
  expect(stderr).toContain(`option '--watch' cannot be used with option '${flag}'`);
});

test('a file that was truncated after an answer is told in the log, by /health and at the end', async () => {
  const folder = await givenFolder();
  const file = join(folder, 'blog.json');
  const service = await givenService(folder);
  expect(await post(service, 'First')).toBe(201);
  await writeFile(file, '');
  const health = new URL('/health', service.blogUrl);
  let answer = await fetch(health);
  while (answer.status === 200) answer = await fetch(health);
  expect(await answer.json()).toMatchObject({ status: 503, code: 'store-changed' });
  const line = ['articles', 'create', '--title', 'T', '--content', 'C', '--blog', service.blogUrl];
  const env = { BLOGCTL_TOKEN: service.token };
  const refused = await blogctl([...line, '--retries', '0'], { folder, env });
  expect(refused.stderr).toContain('restart that service, or serve it with --watch');
  const { exitCode, stderr } = await service.end('SIGTERM');
  expect(exitCode).toBe(7);
  expect(stderr).toContain('was changed by another program. Changes are refused from now on.');
  expect(stderr).toContain('The file cannot be read as a store. Acknowledged articles: 1.');
  expect(stderr).not.toContain('everything answered is on disk');
});
