import type { Article, Draft } from '../../store.ts';
import { checksum, checksumAt, checksumText, type TagValue, checksumStart } from './checksum.ts';
import {
  BLOG,
  BRACE,
  COMMA,
  ETAG,
  ID,
  KEY,
  LOCKED,
  QUOTE,
  TOMBSTONE,
  UPDATED,
  digitAt,
  holdsAt,
  LAST_TIME,
  lineStart,
  noLineStart,
  TIME_LENGTH,
  timeAt,
} from './line-bytes.ts';

/**
 * One line of `"articles"`. Members in this order: `id`, `blog` (unless it is the file's first
 * blog), `title`, `content`, `updated`, then what only the store sees (`key`, `locked`, members
 * it does not know), `etag` last. The tag has the checksum of the bytes before it.
 */
export type ArticleLine = {
  readonly id: number;
  /** Absent for the first blog of the file. */
  readonly blog: number | undefined;
  readonly isTombstone: boolean;
  readonly updatedAt: number;
  /** Where `,"updated"` begins: the public members end here. */
  readonly publicEnd: number;
  readonly key: { readonly key: string; readonly request: string } | undefined;
  readonly locked: boolean;
  /** The members after `updated` and before `etag` as text, each with its leading comma. */
  readonly privateText: string;
  readonly revision: number;
  /** `<revision>-<crc32>`. */
  readonly tag: string;
};

const KEY_MEMBER = /^,"key":\["([0-9a-f]*)","([0-9a-f]*)"\]/;
const TAG = /^(\d{1,15})-([0-9a-f]{8})$/;

/** Reads a line (without comma and newline) as the store wrote it; undefined where its checksum fails. */
export function readArticleLine(line: Buffer): ArticleLine | undefined {
  const cut = checksumStart(line);
  const publicEnd = cut < 0 ? -1 : updatedStart(line, cut);
  if (publicEnd < 0) return undefined;
  const { id, blog, isTombstone } = lineStart(line, 0, noLineStart());
  const dateStart = publicEnd + UPDATED.length;
  const privateStart = dateStart + TIME_LENGTH + 1;
  const privateText = privateStart === cut ? '' : line.toString('utf8', privateStart, cut);
  const { key, locked } = privateMembers(privateText);
  const tag = line.toString('latin1', cut + ETAG.length, line.length - 2);
  return {
    id,
    blog,
    isTombstone,
    updatedAt: timeAt(line, dateStart),
    publicEnd,
    key,
    locked,
    privateText,
    revision: Number.parseInt(tag, 10),
    tag,
  };
}

/** What only the store sees of a line. */
export type PrivateMembers = Pick<ArticleLine, 'key' | 'locked' | 'privateText'>;

/** What the store reads of the members only it sees. */
export function privateMembers(privateText: string): PrivateMembers {
  if (privateText === '') return { key: undefined, locked: false, privateText };
  const key = KEY_MEMBER.exec(privateText);
  return {
    key: key === null ? undefined : { key: key[1] ?? '', request: key[2] ?? '' },
    locked: privateText.startsWith(LOCKED, key === null ? 0 : key[0].length),
    privateText,
  };
}

/**
 * Where `,"updated"` begins. Mostly it stands right before the tag. Else it is the first in the
 * line: in a string every quote has a backslash before it, so it can only be the member.
 */
function updatedStart(line: Buffer, cut: number): number {
  const last = cut - UPDATED.length - TIME_LENGTH - 1;
  return last > 0 && line[cut - 1] === QUOTE && holdsAt(line, UPDATED, last)
    ? last
    : line.indexOf(UPDATED);
}

/** The public members as one JSON object: the line up to `updated`, without `blog`. */
export function publicJson(line: Buffer, { blog, publicEnd }: ArticleLine): Buffer {
  const idEnd = blog === undefined ? 0 : line.indexOf(COMMA);
  const rest = blog === undefined ? 0 : line.indexOf(COMMA, idEnd + 1);
  const json = Buffer.allocUnsafe(idEnd + publicEnd - rest + 1);
  if (idEnd > 0) line.copy(json, 0, 0, idEnd);
  line.copy(json, idEnd, rest, publicEnd);
  json[json.length - 1] = BRACE;
  return json;
}

/** What a tag says; undefined where the text is none. */
export function tagValue(tag: unknown): TagValue | undefined {
  const [, revision, crc = ''] = (typeof tag === 'string' && TAG.exec(tag)) || [];
  return revision ? { revision: Number(revision), crc: Number.parseInt(crc, 16) } : undefined;
}

