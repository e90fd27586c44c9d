// A thousand connections ask the built `blogctl serve` for the largest pages and read nothing, or begin
// bodies and do not end them, three times, while another client of the same address goes on asking and
// is answered within a second. Afterwards memory comes back. What the process keeps tells: its live heap
// and buffers, after a collection of garbage that the debugger asks for, are those of one that has
// answered the same to somebody who reads. What the system counts (RSS) says less of it: it goes on
// counting what is free already, because malloc gives back only what lies at the end of its heap and V8
// keeps a young generation that has grown. So of that it is asked that it is bounded, and does not grow.
// node test/nightly/readers.mjs [seconds] [connections] [part of a kind's name]
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { request as httpRequest } from 'node:http';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { WebSocket } from 'undici';

const [seconds = 60, count = 1000] = process.argv.slice(2, 4).map(Number);
const [, , , , only = ''] = process.argv;
const sieges = 3;
/** Until the caches are full: of pages a few do. */
const readBefore = 40;
const restMs = 15_000;
/** Ten times a second. */
const atATime = 20;
/**
 * Megabytes. `during` and `afterwards`: of RSS above a process that has done nothing yet. `alive`: above
 * one whose caches are full. `growth`: what each siege may have of the one before it.
 */
const most = { during: 300, afterwards: 100, alive: 5, growth: 1.1 };
const mostWaitMs = 1000;
const debuggers = new WeakMap();
const api = '/api/v1.2/blogs/1/articles';
const token = 'nightly';
const blogs = [
  { name: '1,000 articles of 10 KB', articles: 1000, bytes: 10_000 },
  { name: '600 articles of 1 MB', articles: 600, bytes: 1_000_000 },
];
const get = (path) => `GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`;
const post =
  `POST ${api} HTTP/1.1\r\nHost: localhost\r\nX-Access-Token: ${token}\r\n` +
  'Content-Type: application/json\r\n';
const long = Buffer.from(
  `${post}Content-Length: 1048576\r\n\r\n{"title":"T","content":"${'x'.repeat(1_000_000)}`,
);
const crumbs = Buffer.from(`${post}Transfer-Encoding: chunked\r\n\r\n${'1\r\nx\r\n'.repeat(2000)}`);
const requests = [
  { name: 'the largest page', bytes: () => get(`${api}?pageSize=1000`) },
  { name: 'a page of its own each', bytes: (at) => get(`${api}?pageSize=${1000 - (at % 900)}`) },
  {
    name: 'an article each',
    before: 1000,
    bytes: (at, { articles }) => get(`${api}/${(at % articles) + 1}`),
  },
  { name: 'an unfinished body each', bytes: () => long },
  { name: 'crumbs of a body each', bytes: () => crumbs },
];

