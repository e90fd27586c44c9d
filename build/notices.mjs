import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * Names, versions and licence texts of the packages these bundled modules come from.
 * A package that leaves its licence text out of what it publishes needs one in build/licences/.
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
  const file = shipped === undefined ? `build/licences/${name}.txt` : join(folder, shipped);
  const text = await readFile(file, 'utf8');
  return `---- ${name} ${version} (${license})\n\n${text.trim()}\n`;
}
