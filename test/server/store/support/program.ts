import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { rolldown } from 'rolldown';

export type Program = { readonly path: string; remove(): Promise<void> };

/** Bundles a TypeScript program so that a bare `node` of any version runs it. */
export async function bundledProgram(entry: string): Promise<Program> {
  const folder = await mkdtemp(join(tmpdir(), 'blogctl-program-'));
  const bundle = await rolldown({ input: entry, platform: 'node', logLevel: 'warn' });
  const path = join(folder, 'program.mjs');
  await bundle.write({ file: path, format: 'esm' });
  await bundle.close();
  return { path, remove: () => rm(folder, { recursive: true }) };
}
