// A store on PostgreSQL (a cluster of its own, fsync on) beside the plainest use of the same database,
// in alternating windows, median of the ratios of each pair. The peer of a create is an INSERT that
// commits alone, on a connection for each client; that of a read a node:http server with one SELECT
// a request; that of a copy psql's. ARTICLES=1000000 WINDOWS=11 COPIED=200000
import { execFileSync, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundled } from './bundled.mjs';
import { median, table } from './figures.mjs';
import { rate, rateOf } from './reading/load.mjs';
import { serve } from './reading/serve.mjs';

const articles = Number(process.env.ARTICLES ?? 1_000_000);
const copied = Number(process.env.COPIED ?? 200_000);
const windows = Number(process.env.WINDOWS ?? 11);
const api = '/api/v1.2/blogs/1/articles';
const bin = fileURLToPath(new URL('../bin/blogctl.cjs', import.meta.url));
const here = mkdtempSync(join(tmpdir(), 'blogctl-bench-'));
// What is bundled asks for the driver of this project.
const folder = mkdtempSync(join(import.meta.dirname, '../node_modules/.blogctl-bench-'));
const parts = await import(await bundled(folder, 'postgres/parts.ts'));
const instance = await bundled(folder, 'postgres/instance.ts');
const isHere = parts.postgresFolder() !== undefined;
const cluster = isHere ? await parts.givenCluster({ fsync: true }) : undefined;
const rows = [];
try {
  if (isHere) {
    await creates();
    await copies();
    await reads();
  } else rows.push({ skipped: 'no PostgreSQL on this machine' });
} finally {
  await cluster?.stop();
  rmSync(folder, { recursive: true });
  rmSync(here, { recursive: true });
}
table(`A blog on PostgreSQL, Node ${process.version}`, rows);
if (rows.some(({ verdict }) => verdict === 'MISSED')) process.exitCode = 1;

async function creates() {
  const address = await givenBlog();
  await cluster.sql('CREATE TABLE raw (LIKE blogctl.articles INCLUDING DEFAULTS)', nameOf(address));
  await cluster.sql(
    'ALTER TABLE raw ALTER id ADD GENERATED ALWAYS AS IDENTITY, ADD PRIMARY KEY (blog_id, id)',
    nameOf(address),
  );
  const instances = await Promise.all([0, 1, 2].map(() => started(address)));
  const rateAt = (what, clients, count) => async () => {
    const told = { what, ms: 700 };
    const shares = Array.from({ length: count }, (_, at) => Math.floor((clients + at) / count));
    const done = await Promise.all(
      shares.map((share, at) => asked(instances[at], { ...told, clients: share })),
    );
    return done.reduce((sum, one) => sum + one, 0);
  };
  for (const [clients, count, goal] of [
    [64, 1, 1.5],
    [64, 3, 1.2],
    [16, 1, 0.8],
    [16, 3, 0.4],
  ]) {
    const name = `creates, ${clients} clients, ${count} instance${count > 1 ? 's' : ''}`;
    const ours = rateAt('create', clients, count);
    await compare(name, goal, ours, rateAt('insert', clients, count));
  }
  for (const one of instances) await ended(one);
  const service = await serve(address);
  const raw = await rawServer(address);
  const content = 'Lorem ipsum "dolor" sit amet\n'.repeat(46);
  const text = JSON.stringify({ title: 'Title', content });
  const post = ({ host }) =>
    `POST ${api} HTTP/1.1\r\nHost: ${host}\r\nAccept: application/hal+json\r\nX-Access-Token: bench\r\n` +
    `Content-Type: application/json\r\nContent-Length: ${text.length}\r\n\r\n${text}`;
  for (const [clients, goal] of [
    [64, 1],
    [16, 0.75],
  ]) {
    const posts = (origin) => () => rateOf(origin, () => post(new URL(origin)), clients);
    await compare(`POST, ${clients} clients`, goal, posts(service.url), posts(raw.url));
  }
  await ended(service.child);
  await ended(raw.child);
}

async function copies() {
  const file = await parts.givenFile(join(here, 'copied.json'), copied);
  const pairs = [];
  for (let round = 0; round < 3; round += 1) {
    const address = await cluster.database();
    const [name, rowsOut] = [nameOf(address), join(cluster.folder, 'rows.txt')];
    const ours = secondsOf(() => copy(file, address));
    await cluster.sql(`COPY blogctl.articles TO '${rowsOut}'`, name);
    await cluster.sql('CREATE TABLE raw (LIKE blogctl.articles INCLUDING ALL)', name);
    const psql = [address, '-qX', '-c', `\\copy raw from '${rowsOut}'`];
    const theirs = secondsOf(() => execFileSync(join(cluster.bin, 'psql'), psql));
    pairs.push([1 / ours, 1 / theirs]);
    await cluster.sql(`DROP DATABASE ${name}`);
  }
  add(`store copy of ${copied} into it`, 0.6, pairs);
}

