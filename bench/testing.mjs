// A blog for tests: to start it, to reset it ten thousand times, and what others do in its place.
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { startBlog } from 'blogctl/testing';
import { median, table } from './figures.mjs';

const run = promisify(execFile);
const folder = await mkdtemp(join(tmpdir(), 'blogctl-bench-testing-'));
const bin = join(import.meta.dirname, '..', 'bin', 'blogctl.cjs');

function seedOf(count) {
  return Array.from({ length: count }, (_, at) => ({
    title: `Title ${at + 1}`,
    content: `Content of article ${at + 1}. `.repeat(8),
  }));
}

/** `prepare` is not counted. */
async function ms(act, rounds, prepare = async () => {}) {
  const taken = [];
  for (let round = 0; round < rounds; round += 1) {
    await prepare();
    const before = performance.now();
    await act();
    taken.push(performance.now() - before);
  }
  return median(taken);
}

function spawnCommand(seed) {
  const words = [bin, 'serve', '--ephemeral', '--seed', seed, '--port', '0', '--json', '--quiet'];
  return spawn(process.execPath, words, { stdio: ['ignore', 'pipe', 'ignore'] });
}

/** Until the command says that it is ready. */
async function startCommand(seed) {
  const served = spawnCommand(seed);
  await once(served.stdout, 'data');
  served.kill();
}

/** What a process of its own spends on its first call, and on all before it. */
async function firstCall(...words) {
  const program = join(import.meta.dirname, 'first-call.mjs');
  const { stdout } = await run(process.execPath, [program, ...words]);
  return JSON.parse(stdout);
}

/** What the command spends until it is ready, counted by Linux in hundredths of a second. */
async function commandSpends(seed) {
  const served = spawnCommand(seed);
  await once(served.stdout, 'data');
  const fields = (await readFile(`/proc/${served.pid}/stat`, 'utf8')).split(') ')[1].split(' ');
  served.kill();
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

function medians(measures) {
  return (part) => median(measures.map((measure) => measure[part]));
}

/** What json-server-reset does, without a server: the file is written anew and read again. */
async function rewriteFile(seed, file) {
  await copyFile(seed, file);
  JSON.parse(await readFile(file, 'utf8'));
}

const rows = [];
for (const count of [1000, 10_000]) {
  const seed = seedOf(count);
  const file = join(folder, `${count}.json`);
  await writeFile(file, JSON.stringify(seed));
  const started = await ms(async () => (await startBlog({ seed })).stop(), 11);
  const command = await ms(() => startCommand(file), 5);
  const blog = await startBlog({ seed });
  const headers = { 'x-access-token': blog.token };
  const change = () => blog.fetch(`${blog.url}/articles/1`, { method: 'DELETE', headers });
  const reset = await ms(() => blog.reset(), 500, change);
  const rewriting = await ms(() => rewriteFile(file, join(folder, 'db.json')), 100);
  await blog.stop();
  rows.push({
    articles: count,
    'startBlog ms': started.toFixed(1),
    'command ms': command.toFixed(0),
    'command / startBlog': (command / started).toFixed(1),
    'reset ms': reset.toFixed(2),
    'a file anew ms': rewriting.toFixed(2),
    'file / reset': (rewriting / reset).toFixed(1),
  });
}
table('A blog for tests (medians; json-server-reset writes its file anew)', rows);

const firsts = [];
for (const count of [1000, 10_000]) {
  const file = join(folder, `${count}.json`);
  const [blogs, peers, commands] = [[], [], []];
  for (let round = 0; round < 7; round += 1) {
    blogs.push(await firstCall('startBlog', file, String(count)));
    peers.push(await firstCall('lowdb', file));
    commands.push(await commandSpends(file));
  }
  const [blog, peer, command] = [medians(blogs), medians(peers), median(commands)];
  firsts.push({
    articles: count,
    'node starts': blog('node').toFixed(0),
    'the door': blog('load').toFixed(0),
    'first startBlog': blog('call').toFixed(0),
    'startBlog / node': (blog('call') / blog('node')).toFixed(2),
    'command / (node, door, startBlog)': (
      command /
      (blog('node') + blog('load') + blog('call'))
    ).toFixed(2),
    'lowdb reads and writes its file': peer('call').toFixed(0),
  });
}
table('The first blog of a process (medians, CPU ms)', firsts);

const blog = await startBlog({ seed: seedOf(1000) });
const megabytes = [];
for (let round = 0; round <= 10_000; round += 1) {
  await blog.reset();
  if (round % 2500 === 0) megabytes.push(Math.round(process.memoryUsage().rss / 2 ** 20));
}
table('10,000 resets of 1,000 articles: MB of memory', [
  Object.fromEntries(megabytes.map((value, at) => [`${at * 2500}`, value])),
]);
await blog.stop();
await rm(folder, { recursive: true });
