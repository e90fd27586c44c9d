// Reading from the service as a ratio to a raw node:http server that sends the same bytes ready
// made: 50 connections, alternating windows, median of the ratios of each pair. The service has
// everything on: access log, request ids, preconditions, negotiation.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'rolldown';
import { median, table } from './figures.mjs';

const here = fileURLToPath(import.meta.url);
const connections = 50;
const windows = Number(process.env.ROUNDS ?? 41);
const windowMs = Number(process.env.WINDOW_MS ?? 300);
const api = '/api/v1.2/blogs/1/articles';
const goals = { article: 0.9, 'page of 20': 0.85 };

if (process.argv[2] === 'service') await beService(process.argv[3]);
else if (process.argv[2] === 'raw') await beRaw(JSON.parse(process.argv[3]));
else await measure();

async function measure() {
  const folder = mkdtempSync(join(tmpdir(), 'blogctl-bench-'));
  const bundle = join(folder, 'service.cjs');
  const input = fileURLToPath(new URL('../server/index.ts', import.meta.url));
  await build({
    input,
    platform: 'node',
    logLevel: 'silent',
    output: { file: bundle, format: 'cjs' },
  });
  const ours = await start('service', bundle);
  await fill(ours.url);
  const rows = [];
  for (const [name, path] of Object.entries({ article: `${api}/7`, 'page of 20': api })) {
    rows.push(await compare(name, `${ours.url}${path}`));
  }
  ours.child.kill();
  rmSync(folder, { recursive: true });
  table(`Reads, ${connections} connections, Node ${process.version}`, rows);
  if (rows.some(({ verdict }) => verdict !== 'holds')) process.exitCode = 1;
}

async function compare(name, url) {
  const ready = await fetch(url, { headers: { accept: 'application/hal+json' } });
  const headers = Object.fromEntries(ready.headers);
  for (const added of ['date', 'connection', 'keep-alive', 'x-request-id']) delete headers[added];
  const raw = await start('raw', JSON.stringify({ headers, body: await ready.text() }));
  const path = new URL(url).pathname;
  const load = async (target) => rate(await openAll(new URL(target).port, path));
  const { origin } = new URL(url);
  await load(origin);
  await load(raw.url);
  const pairs = [];
  for (let at = 0; at < windows; at += 1) {
    const inOrder = at % 2 === 0 ? [origin, raw.url] : [raw.url, origin];
    const rates = [];
    for (const target of inOrder) rates.push(await load(target));
    pairs.push(at % 2 === 0 ? rates : rates.toReversed());
  }
  raw.child.kill();
  const ratio = median(pairs.map(([ours, theirs]) => ours / theirs));
  return {
    read: name,
    'service/s': Math.round(median(pairs.map(([ours]) => ours))),
    'raw/s': Math.round(median(pairs.map(([, theirs]) => theirs))),
    ratio: ratio.toFixed(3),
    goal: `>= ${goals[name]}`,
    verdict: ratio >= goals[name] ? 'holds' : 'MISSED',
  };
}

/** Every connection sends the next request when the whole answer to the last one is there. */
async function openAll(port, path) {
  const request = `GET ${path} HTTP/1.1\r\nHost: localhost:${port}\r\nAccept: application/hal+json\r\n\r\n`;
  const sockets = await Promise.all(
    Array.from({ length: connections }, async () => {
      const socket = connect({ port, host: '127.0.0.1', noDelay: true });
      await once(socket, 'connect');
      return socket;
    }),
  );
  return { sockets, request };
}

async function rate({ sockets, request }) {
  let answers = 0;
  for (const socket of sockets) {
    let missing = 0;
    socket.on('data', (chunk) => {
      if (missing === 0) missing = sizeOf(chunk);
      missing -= chunk.length;
      if (missing > 0) return;
      answers += 1;
      missing = 0;
      socket.write(request);
    });
    socket.write(request);
  }
  const startedAt = performance.now();
  await new Promise((resolve) => setTimeout(resolve, windowMs));
  const perSecond = (answers / (performance.now() - startedAt)) * 1000;
  for (const socket of sockets) socket.destroy();
  return perSecond;
}

function sizeOf(chunk) {
  const end = chunk.indexOf('\r\n\r\n');
  const [, length] = /content-length: (\d+)/i.exec(chunk.toString('latin1', 0, end)) ?? [];
  return end + 4 + Number(length);
}

async function fill(url) {
  for (let at = 1; at <= 40; at += 1) {
    const answer = await fetch(`${url}${api}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-access-token': 'bench' },
      body: JSON.stringify({ title: `Article ${at}`, content: 'Lorem ipsum. '.repeat(115) }),
    });
    if (answer.status !== 201) throw new Error(`POST answered ${answer.status}`);
  }
}

async function start(role, argument) {
  const child = fork(here, [role, argument], { stdio: ['ignore', 'inherit', 'ignore', 'ipc'] });
  const [url] = await once(child, 'message');
  return { child, url };
}

async function beService(bundle) {
  const { default: server } = await import(bundle);
  const { url } = await server.startServer({
    file: 'unused',
    ephemeral: true,
    host: '127.0.0.1',
    port: 0,
    token: 'bench',
    accessLog: (lines) => process.stderr.write(`${lines}\n`),
  });
  process.send(url);
}

async function beRaw({ headers, body }) {
  const bytes = Buffer.from(body);
  const server = createServer((_, response) => {
    response.writeHead(200, headers);
    response.end(bytes);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  process.send(`http://127.0.0.1:${server.address().port}`);
}
