import { createReadStream } from 'node:fs';
import { mkdir, open, rm, type FileHandle } from 'node:fs/promises';
import { dirname } from 'node:path';

import { BlogctlError } from '../../errors.ts';
import { createFingerprintCounts, type FingerprintCounts } from '../identity/fingerprints.ts';
import type { KeyedRecord } from '../identity/keyed-entries.ts';
import { keyFingerprint, textFingerprint } from '../identity/record-key.ts';
import { readLines } from '../sources/files/lines.ts';

/** What an interrupted import knew: which records were about to be sent, which were answered. */
export type Journal = {
  /** Answered in an earlier run. */
  holds(key: string): boolean;
  /** Texts of the articles that answers named, as the blog stored them. */
  readonly stored: FingerprintCounts;
  /** Written before the request is sent. */
  intend(record: KeyedRecord): Promise<void>;
  /** Not awaited by senders: a lost line costs one request more, never an article. */
  answered(record: KeyedRecord, article: { title: string; content?: string; url: string }): void;
  close(): Promise<void>;
  /** The import is whole: there is nothing to resume. */
  remove(): Promise<void>;
};

type Line =
  | { readonly intends: string }
  | { readonly answered: string; readonly stored: string; readonly url: string };

/**
 * Opens the journal of an import, a file of lines that only grows. A line cut off by a kill is left
 * out: the record it was about is looked up on the blog.
 */
export async function openJournal(path: string): Promise<Journal> {
  const keys = createFingerprintCounts();
  const stored = createFingerprintCounts();
  await mkdir(dirname(path), { recursive: true });
  const file = await open(path, 'a+', 0o600);
  await readJournal(path, (line) => {
    if (!('answered' in line)) return;
    keys.add(keyFingerprint(line.answered));
    stored.add(BigInt(`0x${line.stored}`));
  });
  // Ends a line that a kill has cut off, so that the next one stands alone.
  await file.appendFile('\n');
  return createJournal(path, file, { keys, stored });
}

function createJournal(
  path: string,
  file: FileHandle,
  { keys, stored }: { keys: FingerprintCounts; stored: FingerprintCounts },
): Journal {
  let writing: Promise<void> = Promise.resolve();
  let failure: unknown;
  const append = (line: Line): Promise<void> => {
    writing = writing
      .then(() => file.appendFile(`${JSON.stringify(line)}\n`))
      .catch((error: unknown) => void (failure ??= error));
    return writing;
  };
  const throwFailure = () => {
    if (failure !== undefined) throw unwritable(path, failure);
  };
  return {
    holds: (key) => keys.of(keyFingerprint(key)) > 0,
    stored,
    async intend({ key }) {
      await append({ intends: key });
      throwFailure();
    },
    answered({ key }, article) {
      const { url } = article;
      void append({ answered: key, stored: textFingerprint(article).toString(16), url });
    },
    async close() {
      await writing;
      await file.close();
      throwFailure();
    },
    remove: () => rm(path, { force: true }),
  };
}

function unwritable(path: string, cause: unknown): BlogctlError {
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new BlogctlError('unusable-input', `The journal "${path}" cannot be written: ${reason}`, {
    cause,
  });
}

async function readJournal(path: string, take: (line: Line) => void): Promise<void> {
  for await (const { bytes } of readLines(createReadStream(path))) {
    const line = parseLine(bytes.toString('utf8'));
    if (line !== undefined) take(line);
  }
}

function parseLine(text: string): Line | undefined {
  try {
    const line: unknown = JSON.parse(text);
    return isLine(line) ? line : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function isLine(value: unknown): value is Line {
  if (typeof value !== 'object' || value === null) return false;
  if ('intends' in value) return typeof value.intends === 'string';
  const isText = (name: 'answered' | 'stored' | 'url') =>
    typeof Object.getOwnPropertyDescriptor(value, name)?.value === 'string';
  return isText('answered') && isText('stored') && isText('url');
}