for (const blog of blogs) {
  const kinds = requests.filter(({ name }) => `${blog.name}, ${name}`.includes(only));
  if (kinds.length === 0) continue;
  const folder = mkdtempSync(join(tmpdir(), 'blogctl-readers-'));
  try {
    const file = join(folder, 'blog.json');
    const filling = await serve(file);
    for (let at = 0; at < blog.articles; at += 1) await fill(filling.url, 'x'.repeat(blog.bytes));
    await stop(filling.child);
    for (const request of kinds) await besiege(file, blog, request);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

async function besiege(file, blog, request) {
  const { child, url } = await serve(file);
  await (await fetch(`${url}${api}/1`)).text();
  await pause(2000);
  const rss = rssMb(child);
  const { before = readBefore, bytes } = request;
  for (let at = 0; at < before; at += 1) await readWhole(url, bytes(7 * at, blog));
  const rest = { rss, alive: await aliveMb(child) };
  const seen = { peaks: [], left: [], wait: 0, answers: 0, failed: 0 };
  for (let at = 0; at < sieges; at += 1) {
    seen.peaks.push((await siege({ child, url }, blog, { request, seen })) - rest.rss);
    await pause(restMs);
    const alive = (await aliveMb(child)) - rest.alive;
    seen.left.push({ rss: rssMb(child) - rest.rss, alive });
  }
  await stop(child);
  const ofLeft = (what) => seen.left.map((left) => left[what]);
  const grows = (row) => row[2] > row[1] * most.growth + 10;
  const good =
    Math.max(...seen.peaks) < most.during &&
    !grows(seen.peaks) &&
    !grows(ofLeft('rss')) &&
    Math.max(...ofLeft('rss')) <= most.afterwards &&
    Math.max(...ofLeft('alive')) <= most.alive &&
    seen.wait < mostWaitMs &&
    seen.failed === 0;
  say(
    good,
    `${blog.name}, ${sieges} × ${seconds} s of ${count} × ${request.name}: at rest ${rest.rss} MB, ` +
      `${rest.alive} alive with full caches; above that at most ${seen.peaks.join(', ')} MB, ` +
      `${ofLeft('rss').join(', ')} MB ${restMs / 1000} s afterwards, ${ofLeft('alive').join(', ')} MB alive; ` +
      `${seen.answers} answers to another client, ${seen.failed} failed, ` +
      `the slowest after ${Math.round(seen.wait)} ms`,
  );
}

/** What is asked for by somebody who reads it; bodies are nobody's to read. */
async function readWhole(url, request) {
  const [, path] = /^GET (\S+) /.exec(request) ?? [];
  if (path === undefined) return;
  // Under the same name: what is remembered of an answer has links in it.
  const asked = httpRequest({
    port: new URL(url).port,
    path,
    headers: { host: 'localhost' },
  }).end();
  const [answer] = await once(asked, 'response');
  answer.resume();
  await once(answer, 'end');
}

/** The most memory that was seen, in MB. */
async function siege({ child, url }, blog, { request, seen }) {
  const sockets = [];
  const until = performance.now() + seconds * 1000;
  let memory = 0;
  while (performance.now() < until) {
    // No more at a time than a network brings: a flood of gigabytes is not what is tried here.
    for (let at = 0; at < atATime && sockets.length < count; at += 1) {
      sockets.push(ask(url, request.bytes(sockets.length, blog)));
    }
    await probe(url, seen);
    memory = Math.max(memory, rssMb(child));
    await pause(100);
  }
  for (const socket of sockets) socket.destroy();
  return memory;
}

function ask(url, bytes) {
  const socket = connect({ port: new URL(url).port, host: '127.0.0.1' });
  socket.on('error', () => socket.destroy());
  socket.write(bytes);
  return socket;
}

async function probe(url, seen) {
  const startedAt = performance.now();
  const answer = await fetch(`${url}/api/v1.2/blogs/1`, { headers: { connection: 'close' } }).catch(
    () => undefined,
  );
  if (answer?.status !== 200) seen.failed += 1;
  await answer?.text();
  seen.answers += 1;
  seen.wait = Math.max(seen.wait, performance.now() - startedAt);
}

async function serve(file) {
  const bin = join(import.meta.dirname, '../../bin/blogctl.cjs');
  const words = ['serve', '--store', file, '--port', '0', '--json', '--max-body', '2000000', '-q'];
  const env = { PATH: process.env.PATH, HOME: '/nonexistent', BLOGCTL_SERVE_TOKEN: token };
  // The port of a debugger that is not there yet.
  const child = spawn(process.execPath, ['--inspect-port=0', bin, ...words], {
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [line] = await once(child.stdout, 'data');
  child.stdout.resume();
  return { child, url: JSON.parse(line).url };
}

/** What is reachable: heap and buffers after all garbage is gone, in MB. */
async function aliveMb(child) {
  const debuggerAt = await openDebugger(child);
  const socket = new WebSocket(debuggerAt);
  await once(socket, 'open');
  const call = async (id, method, params = {}) => {
    socket.send(JSON.stringify({ id, method, params }));
    for (;;) {
      const [{ data }] = await once(socket, 'message');
      const answer = JSON.parse(data);
      if (answer.id === id) return answer.result;
    }
  };
  await call(1, 'HeapProfiler.collectGarbage');
  const expression = `(({ heapUsed, external }) => heapUsed + external)(process.memoryUsage())`;
  const { result } = await call(2, 'Runtime.evaluate', { expression });
  socket.close();
  return Math.round(result.value / 1024 / 1024);
}

/** It stays open: Node 20 can crash where a debugger is closed (WsHandler::OnCloseFrameWritten). */
async function openDebugger(child) {
  const open = debuggers.get(child);
  if (open !== undefined) return open;
  child.kill('SIGUSR1');
  let said = '';
  for (;;) {
    const [bytes] = await once(child.stderr, 'data');
    said += bytes;
    const [found] = /ws:\/\/\S+/.exec(said) ?? [];
    if (found === undefined) continue;
    child.stderr.resume();
    debuggers.set(child, found);
    return found;
  }
}

async function stop(child) {
  child.kill();
  await once(child, 'close');
}

async function fill(url, content) {
  const headers = { 'content-type': 'application/json', 'x-access-token': token };
  const body = JSON.stringify({ title: 'T', content });
  const answer = await fetch(`${url}${api}`, { method: 'POST', headers, body });
  if (answer.status !== 201) throw new Error(`POST answered ${answer.status}`);
}

function rssMb({ pid }) {
  const [, kb] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Math.round(Number(kb) / 1024);
}

function say(good, line) {
  process.stdout.write(`${good ? 'ok    ' : 'FAILED'} ${line}\n`);
  if (!good) process.exitCode = 1;
}
