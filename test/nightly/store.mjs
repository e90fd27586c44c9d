// The long tests of the store: node test/nightly/store.mjs [crashes|mutants|rules|kills] [how many, or
// part of the name of mutants]
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { startVitest } from 'vitest/node';
import { mutants } from './mutants.mjs';
import { bundled, judged, mutation, nightly, root, say } from './programs.mjs';
import { rules } from './rule-mutants.mjs';

/** Processes that judge crash states, each from a seed of its own. */
const WORKERS = 2;
/** Of random cases, until one catches a planted mistake. */
const SEEDS = 5;

const [what = 'all', howMany] = process.argv.slice(2);
const crashProgram = 'test/server/store/crash/crash-program.ts';
const damageProgram = 'test/server/store/fuzz/fuzz-program.ts';

await nightly(async () => {
  if (['all', 'crashes'].includes(what)) await crashes(howMany ?? '1000000');
  if (['all', 'mutants'].includes(what)) await everyMutant(howMany);
  if (['all', 'rules'].includes(what)) await everyRule();
  if (['all', 'kills'].includes(what)) await kills(howMany ?? '1000');
});
// oxlint-disable-next-line unicorn/no-process-exit -- a rule left out can leave open what never ends
process.exit();

async function crashes(count) {
  const program = await bundled('crashes', crashProgram);
  const share = String(Math.ceil(Number(count) / WORKERS));
  const seeds = Array.from(
    { length: WORKERS },
    (_, at) => (Date.now() % 1_000_000) + at * 1_000_003,
  );
  const outcomes = await Promise.all(seeds.map((seed) => judged(program, [share, String(seed)])));
  const sum = (name) => outcomes.reduce((total, outcome) => total + outcome[name], 0);
  const broken = outcomes.flatMap((outcome) => outcome.broken);
  const counted = `${sum('states')} crash states, ${sum('nested')} of them inside recovery`;
  say(broken.length === 0, `${counted}, seeds ${seeds.join(' and ')}`);
  for (const one of broken) process.stdout.write(`  ${one}\n`);
}

async function everyMutant(partOfName = '') {
  const chosen = mutants.filter(({ name }) => name.includes(partOfName));
  for (const [at, mutant] of chosen.entries()) {
    const [entry, cases] = mutant.damage ? [damageProgram, '5000'] : [crashProgram, '200000'];
    const program = await bundled(`mutant-${at}`, entry, [mutation(mutant)]);
    let [count, isCaught] = [0, false];
    // What one seed meets nowhere another one does.
    for (let seed = 1; seed <= SEEDS && !isCaught; seed += 1) {
      const outcome = await judged(program, [cases, String(seed)]);
      count += outcome.states ?? outcome.cases;
      isCaught = outcome.broken.length > 0;
    }
    say(isCaught, `${mutant.name}: ${isCaught ? 'caught' : 'passed'} after ${count} states`);
  }
}

/** A rule left out where only tests of its own can notice; with the rule they pass. */
async function everyRule() {
  const before = process.exitCode;
  const found = [
    { name: 'every rule kept', failed: await failedIn(rules.map(({ test }) => test)) },
  ];
  for (const rule of rules) {
    const plugin = { ...mutation(rule), enforce: 'pre' };
    const failed = await failedIn([rule.test], [plugin]);
    found.push({ name: rule.name, failed: plugin.isApplied() ? failed : [] });
  }
  // What vitest made of it counts the other way round.
  process.exitCode = before;
  for (const [at, { name, failed }] of found.entries()) {
    say((at === 0) === (failed.length === 0), `${name}: ${failed.length} tests fail`);
    for (const one of at === 0 ? failed : []) process.stdout.write(`  ${one}\n`);
  }
}

async function failedIn(tests, plugins = []) {
  const quiet = { root, config: false, watch: false, testTimeout: 60_000, reporters: [{}] };
  const vitest = await startVitest('test', tests, quiet, { plugins });
  const failed = vitest.state.getFiles().flatMap((file) => failuresOf(file));
  await vitest.close();
  return failed;
}

function failuresOf({ tasks = [], result, type, name }) {
  const inside = tasks.flatMap((task) => failuresOf(task));
  return type === 'test' && result?.state === 'fail' ? [name] : inside;
}

/** Of the built command, over HTTP; the test says what it found. */
async function kills(count) {
  const env = { ...process.env, BLOGCTL_SERVE_KILLS: count };
  const child = spawn('npx', ['vitest', 'run', 'test/kills'], { cwd: root, env, stdio: 'inherit' });
  const [status] = await once(child, 'close');
  say(status === 0, `${count} kills of a server`);
}
