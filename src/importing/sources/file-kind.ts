import { readdirSync } from 'node:fs';
import { extname } from 'node:path';
import type { Hint } from '../../errors.ts';
import { readStart } from './chunks.ts';
import type { ReadingOptions } from './source.ts';
import type { WalkedFile } from './walk.ts';

/**
 * What a file of a folder may be by its name: a post; a text, which is a post where it has a title;
 * a file of records, by what it holds; anything else is passed over.
 */
export type FileKind = 'post' | 'text' | 'data' | 'markup' | 'image' | 'other';

const extensions: readonly (readonly [FileKind, string])[] = [
  ['post', '.md .markdown .mkd .mkdn .mkdown .mdx .html .htm'],
  ['text', '.txt'],
  ['data', '.json .ndjson .jsonl .csv .tsv .tab .xml .rss .atom .rdf .zip'],
  ['markup', '.textile .org .rst .adoc .asciidoc'],
  ['image', '.png .jpg .jpeg .gif .svg .webp .avif .bmp .ico .tif .tiff .heic'],
];

/** With their dots. */
export const postExtensions = extensions.flatMap(([kind, names]) =>
  kind === 'post' ? names.split(' ') : [],
);

const kinds = new Map(
  extensions.flatMap(([kind, names]) =>
    names.split(' ').map((name): [string, FileKind] => [name, kind]),
  ),
);

export function fileKind(path: string): FileKind {
  return kinds.get(extname(withoutGz(path)).toLowerCase()) ?? 'other';
}

export function isPostFile(path: string): boolean {
  return fileKind(path) === 'post';
}

/** What an argument names in a folder: everything, what matches a pattern, or posts one by one. */
export type FileSet = {
  readonly folder: string;
  /** The folder's own name. */
  readonly name: string;
  /** Files of any name are looked into for records. */
  readonly isPattern?: true;
  /** What a post is called by its path in the folder (decisions 44). */
  pathOf(path: string): string;
  /** It is a file, or one of several folders, which a shell's list may have named. */
  readonly isListed?: boolean;
  /** The folder that all arguments share. */
  readonly shared?: string;
  /** The file that it was unpacked from. */
  readonly archive?: string;
  find(): Iterable<WalkedFile>;
};

export type FoundFile = { readonly set: FileSet; readonly file: WalkedFile };

/** A folder above may be closed to us. */
export function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/** What a file is called where it is unpacked. */
export function withoutGz(path: string): string {
  return path.replace(/\.gz$/i, '');
}

