import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect } from 'node:net';
import { Pool } from 'undici';
import { describe, expect, it } from 'vitest';
import { listen } from '../../../server/http/node-adapter.ts';
import { startServer } from '../../../server/index.ts';

const json = { 'content-type': 'application/json', 'x-access-token': 'all' };
const clients = 50;

/** Answered writes: the titles of 201s, and how many requests were answered at all. */
let written = 0;

async function writeUntilRefused(pool: Pool, path: string, seen: { titles: string[] }) {
  for (let at = 0; ; at += 1) {
    const title = `T ${(written += 1)}`;
    const write = at % 2 === 0;
    const options = { path, headers: json, blocking: false };
    const body = JSON.stringify({ title, content: 'C' });
    const answer = await pool
      .request(write ? { ...options, method: 'POST', body } : { ...options, method: 'GET' })
      .catch(() => undefined);
    if (answer === undefined) return;
    await answer.body.dump();
    if (write && answer.statusCode === 201) seen.titles.push(title);
    if (![200, 201].includes(answer.statusCode)) return;
  }
}

describe('41: stopping', () => {
  it('under 50 connections of reads and writes loses no answered write', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'blogctl-stopping-'));
    const file = join(folder, 'blog.json');
    const server = await startServer({ file, host: '127.0.0.1', port: 0, token: 'all' });
    const pool = new Pool(server.url, { connections: clients, pipelining: 1 });
    const silent = connect({ port: Number(new URL(server.url).port), host: '127.0.0.1' });
    silent.on('error', () => silent.destroy());
    const seen = { titles: new Array<string>() };
    const path = '/api/v1.2/blogs/1/articles';
    const running = Array.from({ length: clients }, () => writeUntilRefused(pool, path, seen));
    while (seen.titles.length < 200) await new Promise((resolve) => setImmediate(resolve));
    const startedAt = performance.now();
    await server.stop();
    expect(performance.now() - startedAt).toBeLessThan(5000);
    await Promise.all(running);
    await pool.destroy();
    const { articles } = JSON.parse(await readFile(file, 'utf8'));
    const kept = new Set(articles.map(({ title }: { title: string }) => title));
    expect(seen.titles.length).toBeGreaterThanOrEqual(200);
    expect(seen.titles.filter((title) => !kept.has(title))).toEqual([]);
    await rm(folder, { recursive: true });
  });

  it('what runs is answered, with Connection: close, and what hangs is cut after the grace', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'blogctl-stopping-'));
    const file = join(folder, 'blog.json');
    const server = await startServer({
      file,
      host: '127.0.0.1',
      port: 0,
      delay: '100',
      graceMs: 300,
    });
    const running = fetch(`${server.url}/`);
    const hanging = connect({ port: Number(new URL(server.url).port), host: '127.0.0.1' });
    const cut = new Promise((resolve) => hanging.once('close', resolve));
    hanging.on('error', () => hanging.destroy());
    const head = [
      'POST /api/v1.2/blogs/1/articles HTTP/1.1',
      'Host: localhost',
      'Content-Length: 9',
    ];
    const typed = ['Content-Type: application/json', 'X-Access-Token: all', '', ''];
    hanging.write([...head, ...typed].join('\r\n'));
    hanging.resume();
    await new Promise((resolve) => hanging.once('connect', resolve));
    await fetch(`${server.url}/`);
    await server.stop();
    expect((await running).status).toBe(200);
    await cut;
    await rm(folder, { recursive: true });
  });

  it('sends to its end what was begun before, and takes no longer than that', async () => {
    const body = new Uint8Array(2 ** 24);
    const app = () => ({ status: 200, headers: { 'Content-Length': String(body.length) }, body });
    const bounds = { keepAliveMs: 60_000 };
    const listening = await listen(app, { host: '127.0.0.1', port: 0, bounds });
    const reader = connect({ port: listening.port, host: '127.0.0.1' });
    reader.write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n');
    await once(reader, 'readable');
    const startedAt = performance.now();
    const stopped = listening.stop(60_000);
    let read = 0;
    reader.on('data', ({ length }: Buffer) => (read += length));
    const closed = once(reader, 'close');
    await stopped;
    expect(performance.now() - startedAt).toBeLessThan(10_000);
    await closed;
    expect(read).toBeGreaterThan(body.length);
  });

  it('ends those who still read a long page, and takes that for no damage', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'blogctl-stopping-'));
    const notices: unknown[] = [];
    const options = { host: '127.0.0.1', port: 0, token: 'all', graceMs: 100 };
    const notice = (said: unknown) => void notices.push(said);
    const file = join(folder, 'blog.json');
    const first = await startServer({ file, ...options });
    const articles = `${first.blogs[0]?.url}/articles`;
    const body = JSON.stringify({ title: 'T', content: 'x'.repeat(160_000) });
    const post = async () =>
      (await fetch(articles, { method: 'POST', headers: json, body })).arrayBuffer();
    await Promise.all(Array.from({ length: 100 }, post));
    await first.stop();
    // Written by nobody, it is closed at once.
    const server = await startServer({ file, notice, ...options });
    const slow = await fetch(`${server.blogs[0]?.url}/articles?pageSize=1000`);
    expect(await server.stop()).toBeUndefined();
    await expect(slow.arrayBuffer()).rejects.toThrow('terminated');
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(notices).toEqual([]);
    await rm(folder, { recursive: true });
  });
});
