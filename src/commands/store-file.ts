import { existsSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Command } from 'commander';
import type { Context } from './context.ts';
import { makeFolderOfLocalBlog, refuseStore, requireMakeable } from './open-file.ts';
import { BlogctlError, type Hint } from '../errors.ts';
import type { Maintenance } from '../local.ts';
import { localBlogFile, readTarget, storePath, type Target } from '../settings/target.ts';
import { fileInShell, inShell } from '../terminal/text.ts';
import { rootOf } from './lazy-command.ts';

export const storeHelp = 'a file or postgres://… (default: of the chosen or local blog)';

/** Of a store that stands alone and after --store, one is meant. */
export function oneStore<Options extends { readonly store?: string }>(
  store: string | undefined,
  options: Options,
): Options {
  if (store === undefined) return options;
  if (options.store === undefined || options.store === store) return { ...options, store };
  throw new BlogctlError(
    'usage',
    `Two stores are named: ${shownStore(store)} and ${shownStore(options.store)}.`,
    { hint: 'Name one.' },
  );
}

export function noSuch(what: string, file: string): BlogctlError {
  const [, blog] = / of blog (\d+)$/.exec(what) ?? [];
  const rows = `id${blog ? ` FROM blogctl.articles WHERE blog_id = ${blog}` : ', title FROM blogctl.blogs'}`;
  const line = isDatabase(file)
    ? `psql ${inShell(shownStore(file))} -c "SELECT ${rows}"`
    : `blogctl articles list --blog ${inShell(`file:${file}`)}`;
  const hint: Hint = `See \`${line}\` for what is there.`;
  return new BlogctlError('not-found', `There is no ${what} in ${shownStore(file)}.`, { hint });
}

/** Whoever names a file beside --ephemeral means that its articles are served. */
export function notRead(store: string, folder: string): never {
  const shown = shownStore(store);
  const isFile = statSync(resolve(folder, store), { throwIfNoEntry: false })?.isFile() === true;
  throw new BlogctlError('usage', `${shown} is not read: --ephemeral keeps all in memory.`, {
    hint: isFile
      ? `Run \`blogctl serve --seed ${inShell(store)}\`: it begins with what is in that file.`
      : 'Leave --ephemeral out, or give what it begins with as --seed <file>; posts of a folder come into one by blogctl articles import <folder> --blog file:blog.json.',
  });
}

