const ID = '{"id":';
const BLOG = ',"blog":';
const ZERO = 0x30;

export type LineStart = { id: number; blog: number | undefined; dead: boolean };

/**
 * What the first members of a line in the store's own writing say. Takes the object it fills, for
 * opening a file of a million lines would otherwise leave a million objects to be collected.
 */
export function lineStart<T extends LineStart>(bytes: Buffer, start: number, into: T): T {
  let at = start + ID.length;
  let id = 0;
  for (let digit = digitAt(bytes, at); digit >= 0; digit = digitAt(bytes, ++at))
    id = id * 10 + digit;
  into.id = id;
  into.blog = undefined;
  if (bytes[at + 2] === 0x62 /* b */) {
    at += BLOG.length;
    let blog = 0;
    for (let digit = digitAt(bytes, at); digit >= 0; digit = digitAt(bytes, ++at))
      blog = blog * 10 + digit;
    into.blog = blog;
  }
  into.dead = bytes[at + 2] === 0x64; /* d */
  return into;
}

export function noLineStart(): LineStart {
  return { id: 0, blog: undefined, dead: false };
}

/** -1 where the byte is no decimal digit. */
export function digitAt(bytes: Buffer, at: number): number {
  const digit = (bytes[at] ?? 0) - ZERO;
  return digit >= 0 && digit <= 9 ? digit : -1;
}
