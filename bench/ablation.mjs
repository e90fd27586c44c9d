// Each trick for speed switched off in a copy of the built command, which is compared with the built
// command as it is, in turn. A trick that shows no gain goes. RECORDS and ROUNDS for more.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { median, table } from './figures.mjs';
import { rate } from './reading/load.mjs';
import { serve } from './reading/serve.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const records = Number(process.env.RECORDS ?? 20_000);
const rounds = Number(process.env.ROUNDS ?? 5);
const folder = mkdtempSync(join(tmpdir(), 'blogctl-bench-'));
const source = join(folder, 'records.ndjson');
const posts = join(folder, 'posts');
const api = '/api/v1.2/blogs/1/articles';

/** What stands in the built files, what is put there to switch it off, and what to measure. */
const tricks = [
  {
    trick: 'answers of one turn of the event loop are noted in one write',
    on: 'setImmediate(writeAnswers)',
    off: 'writeAnswers()',
    measure: imported,
  },
  {
    trick: 'plain front matter is read by one expression',
    on: /const (\w+)=plainHead\(\w+\);/,
    off: 'const $1=void 0;',
    measure: (copy) => imported(copy, posts),
  },
  {
    trick: 'responses to reads are cached',
    on: /withResponseCache\((\w+),\{subjectOf,[^}]*\}\)/,
    off: '$1',
    measure: readByMany,
  },
  {
    trick: 'requests of one turn of the event loop are answered at its end',
    on: /if\((\w+)\.size===0\)setImmediate\(startDue\);\1\.add\((\w+)\)/,
    off: 'startNext($2)',
    measure: readByMany,
  },
  {
    trick: 'a folder and its blog are read at once',
    on: /Promise\.all\(\[(\w+)\((\w+)\),(\w+)\(\2\)\]\)/,
    off: '[await $1($2),await $3($2)]',
    measure: planned,
  },
];

const numbers = Array.from({ length: records }, (_, at) => at + 1);
writeFileSync(source, numbers.map((number) => `${JSON.stringify(article(number))}\n`).join(''));
mkdirSync(posts);
const others = 'layout: post\ndate: 2010-01-01\nauthor: A. N. Other\ntags:\n  - a\n  - b';
for (const { title, content } of numbers.map(article)) {
  const name = `${title.replace(' ', '-')}.md`;
  writeFileSync(join(posts, name), `---\ntitle: ${title}\n${others}\n---\n${content}`);
}
const rows = [];
for (const { trick, on, off, measure } of tricks) {
  const without = copyWithout(on, off);
  const rates = { with: [], without: [] };
  for (let round = 0; round < rounds; round += 1) {
    const inOrder = round % 2 === 0 ? ['with', 'without'] : ['without', 'with'];
    for (const name of inOrder) rates[name].push(await measure(name === 'with' ? root : without));
  }
  const [on_, off_] = [median(rates.with), median(rates.without)];
  const gain = (on_ / off_).toFixed(2);
  rows.push({ trick, 'with/s': Math.round(on_), 'without/s': Math.round(off_), gain });
  rmSync(without, { recursive: true });
}
table(`Tricks on and off (${rounds} rounds, medians)`, rows);
rmSync(folder, { recursive: true });

function article(number) {
  const text = 'A sentence of an article that is neither long nor short. '.repeat(26);
  return { title: `Article ${number}`, content: `${number} ${text}` };
}

/** A copy of the built command; a trick that is not found in it was renamed or is gone. */
function copyWithout(on, off) {
  const copy = mkdtempSync(join(folder, 'without-'));
  for (const part of ['bin', 'dist', 'package.json']) {
    cpSync(join(root, part), join(copy, part), { recursive: true });
  }
  const files = readdirSync(join(copy, 'dist')).filter((name) => name.endsWith('.cjs'));
  const changed = files.filter((name) => {
    const path = join(copy, 'dist', name);
    const before = readFileSync(path, 'utf8');
    const after = before.replace(on, off);
    if (after !== before) writeFileSync(path, after);
    return after !== before;
  });
  if (changed.length !== 1) throw new Error(`${on} stands in ${changed.length} built files.`);
  return copy;
}

/** Records a second of an import by this copy into the service of the built command. */
async function imported(copy, from = source) {
  const store = join(folder, `${Math.random()}.json`);
  const { child, url } = await serve(store);
  const perSecond = await rateOf([join(copy, 'bin/blogctl.cjs'), 'articles', 'import', from], url);
  child.kill('SIGKILL');
  await once(child, 'exit');
  rmSync(store);
  return perSecond;
}

/** Posts a second of a first plan by this copy, of a folder and a blog that has them. */
async function planned(copy) {
  const { child, url } = await serve(join(folder, `${Math.random()}.json`), ['--seed', source]);
  const words = [join(copy, 'bin/blogctl.cjs'), 'sync', 'plan', posts, '--exit-code'];
  const perSecond = await rateOf(words, url);
  child.kill('SIGKILL');
  await once(child, 'exit');
  return perSecond;
}

/** Records a second of a command that goes through all of them. */
async function rateOf(words, url) {
  const env = { PATH: process.env.PATH, HOME: folder, BLOGCTL_TOKEN: 'bench' };
  const begin = performance.now();
  const run = spawn(process.execPath, [...words, '--quiet', '--blog', `${url}/api/v1.2/blogs/1`], {
    env,
    stdio: 'ignore',
  });
  const [status] = await once(run, 'exit');
  if (status !== 0) throw new Error(`${words[1]} ended with ${status}.`);
  return (records / (performance.now() - begin)) * 1000;
}

/** Answers a second of this copy to reads of any of as many records as the cache holds. */
async function readByMany(copy) {
  const store = join(folder, `${Math.random()}.json`);
  const { child, url } = await serve(store, ['--seed', source], join(copy, 'bin/blogctl.cjs'));
  let at = 0;
  const nextPath = () => `${api}/${((at += 7919) % Math.min(records, 10_000)) + 1}`;
  for (let warmed = 0; warmed < 10; warmed += 1) await rate(url, nextPath, true);
  const perSecond = await rate(url, nextPath, true);
  child.kill('SIGKILL');
  await once(child, 'exit');
  return perSecond;
}
