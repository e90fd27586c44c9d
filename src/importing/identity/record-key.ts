import { hash } from 'node:crypto';

/**
 * The Idempotency-Key of a record: a hash of the import's name and of what identifies the record in
 * it. Neither text nor host nor token goes in, so every machine makes the same key for it.
 */
export function recordKey(importId: string, identity: string): string {
  return hash('sha256', framed(['record', importId, identity]), 'base64url');
}

/** Fingerprint of a text as the blog shows it; equal texts have equal ones. */
export function textFingerprint(article: { title: string; content?: string | undefined }): bigint {
  const text = framed(['text', article.title, article.content ?? '']);
  return fingerprint(hash('sha256', text, 'buffer'));
}

/** A record with the text it has now. */
export function recordFingerprint(
  key: string,
  text: bigint | { title: string; content?: string | undefined },
): bigint {
  return keyFingerprint(key) ^ (typeof text === 'bigint' ? text : textFingerprint(text)) || 1n;
}

/** The key as 64 bits, to look for in a set. */
export function keyFingerprint(key: string): bigint {
  return fingerprint(Buffer.from(key, 'base64url'));
}

/** The length in front keeps ("a", "bc") apart from ("ab", "c"). */
function framed(parts: readonly string[]): string {
  return parts.map((part) => `${Buffer.byteLength(part)}:${part}`).join('');
}

/** Never 0, which marks a free slot. */
function fingerprint(bytes: Buffer): bigint {
  return bytes.readBigUInt64LE(0) || 1n;
}
