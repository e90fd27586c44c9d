import type { Random } from '../../../support/random.ts';

/** What happens to the bytes of a file. */
type Harm = (bytes: Buffer, random: Random) => Buffer;

const harms: Readonly<Record<string, Harm>> = {
  'a bit': (bytes, random) => changed(bytes, random.below(bytes.length), 1 << random.below(8)),
  'a bit of what is no text': (bytes, random) => {
    const at = placeOf(
      bytes,
      random,
      /"(?:id|blog|etag|updated|deleted|key|end|crc32|from)":.{0,8}/g,
    );
    return changed(bytes, at, 1 << random.below(8));
  },
  'a digit': (bytes, random) => {
    const copy = Buffer.from(bytes);
    copy[placeOf(bytes, random, /\d/g, 1)] = 0x30 + random.below(10);
    return copy;
  },
  'a revision': (bytes, random) => {
    const copy = Buffer.from(bytes);
    copy[placeOf(bytes, random, /(?<="etag":")\d/g, 1)] = 0x31 + random.below(9);
    return copy;
  },
  'some bytes': (bytes, random) => {
    const copy = Buffer.from(bytes);
    const at = random.below(bytes.length);
    for (let i = at; i < Math.min(copy.length, at + 1 + random.below(8)); i += 1) {
      copy[i] = random.next() < 0.7 ? 0x20 + random.below(95) : random.below(256);
    }
    return copy;
  },
  truncation: (bytes, random) => bytes.subarray(0, random.below(bytes.length + 1)),
  'truncation near the end': (bytes, random) =>
    bytes.subarray(0, Math.max(0, bytes.length - random.below(300))),
  'truncation at a line': (bytes, random) => bytes.subarray(0, lineAt(bytes, random)[0]),
  'a zeroed sector': (bytes, random) => {
    const size = random.oneOf([16, 64, 512, 4096]);
    const at = Math.floor(random.below(bytes.length) / size) * size;
    return Buffer.from(bytes).fill(0, at, Math.min(bytes.length, at + size));
  },
  'a sector of another place': (bytes, random) => {
    const size = random.oneOf([64, 512]);
    const [from, to] = [random.below(bytes.length), random.below(bytes.length)];
    const copy = Buffer.from(bytes);
    bytes.copy(copy, to, from, Math.min(bytes.length, from + size));
    return copy;
  },
  'a line doubled': (bytes, random) => {
    const [from, to] = lineAt(bytes, random);
    const [other] = lineAt(bytes, random);
    const at = random.next() < 0.5 ? to : other;
    return Buffer.concat([bytes.subarray(0, at), bytes.subarray(from, to), bytes.subarray(at)]);
  },
  'lines swapped': (bytes, random) => {
    const [one, other] = [lineAt(bytes, random), lineAt(bytes, random)].sort((a, b) => a[0] - b[0]);
    if (one === undefined || other === undefined || one[0] === other[0]) return bytes;
    return Buffer.concat([
      bytes.subarray(0, one[0]),
      bytes.subarray(...other),
      bytes.subarray(one[1], other[0]),
      bytes.subarray(...one),
      bytes.subarray(other[1]),
    ]);
  },
  'bytes put in': (bytes, random) => {
    const at = random.below(bytes.length + 1);
    const more = Buffer.from(random.oneOf([' ', ',', '"', '\n', '{}', '\\', '}', ']']));
    return Buffer.concat([bytes.subarray(0, at), more, bytes.subarray(at)]);
  },
  'bytes taken out': (bytes, random) => {
    const at = random.below(bytes.length);
    return Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + 1 + random.below(4))]);
  },
  'blog lines swapped': (bytes, random) =>
    relisted(bytes, 'blogs', (lines) => swapped(lines, random)),
  'a blog line doubled': (bytes, random) =>
    relisted(bytes, 'blogs', (lines) => [...lines, random.oneOf(lines)]),
  'a blog line removed': (bytes, random) =>
    relisted(bytes, 'blogs', (lines) => without(lines, random.below(lines.length))),
  'lines of articles swapped': (bytes, random) =>
    relisted(bytes, 'articles', (lines) => swapped(lines, random)),
  'a line of an article removed': (bytes, random) =>
    relisted(bytes, 'articles', (lines) => without(lines, random.below(lines.length))),
  'the newest line removed': (bytes) =>
    relisted(bytes, 'articles', (lines) => without(lines, lines.length - 1)),
  'an older line in the place of another': (bytes, random) =>
    relisted(bytes, 'articles', (lines) => {
      const [from, to] = [random.below(lines.length), random.below(lines.length)];
      return lines.map((line, at) => (at === to ? (lines[from] ?? '') : line));
    }),
  'a line blanked': (bytes, random) => blanked(bytes, lineAt(bytes, random)),
  'the newest line blanked': (bytes) => blanked(bytes, newestLine(bytes)),
  'a digit in the newest line': (bytes, random) => {
    const [from, to] = newestLine(bytes);
    const copy = Buffer.from(bytes);
    const line = bytes.subarray(from, to);
    copy[from + placeOf(line, random, random.oneOf([/\d/g, /(?<="id":)\d+/g]), 1)] =
      0x30 + random.below(10);
    return copy;
  },
  'a line break flipped': (bytes, random) => {
    const [, end] = random.next() < 0.5 ? lineAt(bytes, random) : beforeNewest(bytes);
    return changed(bytes, Math.max(0, end - 1), 1 << random.below(8));
  },
  'the list of deleted ids': (bytes, random) => {
    const found = /"deleted":[^\n]*/.exec(bytes.toString('latin1'));
    if (found === null) return bytes;
    const text = random.oneOf([
      found[0].replace(/\d+/, String(1 + random.below(20))),
      found[0].replace(/(\d+)(?=[^\d]*$)/, String(1 + random.below(20))),
      found[0].replace(/,?(?:\[\d+,\d+\]|\d+(?![\d":]))(?=\])/, ''),
      '"deleted":[],',
    ]);
    return spliced(bytes, [found.index, found.index + found[0].length], text);
  },
  'a digit of the commit record': (bytes, random) => {
    const copy = Buffer.from(bytes);
    const end = Math.max(0, bytes.lastIndexOf('"end":'));
    copy[end + placeOf(bytes.subarray(end), random, /[\da-f](?=[\da-f",}])/g, 1)] =
      0x30 + random.below(10);
    return copy;
  },
  'a bit before the articles': (bytes, random) =>
    changed(bytes, random.below(Math.max(1, bytes.indexOf('"articles"'))), 1 << random.below(8)),
  'line ends of Windows': (bytes) =>
    Buffer.from(bytes.toString('latin1').replaceAll('\n', '\r\n'), 'latin1'),
  'a byte order mark': (bytes) => Buffer.concat([Buffer.from('\u{feff}'), bytes]),
  'garbage behind': (bytes, random) =>
    Buffer.concat([bytes, bytes.subarray(random.below(bytes.length)).subarray(0, 100)]),
  'room behind': (bytes, random) => Buffer.concat([bytes, Buffer.alloc(random.below(5000), ' ')]),
  'another layout': (bytes, random) => {
    try {
      const space = random.oneOf([undefined, 1, 2]);
      return Buffer.from(JSON.stringify(JSON.parse(bytes.toString()), undefined, space));
    } catch {
      return bytes; // Harmed before.
    }
  },
};

export type Harmed = { readonly bytes: Buffer; readonly how: string; readonly count: number };

/** One to three harms, one after another. */
export function harmed(bytes: Buffer, random: Random): Harmed {
  const count = random.next() < 0.75 ? 1 : 2 + random.below(2);
  let now = bytes;
  const names: string[] = [];
  for (let one = 0; one < count && now.length > 0; one += 1) {
    const [name, harm] = random.oneOf(Object.entries(harms));
    now = harm(now, random);
    names.push(name);
  }
  return { bytes: Buffer.from(now), how: names.join(', '), count: names.length };
}

/** A lock file that a dead process left, or what became of it. */
export function harmedLock(lock: Buffer, random: Random): Buffer | undefined {
  const chance = random.next();
  if (chance < 0.5) return lock;
  if (chance < 0.65) return undefined;
  if (chance < 0.8) return changed(lock, random.below(lock.length), 1 << random.below(8));
  return lock.subarray(0, random.below(lock.length));
}

function changed(bytes: Buffer, at: number, mask: number): Buffer {
  const copy = Buffer.from(bytes);
  copy[at] = (copy[at] ?? 0) ^ mask;
  return copy;
}

type Extent = readonly [from: number, to: number];

function spliced(bytes: Buffer, [from, to]: Extent, text: string): Buffer {
  return Buffer.concat([bytes.subarray(0, from), Buffer.from(text, 'latin1'), bytes.subarray(to)]);
}

/** Spaces up to the line break. */
function blanked(bytes: Buffer, [from, to]: Extent): Buffer {
  return Buffer.from(bytes).fill(' ', from, Math.max(from, to - 1));
}

function newestLine(bytes: Buffer): Extent {
  const to = bytes.lastIndexOf('],\n"end":');
  if (to <= 0) return [0, bytes.length];
  return [bytes.lastIndexOf('\n', to - 2) + 1, to];
}

function beforeNewest(bytes: Buffer): Extent {
  const [to] = newestLine(bytes);
  return [to <= 1 ? 0 : bytes.lastIndexOf('\n', to - 2) + 1, to];
}

/** The lines of a list without their commas, which come back where they belong. */
function relisted(
  bytes: Buffer,
  name: 'blogs' | 'articles',
  edit: (lines: readonly string[]) => readonly string[],
): Buffer {
  const text = bytes.toString('latin1');
  const start = text.indexOf(`"${name}":[\n`) + name.length + 5;
  const end = text.indexOf('\n],', start);
  if (start < name.length + 5 || end < 0) return bytes;
  const lines = text.slice(start, end).split('\n');
  const edited = edit(lines.map((line) => (line.startsWith(',') ? line.slice(1) : line)));
  const list = edited.length === 0 ? '' : `${edited.join('\n,')}\n`;
  return spliced(bytes, [start, end + 1], list);
}

function swapped(lines: readonly string[], random: Random): readonly string[] {
  const [one, other] = [random.below(lines.length), random.below(lines.length)];
  const now = [...lines];
  [now[one], now[other]] = [lines[other] ?? '', lines[one] ?? ''];
  return now;
}

function without(lines: readonly string[], which: number): readonly string[] {
  return lines.filter((_, at) => at !== which);
}

/** Somewhere in one of the places that a pattern finds. */
function placeOf(bytes: Buffer, random: Random, pattern: RegExp, length = 16): number {
  const places = [...bytes.toString('latin1').matchAll(pattern)];
  if (places.length === 0) return random.below(bytes.length);
  return Math.min(bytes.length - 1, random.oneOf(places).index + random.below(length));
}

/** From and to of a line, its newline included. */
function lineAt(bytes: Buffer, random: Random): [number, number] {
  const ends: number[] = [];
  for (let at = bytes.indexOf('\n'); at >= 0; at = bytes.indexOf('\n', at + 1)) ends.push(at + 1);
  if (ends.length === 0) return [0, bytes.length];
  const which = random.below(ends.length);
  return [which === 0 ? 0 : (ends[which - 1] ?? 0), ends[which] ?? 0];
}
