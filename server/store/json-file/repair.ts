import { type FileSystem, hasCode, type OpenFile } from '../file-system/file-system.ts';
import { realFileSystem } from '../file-system/real-file-system.ts';
import { crashIn } from './lock-text.ts';
import { existingPath } from './open.ts';
import { refuseHeld } from './store-lock.ts';
import { isFull, isRefusal, orUnusable, refused, UnusableStore } from '../unusable-store.ts';
import type { Range } from './format/head.ts';
import { copyWhole } from './format/new-file.ts';
import { lineNumbers } from './any-layout/byte-window.ts';
import { damagedLines } from './check.ts';
import { changedMsOf, readStore, type Reading } from './recovery/read-store.ts';
import { salvaged, type Salvaged } from './salvage.ts';
import { unreadIn, withoutIdsOf } from './recovery/torn-tail.ts';
import { droppedBy, openForReading, rewrite } from './recovery/recover.ts';

export type Repair = {
  /** The new file; the old one is as it was. */
  readonly savedAs: string;
  readonly articles: number;
  /** Stretches of the file that are no article any more. */
  readonly lost: readonly {
    readonly line: number;
    readonly offset: number;
    readonly bytes: number;
    /** The article that it names, where it begins as the line of one. */
    readonly id?: number;
  }[];
  /** Articles that are saved although no checksum vouches for their text. */
  readonly unverified: readonly number[];
  /** Everything else that is not as it was, in words. */
  readonly problems: readonly {
    readonly line?: number;
    /** Every id that `what` may name, as ranges: first and last. */
    readonly ids?: readonly Range[];
    readonly what: string;
    /** Nothing is lost or doubtful by it. */
    readonly isHarmless?: true;
  }[];
  /** What the file said of its blogs could not be read: they have made-up titles. */
  readonly newBlogs: boolean;
};

/**
 * Writes what can be saved of a broken store file into a new one, which opens. Throws
 * UnusableStore, also where there is nothing to save, and StoreHeld for a target that was removed under its server.
 */
export function repairJsonFile(
  path: string,
  target: string,
  fileSystem: FileSystem = realFileSystem,
): Promise<Repair> {
  return orUnusable(path, async () => {
    if (fileSystem.stat(target) !== undefined) throw inTheWay(target);
    await refuseHeld(fileSystem, target);
    const file = fileSystem.open(existingPath(fileSystem, path), 'read');
    try {
      return await repaired({ fileSystem, file, path, target });
    } catch (error) {
      if (hasCode(error, 'EEXIST')) throw inTheWay(target);
      // The file itself is open.
      const isOfTarget = isFull(error) || hasCode(error, 'EACCES', 'EPERM', 'EROFS');
      throw isOfTarget && isRefusal(error) ? refused(target, error, elsewhere) : error;
    } finally {
      file.close();
    }
  });
}

const elsewhere = { denied: ', or name a file in another folder with --to' };

function inTheWay(target: string): UnusableStore {
  return new UnusableStore('exists', `${target} exists already. Nothing was changed.`, {
    hint: 'Name another file for what is saved.',
  });
}

type Repairing = {
  readonly fileSystem: FileSystem;
  readonly file: OpenFile;
  readonly path: string;
  readonly target: string;
};

async function repaired(repairing: Repairing): Promise<Repair> {
  const { fileSystem, file, path, target } = repairing;
  const found = opened(repairing) ?? salvaged(file, path);
  const { parsed, findings, lost, unverified, newBlogs } = found;
  if (parsed === undefined) (await copyWhole(fileSystem, file, target)).close();
  else {
    const changedMs = changedMsOf(file);
    await rewrite({ fileSystem, path: target, file, changedMs, isNew: true }, parsed);
  }
  const articles = await requireTrusted(fileSystem, target);
  const lines = lineNumbers(file, [...lost, ...findings]);
  return {
    savedAs: target,
    articles,
    lost: lost.map((gap, at) => ({ line: lines[at] ?? 1, ...gap })),
    unverified,
    problems: findings.map(({ ids, what, isHarmless = false }, at) => {
      const line = lines[lost.length + at];
      const named = { ...(ids && { ids }), what, ...(isHarmless && { isHarmless }) };
      return line === undefined ? named : { line, ...named };
    }),
    newBlogs,
  };
}

/** What an opening takes is saved as it shows it; undefined where it refuses the file. */
function opened({ fileSystem, file, path }: Repairing): Salvaged | undefined {
  const crash = () => crashIn(fileSystem, path);
  const reading = attempted(() => readStore({ file, path, crash }));
  if (reading === undefined) return undefined;
  const { parsed, recovery, document } = reading;
  if (parsed === undefined && damagedLines(file, document).length > 0) return undefined;
  const { cutBytes, edited, findings } = recovery;
  const { mending } = document.unconfirmed ?? {};
  const dropped = cutBytes === 0 || mending === undefined ? [] : droppedBy(mending);
  const gaps = dropped.map(({ offset, length }) => ({ offset, bytes: length }));
  const unread = gaps.flatMap((gap) => unreadIn(file, gap));
  return {
    parsed: parsed && withoutIdsOf(unread, parsed),
    findings,
    lost: unread.map((one) => one.lost),
    unverified: edited,
    newBlogs: false,
  };
}

function attempted(read: () => Reading): Reading | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof UnusableStore) return undefined;
    throw error;
  }
}

async function requireTrusted(fileSystem: FileSystem, target: string): Promise<number> {
  const { file, document, recovery } = await openForReading({
    fileSystem,
    path: target,
  });
  file.close();
  if (recovery.kind === 'trusted') return document.index.liveCount;
  throw new UnusableStore('damaged', `${target} does not read as it was just written.`, {
    hint: 'Check the disk.',
  });
}
