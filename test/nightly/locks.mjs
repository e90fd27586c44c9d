// Two writers of one store: node test/nightly/locks.mjs [trials] [seed] [part of a road's name]
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { rolldown } from 'rolldown';

const root = join(import.meta.dirname, '../..');
const folder = await mkdtemp(join(tmpdir(), 'blogctl-nightly-'));
const [trials = '200', seed = String(Date.now() % 1_000_000), road = ''] = process.argv.slice(2);
try {
  const writer = await bundled('writer');
  const program = await bundled('two-writers-program');
  await chmod(folder, 0o755);
  process.stdout.write(`seed ${seed}\n`);
  const child = spawn(process.execPath, [program, writer, trials, seed, road], {
    stdio: 'inherit',
  });
  [process.exitCode] = await once(child, 'close');
} finally {
  await rm(folder, { recursive: true });
}

async function bundled(name) {
  const input = join(root, 'test/server/store/lock', `${name}.ts`);
  const bundle = await rolldown({ input, platform: 'node', logLevel: 'warn' });
  const file = join(folder, `${name}.mjs`);
  await bundle.write({ file, format: 'esm' });
  await bundle.close();
  return file;
}
