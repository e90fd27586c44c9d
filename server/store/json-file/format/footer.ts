import { checksum, checksumText, type TagValue } from './checksum.ts';
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
const WINDOW = 64 * 1024;

/** Where a file ends when spaces behind it are left out of account. */
export function endBeforeSpaces(file: OpenFile): number {
  let end = file.stat().size;
  while (end > 0) {
    const bytes = Buffer.alloc(Math.min(WINDOW, end));
    file.read(bytes, end - bytes.length);
    const last = bytes.findLastIndex((byte) => byte !== SPACE);
    if (last >= 0) return end - bytes.length + last + 1;
    end -= bytes.length;
  }
  return end;
}

/** Below 2^31: products of two numbers below it are exact, taken in two halves. */
const PRIME = 2 ** 31 - 1;

/**
 * How many lines `"articles"` has, with two sums over them: of what each tag says, and of that times
 * the id. Two sums differ by one line's share of each, and the one divided by the other is its id: so
 * a line that is missing, or has another in its place, is known by its article.
 */
export class LineSums {
  lines = 0;
  sum = 0;
  idSum = 0;

  static of(lines: number, sum: number, idSum: number): LineSums {
    return Object.assign(new LineSums(), { lines, sum: sum % PRIME, idSum: idSum % PRIME });
  }

  static over(lines: readonly (TagValue & { readonly id: number })[]): LineSums {
    const sums = new LineSums();
    for (const line of lines) sums.add(line.id, line);
    return sums;
  }

  add(id: number, { revision, crc }: TagValue): void {
    const share = (revision + crc) % PRIME;
    this.lines += 1;
    this.sum = (this.sum + share) % PRIME;
    this.idSum = (this.idSum + product(id % PRIME, share)) % PRIME;
  }

  /** What these have and the others have not. */
  minus(others: LineSums): LineSums {
    const { lines, sum, idSum } = others;
    return LineSums.of(this.lines - lines, this.sum - sum + PRIME, this.idSum - idSum + PRIME);
  }

  plus({ lines, sum, idSum }: LineSums): LineSums {
    return LineSums.of(this.lines + lines, this.sum + sum, this.idSum + idSum);
  }

  get isNothing(): boolean {
    return this.lines === 0 && this.sum === 0 && this.idSum === 0;
  }

  /** The article of the one line that makes a difference; of several lines, any number. */
  get id(): number {
    return product(this.idSum, power(this.sum, PRIME - 2));
  }
}

function product(a: number, b: number): number {
  const high = (a * (b >>> 16)) % PRIME;
  return (high * 65_536 + a * (b & 0xffff)) % PRIME;
}

/** Fermat: to the power of PRIME - 2 a number is its own inverse. */
function power(base: number, exponent: number): number {
  let [result, square] = [1, base];
  for (let left = exponent; left > 0; left = Math.floor(left / 2)) {
    if (left % 2 === 1) result = product(result, square);
    square = product(square, square);
  }
  return result;
}
