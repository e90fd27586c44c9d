import type { Hold } from './lock/hold.ts';
import { changedOutside, type OpenDocument } from './open-document.ts';
import type { FileWatch } from './outside/file-watch.ts';
import { mend } from './recovery/recover.ts';

export type BeforeWritingParts = {
  readonly document: OpenDocument;
  readonly hold: Hold | undefined;
  readonly watch: FileWatch | undefined;
  readonly now: () => number;
  readonly report: (notice: string) => void;
};

/** What has to be so before the file is written: it is ours, as the store writes it, and a crash is known of. */
export class BeforeWriting {
  /** Until then the file stays as it is, to the byte. */
  touched = false;
  readonly #parts: BeforeWritingParts;
  /** Where the lock file says that a crash can have torn the file; nowhere yet. */
  #armedFrom = Number.POSITIVE_INFINITY;

  constructor(parts: BeforeWritingParts) {
    this.#parts = parts;
  }

  /** Another file is open. */
  startOver(): void {
    this.#armedFrom = Number.POSITIVE_INFINITY;
  }

  async batch(): Promise<void> {
    await this.settle();
    await this.#arm(this.#parts.document.end);
  }

  /** Makes the file what it is shown as, where it is not as the store wrote it. */
  async settle(): Promise<void> {
    await this.#parts.watch?.settle();
    await this.#mend();
  }

  /** The evidence for the next opening: compaction moves the place from which a crash can tear. */
  async #arm(end: number): Promise<void> {
    if (end >= this.#armedFrom) return;
    await this.#parts.hold?.arm(end);
    this.#armedFrom = end;
  }

  async #mend(): Promise<void> {
    this.touched = true;
    const { document, now, report } = this.#parts;
    const { fileSystem, path, file, unconfirmed } = document;
    if (unconfirmed === undefined) return;
    const { mending } = unconfirmed;
    if (mending.kind === 'cut') await this.#arm(mending.tail.cut);
    const requireSame = () => {
      const change = document.outsideChange();
      if (change !== undefined) throw changedOutside(path, change);
    };
    const mended = await mend({ fileSystem, path, file, unconfirmed, now: now(), requireSame });
    document.replace(mended.file, mended.document);
    this.startOver();
    if (mended.savedAs !== undefined) {
      report(`${path}: what was left out is kept in ${mended.savedAs}.`);
    }
  }
}
