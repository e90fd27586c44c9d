import type { Draft } from '../../store.ts';
import type { ArticleLine, PrivateMembers } from './article-line.ts';
import { checksum, checksumText } from './checksum.ts';
import { LAST_TIME } from './line-bytes.ts';

const ID = '{"id":';
const BLOG = ',"blog":';
const DEAD = ',"deleted":true';
const UPDATED = ',"updated":"';
const ETAG = ',"etag":"';
const NO_CHECKSUM = '00000000';
const CLOSING = '"}\n';

/** No more digits are read back. */
const LAST_REVISION = 999_999_999_999_999;

export type NewLine = {
  readonly id: number;
  readonly blog: number | undefined;
  /** Undefined: the article is deleted. */
  readonly draft: Draft | undefined;
  readonly updatedAt: number;
  readonly privates: PrivateMembers;
  readonly revision: number;
};

export type ComposedLine = {
  /** With its leading comma and its newline. */
  readonly bytes: Buffer;
  readonly line: ArticleLine;
};

/** A sealed line, written into its bytes once: the seal is put into the place left for it. */
export function composeLine(newLine: NewLine): ComposedLine {
  const { id, blog, draft } = newLine;
  const updatedAt = Math.min(newLine.updatedAt, LAST_TIME);
  const revision = Math.min(newLine.revision, LAST_REVISION);
  const { key, locked, privateText } = newLine.privates;
  const blogText = blog === undefined ? '' : `${BLOG}${blog}`;
  const updated = `${UPDATED}${new Date(updatedAt).toISOString()}"`;
  const seal = `${ETAG}${revision}-${NO_CHECKSUM}"}\n`;
  const text = `${ID}${id}${blogText}${draftText(draft)}${updated}${privateText}`;
  const bytes = Buffer.from(`,${text}${seal}`);
  const sealAt = bytes.length - seal.length;
  const sum = checksumText(checksum(bytes.subarray(1, sealAt)));
  bytes.write(sum, bytes.length - sum.length - CLOSING.length, 'latin1');
  const publicEnd = sealAt - 1 - updated.length - Buffer.byteLength(privateText);
  const tag = `${revision}-${sum}`;
  const dead = draft === undefined;
  const line = { id, blog, dead, updatedAt, publicEnd, key, locked, privateText, revision, tag };
  return { bytes, line };
}

function draftText(draft: NewLine['draft']): string {
  if (draft === undefined) return DEAD;
  const title = `,"title":${JSON.stringify(draft.title)}`;
  return draft.content === undefined
    ? title
    : `${title},"content":${JSON.stringify(draft.content)}`;
}

/** Closes an object whose text lacks only its tag and brace. */
export function sealed(text: string, revision: number): string {
  return sealedBy(checksum(text), text, revision);
}

function sealedBy(crc: number, text: string, revision: number): string {
  return `${text}${ETAG}${revision}-${checksumText(crc)}"}`;
}

/** The line of an article of the first blog as it was made on a date; without comma and newline. */
export function newLineText(id: number, draft: Draft, isoDate: string) {
  const text = `${ID}${id}${draftText(draft)}${UPDATED}${isoDate}"`;
  const crc = checksum(text);
  return { text: sealedBy(crc, text, 1), crc };
}

/** The private members of a line that an idempotency key made, or none did. */
export function keyAlone(key: PrivateMembers['key']): PrivateMembers {
  const privateText = key === undefined ? '' : `,"key":["${key.key}","${key.request}"]`;
  return { key, locked: false, privateText };
}

/** Of the private members a tombstone keeps the key alone: a repeated request must still be known. */
export function keptByTombstone(line: PrivateMembers): PrivateMembers {
  return keyAlone(line.key);
}

const LOCKED = ',"locked":true';

/** The private members with the operator's lock, or without it; it stands right after the key. */
export function withLock(line: PrivateMembers, locked: boolean): PrivateMembers {
  const { key } = line;
  const keyText = keyAlone(key).privateText;
  const rest = line.privateText.slice(keyText.length + (line.locked ? LOCKED.length : 0));
  return { key, locked, privateText: `${keyText}${locked ? LOCKED : ''}${rest}` };
}
