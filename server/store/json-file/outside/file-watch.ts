import type { FileLock } from '../store-lock.ts';
import type { WriteQueue } from '../log/write-queue.ts';
import {
  changedOutside,
  outsideChangeInWords,
  type OpenDocument,
  type OutsideChange,
} from '../open-document.ts';
import { hasCode, type FileStat } from '../../file-system/file-system.ts';
import { copyWhole } from '../format/new-file.ts';
import { StoreError } from '../../store.ts';
import { describeRecovery } from '../recovery/findings.ts';
import { isSame, openForWriting, type Opened } from '../recovery/recover.ts';
import { UnusableStore } from '../../unusable-store.ts';
import { lossInWords, saveFrom, saveLost, stillLost, type Loss } from './lost-articles.ts';

export type WatchOptions = {
  readonly now: () => number;
  readonly report: (notice: string) => void;
  /** Another program's file is read and used, instead of being left alone. */
  readonly takesOver: boolean;
  /** Ends with the command that opened it: nobody restarts it. */
  readonly isBrief: boolean;
  /** Called when another file is open. */
  readonly reset: () => void;
  /** Called when others are found to write the file. */
  readonly disclaim: () => Promise<void>;
  readonly lock: Pick<FileLock, 'crash'>;
};

const POLL_MS = 1000;

/** Looks each second and before each batch for what other programs do to the file, and says it. */
export class FileWatch {
  /** Why nothing is written at present: the file was moved, or cannot be taken over yet. */
  refusal: StoreError | undefined;
  /** What was saved of the file that is open when another one was seen in its place. */
  saved: Loss | undefined;
  /** Of which file that was. */
  #savedFrom: FileStat | undefined;
  /** What files that were taken over had lost. */
  readonly #losses: Loss[] = [];
  readonly #document: OpenDocument;
  readonly #queue: WriteQueue;
  readonly #options: WatchOptions;
  readonly #timer: NodeJS.Timeout;
  /** Each thing is said once, not each second. */
  #said = '';

  constructor(document: OpenDocument, queue: WriteQueue, options: WatchOptions) {
    this.#document = document;
    this.#queue = queue;
    this.#options = options;
    this.#timer = setInterval(() => this.#look(), POLL_MS).unref();
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  /** What was acknowledged and is not in the file, because another program put it in place. */
  get loss(): string | undefined {
    const losses = this.#losses.map(({ lost, savedAs }) => {
      return { lost: stillLost(lost, this.#document), savedAs };
    });
    const words = losses.filter(({ lost }) => lost.length > 0).map((loss) => lossInWords(loss));
    if (words.length === 0) return undefined;
    return `${this.#document.path} was changed by another program. ${words.join(' ')}`;
  }

  /** To be called between batches, before the file is written; throws StoreError where it is not ours. */
  async requireOwn(): Promise<void> {
    const { path } = this.#document;
    const change = this.#document.outsideChange();
    if (change === undefined) {
      this.saved = undefined;
      this.refusal = undefined;
      return;
    }
    if (change === 'was removed') return (await this.restore()) ? undefined : this.requireOwn();
    // It may come back. A copy in its place would be a second blog.
    if (change === 'was moved') throw this.#refuseMeanwhile(outsideChangeInWords(path, change));
    if (change === 'was replaced' || change === 'was changed') await this.#options.disclaim();
    if (!this.#takesOver(change)) {
      const loss = await this.#save(change);
      this.#say([howToGoOn(path, change, this.#options.isBrief), ...loss].join(' '));
      throw changedOutside(path, change);
    }
    await this.#takeOver();
    const message = `${path} ${change} by another program and has been read again.`;
    throw new StoreError('changed-outside', message, { retryAfterSeconds: 1 });
  }

  /**
   * The file has lost its name but not its content: a copy gets the name. False where something else has
   * got it meanwhile.
   */
  async restore(): Promise<boolean> {
    const { fileSystem, path, file } = this.#document;
    try {
      this.#document.moveTo(await copyWhole(fileSystem, file, path));
    } catch (error) {
      if (hasCode(error, 'EEXIST')) return false;
      throw error;
    }
    this.#options.report(`${path} was removed by another program and has been put back.`);
    return true;
  }

  #takesOver(change: OutsideChange): boolean {
    return this.#options.takesOver && (change === 'was replaced' || change === 'was changed');
  }

