import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import { initPostgres } from '../../server/store/postgres/open.ts';
import { startBalancer } from '../support/balanced.ts';
import { freePort, haproxy, postgresFolder } from '../support/postgres.ts';
import { givenPair } from '../support/replicated.ts';
import { serve, start, withFolder } from './processes.ts';

const token = 'the-token-of-this-test';
const isPossible = postgresFolder() !== undefined && haproxy !== undefined;
const isLong = process.env['BLOGCTL_PG_FAILOVERS'] !== undefined;
/** Of posts to import; the export is left as BLOGCTL_EXPORT. */
const given = process.env['BLOGCTL_POSTS'];

it.skipIf(!isPossible || !isLong)(
  'every post is on the blog once, while one instance after the other is killed and the primary fails over',
  async () => {
    await withFolder(async (folder) => {
      const pair = await givenPair();
      onTestFinished(() => pair.stop());
      await initPostgres(pair.address, { title: 'My blog', description: '' });
      const port = await freePort();
      const words = ['--rate-limit', '40/s', '--base-url', `http://127.0.0.1:${port}`];
      const serving = async (at: number) => {
        const { running } = await serve(pair.address, at, token, words);
        return { at, running };
      };
      const ports = [await freePort(), await freePort()];
      const instances = await Promise.all(ports.map(serving));
      const balancer = await startBalancer(port, ports);
      onTestFinished(() => balancer.stop());
      const posts = given ?? (await givenPosts(join(folder, 'posts')));
      const blog = ['--blog', `http://127.0.0.1:${port}/api/v1.2/blogs/1`];
      const line = ['articles', 'import', posts, ...blog, '--json', '--drafts'];
      const env = { BLOGCTL_TOKEN: token, BLOGCTL_DATA_DIR: folder };
      const importing = start(line, env);
      let killed = 0;
      for (; importing.child.exitCode === null; killed += 1) {
        await pause(300);
        const [instance] = instances.splice(0, 1);
        instance?.running.child.kill('SIGKILL');
        await instance?.running.ended;
        if (killed === 3) await pair.failOver();
        instances.push(await serving(instance?.at ?? 0));
      }
      const first = await importing.ended;
      expect([first.status, first.err]).toEqual([0, expect.anything()]);
      expect(killed).toBeGreaterThan(5);
      const second = await start(line, env).ended;
      const [one, again] = [first, second].map(({ out }) => JSON.parse(out));
      expect(again).toMatchObject({ created: 0, inDoubt: 0, unsent: 0 });
      const { out } = await start(['articles', 'export', '-', ...blog], env).ended;
      const found = out
        .trim()
        .split('\n')
        .map((text) => JSON.parse(text));
      expect(found).toHaveLength(one.records - (one.rejected ?? 0) - (one.skipped ?? 0));
      // No two of the posts are alike: what is there twice stands in the place of another.
      const texts = new Set(found.map(({ title, content }) => JSON.stringify([title, content])));
      expect(texts.size).toBe(found.length);
      const left = process.env['BLOGCTL_EXPORT'];
      if (left !== undefined) await writeFile(left, out);
      process.stdout.write(`${found.length} articles, ${killed} kills of instances, 1 failover\n`);
    });
  },
  900_000,
);

async function givenPosts(folder: string): Promise<string> {
  await mkdir(folder);
  for (let at = 1; at <= 500; at += 1) {
    const text = `---\ntitle: Post ${at}\n---\n${`Text of ${at}.\n`.repeat(30)}`;
    await writeFile(join(folder, `post-${at}.md`), text);
  }
  expect(await readdir(folder)).toHaveLength(500);
  return folder;
}
