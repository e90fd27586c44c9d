// Start-up of the built command as a ratio to `node -e 0` of the same Node: rounds interleaved,
// medians. CPU time (user + system, by bash) is the steadier figure, so the gate stands on it.
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { median, table } from './figures.mjs';

const bin = fileURLToPath(new URL('../bin/blogctl.cjs', import.meta.url));
const rounds = Number(process.env.ROUNDS ?? 21);
const slack = 1.25;
const folder = mkdtempSync(join(tmpdir(), 'blogctl-bench-'));
const env = { PATH: process.env.PATH, HOME: folder, BLOGCTL_SERVE_TOKEN: 'bct_for_benches_only' };

const service = spawn(
  process.execPath,
  [bin, 'serve', '--json', '--quiet', '--store', 'b.json', '--port', '0'],
  {
    cwd: folder,
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  },
);
const [ready] = await once(service.stdout, 'data');
const blog = ['--blog', JSON.parse(String(ready)).blogs[0].url];
const create = ['articles', 'create', ...blog, '--title', 'Title', '--content', 'Text'];
execFileSync(process.execPath, [bin, ...create], {
  env: { ...env, BLOGCTL_TOKEN: env.BLOGCTL_SERVE_TOKEN },
  stdio: 'ignore',
});

const modern = Number(process.versions.node.split('.')[0]) >= 22;
const cases = [
  { figure: '--version', words: ['--version'], goal: 1.1 },
  { figure: '--help', words: ['--help'], goal: modern ? 1.35 : 1.5 },
  { figure: 'completion bash', words: ['completion', 'bash'], goal: modern ? 1.35 : 1.5 },
  {
    figure: 'articles list --json',
    words: ['articles', 'list', '--json', ...blog],
    goal: modern ? 3.2 : 4,
  },
  {
    figure: 'articles list (table)',
    words: ['articles', 'list', '--format', 'table', ...blog],
    goal: modern ? 3.5 : 4.5,
  },
].map((entry) => ({ ...entry, times: [] }));

const bare = [];
for (let round = -2; round < rounds; round += 1) {
  const base = measure(['-e', '0']);
  if (round >= 0) bare.push(base);
  for (const { words, times } of cases) {
    const time = measure([bin, ...words]);
    if (round >= 0) times.push(time);
  }
}
service.kill('SIGTERM');
await once(service, 'exit');
rmSync(folder, { recursive: true, force: true });

const ratio = (times, kind) =>
  median(times.map((time) => time[kind])) / median(bare.map((time) => time[kind]));
table(
  `Start-up against node -e 0 (Node ${process.versions.node}, ${rounds} rounds, medians)`,
  cases.map(({ figure, times, goal }) => ({
    figure,
    wall: ratio(times, 'wall').toFixed(2),
    cpu: ratio(times, 'cpu').toFixed(2),
    goal: `≤ ${goal}`,
  })),
);
const slow = cases.filter(({ times, goal }) => ratio(times, 'cpu') > goal * slack);
if (process.argv.includes('--gate') && slow.length > 0) {
  console.error(
    `\nSlower than the goal and a quarter: ${slow.map(({ figure }) => figure).join(', ')}`,
  );
  process.exitCode = 1;
}

/** Wall and CPU milliseconds of one run of Node with these words. */
function measure(words) {
  const script = 'TIMEFORMAT="%3R %3U %3S"; time "$0" "$@" >/dev/null';
  const output = execFileSync('bash', ['-c', `{ ${script}; } 2>&1`, process.execPath, ...words], {
    cwd: folder,
    env,
  });
  const [wall, user, system] = String(output).trim().split('\n').at(-1).split(' ').map(Number);
  return { wall: wall * 1000, cpu: (user + system) * 1000 };
}