  #look(): void {
    const change = this.#document.outsideChange();
    if (change === undefined || change === 'was removed') this.refusal = undefined;
    if (change === undefined) return;
    if (change === 'was removed') {
      const what = outsideChangeInWords(this.#document.path, change);
      this.#say(`${what} The next change, or the end of this run, puts it back.`);
      return;
    }
    if (change === 'was moved') {
      const what = outsideChangeInWords(this.#document.path, change);
      this.#refuseMeanwhile(what);
      this.#say(`${what} Changes are refused until it has its name again.`);
      return;
    }
    if (this.#queue.unavailableReason !== undefined) {
      this.#saveAgain(change);
      return;
    }
    const settled = this.#queue.between(() => this.requireOwn());
    settled.catch((error: unknown) => {
      const isTemporary = error instanceof StoreError && error.retryAfterSeconds !== undefined;
      if (!isTemporary) this.#queue.refuse(refusalOf(error));
    });
  }

  /**
   * Whoever is killed now must not take with it what was acknowledged: it is saved as soon as another
   * file is seen, and once. Answers what is lost, in words.
   */
  async #save(change: OutsideChange): Promise<readonly string[]> {
    if (change !== 'was replaced' && change !== 'was changed') return [];
    const { now } = this.#options;
    this.#savedFrom = this.#there();
    const saving = { now: now(), before: this.saved, tellsUnsaved: true };
    const loss = await saveFrom(this.#document, async () => this.#open(), saving);
    if (loss.lost.length === 0) return [];
    if (loss.savedAs !== this.saved?.savedAs) this.saved = loss;
    return [lossInWords(loss)];
  }

  #open(): Opened {
    const { fileSystem, path } = this.#document;
    return openForWriting({ fileSystem, path, crash: () => this.#options.lock.crash });
  }

  #there(): FileStat | undefined {
    return this.#document.fileSystem.stat(this.#document.path);
  }

  /** A file that nothing more is written to may be replaced, too, and again. */
  #saveAgain(change: OutsideChange): void {
    const there = this.#there();
    if (there === undefined || (this.#savedFrom && isSame(there, this.#savedFrom))) return;
    const saving = this.#queue.between(() => this.#save(change));
    saving.then(
      ([loss]) => loss !== undefined && this.#say(loss),
      (error: unknown) => this.#say(String(error)),
    );
  }

  /** Throws StoreError where the new file cannot be used; the old one stays open then. */
  async #takeOver(): Promise<void> {
    const { path } = this.#document;
    const { now, report, reset } = this.#options;
    try {
      const opened = this.#open();
      const loss = await saveLost(this.#document, opened, {
        now: now(),
        before: this.saved,
        takesEdits: true,
      });
      opened.document.index.noIdBelow(this.#document.index.nextId - 1);
      this.#document.replace(opened);
      this.refusal = undefined;
      this.saved = undefined;
      this.#said = '';
      report(`${path} was changed by another program and has been read again.`);
      if (loss.lost.length > 0) {
        this.#losses.push(loss);
        report(lossInWords(loss));
      }
      for (const sentence of describeRecovery(opened.file, path, opened.recovery)) report(sentence);
      reset();
    } catch (error) {
      if (!(error instanceof UnusableStore)) throw error;
      const loss = await this.#save('was changed');
      const refused = `${error.message} ${error.hint} Changes are refused until the file can be read.`;
      this.#say([refused, ...loss].join(' '));
      throw this.#refuseMeanwhile(
        `${path} was changed by another program and cannot be read: ${error.message}`,
      );
    }
  }

  #refuseMeanwhile(message: string): StoreError {
    this.refusal = new StoreError('changed-outside', message, { retryAfterSeconds: 1 });
    return this.refusal;
  }

  #say(what: string): void {
    if (this.#said !== what) this.#options.report(what);
    this.#said = what;
  }
}

function howToGoOn(path: string, change: OutsideChange, isBrief: boolean): string {
  const what = outsideChangeInWords(path, change);
  if (change === 'lost its lock') return `${what} This process changes nothing more: end it.`;
  if (isBrief) return `${what} This command changes nothing more.`;
  return change === 'lost its link'
    ? `${what} Changes are refused from now on. A restart takes the file that it leads to.`
    : `${what} Changes are refused from now on. A restart takes the file as it is; with --watch such changes are taken over.`;
}

function refusalOf(error: unknown): StoreError {
  if (error instanceof StoreError) return error;
  const message = 'The changed file could not be taken over.';
  return new StoreError('degraded', message, { cause: error });
}
