// Reading a folder of posts, alternated with a synchronous loop that reads and parses the same files
// one by one, medians: node bench/folder.mjs. FILES=10000 ROUNDS=5.
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { rolldown } from 'rolldown';
import { median, table } from './figures.mjs';

const files = Number(process.env.FILES ?? 10_000);
const rounds = Number(process.env.ROUNDS ?? 5);
const folder = mkdtempSync(join(tmpdir(), 'blogctl-bench-'));
try {
  const posts = join(folder, 'posts');
  writePosts(posts);
  const { openSources, readPost } = await bundled();
  const figures = { loop: [], folder: [], sorted: [] };
  for (let round = 0; round < rounds; round += 1) {
    figures.loop.push(await seconds(() => readInLoop(posts, readPost)));
    figures.folder.push(await seconds(() => readFolder(posts, openSources)));
    figures.sorted.push(await seconds(() => readFolder(posts, openSources, 'date')));
  }
  const base = median(figures.loop);
  const row = (figure, of, goal) => {
    const ratio = median(of) / base;
    const holds = goal === undefined ? '-' : ratio <= goal ? 'yes' : 'no';
    return {
      figure,
      seconds: median(of).toFixed(2),
      ratio: ratio.toFixed(2),
      goal: goal === undefined ? '-' : `≤ ${goal}`,
      holds,
    };
  };
  table(`Reading ${files} posts (${rounds} rounds, medians)`, [
    row('synchronous loop: readFileSync, front matter', figures.loop),
    row('a folder, in batches', figures.folder, 1.5),
    row('the same by --sort date, which reads the dates first', figures.sorted),
  ]);
} finally {
  rmSync(folder, { recursive: true, force: true });
}

/** What an import reads with, out of its sources. */
async function bundled() {
  const program = join(folder, 'program.mjs');
  const root = join(import.meta.dirname, '../src/importing/sources');
  const input = join(folder, 'main.ts');
  writeFileSync(
    input,
    `export { openSources } from ${JSON.stringify(join(root, 'open-sources.ts'))};
export { readPost } from ${JSON.stringify(join(root, 'formats/post.ts'))};`,
  );
  const bundle = await rolldown({ input, platform: 'node', logLevel: 'warn' });
  await bundle.write({ dir: folder, entryFileNames: 'program.mjs', format: 'esm' });
  await bundle.close();
  return import(pathToFileURL(program).href);
}

function readInLoop(posts, readPost) {
  let count = 0;
  for (const year of readdirSync(posts)) {
    for (const name of readdirSync(join(posts, year))) {
      readPost(readFileSync(join(posts, year, name), 'utf8'), name, undefined);
      count += 1;
    }
  }
  requireAll(count);
}

async function readFolder(posts, openSources, sort) {
  const map = { title: 'title', content: 'content' };
  const options = { drafts: false, now: Date.now(), map, sort };
  const { sources, close } = await openSources([posts], options, process.stdin);
  let count = 0;
  for (const source of sources) {
    for await (const batch of source.batches()) {
      for (const entry of batch) if (entry.kind === 'record') count += 1;
    }
  }
  await close();
  requireAll(count);
}

function requireAll(count) {
  if (count !== files) throw new Error(`${count} of ${files} posts were read.`);
}

async function seconds(work) {
  const begin = process.hrtime.bigint();
  await work();
  return Number(process.hrtime.bigint() - begin) / 1e9;
}

function writePosts(posts) {
  const text = 'A sentence of an article that is neither long nor short. '.repeat(40);
  for (let number = 0; number < files; number += 1) {
    const year = join(posts, String(2000 + (number % 20)));
    const day = String(1 + (number % 28)).padStart(2, '0');
    mkdirSync(year, { recursive: true });
    const head = `layout: post\ntitle: "Post ${number}"\ndate: 2010-01-${day}\ntags:\n  - a\n  - b`;
    writeFileSync(join(year, `2010-01-${day}-post-${number}.md`), `---\n${head}\n---\n${text}\n`);
  }
}
