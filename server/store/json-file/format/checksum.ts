import { crc32 } from 'node:zlib';

/** What a byte says as a lower-case hexadecimal digit; -1 where it is none. */
const DIGITS = Int8Array.from({ length: 256 }, (_, byte) =>
  '0123456789abcdef'.indexOf(String.fromCharCode(byte)),
);

/** The crc32 of these bytes, or of what went before and these bytes. */
export function checksum(bytes: Uint8Array | string, before = 0): number {
  return crc32(bytes, before);
}

/** Eight lower-case hexadecimal digits, as the file has them. */
export function checksumText(value: number): string {
  return (value >>> 0).toString(16).padStart(8, '0');
}

/** Eight lower-case hexadecimal digits as a number; -1 where they are others. */
export function checksumAt(bytes: Buffer, start: number): number {
  const low = lowAt(bytes, start + 4);
  const high = lowAt(bytes, start);
  return low < 0 || high < 0 ? -1 : high * 65_536 + low;
}

/** Four digits of them; negative where they are others. */
function lowAt(bytes: Buffer, start: number): number {
  return (
    (digitAt(bytes, start) << 12) |
    (digitAt(bytes, start + 1) << 8) |
    (digitAt(bytes, start + 2) << 4) |
    digitAt(bytes, start + 3)
  );
}

function digitAt(bytes: Buffer, at: number): number {
  return DIGITS[bytes[at] ?? 0] ?? -1;
}

/**
 * By what a line is known again, of its checksum: 16 bits, so that an index of a million has room for
 * it; never 0, which stands for none.
 */
export function markOf(crc: number): number {
  return crc < 0 ? 0 : crc & 0xffff || 1;
}

/** That of a line, by the tag at its end. */
export function markAt(bytes: Buffer, lineEnd: number): number {
  return markOf(lowAt(bytes, lineEnd - 6));
}

/** Below 2^31: products of two numbers below it are exact, taken in two halves. */
const PRIME = 2 ** 31 - 1;

/** What the tag of a line says: `<revision>-<crc32>`. */
export type TagValue = { readonly revision: number; readonly crc: number };

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
