import { existsSync } from 'node:fs';
import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * Names, versions and licence texts of the packages these bundled modules come from.
 * build/licences/ has the text of a package that leaves its own out of what it publishes, and those
 * of what is compiled into one.
 */
export async function thirdPartyNotices(moduleIds) {
  const folders = [...new Set(moduleIds.map(packageFolder).filter(Boolean))].sort((a, b) =>
    a < b ? -1 : 1,
  );
  const notices = await Promise.all(folders.map(notice));
  return `blogctl contains the following software.\n\n${notices.join('\n')}`;
}

function packageFolder(moduleId) {
  return /^.*[\\/]node_modules[\\/](?:@[^\\/]+[\\/])?[^\\/]+(?=[\\/])/.exec(moduleId)?.[0];
}

async function notice(folder) {
  const { name, version, license } = JSON.parse(
    await readFile(join(folder, 'package.json'), 'utf8'),
  );
  const shipped = (await readdir(folder)).find((entry) => /^licen[cs]e/i.test(entry));
  const ours = `build/licences/${name}.txt`;
  const files = [...(shipped ? [join(folder, shipped)] : []), ...(existsSync(ours) ? [ours] : [])];
  if (files.length === 0) throw new Error(`The licence of ${name} is missing: write ${ours}.`);
  const texts = await Promise.all(files.map((file) => readFile(file, 'utf8')));
  return `---- ${name} ${version} (${license})\n\n${texts.map((text) => text.trim()).join('\n\n')}\n`;
}
