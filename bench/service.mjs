// Reading from the service as a ratio to a raw node:http server that sends the same bytes ready
// made: 50 connections, alternating windows, median of the ratios of each pair. The service has
// everything on: access log, request ids, preconditions, negotiation.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'rolldown';
import { table } from './figures.mjs';
import { compareReading } from './reading/compare.mjs';
import { connections } from './reading/load.mjs';

const here = fileURLToPath(import.meta.url);
const api = '/api/v1.2/blogs/1/articles';

if (process.argv[2] === 'service') await beService(process.argv[3]);
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
  const child = fork(here, ['service', bundle], { stdio: ['ignore', 'inherit', 'ignore', 'ipc'] });
  const [url] = await once(child, 'message');
  await fill(url);
  const rows = [];
  for (const reading of [
    { name: 'article', goal: 0.9, nextPath: () => `${api}/7` },
    { name: 'page of 20', goal: 0.85, nextPath: () => api },
  ])
    rows.push(await compareReading(url, reading));
  child.kill();
  rmSync(folder, { recursive: true });
  table(`Reads, ${connections} connections, Node ${process.version}`, rows);
  if (rows.some(({ verdict }) => verdict !== 'holds')) process.exitCode = 1;
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
