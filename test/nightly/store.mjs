// The long tests of the store: node test/nightly/store.mjs [crashes|mutants|kills] [how many]
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { rolldown } from 'rolldown';
import { mutants } from './mutants.mjs';

const run = promisify(execFile);
const root = join(import.meta.dirname, '../..');
const folder = await mkdtemp(join(tmpdir(), 'blogctl-nightly-'));
const [what = 'all', howMany] = process.argv.slice(2);
const crashProgram = 'test/server/store/crash/crash-program.ts';
try {
  if (['all', 'crashes'].includes(what)) await crashes(howMany ?? '1000000');
  if (['all', 'mutants'].includes(what)) await everyMutant();
  if (['all', 'kills'].includes(what)) await kills(howMany ?? '1000');
} finally {
  await rm(folder, { recursive: true });
}

async function crashes(count) {
  const program = await bundled('crashes', crashProgram);
  const outcome = await judged(program, [count, String(Date.now() % 1_000_000)]);
  say(
    outcome.broken.length === 0,
    `${outcome.states} crash states, ${outcome.nested} of them inside recovery`,
  );
  for (const broken of outcome.broken) process.stdout.write(`  ${broken}\n`);
}

async function everyMutant() {
  for (const [at, mutant] of mutants.entries()) {
    const program = await bundled(`mutant-${at}`, crashProgram, [mutation(mutant)]);
    const outcome = await judged(program, ['200000', '1']);
    say(outcome.broken.length > 0, `${mutant.name}: caught after ${outcome.states} states`);
  }
}

/** Of the built command, over HTTP; the test says what it found. */
async function kills(count) {
  const env = { ...process.env, BLOGCTL_SERVE_KILLS: count };
  const child = spawn('npx', ['vitest', 'run', 'test/kills'], { cwd: root, env, stdio: 'inherit' });
  const [status] = await once(child, 'close');
  say(status === 0, `${count} kills of a server`);
}

function say(good, text) {
  process.stdout.write(`${good ? 'ok    ' : 'FAILED'} ${text}\n`);
  if (!good) process.exitCode = 1;
}

/** A crash of the program itself is a catch, too. */
async function judged(program, args) {
  try {
    const { stdout } = await run(process.execPath, [program, ...args], { maxBuffer: 2 ** 26 });
    return JSON.parse(stdout);
  } catch (error) {
    if (typeof error.stdout === 'string' && error.stdout.startsWith('{'))
      return JSON.parse(error.stdout);
    return { states: 0, nested: 0, broken: [String(error.stderr ?? error)] };
  }
}

async function bundled(name, entry, plugins = []) {
  const input = join(root, entry);
  const bundle = await rolldown({ input, platform: 'node', logLevel: 'warn', plugins });
  const file = join(folder, `${name}.mjs`);
  await bundle.write({ file, format: 'esm' });
  await bundle.close();
  return file;
}

function mutation({ name, file, from, to }) {
  let applied = false;
  return {
    name: 'mutation',
    transform(code, id) {
      if (!id.endsWith(file)) return undefined;
      if (!code.includes(from)) throw new Error(`the mutant "${name}" has nothing to change`);
      applied = true;
      return code.replace(from, () => to);
    },
    buildEnd() {
      if (!applied) throw new Error(`the mutant "${name}" found no ${file}`);
    },
  };
}
