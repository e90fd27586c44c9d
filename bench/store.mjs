// The figures of the store: node bench/store.mjs [part …] [--articles 1000000]. Each part runs in a
// process of its own; every figure is a ratio to a peer or a limit measured in the same run.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { rolldown } from 'rolldown';
import { table } from './figures.mjs';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    articles: { type: 'string', default: '1000000' },
    folder: { type: 'string', default: tmpdir() },
    gate: { type: 'boolean', default: false },
  },
});
/** Counted, not timed: what `npm run nightly` judges. */
const proofs = [
  ['15 crash states judged, 0 bad', '≥ 1,000,000'],
  ['15 kill -9, 0 acknowledged changes lost, JSON after each', '≥ 1,000'],
].map(([figure, goal]) => ({ figure, measured: 'npm run nightly', goal, holds: '-' }));
const all = ['rates', 'opening', 'untrusted', 'reading', 'compacting', 'importing'];
const folder = mkdtempSync(join(values.folder, 'blogctl-bench-'));
try {
  const program = join(folder, 'program.mjs');
  const input = join(import.meta.dirname, 'store/main.ts');
  const bundle = await rolldown({ input, platform: 'node', logLevel: 'warn' });
  await bundle.write({ file: program, format: 'esm' });
  await bundle.close();
  const rows = (positionals.length > 0 ? positionals : all).flatMap((part) => run(program, part));
  rows.push(...proofs);
  table(`The store, ${values.articles} articles (Node ${process.versions.node})`, rows);
  if (values.gate && rows.some(({ holds }) => holds === 'no')) process.exitCode = 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}

function run(program, part) {
  const args = ['--expose-gc', program, part, folder, values.articles];
  const { stdout, status } = spawnSync(process.execPath, args, {
    stdio: ['ignore', 'pipe', 'inherit'],
    maxBuffer: 2 ** 26,
  });
  if (status !== 0) throw new Error(`${part} ended with ${status}`);
  return String(stdout)
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
}
