// Lays the published package out in release/: the bundle, no dependency, no script.
import { cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises';

const { name, version, description, keywords, license, bin, exports, engines } = JSON.parse(
  await readFile('package.json', 'utf8'),
);

await rm('release', { recursive: true, force: true });
await mkdir('release');
for (const entry of ['bin', 'dist', 'README.md', 'LICENSE', 'CHANGELOG.md'])
  await cp(entry, `release/${entry}`, { recursive: true });
const [{ require: main }, { require: testing }] = Object.values(exports);
const published = {
  name,
  version,
  description,
  keywords,
  license,
  type: 'commonjs',
  bin,
  exports,
  main: main.default,
  types: main.types,
  engines,
};
await writeFile('release/package.json', `${JSON.stringify(published, null, 2)}\n`);

// For compilers that look for folders and know no `exports` (`moduleResolution` node10).
const folder = { main: `.${testing.default}`, types: `.${testing.types}` };
await mkdir('release/testing');
await writeFile('release/testing/package.json', `${JSON.stringify(folder, null, 2)}\n`);
