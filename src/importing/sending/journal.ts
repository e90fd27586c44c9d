import {
  appendFileSync,
  closeSync,
  constants,
  fstatSync,
  mkdirSync,
  openSync,
  rmSync,
} from 'node:fs';
import { dirname } from 'node:path';

import type { BlogctlError } from '../../errors.ts';
import {
  textDigest,
  keyFingerprint,
  recordFingerprint,
  type FingerprintCounts,
} from '../sources/identity.ts';
import {
  isNewerThan,
  placeFingerprint,
  readHead,
  unwritable,
  type Answered,
  type Ended,
  type JournalLine,
  type Run,
} from '../runs/journal-lines.ts';
import {
  emptyMemory,
  idsBetween,
  lastAddress,
  readMemory,
  remember,
  type Memory,
} from '../runs/memory.ts';
import type { KeyedRecord } from '../sources/keyed-entries.ts';
import { PRIVATE_FILE, PRIVATE_FOLDER } from '../../files.ts';
import { keepJournal } from '../runs/runs.ts';

export type Stored = { readonly title: string; readonly content?: string; readonly url: string };

/** What an interrupted import knew: which records were answered, and with which text. */
export type Journal = {
  /** As it was first started. */
  readonly run: Run;
  /** `changed`: it was answered with another text than it has now. */
  state(record: KeyedRecord): 'unknown' | 'answered' | 'changed';
  /** Texts of the articles that answers named, as the blog stored them. */
  readonly stored: FingerprintCounts;
  /** Digests of the texts that were sent and never answered, when it was opened, by the keys of records. */
  readonly unanswered: ReadonlyMap<string, string>;
  /** Whether an answer named this article, when it was opened. */
  accountsFor(url: string): boolean;
  /** Notes what is about to be sent where only the listing will tell what became of it. */
  sending(record: KeyedRecord): void;
  /** What was noted was not done. */
  refused(record: KeyedRecord): void;
  /** The listing has the article of a record that was sent and never answered. */
  found(
    key: string,
    sent: string,
    article: { readonly url: string; readonly digest: string },
  ): void;
  /** How many records were answered. */
  readonly answers: number;
  /** A few of the answers, to see whether this is still the blog that gave them. */
  readonly sample: readonly Answered[];
  addressOf(record: KeyedRecord): Promise<string | undefined>;
  /** A line that cannot be written costs one request more, never an article. */
  answered(record: KeyedRecord, article: Stored, kind: 'created' | 'replayed'): void;
  /** The article of a record is there, as its answer said before. */
  metAgain(record: KeyedRecord): void;
  /** Why it lacks answers that it was told. */
  readonly failure: BlogctlError | undefined;
  /**
   * Ends the run that was interrupted, and begins another that knows nothing of it; on the same blog what
   * was under way then is of the new one.
   */
  restart(isSameBlog?: boolean): Promise<void>;
  close(): void;
  /**
   * The import is whole: there is nothing to resume. What it created is kept as the record of a run
   * that has ended, so that it can be undone; where it lacks something, as one that was interrupted.
   */
  end(counts: Ended['counts']): void;
};

export type JournalUse = {
  /** The file, which must be there, stays as it is. */
  readonly readOnly?: boolean;
  /** What was created is kept at the end. */
  readonly keeps?: boolean;
  /** Whether another run has created the article at this address with a text of this digest. */
  readonly isOfOthers?: (url: string, digest: string) => boolean;
};

/** As `a+`, and never through a link that somebody laid. */
const { O_RDWR, O_CREAT, O_APPEND, O_NOFOLLOW } = constants;
const APPENDING = O_RDWR | O_CREAT | O_APPEND | O_NOFOLLOW;

/**
 * Opens the journal of an import, a file of lines that only grows and begins with what it is: the run
 * that was interrupted, else one that `begin` makes.
 */
export async function openJournal(
  path: string,
  begin: () => Promise<Run>,
  { readOnly = false, keeps = false, isOfOthers = () => false }: JournalUse = {},
): Promise<Journal> {
  mkdirSync(dirname(path), { recursive: true, mode: PRIVATE_FOLDER });
  const file = openSync(path, readOnly ? 'r' : APPENDING, PRIVATE_FILE);
  const memory = await readMemory(path);
  // Ends a line that a kill has cut off, so that the next one stands alone.
  if (!readOnly && fstatSync(file).size > 0) appendFileSync(file, '\n');
  const known = await readHead(path);
  const run = known ?? (await begin());
  if (!readOnly && known === undefined) appendFileSync(file, textOf({ run }));
  return createJournal({ path, file, run, begin, readOnly, keeps, isOfOthers }, memory);
}

