import { basename, dirname, resolve } from 'node:path';
import { closeSync, openSync, readSync } from 'node:fs';

import { articleAddress, identify, postIdentity, type Identity } from '../identity.ts';
import { postPathsBelow } from '../walk.ts';
import {
  ValidationError,
  rejectOf,
  type FileFormat,
  type FileSample,
  type ReadingOptions,
  type Source,
  type Entry,
  type SourcePosition,
  type Notice,
} from '../source.ts';
import { fileKind } from '../file-kind.ts';
import { momentsOf } from '../dates.ts';
import { conflictIn } from '../publicity.ts';
import type { Member, reasonIn } from '../publicity-signs.ts';
import { isSectionPage } from '../signs-beside.ts';
import { reasonBeside, withPath } from './export-item.ts';
import { readText, withoutByteOrderMark } from '../encoding.ts';
import {
  membersNamed,
  membersOf,
  parseToml,
  splitFrontMatter,
  type FrontMatter,
  type Head,
} from './front-matter.ts';
import { parsed } from './yaml-head.ts';
import { membersOfCode } from './json-scanner.ts';
import { finishPost, openPost } from './post.ts';

/** A post that was sent to stdin or has another name than posts have. */
export const singlePost: FileFormat = {
  name: 'a Markdown file',
  isNeverFound: true,
  recognises: ({ head, path }) =>
    fileKind(path) !== 'markup' && /^(?:---|\+\+\+)[ \t\r]*\n/.test(head),
  open: openSingle,
};

/**
 * A file that holds a post where nothing else was recognised: the title may be its first line. What has no
 * extension, as a stream, is one for who says where its title is.
 */
export const plainText: FileFormat = {
  name: 'plain text (.txt)',
  isNeverFound: true,
  recognises: ({ extension }, { titleFrom }) =>
    extension === '.txt' || (extension === '' && titleFrom !== undefined),
  open: openSingle,
};

function openSingle({ path, name }: FileSample, options: ReadingOptions): Source {
  return {
    name,
    async *batches() {
      const identity = identityOfFile(path, name, options);
      yield [postEntry({ path, place: { source: name, position: 1 }, identity }, options)];
    },
  };
}

/** A stream has no path. */
function identityOfFile(path: string, name: string, { root }: ReadingOptions): Identity {
  if (name === 'stdin') return identify('record', {}, { file: name });
  const folder = dirname(path);
  const pathOf = postPathsBelow(folder, basename(resolve(folder)), root);
  return postIdentity(pathOf(basename(path)));
}

export type PostFile = {
  /** As it is opened. */
  readonly path: string;
  readonly place: SourcePosition;
  readonly identity: Identity;
};

/** The entry of one post, read at once. */
export function postEntry(file: PostFile, options: ReadingOptions): Entry {
  const { path, place, identity } = file;
  if (isSectionPage(place.source)) return { kind: 'skip', place, reason: 'section-page' };
  try {
    return postTextEntry(readText(path, options.encoding), file, options);
  } catch (error) {
    return rejectOf(error, { identity, place });
  }
}

/** The entry of a post whose text is known; that of a stream or of a reject has no file. */
export function postTextEntry(
  text: string,
  { path, place, identity }: PostFile,
  options: ReadingOptions,
): Entry {
  try {
    const post = openPost(text, options);
    const name = pathIn(identity);
    const reason = reasonToSkip(post.head, name ?? '', options);
    // A draft may have one, but where nobody knows which of two heads says whether it is one.
    const isAbove = text.slice(0, text.length - post.rest.length).includes('<<<<<<< ');
    const conflict = reason === undefined || isAbove ? conflictIn(text) : undefined;
    if (conflict && options.unmerged !== true)
      throw new ValidationError('syntax', conflict.message);
    const told: Notice[] = conflict ? [conflict] : [];
    if (reason?.reason === 'future') told.push(...brokenHead(post.head));
    if (reason !== undefined) return { kind: 'skip', place, identity, notices: told, ...reason };
    const { title, content, notices } = finishPost(post, name ?? place.source, options.titleFrom);
    const said = [...notices, ...told];
    const folder = dirname(place.source === 'stdin' ? '' : path);
    const article = articleAddress(post.head.article ?? '', folder);
    return { kind: 'record', identity, place, title, content, article, notices: said };
  } catch (error) {
    return rejectOf(error, { identity, place, record: text });
  }
}

