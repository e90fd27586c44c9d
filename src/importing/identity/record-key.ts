import { hash } from 'node:crypto';

/**
 * The Idempotency-Key of a record: a hash of the import's name and of what identifies the record in
 * it. Neither text nor host nor token goes in, so every machine makes the same key for it.
 */
export function recordKey(importId: string, identity: string): string {
  return hash('sha256', framed('record') + framed(importId) + framed(identity), 'base64url');
}

type Text = { readonly title: string; readonly content?: string | undefined };

/** A text as the blog shows it in 64 bits, hexadecimal; equal texts have equal ones. */
export function textDigest({ title, content = '' }: Text): string {
  // What comes last needs no length in front.
  return hash('sha256', framed('text') + framed(title) + content, 'hex').slice(0, 16);
}

/** The same, to look for in a set; or what a journal noted of one. */
export function textFingerprint(text: Text | string): bigint {
  return neverZero(BigInt(`0x${typeof text === 'string' ? text : textDigest(text)}`));
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
