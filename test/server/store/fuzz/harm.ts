import type { Random } from '../support/random.ts';

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

export type Harmed = { readonly bytes: Buffer; readonly how: string };

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
  return { bytes: Buffer.from(now), how: names.join(', ') };
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
