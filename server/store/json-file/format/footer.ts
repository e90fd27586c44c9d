import { checksum, checksumText, LineSums } from './checksum.ts';
import type { OpenFile } from '../../file-system/file-system.ts';

/** What the commit record says of all lines of `"articles"`, whatever layout they are in. */
export type Count = {
  /** Live articles. */
  readonly articles: number;
  /** The highest id that was ever given. */
  readonly lastId: number;
  readonly sums: LineSums;
};

/** The commit record at the end of the file: what it vouches for, and where the last batch began. */
type Footer = Count & {
  /** Length of everything before the footer. */
  readonly bytes: number;
  readonly checksum: number;
  /** The same two values before the last batch; equal to them when closed cleanly. */
  readonly from: number;
  readonly fromChecksum: number;
};

/** A footer as it is found. */
export type FoundFooter = Omit<Footer, keyof Count> & {
  readonly length: number;
  /** Its own checksum holds, or it is of the time before it had one. */
  readonly holds: boolean;
  readonly articles: number;
  /** Undefined in a footer of the time before it counted lines. */
  readonly count: Count | undefined;
};

/** No footer is longer. */
export const FOOTER_BYTES = 330;

/** How a footer begins: it closes the list of articles. */
export const FOOTER_START = '],\n"end":';

const PATTERN = /\],\n"end":(\{[^{}\n]*\})\}\n$/;

export function footerText(footer: Footer): string {
  return `${FOOTER_START}${recordText(footer)}}\n`;
}

function recordText({ sums, ...footer }: Footer): string {
  const { articles, bytes, from, lastId } = footer;
  const crc = checksumText(footer.checksum);
  const fromCrc = checksumText(footer.fromChecksum);
  const [sum, idSum] = [checksumText(sums.sum), checksumText(sums.idSum)];
  const text = `{"articles":${articles},"bytes":${bytes},"crc32":"${crc}","from":${from},"fromCrc32":"${fromCrc}","lastId":${lastId},"lines":${sums.lines},"sum":"${sum}","idSum":"${idSum}"`;
  return `${text},"check":"${checksumText(checksum(text))}"}`;
}

/** The footer that ends `tail`, and its length; undefined where the last bytes are no footer. */
export function parseFooter(tail: Buffer): FoundFooter | undefined {
  const match = PATTERN.exec(tail.toString('latin1'));
  if (match === null) return undefined;
  const [text, record = ''] = match;
  const found = parseRecord(record);
  return found === undefined ? undefined : { ...found, length: text.length };
}

/** The value of `"end"` in any layout; undefined where it is no commit record. */
export function parseRecord(record: string): Omit<FoundFooter, 'length'> | undefined {
  const members = membersOf(record);
  const [articles, bytes, from] = ['articles', 'bytes', 'from'].map((name) =>
    wholeOf(members[name]),
  );
  const [crc, fromCrc] = ['crc32', 'fromCrc32'].map((name) => checksumOf(members[name]));
  if (articles === undefined) return undefined;
  const places = {
    bytes: bytes ?? -1,
    checksum: crc ?? -1,
    from: from ?? -1,
    fromChecksum: fromCrc ?? -1,
  };
  if (Object.keys(members).every((name) => OLD_MEMBERS.has(name))) {
    const holds = Object.values(places).every((value) => value >= 0);
    return { ...places, articles, count: undefined, holds };
  }
  const [lastId, lines] = [wholeOf(members['lastId']), wholeOf(members['lines'])];
  const [sum, idSum] = [checksumOf(members['sum']), checksumOf(members['idSum'])];
  const count = {
    articles,
    lastId: lastId ?? 0,
    sums: LineSums.of(lines ?? 0, sum ?? 0, idSum ?? 0),
  };
  const holds = members['check'] === checkOf(recordText({ ...places, ...count }));
  return { ...places, articles, count: holds ? count : undefined, holds };
}

const OLD_MEMBERS = new Set(['articles', 'bytes', 'crc32', 'from', 'fromCrc32']);

function checkOf(record: string): string {
  return record.slice(record.lastIndexOf(':"') + 2, -2);
}

function membersOf(record: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(record);
    return typeof value === 'object' && value !== null ? { ...value } : {};
  } catch {
    return {}; // Torn: no commit record.
  }
}

function wholeOf(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : undefined;
}

const CHECKSUM = /^[0-9a-f]{8}$/;

function checksumOf(value: unknown): number | undefined {
  return typeof value === 'string' && CHECKSUM.test(value) ? Number.parseInt(value, 16) : undefined;
}

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
