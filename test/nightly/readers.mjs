// A thousand connections ask the built `blogctl serve` for the largest pages and read nothing, while
// another client of the same address goes on asking and is answered within a second:
// node test/nightly/readers.mjs [seconds] [connections]
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

const [seconds = 60, count = 1000] = process.argv.slice(2).map(Number);
const mostMemoryMb = 300;
const mostWaitMs = 1000;
const api = '/api/v1.2/blogs/1/articles';
const page = () => `${api}?pageSize=1000`;
const blogs = [
  { name: '1,000 articles of 10 KB', articles: 1000, bytes: 10_000 },
  { name: '600 articles of 1 MB', articles: 600, bytes: 1_000_000 },
];
const requests = [
  { name: 'the largest page', path: page },
  { name: 'a page of its own each', path: (at) => `${api}?pageSize=${1000 - (at % 900)}` },
  { name: 'an article each', path: (at, { articles }) => `${api}/${(at % articles) + 1}` },
];

for (const blog of blogs) {
  const folder = mkdtempSync(join(tmpdir(), 'blogctl-readers-'));
  try {
    const file = join(folder, 'blog.json');
    const filling = await serve(file);
    for (let at = 0; at < blog.articles; at += 1) await post(filling.url, 'x'.repeat(blog.bytes));
    await stop(filling.child);
    for (const request of requests) await besiege(file, blog, request);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

async function besiege(file, blog, request) {
  const { child, url } = await serve(file);
  await (await fetch(`${url}${api}/1`)).text();
  const rest = memoryMb(child);
  const seen = { memory: 0, wait: 0, answers: 0, failed: 0 };
  const sockets = Array.from({ length: count }, (_, at) => ask(url, request.path(at, blog)));
  const until = performance.now() + seconds * 1000;
  while (performance.now() < until) {
    await probe(url, seen);
    seen.memory = Math.max(seen.memory, memoryMb(child) - rest);
    await pause(100);
  }
  for (const socket of sockets) socket.destroy();
  await pause(15_000);
  const left = memoryMb(child) - rest;
  await stop(child);
  const good = seen.memory < mostMemoryMb && seen.wait < mostWaitMs && seen.failed === 0;
  const isBack = left < Math.max(60, seen.memory * 0.9);
  say(
    good && isBack,
    `${blog.name}, ${count} × ${request.name}, ${seconds} s: at most ${seen.memory} MB above rest, ` +
      `${left} MB afterwards; ${seen.answers} answers to another client, ${seen.failed} failed, ` +
      `the slowest after ${Math.round(seen.wait)} ms`,
  );
}

function ask(url, path) {
  const socket = connect({ port: new URL(url).port, host: '127.0.0.1' });
  socket.on('error', () => socket.destroy());
  socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`);
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
  const args = [bin, 'serve', '--store', file, '--port', '0', '--json', '--max-body', '2000000'];
  const env = { PATH: process.env.PATH, HOME: '/nonexistent', BLOGCTL_SERVE_TOKEN: 'nightly' };
  const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'ignore'] });
  const [line] = await once(child.stdout, 'data');
  child.stdout.resume();
  return { child, url: JSON.parse(line).url };
}

async function stop(child) {
  child.kill();
  await once(child, 'close');
}

async function post(url, content) {
  const headers = { 'content-type': 'application/json', 'x-access-token': 'nightly' };
  const body = JSON.stringify({ title: 'T', content });
  const answer = await fetch(`${url}${api}`, { method: 'POST', headers, body });
  if (answer.status !== 201) throw new Error(`POST answered ${answer.status}`);
}

function memoryMb({ pid }) {
  const [, kb] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Math.round(Number(kb) / 1024);
}

function say(good, text) {
  process.stdout.write(`${good ? 'ok    ' : 'FAILED'} ${text}\n`);
  if (!good) process.exitCode = 1;
}
