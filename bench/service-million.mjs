// The built `blogctl serve` on a store of a million articles: how soon it answers, what it takes of
// memory, and how fast it reads. [--articles 1000000] [--folder /tmp]
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { bundled } from './bundled.mjs';
import { median, table } from './figures.mjs';
import { compareReading } from './reading/compare.mjs';
import { connections, read } from './reading/load.mjs';
import { serve } from './reading/serve.mjs';

const here = fileURLToPath(import.meta.url);
const api = '/api/v1.2/blogs/1/articles';
const openings = 5;

if (process.argv[2] === 'open') await beStore(process.argv[3], process.argv[4]);
else await measure();

async function measure() {
  const { values } = parseArgs({
    options: {
      articles: { type: 'string', default: '1000000' },
      folder: { type: 'string', default: tmpdir() },
    },
  });
  const count = Number(values.articles);
  const folder = mkdtempSync(join(values.folder, 'blogctl-bench-'));
  try {
    const { givenFile } = await import(await bundled(folder, 'store/setting.ts'));
    const file = await givenFile(join(folder, 'blog.json'), count);
    const store = await bundled(folder, '../server/store/json-file/open.ts');
    const figures = [await firstAnswer(store, file)];
    const service = await serve(file);
    figures.push(...(await memory(service, count)), await firstKeyedPost(service));
    const rows = await readings(service, count);
    service.child.kill();
    await once(service.child, 'close');
    const words = `serve, ${count} articles, Node ${process.version}`;
    table(words, figures);
    table(`${words}, ${connections} connections`, rows);
    if ([...figures, ...rows].some(({ verdict }) => verdict === 'MISSED')) process.exitCode = 1;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** From the start of the process to the whole answer, beside the opening of the store alone. */
async function firstAnswer(store, file) {
  const pairs = [];
  for (let round = 0; round <= openings; round += 1) {
    const alone = await openingMs(store, file);
    const startedAt = performance.now();
    const service = await serve(file);
    await text(`${service.url}${api}/7`);
    pairs.push([performance.now() - startedAt, alone]);
    service.child.kill();
    await once(service.child, 'close');
  }
  const measured = pairs.slice(1); // The first of each warms the kernel's cache of the file.
  const ratio = median(measured.map(([first, alone]) => first / alone));
  const [first, alone] = [0, 1].map((at) => Math.round(median(measured.map((pair) => pair[at]))));
  return row(`first answer / opening (${first} / ${alone} ms)`, ratio, 2);
}

async function openingMs(store, file) {
  const child = fork(here, ['open', store, file]);
  const [ms] = await once(child, 'message');
  await once(child, 'close');
  return ms;
}

async function beStore(store, file) {
  const { openJsonFile } = await import(store);
  const startedAt = performance.now();
  const opened = await openJsonFile({ path: file });
  const ms = performance.now() - startedAt;
  await opened.close();
  process.send(ms);
  process.disconnect();
}

async function memory({ url, child }, count) {
  await text(`${url}${api}/7`);
  await text(`${url}${api}`);
  const first = residentMb(child.pid);
  const mixed = () => (Math.random() < 0.5 ? anyArticle(count) : anyPage(count));
  await read(url, mixed, 20_000);
  const later = residentMb(child.pid);
  return [
    row('resident MB after the first requests', first, 200),
    row('resident MB after 20,000 mixed reads', later, 200),
  ];
}

function residentMb(pid) {
  const [, kilobytes] = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return (Number(kilobytes) * 1024) / 1e6;
}

/** The first request with an Idempotency-Key may have to learn the keys that are there. */
async function firstKeyedPost({ url }) {
  const post = async (headers) => {
    const startedAt = performance.now();
    const answer = await fetch(`${url}${api}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-access-token': 'bench', ...headers },
      body: JSON.stringify({ title: 'New', content: 'Text' }),
    });
    await answer.arrayBuffer();
    if (answer.status !== 201) throw new Error(`POST answered ${answer.status}`);
    return performance.now() - startedAt;
  };
  await post({});
  const plain = median([
    await post({}),
    await post({}),
    await post({}),
    await post({}),
    await post({}),
  ]);
  const keyed = await post({ 'idempotency-key': '"first"' });
  return {
    figure: `first keyed POST / plain POST (${keyed.toFixed(1)} / ${plain.toFixed(1)} ms)`,
    measured: (keyed / plain).toFixed(2),
    goal: '-',
    verdict: '-',
  };
}

async function readings({ url }, count) {
  const page = `${api}?pageIndex=${Math.ceil(count / 40)}&pageSize=20`;
  const rows = [];
  for (const reading of [
    { name: 'one article', goal: 0.9, nextPath: () => `${api}/${Math.ceil(count / 2)}` },
    { name: 'one page of 20', goal: 0.85, nextPath: () => page },
    { name: 'any article', nextPath: () => anyArticle(count) },
    { name: 'any page of 20', nextPath: () => anyPage(count) },
  ])
    rows.push(await compareReading(url, reading));
  return rows;
}

function anyArticle(count) {
  return `${api}/${1 + Math.floor(Math.random() * count)}`;
}

function anyPage(count) {
  return `${api}?pageIndex=${1 + Math.floor((Math.random() * count) / 20)}&pageSize=20`;
}

async function text(url) {
  const answer = await fetch(url);
  if (answer.status !== 200) throw new Error(`${url} answered ${answer.status}`);
  return answer.text();
}

function row(figure, value, most) {
  const verdict = value <= most ? 'holds' : 'MISSED';
  return { figure, measured: value.toPrecision(3), goal: `<= ${most}`, verdict };
}
