import { hash } from 'node:crypto';
import { Refusal } from '../errors.ts';
import type { Idempotency } from '../store/store.ts';
import type { ArticleInput } from './article-input.ts';

const bareKey = /^[\x21\x23-\x2b\x2d-\x5b\x5d-\x7e]{1,255}$/;
const quotedKey = /^"((?:[\x20\x21\x23-\x5b\x5d-\x7e]|\\["\\]){1,255})"$/;

/**
 * The key of a request, if it has one: visible ASCII, bare or as a quoted string, which mean the
 * same (decisions 38). Read before the body, because bad syntax is 400 whatever the body says.
 */
export function readKey(field: string | undefined): string | undefined {
  if (field === undefined) return undefined;
  if (bareKey.test(field)) return field;
  const quoted = quotedKey.exec(field)?.[1];
  if (quoted !== undefined) return quoted.replaceAll(/\\(["\\])/g, '$1');
  throw new Refusal('bad-request', 'An Idempotency-Key is 1 to 255 visible ASCII characters.');
}

/** Key and meaning of the request as the store keeps them; the spelling of the JSON is no meaning. */
export function identify(key: string, { title, content = '' }: ArticleInput): Idempotency {
  // The title is framed by its quotes, so the rest is the content.
  const request = JSON.stringify(title) + content;
  return { key: hashOfKey(key), request: hash('sha256', request) };
}

/** A key as the store knows it. */
export function hashOfKey(key: string): string {
  return hash('sha256', key);
}
