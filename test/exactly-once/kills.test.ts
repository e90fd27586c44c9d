import { readFile, writeFile } from 'node:fs/promises';
import { createServer, request as send } from 'node:http';
import { once } from 'node:events';
import { join } from 'node:path';

import { describe, expect, it } from 'vitest';

import { startOtherService } from '../support/other-service.ts';
import { untilArticles } from '../support/until-articles.ts';
import { seed } from '../support/random.ts';
import { killWithin, serve, start, withFolder } from './processes.ts';

/** The nightly run sets these higher: BLOGCTL_KILLS=200 BLOGCTL_SERVER_KILLS=100. */
const kills = Number(process.env['BLOGCTL_KILLS'] ?? 20);
const serverKills = Number(process.env['BLOGCTL_SERVER_KILLS'] ?? 10);
const token = 'the-token-of-this-test';
const minutes = 60_000;

type Text = { readonly title: string; readonly content: string };

/** Every tenth is equal to the letter with the one before. */
function texts(count: number): readonly Text[] {
  return Array.from({ length: count }, (_, at) => {
    const number = at % 10 === 9 ? at - 1 : at;
    return { title: `Post ${number}`, content: `Text of ${number}\n`.repeat(20) };
  });
}

/** Every third is known by an id, the others by their texts and as twins. */
const lines = (records: readonly Text[]): string =>
  records
    .map((text, at) => `${JSON.stringify({ ...(at % 3 === 0 && { id: at }), ...text })}\n`)
    .join('');
const readText = (line: string): Text => JSON.parse(line);
const sorted = (records: readonly Text[]): readonly string[] =>
  records.map(({ title, content }) => JSON.stringify({ title, content })).sort();

async function exported(blog: string): Promise<readonly string[]> {
  const { out } = await start(['articles', 'export', '-', '--blog', blog, '--quiet']).ended;
  return sorted(out.trim().split('\n').map(readText));
}

async function killedUntilDone(
  line: readonly string[],
  { times, folderOf }: { times: number; folderOf: (attempt: number) => string },
): Promise<number> {
  let killed = 0;
  for (let attempt = 0; ; attempt += 1) {
    const env = { BLOGCTL_TOKEN: token, BLOGCTL_DATA_DIR: folderOf(attempt) };
    const running = start(line, env);
    if (killed < times) {
      if (await killWithin(running, 400)) killed += 1;
      continue;
    }
    const { status, err } = await running.ended;
    expect(err).not.toContain('error:');
    expect(status).toBe(0);
    return killed;
  }
}

