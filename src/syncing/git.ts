import { lstatSync, realpathSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';

import { beginningOf, realPath } from '../files.ts';
import type { Run } from '../importing/runs/journal-lines.ts';
import { isWorkTree } from '../importing/sources/walk.ts';
import { inShell } from '../terminal/text.ts';
import type { FoundFolder } from './folder.ts';
import { shortDigest } from './same-text.ts';

/** Why git could not tell, as the end of a sentence. */
export class GitFailed extends Error {
  override readonly name = 'GitFailed';
}

const longestMs = 10_000;

const partial =
  'the clone is partial, without the texts of old versions; git fetch --refetch --no-filter brings all of them';

type GitOptions = { readonly folder: string; readonly input?: string };

const settings =
  'core.fsmonitor=false log.follow=false log.showSignature=false log.diffMerges=separate log.showRoot=true'.split(
    ' ',
  );

export async function gitText(words: readonly string[], options: GitOptions): Promise<string> {
  return (await git(words, options)).toString('utf8');
}

/**
 * Paths from the root of the work tree: `leftOut` by a sparse checkout, `unmerged` by a merge, a rebase or a stash that
 * left a conflict in it, `unseen` where git does not look whether it has changed, and `submodules`, checked out or not.
 */
type Listed = Readonly<
  Record<'leftOut' | 'unmerged' | 'unseen' | 'submodules', ReadonlySet<string>>
>;

export async function listedIn(folder: string): Promise<Listed> {
  const entries = (await gitText(['ls-files', '-vsz', '--full-name'], { folder })).split('\0');
  const pathOf = (entry: string) => entry.slice(entry.indexOf('\t') + 1).normalize('NFC');
  const tagged = (tag: RegExp) => new Set(entries.filter((each) => tag.test(each)).map(pathOf));
  const [leftOut, unmerged, unseen] = [tagged(/^S/i), tagged(/^M/), tagged(/^[a-zS]/)];
  return { leftOut, unmerged, unseen, submodules: tagged(/^. 160000 /) };
}

/** Asks once, when it is needed; nothing where git cannot say. */
export function listedBy(folder: string): () => Promise<Listed> {
  let asked: Promise<Listed> | undefined;
  const none = new Set<string>();
  const nothing = () => ({ leftOut: none, unmerged: none, unseen: none, submodules: none });
  return () => (asked ??= listedIn(folder).catch(nothing));
}

/** Where names begin on this machine, the first commit of the repository, and a digest of where it was cloned from. */
type Home = {
  readonly root: string;
  readonly commit?: string | undefined;
  readonly origin?: string | undefined;
};

export type StatePlace = {
  readonly state: string;
  /** Of the work tree. */
  readonly root: string;
  /** What the state shall say of it; undefined of one that is of whoever names it. */
  readonly home?: Home | undefined;
  /** It says something else until it is saved. */
  readonly isNewHome?: boolean;
  /** The state that has the usual place, where that is of another folder. */
  readonly foreign?: string;
  /** What is of another one cannot be told: the history of this one is shallow. */
  readonly isUntold?: boolean;
};

/** What git tells of whose a folder is: no two repositories have one first commit, and few clones one origin. */
async function homeOf({ path, fileOf }: FoundFolder) {
  const ask = (line: string) => gitText(line.split(' '), { folder: path }).catch(() => '');
  const [shallow, commits, url] = await Promise.all([
    ask('rev-parse --is-shallow-repository'),
    ask('rev-list --first-parent --max-parents=0 HEAD'),
    ask('config --get remote.origin.url'),
  ]);
  const isShallow = shallow === 'true\n';
  const [first = ''] = commits.split('\n');
  // A token in it is another one each time.
  const address = url.trim().replace(/(?<=:\/\/)[^/@]*@/, '') || (isShallow ? first : '');
  const origin = address === '' ? undefined : shortDigest(address);
  const commit = isShallow || first === '' ? undefined : first;
  return { isShallow, home: { root: fileOf(''), commit, origin } };
}

/**
 * Whether a state is that of a folder: first commits tell, wherever it is checked out. Where one of them is not
 * known the same place is not enough, unless git had nothing to say of the folder of the state.
 */
function isOfHome(kept: Home, now: Home): boolean {
  if (kept.commit !== undefined && now.commit !== undefined) return kept.commit === now.commit;
  if (kept.root !== now.root) return false;
  if (kept.commit === undefined && kept.origin === undefined)
    return now.commit !== undefined || now.origin === undefined;
  return kept.origin !== undefined && kept.origin === now.origin;
}

/** Undefined where there is no state, or one that does not say whose it is. */
export function homeIn(state: string): Home | undefined {
  const [, sync] = /^\{"sync":(\{.*\})\}(?:\n|$)/.exec(beginningOf(state)) ?? [];
  const { root, commit, origin }: Partial<Home> = JSON.parse(sync ?? '{}');
  return root === undefined ? undefined : { root, commit, origin };
}

/** A state that goes on as that of a folder, whose ever it was. */
export async function boundPlace(state: string, folder: FoundFolder): Promise<StatePlace> {
  return placeAs(state, await homeOf(folder));
}

function placeAs(
  state: string,
  { home, isShallow: isUntold }: Awaited<ReturnType<typeof homeOf>>,
): StatePlace {
  const kept = homeIn(state);
  const { root, commit, origin } = home;
  if (kept === undefined || !isOfHome(kept, home))
    return { state, root, home, isUntold, isNewHome: true };
  const known = { root, commit: commit ?? kept.commit, origin: origin ?? kept.origin };
  return { state, root, home: known, isUntold };
}

/**
 * Folders of other repositories have posts of the same paths, also where they are checked out at the same place, and
 * what was brought from one of them is not ours: a state that is of another one keeps its place, and this folder
 * has one beside it.
 */
export async function statePlace(usual: string, folder: FoundFolder): Promise<StatePlace> {
  const told = await homeOf(folder);
  const bound = placeAs(usual, told);
  if (bound.isNewHome !== true || homeIn(usual) === undefined) return bound;
  const { root, commit, origin } = told.home;
  const whose = commit ?? (origin === undefined ? root : `${origin} ${root}`);
  const own = shortDigest(whose).slice(0, 10);
  return { ...placeAs(usual.replace(/(\.\w+)?$/, `-${own}$1`), told), foreign: usual };
}

/**
 * What a git command prints. It reads only: no lock is taken, nothing is fetched, no program that a repository names
 * is run, a bare repository is none of ours, and variables of a hook lead to no other one.
 */
export async function git(
  words: readonly string[],
  { folder, input = '' }: GitOptions,
): Promise<Buffer> {
  refuseBare(realpathSync(folder));
  const all = ['-C', folder, '--no-pager', ...settings.flatMap((each) => ['-c', each]), ...words];
  // Few plans ask git, and to load what starts it costs as much as to start this program.
  const { execFile } = await import('node:child_process');
  const running = promisify(execFile)('git', all, {
    env: environment(),
    timeout: longestMs,
    encoding: 'buffer',
    maxBuffer: Number.POSITIVE_INFINITY,
  });
  // What git does not read any more is not missed: its exit status tells.
  running.child.stdin?.on('error', () => {});
  running.child.stdin?.end(input);
  try {
    return (await running).stdout;
  } catch (error) {
    throw asFailure(error);
  }
}

/** What git takes for a repository may have come with a clone, and its settings name programs. */
function refuseBare(folder: string): void {
  const has = (name: string) => lstatSync(join(folder, name), { throwIfNoEntry: false });
  if (isWorkTree(folder)) return;
  if (has('HEAD') && (has('objects') || has('commondir')))
    throw new GitFailed(`${inShell(folder)} looks like a bare repository`);
  if (dirname(folder) !== folder) refuseBare(dirname(folder));
}

function asFailure(error: unknown): unknown {
  if (!(error instanceof Error && 'code' in error && 'stderr' in error)) return error;
  if (error.code === 'ENOENT') return new GitFailed('git is not installed');
  if ('killed' in error && error.killed === true)
    return new GitFailed(`git took longer than ${longestMs / 1000} s`);
  const all = String(error.stderr);
  // It names the line itself, with the folder as a shell reads it.
  const [trust] = /git config --global --add safe\.directory .+/.exec(all) ?? [];
  if (trust !== undefined)
    return new GitFailed(`git does not trust a folder that is somebody else's; ${trust} trusts it`);
  if (/lazy fetching disabled|promisor remote/.test(all)) return new GitFailed(partial);
  const [said = ''] = all.split('\n', 1);
  return new GitFailed(
    said.replace(/^(?:fatal|error): /, '') || `git ended with ${String(error.code)}`,
  );
}

function environment(): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(([name]) => !name.startsWith('GIT_'));
  return {
    ...Object.fromEntries(kept),
    GIT_OPTIONAL_LOCKS: '0',
    GIT_TERMINAL_PROMPT: '0',
    GIT_NO_LAZY_FETCH: '1',
    LC_ALL: 'C',
  };
}

