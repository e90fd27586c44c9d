// A plan of a folder and its blog, both of the same posts, against a plain loop over the pages and the
// files, alternated, medians; CPU time is that of the client; and the peak memory of the plan: where neither
// side was written to, with files that are as they were (every page is sent again), and with nothing kept,
// as the first plan of a machine. POSTS=10000.
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import {
  existsSync,
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

const bin = fileURLToPath(new URL('../bin/blogctl.cjs', import.meta.url));
const loop = fileURLToPath(new URL('./plain-page-loop.mjs', import.meta.url));
const posts = Number(process.env.POSTS ?? 10_000);
const rounds = Number(process.env.ROUNDS ?? 5);
const token = 'bct_for_benches_only';
const folder = mkdtempSync(join(tmpdir(), 'blogctl-bench-'));
const env = { PATH: process.env.PATH, HOME: folder, BLOGCTL_TOKEN: token };

mkdirSync(join(folder, 'posts'));
for (let at = 0; at < posts; at += 1) {
  const text = `Paragraph ${at} of some words.\n`.repeat(90);
  writeFileSync(
    join(folder, 'posts', `${at}.md`),
    `---\ntitle: "Post ${at}"\ndate: 2024-01-01\n---\n${text}`,
  );
}
const serve = spawn(
  process.execPath,
  [bin, 'serve', '--store', join(folder, 'blog.json'), '--port', '0', '--json', '--quiet'],
  { env: { ...env, BLOGCTL_SERVE_TOKEN: token }, stdio: ['ignore', 'pipe', 'inherit'] },
);
const [line] = await once(serve.stdout, 'data');
const blog = JSON.parse(line).blogs[0].url;
const sync = (verb, ...words) => [bin, 'sync', verb, 'posts', '--blog', blog, '-q', ...words];
run(sync('apply', '-y'));
// Files that were written just now are read again, the first time.
run(sync('plan'));

const kinds = ['unchanged', 'pages', 'nothing'];
const loops = [];
const plans = Object.fromEntries(kinds.map((kind) => [kind, []]));
for (let round = 0; round < rounds; round += 1) {
  loops.push(run(['-r', reporter(), loop, blog, join(folder, 'posts')]));
  for (const kind of kinds) {
    if (kind !== 'unchanged') forget(kind);
    plans[kind].push(run(['-r', reporter(), ...sync('plan', '-o', outputOf(kind, round))]));
  }
}
serve.kill('SIGTERM');
await once(serve, 'exit');
const medianOf = (all, part) => median(all.map((each) => each[part]));
const figures = (figure, all, goal) => ({
  figure,
  s: medianOf(all, 'seconds').toFixed(2),
  ratio: (medianOf(all, 'seconds') / medianOf(loops, 'seconds')).toFixed(2),
  'CPU s': medianOf(all, 'cpu').toFixed(2),
  'ratio of CPU': (medianOf(all, 'cpu') / medianOf(loops, 'cpu')).toFixed(2),
  goal,
  peak: `${Math.round(Math.max(...all.map(({ peak }) => peak)) / 1024)} MB`,
  limit: all === loops ? '-' : '≤ 200 MB',
});
table(`Plan of ${posts} files and ${posts} articles (${rounds} rounds, medians)`, [
  figures('pages and files, read and hashed', loops, '-'),
  figures('plan, neither side changed', plans.unchanged, '≤ 0.4'),
  figures('plan, every page changed', plans.pages, '≤ 1.3'),
  figures('plan, nothing kept of an earlier one', plans.nothing, '≤ 1.3'),
]);
rmSync(folder, { recursive: true, force: true });

function outputOf(kind, round) {
  return join(folder, `${kind}-${round}.json`);
}

/** All that was kept but the state; of `pages` only what was read of the files stays. */
function forget(kind) {
  const data = join(folder, '.local', 'share', 'blogctl', 'sync');
  const name = readdirSync(data).find((each) => each.endsWith('.readings'));
  const path = join(data, name);
  if (kind === 'nothing') return rmSync(path);
  const [, head, body] = readFileSync(path, 'utf8').split('\n');
  const { made } = JSON.parse(head);
  const { posts: read } = JSON.parse(body);
  const kept = `${JSON.stringify({ made, versions: {} })}\n${JSON.stringify({ posts: read, articles: {} })}`;
  writeFileSync(path, `${createHash('sha256').update(kept).digest('hex').slice(0, 32)}\n${kept}`);
}

/** Writes what a process has cost when it ends. */
function reporter() {
  const path = join(folder, 'report.cjs');
  const file = JSON.stringify(join(folder, 'cost'));
  const cost = '({ peak: maxRSS, cpu: (userCPUTime + systemCPUTime) / 1e6 })';
  writeFileSync(
    path,
    `process.on('exit', () => { const { maxRSS, userCPUTime, systemCPUTime } = process.resourceUsage();
      require('node:fs').writeFileSync(${file}, JSON.stringify${cost}); });`,
  );
  return path;
}

function run(words) {
  const started = performance.now();
  const { status, stderr } = spawnSync(process.execPath, words, { cwd: folder, env });
  if (status !== 0) throw new Error(String(stderr));
  const seconds = (performance.now() - started) / 1000;
  const cost = join(folder, 'cost');
  return { seconds, ...(existsSync(cost) && JSON.parse(readFileSync(cost, 'utf8'))) };
}
