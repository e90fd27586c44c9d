import { hash } from 'node:crypto';
import { homedir } from 'node:os';
import { resolve } from 'node:path';

import { plainOf } from './publicity.ts';

/**
 * What makes a record the same one in every run, whatever it is called and wherever it stands.
 * `namespace` keeps equal names of different sources apart and is '' where a name is unique by
 * itself (decisions 47); `name` is absent where only title and content tell a record from others
 * (decisions 45).
 */
export type Identity = { readonly namespace: string; readonly name?: string };

/** Members that identify a record, the most trusted first (decisions 45 and 46). */
const identifying = {
  record: ['uuid', 'guid', 'id', '_id', 'slug', 'url', 'link'],
  wordpress: ['guid', 'post', 'link'],
  ghost: ['uuid', 'id'],
  feed: ['guid', 'id', 'link'],
} as const;

/** Whether a member of this name says which record it is, or which article (decisions 45 and 55). */
export function mayIdentify(name: string): boolean {
  return [...identifying.record, 'address'].some((each) => each === name.toLowerCase());
}

export type RecordKind = keyof typeof identifying;

/**
 * What a record is found in: its file, `stdin` for a stream, and the site where an export or a feed
 * names one.
 */
export type RecordOrigin = { readonly file: string; readonly site?: string | undefined };

/**
 * The identity of a record of its own: the first member that it has, else its text. Neither its
 * position nor any other record plays a part.
 */
export function identify(
  kind: RecordKind,
  members: Readonly<Record<string, unknown>>,
  origin: RecordOrigin,
): Identity {
  for (const name of identifying[kind]) {
    const value = valueOf(memberNamed(members, name));
    if (value !== '') return identityBy(name, value, origin);
  }
  return { namespace: namespaceOf(origin) };
}

/** The identity of a record by a member of the user's choice (`--key-field`). */
export function identityBy(name: string, value: string, origin: RecordOrigin): Identity {
  // An address is the same record whichever member holds it: a link today, a guid tomorrow.
  if (isAddress(value)) return { namespace: '', name: `guid:${value}` };
  const isGlobal = name === 'uuid' || name === 'guid' || isUuid(value);
  return { namespace: isGlobal ? '' : namespaceOf(origin), name: `${name}:${value}` };
}

/** A post is known by its path from the root of its work tree (decisions 44). */
export function postIdentity(path: string): Identity {
  return { namespace: '', name: `path:${path.normalize('NFC')}` };
}

/** The site, else the name of the file without extension and what changes from one export to the next. */
function namespaceOf({ file, site = '' }: RecordOrigin): string {
  if (site !== '') return site.replace(/\/+$/, '');
  if (file === 'stdin') return '-';
  const name = (file.split(/[\\/]/).at(-1) ?? '').replace(/(?<=.)\.[a-z][a-z0-9]*(?:\.gz)?$/i, '');
  return lastingName(name);
}

/** Figures and letters up to f, changing twice at least: none is a word with a year. */
const hexadecimal = /(?<![^\W_])(?=(?:\d+[a-f]+\d|[a-f]+\d+[a-f]))[\da-f]{7,}(?![^\W_])/gi;

/** A name without what changes from one export to the next: uuids, hashes, dates and numbers. */
export function lastingName(name: string): string {
  return name
    .normalize('NFC')
    .replaceAll(/[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/gi, '')
    .replaceAll(hexadecimal, '')
    .replaceAll(/\d{4}-?\d{2}-?\d{2}T[\d:.-]*Z?/gi, '')
    .replaceAll(/\d+/g, '')
    .replaceAll(/[\s()[\]]+|[._-]{2,}/g, '-')
    .replaceAll(/-{2,}/g, '-')
    .replaceAll(/^[._-]+|[._-]+$/g, '');
}

/** Of a record as it stands in a rejects file. */
export function fingerprintOf(record: unknown): string {
  return hash('sha256', JSON.stringify(record) ?? '').slice(0, 16);
}

/** Exactly so, else the first that is written in another case; `name` in small letters. */
export function memberNamed(members: Readonly<Record<string, unknown>>, name: string): unknown {
  if (Object.hasOwn(members, name)) return members[name];
  for (const other in members) {
    if (other.length === name.length && other.toLowerCase() === name) return members[other];
  }
  return undefined;
}

function valueOf(wrapped: unknown): string {
  const member = plainOf(wrapped);
  if (typeof member === 'string') return member.trim();
  return typeof member === 'number' || typeof member === 'bigint' ? String(member) : '';
}

function isUuid(value: string): boolean {
  return /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i.test(value);
}

/** An address that means the same everywhere; `file:` does not. */
function isAddress(value: string): boolean {
  return /^(?:https?:\/\/|urn:|tag:)\S+$/i.test(value);
}

const exported = /^(?:https?:.*\/blogs\/\d+\/articles\/|file:.*#(?:blog=\d+\/)?)\d+$/is;

/** Whether a record has what `articles export` writes and nothing else: its content is that of an article. */
export function isExported(record: Readonly<Record<string, unknown>>): boolean {
  const hasOthers = Object.keys(record).some((name) => !/^(?:id|title|content|url)$/.test(name));
  return !hasOthers && exported.test(String(record['url']));
}

/**
 * The address of the article that a post says it is (decisions 55). That of an article in a store
 * file, `file:../blog.json#7`, becomes absolute: its path begins in the folder of the post. Undefined
 * where it is no address.
 */
export function articleAddress(text: string, folder: string): string | undefined {
  if (/^https?:\/\//i.test(text)) return text;
  const [, path = '', fragment = ''] = /^file:([^]+?)(#[^#]*)$/i.exec(text) ?? [];
  if (path === '') return undefined;
  return `file:${absolute(path, folder)}${fragment}`;
}

function absolute(path: string, folder: string): string {
  const beneathHome = /^~[\\/]([^]*)$/.exec(path)?.[1];
  return beneathHome === undefined ? resolve(folder, path) : resolve(homedir(), beneathHome);
}

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

/** The same whatever program wrote the file: with LF as line end; undefined where no other stands in it. */
export function linesDigest({ title, content = '' }: Text): string | undefined {
  if (!title.includes('\r') && !content.includes('\r')) return undefined;
  const [titled, told] = [title, content].map((text) => text.replaceAll(/\r\n?/g, '\n'));
  return textDigest({ title: titled ?? '', content: told });
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
