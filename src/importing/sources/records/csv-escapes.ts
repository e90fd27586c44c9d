/** The value of a field; null where the table says that there is none (`\N`). */
export type Value = Buffer | null;

const backslash = 0x5c;
const quote = 0x22;
/** What MySQL writes behind a backslash, and means by it. */
const meanings: Readonly<Record<string, string>> = {
  '0': '\0',
  b: '\b',
  n: '\n',
  r: '\r',
  t: '\t',
  Z: '\u001A',
};
/** Signs that need a backslash in some place of MySQL's. */
const escapable = new Set([...Object.keys(meanings), 'N', '"', "'", '\\', '\n', '\r']);

/**
 * The fields of a row that escapes with backslashes, as MySQL does (LOAD DATA): a sign without a
 * meaning of its own stands for itself. In quotes a quote may be doubled too.
 */
export function unescapedFields(row: Buffer, delimiter: string): readonly Value[] {
  const bytes = withoutLineEnds(row);
  const parts = Buffer.from(delimiter);
  const values: Value[] = [];
  let start = 0;
  for (;;) {
    const { value, end } = readField(bytes, start, parts);
    values.push(value);
    if (end >= bytes.length) return values;
    start = end + parts.length;
  }
}

/**
 * Where a backslash may well be no escape: in front of a sign that needs none, or in what looks like
 * a path of Windows.
 */
export function doubtfulBackslash(row: Buffer, delimiter: string): string | undefined {
  const text = row.toString('latin1');
  const [path] = /(?<![A-Za-z])[A-Za-z]:\\(?![\\"'])[^\s"]{0,20}/.exec(text) ?? [];
  if (path !== undefined) return path;
  for (const [pair, sign = ''] of text.matchAll(/\\([^])/g)) {
    if (!escapable.has(sign) && sign !== delimiter[0]) return pair;
  }
  return undefined;
}

function withoutLineEnds(row: Buffer): Buffer {
  const start = row.findIndex((byte) => byte !== 0x0a && byte !== 0x0d);
  let end = row.length;
  if (row[end - 1] === 0x0a) end -= 1;
  if (row[end - 1] === 0x0d) end -= 1;
  return row.subarray(Math.max(start, 0), end);
}

function readField(
  bytes: Buffer,
  start: number,
  delimiter: Buffer,
): { readonly value: Value; readonly end: number } {
  let inQuotes = bytes[start] === quote;
  const from = inQuotes ? start + 1 : start;
  const pieces: Buffer[] = [];
  let piece = from;
  let at = from;
  for (; at < bytes.length; at += 1) {
    const byte = bytes[at];
    if (byte === backslash && at + 1 < bytes.length) {
      pieces.push(bytes.subarray(piece, at), meaningOf(bytes.subarray(at + 1, at + 2)));
      at += 1;
      piece = at + 1;
    } else if (inQuotes && byte === quote) {
      pieces.push(bytes.subarray(piece, at));
      if (bytes[at + 1] === quote) at += 1;
      else inQuotes = false;
      piece = inQuotes ? at : at + 1;
    } else if (!inQuotes && startsAt(bytes, at, delimiter)) break;
  }
  pieces.push(bytes.subarray(piece, at));
  const written = bytes.toString('latin1', start, at);
  const isNull = written === '\\N' || written === '"\\N"';
  return { value: isNull ? null : Buffer.concat(pieces), end: at };
}

function meaningOf(sign: Buffer): Buffer {
  const meaning = meanings[sign.toString('latin1')];
  return meaning === undefined ? sign : Buffer.from(meaning);
}

function startsAt(bytes: Buffer, at: number, sign: Buffer): boolean {
  return bytes[at] === sign[0] && bytes.subarray(at, at + sign.length).equals(sign);
}