/** A line of `serve` that is named instead of the one that was typed keeps the flags of that one. */
export async function withItsFlags(called: Command, work: () => Promise<void>): Promise<void> {
  await work().catch((error: unknown) => {
    if (!(error instanceof BlogctlError)) throw error;
    const typed = [called, rootOf(called)].flatMap(flagsTyped).join(' ');
    const [, line, rest] =
      /^Run `(blogctl serve --(?:store|seed) .*)`(.*)\.$/s.exec(error.context.hint ?? '') ?? [];
    if (typed === '' || line === undefined) throw error;
    // A new store that nobody may change would stay empty.
    const isRead = /^--read-only$| --read-only\b/.test(typed);
    const named = isRead ? line.replace(/--store (?:'[^']*'|\S+)/, '--ephemeral') : line;
    const hint: Hint = `Run \`${named} ${typed}\`${rest}.`;
    throw new BlogctlError(error.code, error.message, { ...error.context, hint });
  });
}

function flagsTyped(command: Command): readonly string[] {
  return command.options.flatMap((option) => {
    const { long, required, flags } = option;
    const name = option.attributeName();
    if (!long || /^--(?:store|seed)$/.test(long) || command.getOptionValueSource(name) !== 'cli')
      return [];
    if (!required) return [long];
    // A duration was read to milliseconds.
    const unit = flags.includes('<duration>') ? 'ms' : '';
    return [command.getOptionValue(name)]
      .flat()
      .map((each) => `${long} ${inShell(`${each}${unit}`)}`);
  });
}

/** The store that a command may make; only the local blog gets its folder made as well. */
export async function storeFileToMake(
  store: string | undefined,
  context: Context,
): Promise<string> {
  const file = await servedFile(store, context);
  if (isDatabase(file)) return file;
  if (!isStoreNamed(store, context)) await requireMakeable(file, context);
  await makeFolderOfLocalBlog(file, context);
  return file;
}

/** As `storeFile`; where the chosen blog is one of a service, the local blog: whoever logged in to it serves it again. */
export async function servedFile(store: string | undefined, context: Context): Promise<string> {
  const { blog, profile } = context.flags;
  if (isStoreNamed(store, context) || (blog ?? profile) !== undefined)
    return storeFile(store, context);
  const { value } = await context.chosen();
  if (value.kind !== 'file') return localStore(context);
  await context.announceBlog();
  return value.path;
}

function isStoreNamed(store: string | undefined, { env }: Context): boolean {
  return store !== undefined || !!env['BLOGCTL_STORE'];
}

/**
 * The store a command is about: --store, else BLOGCTL_STORE, else the file of the blog that is
 * named, else that of the local one. The path of a file, or the address of a database, which may hold a password: `shownStore` leaves it out.
 */
export async function storeFile(store: string | undefined, context: Context): Promise<string> {
  const found = await storeOf(store, context);
  const { output } = context.flags;
  if (output !== undefined && !isDatabase(found)) await refuseStore(output, found, context);
  return found;
}

async function storeOf(store: string | undefined, context: Context): Promise<string> {
  if (store !== undefined && hasPassword(store)) throw passwordShown();
  if (store !== undefined && context.flags.blog !== undefined) {
    throw new BlogctlError('usage', '--store and --blog both say which store is meant.', {
      hint: 'Leave --blog out; a blog of the store is chosen with --on-blog, of a token --for-blog.',
    });
  }
  const named = store ?? (context.env['BLOGCTL_STORE'] || undefined);
  if (named !== undefined && isDatabase(named)) return named;
  const target = named === undefined ? await ownStore(context) : readStore(named, context.folder);
  if (target.kind === 'file') return target.path;
  const local = localStore(context);
  throw new BlogctlError('usage', `${target.url} is a service, not a store file.`, {
    hint: `Name the file with --store <file>; that of the local blog is ${local}.`,
  });
}

/** A login is no word on stores: where nobody names another, that of the local blog is meant, if it is there. */
async function ownStore(context: Context): Promise<Target> {
  const { value, origin } = await context.chosen();
  const isOfLogin = /^(?:profile|config)$/.test(origin) && context.flags.profile === undefined;
  const local = localStore(context);
  if (value.kind === 'file') await context.announceBlog();
  return isOfLogin && value.kind !== 'file' && existsSync(local)
    ? { kind: 'file', path: local }
    : value;
}

function localStore(context: Context): string {
  return resolve(context.folder, localBlogFile(context));
}

export function isDatabase(store: string): boolean {
  return /^postgres(?:ql)?:/i.test(store);
}

/** A store as messages name it. */
export function shownStore(store: string): string {
  if (isLikeAddress(store)) return 'what reads like the address of a database';
  return isDatabase(store) ? store.replace(password, '$1@').replace(asked, '') : store;
}

/** A store as a line of a hint names it. */
export function storeFlag(store: string): string {
  return `--store ${fileInShell(shownStore(store))}`;
}

/** Up to the last @: a password that is not escaped holds any mark. */
const password = /^([^:]+:\/*[^:@/?]*):.*@/s;
const asked = /(?<=[?&])password=[^&]*&?/gi;

function hasPassword(store: string): boolean {
  return isDatabase(store) && (password.test(store) || store.search(asked) !== -1);
}

/** As libpq writes it without a scheme, or with one that is not spelled right; the path of a file begins otherwise. */
function isLikeAddress(store: string): boolean {
  if (isDatabase(store) || /^(?:file:|[a-z][a-z\d+.-]*:\/\/|\.{0,2}[/\\]|[a-z]:[/\\])/i.test(store))
    return false;
  return (
    /(?:^|\s)(?:host|hostaddr|port|dbname|user|password|passfile|service|sslmode)\s*=/i.test(
      store,
    ) || /:[^@]*@/.test(store)
  );
}

/** Every user of the machine can read the arguments of a process. */
function passwordShown(): BlogctlError {
  const message = 'A password on the command line can be read by others.';
  return new BlogctlError('usage', message, {
    hint: 'Leave it out of --store and set PGPASSWORD, PGPASSFILE or BLOGCTL_STORE.',
  });
}

function readStore(text: string, folder: string): Target {
  if (/^file:/i.test(text)) return readTarget(text, folder);
  if (/^\s*[a-z][a-z\d+.-]*:\/\//i.test(text)) {
    throw new BlogctlError('usage', 'That address is no store: a file or a database is one.', {
      hint: 'Write it as posts.json or postgres://role@host:5432/database; what an address answers comes by `curl -sSf <url> | blogctl articles import - --blog file:<store>`.',
    });
  }
  const isNamed = isLikeAddress(text) || /^[a-z][a-z\d+.-]+:/i.test(text);
  if (isNamed && !existsSync(resolve(folder, text))) {
    const message = 'The store reads like the address of a database, in a form that is not known.';
    throw new BlogctlError('usage', message, {
      hint: 'Write it as postgres://role@host:5432/database, the password in PGPASSWORD or PGPASSFILE; a file of such a name as ./<name>.',
    });
  }
  return { kind: 'file', path: storePath(resolve(folder, text)) };
}

/**
 * Does an operator's work on a store that nobody serves. What is found wrong with its file is said,
 * whatever the flags say.
 */
export async function withMaintenance<T>(
  file: string,
  { terminal }: Context,
  act: (store: Maintenance) => Promise<T>,
): Promise<T> {
  const { atServer } = await import('../local.ts');
  return atServer(file, (server) =>
    server.withMaintenance({ file, notice: warning(terminal) }, act),
  );
}

/** What the service remarks on a store, as a warning. */
export function warning(terminal: Context['terminal']): (text: string) => void {
  return (text) => void terminal.warn(text);
}
