import { basename, join } from 'node:path';
import { setImmediate } from 'node:timers/promises';

import type { FileSet, FoundFile } from './file-set.ts';
import { fileKind } from './files/file-kind.ts';
import { postMoment } from './posts/post-entry.ts';
import type { ReadingOptions } from './source.ts';

type Keyed = FoundFile & { readonly key: number | string };

/** Files without a pause of the event loop between them. */
const atOnce = 64;

/** Every file in the order that was asked for, equal ones in that of their paths. */
export async function sortedFiles(
  sets: readonly FileSet[],
  options: ReadingOptions,
): Promise<readonly FoundFile[]> {
  const files: Keyed[] = [];
  for (const set of sets) {
    for (const file of set.find()) {
      files.push({ set, file, key: keyOf({ set, file }, options) });
      if (files.length % atOnce === 0) await setImmediate();
    }
  }
  return files.sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0));
}

/** What has no date comes last. */
function keyOf({ set, file }: FoundFile, options: ReadingOptions): number | string {
  if (options.sort === 'name') return basename(file.path);
  const mayHaveDate = file.kind === 'file' && ['post', 'text'].includes(fileKind(file.path));
  const moment = mayHaveDate ? postMoment(join(set.folder, file.path), options) : undefined;
  return moment ?? Infinity;
}
