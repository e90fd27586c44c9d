// Reading from the built `blogctl serve` as a ratio to a raw node:http server that sends the same
// bytes ready made: 50 connections, alternating windows, median of the ratios of each pair. Both are
// started anew several times: one process is some percent faster or slower than the next for life.
// The service has everything on: access log, request ids, preconditions, negotiation.
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { table } from './figures.mjs';
import { pairsOf, rowOf } from './reading/compare.mjs';
import { connections } from './reading/load.mjs';
import { serve } from './reading/serve.mjs';

const starts = 7;
const windows = Number(process.env.ROUNDS ?? 11);
const api = '/api/v1.2/blogs/1/articles';
const readings = [
  { name: 'article', goal: 0.9, nextPath: () => `${api}/7`, pairs: [] },
  { name: 'page of 20', goal: 0.85, nextPath: () => api, pairs: [] },
];
for (let start = 0; start < starts; start += 1) {
  const folder = mkdtempSync(join(tmpdir(), 'blogctl-bench-'));
  const { child, url } = await serve(join(folder, 'blog.json'));
  await fill(url);
  for (const reading of readings) reading.pairs.push(...(await pairsOf(url, reading, windows)));
  child.kill();
  await once(child, 'close');
  rmSync(folder, { recursive: true });
}
const rows = readings.map((reading) => rowOf(reading, reading.pairs));
table(`Reads, ${connections} connections, ${starts} starts, Node ${process.version}`, rows);
if (rows.some(({ verdict }) => verdict !== 'holds')) process.exitCode = 1;

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
