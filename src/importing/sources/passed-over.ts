import { extname } from 'node:path';

import { fileKind } from './files/file-kind.ts';
import type { ReadingOptions } from './source.ts';

/** Counts the files of a folder that are not read, by kind. */
export type PassedOver = {
  add(path: string): void;
  /** `3 images, 2 .rst are not read`, with what to do; undefined where there are none. */
  message(options: ReadingOptions): string | undefined;
};

/** More kinds than this are counted together. */
const mostKinds = 12;

export function createPassedOver(): PassedOver {
  const counts = new Map<string, number>();
  return {
    add(path) {
      const kind = kindOf(path);
      const name = counts.has(kind) || counts.size < mostKinds ? kind : 'other';
      counts.set(name, (counts.get(name) ?? 0) + 1);
    },
    message({ titleFrom }) {
      if (counts.size === 0) return undefined;
      const most = [...counts].sort(([a, some], [b, more]) => more - some || (a < b ? -1 : 1));
      const said = most.map(([kind, count]) => described(kind, count)).join(', ');
      return [`Not read: ${said}.`, ...hints(counts, titleFrom)].join(' ');
    },
  };
}

function kindOf(path: string): string {
  const kind = fileKind(path);
  const extension = extname(path).toLowerCase();
  if (kind === 'image' || extension === '') return kind;
  return extension.length > 10 ? 'other' : extension;
}

function described(kind: string, count: number): string {
  if (kind === 'image') return count === 1 ? '1 image' : `${count} images`;
  return kind === 'other' ? `${count} other` : `${count} ${kind}`;
}

function hints(
  counts: ReadonlyMap<string, number>,
  titleFrom: ReadingOptions['titleFrom'],
): readonly string[] {
  const markup = [...counts.keys()].filter((kind) => fileKind(`x${kind}`) === 'markup');
  return [
    ...(markup.length > 0 ? [`Convert ${markup.join(' and ')} to Markdown first.`] : []),
    ...(counts.has('.txt') && titleFrom === undefined
      ? ['--title-from line imports .txt too.']
      : []),
  ];
}
