import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * For `import`: modules that hand on what the bundle exports, so that a program that imports and
 * one that requires have the same classes.
 */
export async function writeEsmDoors(chunks, folder) {
  for (const { fileName, name, exports } of chunks.filter(({ isEntry }) => isEntry)) {
    const names = exports.join(', ');
    const text = `import door from './${fileName}';\nexport const { ${names} } = door;\n`;
    await writeFile(join(folder, `${name}.mjs`), text);
  }
}
