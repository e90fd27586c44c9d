import { isUtf8 } from 'node:buffer';
import { constants, createReadStream, existsSync, openSync, statSync } from 'node:fs';
import { Socket } from 'node:net';
import { addAbortSignal } from 'node:stream';
import { Refusal } from '../errors.ts';
import { type ArticleInput, parseArticle, parseJson } from '../policy/body.ts';
import { createJsonFile, type NewStore } from '../store/json-file/create.ts';
import type { FileSystem } from '../store/file-system/file-system.ts';
import { createMemoryFileSystem } from '../store/file-system/memory-file-system.ts';
import { realFileSystem } from '../store/file-system/real-file-system.ts';
import type { JsonFileStore } from '../store/json-file/json-file-store.ts';
import { inMemory, openJsonFile } from '../store/json-file/open.ts';
import { inShell, orUnusable, UnusableStore } from '../store/unusable-store.ts';
import type { Draft } from '../store/store.ts';
import { tokensBeside } from '../store/token-file.ts';
import type { Tokens } from '../store/tokens.ts';
import type { ServeOptions } from './options.ts';

type Asked = 'title' | 'description' | 'notice' | 'ephemeral' | 'seed' | 'readOnly' | 'watch';

export type Opening = Pick<ServeOptions, Asked | 'file' | 'signal'> & {
  /** A file that is missing is made; else it is UnusableStore `missing`. */
  readonly make: boolean;
  readonly isBrief?: boolean;
};

export type Opened = {
  readonly store: JsonFileStore;
  readonly tokens: Tokens;
};

/** Whether a store is named by the address of a database. */
export function isDatabase(store: string): boolean {
  return /^postgres(?:ql)?:/i.test(store);
}

/** Opens a store; throws UnusableStore or StoreHeld. */
export async function openStore(options: Opening): Promise<Opened> {
  const { file, ephemeral = false, title = 'My blog', description = '', notice } = options;
  const readOnly = options.readOnly === true && !ephemeral;
  const seed = options.seed === undefined ? [] : await readSeed(options.seed, options);
  const fileSystem = ephemeral ? createMemoryFileSystem() : realFileSystem;
  const path = ephemeral ? inMemory : file;
  const isMissing = ephemeral || (options.make && !existsSync(path));
  const newStore = { title, description, articles: seed };
  const isMade = isMissing && (await made(path, newStore, fileSystem));
  const store = await openJsonFile({
    path,
    fileSystem,
    readOnly,
    watch: options.watch === true,
    isBrief: options.isBrief === true,
    ...(notice !== undefined && { report: notice }),
  });
  if (!isMade && seed.length > 0) {
    const [blog] = await store.blogs();
    if (blog?.total === 0 && !readOnly) await seedBlog(store, blog.id, seed);
    else
      notice?.(
        `The store ${readOnly ? 'is only read' : 'has articles already'}: the seed was left out.`,
      );
  }
  return { store, tokens: tokensBeside(store.path, fileSystem) };
}

/** False where another process found it missing at the same time; a link that leads nowhere is not that. */
async function made(path: string, store: NewStore, fileSystem: FileSystem): Promise<boolean> {
  try {
    await createJsonFile(path, store, fileSystem);
    return true;
  } catch (error) {
    const isThere = error instanceof UnusableStore && error.code === 'exists' && existsSync(path);
    if (!isThere) throw error;
    return false;
  }
}

/** So many at a time: a store takes only so much that waits. */
const SEEDED_AT_ONCE = 1000;

async function seedBlog(
  store: JsonFileStore,
  blogId: number,
  seed: readonly Draft[],
): Promise<void> {
  for (let from = 0; from < seed.length; from += SEEDED_AT_ONCE) {
    const some = seed.slice(from, from + SEEDED_AT_ONCE);
    await Promise.all(some.map((draft) => store.create(blogId, draft)));
  }
}

/** A record of a seed: its place in the file, and how to read it. */
type SeedRecord = { readonly place: string; readonly read: () => unknown };

/**
 * The articles of a list, or of a file: a JSON array, an object with `articles` (a store file among
 * them) or `posts` (json-server's), or one JSON object a line. Throws UnusableStore that names the place where it cannot be
 * read.
 */
async function readSeed(
  seed: string | readonly unknown[],
  { signal, notice }: Pick<Opening, 'signal' | 'notice'>,
): Promise<readonly ArticleInput[]> {
  const records =
    typeof seed === 'string'
      ? recordsOf(seed, await orUnusable(seed, () => bytesOf(seed, signal)), notice)
      : listed('', [...seed]); // A list may have holes.
  return records.map(({ place, read }, at) => {
    const record = explained(place, read);
    const { id = at + 1 } = membersOf(record);
    // json-server writes ids as strings.
    if (String(id) !== String(at + 1))
      throw noSeed(`${place} has the id ${String(id)} and would get ${at + 1}.`);
    return explained(place, () => parseArticle(record, 'optional'));
  });
}

const mostBytes = 256 * 1024 * 1024;

