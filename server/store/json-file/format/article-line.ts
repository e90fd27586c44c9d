import { checksum, checksumText } from './checksum.ts';

/**
 * One line of `"articles"`. Members in this order: `id`, `blog` (unless it is the file's first
 * blog), `title`, `content`, `updated`, then what only the store sees (`key`, `locked`, members
 * it does not know), `etag` last. The tag seals the bytes before it.
 */
export type ArticleLine = {
  readonly id: number;
  /** Absent for the first blog of the file. */
  readonly blog: number | undefined;
  readonly dead: boolean;
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

const ID = '{"id":';
const BLOG = ',"blog":';
const UPDATED = ',"updated":"';
const ETAG = ',"etag":"';
const DEAD = ',"deleted":true';
const DATE_LENGTH = '2026-01-01T00:00:00.000Z'.length;
const KEY = /^,"key":\["([0-9a-f]*)","([0-9a-f]*)"\]/;
const LOCKED = ',"locked":true';
const TAG = /^(\d{1,15})-([0-9a-f]{8})$/;

/** Reads a line (without comma and newline) as the store wrote it; undefined where its seal is broken. */
export function readArticleLine(line: Buffer): ArticleLine | undefined {
  const tag = sealOf(line);
  // In a string every quote has a backslash before it, so the first `,"updated":"` is the member.
  const publicEnd = line.indexOf(UPDATED);
  if (tag === undefined || publicEnd < 0) return undefined;
  const { id, blog, dead } = lineStart(line, 0, noLineStart());
  const privateStart = publicEnd + UPDATED.length + DATE_LENGTH + 1;
  const privateText = line.toString('utf8', privateStart, line.lastIndexOf(ETAG));
  const dateText = line.toString('latin1', publicEnd + UPDATED.length, privateStart - 1);
  const key = KEY.exec(privateText);
  return {
    id,
    blog,
    dead,
    updatedAt: Date.parse(dateText),
    publicEnd,
    key: key === null ? undefined : { key: key[1] ?? '', request: key[2] ?? '' },
    locked: privateText.startsWith(LOCKED, key === null ? 0 : key[0].length),
    privateText,
    revision: revisionOf(tag),
    tag,
  };
}

/** The tag of a line whose seal holds. */
export function sealOf(line: Buffer): string | undefined {
  const cut = line.lastIndexOf(ETAG);
  if (cut < 0 || line[line.length - 2] !== QUOTE || line[line.length - 1] !== BRACE)
    return undefined;
  const tag = line.toString('latin1', cut + ETAG.length, line.length - 2);
  const match = TAG.exec(tag);
  const holds = match !== null && match[2] === checksumText(checksum(line.subarray(0, cut)));
  return holds ? tag : undefined;
}

const QUOTE = 0x22;
const BRACE = 0x7d;
const COMMA = 0x2c;
const ZERO = 0x30;

/** 0 where the text is no tag. */
export function revisionOf(tag: unknown): number {
  return typeof tag === 'string' && TAG.test(tag) ? Number.parseInt(tag, 10) : 0;
}

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

function digitAt(bytes: Buffer, at: number): number {
  const digit = (bytes[at] ?? 0) - ZERO;
  return digit <= 9 ? digit : -1;
}

/** The public members as one JSON object: the line up to `updated`, without `blog`. */
export function publicJson(line: Buffer, { blog, publicEnd }: ArticleLine): Buffer {
  const idEnd = line.indexOf(COMMA);
  const rest = blog === undefined ? idEnd : line.indexOf(COMMA, idEnd + 1);
  const json = Buffer.allocUnsafe(idEnd + publicEnd - rest + 1);
  line.copy(json, 0, 0, idEnd);
  line.copy(json, idEnd, rest, publicEnd);
  json[json.length - 1] = BRACE;
  return json;
}

export type NewLine = {
  readonly id: number;
  readonly blog: number | undefined;
  /** Undefined: the article is deleted. */
  readonly draft: { readonly title: string; readonly content?: string } | undefined;
  readonly updatedAt: number;
  /** As in ArticleLine. */
  readonly privateText: string;
  readonly revision: number;
};

/** A sealed line without comma and newline. */
export function articleLineText(line: NewLine): string {
  const { id, blog, draft, updatedAt, privateText, revision } = line;
  const blogText = blog === undefined ? '' : `${BLOG}${blog}`;
  const updated = new Date(updatedAt).toISOString();
  return sealed(
    `${ID}${id}${blogText}${draftText(draft)}${UPDATED}${updated}"${privateText}`,
    revision,
  );
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
  return `${text}${ETAG}${revision}-${checksumText(checksum(text))}"}`;
}

export function keyText(key: { readonly key: string; readonly request: string }): string {
  return `,"key":["${key.key}","${key.request}"]`;
}

/** Of the private members a tombstone keeps the key alone: a repeated request must still be known. */
export function keptByTombstone(line: ArticleLine): string {
  return line.key === undefined ? '' : keyText(line.key);
}
