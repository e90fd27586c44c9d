import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Pool } from 'undici';
import { expect, it } from 'vitest';
import { givenFolder, givenService } from '../support/command.ts';
import type { Service } from '../support/command.ts';

const connections = 50;

/** What the service answered for; `undefined` = deleted. */
type Acknowledged = Map<number, string | undefined>;

it('SIGTERM under 50 connections loses no answered write and ends all of them with exit 0', async () => {
  const folder = await givenFolder();
  const service = await givenService(folder);
  const { origin, pathname } = new URL(service.blogUrl);
  const path = `${pathname}/articles`;
  const pool = new Pool(origin, { connections, pipelining: 1 });
  const seen: Acknowledged = new Map();
  const running = Array.from({ length: connections }, () =>
    useUntilRefused(pool, { path, token: service.token, seen }),
  );
  while (seen.size < 400) await new Promise((resolve) => setImmediate(resolve));
  const startedAt = performance.now();
  const { exitCode, stderr } = await service.end('SIGTERM');
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
  await Promise.all(running);
  expect(performance.now() - startedAt).toBeLessThan(5_000);
  await pool.destroy();
  const { articles } = JSON.parse(await readFile(join(folder, 'blog.json'), 'utf8'));
  const kept = new Map<number, string>(
    articles.map(({ id, title }: { id: number; title: string }) => [id, title]),
  );
  const lost = [...seen].filter(([id, title]) => kept.get(id) !== title);
  expect(lost).toEqual([]);
});

type Use = { readonly path: string; readonly token: Service['token']; readonly seen: Acknowledged };

/** Creates, reads, replaces and at last deletes every third; each article has one writer. */
async function useUntilRefused(pool: Pool, { path, token, seen }: Use): Promise<void> {
  const headers = { 'content-type': 'application/json', 'x-access-token': token };
  const ask = async (method: 'GET' | 'POST' | 'PUT' | 'DELETE', at: string, title?: string) => {
    const body = title === undefined ? null : JSON.stringify({ title, content: 'C' });
    const answer = await pool
      .request({ method, path: at, headers, body, blocking: false })
      .catch(() => undefined);
    const text = (await answer?.body.text().catch(() => undefined)) ?? '';
    const isGood = answer !== undefined && answer.statusCode < 300;
    return { isGood, id: isGood && text !== '' ? Number(JSON.parse(text).id) : 0 };
  };
  for (let count = 1; ; count += 1) {
    const created = await ask('POST', path, `first ${count}`);
    if (!created.isGood) return;
    const { id } = created;
    seen.set(id, `first ${count}`);
    const article = `${path}/${id}`;
    if (!(await ask('GET', article)).isGood) return;
    // What is not answered may have happened or not: nothing can be claimed of it.
    seen.delete(id);
    if (!(await ask('PUT', article, `second ${count}`)).isGood) return;
    seen.set(id, `second ${count}`);
    if (count % 3 !== 0) continue;
    seen.delete(id);
    if (!(await ask('DELETE', article)).isGood) return;
    seen.set(id, undefined);
  }
}
