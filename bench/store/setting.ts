import { beginNewFile } from '../../server/store/json-file/format/new-file.ts';
import { newBlogRecord } from '../../server/store/json-file/create.ts';
import type { FileSystem } from '../../server/store/file-system/file-system.ts';
import { realFileSystem } from '../../server/store/file-system/real-file-system.ts';
import {
  composeLine,
  keyAlone,
  tagValueAt,
} from '../../server/store/json-file/format/article-line.ts';
import { LineSums } from '../../server/store/json-file/format/footer.ts';

export type Setting = {
  /** For files; emptied by the caller. */
  readonly folder: string;
  readonly articles: number;
};

export type Figure = {
  readonly figure: string;
  readonly measured: string;
  readonly goal: string;
  readonly holds: 'yes' | 'no' | '-';
};

export function atLeast(figure: string, value: number, goal: number): Figure {
  const holds = value >= goal ? 'yes' : 'no';
  return { figure, measured: value.toPrecision(3), goal: `≥ ${goal.toPrecision(3)}`, holds };
}

export function atMost(figure: string, value: number, goal: number): Figure {
  const holds = value <= goal ? 'yes' : 'no';
  return { figure, measured: value.toPrecision(3), goal: `≤ ${goal.toPrecision(3)}`, holds };
}

/** A goal that this run cannot judge, and why. */
export function notMeasured(figure: string, goal: number, why: string): Figure {
  return { figure, measured: why, goal: `≥ ${goal.toPrecision(3)}`, holds: '-' };
}

export function median(numbers: readonly number[]): number {
  return [...numbers].sort((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? Number.NaN;
}

/** 1.5 KB of JSON an article. */
export const CONTENT = 'Lorem ipsum "dolor" sit amet\n'.repeat(46);

/** A compacted store file with so many articles; not synced more than it must be. */
export async function givenFile(path: string, articles: number): Promise<string> {
  const blog = newBlogRecord(1, { title: 'Bench', description: '' }, 1);
  const head = { blogs: [blog], deleted: new Map(), others: [] };
  const newFile = await beginNewFile(withoutSync(realFileSystem), path, { head });
  const sums = new LineSums();
  for (let id = 1; id <= articles; id += 1) {
    const line = {
      id,
      blog: undefined,
      draft: { title: `Title ${id}`, content: CONTENT },
      updatedAt: 1_700_000_000_000 + id,
      privates: keyAlone(undefined),
      revision: 1,
    };
    const { bytes } = composeLine(line);
    sums.add(id, tagValueAt(bytes, bytes.length - 1));
    await newFile.append(bytes.subarray(1));
  }
  await newFile.finish({ articles, lastId: articles, sums });
  newFile.rename();
  newFile.file.close();
  return path;
}

/** The same path of code with the disk's promises left out. */
export function withoutSync(inner: FileSystem): FileSystem {
  return {
    ...inner,
    open: (path, mode) => {
      const file = inner.open(path, mode);
      return { ...file, sync: async () => undefined, syncData: async () => undefined };
    },
    syncFolder: async () => undefined,
  };
}

/** Milliseconds. */
export async function timed(work: () => unknown): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

export function percentile(numbers: readonly number[], share: number): number {
  const sorted = [...numbers].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}