describe(`every record is on the blog once (seed ${seed})`, () => {
  it.each(['with the journal', 'without the journal'])(
    `after kill -9 of the command ${kills / 2} times, %s`,
    async (journal) => {
      await withFolder(async (folder) => {
        const records = texts(600);
        await writeFile(join(folder, 'd.ndjson'), lines(records));
        const { blog, running } = await serve(join(folder, 'blog.json'), 0, token);
        const line = ['articles', 'import', join(folder, 'd.ndjson'), '--blog', blog, '--quiet'];
        const keeps = journal === 'with the journal';
        const folderOf = (attempt: number) => join(folder, keeps ? 'data' : `data-${attempt}`);
        const killed = await killedUntilDone(line, { times: Math.ceil(kills / 2), folderOf });
        expect(killed).toBe(Math.ceil(kills / 2));
        expect(await exported(blog)).toEqual(sorted(records));
        running.child.kill('SIGTERM');
        expect((await running.ended).status).toBe(0);
      });
    },
    10 * minutes,
  );

  it(
    `after kill -9 of the server ${serverKills} times while one import runs`,
    async () => {
      await withFolder(async (folder) => {
        const file = join(folder, 'blog.json');
        const records = texts(Math.max(600, serverKills * 150));
        await writeFile(join(folder, 'd.ndjson'), lines(records));
        let served = await serve(file, 0, token);
        const { blog, port } = served;
        const source = join(folder, 'd.ndjson');
        // Killed from the start, it may not have answered for longer than an import asks by default.
        const line = ['articles', 'import', source, '--blog', blog, '--quiet', '--max-wait', '5m'];
        const env = { BLOGCTL_TOKEN: token, BLOGCTL_DATA_DIR: folder };
        for (let killed = 0; killed < serverKills;) {
          const running = start(line, env);
          while (running.child.exitCode === null && killed < serverKills) {
            await killWithin(served.running, 250);
            killed += 1;
            JSON.parse(await readFile(file, 'utf8'));
            served = await serve(file, port, token);
          }
          const { status, err } = await running.ended;
          expect(err).not.toContain('error:');
          expect(status).toBe(0);
        }
        expect(await exported(blog)).toEqual(sorted(records));
        served.running.child.kill('SIGTERM');
        expect((await served.running.ended).status).toBe(0);
      });
    },
    10 * minutes,
  );

  it(
    'when one answer in twenty is lost after the commit',
    async () => {
      await withFolder(async (folder) => {
        const records = texts(600);
        await writeFile(join(folder, 'd.ndjson'), lines(records));
        const { blog, running, port } = await serve(join(folder, 'blog.json'), 0, token);
        const proxy = await startProxy(port, { losing: 20 });
        const through = blog.replace(String(port), String(proxy.port));
        const line = ['articles', 'import', join(folder, 'd.ndjson'), '--blog', through, '--json'];
        const env = { BLOGCTL_TOKEN: token, BLOGCTL_DATA_DIR: folder };
        const { out, status } = await start(line, env).ended;
        expect(JSON.parse(out)).toMatchObject({ records: 600, inDoubt: 0, unsent: 0 });
        expect(status).toBe(0);
        expect(proxy.lost()).toBeGreaterThan(20);
        expect(await exported(blog)).toEqual(sorted(records));
        proxy.stop();
        running.child.kill('SIGTERM');
        await running.ended;
      });
    },
    2 * minutes,
  );

  it(
    'after Ctrl-C and SIGTERM at random moments, each time with a summary that adds up',
    async () => {
      await withFolder(async (folder) => {
        const records = texts(600);
        await writeFile(join(folder, 'd.ndjson'), lines(records));
        const { blog, running } = await serve(join(folder, 'blog.json'), 0, token);
        const line = ['articles', 'import', join(folder, 'd.ndjson'), '--blog', blog, '--json'];
        const env = { BLOGCTL_TOKEN: token, BLOGCTL_DATA_DIR: folder };
        for (let stopped = 0; stopped < 6; stopped += 1) {
          const one = start(line, env);
          await once(one.child.stderr ?? one.child, 'data');
          const signal = stopped % 2 === 0 ? 'SIGINT' : 'SIGTERM';
          await killWithin(one, 250, signal);
          const { status, out } = await one.ended;
          // null: the signal met a process that had said everything and was going.
          expect([0, signal === 'SIGINT' ? 130 : 143, null]).toContain(status);
          const { created, replayed, inDoubt, unsent } = JSON.parse(out);
          expect(created + replayed + inDoubt + unsent).toBe(600);
        }
        expect((await start(line, env).ended).status).toBe(0);
        expect(await exported(blog)).toEqual(sorted(records));
        running.child.kill('SIGTERM');
        await running.ended;
      });
    },
    2 * minutes,
  );

  it(
    'after Ctrl-C, which says how to go on, with the token that it was given',
    async () => {
      await withFolder(async (folder) => {
        const records = texts(3000);
        await writeFile(join(folder, 'd.ndjson'), lines(records));
        const { blog, running } = await serve(join(folder, 'blog.json'), 0, token);
        const line = ['articles', 'import', join(folder, 'd.ndjson'), '--blog', blog, '--json'];
        await writeFile(join(folder, 'token.txt'), token);
        const env = { BLOGCTL_DATA_DIR: folder };
        const first = start([...line, '--token-file', join(folder, 'token.txt')], env);
        await untilArticles(join(folder, 'blog.json'), 50);
        first.child.kill('SIGINT');
        const ended = await first.ended;
        expect(ended.status).toBe(130);
        expect(ended.err).toMatch(/To go on: blogctl runs resume [\da-f]{10}/);
        const { created, unsent } = JSON.parse(ended.out);
        expect(created + unsent).toBe(3000);
        const [, id = ''] = /runs resume (\w+)/.exec(ended.err) ?? [];
        const second = await start(['runs', 'resume', id, '--json'], env).ended;
        expect(second.status).toBe(0);
        expect(JSON.parse(second.out)).toMatchObject({ created: unsent, replayed: created });
        expect(await exported(blog)).toEqual(sorted(records));
        running.child.kill('SIGTERM');
        await running.ended;
      });
    },
    2 * minutes,
  );
});

/** Requests under way, and as many that were answered in the very turn of the event loop. */
const unnoted = 2 * 4;

