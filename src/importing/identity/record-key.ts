import { hash } from 'node:crypto';

/**
 * The Idempotency-Key of a record: a hash of the import's name and of what identifies the record in
 * it. Neither text nor host nor token goes in, so every machine makes the same key for it.
 */
export function recordKey(importId: string, identity: string): string {
  return hash('sha256', framed('record') + framed(importId) + framed(identity), 'base64url');
}

/** Fingerprint of a text as the blog shows it; equal texts have equal ones. */
export function textFingerprint(article: { title: string; content?: string | undefined }): bigint {
  const { title, content = '' } = article;
  // What comes last needs no length in front.
  const digest = hash('sha256', framed('text') + framed(title) + content, 'hex');
  return neverZero(BigInt(`0x${digest.slice(0, 16)}`));
}

/** A record with the text it has now. */
export function recordFingerprint(
  key: string,
  text: bigint | { title: string; content?: string | undefined },
): bigint {
  return neverZero(keyFingerprint(key) ^ (typeof text === 'bigint' ? text : textFingerprint(text)));
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
