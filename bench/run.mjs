// npm run bench [-- name [words…]]: one program of figures, or all of them.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

const programs = [
  'startup',
  'ablation',
  'service',
  'service-million',
  'store',
  'import',
  'folder',
  'sync',
  'postgres',
  'testing',
];
const [name, ...words] = process.argv.slice(2);
if (name !== undefined && !programs.includes(name)) {
  throw new Error(`There is no bench "${name}". There are: ${programs.join(', ')}.`);
}
for (const program of name === undefined ? programs : [name]) {
  const file = join(import.meta.dirname, `${program}.mjs`);
  const { status } = spawnSync(process.execPath, [file, ...words], { stdio: 'inherit' });
  if (status !== 0) process.exitCode = 1;
}
