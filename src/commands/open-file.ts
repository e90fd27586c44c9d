import { existsSync, readFileSync, realpathSync, rmSync, type Stats, statSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { basename, dirname, isAbsolute, relative, resolve, sep } from 'node:path';
import { BlogctlError, type Hint } from '../errors.ts';
import { beginningOf, PRIVATE_FOLDER } from '../files.ts';
import { atServer, type LocalBlog, openLocalBlog } from '../local.ts';
import { type FileTarget, localBlogFile } from '../settings/target.ts';
import { fileInShell, inShell } from '../terminal/text.ts';
import type { ClientOptions, Context } from './context.ts';

/**
 * Opens the store file of the chosen blog. Only a command that says so makes one, and only the
 * local blog may be one that is not there yet: any other name may be mistyped.
 */
export async function openFile(
  { path, blogId }: FileTarget,
  { missing }: ClientOptions,
  context: Context,
): Promise<LocalBlog> {
  if (missing === 'make') await requireMakeable(path, context);
  if (context.flags.output !== undefined) await refuseOwnStore(context.flags.output, context);
  // What is wrong with a store is said in spite of --quiet.
  const notice = (text: string) => void context.terminal.warn(text);
  // Who holds it is waited for no longer than a service.
  const waitMs = (await context.settings()).timeoutMs();
  const given = { file: path, notice, ...(blogId !== undefined && { blogId }) };
  if (path !== localBlog(context)) {
    return openLocalBlog({ ...given, missing: missing === 'make' ? 'make' : 'refuse' }, { waitMs });
  }
  if (missing === 'make') await makeFolderOfLocalBlog(path, context);
  return openLocalBlog({ ...given, missing: missing ?? 'refuse' }, { waitMs }).catch(
    (error: unknown) => {
      const isMissing = error instanceof BlogctlError && error.code === 'not-found';
      throw isMissing ? notYet(path) : error;
    },
  );
}

/**
 * Refuses to make the chosen store where a project's file names one outside of its folder: whoever wrote that file, and
 * the posts beside it, would write any file of the user's that is not there yet.
 */
export async function requireMakeable(store: string, context: Context): Promise<void> {
  const { value, origin, place } = await context.chosen();
  if (origin !== 'project' || value.kind !== 'file' || existsSync(store)) return;
  const from = relative(realPath(dirname(place)), realPath(dirname(store)));
  if (from !== '..' && !from.startsWith(`..${sep}`) && !isAbsolute(from)) return;
  throw new BlogctlError(
    'not-found',
    `There is no store file ${store}, and ${place} makes none outside of its folder.`,
    {
      hint: `If you want one there, \`blogctl store init --store ${fileInShell(store)}\` makes it; else name another with --blog.`,
    },
  );
}

function realPath(path: string): string {
  return existsSync(path) ? realpathSync(path) : path;
}

/** Refuses to write a file over the store of the blog that it is about, whatever else is allowed. */
export async function refuseOwnStore(file: string, context: Context): Promise<void> {
  const store = await chosenStore(context);
  if (store !== undefined) await refuseStore(file, store, context);
}

/** The same of a store that a command names itself; its tokens and its lock are parts of it. */
export async function refuseStore(file: string, store: string, context: Context): Promise<void> {
  const path = resolve(context.folder, file);
  const real = realPath(store);
  const tokens = await atServer(real, async (server) => server.tokensPath(real));
  const what = [store, real].some(
    (own) => path.startsWith(`${own}.lock`) || path === `${own}.mutex`,
  )
    ? 'is the lock'
    : isSameFile(path, tokens)
      ? 'holds the tokens'
      : isSameFile(path, store)
        ? 'is the store'
        : undefined;
  if (what === undefined) return;
  const hint = 'Name another file.';
  throw new BlogctlError('usage', `"${file}" ${what} of this blog.`, { hint });
}

/** A file besides the answer that a flag lets a command write. */
type WrittenFile = {
  readonly file: string;
  /** Of the blog that it is written beside. */
  readonly store: string | undefined;
  /** Whether what is there was written by the same flag before. */
  readonly isOurs: (path: string) => boolean;
  /** What is its own alone to be written over: --overwrite is for the answers of a command. */
  readonly only?: keyof typeof ownFiles;
};

const ownFiles = {
  'state of sync':
    'Name a state, or a file that is not there yet. A state that was damaged can be moved away: without one the blog and git are asked.',
  'ready file of serve': 'Name another file, or move that one away.',
} as const satisfies Readonly<Record<string, Hint>>;

/** Refuses to write a file over anything but what the same flag wrote there, or --overwrite lets go. */
export async function requireWritable(
  { file, store, isOurs, only }: WrittenFile,
  context: Context,
): Promise<void> {
  if (store !== undefined) await refuseStore(file, store, context);
  const path = resolve(context.folder, file);
  const { requirePlace } = await import('../terminal/output.ts');
  const isOwn = isOurs(path);
  await requirePlace(path, only !== undefined || context.flags.overwrite === true || isOwn);
  if (only === undefined || isOwn || !existsSync(path)) return;
  throw new BlogctlError('conflict', `"${file}" is there, and is no ${only}.`, {
    hint: ownFiles[only],
  });
}

/** In the folder one stands in, because a source may lie where nothing can be written. */
export function freeRejects(source: string, { folder }: Context): string {
  const name = basename(source).replace(/\.(?:ndjson|jsonl|json)$/i, '');
  for (let number = 1; ; number += 1) {
    const file = rejectsOf(name, number);
    if (!existsSync(resolve(folder, file))) return file;
  }
}

function rejectsOf(name: string, number: number): string {
  return `${name}.rejects${number === 1 ? '' : `-${number}`}.ndjson`;
}

/** An earlier run's file that holds the very rejects of this one, whose own then goes: a nightly import fills no folder. */
export function keptRejects(file: string, { folder }: Context): string {
  const [name] = file.split(/\.rejects(?:-\d+)?\.ndjson$/);
  const made = resolve(folder, file);
  for (let number = 1; rejectsOf(name ?? '', number) !== file; number += 1) {
    const earlier = rejectsOf(name ?? '', number);
    if (!hasSameBytes(resolve(folder, earlier), made)) continue;
    rmSync(made);
    return earlier;
  }
  return file;
}

function hasSameBytes(one: string, other: string): boolean {
  const found = statSync(one, { throwIfNoEntry: false });
  if (found?.isFile() !== true || found.size !== statSync(other).size) return false;
  return readFileSync(one).equals(readFileSync(other));
}

/** The store file of the chosen blog; undefined where that is a service's. */
export async function chosenStore(context: Context): Promise<string | undefined> {
  const { value } = await context.chosen();
  return value.kind === 'file' ? value.path : undefined;
}

function isSameFile(one: string, other: string): boolean {
  if (one === other) return true;
  return existsSync(one) && existsSync(other) && realpathSync(one) === realpathSync(other);
}

/** Nobody chooses the folder of the local blog, so nobody is to make it; any other may be mistyped. */
export async function makeFolderOfLocalBlog(path: string, context: Context): Promise<void> {
  const folder = dirname(path);
  if (folder !== dirname(localBlog(context))) return;
  try {
    await mkdir(folder, { recursive: true, mode: PRIVATE_FOLDER });
  } catch (cause) {
    throw new BlogctlError('unusable-store', `The folder ${folder} cannot be made.`, {
      hint: 'Name a folder you may write to with BLOGCTL_DATA_DIR, or a file with --blog file:<path>.',
      cause,
    });
  }
}

function localBlog(context: Context): string {
  return resolve(context.folder, localBlogFile(context));
}

function notYet(path: string): BlogctlError {
  return new BlogctlError('not-found', `There is no local blog yet: ${path} is not there.`, {
    hint: 'Make it by its first article with blogctl articles create, or name another blog with --blog: that of an article is its address up to /articles.',
  });
}

/** What is behind `serve` and is no store comes into one, if it is there. */
export function toServe([, ...words]: Words, folder: string): Hint {
  const isFree =
    /^(?:(?!-).*|--?(?:w|q|v+|watch|quiet|verbose|json|read-only|ephemeral|control))\n(?!-|\d+$)/;
  const free = words.filter((word, at) => isFree.test(`${words[at - 1] ?? ''}\n${word}`));
  const named = free.find((word) => statsOf(word, folder)) ?? free.at(-1) ?? '';
  const own = words.find((word) => word.endsWith('.json')) ?? '';
  const posts = free.find((word) => word !== own && statsOf(word, folder)?.isDirectory()) ?? '';
  const into = lineOf(['articles', 'import', posts, '--blog', `file:${own}`]);
  if (own !== '' && free.some((word) => word !== own))
    return `One service serves one store file: name one${posts && `; \`${into}\` brings there what is in ${posts}`}.`;
  const store = basename(resolve(folder, named)).replace(/(?:\.\w+)?$/, '.json');
  const serving = (...what: Words) =>
    `\`${lineOf(['serve', ...what, ...words.filter((word) => !free.includes(word))])}\``;
  if (beginsAs(resolve(folder, store))) return `Run ${serving(store)}.`;
  const target = statsOf(store, folder) ? store.replace('.json', '-blog.json') : store;
  if (/\.(?:ndjson|jsonl)$/.test(named))
    return `Run \`${lineOf(withSeed(['serve', ...words], folder))}\`.`;
  if (!statsOf(named, folder) && /^[\w-]+$/.test(named))
    return `A store file is named as blog.json: ${serving(target)} makes it where it is missing.`;
  const filling = lineOf(['articles', 'import', named, '--blog', `file:${target}`]);
  return `A store file is named as blog.json: \`${filling}\` makes one of what is there, ${serving(target)} serves it.`;
}

