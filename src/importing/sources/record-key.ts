import { hash } from 'node:crypto';

/**
 * The Idempotency-Key of a record: a hash of its identity. Neither text nor host nor token goes in,
 * so every machine makes the same key for it. An article that was deleted is created again under the
 * next generation (decisions 49).
 */
export function recordKey(namespace: string, name: string, generation = 1): string {
  const own = generation === 1 ? name : `${name}#${generation}`;
  return hash('sha256', framed('record') + framed(namespace) + framed(own), 'base64url');
}

type Text = { readonly title: string; readonly content?: string | undefined };

/** A text as the blog shows it, hashed, hexadecimal; equal texts have equal digests. */
export function textDigest({ title, content = '' }: Text): string {
  // What comes last needs no length in front.
  return hash('sha256', framed('text') + framed(title) + content, 'hex');
}

/** 64 bits of a text, to look for in a set; from its digest where that is known. */
export function textFingerprint(text: Text | string): bigint {
  const digest = typeof text === 'string' ? text : textDigest(text);
  return neverZero(BigInt(`0x${digest.slice(0, 16)}`));
}

/** A record with the text it has now. */
export function recordFingerprint(key: string, text: Text | string): bigint {
  return neverZero(keyFingerprint(key) ^ textFingerprint(text));
}

/** The key as 64 bits, to look for in a set. */
export function keyFingerprint(key: string): bigint {
  return neverZero(Buffer.from(key, 'base64url').readBigUInt64LE(0));
}

/** The length in front keeps ("a", "bc") apart from ("ab", "c"). */
function framed(part: string): string {
  return `${Buffer.byteLength(part)}:${part}`;
}

/** Never 0, which marks a free slot. */
function neverZero(fingerprint: bigint): bigint {
  return fingerprint || 1n;
}

/** How often each fingerprint was counted; a few bytes each, whatever was fingerprinted. */
export type FingerprintCounts = {
  readonly size: number;
  of(fingerprint: bigint): number;
  add(fingerprint: bigint, times?: number): void;
  entries(): Generator<readonly [fingerprint: bigint, count: number], void, void>;
};

const smallest = 1024;

/**
 * Counts 64-bit fingerprints in a flat array: a million take 17 MB where a Map takes a hundred. Most
 * are there once, so only other counts take room of their own. Two texts sharing a fingerprint by
 * chance is a one in 10^7 event for a million of them.
 */
export function createFingerprintCounts(): FingerprintCounts {
  let keys = new BigUint64Array(smallest);
  const otherCounts = new Map<bigint, number>();
  let size = 0;

  function slotOf(fingerprint: bigint): number {
    const mask = keys.length - 1;
    let slot = Number(fingerprint & BigInt(mask));
    while (keys[slot] !== 0n && keys[slot] !== fingerprint) slot = (slot + 1) & mask;
    return slot;
  }

  function grow(): void {
    const old = keys;
    keys = new BigUint64Array(old.length * 2);
    for (const key of old) if (key !== 0n) keys[slotOf(key)] = key;
  }

  function countOf(fingerprint: bigint): number {
    if (keys[slotOf(fingerprint)] === 0n) return 0;
    return otherCounts.get(fingerprint) ?? 1;
  }

  return {
    get size() {
      return size;
    },
    of: countOf,
    add(fingerprint, times = 1) {
      const count = countOf(fingerprint) + times;
      const slot = slotOf(fingerprint);
      if (keys[slot] === 0n) size += 1;
      keys[slot] = fingerprint;
      if (count === 1) otherCounts.delete(fingerprint);
      else otherCounts.set(fingerprint, count);
      if (size * 2 > keys.length) grow();
    },
    *entries() {
      for (const key of keys) if (key !== 0n) yield [key, countOf(key)] as const;
    },
  };
}