const wild = /[*?[{]/;

export type Glob = {
  /** The folders before the first pattern: `posts` of `posts/2020-*.md`. */
  readonly folder: string;
  /** Whether a path relative to that folder matches. */
  readonly matches: (path: string) => boolean;
};

/** A pattern of `*`, `**`, `?`, `[a-z]` and `{a,b}`; undefined where the argument holds none. */
export function parseGlob(argument: string): Glob | undefined {
  if (!wild.test(argument)) return undefined;
  const parts = argument.split('/');
  const first = parts.findIndex((part) => wild.test(part));
  const pattern = new RegExp(`^${expression(parts.slice(first).join('/'))}$`, 'u');
  const folder = parts.slice(0, first).join('/');
  return {
    folder: folder === '' ? (argument.startsWith('/') ? '/' : '.') : folder,
    matches: (path) => pattern.test(path),
  };
}

const tokens = /\*\*\/|\*\*|\*|\?|\[!?[^\]]+\]|\{[^}]+\}|[^*?[{]+|[[{]/g;

function expression(pattern: string): string {
  return (pattern.match(tokens) ?? []).map(translate).join('');
}

function translate(token: string): string {
  if (token === '**/') return '(?:[^/]+/)*';
  if (token === '**') return '.*';
  if (token === '*') return '[^/]*';
  if (token === '?') return '[^/]';
  if (token.startsWith('[') && token.length > 1) return characterClass(token);
  if (token.startsWith('{') && token.length > 1) return alternatives(token);
  return token.replaceAll(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
}

function characterClass(token: string): string {
  const inner = token.slice(1, -1).replace(/^!/, '^').replaceAll(/[\\[]/g, '\\$&');
  return `[${inner}]`;
}

function alternatives(token: string): string {
  return `(?:${token.slice(1, -1).split(',').map(expression).join('|')})`;
}

/** What a file is that is not read, and what to do with it. */
export type Unread = { readonly name: string; readonly hint: Hint };

/** What is looked at of a file, to see what it is. */
export const sampleBytes = 1 << 16;

const unpack = 'Unpack it and name the folder or the file in it.';
const convert = 'Convert it to Markdown or HTML, e.g. with pandoc, and import that.';
const exportIt = 'Export its rows as CSV or JSON, and import that.';
const none = 'An import takes texts only.';

type Signature = readonly [name: string, hint: Hint, bytes: string, offset?: number];

/** By bytes, written as Latin-1. */
const signatures: readonly Signature[] = [
  ['a zip archive', unpack, 'PK\x03\x04'],
  ['an empty zip archive', unpack, 'PK\x05\x06'],
  ['a tar archive', unpack, 'ustar', 257],
  ['a 7z archive', unpack, '7z\xBC\xAF\x27\x1C'],
  ['a rar archive', unpack, 'Rar!\x1A\x07'],
  ['compressed by bzip2', unpack, '1AY&SY', 4],
  ['compressed by xz', unpack, '\xFD7zXZ\0'],
  ['compressed by zstd', unpack, '\x28\xB5\x2F\xFD'],
  ['compressed by lz4', unpack, '\x04\x22\x4D\x18'],
  ['compressed by compress', unpack, '\x1F\x9D'],
  ['a PDF document', convert, '%PDF-'],
  ['an RTF document', convert, '{\\rtf'],
  ['an old Office document (.doc, .xls, .ppt)', convert, '\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1'],
  ['an SQLite database', exportIt, 'SQLite format 3\0'],
  ['a Parquet file', exportIt, 'PAR1'],
  ['an Avro file', exportIt, 'Obj\x01'],
  ['a PNG image', none, '\x89PNG'],
  ['a JPEG image', none, '\xFF\xD8\xFF'],
  ['a GIF image', none, 'GIF87a'],
  ['a GIF image', none, 'GIF89a'],
  ['a WebP image', none, 'WEBP', 8],
  ['a TIFF image', none, 'II*\0'],
  ['a TIFF image', none, 'MM\0*'],
  ['an icon', none, '\0\0\x01\0'],
  ['a video or an AVIF or HEIC image', none, 'ftyp', 4],
  ['a sound', none, 'ID3\x03'],
  ['a sound', none, 'ID3\x04'],
  ['a program', none, '\x7FELF'],
];

/** Zip archives that are documents, by what stands in their beginning. */
const documents: readonly (readonly [name: string, hint: Hint, sign: RegExp])[] = [
  ['an EPUB book', convert, /mimetypeapplication\/epub\+zip/],
  ['an OpenDocument file (.odt, .ods)', convert, /mimetypeapplication\/vnd\.oasis/],
  ['a Word document (.docx)', convert, /PK..[^]{26}word\//],
  ['an Excel workbook (.xlsx)', exportIt, /PK..[^]{26}xl\//],
  ['an Office document', convert, /\[Content_Types\]\.xml/],
  ['a Java archive', none, /PK..[^]{26}META-INF\//],
];

/** What a file is by its first bytes, where that is nothing that a format reads. */
export function unreadKind(start: Buffer): Unread | undefined {
  const text = start.toString('latin1');
  const found = signatures.find(([, , bytes, offset = 0]) => text.startsWith(bytes, offset));
  if (found === undefined) return undefined;
  const document = isZip(start) ? documents.find(([, , sign]) => sign.test(text)) : undefined;
  const [name, hint] = document ?? found;
  return { name, hint };
}

/** Whether a file is a zip archive of files, and no document in one. */
export async function isArchive(path: string): Promise<boolean> {
  const start = await readStart(path, sampleBytes);
  return isZip(start) && unreadKind(start)?.name === 'a zip archive';
}

function isZip(start: Buffer): boolean {
  return start.toString('latin1', 0, 4) === 'PK\x03\x04';
}

/** Counts the files of a folder that are not read, by kind. */
export type PassedOver = {
  add(path: string, as?: string): void;
  /** `3 images, 2 .rst are not read`, with what to do; undefined where there are none. */
  message(options: ReadingOptions): string | undefined;
};

/** Its records are wrong, or were mended: somebody has to name it. */
export const rejectsKind = 'rejects file';

/** More kinds than this are counted together. */
const mostKinds = 12;

export function createPassedOver(): PassedOver {
  const counts = new Map<string, number>();
  return {
    add(path, kind = kindOf(path)) {
      const name = counts.has(kind) || counts.size < mostKinds ? kind : 'other';
      counts.set(name, (counts.get(name) ?? 0) + 1);
    },
    message({ titleFrom }) {
      if (counts.size === 0) return undefined;
      const most = [...counts].sort(([a, some], [b, more]) => more - some || (a < b ? -1 : 1));
      const said = most.map(([kind, count]) => described(kind, count)).join(', ');
      return [`Not read: ${said}.`, ...hints(counts, titleFrom)].join(' ');
    },
  };
}

function kindOf(path: string): string {
  const kind = fileKind(path);
  const extension = extname(path).toLowerCase();
  if (kind === 'image' || extension === '') return kind;
  return extension.length > 10 ? 'other' : extension;
}

function described(kind: string, count: number): string {
  if (kind === 'image' || kind === rejectsKind) return `${count} ${kind}${count === 1 ? '' : 's'}`;
  return `${count} ${kind}`;
}

function hints(
  counts: ReadonlyMap<string, number>,
  titleFrom: ReadingOptions['titleFrom'],
): readonly string[] {
  const markup = [...counts.keys()].filter((kind) => fileKind(`x${kind}`) === 'markup');
  return [
    ...(counts.has(rejectsKind) ? ['Name a rejects file itself to import it.'] : []),
    ...(markup.length > 0 ? [`Convert ${markup.join(' and ')} to Markdown first.`] : []),
    ...(counts.has('.txt') && titleFrom === undefined
      ? ['--title-from line imports .txt too.']
      : []),
  ];
}
