import { setTimeout as pause } from 'node:timers/promises';
import type { FileSystem, OpenFile } from '../files/file-system.ts';
import { saveAside } from '../files/save-aside.ts';
import { writeFully } from '../files/write-fully.ts';
import { footerText } from '../format/footer.ts';
import { endBeforeSpaces } from '../format/trailing-space.ts';
import { UnusableStore } from '../unusable-store.ts';
import type { Document } from './document.ts';
import { EntryList } from './entry-list.ts';
import { inspect, type Finding } from './inspect.ts';
import { readAnyLayout } from '../any-layout/read-any-layout.ts';
import { rewrite } from './rewrite.ts';
import { findTornTail, isFooterPiece, salvage, type Evidence, type TornTail } from './torn-tail.ts';

/** What an opening found and did. */
export type Recovery = {
  readonly kind:
    | 'trusted'
    /** Every line was there, the commit record was not. */
    | 'footer-repaired'
    /** A crash left half a batch: what was never acknowledged was cut off and saved aside. */
    | 'torn-tail'
    /** Somebody changed articles by hand, or wrote them in another layout. */
    | 'edited'
    | 'reformatted';
  /** Articles changed by hand: they got a new version. */
  readonly edited: readonly number[];
  readonly cutBytes: number;
  /** Where the bytes cut off are. */
  readonly savedAs?: string;
  /** Whole lines found behind the cut and kept. */
  readonly salvaged: number;
};

export type Recovering = {
  readonly fileSystem: FileSystem;
  readonly path: string;
  /** Left by a holder that died after it began to write. */
  readonly crash: { readonly bytesAtOpen: number } | undefined;
  readonly now: number;
};

export type Recovered = {
  readonly file: OpenFile;
  readonly document: Document;
  readonly recovery: Recovery;
};

const UNTOUCHED: Recovery = { kind: 'trusted', edited: [], cutBytes: 0, salvaged: 0 };

/**
 * Opens a store file and mends what a crash or a person did to it. What cannot be decided is
 * refused (UnusableStore) and left as it is. What was mended is read again and must be trusted.
 */
export async function recover(recovering: Recovering): Promise<Recovered> {
  const { fileSystem, path, now } = recovering;
  let recovery = UNTOUCHED;
  for (let mended = false; ; mended = true) {
    const file = fileSystem.open(path, 'update');
    try {
      const finding = inspect(file, path, now);
      if (finding.kind === 'trusted') {
        cutSpaces(file);
        return { file, document: finding.document, recovery };
      }
      if (mended) throw notMended(path);
      recovery = await mend(recovering, file, finding);
    } catch (error) {
      file.close();
      throw error;
    }
    file.close();
  }
}

/** A crash between making room for a batch and writing it; nothing hangs on their absence. */
function cutSpaces(file: OpenFile): void {
  const end = endBeforeSpaces(file);
  if (end < file.stat().size) file.truncate(end);
}

const GLANCES = 5;
const PAUSE_MS = 20;

/**
 * Opens a store file without touching it; another process may be writing it, so a commit record
 * may be half there for a moment. A file that needs mending is refused.
 */
export async function openUntouched(recovering: Recovering): Promise<Recovered> {
  const { fileSystem, path, now } = recovering;
  for (let glance = 1; ; glance += 1) {
    const file = fileSystem.open(path, 'read');
    const finding = inspect(file, path, now);
    if (finding.kind === 'trusted')
      return { file, document: finding.document, recovery: UNTOUCHED };
    file.close();
    if (glance === GLANCES) throw needsMending(path);
    await pause(PAUSE_MS);
  }
}

function needsMending(path: string): UnusableStore {
  return new UnusableStore('damaged', `${path} was not closed cleanly or was changed by hand.`, {
    hint: 'Open it once for writing, or run `blogctl store check`.',
  });
}

function notMended(path: string): UnusableStore {
  return new UnusableStore('damaged', `${path} does not read as it was just written.`, {
    hint: 'Check the disk; `blogctl store check` tells more.',
  });
}

async function mend(recovering: Recovering, file: OpenFile, finding: Finding): Promise<Recovery> {
  const { crash, now, path } = recovering;
  if (finding.kind !== 'edited') {
    const evidence = finding.kind === 'torn-batch' ? { batchFrom: finding.from } : { ...crash };
    const tail = tornTail(file, evidence, now);
    if (tail !== undefined) return mendTail(recovering, file, tail);
  }
  const edited = await rewrite({ ...recovering, file }, readAnyLayout(file, path, now));
  return { ...UNTOUCHED, kind: edited.length > 0 ? 'edited' : 'reformatted', edited };
}

function tornTail(file: OpenFile, evidence: Evidence, now: number): TornTail | undefined {
  return findTornTail(file, { evidence, lines: new EntryList(), now });
}

async function mendTail(recovering: Recovering, file: OpenFile, tail: TornTail): Promise<Recovery> {
  const onlyFooter = isFooterPiece(tail.rest) || tail.rest.length === 0;
  const savedAs = onlyFooter ? undefined : await aside(recovering, tail.rest);
  const salvaged = salvage(tail);
  if (salvaged > 0) {
    const readout = { head: tail.start.head, entries: tail.lines };
    await rewrite({ ...recovering, file }, readout);
  } else {
    await cutOff(file, tail);
  }
  const mended = { ...UNTOUCHED, salvaged, cutBytes: onlyFooter ? 0 : tail.rest.length };
  return savedAs === undefined
    ? { ...mended, kind: 'footer-repaired' }
    : { ...mended, kind: 'torn-tail', savedAs };
}

function aside({ fileSystem, path, now }: Recovering, bytes: Buffer): Promise<string> {
  return saveAside(fileSystem, path, { bytes, reason: 'torn', now });
}

/** In two steps, never in one: a footer over torn bytes could be torn itself and mean anything. */
async function cutOff(file: OpenFile, tail: TornTail): Promise<void> {
  file.truncate(tail.cut);
  await file.sync();
  const articles = tail.lines.liveCount();
  const { cut: end, checksum } = tail;
  const footer = { articles, bytes: end, checksum, from: end, fromChecksum: checksum };
  await writeFully(file, Buffer.from(footerText(footer)), end);
  await file.sync();
}
