import { cp, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** Packs the package in a folder; answers the archive. */
export async function pack(folder) {
  const release = join(folder, 'release');
  const env = { HOME: folder, npm_config_cache: join(folder, 'no-cache') };
  await execa(process.execPath, ['build/package.mjs', release], { cwd: root });
  await execa('npm', ['pack', '--silent', release], { cwd: folder, env });
  const [archive = ''] = (await readdir(folder)).filter((name) => name.endsWith('.tgz'));
  return join(folder, archive);
}

/** Packs the package and installs it in a folder without a network; answers the archive. */
export async function installPacked(folder) {
  const env = { HOME: folder, npm_config_cache: join(folder, 'no-cache'), CI: '' };
  const archive = await pack(folder);
  await writeFile(join(folder, 'package.json'), '{}');
  const words = ['install', '--offline', '--no-audit', '--no-fund', archive];
  await execa('npm', words, { cwd: folder, env });
  await cp(join(root, 'test', 'support', 'consumer'), folder, { recursive: true });
  return archive;
}

/** Runs the programs that import the package, that require it, and that do so as jest does; each says `used`. */
export async function runPrograms(folder, node = process.execPath) {
  const said = [];
  for (const program of ['esm.mjs', 'cjs.cjs', 'realm.cjs']) {
    const { stdout } = await execa(node, [join(folder, program)], { cwd: folder, timeout: 60_000 });
    said.push(stdout);
  }
  return said;
}

/** Of `moduleResolution`, kind of module and what else is known; the library's own types are read. */
const settings = [
  ['--module', 'node16', '--lib', 'es2022', '--types', 'node'],
  ['--module', 'node16', '--lib', 'es2022,dom', '--types', ''],
  ['--module', 'esnext', '--moduleResolution', 'bundler', '--lib', 'es2022,dom', '--types', ''],
  ['--module', 'nodenext', '--lib', 'esnext', '--types', 'node'],
];

/** Neither the DOM's types nor those of Node, and what is undefined is told from what was left out. */
const bare = ['--module', 'nodenext', '--lib', 'es2022,esnext.disposable', '--types', ''];

/** Type-checks a program under every setting, as ESM and as CommonJS; answers what is wrong. */
export async function checkTypes(folder) {
  const tsc = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
  const typeRoots = join(root, 'node_modules', '@types');
  for (const name of ['types', 'bare'])
    for (const kind of ['mts', 'cts'])
      await cp(join(folder, `${name}.ts`), join(folder, `${name}.${kind}`));
  const always = ['--noEmit', '--strict', '--target', 'es2022', '--typeRoots', typeRoots];
  const found = [];
  for (const setting of [...settings, bare]) {
    const name = setting === bare ? 'bare' : 'types';
    const files = [`${name}.mts`, `${name}.cts`, '--exactOptionalPropertyTypes'];
    const words = [tsc, ...files, ...always, ...setting];
    const { all } = await execa(process.execPath, words, { cwd: folder, all: true, reject: false });
    if (all !== '') found.push(`${setting.join(' ')}\n${all}`);
  }
  return found;
}
