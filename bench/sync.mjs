// A plan of a folder and its blog, both of the same posts, against a plain loop over the pages and the
// files, alternated, medians; and the peak memory of the plan. POSTS=10000 by default.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
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

const seconds = { loop: [], plan: [] };
let peak = 0;
for (let round = 0; round < rounds; round += 1) {
  seconds.loop.push(run([loop, blog, join(folder, 'posts')]).seconds);
  const plan = run(['-r', peakReporter(), ...sync('plan', '-o', join(folder, `${round}.json`))]);
  seconds.plan.push(plan.seconds);
  peak = Math.max(peak, Number(readFileSync(join(folder, 'peak'), 'utf8')));
}
serve.kill('SIGTERM');
await once(serve, 'exit');
table(`Plan of ${posts} files and ${posts} articles (${rounds} rounds, medians)`, [
  {
    figure: 'pages and files, read and hashed',
    s: median(seconds.loop).toFixed(2),
    ratio: '1.00',
    goal: '-',
    peak: '-',
    limit: '-',
  },
  {
    figure: 'blogctl sync plan',
    s: median(seconds.plan).toFixed(2),
    ratio: (median(seconds.plan) / median(seconds.loop)).toFixed(2),
    goal: '≤ 1.3',
    peak: `${Math.round(peak / 1024)} MB`,
    limit: '≤ 200 MB',
  },
]);
rmSync(folder, { recursive: true, force: true });

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
