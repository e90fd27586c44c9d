import type { OpenFile } from '../files/file-system.ts';

export const SPACE = 0x20;
/** Mostly there are none. */
const FIRST_WINDOW = 512;
const WINDOW = 64 * 1024;

/** Where a file ends when spaces behind it are left out of account. */
export function endBeforeSpaces(file: OpenFile): number {
  let end = file.stat().size;
  for (let window = FIRST_WINDOW; end > 0; window = WINDOW) {
    const bytes = Buffer.alloc(Math.min(window, end));
    file.read(bytes, end - bytes.length);
    const last = bytes.findLastIndex((byte) => byte !== SPACE);
    if (last >= 0) return end - bytes.length + last + 1;
    end -= bytes.length;
  }
  return end;
}
