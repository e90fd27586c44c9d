// A plan of a folder and its blog, both of the same posts, against a plain loop over the pages and the
// files, alternated, medians; and the peak memory of the plan: with what was read before (files and pages
// that are as they were), with files only (every page is sent again), and with nothing. POSTS=10000.
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
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
const plans = Object.fromEntries(kinds.map((kind) => [kind, { seconds: [], peak: 0 }]));
for (let round = 0; round < rounds; round += 1) {
  loops.push(run([loop, blog, join(folder, 'posts')]).seconds);
  for (const kind of kinds) {
    if (kind !== 'unchanged') forget(kind);
    const { seconds } = run(['-r', peakReporter(), ...sync('plan', '-o', outputOf(kind, round))]);
    plans[kind].seconds.push(seconds);
    plans[kind].peak = Math.max(plans[kind].peak, Number(readFileSync(join(folder, 'peak'))));
  }
}
serve.kill('SIGTERM');
await once(serve, 'exit');
const figures = (figure, all, goal) => ({
  figure,
  s: median(all.seconds).toFixed(2),
  ratio: (median(all.seconds) / median(loops)).toFixed(2),
  goal,
  peak: all.peak === undefined ? '-' : `${Math.round(all.peak / 1024)} MB`,
  limit: all.peak === undefined ? '-' : '≤ 200 MB',
});
table(`Plan of ${posts} files and ${posts} articles (${rounds} rounds, medians)`, [
  figures('pages and files, read and hashed', { seconds: loops }, '-'),
  figures('plan, neither side changed', plans.unchanged, '≤ 0.4'),
  figures('plan, every page changed', plans.pages, '≤ 1.3'),
  figures('plan, nothing kept of an earlier one', plans.nothing, '-'),
]);
rmSync(folder, { recursive: true, force: true });

function outputOf(kind, round) {
  return join(folder, `${kind}-${round}.json`);
}

/** The tags of all pages, or all that was kept but the state. */
function forget(kind) {
  const data = join(folder, '.local', 'share', 'blogctl', 'sync');
  const name = readdirSync(data).find((each) => each.endsWith('.readings'));
  const path = join(data, name);
  if (kind === 'nothing') return rmSync(path);
  const text = readFileSync(path, 'utf8');
  const kept = JSON.stringify({ ...JSON.parse(text.slice(text.indexOf('\n') + 1)), pages: {} });
  const digest = createHash('sha256').update(kept).digest('hex').slice(0, 32);
  writeFileSync(path, `${digest}\n${kept}`);
}

/** Writes the most memory that a process had when it ends. */
function peakReporter() {
  const path = join(folder, 'peak.cjs');
  const file = JSON.stringify(join(folder, 'peak'));
  writeFileSync(
    path,
    `process.on('exit', () => require('node:fs').writeFileSync(${file}, String(process.resourceUsage().maxRSS)));`,
  );
  return path;
}

function run(words) {
  const started = performance.now();
  const { status, stderr } = spawnSync(process.execPath, words, { cwd: folder, env });
  if (status !== 0) throw new Error(String(stderr));
  return { seconds: (performance.now() - started) / 1000 };
}
