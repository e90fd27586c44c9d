import { open, type FileHandle } from 'node:fs/promises';

import type { KeyedRecord, KeyedReject } from './identity/keyed-entries.ts';

/** One line of the rejects file: which record, what is wrong, and the record to repair. */
export type Reject = {
  readonly source: string;
  /** From 1: the line, item, row or post in its source. */
  readonly position: number;
  readonly stage: 'read' | 'send';
  readonly class: string;
  /** HTTP status where the service refused it. */
  readonly status?: number | undefined;
  readonly message: string;
  readonly importId?: string | undefined;
  readonly identity?: string | undefined;
  readonly record?: unknown;
};

export type RejectsFile = {
  readonly count: number;
  add(reject: Reject): Promise<void>;
  close(): Promise<void>;
};

/** The rejects as NDJSON that can be imported again; no file is made while there is none. */
export function createRejectsFile(path: string | undefined): RejectsFile {
  let count = 0;
  let opened: Promise<FileHandle> | undefined;
  let written: Promise<unknown> = Promise.resolve();
  return {
    get count() {
      return count;
    },
    async add(reject) {
      count += 1;
      if (path === undefined) return;
      opened ??= open(path, 'w');
      const file = await opened;
      // One after the other: two lines must not run into each other.
      written = written.then(() => file.appendFile(`${JSON.stringify(reject)}\n`));
      await written;
    },
    async close() {
      await written;
      await (await opened)?.close();
    },
  };
}

export function rejectOfEntry(entry: KeyedReject): Reject {
  const { place, flaw, importId, identity, record } = entry;
  return {
    ...place,
    stage: 'read',
    class: flaw.class,
    message: flaw.message,
    importId,
    identity: identity?.name,
    record,
  };
}

export function rejectOfRecord(
  record: KeyedRecord,
  refusal: { class: string; status?: number | undefined; message: string },
): Reject {
  const { place, namespace, name, title, content } = record;
  const known = { importId: namespace, identity: name };
  return { ...place, stage: 'send', ...refusal, ...known, record: { title, content } };
}
