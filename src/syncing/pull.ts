import { existsSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';

import { replaceFileSync } from '../files.ts';
import { portableMarkdown, quoted, slugOf } from '../exporting.ts';
import { byteOrderMark, decodeText } from '../importing/sources/encoding.ts';
import { splitFrontMatter, type FrontMatter } from '../importing/sources/formats/front-matter.ts';
import { membersBesideTitle, readPost } from '../importing/sources/formats/post.ts';
import { ValidationError, type ReadingOptions } from '../importing/sources/source.ts';
import type { Step } from './decide.ts';
import type { FoundFolder, Post } from './folder.ts';
import { GitFailed, gitText, listedIn } from './git.ts';
import type { RemoteText } from './listing.ts';
import { sameForm } from '../client/articles.ts';
import { digestOf, shortDigest, type Text } from './same-text.ts';
import { diffLines } from '../terminal/diff.ts';
import { lineOf, namesOnly, type StateFile } from './state-file.ts';

export type Pulled = {
  readonly path: string;
  readonly id: number;
  readonly result: 'pulled' | 'would be pulled' | 'refused';
  readonly reason?: string;
};

export type PullWorld = {
  readonly folder: FoundFolder;
  readonly state: StateFile;
  readonly reading: Pick<ReadingOptions, 'titleFrom' | 'encoding'> & { readonly exact?: boolean };
  readonly dryRun: boolean;
  /** Where files are made before they are put in their place. */
  readonly draft?: string | undefined;
  /** By which a post in the folder names an article (decisions 55). */
  readonly addressOf: (article: Pick<RemoteText, 'id' | 'url'>) => string;
  /** Names of files with changes that git does not have; undefined where git has none of them. */
  readonly uncommitted: ReadonlySet<string> | undefined;
};

const notUtf8 = 'is not UTF-8, and no file is written in anything else';
const notWritten = 'cannot be written';
const notAlone = 'its title or text cannot be put back by itself';

/** Refused as it would be again, whatever git has. */
export function isByHand({ reason }: Pulled): boolean {
  return reason === notUtf8 || reason === notAlone;
}

/** Refused by the system. */
export function isNotWritten({ reason = '' }: Pulled): boolean {
  return reason.startsWith(notWritten);
}

/** Writes the text of an article into the file of its post, where git has what the file says now. */
export function pullStep({ post, target, line, key }: Step, world: PullWorld): Pulled | undefined {
  if (post === undefined || target === undefined) return undefined;
  const { path } = post;
  const { id } = target;
  const written = rewritten(post, target, world);
  if ('reason' in written) return { path, id, result: 'refused', ...written };
  if (world.dryRun) return { path, id, result: 'would be pulled' };
  const { draft } = world;
  const reason = whyNotWritten(post.file, written.text, { mode: statSync(post.file).mode, draft });
  if (reason !== undefined) return { path, id, result: 'refused', reason };
  const known = line ?? lineOf({ name: post.name, digest: '' }, { ...target, digest: '' });
  const theirs = line === undefined && namesOnly(post, key) && ({ theirs: true } as const);
  world.state.note({ ...known, path: post.name, pulled: target.digest, ...theirs });
  return { path, id, result: 'pulled' };
}

/** Whether the text on the blog can be put into the file of a post, if git has what that says. */
export function canPull({ post, target }: Step, reading: PullWorld['reading']): boolean {
  if (post === undefined || target === undefined || !existsSync(post.file)) return true;
  return !('reason' in rewritten(post, target, { reading, uncommitted: new Set() }));
}

function rewritten(
  post: Post,
  target: RemoteText,
  { reading, uncommitted }: Pick<PullWorld, 'reading' | 'uncommitted'>,
): { readonly text: string } | { readonly reason: string } {
  if (uncommitted === undefined)
    return { reason: 'not in a git work tree, so its text would be lost' };
  if (uncommitted.has(post.name))
    return { reason: 'has changes that are not committed, or git was told not to look at it' };
  const bytes = readFileSync(post.file);
  const { encoding } = reading;
  const text = textOfUtf8(bytes, encoding);
  if (text === undefined) return { reason: notUtf8 };
  const mark = bytes.length === Buffer.byteLength(text) ? '' : byteOrderMark;
  const written = rewritePost(text, post.path, { ...reading, to: target.text });
  return written === undefined ? { reason: notAlone } : { text: mark + written };
}

/** The text of a file without its byte order mark; undefined where UTF-8 is not what it was read as. */
function textOfUtf8(bytes: Buffer, encoding: ReadingOptions['encoding']): string | undefined {
  try {
    const text = decodeText(bytes, encoding);
    const isUtf8 = [text, byteOrderMark + text].some((each) => bytes.equals(Buffer.from(each)));
    return isUtf8 ? text : undefined;
  } catch (error) {
    if (error instanceof ValidationError) return undefined;
    throw error;
  }
}

/** A new file for an article that is not from here, named as an export names it. */
export function pullNew(
  target: RemoteText,
  { folder, dryRun, addressOf, draft }: PullWorld,
): Pulled {
  const { id, text } = target;
  const path = `${String(id).padStart(4, '0')}-${slugOf(text.title)}.md`;
  const file = join(folder.path, path);
  if (existsSync(file))
    return { path, id, result: 'refused', reason: 'a file of that name is there' };
  if (dryRun) return { path, id, result: 'would be pulled' };
  const article = { id, ...text, url: addressOf(target) };
  const reason = whyNotWritten(file, portableMarkdown(article), { mode: 0o666, draft });
  return reason === undefined
    ? { path, id, result: 'pulled' }
    : { path, id, result: 'refused', reason };
}

/** A full disk under one file keeps nothing of the others from being told. */
function whyNotWritten(
  file: string,
  text: string,
  { mode, draft = file }: { readonly mode: number; readonly draft: string | undefined },
): string | undefined {
  try {
    replaceFileSync(file, text, { mode, draft });
    return undefined;
  } catch (error) {
    if (!(error instanceof Error) || !('syscall' in error)) throw error;
    return `${notWritten}: ${error.message}`;
  }
}

/**
 * The text of a file with another title and content: of the front matter only the title's value is
 * replaced, and the content keeps the line ends and blank edges of the file. Undefined where that does
 * not read back as what was meant, or anything else would be changed or hard to read for others: as with
 * a title of several lines, one that is the file's name, or the frame of a whole HTML page.
 */
export function rewritePost(file: string, path: string, rewriting: Rewriting): string | undefined {
  const { to, titleFrom, exact = false } = rewriting;
  const { language, content } = splitFrontMatter(file) ?? { language: 'yaml', content: file };
  if (readPost(file, path, titleFrom).content !== content) return undefined;
  const opening = file.slice(0, file.length - content.length);
  const newContent = exact ? to.content : inTheFormOf(content, to.content);
  // A file may end with the line that closes its front matter.
  const isCut = content === '' && newContent !== '' && opening !== '';
  const head = isCut ? opening.replace(/(?<!\n)$/, '\n') : opening;
  const asItWas = head + newContent;
  if (readsAs(asItWas, path, rewriting)) return asItWas;
  const newTitle = (_all: string, before: string) => before + quoted(to.title);
  const written = head.replace(titles[language], newTitle) + newContent;
  const others = membersBesideTitle(file);
  const isOnlyTitle = others !== undefined && others === membersBesideTitle(written);
  return isOnlyTitle && readsAs(written, path, rewriting) ? written : undefined;
}

type Rewriting = {
  readonly to: Text;
  readonly titleFrom?: ReadingOptions['titleFrom'];
  /** White space is taken as it is. */
  readonly exact?: boolean;
};

function readsAs(file: string, path: string, { to, titleFrom, exact }: Rewriting): boolean {
  try {
    const text = readPost(file, path, titleFrom);
    const isSame = digestOf(text).digest === digestOf(to).digest;
    return isSame && (exact !== true || text.content === to.content);
  } catch (error) {
    if (error instanceof ValidationError) return false;
    throw error;
  }
}

/** Where a title of one line stands, by language: what is before its value, and the value. */
const titles: Readonly<Record<FrontMatter['language'], RegExp>> = {
  yaml: /^(title[ \t]*:[ \t]*)("(?:[^"\\\n]|\\.)*"|'(?:[^'\n]|'')*'|[^\s"'|>#&*!{[](?:[^ \t\r\n]|[ \t\r]+(?=[^ \t\r\n#]))*)/im,
  toml: /^(title[ \t]*=[ \t]*)("(?:[^"\\\n]|\\.)*"|'[^'\n]*')/im,
  json: /("title"\s*:\s*)("(?:[^"\\\n]|\\.)*")/i,
};

