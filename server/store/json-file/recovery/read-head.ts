import type { OpenFile } from '../files/file-system.ts';
import { ARTICLES_START, type Head } from '../format/head.ts';
import { parseHead } from '../format/parse-head.ts';
import { membersOf } from '../format/members.ts';

const CHUNK = 64 * 1024;
const MARK = `\n${ARTICLES_START}`;

export type HeadBytes = { readonly head: Head; readonly bytes: Buffer };

/** The head of a file in the store's own layout; undefined where it has another. */
export function readHead(file: OpenFile, size: number, changedMs: number): HeadBytes | undefined {
  for (let length = CHUNK; ; length *= 8) {
    const bytes = Buffer.allocUnsafe(Math.min(length, size));
    const count = file.read(bytes, 0);
    const mark = bytes.subarray(0, count).indexOf(MARK);
    // A string holds no raw newline, so this one stands between members.
    if (mark >= 0) return parsed(bytes.subarray(0, mark + MARK.length), changedMs);
    if (length >= size) return undefined;
  }
}

function parsed(bytes: Buffer, changedMs: number): HeadBytes | undefined {
  const text = `${bytes.toString('utf8')}]}`;
  try {
    JSON.parse(text);
    return { head: parseHead(membersOf(text), changedMs), bytes };
  } catch {
    return undefined; // The reading of any layout says what is wrong and where.
  }
}
