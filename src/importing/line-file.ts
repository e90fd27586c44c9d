import { constants } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';

import { isPipeOrDevice, PRIVATE_FILE } from '../files.ts';

/** A file of JSON lines; none is made while there is no line. */
export type LineFile<Line> = {
  readonly count: number;
  add(line: Line): Promise<void>;
  close(): Promise<void>;
};

/** Without a path lines are counted only. */
export function createLineFile<Line>(path: string | undefined): LineFile<Line> {
  let count = 0;
  let opened: Promise<FileHandle> | undefined;
  let waiting = '';
  let writing: Promise<void> | undefined;

  /** What comes while a line is written goes into the file together. */
  async function write(file: string): Promise<void> {
    opened ??= openOutput(file);
    const handle = await opened;
    while (waiting !== '') {
      const lines = waiting;
      waiting = '';
      await handle.appendFile(lines);
    }
    writing = undefined;
  }

  return {
    get count() {
      return count;
    },
    async add(line) {
      count += 1;
      if (path === undefined) return;
      waiting += `${JSON.stringify(line)}\n`;
      await (writing ??= write(path));
    },
    async close() {
      await writing;
      await (await opened)?.close();
    },
  };
}

/** It holds texts that nobody has published, and its name is often ours and not the user's. */
async function openOutput(path: string): Promise<FileHandle> {
  const { O_WRONLY, O_CREAT, O_TRUNC, O_NOFOLLOW } = constants;
  // Such as /dev/stderr, which is a link.
  if (await isPipeOrDevice(path)) return open(path, O_WRONLY);
  return open(path, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW, PRIVATE_FILE);
}
