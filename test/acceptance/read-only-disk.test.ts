import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { blogctl, givenFolder, givenService, startBlogctl } from '../support/command.ts';
import { givenSmallDisk, makeReadOnly, mayMount } from '../support/mounts.ts';

const isAllowed = mayMount();

test.skipIf(!isAllowed)('a store on a disk that may only be read is served', async () => {
  const folder = await givenFolder();
  const disk = givenSmallDisk(512);
  const file = join(disk, 'blog.json');
  const writer = await givenService(folder, ['--store', file, '--port', '0']);
  const created = await fetch(`${writer.blogUrl}/articles`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-access-token': writer.token },
    body: JSON.stringify({ title: 'Kept', content: 'Text' }),
  });
  expect(created.status).toBe(201);
  await writer.end('SIGTERM');
  writeFileSync(join(disk, 'broken.json'), readFileSync(file, 'utf8').replace('"title"', '"title'));
  makeReadOnly(disk);

  const refused = await blogctl(['serve', '--store', file, '--port', '0'], { folder });
  expect(refused.exitCode).toBe(7);
  expect(refused.stderr).toContain(`${file} cannot be used: EROFS`);
  expect(refused.stderr).toContain('blogctl serve --read-only');

  const listed = await blogctl(['articles', 'list', '--blog', `file:${file}`], { folder });
  expect(listed).toMatchObject({ exitCode: 0, stdout: '1\tKept\n' });
  const erase = ['articles', 'delete', '1', '-y', '--blog', `file:${file}`];
  const unchanged = await blogctl(erase, { folder });
  expect(unchanged).toMatchObject({ exitCode: 7, stdout: '' });
  expect(unchanged.stderr).toContain(`${file} cannot be used: EROFS`);

  const [broken, to] = [join(disk, 'broken.json'), join(folder, 'saved.json')];
  const repair = ['store', 'repair', '--store', broken];
  const refusal = await blogctl(repair, { folder });
  expect(refusal.exitCode).toBe(7);
  expect(refusal.stderr).toContain(
    'hint: Check the permissions, or name a file in another folder with --to.',
  );
  expect((await blogctl([...repair, '--to', to], { folder })).exitCode).toBe(10);

  const service = await givenService(folder, ['--store', file, '--port', '0', '--read-only']);
  const list = await fetch(`${service.blogUrl}/articles`);
  expect(list.status).toBe(200);
  expect(await list.text()).toContain('"title":"Kept"');
  const change = await fetch(`${service.blogUrl}/articles/1`, {
    method: 'DELETE',
    headers: { 'x-access-token': service.token },
  });
  expect(change.status).toBe(423);
  expect(JSON.parse(await change.text())).toMatchObject({ code: 'locked' });
  expect((await service.end('SIGTERM')).exitCode).toBe(0);
  expect(readdirSync(disk)).toEqual(['blog.json', 'broken.json']);
});

test('with --read-only nothing is made: no store, no lock, no token', async () => {
  const folder = await givenFolder();
  const words = ['serve', '--store', 'blog.json', '--port', '0', '--json', '--read-only'];
  const missing = await blogctl(words, { folder });
  expect(missing.exitCode).toBe(5);
  expect(missing.stderr).toContain('There is no store file');
  await blogctl(['store', 'init', '--store', 'blog.json'], { folder });
  const before = readdirSync(folder);
  const served = startBlogctl(words, { folder });
  await new Promise((ready) => served.stdout.once('data', ready));
  expect(readdirSync(folder)).toEqual(before);
  served.kill('SIGTERM');
  const { exitCode, stderr } = await served;
  expect(exitCode).toBe(0);
  expect(stderr).not.toContain('Token');
});
