import { accessSync, constants, lstatSync } from 'node:fs';
import { type FileHandle, link, open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { BlogctlError, type Hint } from '../errors.ts';
import { beginningOf, isPipeOrDevice, temporaryPath } from '../files.ts';
import type { Write } from './streams.ts';

/** A file that is there whole or not at all. */
export type OutputFile = {
  readonly write: Write;
  keep(): Promise<void>;
  discard(): Promise<void>;
};

/**
 * Writes a draft beside the path; `keep` puts it in its place. Overwrites only when allowed. A pipe or
 * device is written into as it is: nothing takes the place of `/dev/null`.
 */
export function createOutputFile(path: string, mayOverwrite: boolean): OutputFile {
  const draft = temporaryPath(path);
  let opening: Promise<FileHandle> | undefined;
  let isDevice = false;
  const begin = async () => {
    isDevice = await isPipeOrDevice(path);
    if (isDevice) return open(path, constants.O_WRONLY);
    await requirePlace(path, mayOverwrite);
    return open(draft, 'wx');
  };
  const close = async () => (await opening)?.close();
  return {
    write: async (bytes) => {
      opening ??= begin().catch((cause: unknown) => {
        opening = undefined;
        return cannotWrite(path, cause);
      });
      await (await opening).writeFile(bytes);
    },
    keep: async () => {
      if (opening === undefined) return;
      if (!isDevice) await (await opening).sync();
      await close();
      if (isDevice) return;
      if (mayOverwrite) await rename(draft, path);
      else await nameNew(draft, path);
    },
    discard: async () => {
      if (opening === undefined) return;
      await close();
      if (!isDevice) await rm(draft, { force: true });
    },
  };
}

/** A second name is given or refused in one step; a rename would take the place of a file there. */
async function nameNew(draft: string, path: string): Promise<void> {
  try {
    await link(draft, path);
    await rm(draft);
  } catch {
    refuseExisting(path);
    await rename(draft, path); // Not every file system knows second names.
  }
}

/**
 * Refuses a place where no file can be put, or where something is that must stay: before any work is
 * done for it. Nothing takes the place of a store or its tokens, whatever is allowed: they are nowhere
 * else.
 */
export async function requirePlace(path: string, mayOverwrite: boolean): Promise<void> {
  if (await isPipeOrDevice(path)) return;
  refuseFolder(path);
  refuseStoreFile(path);
  if (!mayOverwrite) refuseExisting(path);
  try {
    accessSync(dirname(path), constants.W_OK);
  } catch (cause) {
    cannotWrite(path, cause);
  }
}

function refuseExisting(path: string): void {
  if (lstatSync(path, { throwIfNoEntry: false }) === undefined) return;
  throw new BlogctlError('conflict', `${path} is there already.`, {
    hint: 'Name another file, or give --overwrite.',
  });
}

/** Only at the end its draft could not take that name. */
function refuseFolder(path: string): void {
  if (lstatSync(path, { throwIfNoEntry: false })?.isDirectory() !== true) return;
  throw new BlogctlError('unusable-input', `${path} is a folder.`, { hint: 'Name a file.' });
}

function refuseStoreFile(path: string): void {
  const what = storeKind(beginningOf(path));
  if (what === undefined) return;
  throw new BlogctlError('usage', `${path} ${what}: nothing is written over it.`, {
    hint: 'Name another file.',
  });
}

/** By the first member that such files have (server/store). */
function storeKind(beginning: string): string | undefined {
  const [, kind] = /^\s*\{\s*"format"\s*:\s*"(blogctl|blogctl-tokens)\//.exec(beginning) ?? [];
  if (kind === undefined) return undefined;
  return kind === 'blogctl' ? 'is a store of blogs' : 'holds the tokens of a store';
}

function cannotWrite(path: string, cause: unknown): never {
  if (cause instanceof BlogctlError) throw cause;
  throw new BlogctlError('unusable-input', `${path} cannot be written.`, {
    hint: 'Name a file in a folder that is there and that you may write to.',
    cause,
  });
}

/** A run that is killed writes no file, and that of an earlier one must not be taken for it. */
export async function dropEarlier(path: string): Promise<void> {
  if (!(await isPipeOrDevice(path))) await rm(path, { force: true });
}

/** A filter that jq has taken. */
export type Filter = {
  /** What it makes of a JSON text. */
  readonly run: (json: string) => Promise<string>;
  /** Ends what runs it. */
  readonly close: () => Promise<unknown>;
};

/**
 * A filter of jq 1.8, which writes as `gh --jq` does: a result a line, strings bare, the rest as compact
 * JSON. It sees the environment. What jq refuses is `usage`, and it is refused here where it is no
 * filter at all; so is what is more than its 256 MB hold. `signal` ends a filter that never ends.
 */
export async function compileJq(
  filter: string,
  { env, signal }: { env: Readonly<Record<string, string | undefined>>; signal: AbortSignal },
): Promise<Filter> {
  const whole = /\benv\b/i.test(filter) ? `${withEnvironment}${filter}` : filter;
  const flags = ['-c', '--argjson', 'environment', JSON.stringify(env)];
  const thread = await startThread(signal);
  const run = async (json: string) => {
    const { exitCode, stdout, stderr } = await thread.call([json, whole, flags]);
    if (exitCode === 0) return stdout.split('\n').map(bareLine).join('');
    const [said = ''] = stderr.replace(/^jq: error:? ?(\(at .*?\): )?/, '').split('\n');
    throw refused(`jq does not take "${filter}": ${said.replace(/:$/, '')}`);
  };
  try {
    // Without an input it is read, and nothing is run.
    await run('');
  } catch (error) {
    await thread.end();
    throw error;
  }
  return { run, close: thread.end };
}

/** In WebAssembly jq has an environment of its own; the prefix would shift the columns of errors. */
const withEnvironment = '$environment as $ENV | def env: $ENV; ';

/** No value is an empty line in jq's compact JSON, so an empty one is no result. */
function bareLine(line: string): string {
  if (line === '') return '';
  return `${line.startsWith('"') ? JSON.parse(line) : line}\n`;
}

type Answer = { readonly exitCode: number; readonly stdout: string; readonly stderr: string };

/** jq keeps a thread busy until it is done: on one of its own, Ctrl-C is heard. */
async function startThread(signal: AbortSignal) {
  signal.throwIfAborted();
  const { Worker } = await import('node:worker_threads');
  const { default: jq } = await import('../../node_modules/jq-wasm/dist/inline.cjs?raw');
  const worker = new Worker(`${jq};${answering}`, { eval: true, stderr: true });
  const call = (words: readonly unknown[]) =>
    new Promise<Answer>((resolve, reject) => {
      signal.throwIfAborted();
      signal.addEventListener('abort', () => reject(signal.reason), { once: true });
      worker.once('message', resolve);
      // The one way this jq fails without an answer.
      worker.once('error', (cause) =>
        reject(refused('--jq needs more memory than there is.', cause)),
      );
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- it is no window
      worker.postMessage(words);
    });
  return { call, end: () => worker.terminate() };
}

const answering = `
const { parentPort } = require('node:worker_threads');
const loading = loadJq();
parentPort.on('message', async (words) => parentPort.postMessage((await loading).raw(...words)));
`;

function refused(message: string, cause?: unknown): BlogctlError {
  const hint: Hint = /: (?:syntax error|compile error|[\w/]+ is not defined)/.test(message)
    ? 'It is written as for jq, in quotes of the shell: .title of one article, .[].title of several.'
    : 'The filter is given what --jq . shows: one thing is an object, as .title takes it, and several are a list, as .[].title does.';
  return new BlogctlError('usage', message, {
    hint,
    cause,
  });
}
