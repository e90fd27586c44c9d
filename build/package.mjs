// Lays the published package out in release/: the bundle, no dependency, no script.
import { cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises';

const { name, version, description, keywords, license, bin, engines } = JSON.parse(
  await readFile('package.json', 'utf8'),
);

await rm('release', { recursive: true, force: true });
await mkdir('release');
for (const entry of ['bin', 'dist', 'README.md', 'LICENSE', 'CHANGELOG.md'])
  await cp(entry, `release/${entry}`, { recursive: true });
const published = { name, version, description, keywords, license, bin, engines };
await writeFile('release/package.json', `${JSON.stringify(published, null, 2)}\n`);
