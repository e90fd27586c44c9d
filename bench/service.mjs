// Reading from the built `blogctl serve` as a ratio to a raw node:http server with a map from each
// target to its ready bytes: 50 connections, alternating windows, median of the ratios of each pair.
// Both are started anew several times: one process is some percent faster or slower than the next for
// life. The service has everything on: access log, request ids, preconditions, negotiation. First
// the same request again and again, then targets drawn by a seed, each request with a header of its
// own; and those again while one request in twenty changes an article, as a ratio to the same without;
// beside it what the raw server keeps of its own rate, where it appends each change and syncs.
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { table } from './figures.mjs';
import { pairsOf, pairsWithWrites, rawPairsWithWrites, rowOf } from './reading/compare.mjs';
import { connections } from './reading/load.mjs';
import { serve } from './reading/serve.mjs';

const starts = Number(process.env.STARTS ?? 7);
const windows = Number(process.env.ROUNDS ?? 11);
const api = '/api/v1.2/blogs/1/articles';
const articles = 10_000;
const anyArticle = Array.from({ length: articles }, (_, at) => `${api}/${at + 1}`);
const anyPage = Array.from({ length: articles / 20 }, (_, at) => `${api}?pageIndex=${at + 1}`);
const readings = [
  { name: 'article', goal: 0.9, nextPath: () => `${api}/7`, pairs: [] },
  { name: 'page of 20', goal: 0.85, nextPath: () => api, pairs: [] },
  { name: 'any article', goal: 0.85, ...drawnFrom(anyArticle), pairs: [] },
  { name: 'any page of 20', goal: 0.6, ...drawnFrom(anyPage), pairs: [] },
];
const writing = { name: 'any article, writes', goal: 0.85, ...drawnFrom(anyArticle), pairs: [] };
const rawWriting = { ...writing, name: 'the same of the raw server', goal: undefined, pairs: [] };
for (let start = 0; start < starts; start += 1) {
  const folder = mkdtempSync(join(tmpdir(), 'blogctl-bench-'));
  writeSeed(join(folder, 'seed.ndjson'));
  const file = join(folder, 'blog.json');
  const { child, url } = await serve(file, ['--seed', join(folder, 'seed.ndjson')]);
  for (const reading of readings) reading.pairs.push(...(await pairsOf(url, reading, windows)));
  writing.pairs.push(...(await pairsWithWrites(url, writing, windows)));
  rawWriting.pairs.push(...(await rawPairsWithWrites(url, rawWriting, windows)));
  child.kill();
  await once(child, 'close');
  rmSync(folder, { recursive: true });
}
const rows = readings.map((reading) => rowOf(reading, reading.pairs));
table(`Reads, ${connections} connections, ${starts} starts, Node ${process.version}`, rows);
const mixed = rowOf(writing, writing.pairs, 'without');
const peer = rowOf(rawWriting, rawWriting.pairs, 'without');
table('One change in twenty requests, as a ratio to none', [mixed, peer]);
if ([...rows, mixed].some(({ verdict }) => verdict !== 'holds')) process.exitCode = 1;

/** Targets in an order that looks random and is the same in every run. */
function drawnFrom(targets) {
  let state = 1;
  const nextPath = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return targets[Math.floor((state / 2 ** 32) * targets.length)];
  };
  return { nextPath, targets, varied: true };
}

function writeSeed(path) {
  const lines = anyArticle.map((_, at) =>
    JSON.stringify({ title: `Article ${at + 1}`, content: 'Lorem ipsum. '.repeat(115) }),
  );
  writeFileSync(path, `${lines.join('\n')}\n`);
}
