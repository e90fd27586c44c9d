import type { Compactor } from '../compaction/compactor.ts';
import type { WriteQueue } from '../commit/write-queue.ts';
import type { Hold } from '../lock/hold.ts';
import { outsideChangeInWords, type OpenDocument, type OutsideChange } from '../open-document.ts';
import { openForReading } from '../recovery/recover.ts';
import type { FileWatch } from './file-watch.ts';
import { lossInWords, saveLost } from './lost-articles.ts';

export type Leaving = {
  readonly document: OpenDocument;
  readonly hold: Hold | undefined;
  /** Something was written, or would have been. */
  readonly touched: boolean;
  readonly queue: WriteQueue;
  readonly compactor: Compactor;
  readonly watch: FileWatch | undefined;
  readonly now: () => number;
  readonly report: (notice: string) => void;
};

export type Left = {
  /** False where the next opening must look closely. */
  readonly clean: boolean;
  /** Why something that was acknowledged is not in the file. */
  readonly loss?: string | undefined;
};

/** The last words on a file; one that was only read stays as it is. */
export async function leaveFile(leaving: Leaving): Promise<Left> {
  const { document, hold, touched, queue, compactor, watch, report } = leaving;
  if (!touched) return { clean: hold?.crash === undefined, loss: watch?.loss };
  const change = document.outsideChange();
  try {
    if (change === 'was removed') await watch?.putBack();
    else if (change !== undefined) return await leftToOthers(leaving, change);
    const loss = watch?.loss;
    if (queue.refused !== undefined) return { clean: false, loss };
    await compactor.atEnd();
    if (document.footerNamesBatch) await document.leaveClean();
    return { clean: true, loss };
  } catch (error) {
    const what = `${document.path} could not be closed cleanly: ${String(error)}.`;
    report(what);
    return { clean: false, loss: change === undefined ? watch?.loss : what };
  }
}

/** Others wrote the file: what it lost of acknowledged articles is saved and told. */
async function leftToOthers(
  { document, watch, now, report }: Leaving,
  change: OutsideChange,
): Promise<Left> {
  const { fileSystem, path } = document;
  const theirs = await openForReading({ fileSystem, path, crash: undefined }).catch(unreadable);
  const loss = await saveLost(document, theirs, now());
  theirs?.file.close();
  const what = outsideChangeInWords(path, change);
  if (loss.lost.length > 0) return { clean: false, loss: `${what} ${lossInWords(loss)}` };
  report(`${what} Everything acknowledged is in it.`);
  return { clean: false, loss: watch?.loss };
}

/** A file that is gone, or no store any more, has none of the articles. */
function unreadable(): undefined {
  return undefined;
}