describe('a resumed import asks again for nothing that was answered', () => {
  it.each([
    ['SIGINT', 0],
    ['SIGKILL', unnoted],
  ] as const)(
    'after %s at half, but for %i',
    async (signal, most) => {
      await withFolder(async (folder) => {
        const source = join(folder, 'd.ndjson');
        await writeFile(source, lines(texts(3000)));
        const { blog, running, port } = await serve(join(folder, 'blog.json'), 0, token);
        const proxy = await startProxy(port);
        const through = blog.replace(String(port), String(proxy.port));
        const line = ['articles', 'import', source, '--blog', through, '--json'];
        const env = { BLOGCTL_TOKEN: token, BLOGCTL_DATA_DIR: folder };
        const first = start(line, env);
        await proxy.askedFor(1500);
        first.child.kill(signal);
        await first.ended;
        expect(proxy.asked.size).toBeLessThan(3000);
        const { status, out } = await start(line, env).ended;
        expect(status).toBe(0);
        expect(JSON.parse(out)).toMatchObject({ records: 3000, inDoubt: 0, unsent: 0 });
        const repeated = [...proxy.asked.values()].filter((times) => times > 1);
        expect(proxy.asked.size).toBe(3000);
        expect(repeated.length).toBeLessThanOrEqual(most);
        proxy.stop();
        running.child.kill('SIGTERM');
        await running.ended;
      });
    },
    2 * minutes,
  );
});

describe(`every record is once on a blog that knows no Idempotency-Key (seed ${seed})`, () => {
  it.each(['with the journal', 'without the journal'])(
    `after kill -9 of the command ${kills / 2} times, %s`,
    async (journal) => {
      await withFolder(async (folder) => {
        const records = texts(400);
        await writeFile(join(folder, 'd.ndjson'), lines(records));
        const other = await startOtherService([], { token, first: { POST: losingOneInTwenty() } });
        const source = join(folder, 'd.ndjson');
        const line = ['articles', 'import', source, '--blog', other.blogUrl, '--quiet'];
        const keeps = journal === 'with the journal';
        const folderOf = (attempt: number) => join(folder, keeps ? 'data' : `data-${attempt}`);
        await killedUntilDone(line, { times: Math.ceil(kills / 2), folderOf });
        expect(sorted([...other.articles.values()].map(textOf))).toEqual(sorted(records));
        await other.stop();
      });
    },
    10 * minutes,
  );

  it(
    'after Ctrl-C at random moments, while one answer in twenty is lost after the commit',
    async () => {
      await withFolder(async (folder) => {
        const records = texts(400);
        const source = join(folder, 'd.ndjson');
        await writeFile(source, lines(records));
        const other = await startOtherService([], { token, first: { POST: losingOneInTwenty() } });
        const line = ['articles', 'import', source, '--blog', other.blogUrl, '--json'];
        const env = { BLOGCTL_TOKEN: token, BLOGCTL_DATA_DIR: folder };
        for (let stopped = 0; stopped < 6; stopped += 1) {
          const one = start(line, env);
          await once(one.child.stderr ?? one.child, 'data');
          await killWithin(one, 250, 'SIGINT');
          expect([0, 130, null]).toContain((await one.ended).status);
        }
        const { status, out } = await start(line, env).ended;
        expect(status).toBe(0);
        expect(JSON.parse(out)).toMatchObject({ records: 400, inDoubt: 0, unsent: 0 });
        expect(sorted([...other.articles.values()].map(textOf))).toEqual(sorted(records));
        await other.stop();
      });
    },
    2 * minutes,
  );
});

function losingOneInTwenty() {
  return Array.from({ length: 2000 }, (_, at) => (at % 20 === 7 ? 'drop-after-commit' : 'answer'));
}

function textOf({ title, content = '' }: { title: string; content?: string }): Text {
  return { title, content };
}

type Proxy = {
  readonly port: number;
  /** How often each Idempotency-Key was sent. */
  readonly asked: ReadonlyMap<string, number>;
  /** Resolves when so many keys were sent. */
  askedFor(keys: number): Promise<void>;
  readonly lost: () => number;
  stop(): void;
};

/** Passes everything on; of the answers to POSTs each `losing`-th never arrives. */
async function startProxy(port: number, { losing = Infinity } = {}): Promise<Proxy> {
  const asked = new Map<string, number>();
  let posts = 0;
  let lost = 0;
  let waiting: { readonly keys: number; readonly resolve: () => void } | undefined;
  const server = createServer((request, response) => {
    const { method, url, headers } = request;
    const key = String(headers['idempotency-key']);
    if (method === 'POST') asked.set(key, (asked.get(key) ?? 0) + 1);
    if (waiting !== undefined && asked.size >= waiting.keys) waiting.resolve();
    const onward = send({ port, host: '127.0.0.1', method, path: url, headers }, (answer) => {
      posts += method === 'POST' ? 1 : 0;
      if (method === 'POST' && posts % losing === 0) {
        lost += 1;
        request.socket.destroy();
        return;
      }
      response.writeHead(answer.statusCode ?? 0, answer.headers);
      answer.pipe(response);
    });
    request.pipe(onward);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  return {
    port: typeof address === 'object' && address !== null ? address.port : 0,
    asked,
    askedFor: (keys) => new Promise((resolve) => (waiting = { keys, resolve })),
    lost: () => lost,
    stop() {
      server.closeAllConnections();
      server.close();
    },
  };
}