/** What the front matter says that the content of a record begins with, as dev.to exports it (`body_markdown`). */
export function signsInContent(content: unknown, name: string): readonly Member[] {
  if (typeof content !== 'string' || !/^\uFEFF?(?:---|\+\+\+|\{)/.test(content)) return [];
  const text = withoutByteOrderMark(content);
  try {
    if (splitFrontMatter(text) === undefined) return [];
    return openPost(text).head.signs.flatMap((signs) =>
      Object.entries(signs)
        .filter(([, value]) => value !== undefined)
        .map(([key, value]) => ({ key, name: `${name}: ${key}`, value })),
    );
  } catch (error) {
    // A line --- that nothing closes begins a text.
    if (error instanceof ValidationError) return [];
    throw error;
  }
}

const memberOfData =
  /(?:^|,)[ \t]*(?:\.\.[ \t]+)?["']?([\p{L}\p{M}\w-]+)["']?[ \t]*:[ \t]*("[^"\n]*"|'[^'\n]*'|[^\n,]*)/gmu;

/** What stands beside a post and is no JSON: Nikola's lines of names and values, and the object that code of Eleventy exports. */
export function membersOfData(text: string, isCode: boolean): readonly Member[] {
  const [, object = ''] = /(?:export default|module\.exports *=)\s*(\{[^]*)/.exec(text) ?? [];
  const lines = isCode ? membersOfCode(object) : text;
  return [...lines.matchAll(memberOfData)].map(([, key = '', value = '']) => ({
    key,
    value: value.replaceAll(/^["']|["']$|\s+$/g, ''),
  }));
}

/** A post that is public one day by itself is told of at once where its head is broken. */
function brokenHead(head: Head): readonly Notice[] {
  try {
    return head.title().notices.filter(({ kind }) => kind === 'title-read-alone');
  } catch (error) {
    if (error instanceof ValidationError) return [{ kind: 'broken-head', message: error.message }];
    throw error;
  }
}

/** What a post is called (decisions 44): the same however it was reached. */
function pathIn({ name = '' }: Identity): string | undefined {
  return name.startsWith('path:') ? name.slice('path:'.length) : undefined;
}

/** Whether a file begins with the line of front matter in YAML or TOML. */
export function opensFrontMatter(path: string): boolean {
  const file = openSync(path, 'r');
  try {
    const bytes = Buffer.alloc(16);
    const head = bytes.toString('latin1', 0, readSync(file, bytes));
    return /^(?:\u00EF\u00BB\u00BF)?(?:---|\+\+\+)[ \t\r]*\n/.test(head);
  } finally {
    closeSync(file);
  }
}

/** When a post says it was written, else what its path says; milliseconds since 1970. */
export function postMoment(path: string, options: ReadingOptions): number | undefined {
  const dates: readonly unknown[] = [datesInHead(path, options), dateInPath(path)].flat();
  return dates
    .flatMap((date) => momentsOf(date instanceof Date ? date.toISOString() : String(date)))
    .at(0);
}

/** Its date, or several; undefined where it has none or cannot be read. */
function datesInHead(path: string, options: ReadingOptions): unknown {
  try {
    return openPost(readText(path, options.encoding), options).head.signs[0]?.date;
  } catch (error) {
    if (error instanceof ValidationError) return undefined;
    throw error;
  }
}

/** What the front matter says, the path, and what stands beside. */
function reasonToSkip(
  { signs, article }: Head,
  path: string,
  options: ReadingOptions,
): ReturnType<typeof reasonIn> {
  // What was exported begins with its number: 2999-12-24-dinner.md.
  const date = article === undefined ? dateInPath(path) : undefined;
  const dated =
    date === undefined ? signs : signs.map((each) => ({ ...each, date: each.date ?? date }));
  return reasonBeside(dated, withPath(options, path));
}

/** Of `2020-05-01-spring.md`, `20200501-spring.md`, `2020-05-01/index.md`, `2020/05/01/spring.md`; no number of eight digits. */
function dateInPath(path: string): string | undefined {
  const name = path.replace(/\/index\.[^/]*$/, '').replace(/^.*\//s, '');
  const ofName = /^(\d{4})([-._]?)(\d{1,2})\2(\d{1,2})(?=[-_. ]|$)/.exec(name);
  const ofFolders = /(?:^|\/)(\d{4})(\/)(\d{1,2})\/(\d{1,2})\//.exec(path);
  const { 1: year, 3: month = '', 4: day = '' } = ofName ?? ofFolders ?? [];
  const isDay = +month > 0 && +month < 13 && +day > 0 && +day < 32;
  return isDay ? `${year}-${month}-${day}` : undefined;
}

/** What Hugo's `_index` says of all posts below it, and Zola's where it is a draft; undefined where its front matter cannot be read as a whole. */
export function cascadeIn(
  path: string,
  { encoding }: ReadingOptions,
): readonly Member[] | undefined {
  try {
    const head = splitFrontMatter(readText(path, encoding));
    if (head === undefined || !/cascade|draft/i.test(head.text)) return [];
    const members = membersOf(valueOf(head));
    const ofZola = head.language === 'toml' ? membersNamed(members, 'draft') : [];
    return membersNamed(members, 'cascade')
      .flatMap(({ value }) => value)
      .flatMap((each) => (typeof each === 'object' && each !== null ? membersOf(each) : []))
      .concat(ofZola.map((each) => ({ ...each, isDefault: true as const })));
  } catch {
    return undefined;
  }
}

export function valueOf({ language, text }: Pick<FrontMatter, 'language' | 'text'>): object {
  if (language === 'toml') return parseToml(text);
  const value: unknown = language === 'yaml' ? wholeYaml(text) : JSON.parse(text);
  return typeof value === 'object' && value !== null ? value : {};
}

/** What is broken is a value all the same, to this parser. */
function wholeYaml(text: string): unknown {
  const document = parsed(text);
  if (document.errors[0] !== undefined) throw document.errors[0];
  return document.toJS();
}
