// Reading from the built `blogctl serve` as a ratio to a raw node:http server that sends the same
// bytes ready made: 50 connections, alternating windows, median of the ratios of each pair. The
// service has everything on: access log, request ids, preconditions, negotiation.
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { table } from './figures.mjs';
import { compareReading } from './reading/compare.mjs';
import { connections } from './reading/load.mjs';
import { serve } from './reading/serve.mjs';

const api = '/api/v1.2/blogs/1/articles';
const folder = mkdtempSync(join(tmpdir(), 'blogctl-bench-'));
const { child, url } = await serve(join(folder, 'blog.json'));
await fill();
const rows = [];
for (const reading of [
  { name: 'article', goal: 0.9, nextPath: () => `${api}/7` },
  { name: 'page of 20', goal: 0.85, nextPath: () => api },
])
  rows.push(await compareReading(url, reading));
child.kill();
await once(child, 'close');
rmSync(folder, { recursive: true });
table(`Reads, ${connections} connections, Node ${process.version}`, rows);
if (rows.some(({ verdict }) => verdict !== 'holds')) process.exitCode = 1;

async function fill() {
  for (let at = 1; at <= 40; at += 1) {
    const answer = await fetch(`${url}${api}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-access-token': 'bench' },
      body: JSON.stringify({ title: `Article ${at}`, content: 'Lorem ipsum. '.repeat(115) }),
    });
    if (answer.status !== 201) throw new Error(`POST answered ${answer.status}`);
  }
}
