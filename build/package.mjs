// Lays the published package out in release/, or the folder that is named: the bundle, its pages and
// manual, no dependency, no script.
import { cp, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { writeManual } from './man.mjs';

const { name, version, description, keywords, license, bin, exports, engines, repository } =
  JSON.parse(await readFile('package.json', 'utf8'));

const [, , release = 'release'] = process.argv;
await rm(release, { recursive: true, force: true });
await mkdir(release, { recursive: true });
const files = ['README.md', 'LICENSE', 'CHANGELOG.md', 'SECURITY.md'];
for (const entry of ['bin', 'dist', 'docs', 'examples', 'Containerfile', ...files])
  await cp(entry, `${release}/${entry}`, { recursive: true, filter: isForUsers });
await writeManual(`${release}/man`);
const [{ require: main }, { require: testing }] = Object.values(exports);
const home = repository.url.replace(/^git\+/, '').replace(/\.git$/, '');
const published = {
  name,
  version,
  description,
  keywords,
  license,
  repository,
  homepage: `${home}#readme`,
  bugs: `${home}/issues`,
  type: 'commonjs',
  bin,
  man: (await readdir(`${release}/man`)).sort().map((page) => `man/${page}`),
  exports,
  main: main.default,
  types: main.types,
  engines,
};
await writeFile(`${release}/package.json`, `${JSON.stringify(published, null, 2)}\n`);

// For compilers that look for folders and know no `exports` (`moduleResolution` node10).
const folder = { main: `.${testing.default}`, types: `.${testing.types}` };
await mkdir(`${release}/testing`);
await writeFile(`${release}/testing/package.json`, `${JSON.stringify(folder, null, 2)}\n`);

/** The programs that make pictures stay here. */
function isForUsers(path) {
  return !/[\\/]screens[\\/].*(?:mjs|mts|cast)$/.test(path);
}
