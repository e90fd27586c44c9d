import { spawnSync } from 'node:child_process';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join, posix } from 'node:path';

const all = 'dist/types';
const root = join(all, 'src');
const doors = ['index.d.ts', 'testing/index.d.ts'];

/**
 * The declarations of the two doors and of what they name, and of nothing else; once for `import`
 * and once for `require`, because TypeScript takes the kind of a module from its file's name.
 */
export async function writeTypes(folder) {
  const tsc = ['node_modules/typescript/bin/tsc', '-p', 'build/types.json'];
  const { status } = spawnSync(process.execPath, tsc, { stdio: 'inherit' });
  if (status !== 0) throw new Error('the types could not be made');
  for (const [file, text] of await reachedFrom(doors)) {
    for (const kind of ['mts', 'cts']) {
      const named = text.replaceAll(relativeImport, (_, path) => `'${kinded(path, js[kind])}'`);
      const target = join(folder, kinded(file, `d.${kind}`));
      await mkdir(dirname(target), { recursive: true });
      await writeFile(target, named);
    }
  }
  await rm(all, { recursive: true });
}

function kinded(path, ending) {
  return path.replace(/(?:\.d)?\.ts$/, `.${ending}`);
}

const js = { mts: 'mjs', cts: 'cjs' };
const relativeImport = /'(\.{1,2}\/[^']+\.ts)'/g;

/** Files of declarations by their path, with those they import. */
async function reachedFrom(files, reached = new Map()) {
  for (const file of files.filter((one) => !reached.has(one))) {
    const text = await readFile(join(root, file), 'utf8');
    reached.set(file, text);
    const named = [...text.matchAll(relativeImport)].map(([, path]) =>
      posix.join(posix.dirname(file), path.replace(/\.ts$/, '.d.ts')),
    );
    await reachedFrom(named, reached);
  }
  return reached;
}