/** Lines that did not change keep their ends, which may be of several kinds. */
function inTheFormOf(old: string, content: string): string {
  const lead = /^[\r\n]*/.exec(old)?.[0] ?? '';
  const trail = old.trim() === '' ? '' : old.slice(old.trimEnd().length);
  const body = old.slice(lead.length, old.length - trail.length);
  const ends = body.match(/\r\n?|\n/g) ?? [];
  const usual = old.includes('\r\n') ? '\r\n' : '\n';
  const text = sameForm({ title: '', content }).content;
  let written = '';
  let end = '';
  let at = 0;
  for (const { kind, text: line } of diffLines(body.replaceAll(/\r\n?/g, '\n'), text)) {
    if (kind !== 'added') at += 1;
    if (kind === 'removed') continue;
    written += end + line;
    end = (kind === 'same' && ends[at - 1]) || usual;
  }
  return lead + written + trail;
}

/**
 * Where what is written is made, of one state: no commit takes it from there, and what a kill has left of it
 * is removed. Undefined where git does not say where its own folder is.
 */
export async function draftsOf(state: string, folder: string): Promise<string | undefined> {
  const own = await gitText(['rev-parse', '--absolute-git-dir'], { folder }).catch(() => '');
  if (own === '') return undefined;
  const [place, name] = [own.trimEnd(), `blogctl-pull-${shortDigest(state).slice(0, 10)}`];
  const left = readdirSync(place).filter((each) => each.startsWith(`${name}.`));
  for (const each of left) rmSync(join(place, each), { force: true });
  return join(place, name);
}

/** Files whose text git does not have, or does not look at, by their paths from the root of the work tree. */
export async function uncommittedIn(folder: string): Promise<ReadonlySet<string> | undefined> {
  const status = 'status --porcelain -z --no-renames --untracked-files=all --ignored -- .'.split(
    ' ',
  );
  try {
    const entries = (await gitText(status, { folder })).split('\0').map((entry) => entry.slice(3));
    const { unseen } = await listedIn(folder);
    return new Set([...entries.map((name) => name.normalize('NFC')), ...unseen]);
  } catch (error) {
    if (error instanceof GitFailed) return undefined;
    throw error;
  }
}