async function reads() {
  const file = await parts.givenFile(join(here, 'blog.json'), articles);
  const address = await cluster.database();
  copy(file, address);
  rmSync(file);
  await cluster.sql('VACUUM ANALYZE', nameOf(address));
  const raw = await rawServer(address);
  const service = await serve(address);
  const anyOf = (count) => 1 + Math.floor(Math.random() * count);
  const of = (path) => (origin) => () => rate(origin, path, true);
  for (const [name, goal, path] of [
    ['any article', 0.9, () => `${api}/${anyOf(articles)}`],
    ['an article of 500, read again', 2, () => `${api}/${anyOf(500)}`],
    ['any page of 20', 0.65, () => `${api}?pageIndex=${anyOf(articles / 20)}&pageSize=20`],
    ['a page of 100, read again', 2, () => `${api}?pageIndex=${anyOf(100)}&pageSize=20`],
  ]) {
    await compare(name, goal, of(path)(service.url), of(path)(raw.url));
  }
  await ended(service.child);
  await ended(raw.child);
  const one = await started(address);
  let there = articles;
  const live = Array.from({ length: articles }, (_, at) => at + 1);
  for (const share of [0, 0.01, 0.5]) {
    const gone = [];
    while (there - gone.length > articles * (1 - share)) {
      const at = Math.floor(Math.random() * live.length);
      gone.push(live[at]);
      live[at] = live.at(-1);
      live.pop();
    }
    if (gone.length > 0) {
      there = await asked(one, { what: 'delete', ids: gone });
      await cluster.sql('VACUUM', nameOf(address));
    }
    const pairs = await asked(one, { what: 'pages', of: there, times: 500 });
    const [first, any] = [0, 1].map((at) => median(pairs.map((pair) => pair[at])));
    rows.push(row(`any page of ${articles}, ${share * 100} % deleted`, any / first, 1.4, '<='));
  }
  await ended(one);
}

async function givenBlog() {
  const address = await cluster.database();
  await parts.initPostgres(address, { title: 'Bench', description: '' });
  return address;
}

function nameOf(address) {
  return address.slice(address.lastIndexOf('/') + 1);
}

function copy(from, to) {
  execFileSync(process.execPath, [bin, 'store', 'copy', from, to], { stdio: 'ignore' });
}

function secondsOf(work) {
  const startedAt = performance.now();
  work();
  return (performance.now() - startedAt) / 1000;
}

async function started(address) {
  const child = fork(instance, [address]);
  await said(child);
  return child;
}

async function rawServer(address) {
  const child = fork(join(import.meta.dirname, 'postgres/raw-server.mjs'), [address]);
  return { child, url: await said(child) };
}

async function asked(child, told) {
  child.send(told);
  return said(child);
}

async function said(child) {
  const over = new AbortController();
  const dead = once(child, 'exit', over).then(() => ['died']);
  const [message] = await Promise.race([once(child, 'message', over), dead]);
  dead.catch(() => undefined);
  over.abort();
  if (message === 'died') throw new Error('A process of the bench died.');
  return message;
}

async function ended(child) {
  child.kill();
  await once(child, 'close');
}

async function compare(name, goal, ours, theirs) {
  await warmUp(ours);
  await warmUp(theirs);
  const pairs = [];
  for (let at = 0; at < windows; at += 1) {
    const inOrder = at % 2 === 0 ? [ours, theirs] : [theirs, ours];
    const rates = [];
    for (const measure of inOrder) rates.push(await measure());
    pairs.push(at % 2 === 0 ? rates : rates.toReversed());
  }
  add(name, goal, pairs);
}

/** What was started just now is still being compiled, and takes up to twice as long. */
async function warmUp(work) {
  const until = performance.now() + 2500;
  do await work();
  while (performance.now() < until);
}

function add(name, goal, pairs) {
  rows.push(row(name, median(pairs.map(([ours, theirs]) => ours / theirs)), goal, '>='));
}

function row(figure, ratio, goal, side) {
  const holds = side === '>=' ? ratio >= goal : ratio <= goal;
  const verdict = holds ? 'holds' : 'MISSED';
  return { figure, ratio: ratio.toFixed(2), goal: `${side} ${goal}`, verdict };
}
