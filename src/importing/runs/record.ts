import { randomUUID } from 'node:crypto';
import { appendFileSync, closeSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';

import { PRIVATE_FILE, PRIVATE_FOLDER } from '../../files.ts';

import type { Change, Ended, JournalLine, Run } from './journal-lines.ts';
import { journalPath, pruneRuns } from './runs.ts';

/** What a command notes of its changes, so that they can be undone. */
export type RunRecord = {
  note(change: Change): void;
  /** Without a change nothing is kept. */
  end(counts: Ended['counts']): Promise<void>;
};

/** `folder` is the data folder; undefined keeps nothing. */
export function openRecord(
  folder: string | undefined,
  run: Omit<Run, 'id' | 'started'>,
): RunRecord {
  if (folder === undefined) return { note: () => undefined, end: async () => undefined };
  const id = randomUUID().replaceAll('-', '').slice(0, 10);
  const path = journalPath(folder, id);
  const started = new Date().toISOString();
  let file: number | undefined;
  const write = (line: JournalLine) => {
    if (file === undefined) {
      mkdirSync(dirname(path), { recursive: true, mode: PRIVATE_FOLDER });
      file = openSync(path, 'ax', PRIVATE_FILE);
      appendFileSync(file, `${JSON.stringify({ run: { id, started, ...run } })}\n`);
    }
    appendFileSync(file, `${JSON.stringify(line)}\n`);
  };
  return {
    note: write,
    async end(counts) {
      if (file === undefined) return;
      write({ ended: new Date().toISOString(), counts });
      closeSync(file);
      await pruneRuns(folder, Date.now());
    },
  };
}
