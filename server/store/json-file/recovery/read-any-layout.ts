import { isUtf8 } from 'node:buffer';
import type { OpenFile } from '../files/file-system.ts';
import { revisionOf } from '../format/article-line.ts';
import { HeadError, isId, parseHead, type Head } from '../format/head.ts';
import { compactJson, type Member } from '../format/members.ts';
import { UnusableStore } from '../unusable-store.ts';
import { ByteWindow } from './byte-window.ts';
import { EntryList } from './entry-list.ts';
import { findJsonError } from './find-json-error.ts';
import { positionOf } from './position.ts';
import { NotSplit, splitDocument } from './split-document.ts';

export type Readout = { readonly head: Head; readonly entries: EntryList };

/** A text that is no article; the file is left as it is. */
class NotAnArticle extends Error {
  override readonly name = 'NotAnArticle';
  readonly offset: number;

  constructor(offset: number, message: string) {
    super(message);
    this.offset = offset;
  }
}

/** Reads a store file in any JSON layout. Throws UnusableStore with the place of what is wrong. */
export function readAnyLayout(file: OpenFile, path: string, now: number): Readout {
  const window = new ByteWindow(file);
  const places = new Map<string, number>();
  try {
    return readAll(window, { places, now });
  } catch (error) {
    const found = explain(window, places, error);
    if (found === undefined) throw error;
    throw damaged(file, path, found);
  }
}

function readAll(
  window: ByteWindow,
  { places, now }: { places: Map<string, number>; now: number },
): Readout {
  const members: Member[] = [];
  const entries = new EntryList();
  const blogs = new Set<number>();
  splitDocument(window, {
    member: (name, from, to) => {
      if (places.has(name)) throw new NotAnArticle(from, `"${name}" stands there twice`);
      places.set(name, from);
      members.push([name, memberText(window, from, to)]);
    },
    article: (from, to) => {
      const entry = readArticle(window, from, to);
      entries.push(entry);
      if (entry.blog !== undefined) blogs.add(entry.blog);
    },
  });
  const head = parseHead(members, now);
  const stray = [...blogs].find((id) => !head.blogs.some((blog) => blog.id === id));
  if (stray !== undefined)
    throw new HeadError('blogs', `articles name blog ${stray}, which is not listed`);
  return { head, entries };
}

function memberText(window: ByteWindow, from: number, to: number): string {
  const text = utf8(window, from, to);
  JSON.parse(text);
  return compactJson(text);
}

function utf8(window: ByteWindow, from: number, to: number): string {
  const bytes = window.slice(from, to);
  if (!isUtf8(bytes)) throw new NotAnArticle(from, 'Invalid UTF-8');
  return bytes.toString('utf8');
}

function readArticle(window: ByteWindow, from: number, to: number) {
  const value: unknown = JSON.parse(utf8(window, from, to));
  const fields: Readonly<Record<string, unknown>> =
    typeof value === 'object' && value !== null ? { ...value } : {};
  const { id, blog, title, content, deleted, etag, key } = fields;
  if (!isId(id)) throw new NotAnArticle(from, 'An article without an id');
  const wrong = (what: string) => new NotAnArticle(from, `Article ${id}: ${what}`);
  if (blog !== undefined && !isId(blog)) throw wrong('"blog" is no id');
  if (deleted !== true && typeof title !== 'string') throw wrong('"title" is no string');
  if (content !== undefined && typeof content !== 'string') throw wrong('"content" is no string');
  return {
    id,
    blog,
    dead: deleted === true,
    keyed: key !== undefined,
    revision: revisionOf(etag),
    offset: from,
    length: to - from,
  };
}

type Place = { readonly offset: number; readonly what: string; readonly foreign?: boolean };

function explain(
  window: ByteWindow,
  places: Map<string, number>,
  error: unknown,
): Place | undefined {
  if (error instanceof NotAnArticle) return { offset: error.offset, what: error.message };
  if (error instanceof HeadError) {
    return { offset: places.get(error.member) ?? 0, what: error.message, foreign: error.foreign };
  }
  if (error instanceof NotSplit) {
    return findJsonError(window) ?? { offset: error.offset, what: 'This is no store document' };
  }
  return error instanceof SyntaxError ? findJsonError(window) : undefined;
}

function damaged(file: OpenFile, path: string, { offset, what, foreign }: Place): UnusableStore {
  const { line, column } = positionOf(file, offset);
  const message = `${path}:${line}:${column} ${what}. Nothing was changed.`;
  if (foreign === true) {
    return new UnusableStore('foreign', message, {
      hint: 'Name a store file, or make one with `blogctl store init`.',
    });
  }
  return new UnusableStore('damaged', message, {
    hint: `\`blogctl store check --store ${path}\` lists what is wrong, \`blogctl store repair\` writes what can be saved into a new file.`,
  });
}
