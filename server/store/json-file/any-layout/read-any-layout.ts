import type { OpenFile } from '../files/file-system.ts';
import { HeadError, parseHead, type Head } from '../format/head.ts';
import { compactJson, type Member } from '../format/members.ts';
import { UnusableStore } from '../unusable-store.ts';
import { ByteWindow } from './byte-window.ts';
import { EntryList } from '../recovery/entry-list.ts';
import { findJsonError } from './find-json-error.ts';
import { positionOf } from './position.ts';
import { NotAnArticle, readArticle, utf8 } from './read-article.ts';
import { NotSplit, splitDocument } from './split-document.ts';

export type Readout = {
  readonly head: Head;
  readonly entries: EntryList;
  /** Live articles as the commit record counts them; undefined where there is none. */
  readonly counted: number | undefined;
};

/** Reads a store file in any JSON layout. Throws UnusableStore with the place of what is wrong. */
export function readAnyLayout(file: OpenFile, path: string, changedMs: number): Readout {
  const window = new ByteWindow(file);
  const places = new Map<string, number>();
  try {
    return readAll(window, { places, changedMs });
  } catch (error) {
    const found = explain(window, places, error);
    if (found === undefined) throw error;
    throw damaged(file, path, found);
  }
}

function readAll(
  window: ByteWindow,
  { places, changedMs }: { places: Map<string, number>; changedMs: number },
): Readout {
  const members: Member[] = [];
  const entries = new EntryList();
  const blogs = new Set<number>();
  const place = (name: string, from: number) => {
    if (places.has(name)) throw new NotAnArticle(from, `"${name}" stands there twice`);
    places.set(name, from);
  };
  splitDocument(window, {
    member: (name, from, to) => {
      place(name, from);
      members.push([name, memberText(window, from, to)]);
    },
    list: (from) => place('articles', from),
    article: (from, to) => {
      const entry = readArticle(window, from, to);
      entries.push(entry);
      if (entry.blog !== undefined) blogs.add(entry.blog);
    },
  });
  const head = parseHead(members, changedMs);
  const stray = [...blogs].find((id) => !head.blogs.some((blog) => blog.id === id));
  if (stray !== undefined)
    throw new HeadError('blogs', `articles name blog ${stray}, which is not listed`);
  refuseMissing(places);
  return { head, entries, counted: countedIn(members) };
}

/** A damaged name would hide all that it names. Who writes a file by hand leaves `end` out. */
function refuseMissing(places: ReadonlyMap<string, number>): void {
  const needed = places.has('end') ? ['articles', 'deleted'] : ['articles'];
  const missing = needed.find((name) => !places.has(name));
  if (missing !== undefined) throw new HeadError('format', `"${missing}" is missing`);
}

function countedIn(members: readonly Member[]): number | undefined {
  const end: unknown = JSON.parse(members.find(([name]) => name === 'end')?.[1] ?? 'null');
  const count = typeof end === 'object' && end !== null && 'articles' in end ? end.articles : null;
  return typeof count === 'number' ? count : undefined;
}

function memberText(window: ByteWindow, from: number, to: number): string {
  const text = utf8(window, from, to);
  JSON.parse(text);
  return compactJson(text);
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
  const code = foreign === true ? 'foreign' : 'damaged';
  const hint =
    code === 'foreign'
      ? 'Name a store file, or make one with `blogctl store init`.'
      : `\`blogctl store check --store ${path}\` lists what is wrong, \`blogctl store repair\` writes what can be saved into a new file.`;
  return new UnusableStore(code, message, { hint, place: { line, offset } });
}
