import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as after } from 'node:timers/promises';

import { describe, expect, it } from 'vitest';

import { untilArticles } from '../support/until-articles.ts';
import { serve, start, withFolder, type Running } from './processes.ts';

/** The nightly run sets these: BLOGCTL_AWAY_SECONDS=60, BLOGCTL_GONE_WAIT empty for the default. */
const awaySeconds = Number(process.env['BLOGCTL_AWAY_SECONDS'] ?? 0);
const goneWait = process.env['BLOGCTL_GONE_WAIT'] ?? '4s';
const patience = goneWait === '' ? [] : ['--max-wait', goneWait];
const token = 'the-token-of-this-test';
const minutes = 60_000;
const count = 1500;

describe('an import whose service dies on the way', () => {
  it(
    `goes on by itself when the service comes back, ${awaySeconds} s after it was missed`,
    async () => {
      await withFolder(async (folder) => {
        const { file, source, served, env } = await given(folder);
        const line = ['articles', 'import', source, '--blog', served.blog, '--json'];
        const running = start([...line, '--max-wait', '2m'], env);
        await untilArticles(file, 50);
        served.running.child.kill('SIGKILL');
        await untilItSays(running, 'Trying again in');
        await after(awaySeconds * 1000);
        const again = await serve(file, served.port, token);
        const { status, out } = await running.ended;
        expect(status).toBe(0);
        expect(JSON.parse(out)).toMatchObject({ records: count, inDoubt: 0, unsent: 0 });
        expect(await titlesOn(again.blog)).toEqual(titles());
      });
    },
    3 * minutes,
  );

  it(
    `gives up when it stays away, with 9 and the command to go on`,
    async () => {
      await withFolder(async (folder) => {
        const { file, source, served, env } = await given(folder);
        const line = ['articles', 'import', source, '--blog', served.blog, '--json'];
        const running = start([...line, ...patience], env);
        await untilArticles(file, 50);
        served.running.child.kill('SIGKILL');
        const first = await Promise.race([
          running.ended,
          after(minutes, undefined, { ref: false }),
        ]);
        if (first === undefined) throw new Error('It has not given up within a minute.');
        expect(first.status).toBe(9);
        expect(first.err).toContain('"code":"unreachable"');
        const { created, replayed, inDoubt, unsent } = JSON.parse(first.out);
        expect(created + replayed + inDoubt + unsent).toBe(count);
        const [, id = ''] = /To go on: blogctl runs resume (\w+)/.exec(first.err) ?? [];

        const again = await serve(file, served.port, token);
        const second = await start(['runs', 'resume', id, '--json'], env).ended;
        expect(second.status).toBe(0);
        expect(await titlesOn(again.blog)).toEqual(titles());
      });
    },
    2 * minutes,
  );
});

async function given(folder: string) {
  const file = join(folder, 'blog.json');
  const source = join(folder, 'd.ndjson');
  const records = titles().map((title) => JSON.stringify({ title, content: 'Text' }));
  await writeFile(source, records.join('\n'));
  const served = await serve(file, 0, token);
  return { file, source, served, env: { BLOGCTL_TOKEN: token, BLOGCTL_DATA_DIR: folder } };
}

function titles(): readonly string[] {
  return Array.from({ length: count }, (_, at) => `Post ${at}`).sort();
}

async function titlesOn(blog: string): Promise<readonly string[]> {
  const { out } = await start(['articles', 'export', '-', '--blog', blog, '--quiet']).ended;
  const titleOf = (line: string): string => JSON.parse(line).title;
  return out.trim().split('\n').map(titleOf).sort();
}

async function untilItSays({ child }: Running, words: string): Promise<void> {
  let said = '';
  while (!said.includes(words)) {
    const [text] = await once(child.stderr ?? child, 'data');
    said += String(text);
  }
}
