// Each trick for speed switched off in a copy of the built command, which is compared with the built
// command as it is, in turn. A trick of the bundle is switched off in a copy of the sources, which is
// built. A trick that shows no gain goes. RECORDS and ROUNDS for more, ONLY for rows with that word.
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
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
const startsAtOnce = 20;
const api = '/api/v1.2/blogs/1/articles';

/** What stands in the built files, what is put there to switch it off, and what to measure. */
const tricks = [
  {
    trick: 'plain front matter is read by one expression',
    on: /const (\w+)=plainHead\([\w,]+\);/,
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
    trick: 'texts of a long page are not read twice while there is memory for them',
    on: /(\w+)\.length<\w+\.length\?\[\]:\1\.map\(\w+=>new WeakRef\(\w+\)\)/,
    off: '[]',
    measure: readLongPages,
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
  {
    trick: 'a short answer is written at once, without a stream',
    on: /\w+===process&&!\(0,\w+\.fstatSync\)\(1\)\.isCharacterDevice\(\)/,
    off: 'false',
    measure: startedForHelp,
  },
  {
    trick: 'what starts load is compiled by the build (Node 20)',
    inSource: 'build/bundle.mjs',
    on: "if (process.version.startsWith('v20.'))",
    off: 'if (false)',
    measure: startedForList,
  },
  {
    trick: 'modules of libraries are compiled with their file (Node 22)',
    inSource: 'build/bundle.mjs',
    on: '[compiledAtOnce, ',
    off: '[',
    measure: startedForList,
  },
  {
    trick: 'what is needed together comes in one file',
    inSource: 'build/bundle.mjs',
    on: /codeSplitting: \{ groups, .*\}/,
    off: 'codeSplitting: true',
    measure: startedForList,
  },
  {
    trick: 'undici comes without what is never called',
    inSource: 'build/bundle.mjs',
    on: "neverCalled.test(source) ? local('never-called.cjs') : ",
    off: '',
    measure: startedForList,
  },
  {
    trick: 'commander comes without node:child_process',
    inSource: 'build/bundle.mjs',
    on: /if \(source === 'node:child_process'.*/,
    off: '',
    measure: startedForHelp,
  },
  {
    trick: 'the parser of answers is not compiled a second time at once',
    on: /;\w+\(`--wasm-tiering-budget=\d+`\);/,
    off: ';',
    measure: startedForList,
  },
].filter(({ trick }) => trick.includes(process.env.ONLY ?? ''));

const numbers = Array.from({ length: records }, (_, at) => at + 1);
writeFileSync(source, numbers.map((number) => `${JSON.stringify(article(number))}\n`).join(''));
mkdirSync(posts);
const others = 'layout: post\ndate: 2010-01-01\nauthor: A. N. Other\ntags:\n  - a\n  - b';
for (const { title, content } of numbers.map(article)) {
  const name = `${title.replace(' ', '-')}.md`;
  writeFileSync(join(posts, name), `---\ntitle: ${title}\n${others}\n---\n${content}`);
}
const asItIs = copyOf('bin', 'dist', 'package.json');
const rows = [];
/** Of the starts that list articles. */
let blog;
for (const { trick, on, off, measure, inSource } of tricks) {
  const without = inSource ? builtWithout(inSource, on, off) : copyWithout(on, off);
  const rates = { with: [], without: [] };
  for (let round = 0; round < rounds; round += 1) {
    const inOrder = round % 2 === 0 ? ['with', 'without'] : ['without', 'with'];
    for (const name of inOrder) rates[name].push(await measure(name === 'with' ? asItIs : without));
  }
  const [on_, off_] = [median(rates.with), median(rates.without)];
  const gain = (on_ / off_).toFixed(2);
  rows.push({ trick, 'with/s': rounded(on_), 'without/s': rounded(off_), gain });
  rmSync(without, { recursive: true });
}
blog?.child.kill('SIGKILL');
table(`Tricks on and off (${rounds} rounds, medians)`, rows);
rmSync(folder, { recursive: true });

function article(number) {
  const text = 'A sentence of an article that is neither long nor short. '.repeat(26);
  return { title: `Article ${number}`, content: `${number} ${text}` };
}

function rounded(number) {
  return number < 100 ? number.toFixed(1) : Math.round(number);
}

function copyOf(...parts) {
  const copy = mkdtempSync(join(folder, 'copy-'));
  for (const part of parts) cpSync(join(root, part), join(copy, part), { recursive: true });
  return copy;
}

/** A copy of the built command; a trick that is not found in it was renamed or is gone. */
function copyWithout(on, off) {
  const copy = copyOf('bin', 'build', 'dist', 'package.json');
  const files = readdirSync(join(copy, 'dist')).filter((name) => name.endsWith('.cjs'));
  const changed = files.filter((name) => {
    const path = join(copy, 'dist', name);
    const before = readFileSync(path, 'utf8');
    const after = before.replace(on, off);
    if (after !== before) writeFileSync(path, after);
    return after !== before;
  });
  if (changed.length !== 1) throw new Error(`${on} stands in ${changed.length} built files.`);
  // What was compiled of the file is not that of the copy.
  if (process.version.startsWith('v20.'))
    execFileSync(process.execPath, [join(copy, 'build/code-cache.mjs')]);
  return copy;
}

/** The command as it is built with this text of a file in the place of that. */
function builtWithout(file, on, off) {
  const copy = copyOf('bin', 'build', 'server', 'src', 'package.json', 'tsconfig.json');
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));
  const before = readFileSync(join(copy, file), 'utf8');
  const after = before.replace(on, off);
  if (after === before) throw new Error(`${on} does not stand in ${file}.`);
  writeFileSync(join(copy, file), after);
  execFileSync(process.execPath, ['build/bundle.mjs'], { cwd: copy });
  return copy;
}