/** Also of a pipe, as `<(…)` of a shell is one: its writer is waited for without holding up anything. */
async function bytesOf(path: string, signal = new AbortController().signal): Promise<Buffer> {
  if (!existsSync(path)) {
    const message = `There is no file ${path === '' ? 'without a name' : path}.`;
    const hint = 'Check the spelling: a relative path starts from the working directory.';
    throw new UnusableStore('missing', message, { hint });
  }
  const stats = statSync(path);
  if (stats.isDirectory()) {
    throw new UnusableStore('foreign', `${path} is a folder, and a seed is a file of JSON.`, {
      hint: `Bring in a folder of Markdown with \`blogctl articles import ${inShell(path)}\`.`,
    });
  }
  const input = stats.isFIFO()
    ? new Socket({ fd: openSync(path, constants.O_RDONLY | constants.O_NONBLOCK) })
    : createReadStream(path);
  const chunks: Buffer[] = [];
  let length = 0;
  try {
    for await (const chunk of addAbortSignal(signal, input)) {
      chunks.push(chunk);
      length += chunk.length;
      if (length > mostBytes) throw tooLong(path);
    }
  } catch (error) {
    throw signal.aborted ? signal.reason : error;
  }
  return Buffer.concat(chunks);
}

function tooLong(path: string): UnusableStore {
  return new UnusableStore('foreign', `${path} is longer than 256 MB.`, {
    hint: 'A seed fills a blog for tests: bring in more with `blogctl articles import`.',
  });
}

function listed(path: string, list: readonly unknown[]): readonly SeedRecord[] {
  return list.map((record, at) => ({ place: `${path}article ${at + 1}`, read: () => record }));
}

function recordsOf(path: string, file: Buffer, notice: Opening['notice']): readonly SeedRecord[] {
  if (!isUtf8(file)) throw noSeed(`${path} is not UTF-8.`);
  // Editors of Windows begin a file with a mark.
  const text = file.toString().replace(/^\uFEFF/, '');
  if (text.trim() === '') throw noSeed(`${path} is empty; a list of no articles is [].`);
  if (isLines(text)) return linesOf(path, text);
  const whole = explained(path, () => parseJson(Buffer.from(text)));
  if (Array.isArray(whole)) return listed(`${path}, `, whole);
  const lines = articlesIn(path, whole);
  const names = [membersOf(whole), ...lines].flatMap((each) => Object.keys(each));
  const isStore = names.includes('format');
  const left = [...new Set(names)].filter((name) => !taken.test(name));
  if (left.length > 0 && !isStore)
    notice?.(`Left out of ${path}, as an article has a title and a content: ${left.join(', ')}.`);
  const articles = newest(lines);
  if (isStore && articles.some(({ blog }) => blog !== undefined))
    notice?.(`The articles of all blogs in ${path} are put into one blog.`);
  const isMoved = articles.some(({ id }, at) => Number(id ?? at + 1) !== at + 1);
  const hasDeletions = lines.some(isDeleted);
  const forgotten = isStore || hasDeletions ? ', and deletions there are forgotten' : '';
  if (isMoved || hasDeletions) notice?.(`Ids are given in turn, not as in ${path}${forgotten}.`);
  return listed(`${path}, `, articles.map(textOf));
}

type Members = Readonly<Record<string, unknown>>;

/** Names that are read, or ours. */
const taken = /^(?:id|title|content|body|url|articles|posts|\$schema|_.*)$/;

/** A document goes on below its first line, or has its lists in it. */
function isLines(text: string): boolean {
  const [first = ''] = text.trimStart().split('\n', 1);
  return (
    /^\{\s*(?!"(?:format|blogs|articles|posts|\$schema)")\S/.test(first) &&
    !/^\{\s*"\w+":\s*[[{].*"(?:posts|articles)":\s*\[/.test(first)
  );
}

function linesOf(path: string, text: string): readonly SeedRecord[] {
  return text.split('\n').flatMap((line, at) => {
    const read = () => parseJson(Buffer.from(line));
    return line.trim() === '' ? [] : [{ place: `${path}:${at + 1}`, read }];
  });
}

/** A seed that says nothing of articles is no empty one: a test would look for what is not there. */
function articlesIn(path: string, whole: unknown): readonly Members[] {
  const { posts, articles } = membersOf(whole);
  if (Array.isArray(posts) && Array.isArray(articles))
    throw noSeed(`${path} has both articles and posts: it is not known which are meant.`);
  const list = articles ?? posts;
  if (Array.isArray(list)) return list.map(membersOf);
  throw noSeed(`${path}: there is no list of articles in it.`);
}

const isDeleted = ({ deleted }: Members) => deleted === true;

/** Of a store's lines the last of each id; nothing of the deleted. */
function newest(lines: readonly Members[]): readonly Members[] {
  const byId = new Map(lines.map((line, at) => [line['id'] ?? `without id ${at}`, line]));
  return [...byId.values()].filter((line) => !isDeleted(line));
}

/** No private members; the text of a post of json-server is called `body` more often than not. */
function textOf({ title, body, content = body }: Members): Members {
  return content === undefined ? { title } : { title, content };
}

function membersOf(value: unknown): Members {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}

function explained<Value>(place: string, read: () => Value): Value {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    // What is wrong with the body of a request is wrong with this.
    throw noSeed(`${place}: ${error.message}`.replace(': The body ', ' '));
  }
}

function noSeed(message: string): UnusableStore {
  const hint =
    'A seed is a list of articles with title and content, as JSON or one a line; ids are given in turn, from 1 on: leave them out. Other files come by blogctl articles import.';
  return new UnusableStore('foreign', message, { hint });
}
