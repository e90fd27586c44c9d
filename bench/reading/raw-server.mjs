// The peer of the service: a raw node:http server with a map from each target to its ready bytes. What
// is put there it appends to a file with all that came meanwhile, and answers when that is synced.
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const [[from, ...targets]] = await once(process, 'message');
const added = ['date', 'connection', 'keep-alive', 'x-request-id'];
const ready = new Map();
for (let at = 0; at < targets.length; at += 50) {
  await Promise.all(targets.slice(at, at + 50).map(takeOver));
}
const folder = mkdtempSync(join(tmpdir(), 'blogctl-bench-'));
const log = await open(join(folder, 'log'), 'a');
rmSync(folder, { recursive: true });
const waiting = [];
let isWriting = false;
const server = createServer((request, response) => {
  if (request.method === 'GET') return show(request.url, response);
  const chunks = [];
  request.on('data', (chunk) => chunks.push(chunk));
  request.on('end', () => {
    const article = JSON.parse(Buffer.concat(chunks).toString());
    waiting.push({ article, done: () => show(request.url, response) });
    void writeWaiting();
  });
});
server.listen(0, '127.0.0.1');
await once(server, 'listening');
process.send(`http://127.0.0.1:${server.address().port}`);

function show(target, response) {
  const { headers, bytes } = ready.get(target);
  response.writeHead(200, headers);
  response.end(bytes);
}

async function writeWaiting() {
  if (isWriting) return;
  isWriting = true;
  while (waiting.length > 0) {
    const batch = waiting.splice(0);
    await log.appendFile(batch.map(({ article }) => `${JSON.stringify(article)}\n`).join(''));
    await log.datasync();
    for (const { done } of batch) done();
  }
  isWriting = false;
}

async function takeOver(target) {
  const answer = await fetch(`${from}${target}`, { headers: { accept: 'application/hal+json' } });
  const headers = Object.fromEntries([...answer.headers].filter(([name]) => !added.includes(name)));
  ready.set(target, { headers, bytes: Buffer.from(await answer.arrayBuffer()) });
}
