import type { Compactor } from '../log/compactor.ts';
import type { WriteQueue } from '../log/write-queue.ts';
import type { StoreError } from '../../store.ts';
import type { FileLock } from '../store-lock.ts';
import {
  changedOutside,
  outsideChangeInWords,
  type OpenDocument,
  type OutsideChange,
} from '../open-document.ts';
import { mend, openForReading } from '../recovery/recover.ts';
import type { FileWatch } from './file-watch.ts';
import { lossInWords, saveFrom } from './lost-articles.ts';

export type OwnFileParts = {
  readonly document: OpenDocument;
  readonly lock: FileLock | undefined;
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

/**
 * The file as this process has it: ours, as the store writes it, and with a crash provided for
 * before it is written; left clean, or with what others did to it told, at the end.
 */
export class OwnFile {
  readonly #parts: OwnFileParts;
  /** Something was written, or would have been; until then the file stays as it is, to the byte. */
  #touched = false;
  /** Where the lock file says that a crash can have torn the file; nowhere yet. */
  #markedFrom = Number.POSITIVE_INFINITY;
  #isTold = false;

  constructor(parts: OwnFileParts) {
    this.#parts = parts;
  }

  /** Another file is open. */
  reset(): void {
    this.#markedFrom = Number.POSITIVE_INFINITY;
  }

  /** Why a disk refuses is for the log, once: clients hear of no file. What others did has been said. */
  tellRefused(reason: StoreError | undefined): void {
    const { document, report } = this.#parts;
    const why = this.#isTold ? undefined : rootOf(reason);
    if (why === undefined) return;
    this.#isTold = true;
    report(`${document.path} takes no more changes: ${why}. See to that, and open it again.`);
  }

  /** Others write the file, and nothing of ours is under way: what is broken in it no crash has torn. */
  async disclaim(): Promise<void> {
    const { document, lock } = this.#parts;
    if (document.unconfirmed !== undefined) return;
    this.reset();
    await lock?.withdraw().catch(() => undefined);
  }

  async beforeBatch(): Promise<void> {
    do await this.settle();
    // To mark takes two syncs, in which others may have written.
    while (await this.#markWriting(this.#parts.document.end));
  }

  /** Makes the file what it is shown as, where it is not as the store wrote it. */
  async settle(): Promise<void> {
    await this.#parts.watch?.requireOwn();
    this.#touched = true;
    const { document, now, report } = this.#parts;
    const { fileSystem, path, file, unconfirmed } = document;
    if (unconfirmed === undefined) return;
    const { mending } = unconfirmed;
    if (mending.kind === 'cut') await this.#markWriting(mending.tail.cut);
    const requireSame = () => {
      const change = document.outsideChange();
      if (change !== undefined) throw changedOutside(path, change);
    };
    const mended = await mend({ fileSystem, path, file, unconfirmed, now: now(), requireSame });
    document.replace(mended);
    this.reset();
    if (mended.savedAs !== undefined) {
      report(`${path}: what was left out is kept in ${mended.savedAs}.`);
    }
  }

  /** The last words on the file; one that was only read stays as it is. */
  async leave(): Promise<Left> {
    const { document, lock, watch, report } = this.#parts;
    let isOurs = false;
    try {
      const change = document.outsideChange();
      isOurs = change === undefined;
      if (lock === undefined) return { clean: true, loss: this.#lossOfReader(change) };
      if (change === 'was removed') {
        if ((await watch?.restore()) === false) return await this.leave();
      } else if (change !== undefined) return await this.#leaveToOthers(change);
      if (this.#touched) return await this.#tidy();
      return { clean: lock.crash === undefined, loss: watch?.loss };
    } catch (error) {
      const what = `${document.path} could not be closed cleanly: ${String(error)}.`;
      report(what);
      return { clean: false, loss: isOurs ? watch?.loss : what };
    }
  }

  async #tidy(): Promise<Left> {
    const { document, queue, compactor, watch } = this.#parts;
    const loss = watch?.loss;
    if (queue.refused !== undefined) return { clean: false, loss };
    await compactor.atEnd();
    // That takes long.
    if (document.outsideChange() !== undefined) return this.leave();
    if (document.footerNamesBatch) await document.writeCleanFooter();
    return { clean: true, loss };
  }

  /** Whoever only reads acknowledges nothing and writes nothing, but had the last copy. */
  #lossOfReader(change: OutsideChange | undefined): string | undefined {
    const { document } = this.#parts;
    if (change !== 'was removed' || document.isWhole) return undefined;
    return `${outsideChangeInWords(document.path, change)} It was only read, so it was not put back.`;
  }

  /**
   * The evidence for the next opening: compaction moves the place from which a crash can tear. False
   * where there was such evidence.
   */
  async #markWriting(end: number): Promise<boolean> {
    if (end >= this.#markedFrom) return false;
    await this.#parts.lock?.markWriting(end);
    this.#markedFrom = end;
    return true;
  }

  /** Others wrote the file: what it lost of acknowledged articles is saved and told. */
  async #leaveToOthers(change: OutsideChange): Promise<Left> {
    const { document, lock, queue, watch, now, report } = this.#parts;
    const { fileSystem, path, name } = document;
    const isLink = change === 'lost its link';
    // Where it leads to now, nothing of ours is missing.
    if (isLink && !this.#touched) return { clean: lock?.crash === undefined, loss: watch?.loss };
    const isThere = fileSystem.stat(path) !== undefined;
    if (!isThere && document.isWhole) {
      const moved = `${path} is not there any more: it was moved, with everything acknowledged in it.`;
      return { clean: false, loss: moved };
    }
    const { failure = 'changed-outside' } = queue.refused ?? {};
    const isWritten = change === 'was replaced' || change === 'was changed';
    if (isWritten && failure === 'changed-outside') await this.disclaim();
    const before = watch?.saved;
    const saving = { now: now(), before, tellsUnsaved: true, savedAs: isLink ? path : undefined };
    const read = () => openForReading({ fileSystem, path: name, crash: () => lock?.crash });
    const loss = await saveFrom(document, read, saving);
    const unknown = isThere ? loss.unknown : 'unseen';
    const gone = isThere ? 'could not be looked at' : 'is not there any more';
    const isUnseen = unknown === 'unseen' && !isLink;
    const what = isUnseen ? `${path} ${gone}.` : outsideChangeInWords(path, change);
    if (loss.lost.length > 0) {
      return { clean: false, loss: `${what} ${lossInWords({ ...loss, unknown })}` };
    }
    report(`${what} Everything acknowledged is in it.`);
    return { clean: false, loss: watch?.loss };
  }
}

/** What the first of all causes says. */
function rootOf(error: Error | undefined): string | undefined {
  const cause = error?.cause;
  return cause instanceof Error ? (rootOf(cause) ?? cause.message) : undefined;
}