/** What the tag says at the end of a line whose checksum holds. */
export function tagValueAt(bytes: Buffer, lineEnd: number): TagValue {
  const crcStart = lineEnd - 10;
  let start = crcStart - 2;
  let revision = 0;
  for (let unit = 1; digitAt(bytes, start) >= 0; start -= 1, unit *= 10)
    revision += unit * digitAt(bytes, start);
  return { revision, crc: Math.max(0, checksumAt(bytes, crcStart)) };
}

/** Title and content of the public JSON of an article, which the store wrote itself. */
export function draftOfJson(json: Buffer): Draft {
  const { title, content }: Readonly<Record<string, unknown>> = JSON.parse(json.toString('utf8'));
  const named = { title: String(title) };
  return typeof content === 'string' ? { ...named, content } : named;
}

/** The article of a line that was checked; the bytes may be reused afterwards. */
export function articleOfLine(bytes: Buffer, line: ArticleLine, blogId: number): Article {
  const { id, tag, updatedAt, locked } = line;
  const json = publicJson(bytes, line);
  return Object.freeze({ blogId, id, tag, updatedAt, locked, length: json.length, json });
}

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

/** A line with its tag, written into its bytes once: the checksum is put into the place left for it. */
export function composeLine(newLine: NewLine): ComposedLine {
  const { id, blog, draft } = newLine;
  const updatedAt = Math.min(newLine.updatedAt, LAST_TIME);
  const revision = Math.min(newLine.revision, LAST_REVISION);
  const { key, locked, privateText } = newLine.privates;
  const blogText = blog === undefined ? '' : `${BLOG}${blog}`;
  const updated = `${UPDATED}${new Date(updatedAt).toISOString()}"`;
  const tagText = `${ETAG}${revision}-${NO_CHECKSUM}"}\n`;
  const text = `${ID}${id}${blogText}${draftText(draft)}${updated}${privateText}`;
  const bytes = Buffer.from(`,${text}${tagText}`);
  const tagAt = bytes.length - tagText.length;
  const sum = checksumText(checksum(bytes.subarray(1, tagAt)));
  bytes.write(sum, bytes.length - sum.length - CLOSING.length, 'latin1');
  const publicEnd = tagAt - 1 - updated.length - Buffer.byteLength(privateText);
  const line = {
    id,
    blog,
    isTombstone: draft === undefined,
    updatedAt,
    publicEnd,
    key,
    locked,
    privateText,
    revision,
    tag: `${revision}-${sum}`,
  };
  return { bytes, line };
}

function draftText(draft: NewLine['draft']): string {
  if (draft === undefined) return TOMBSTONE;
  const title = `,"title":${JSON.stringify(draft.title)}`;
  return draft.content === undefined
    ? title
    : `${title},"content":${JSON.stringify(draft.content)}`;
}

/** Closes an object whose text lacks only its tag and brace. */
export function withTag(text: string, revision: number): string {
  return withChecksum(checksum(text), text, revision);
}

function withChecksum(crc: number, text: string, revision: number): string {
  return `${text}${ETAG}${revision}-${checksumText(crc)}"}`;
}

/** The line of an article of the first blog as it was made on a date; without comma and newline. */
export function newLineText(id: number, draft: Draft, isoDate: string) {
  const text = `${ID}${id}${draftText(draft)}${UPDATED}${isoDate}"`;
  const crc = checksum(text);
  return { text: withChecksum(crc, text, 1), crc };
}

/** The private members of a line that an idempotency key made, or none did. */
export function keyAlone(key: PrivateMembers['key']): PrivateMembers {
  const privateText = key === undefined ? '' : `${KEY}${key.key}","${key.request}"]`;
  return { key, locked: false, privateText };
}

/** Of the private members a tombstone keeps the key alone: a repeated request must still be known. */
export function keptByTombstone(line: PrivateMembers): PrivateMembers {
  return keyAlone(line.key);
}

/** The private members with the operator's lock, or without it; it stands right after the key. */
export function withLock(line: PrivateMembers, locked: boolean): PrivateMembers {
  const { key } = line;
  const keyText = keyAlone(key).privateText;
  const rest = line.privateText.slice(keyText.length + (line.locked ? LOCKED.length : 0));
  return { key, locked, privateText: `${keyText}${locked ? LOCKED : ''}${rest}` };
}
