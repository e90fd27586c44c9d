// Each of these mistakes must be caught by a test of the database as a store:
// node test/nightly/database-mutants.mjs [part of a name]
import { execFile } from 'node:child_process';
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { mutants } from './postgres-mutants.mjs';
import { root, say } from './programs.mjs';

const run = promisify(execFile);
const [wanted = ''] = process.argv.slice(2);
const folder = await mkdtemp(join(tmpdir(), 'blogctl-mutants-'));
try {
  await copyTree();
  for (const mutant of mutants.filter(({ name }) => name.includes(wanted))) await judge(mutant);
} finally {
  await rm(folder, { recursive: true });
}

/** What a test needs that runs from the sources. */
async function copyTree() {
  for (const name of [
    'server',
    'src',
    'test',
    'docs',
    'bin',
    'dist',
    'vitest.config.ts',
    'package.json',
  ]) {
    await cp(join(root, name), join(folder, name), { recursive: true });
  }
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'));
}

/** Its test passes without the mistake and fails with it. */
async function judge({ name, file, from, to, also: [alsoFrom, alsoTo] = ['', ''], test }) {
  const path = join(folder, file);
  const text = await readFile(path, 'utf8');
  if (!text.includes(from) || !text.includes(alsoFrom)) {
    say(false, `${name}: nothing to change`);
    return;
  }
  const isSound = await passes(test);
  await writeFile(
    path,
    text.replace(from, () => to).replace(alsoFrom, () => alsoTo),
  );
  const isCaught = !(await passes(test));
  await writeFile(path, text);
  say(
    isSound && isCaught,
    `${name}: ${isCaught ? 'caught' : 'not caught'}${isSound ? '' : ', and its test fails without it'}`,
  );
}

async function passes(test) {
  const words = ['vitest', 'run', ...test];
  return run('npx', words, { cwd: folder, maxBuffer: 2 ** 26 }).then(
    () => true,
    () => false,
  );
}
