// What the long tests of the store share: a program of the tests, bundled, run and judged.
import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { rolldown } from 'rolldown';

const run = promisify(execFile);
export const root = join(import.meta.dirname, '../..');
const folder = await mkdtemp(join(tmpdir(), 'blogctl-nightly-'));

/** Runs what was asked for; the bundles are gone afterwards. */
export async function nightly(work) {
  try {
    await work();
  } finally {
    await rm(folder, { recursive: true });
  }
}

export function say(good, text) {
  process.stdout.write(`${good ? 'ok    ' : 'FAILED'} ${text}\n`);
  if (!good) process.exitCode = 1;
}

/** A crash of the program itself is a catch, too. */
export async function judged(program, args) {
  try {
    const { stdout } = await run(process.execPath, [program, ...args], { maxBuffer: 2 ** 26 });
    return JSON.parse(stdout);
  } catch (error) {
    if (typeof error.stdout === 'string' && error.stdout.startsWith('{'))
      return JSON.parse(error.stdout);
    return { states: 0, nested: 0, broken: [String(error.stderr ?? error)] };
  }
}

export async function bundled(name, entry, plugins = []) {
  const input = join(root, entry);
  const bundle = await rolldown({ input, platform: 'node', logLevel: 'warn', plugins });
  const file = join(folder, `${name}.mjs`);
  await bundle.write({ file, format: 'esm' });
  await bundle.close();
  return file;
}

export function mutation({ name, file, from, to }) {
  let applied = false;
  return {
    name: 'mutation',
    isApplied: () => applied,
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
