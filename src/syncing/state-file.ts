import { hash } from 'node:crypto';
import { appendFileSync, mkdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { connect, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { text as wholeText } from 'node:stream/consumers';

import { BlogctlError, messageOf } from '../errors.ts';
import { beginningOf, PRIVATE_FILE, PRIVATE_FOLDER, replaceFileSync } from '../files.ts';
import { signsKnown as signs } from '../importing/sources/publicity.ts';
import type { Post } from './folder.ts';
import type { Remote } from './listing.ts';

/** What was known of a post when it was last brought to the blog, or found there. */
export type StateLine = {
  /** Its identity (decisions 44). */
  readonly path: string;
  /** The Idempotency-Key that its article was created under; '' where that is not known. */
  readonly answered: string;
  /**
   * Digests of the file's text, and of the text as the blog stored it; both '' where only the article is
   * known, and not what was ours of it.
   */
  readonly sent: string;
  readonly stored: string;
  /** Digest of the text as it is that the blog stored, where that counts (`--exact`). */
  readonly exact?: string | undefined;
  /** That of the file's text, where the service stored other white space than it was sent. */
  readonly sentExact?: string;
  readonly id: number;
  readonly url: string;
  /** A person named the article: the versions of the file say nothing of its text. */
  readonly named?: true;
  /** An equal text alone led to it: it may be older than the post, and somebody's own. */
  readonly found?: true | undefined;
  /** Its file was gone, and a sync deleted the article for that: nobody did on the blog. */
  readonly pruned?: true;
  /** Digest of the text that was pulled: taken over as long as the file has it, or git in its history. */
  readonly pulled?: string;
  /** The file names its article, and no text of it was sent from here: it is only of branches that have it. */
  readonly theirs?: true;
  /** Which signs said that it is public (`signsKnown`). */
  readonly signs?: number;
};

/** Of a post and its article as they are now, and the key that it was created under. */
export function lineOf(
  { name: path, digest: sent, exact: sentExact }: Pick<Post, 'name' | 'digest' | 'exact'>,
  { id, url, digest: stored, exact }: Pick<Remote, 'id' | 'url' | 'digest' | 'exact'>,
  answered = '',
): StateLine {
  const isOther = sentExact !== undefined && sentExact !== exact && { sentExact };
  return { path, answered, sent, stored, id, url, signs, ...(exact && { exact }), ...isOther };
}

/** Whether its front matter is all that ties a post to its article: it may have been pulled with it. */
export const namesOnly = ({ article }: Pick<Post, 'article'>, key: string | undefined) =>
  article !== undefined && key === undefined;

export type Owner = { readonly blog: string; readonly importId: string };

export type StateFile = {
  readonly lines: ReadonlyMap<string, StateLine>;
  /** There was one that says something. */
  readonly isKnown: boolean;
  /** An answer: written at once, so that a kill loses none. */
  readonly note: (line: StateLine) => void;
  /** What a run without answers would find out again: written with the others. */
  readonly keep: (line: StateLine) => void;
  readonly forget: (path: string) => void;
  /** Each path once, in their order. */
  readonly save: () => void;
  /** Why it could not be written. A state that is lost costs questions, never an article. */
  readonly failure: string | undefined;
};

type Whose = { readonly home?: object | undefined; readonly isNewHome?: boolean };

/**
 * The state of a folder and its blog: lines of which the last one of a path counts, so that a run adds
 * to it while it goes on. It is read when it is needed; reading makes nothing. A file that belongs to
 * another blog or import is refused.
 */
export function openState(path: string, owner: Owner, whose: Whose = {}): StateFile {
  const isKnown = !isEmpty(path);
  const head = { sync: { ...owner, ...whose.home } };
  let known: Map<string, StateLine> | undefined;
  const lines = () => (known ??= isKnown ? readLines(path, owner) : new Map<string, StateLine>());
  let isChanged = isKnown && whose.isNewHome === true;
  let failure: string | undefined;

  function write(act: () => void): void {
    if (failure !== undefined) return;
    try {
      mkdirSync(dirname(path), { recursive: true, mode: PRIVATE_FOLDER });
      act();
    } catch (error) {
      failure = `The state "${path}" cannot be written: ${messageOf(error)}`;
    }
  }

  function append(line: unknown): void {
    isChanged = true;
    // Begins a line of its own, also behind one that a kill has cut off.
    const text = `${isEmpty(path) ? textOf(head) : ''}\n${textOf(line)}`;
    write(() => appendFileSync(path, text, { mode: PRIVATE_FILE }));
  }

  return {
    get lines() {
      return lines();
    },
    isKnown,
    note(line) {
      lines().set(line.path, line);
      append(line);
    },
    keep(line) {
      if (JSON.stringify(lines().get(line.path)) === JSON.stringify(line)) return;
      isChanged = true;
      lines().set(line.path, line);
    },
    forget(name) {
      if (lines().delete(name)) append({ path: name, gone: true });
    },
    save() {
      if (!isChanged) return;
      write(() => {
        const ordered = [...lines().values()].toSorted((a, b) => (a.path < b.path ? -1 : 1));
        const text = [head, ...ordered].map(textOf).join('');
        replaceFileSync(path, text, { flush: true });
      });
    },
    get failure() {
      return failure;
    },
  };
}

const isEmpty = (path: string) => (statSync(path, { throwIfNoEntry: false })?.size ?? 0) === 0;

/** Whether a file is empty or begins as a state does. */
export function isState(path: string): boolean {
  return /^$|^\{"sync":\{/.test(beginningOf(path));
}

function readLines(file: string, owner: Owner): Map<string, StateLine> {
  const lines = new Map<string, StateLine>();
  for (const text of readText(file).split('\n')) {
    const value = parse(text);
    if (value === undefined) continue;
    if ('sync' in value) requireOwner(file, value['sync'], owner);
    else if ('gone' in value) lines.delete(String(value['path']));
    else if (isStateLine(value)) lines.set(value.path, value);
  }
  return lines;
}

type Value = Readonly<Record<string, unknown>>;

/** By hand, not by schema: there are as many as posts. */
function isStateLine(line: Value): line is Value & StateLine {
  const { path, answered, sent, stored, url, id } = line;
  const texts = [path, answered, sent, stored, url];
  return Number.isInteger(id) && texts.every((text) => typeof text === 'string');
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    const what = `The state "${file}" cannot be read: ${messageOf(error)}`;
    throw new BlogctlError('unusable-input', what, {
      hint: 'Make it readable, or move it away: it is found out again from the blog and from git.',
    });
  }
}

function requireOwner(file: string, found: unknown, owner: Owner): void {
  const { blog, importId }: Partial<Owner> = Object(found);
  if (blog === undefined || importId === undefined) return;
  if (blog === owner.blog && importId === owner.importId) return;
  const whose = `${blog}${importId === '' ? '' : ` and --import-id ${importId}`}`;
  throw new BlogctlError('conflict', `The state "${file}" is that of ${whose}.`, {
    hint: 'Name a state of this blog with --state, or leave it out.',
  });
}

const textOf = (line: unknown) => `${JSON.stringify(line)}\n`;

function parse(text: string): Value | undefined {
  try {
    return text.startsWith('{') ? JSON.parse(text) : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Keeps a second apply of the same state, or import with the same journal, away for as long as this process lives: the kernel frees the
 * name of a socket when its process ends, however it ends. Answers how to let go of it.
 */
export async function lockState(path: string, what = 'sync of'): Promise<() => void> {
  const name = socketName(path);
  for (let attempt = 0; attempt < 3; attempt += 1) {
    const server = await listen(name);
    if (server !== undefined) return () => void server.close();
    const holder = await askHolder(name);
    if (holder !== undefined) throw held(holder, what);
    // A socket file that nobody listens at was left behind by a process that was killed.
    if (!name.startsWith('\0') && process.platform !== 'win32') rmSync(name, { force: true });
  }
  throw held('another process', what);
}

/** Without a file on Linux and Windows. */
function socketName(path: string): string {
  const name = `blogctl-sync-${hash('sha256', path).slice(0, 20)}`;
  if (process.platform === 'linux') return `\0${name}`;
  return process.platform === 'win32' ? `\\\\.\\pipe\\${name}` : join(tmpdir(), `${name}.sock`);
}

function listen(name: string): Promise<Server | undefined> {
  return new Promise((resolve, reject) => {
    const server = createServer((socket) => {
      socket.on('error', () => {});
      socket.end(`process ${process.pid}`);
    });
    server.once('error', (error: NodeJS.ErrnoException) =>
      error.code === 'EADDRINUSE' ? resolve(undefined) : reject(error),
    );
    server.listen(name, () => resolve(server.unref()));
  });
}

const longestAnswerMs = 1000;

/** Who holds it; undefined where nobody is there any more. */
function askHolder(name: string): Promise<string | undefined> {
  const silent = new Error('It does not answer.');
  const socket = connect(name).setTimeout(longestAnswerMs, () => socket.destroy(silent));
  return wholeText(socket).catch((error) => (error === silent ? 'another process' : undefined));
}

function held(holder: string, what: string): BlogctlError {
  return new BlogctlError('locked', `Another ${what} this blog is under way (${holder}).`, {
    hint: 'Wait until it has ended; then run it again.',
    retryable: true,
  });
}