/**
 * The imports whose sources lie below a folder. What was imported before a repository was cloned to its place may be
 * of another one that was there.
 */
export function isFrom(root: string) {
  const since = statSync(join(root, '.git'), { throwIfNoEntry: false })?.birthtimeMs ?? 0;
  return ({ folder, sources, started }: Pick<Run, 'folder' | 'sources' | 'started'>) =>
    Date.parse(started) >= since &&
    sources.every((each) => join(realPath(resolve(folder, each)), '/').startsWith(join(root, '/')));
}

/** `<blob> blob <size>`, line feed, the bytes, line feed; `<blob> missing` for what is not here. */
export async function readBlobs(
  blobs: readonly string[],
  folder: string,
): Promise<ReadonlyMap<string, Buffer>> {
  const found = new Map<string, Buffer>();
  let isWhole = true;
  if (blobs.length === 0) return found;
  const bytes = await git(['cat-file', '--batch'], { folder, input: `${blobs.join('\n')}\n` });
  for (let at = 0, end = bytes.indexOf(10); end !== -1; end = bytes.indexOf(10, at)) {
    const [blob = '', , size] = bytes.toString('latin1', at, end).split(' ');
    at = end + 1;
    if (size === undefined) {
      isWhole = false;
      continue;
    }
    found.set(blob, bytes.subarray(at, at + Number(size)));
    at += Number(size) + 1;
  }
  if (!isWhole) await refusePartial(folder);
  return found;
}

/** Newer versions of git take what a partial clone lacks for what is not there. */
async function refusePartial(folder: string): Promise<void> {
  const promisor = 'config --get-regexp ^remote\\..*\\.promisor$'.split(' ');
  if ((await gitText(promisor, { folder }).catch(() => '')) !== '') throw new GitFailed(partial);
}
