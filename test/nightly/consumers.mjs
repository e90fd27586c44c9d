// The packed package in projects of others: every Node we promise, every way to import, the linters.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { checkTypes, installPacked, runPrograms } from '../support/consumers.mjs';

const say = (line) => process.stdout.write(`${line}\n`);
const versions = ['20.19', '22', '24', '26'];

const folder = await mkdtemp(join(tmpdir(), 'blogctl-consumers-'));
try {
  const archive = await installPacked(folder);
  const wrong = await checkTypes(folder);
  for (const version of versions) {
    const nodes = await mkdtemp(join(tmpdir(), 'blogctl-node-'));
    const name = `node-${process.platform}-${process.arch}`;
    const words = ['install', '--prefix', nodes, '--no-audit', '--no-fund', `${name}@${version}`];
    await execa('npm', words);
    const node = join(nodes, 'node_modules', name, 'bin', 'node');
    const { stdout } = await execa(node, ['--version']);
    const said = await runPrograms(folder, node).catch((error) => [error.message]);
    say(`${stdout}: ${said.join(', ')}`);
    if (said.join() !== 'used,used,used') wrong.push(`${stdout}: ${said.join('\n')}`);
    await rm(nodes, { recursive: true });
  }
  for (const linter of ['publint run --strict', '@arethetypeswrong/cli']) {
    const words = ['--yes', ...linter.split(' '), archive];
    const { exitCode, all } = await execa('npx', words, { all: true, reject: false });
    say(`${linter}: ${exitCode}`);
    if (exitCode !== 0) wrong.push(all);
  }
  for (const what of wrong) say(what);
  if (wrong.length > 0) process.exitCode = 1;
} finally {
  await rm(folder, { recursive: true });
}
