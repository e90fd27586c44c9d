import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { listen } from '../../../../server/http/node-adapter.ts';
import { run } from '../../../support/run.ts';
import { articles, givenService } from '../../../support/service.ts';

/** A service that creates what it is asked for, and never says where; and a file for it. */
async function given(withoutHeaders: readonly string[]) {
  const service = await givenService();
  const listening = await listen(
    async (request) => {
      const response = await service.app(request);
      const kept = Object.entries(response.headers).filter(
        ([name]) => !withoutHeaders.includes(name.toLowerCase()),
      );
      return { ...response, headers: Object.fromEntries(kept) };
    },
    { host: '127.0.0.1', port: 0 },
  );
  const folder = mkdtempSync(join(tmpdir(), 'blogctl-place-'));
  onTestFinished(async () => {
    await listening.stop(0);
    rmSync(folder, { recursive: true });
  });
  const lines = ['One', 'Two', 'Two'].map(
    (title) => `${JSON.stringify({ title, content: 'text' })}\n`,
  );
  writeFileSync(join(folder, 'posts.ndjson'), lines.join(''));
  const env = { BLOGCTL_TOKEN: 'all', BLOGCTL_DATA_DIR: folder };
  const blog = `http://127.0.0.1:${listening.port}${articles.replace(/\/articles$/, '')}`;
  return async (line: string) => {
    const named = line.replace('posts', join(folder, 'posts'));
    const words = [...named.split(' '), '--blog', blog, '--json'];
    const { out, err, status } = await run(words, { env, folder });
    return { status, err, json: JSON.parse(out || '{}') };
  };
}

it('what a service creates and shows no place of is found by its key, and imported once', async () => {
  const command = await given(['location']);
  expect(await command('articles import posts.ndjson')).toMatchObject({
    status: 0,
    json: { created: 3 },
  });
  expect(await command('articles import posts.ndjson')).toMatchObject({
    status: 0,
    json: { created: 0 },
  });
  expect((await command('articles create --title Three --content x')).json).toMatchObject({
    id: 4,
  });
});

it('where nobody can be asked by key it counts as created, and is created once', async () => {
  const command = await given(['location', 'link-template', 'accept-idempotency']);
  for (const created of [3, 0]) {
    const { json } = await command('articles import posts.ndjson');
    expect(json).toMatchObject({ created });
  }
  expect((await command('articles list')).json).toHaveLength(3);
});
