// Start-up of the built command as a ratio to `node -e 0` of the same Node: rounds interleaved,
// medians. CPU time is the steadier figure, so the gate (--gate) stands on it.
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { median, table } from './figures.mjs';

const bin = fileURLToPath(new URL('../bin/blogctl.cjs', import.meta.url));
const rounds = Number(process.env.ROUNDS ?? 21);
const slack = 1.25;
const folder = mkdtempSync(join(tmpdir(), 'blogctl-bench-'));
const env = { PATH: process.env.PATH, HOME: folder, BLOGCTL_SERVE_TOKEN: 'bct_for_benches_only' };
const serve = [bin, 'serve', '--json', '--quiet', '--port', '0'];
const modern = Number(process.versions.node.split('.')[0]) >= 22;

const { service, blogUrl } = await startService();
const cases = casesOn(['--blog', blogUrl]);
await measureAll(cases);
if (process.argv.includes('--gate')) await gate(cases);
service.kill('SIGTERM');
await once(service, 'exit');
rmSync(folder, { recursive: true, force: true });

async function startService() {
  const child = start([...serve, '--store', 'b.json'], 'inherit');
  const [ready] = await once(child.stdout, 'data');
  const url = JSON.parse(String(ready)).blogs[0].url;
  const create = ['articles', 'create', '--blog', url, '--title', 'Title', '--content', 'Text'];
  execFileSync(process.execPath, [bin, ...create], {
    env: { ...env, BLOGCTL_TOKEN: env.BLOGCTL_SERVE_TOKEN },
    stdio: 'ignore',
  });
  return { service: child, blogUrl: url };
}

function casesOn(blog) {
  const command = (figure, words, goal) => ({ figure, goal, run: () => runToEnd([bin, ...words]) });
  return [
    { figure: 'node -e 0', goal: 1, run: () => runToEnd(['-e', '0']) },
    command('--version', ['--version'], 1.1),
    command('--help', ['--help'], modern ? 1.35 : 1.45),
    command('completion bash', ['completion', 'bash'], modern ? 1.35 : 1.45),
    command('articles list --json', ['articles', 'list', '--json', ...blog], modern ? 3.4 : 3.6),
    command(
      'articles list (table)',
      ['articles', 'list', '--format', 'table', ...blog],
      modern ? 3.4 : 3.6,
    ),
    { figure: 'serve, ready line', goal: 3, run: runToReadyLine },
  ];
}

/** Runs every case in turn, twice without counting; leaves the figures in the cases. */
async function measureAll(all) {
  for (const each of all) each.times = [];
  for (let round = -2; round < rounds; round += 1) {
    for (const { run, times } of all) {
      const time = await run();
      if (round >= 0) times.push(time);
    }
  }
  const [bare] = all;
  for (const each of all) {
    each.wall = medianOf(each, 'wall') / medianOf(bare, 'wall');
    each.cpu = medianOf(each, 'cpu') / medianOf(bare, 'cpu');
  }
  table(
    `Start-up against node -e 0 (Node ${process.versions.node}, ${rounds} rounds, medians)`,
    all.slice(1).map(({ figure, wall, cpu, goal }) => ({
      figure,
      wall: wall.toFixed(2),
      cpu: cpu.toFixed(2),
      goal: `≤ ${goal}`,
    })),
  );
}

function medianOf({ times }, kind) {
  return median(times.map((time) => time[kind]));
}

/** Fails where a goal and a quarter is passed twice: what was slow once is measured again. */
async function gate(all) {
  if (slowOf(all).length === 0) return;
  console.log('\nSlower than the goal and a quarter; once more.');
  const again = all.filter((each, at) => at === 0 || slowOf(all).includes(each));
  await measureAll(again);
  const slow = slowOf(again);
  if (slow.length === 0) return;
  const names = slow.map(({ figure }) => figure).join(', ');
  console.error(`\nSlower than the goal and a quarter: ${names}`);
  process.exitCode = 1;
}

function slowOf(all) {
  return all.slice(1).filter(({ cpu, goal }) => cpu > goal * slack);
}

/** Wall and CPU milliseconds of one run of Node with these words, by bash. */
function runToEnd(words) {
  const script = 'TIMEFORMAT="%3R %3U %3S"; time "$0" "$@" 2>/dev/null';
  const { stderr } = spawnSync('bash', ['-c', script, process.execPath, ...words], {
    cwd: folder,
    env,
  });
  const [wall, user, system] = String(stderr).trim().split(' ').map(Number);
  return { wall: wall * 1000, cpu: (user + system) * 1000 };
}

/** The same for a service, up to the line that says it is ready. */
async function runToReadyLine() {
  const from = performance.now();
  const child = start([...serve, '--ephemeral'], 'ignore');
  await once(child.stdout, 'data');
  const wall = performance.now() - from;
  const cpu = cpuMsOf(child.pid);
  child.kill('SIGKILL');
  await once(child, 'exit');
  return { wall, cpu: cpu ?? wall };
}

/** CPU milliseconds of a process so far, where Linux says; its threads each count their own. */
function cpuMsOf(pid) {
  if (process.platform !== 'linux') return undefined;
  const threads = readdirSync(`/proc/${pid}/task`);
  const nanoseconds = threads.map((thread) =>
    Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ')[0]),
  );
  return nanoseconds.reduce((sum, each) => sum + each, 0) / 1e6;
}

function start(words, stderr) {
  return spawn(process.execPath, words, { cwd: folder, env, stdio: ['ignore', 'pipe', stderr] });
}
