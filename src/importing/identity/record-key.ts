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