/** What is there says whether it is kept or put back. */
export function toBackUp(words: Words, folder: string): Hint | undefined {
  const [file, ...others] = words.filter((word) => /^[\w./-]+\.json$/.test(word));
  if (file === undefined || others.length > 0 || words.includes('--store')) return undefined;
  const isStore = beginsAs(resolve(folder, file));
  const blog = inShell(`file:${file}`);
  const exported = isStore ? `backup.ndjson --blog ${blog}` : file;
  if (!words.includes('restore')) return `Run \`blogctl articles export ${exported}\`.`;
  if (isStore)
    return `It is a store: \`blogctl articles list --blog ${blog}\` shows what it has, and \`cp\` puts it in the place of one that nobody serves.`;
  return `\`blogctl articles import ${file} --recreate\` brings back what was exported to it, also where it was deleted; a store file that nobody serves is kept, and put back, by \`cp\`.`;
}

/** Records, or a database of json-server, are what a new store begins with, or one in memory where nothing is to be changed. */
export function withSeed(line: Words, folder: string): Words {
  const isOne = (word: string) =>
    (/\.(?:ndjson|jsonl)$/.test(word) && statsOf(word, folder)?.isFile()) ||
    beginsAs(resolve(folder, word), /^\s*\{(?!\s*"format").*"posts"\s*:\s*\[/s);
  const file = line.find(isOne);
  if (file === undefined || line.includes('--seed')) return line;
  const others = line.filter((word) => word !== file && !/^--(?:store|ephemeral)$/.test(word));
  const isKept = !/^--(?:read-only|ephemeral)$/m.test(line.join('\n'));
  const place = isKept ? ['--store', file.replace(/(?:\.\w+)?$/, '-blog.json')] : ['--ephemeral'];
  return others.toSpliced(1, 0, ...place, '--seed', file);
}

type Words = readonly string[];

function lineOf(words: Words): string {
  return ['blogctl', ...words].map(inShell).join(' ');
}

/** What stands there, if anything does; a text may be too long for a name. */
export function statsOf(word: string, folder = ''): Stats | undefined {
  return existsSync(resolve(folder, word)) ? statSync(resolve(folder, word)) : undefined;
}

export function beginsAs(path: string, pattern = /^\{"format":"blogctl/): boolean {
  return /\.json$/i.test(path) && pattern.test(beginningOf(path));
}
