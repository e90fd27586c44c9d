import { setTimeout as pause } from 'node:timers/promises';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { blogctl, givenFolder, givenService, startBlogctl } from '../support/command.ts';

/** The nightly run sets it to thousands. */
const records = Number(process.env['BLOGCTL_UNDO_RECORDS'] ?? 60);
const kills = Number(process.env['BLOGCTL_UNDO_KILLS'] ?? 2);
const edits = 30;

it('an undo takes back all that an import made which was killed and gone on with', async () => {
  const folder = await givenFolder();
  const { blogUrl, token } = await givenService(folder);
  const env = { BLOGCTL_BLOG: blogUrl, BLOGCTL_TOKEN: token };
  const run = (...words: string[]) => blogctl(words, { folder, env });
  const total = async (): Promise<number> =>
    JSON.parse(await (await fetch(`${blogUrl}/articles?pageSize=1`)).text()).totalArticles;
  const lineOf = (at: number) => `${JSON.stringify({ title: `Of ${at}`, content: 'x' })}\n`;
  const all = Array.from({ length: 2000 }, (_, at) => lineOf(at));
  writeFileSync(join(folder, 'early.ndjson'), all.slice(0, 40).join(''));
  writeFileSync(join(folder, 'all.ndjson'), all.join(''));
  await run('articles', 'import', 'early.ndjson', '--import-id', 'x');
  for (const goesOn of [true, false]) {
    const words = ['articles', 'import', 'all.ndjson', '--import-id', 'x', '--recreate'];
    const cut = startBlogctl(words, { folder, env });
    while (cut.exitCode === null && (await total()) < 200) await pause(1);
    cut.kill('SIGKILL');
    await cut;
    const [{ id }] = JSON.parse((await run('runs', 'list', '--json')).stdout);
    const resumed = goesOn ? await run('runs', 'resume', id) : undefined;
    expect(resumed?.exitCode ?? 0).toBe(0);
    expect(await total()).toBeGreaterThan(100);
    expect(await run('runs', 'undo', id, '-y')).toMatchObject({ exitCode: 0 });
    expect(await total()).toBe(40);
  }
}, 120_000);

type Article = { readonly title: string; readonly content: string; readonly url: string };

it(
  'an undo that is killed again and again leaves what was there before and what was edited since',
  async () => {
    const folder = await givenFolder();
    const { blogUrl, token } = await givenService(folder);
    const env = { BLOGCTL_BLOG: blogUrl, BLOGCTL_TOKEN: token };
    const run = (...words: string[]) => blogctl(words, { folder, env });
    const listing = async () => {
      const { stdout } = await run('articles', 'export', '-', '--format', 'ndjson');
      return stdout.split('\n').filter((line) => line !== '');
    };
    const count = async (): Promise<number> => {
      const page = await (await fetch(`${blogUrl}/articles?pageSize=1`)).text();
      return JSON.parse(page).totalArticles;
    };
    const parsed = (line: string): Article => JSON.parse(line);
    // Every third has the text of others.
    const lineOf = (at: number) =>
      JSON.stringify({ title: at % 3 === 0 ? 'Twin' : `Of ${at}`, content: 'x\n'.repeat(20) });
    const all = Array.from({ length: records }, (_, at) => `${lineOf(at)}\n`).join('');
    writeFileSync(join(folder, 'all.ndjson'), all);
    await run('articles', 'create', '--title', 'Before', '--content', 'as it was');
    const before = await listing();

    expect(await run('articles', 'import', 'all.ndjson')).toMatchObject({ exitCode: 0 });
    const made = (await listing()).slice(before.length).map(parsed);
    expect(made).toHaveLength(records);
    const edited = made.filter((_, at) => at % Math.floor(records / edits) === 0).slice(0, edits);
    const headers = { 'x-access-token': token, 'content-type': 'application/json' };
    for (const { url, title } of edited) {
      const body = JSON.stringify({ title, content: 'by hand' });
      const answer = await fetch(url, { method: 'PUT', headers, body });
      expect(answer.status).toBe(200);
    }
    const [{ id }] = JSON.parse((await run('runs', 'list', '--json')).stdout);
    const some = Math.floor((records - edits) / (kills + 1));
    for (let at = 0; at < kills; at += 1) {
      const goal = (await count()) - some;
      const running = startBlogctl(['runs', 'undo', id, '-y'], { folder, env });
      while (running.exitCode === null && (await count()) > goal) await pause(5);
      running.kill('SIGKILL');
      await running;
    }
    const ended = await run('runs', 'undo', id, '-y', '--json');
    expect(ended).toMatchObject({ exitCode: 10 });
    expect(JSON.parse(ended.stdout)).toMatchObject({ changes: records, kept: edits });
    expect(ended.stderr).toContain('and 10 more kept; the same line with --dry-run names them all');
    const { stderr: named } = await run('runs', 'undo', id, '--dry-run');
    for (const { url } of edited) expect(named).toContain(`${url} `);
    const left = await listing();
    expect(left.slice(0, before.length)).toEqual(before);
    expect(
      left
        .slice(before.length)
        .map((line) => parsed(line).url)
        .toSorted(),
    ).toEqual(edited.map(({ url }) => url).toSorted());
    expect(left.slice(before.length).every((line) => parsed(line).content === 'by hand')).toBe(
      true,
    );
    for (const { url } of edited) await fetch(url, { method: 'DELETE', headers });
    expect(await listing()).toEqual(before);
    const again = await run('articles', 'import', 'all.ndjson', '--recreate', '--json');
    expect(JSON.parse(again.stdout)).toMatchObject({ created: records });
    expect(await run('articles', 'import', 'all.ndjson', '--json')).toMatchObject({ exitCode: 0 });
    expect(await listing()).toHaveLength(before.length + records);
  },
  60_000 + records * 100 + kills * 10_000,
);
