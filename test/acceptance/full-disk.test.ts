import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { givenFolder, givenService, type Service } from '../support/command.ts';
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
