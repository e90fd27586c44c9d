import type { FileSystem, OpenFile } from '../files/file-system.ts';
import { realFileSystem } from '../files/real-file-system.ts';
import { readArticleLine } from '../format/article-line.ts';
import { lineStart, noLineStart } from '../format/line-start.ts';
import { existingPath } from '../open.ts';
import { orUnusable, UnusableStore } from '../unusable-store.ts';
import { EntryList } from '../recovery/entry-list.ts';
import { inspect } from '../recovery/inspect.ts';
import { positionOf } from '../any-layout/position.ts';
import { readAnyLayout } from '../any-layout/read-any-layout.ts';
import { scanLines } from '../recovery/scan-lines.ts';
import { findTornTail } from '../recovery/torn-tail.ts';

/** What a file is found to be, nothing being changed. */
export type Check = {
  /** `sound`: as the store wrote it. `usable`: the next opening mends it. `broken`: it is refused. */
  readonly verdict: 'sound' | 'usable' | 'broken';
  /** Live articles, as far as they can be counted. */
  readonly articles: number;
  readonly problems: readonly Problem[];
};

export type Problem = {
  /** From 1; absent where the whole file is meant. */
  readonly line?: number;
  /** Bytes from the beginning of the file. */
  readonly offset?: number;
  readonly what: string;
};

const COMMA = 0x2c;

/** Reads a store file from end to end and names what is not as it was written. */
export function checkJsonFile(
  path: string,
  fileSystem: FileSystem = realFileSystem,
): Promise<Check> {
  return orUnusable(path, async () => {
    const file = fileSystem.open(existingPath(fileSystem, path), 'read');
    try {
      return checked(file, path);
    } finally {
      file.close();
    }
  });
}

function checked(file: OpenFile, path: string): Check {
  try {
    const finding = inspect(file, path, 0);
    if (finding.kind === 'trusted') return checkSeals(file, finding.document);
    const lines = new EntryList();
    const evidence =
      finding.kind === 'torn-batch' ? { batchFrom: finding.from } : { bytesAtOpen: 0 };
    const tail =
      finding.kind === 'edited' ? undefined : findTornTail(file, { evidence, lines, now: 0 });
    if (tail === undefined) return checkByHand(file, path);
    const what = `${tail.rest.length} bytes from here on are no article and no commit record`;
    return {
      verdict: 'usable',
      articles: lines.liveCount(),
      problems: [problemAt(file, tail.cut, what)],
    };
  } catch (error) {
    if (!(error instanceof UnusableStore)) throw error;
    return { verdict: 'broken', articles: 0, problems: [problemOf(error)] };
  }
}

/** A bit may flip in a line after its file was last summed up. */
function checkSeals(file: OpenFile, { index, bodyStart, end }: Checked): Check {
  const problems: Problem[] = [];
  scanLines(file, { from: bodyStart, to: end }, (bytes, start, lineEnd, offset) => {
    const from = bytes[start] === COMMA ? start + 1 : start;
    if (readArticleLine(bytes.subarray(from, lineEnd)) !== undefined) return;
    const { id } = lineStart(bytes, from, noLineStart());
    problems.push(problemAt(file, offset, `the checksum of article ${id} does not hold`));
  });
  const verdict = problems.length === 0 ? 'sound' : 'broken';
  return { verdict, articles: index.liveCount, problems };
}

type Checked = {
  readonly index: { readonly liveCount: number };
  readonly bodyStart: number;
  readonly end: number;
};

function problemAt(file: OpenFile, offset: number, what: string): Problem {
  return { line: positionOf(file, offset).line, offset, what };
}

/** Another layout, or articles changed by hand: the next opening takes them over. */
function checkByHand(file: OpenFile, path: string): Check {
  const { entries } = readAnyLayout(file, path, 0);
  const problems: Problem[] = [];
  for (const { id, offset, length } of entries.newest()) {
    const bytes = Buffer.allocUnsafe(length);
    file.read(bytes, offset);
    if (readArticleLine(bytes) !== undefined) continue;
    problems.push(
      problemAt(file, offset, `article ${id} was changed by hand or stands in another layout`),
    );
  }
  if (problems.length === 0)
    problems.push({ what: 'the commit record is missing or of another text' });
  return { verdict: 'usable', articles: entries.liveCount(), problems };
}

/** The message begins with path, line and column. */
function problemOf(error: UnusableStore): Problem {
  return {
    ...(error.place === undefined ? {} : error.place),
    what: error.message,
  };
}