/** Each answer is a write of its own: the kernel has it when the call returns, whatever is killed then. */
function createJournal(
  opened: Required<JournalUse> & {
    path: string;
    file: number;
    run: Run;
    begin: () => Promise<Run>;
  },
  known: Memory,
): Journal {
  const { path, begin, readOnly, keeps, isOfOthers } = opened;
  let { file, run } = opened;
  let memory = known;
  let failure: BlogctlError | undefined;
  const append = (text: string) => {
    if (readOnly) return;
    try {
      appendFileSync(file, text);
    } catch (error) {
      failure ??= unwritable(path, error);
    }
  };
  let creations = known.created.size;
  /** Records of the last leg that are already there, as this run has created them. */
  let again = 0;

  /**
   * What an earlier leg of the run created is already there for the last one, unless it had no such record any
   * more: then there were as many more.
   */
  function ofAllLegs(counts: Ended['counts']): Ended['counts'] {
    const { records, replayed, created = 0 } = counts;
    const total = records !== undefined && { records: records - created - again + creations };
    const others = replayed !== undefined && { replayed: replayed - again };
    return { ...counts, ...total, created: creations, ...others };
  }

  /** What it created is kept by its id: the next import of the same source has this name. */
  function end(counts: Ended['counts']): void {
    const isKept = keeps && creations > 0;
    if (isKept) append(textOf({ ended: new Date().toISOString(), counts: ofAllLegs(counts) }));
    closeSync(file);
    if (readOnly) return;
    if (isKept && failure === undefined) keepJournal(path, run.id);
    else if (!isKept) rmSync(path, { force: true });
  }

  const journal: Journal = {
    get run() {
      return run;
    },
    state(record) {
      if (memory.keys.size === 0) return 'unknown';
      if (memory.records.of(recordFingerprint(record.key, record.digest)) > 0) return 'answered';
      return memory.keys.of(keyFingerprint(record.key)) > 0 ? 'changed' : 'unknown';
    },
    get stored() {
      return memory.stored;
    },
    get answers() {
      return memory.keys.size;
    },
    get sample() {
      return memory.sample;
    },
    addressOf: ({ key }) => lastAddress(path, key),
    get unanswered() {
      return memory.unanswered;
    },
    accountsFor: (url) => memory.places.of(placeFingerprint(url)) > 0,
    sending({ key, digest }) {
      append(textOf({ sending: key, digest: digest.slice(0, 32) }));
    },
    refused: ({ key }) => append(textOf({ refused: key })),
    found(key, sent, { url, digest }) {
      const line = { answered: key, sent: sent.slice(0, 16), stored: digest.slice(0, 32), url };
      remember(memory, { ...line, created: true });
      creations += 1;
      append(textOf({ ...line, created: true }));
    },
    answered(record, article, kind) {
      const state = journal.state(record);
      if (state === 'answered') return journal.metAgain(record);
      // There by its key, and not before this run: the answer that said so was lost, or not noted.
      const isLost = state === 'unknown' && isNewerThan(run, article.url);
      const isOwn = kind === 'created' || (isLost && !isOfOthers(article.url, textDigest(article)));
      if (isOwn) creations += 1;
      if (isOwn && kind !== 'created') again += 1;
      append(lineOf(record, article, isOwn ? 'created' : kind));
    },
    metAgain({ key, digest }) {
      if (memory.created.of(recordFingerprint(key, digest)) > 0) again += 1;
    },
    get failure() {
      return failure;
    },
    async restart(isSameBlog = false) {
      const { places } = memory;
      const { newest, since = newest } = run;
      memory = isSameBlog ? { ...emptyMemory(), places } : emptyMemory();
      if (readOnly) {
        if (!isSameBlog) run = { ...run, since: Infinity };
        return;
      }
      end({ created: creations });
      [creations, again] = [0, 0];
      run = await begin();
      const open = idsBetween(newest, run.newest, places);
      if (isSameBlog) run = { ...run, open, ...(since !== undefined && { since }) };
      file = openSync(path, APPENDING, PRIVATE_FILE);
      append(textOf({ run }));
    },
    close: () => closeSync(file),
    end,
  };
  return journal;
}

function lineOf(...[record, article, kind]: Parameters<Journal['answered']>): string {
  const sent = record.digest.slice(0, 16);
  const isSame = article.title === record.title && article.content === record.content;
  const stored = (isSame ? record.digest : textDigest(article)).slice(0, 32);
  const created = kind === 'created' && ({ created: true } as const);
  return textOf({ answered: record.key, sent, stored, url: article.url, ...created });
}

function textOf(line: JournalLine): string {
  return `${JSON.stringify(line)}\n`;
}
