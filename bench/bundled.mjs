import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';

/** The path of a module in `folder` made from a source here. */
export async function bundled(folder, source) {
  const input = fileURLToPath(new URL(source, import.meta.url));
  const bundle = await rolldown({ input, platform: 'node', logLevel: 'silent' });
  const file = join(folder, `${source.split('/').at(-1)}.mjs`);
  await bundle.write({ file, format: 'esm' });
  await bundle.close();
  return file;
}
