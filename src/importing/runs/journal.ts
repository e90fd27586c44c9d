import {
  appendFileSync,
  closeSync,
  constants,
  copyFileSync,
  fstatSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  rmSync,
} from 'node:fs';
import { dirname } from 'node:path';

import { BlogctlError } from '../../errors.ts';
import { PRIVATE_FILE, PRIVATE_FOLDER } from '../../files.ts';
import { behindRequests } from '../behind-requests.ts';
import {
  createFingerprintCounts,
  keyFingerprint,
  recordFingerprint,
  textDigest,
  textFingerprint,
  type FingerprintCounts,
} from '../sources/record-key.ts';
import type { KeyedRecord } from '../sources/keyed-entries.ts';
import {
  readJournal,
  type Answered,
  type Ended,
  type JournalLine,
  type Run,
} from './journal-lines.ts';
import { journalPath, runId } from './runs.ts';

export type Stored = { readonly title: string; readonly content?: string; readonly url: string };

/** What an interrupted import knew: which records were answered, and with which text. */
export type Journal = {
  /** `changed`: it was answered with another text than it has now. */
  state(record: KeyedRecord): 'unknown' | 'answered' | 'changed';
  /** Texts of the articles that answers named, as the blog stored them. */
  readonly stored: FingerprintCounts;
  /** How many records were answered. */
  readonly answers: number;
  /** A few of the answers, to see whether this is still the blog that gave them. */
  readonly sample: readonly Answered[];
  addressOf(record: KeyedRecord): Promise<string | undefined>;
  /** A line that cannot be written costs one request more, never an article. */
  answered(record: KeyedRecord, article: Stored, kind: 'created' | 'replayed'): void;
  /** Why it lacks answers that it was told. */
  readonly failure: BlogctlError | undefined;
  /** Forgets what earlier runs knew. */
  restart(): void;
  close(): void;
  /**
   * The import is whole: there is nothing to resume. What it created is kept as the record of a run
   * that has ended, so that it can be undone.
   */
  end(counts: Ended['counts']): void;
};

type Answer = Parameters<Journal['answered']>;

type Memory = {
  readonly keys: FingerprintCounts;
  readonly records: FingerprintCounts;
  readonly stored: FingerprintCounts;
  readonly sample: Answered[];
  creations: number;
};

export type JournalUse = {
  /** The file, which must be there, stays as it is. */
  readonly readOnly?: boolean;
  /** What was created is kept at the end. */
  readonly keeps?: boolean;
};

/** As `a+`, and never through a link that somebody laid. */
const { O_RDWR, O_CREAT, O_APPEND, O_NOFOLLOW } = constants;
const APPENDING = O_RDWR | O_CREAT | O_APPEND | O_NOFOLLOW;

/** Opens the journal of an import, a file of lines that only grows and begins with what it is. */
export async function openJournal(
  path: string,
  run: Run,
  { readOnly = false, keeps = false }: JournalUse = {},
): Promise<Journal> {
  mkdirSync(dirname(path), { recursive: true, mode: PRIVATE_FOLDER });
  const file = openSync(path, readOnly ? 'r' : APPENDING, PRIVATE_FILE);
  const memory = emptyMemory();
  for await (const lines of readJournal(path)) {
    for (const line of lines) if ('answered' in line) remember(memory, line);
  }
  // Ends a line that a kill has cut off, so that the next one stands alone.
  if (!readOnly) appendFileSync(file, fstatSync(file).size === 0 ? textOf({ run }) : '\n');
  return createJournal({ path, file, run, readOnly, keeps }, memory);
}

/**
 * What is answered is written when the next requests have been sent. The kernel has it when the call
 * returns: what a kill finds unwritten is hardly more than what was not answered yet.
 */
function createJournal(
  {
    path,
    file,
    run,
    readOnly,
    keeps,
  }: Required<JournalUse> & { path: string; file: number; run: Run },
  first: Memory,
): Journal {
  const append = (text: string) => {
    if (!readOnly) appendFileSync(file, text);
  };
  let memory = first;
  let failure: BlogctlError | undefined;
  const answers: Answer[] = [];
  let creations = first.creations;

  function writeAnswers(): void {
    if (answers.length === 0) return;
    const lines = answers.splice(0).map((answer) => lineOf(...answer));
    try {
      append(lines.join(''));
    } catch (error) {
      failure ??= unwritable(path, error);
    }
  }

  /** Under a name of its own: the next import of the same source has this one. */
  function keepRecord(counts: Ended['counts']): void {
    if (!keeps || readOnly || creations === 0) return;
    const record = journalPath(dirname(dirname(path)), runId(run.blog, [run.id, run.started]));
    rmSync(record, { force: true });
    copyFileSync(path, record, constants.COPYFILE_EXCL);
    const end = textOf({ ended: new Date().toISOString(), counts });
    appendFileSync(record, end, { mode: PRIVATE_FILE });
  }

  return {
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
    answered(...answer) {
      if (answer[2] === 'created') creations += 1;
      if (answers.push(answer) === 1) void behindRequests().then(writeAnswers);
    },
    get failure() {
      return failure;
    },
    restart() {
      answers.length = 0;
      keepRecord({ created: creations });
      memory = emptyMemory();
      creations = 0;
      if (!readOnly) ftruncateSync(file);
      append(textOf({ run }));
    },
    close() {
      writeAnswers();
      closeSync(file);
    },
    end(counts) {
      writeAnswers();
      keepRecord(counts);
      closeSync(file);
      if (!readOnly) rmSync(path, { force: true });
    },
  };
}

function lineOf(...[record, article, kind]: Answer): string {
  const sent = record.digest.slice(0, 16);
  const isSame = article.title === record.title && article.content === record.content;
  const stored = (isSame ? record.digest : textDigest(article)).slice(0, 32);
  const created = kind === 'created' && ({ created: true } as const);
  return textOf({ answered: record.key, sent, stored, url: article.url, ...created });
}

function emptyMemory(): Memory {
  const [keys, records, stored] = [0, 1, 2].map(() => createFingerprintCounts());
  if (keys === undefined || records === undefined || stored === undefined) throw new TypeError();
  return { keys, records, stored, sample: [], creations: 0 };
}

const sampled = 4;

function remember(memory: Memory, line: Answered): void {
  const { keys, records, stored, sample } = memory;
  if (line.created === true) memory.creations += 1;
  keys.add(keyFingerprint(line.answered));
  records.add(recordFingerprint(line.answered, line.sent));
  stored.add(textFingerprint(line.stored));
  // The first answers and the latest.
  if (sample.length < sampled) sample.push(line);
  else sample[sampled - 1] = line;
}

async function lastAddress(path: string, key: string): Promise<string | undefined> {
  let url: string | undefined;
  for await (const lines of readJournal(path)) {
    for (const line of lines) if ('answered' in line && line.answered === key) url = line.url;
  }
  return url;
}

function textOf(line: JournalLine): string {
  return `${JSON.stringify(line)}\n`;
}

function unwritable(path: string, cause: unknown): BlogctlError {
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new BlogctlError('unusable-input', `The journal "${path}" cannot be written: ${reason}`, {
    hint: 'Make room, or name another folder with BLOGCTL_DATA_DIR.',
    cause,
  });
}
