import { promisify } from 'node:util';

import { beginningOf } from '../files.ts';
import { isInWorkTree } from '../importing/sources/walk.ts';
import { inShell } from '../terminal/text.ts';
import type { FoundFolder } from './folder.ts';
import { shortDigest } from './same-text.ts';
import type { Home } from './state-file.ts';

/** Why git could not tell, as the end of a sentence. */
export class GitFailed extends Error {
  override readonly name = 'GitFailed';
}

const longestMs = 10_000;

const partial =
  'the clone is partial, without the texts of old versions; git fetch --refetch --no-filter brings all of them';

type GitOptions = { readonly folder: string; readonly input?: string };

const settings = ['core.fsmonitor=false', 'log.follow=false', 'log.showSignature=false'];

export async function gitText(words: readonly string[], options: GitOptions): Promise<string> {
  return (await git(words, options)).toString('utf8');
}

/** Newer versions of git take what a partial clone lacks for what is not there. */
export async function refusePartial(folder: string): Promise<void> {
  const promisor = 'config --get-regexp ^remote\\..*\\.promisor$'.split(' ');
  if ((await gitText(promisor, { folder }).catch(() => '')) !== '') throw new GitFailed(partial);
}

/** Files that are there, and that a sparse checkout leaves out; none where git cannot say. */
export async function leftOutOf(folder: string): Promise<ReadonlySet<string>> {
  const listed = await gitText(['ls-files', '-tz', '--full-name'], { folder }).catch(() => '');
  const names = listed.split('\0').filter((each) => each.startsWith('S '));
  return new Set(names.map((each) => each.slice(2).normalize('NFC')));
}

/** The first commit of the history of a folder, which every whole checkout has; undefined where git has none. */
async function firstCommitOf(folder: string) {
  const ask = (line: string) => gitText(line.split(' '), { folder }).catch(() => '');
  const isShallow = (await ask('rev-parse --is-shallow-repository')) === 'true\n';
  if (isShallow) return { isShallow };
  const [first = ''] = (await ask('rev-list --first-parent --max-parents=0 HEAD')).split('\n');
  return { isShallow, commit: first === '' ? undefined : first };
}

export type StatePlace = {
  readonly state: string;
  /** Of the work tree. */
  readonly root: string;
  /** What the state says of it. */
  readonly home?: Home;
  /** The state that has the usual place, where that is of another folder. */
  readonly foreign?: string;
  /** What is of another one cannot be told: the history of this one is shallow. */
  readonly isUntold?: true;
};

/**
 * Folders of other repositories have posts of the same paths, and what was brought from one of them is not
 * ours: a state that is of another one keeps its place, and this folder has one beside it. Of a folder that is
 * elsewhere only the first commit tells that it is another checkout of the same.
 */
export async function statePlace(usual: string, folder: FoundFolder): Promise<StatePlace> {
  const root = folder.fileOf('');
  const kept = homeIn(usual);
  const isKnown = kept?.commit !== undefined || !isInWorkTree(folder.path);
  if (kept?.root === root && isKnown) return { state: usual, root, home: kept };
  const { commit, isShallow } = await firstCommitOf(folder.path);
  const place = { root, home: { root, commit }, ...(isShallow && ({ isUntold: true } as const)) };
  const isCheckout = kept?.commit !== undefined && kept.commit === commit;
  if (kept === undefined || kept.root === root || isCheckout) return { state: usual, ...place };
  const own = shortDigest(commit ?? root).slice(0, 10);
  return { state: usual.replace(/(\.\w+)?$/, `-${own}$1`), ...place, foreign: usual };
}

/** What a person is told of a state that is not taken for that of this folder. */
export function whyLeftAlone(state: string, { isUntold }: Pick<StatePlace, 'isUntold'>): string {
  if (isUntold)
    return 'Whether the state of an earlier sync with this blog is that of this repository cannot be told, because the checkout is shallow: it is left alone. git fetch --unshallow (in CI fetch-depth: 0) brings what tells it.';
  return `The state of an earlier sync with this blog, under the same --import-id or none, is that of another folder, as far as the first commits tell: it is left alone. Where that has posts of its own, give each of several folders that feed one blog an --import-id of its own, from the first time on; where it has these very posts, as before a history was written anew, go on with its state once by --state ${inShell(state)}.`;
}

/** Undefined where there is no state, or one that does not say whose it is. */
function homeIn(state: string): Home | undefined {
  const [head = ''] = beginningOf(state).split('\n', 1);
  const [, root, commit] =
    /^\{"sync":\{.*"root":("(?:[^"\\]|\\.)*")(?:,"commit":"([\da-f]+)")?\}\}$/.exec(head) ?? [];
  return root === undefined ? undefined : { root: String(JSON.parse(root)), commit };
}

/** Files in which a merge, a rebase or a stash left a conflict, there or not; none where git cannot say. */
export async function unmergedIn(folder: string): Promise<ReadonlySet<string>> {
  const listed = await gitText(['ls-files', '-uz', '--full-name'], { folder }).catch(() => '');
  // `100644 <blob> <stage>`, a tab, the path; of each stage one, and NUL behind each.
  const entries = listed.split('\0').slice(0, -1);
  return new Set(entries.map((each) => each.replace(/^[^\t]*\t/, '').normalize('NFC')));
}

/** Files whose text git does not have, or does not look at, by their paths from the root of the work tree. */
export async function uncommittedIn(folder: string): Promise<ReadonlySet<string> | undefined> {
  const status = 'status --porcelain -z --no-renames --untracked-files=all --ignored -- .'.split(
    ' ',
  );
  try {
    const entries = (await gitText(status, { folder })).split('\0').map((entry) => entry.slice(3));
    const listed = await gitText(['ls-files', '-vz', '--full-name'], { folder });
    const unseen = listed.split('\0').filter((entry) => /^[a-zS] /.test(entry));
    const names = [...entries, ...unseen.map((entry) => entry.slice(2))];
    return new Set(names.map((name) => name.normalize('NFC')));
  } catch (error) {
    if (error instanceof GitFailed) return undefined;
    throw error;
  }
}

/**
 * What a git command prints. It reads only: no lock is taken, no program that a repository names is
 * run, nothing is fetched, and variables of a hook that we may run in do not lead to another repository.
 */
export async function git(
  words: readonly string[],
  { folder, input = '' }: GitOptions,
): Promise<Buffer> {
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
