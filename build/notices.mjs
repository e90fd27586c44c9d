import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * Names, versions and licence texts of the packages these bundled modules come from.
 * Throws where a package ships no licence text: then we may not ship its code.
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
  const file = (await readdir(folder)).find((entry) => /^licen[cs]e/i.test(entry));
  if (file === undefined) throw new Error(`${name} ships no licence text.`);
  const text = await readFile(join(folder, file), 'utf8');
  return `---- ${name} ${version} (${license})\n\n${text.trim()}\n`;
}
