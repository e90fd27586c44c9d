import type { FileSystem, OpenFile } from '../file-system/file-system.ts';
import { realFileSystem } from '../file-system/real-file-system.ts';
import { readArticleLine } from './format/article-line.ts';
import type { Range } from './format/head.ts';
import { COMMA, lineStart, noLineStart } from './format/line-bytes.ts';
import { crashIn } from './lock-text.ts';
import { lineNumbers } from './any-layout/byte-window.ts';
import { existingPath, requireWritable } from './open.ts';
import { openForReading, type Opened } from './recovery/recover.ts';
import type { Document } from './recovery/document.ts';
import { scanLines } from './recovery/load.ts';
import { salvaged, saysStore } from './salvage.ts';
import { type Hint, inShell, orUnusable, readable, UnusableStore } from '../unusable-store.ts';

/** What a file is found to be, nothing being changed. */
export type Check = {
  /**
   * `sound`: as the store wrote it. `usable`: it is opened, and what is named here is confirmed by
   * the next change. `read-only`: one of these, and an opening to change it is refused. `broken`: it
   * is refused, or an article in it is.
   */
  readonly verdict: 'sound' | 'usable' | 'read-only' | 'broken';
  /** Live articles, as far as they can be counted. */
  readonly articles: number;
  readonly problems: readonly Problem[];
};

export type Problem = {
  /** From 1; absent where the whole file is meant. */
  readonly line?: number;
  /** Bytes from the beginning of the file. */
  readonly offset?: number;
  /** Every id that `what` may name, as ranges: first and last. */
  readonly ids?: readonly Range[];
  readonly what: string;
  /** It is slow, not wrong. */
  readonly isAdvice?: true;
};

/** Reads a store file as an opening does, then from end to end, and names what is not as written. */
export function checkJsonFile(
  named: string,
  fileSystem: FileSystem = realFileSystem,
): Promise<Check> {
  return orUnusable(named, async () => {
    const path = existingPath(fileSystem, named);
    const crash = () => crashIn(fileSystem, path);
    const opened = await openForReading({ fileSystem, path, crash }).catch((error: unknown) =>
      refused(error, path, fileSystem),
    );
    if ('verdict' in opened) return opened;
    const { file, document } = opened;
    try {
      const articles = document.index.liveCount;
      const hindrances = await hindrancesTo(fileSystem, path);
      const { found, verdict } = judge(opened);
      const problems = located(file, [...found, ...highestId(document), ...hindrances]);
      const isReadable = verdict !== 'broken' && hindrances.length > 0;
      return { verdict: isReadable ? 'read-only' : verdict, articles, problems };
    } finally {
      file.close();
    }
  });
}

function judge({ file, document, recovery }: Opened) {
  if (recovery.kind !== 'trusted') return { found: recovery.findings, verdict: 'usable' } as const;
  const found = damagedLines(file, document);
  return { found, verdict: found.length === 0 ? 'sound' : 'broken' } as const;
}

/** Why the file would not be opened to be changed, whatever is in it. */
async function hindrancesTo(fileSystem: FileSystem, path: string): Promise<readonly Problem[]> {
  try {
    await orUnusable(path, async () => requireWritable(fileSystem, path), readable(path));
    return [];
  } catch (error) {
    if (!(error instanceof UnusableStore)) throw error;
    return [{ what: `${error.message} ${error.hint}` }];
  }
}

/**
 * The message of a refusal begins with path, line and column. What may not be read is not judged, nor is
 * a file in which there is nothing of a store: nothing could be repaired.
 */
function refused(error: unknown, path: string, fileSystem: FileSystem): Check {
  if (!(error instanceof UnusableStore) || error.code === 'forbidden') throw error;
  const file = fileSystem.open(path, 'read');
  try {
    if (!holdsNothing(file, path)) {
      const problem = { ...error.place, what: error.message };
      return { verdict: 'broken', articles: 0, problems: [problem] };
    }
    throw error.code === 'damaged' ? withoutRepair(error, path, saysStore(file)) : error;
  } finally {
    file.close();
  }
}

/** A file that does not say that it is a store may be dear to somebody. */
function withoutRepair({ message, place }: UnusableStore, path: string, isStore: boolean) {
  const hint: Hint = isStore
    ? `There is no article in it that can be read: put a copy in its place, or remove the file and run \`blogctl store init --store ${inShell(path)}\`.`
    : 'Nothing of a store of blogctl is in it: name another file, or put a copy of the store in its place.';
  return new UnusableStore('damaged', message, { hint, ...(place && { place }) });
}

function holdsNothing(file: OpenFile, path: string): boolean {
  try {
    salvaged(file, path);
    return false;
  } catch (error) {
    // Of a later version even what is broken is for that to judge.
    if (error instanceof UnusableStore && error.code !== 'foreign') return true;
    throw error;
  }
}

/** A line may have been damaged before its file was summed up. */
export function damagedLines(file: OpenFile, { bodyStart, end }: Document): Problem[] {
  const problems: Problem[] = [];
  scanLines(file, { from: bodyStart, to: end }, (bytes, start, lineEnd, offset) => {
    const from = bytes[start] === COMMA ? start + 1 : start;
    if (readArticleLine(bytes.subarray(from, lineEnd)) !== undefined) return;
    const { id } = lineStart(bytes, from, noLineStart());
    problems.push({ offset, what: `the checksum of article ${id} does not hold` });
  });
  return problems;
}

/** What counts up comes to an end where numbers are no longer exact. */
function* highestId({ index }: Document): Iterable<Problem> {
  if (Number.isSafeInteger(index.nextId)) return;
  const what = `article ${index.nextId - 1} has the highest id there is: no article can be added`;
  yield { what };
}

function located(file: OpenFile, problems: readonly Problem[]): readonly Problem[] {
  const lines = lineNumbers(file, problems);
  return problems.map(({ offset, ids, what }, at) => {
    const line = lines[at];
    const named = { ...(ids && { ids }), what };
    return line === undefined || offset === undefined ? named : { line, offset, ...named };
  });
}