/** Starts of this copy by a second of processor time, which is steadier than the clock. */
function startsOf(copy, words) {
  const script = `TIMEFORMAT='%3U %3S'; time for at in {1..${startsAtOnce}}; do "$0" "$@" 2>/dev/null || exit; done`;
  const { status, stderr } = spawnSync(
    'bash',
    ['-c', script, process.execPath, join(copy, 'bin/blogctl.cjs'), ...words],
    { env: { PATH: process.env.PATH, HOME: folder, BLOGCTL_TOKEN: 'bench' } },
  );
  if (status !== 0) throw new Error(`${words.join(' ')} ended with ${status}.`);
  const [user, system] = String(stderr).trim().split(' ').map(Number);
  return startsAtOnce / (user + system);
}

function startedForHelp(copy) {
  return startsOf(copy, ['--help']);
}

async function startedForList(copy) {
  blog ??= await serve(join(folder, 'listed.json'), ['--seed', source]);
  const url = `${blog.url}/api/v1.2/blogs/1`;
  return startsOf(copy, ['articles', 'list', '--limit', '20', '--json', '--blog', url]);
}

/** Records a second of an import by this copy into the service of the built command. */
async function imported(copy, from) {
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
  return answersOf(copy, (at) => `${api}/${((at * 7919) % Math.min(records, 10_000)) + 1}`);
}

/** The same for pages of some hundred kilobytes. */
async function readLongPages(copy) {
  return answersOf(copy, (at) => `${api}?pageIndex=${(at % (records / 200)) + 1}&pageSize=200`);
}

async function answersOf(copy, pathOf) {
  const store = join(folder, `${Math.random()}.json`);
  const { child, url } = await serve(store, ['--seed', source], join(copy, 'bin/blogctl.cjs'));
  let at = 0;
  const nextPath = () => pathOf((at += 1));
  for (let warmed = 0; warmed < 10; warmed += 1) await rate(url, nextPath, true);
  const perSecond = await rate(url, nextPath, true);
  child.kill('SIGKILL');
  await once(child, 'exit');
  return perSecond;
}
