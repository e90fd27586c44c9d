import { mkdir, open, rm, type FileHandle } from 'node:fs/promises';
import { dirname } from 'node:path';

import { BlogctlError } from '../../errors.ts';
import { createFingerprintCounts, type FingerprintCounts } from '../identity/fingerprints.ts';
import type { KeyedRecord } from '../identity/keyed-entries.ts';
import { keyFingerprint, recordFingerprint, textFingerprint } from '../identity/record-key.ts';
import { readJournal, type Answered, type JournalLine, type Run } from './journal-lines.ts';

export type Stored = { readonly title: string; readonly content?: string; readonly url: string };

/** What an interrupted import knew: which records were about to be sent, which were answered. */
export type Journal = {
  /** `changed`: it was answered with another text than it has now. */
  state(record: KeyedRecord): 'unknown' | 'answered' | 'changed';
  /** Texts of the articles that answers named, as the blog stored them. */
  readonly stored: FingerprintCounts;
  /** A few of the answers, to see whether this is still the blog that gave them. */
  readonly sample: readonly Answered[];
  addressOf(record: KeyedRecord): Promise<string | undefined>;
  /** Resolves when the line is in the file, before the request is sent. */
  intend(record: KeyedRecord): Promise<void>;
  /** Not awaited by senders: a lost line costs one request more, never an article. */
  answered(record: KeyedRecord, article: Stored): void;
  /** Forgets what earlier runs knew. */
  restart(): Promise<void>;
  close(): Promise<void>;
  /** The import is whole: there is nothing to resume. */
  remove(): Promise<void>;
};

type Memory = {
  readonly keys: FingerprintCounts;
  readonly records: FingerprintCounts;
  readonly stored: FingerprintCounts;
  readonly sample: Answered[];
};

/** Opens the journal of an import, a file of lines that only grows and begins with what it is. */
export async function openJournal(path: string, run: Run): Promise<Journal> {
  await mkdir(dirname(path), { recursive: true });
  const file = await open(path, 'a+', 0o600);
  const memory = emptyMemory();
  for await (const line of readJournal(path)) if ('answered' in line) remember(memory, line);
  const writer = createWriter(file, path);
  // Ends a line that a kill has cut off, so that the next one stands alone.
  const isNew = (await file.stat()).size === 0;
  await writer.append(isNew ? `${JSON.stringify({ run })}\n` : '\n');
  return createJournal({ path, file, run }, memory, writer);
}

function createJournal(
  { path, file, run }: { path: string; file: FileHandle; run: Run },
  first: Memory,
  writer: Writer,
): Journal {
  let memory = first;
  const append = (line: JournalLine) => writer.append(`${JSON.stringify(line)}\n`);
  return {
    state(record) {
      if (memory.keys.size === 0) return 'unknown';
      if (memory.records.of(recordFingerprint(record.key, record)) > 0) return 'answered';
      return memory.keys.of(keyFingerprint(record.key)) > 0 ? 'changed' : 'unknown';
    },
    get stored() {
      return memory.stored;
    },
    get sample() {
      return memory.sample;
    },
    addressOf: ({ key }) => lastAddress(path, key),
    async intend({ key }) {
      await append({ intends: key });
      writer.throwFailure();
    },
    answered(record, article) {
      const sent = hex(textFingerprint(record));
      const isSame = article.title === record.title && article.content === record.content;
      const stored = isSame ? sent : hex(textFingerprint(article));
      writer.appendSoon(
        `${JSON.stringify({ answered: record.key, sent, stored, url: article.url })}\n`,
      );
    },
    async restart() {
      memory = emptyMemory();
      await writer.settle();
      await file.truncate(0);
      await append({ run });
    },
    async close() {
      await writer.settle();
      await file.close();
      writer.throwFailure();
    },
    remove: () => rm(path, { force: true }),
  };
}

function emptyMemory(): Memory {
  const [keys, records, stored] = [0, 1, 2].map(() => createFingerprintCounts());
  if (keys === undefined || records === undefined || stored === undefined) throw new TypeError();
  return { keys, records, stored, sample: [] };
}

const sampled = 4;

function remember({ keys, records, stored, sample }: Memory, line: Answered): void {
  keys.add(keyFingerprint(line.answered));
  records.add(recordFingerprint(line.answered, BigInt(`0x${line.sent}`)));
  stored.add(BigInt(`0x${line.stored}`));
  // The first answers and the latest.
  if (sample.length < sampled) sample.push(line);
  else sample[sampled - 1] = line;
}

async function lastAddress(path: string, key: string): Promise<string | undefined> {
  let url: string | undefined;
  for await (const line of readJournal(path)) {
    if ('answered' in line && line.answered === key) url = line.url;
  }
  return url;
}

type Writer = {
  /** Resolves when the text is in the file, or could not be written. */
  append(text: string): Promise<void>;
  /** Within `gatheringMs`, with whatever else comes until then. */
  appendSoon(text: string): void;
  settle(): Promise<void>;
  throwFailure(): void;
};

/** A write for each of them would cost as much as the answer that it notes. */
const gatheringMs = 50;

/** Lines that come while others are being written go together in the next write. */
function createWriter(file: FileHandle, path: string): Writer {
  let pending = '';
  let gathering: NodeJS.Timeout | undefined;
  let writing: Promise<void> | undefined;
  let failure: unknown;

  async function write(): Promise<void> {
    try {
      while (pending !== '') {
        const text = pending;
        pending = '';
        await file.appendFile(text);
      }
    } catch (error) {
      failure ??= error;
    }
    writing = undefined;
  }

  async function flush(): Promise<void> {
    clearTimeout(gathering);
    gathering = undefined;
    // With nothing to write it would end before it is `writing`, and stay that for ever.
    if (pending !== '') writing ??= write();
    await writing;
  }

  return {
    append(text) {
      pending += text;
      return flush();
    },
    appendSoon(text) {
      pending += text;
      gathering ??= setTimeout(() => void flush(), gatheringMs);
    },
    settle: flush,
    throwFailure() {
      if (failure !== undefined) throw unwritable(path, failure);
    },
  };
}

function hex(fingerprint: bigint): string {
  return fingerprint.toString(16);
}

function unwritable(path: string, cause: unknown): BlogctlError {
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new BlogctlError('unusable-input', `The journal "${path}" cannot be written: ${reason}`, {
    hint: 'Make room, or name another folder with BLOGCTL_DATA_DIR.',
    cause,
  });
}
