import { dirname } from 'node:path/posix';
import { promisify } from 'node:util';

import { decodeText } from '../importing/sources/encoding.ts';
import { postTextEntry } from '../importing/sources/formats/markdown.ts';
import { postIdentity } from '../importing/sources/identity.ts';
import { ValidationError, type ReadingOptions } from '../importing/sources/source.ts';
import { digestOf } from './same-text.ts';

/** What git remembers of the files of a folder, by their paths from the root of the work tree. */
export type History = {
  /** Former paths of a file that is there, the latest first. */
  namesOf(path: string): readonly string[];
  /** Paths that were there once and are not now. */
  readonly gone: readonly string[];
  /**
   * Digests of the texts these files had, the latest first; a version that is no post is left out. What
   * was never to be published is no reason to take an article for that of a file that is gone.
   */
  versionsOf(paths: readonly string[]): Promise<ReadonlyMap<string, ReadonlySet<string>>>;
};

export type HistoryWanted = {
  /** Which paths are files now. */
  readonly present: (path: string) => boolean;
  readonly reading: ReadingOptions;
  /** Paths of which nothing is known yet: what was moved into the folder has a history elsewhere. */
  readonly open: readonly string[];
};

/** Why git could not tell, as the end of a sentence. */
export class GitFailed extends Error {
  override readonly name = 'GitFailed';
}

const longestMs = 10_000;
const mostBlobs = 20_000;

const logWords =
  'log --first-parent -m -M --raw --no-abbrev -z --no-relative --no-ext-diff --no-textconv --no-color --format=tformat:commit:%H'.split(
    ' ',
  );

/** Reads the first-parent history of a folder; GitFailed where there is none to ask. */
export async function readHistory(
  folder: string,
  { present, reading, open }: HistoryWanted,
): Promise<History> {
  const questions = ['--is-inside-work-tree', '--is-shallow-repository'];
  const is = await gitText(['rev-parse', ...questions], { folder });
  if (is.startsWith('false')) throw new GitFailed('not a work tree');
  if (is.endsWith('true\n')) {
    throw new GitFailed(
      'the checkout is shallow; git fetch --unshallow (in CI fetch-depth: 0) brings all of it',
    );
  }
  const below = await readTracks(folder, []);
  const others = await cameFrom(open, below, folder);
  const tracks = others.length === 0 ? below : await readTracks(folder, others);
  return {
    namesOf: (path) => tracks.get(path)?.names ?? [],
    gone: [...tracks.keys()].filter((path) => !present(path)),
    async versionsOf(paths) {
      const blobsOf = (path: string) => [...(tracks.get(path)?.blobs ?? [])];
      const blobs = new Set(paths.flatMap((path) => blobsOf(path).map(([blob]) => blob)));
      if (blobs.size > mostBlobs) throw new GitFailed(`more than ${mostBlobs} versions to read`);
      const texts = await readBlobs([...blobs], folder);
      const digestsOf = (path: string) => {
        const all = present(path) || reading.drafts ? { statuses: ['any'] } : {};
        return blobsOf(path).flatMap(
          ([blob, name]) => digestIn(texts.get(blob), name, { ...reading, ...all }) ?? [],
        );
      };
      return new Map(paths.map((path) => [path, new Set(digestsOf(path))]));
    },
  };
}

type Track = {
  readonly names: string[];
  /** Each with the name that it had first. */
  readonly blobs: Map<string, string>;
  /** The commit that it is new in. */
  added?: string;
};
type Tracks = ReadonlyMap<string, Track>;

/** Of the files of a folder and of `others`, by their paths from the root of the work tree. */
async function readTracks(folder: string, others: readonly string[]): Promise<Tracks> {
  const places = ['.', ...others.map((path) => `:(top,literal)${path}`)];
  return tracksOf(await gitText([...logWords, 'HEAD', '--', ...places], { folder }));
}

/** Folders outside of the one that was read, from where files that are new in it were moved. */
async function cameFrom(
  paths: readonly string[],
  tracks: Tracks,
  folder: string,
): Promise<readonly string[]> {
  const input = [...new Set(paths.flatMap((path) => tracks.get(path)?.added ?? []))].join('\n');
  if (input === '') return [];
  const log = await gitText([...logWords, '--no-walk=unsorted', '--stdin'], { folder, input });
  const wanted = new Set(paths);
  const moved = [...changesIn(log)].filter(({ to = '' }) => wanted.has(to));
  return [...new Set(moved.map(({ path }) => (path.includes('/') ? dirname(path) : path)))];
}

/**
 * Follows every file back through the log, which tells the latest change first. A track is known by
 * the path the file has now, or had last.
 */
function tracksOf(log: string): Tracks {
  const tracks = new Map<string, Track>();
  /** Which file had a path at the moment in the past that was come to. */
  const at = new Map<string, Track>();

  function trackAt(path: string): Track {
    const known = at.get(path);
    if (known !== undefined) return known;
    const track: Track = { names: [], blobs: new Map<string, string>() };
    tracks.set(path, track);
    at.set(path, track);
    return track;
  }

  for (const { commit, status, before, after, path, to } of changesIn(log)) {
    const track = trackAt(to ?? path);
    for (const [blob, name] of [
      [after, to ?? path],
      [before, path],
    ] as const) {
      if (!/^0+$/.test(blob) && !track.blobs.has(blob)) track.blobs.set(blob, name);
    }
    if (status === 'A') track.added ??= commit;
    if (to === undefined) continue;
    track.names.push(path);
    at.set(path, track);
    // What had the new name before is another file, of which nothing is left.
    at.set(to, { names: [], blobs: new Map() });
  }
  return tracks;
}

/** `:100644 100644 <before> <after> R087`, NUL, path, NUL, new path of a rename, NUL. */
function* changesIn(log: string) {
  const tokens = log.split('\0');
  let commit = '';
  for (let at = 0; at < tokens.length; at += 1) {
    commit = /commit:([\da-f]+)/.exec(tokens[at] ?? '')?.[1] ?? commit;
    const [, before, after, status] =
      /(?:^|\n):\d+ \d+ ([\da-f]+) ([\da-f]+) ([A-Z])\d*$/.exec(tokens[at] ?? '') ?? [];
    if (before === undefined || after === undefined || status === undefined) continue;
    const path = (tokens[(at += 1)] ?? '').normalize('NFC');
    // The new path of what was renamed.
    const to = status === 'R' ? (tokens[(at += 1)] ?? '').normalize('NFC') : undefined;
    yield { commit, status, before, after, path, to };
  }
}

/** `<blob> blob <size>`, line feed, the bytes, line feed; `<blob> missing` for what is not here. */
async function readBlobs(
  blobs: readonly string[],
  folder: string,
): Promise<ReadonlyMap<string, Buffer>> {
  const found = new Map<string, Buffer>();
  if (blobs.length === 0) return found;
  const bytes = await git(['cat-file', '--batch'], { folder, input: `${blobs.join('\n')}\n` });
  for (let at = 0, end = bytes.indexOf(10); end !== -1; end = bytes.indexOf(10, at)) {
    const [blob = '', , size] = bytes.toString('latin1', at, end).split(' ');
    at = end + 1;
    if (size === undefined) continue;
    found.set(blob, bytes.subarray(at, at + Number(size)));
    at += Number(size) + 1;
  }
  return found;
}

/** Of the text as it was then; undefined where that was no post, or not public. */
function digestIn(
  bytes: Buffer | undefined,
  name: string,
  reading: ReadingOptions,
): string | undefined {
  if (bytes === undefined) return undefined;
  const place = { source: name, position: 1 };
  try {
    const text = decodeText(bytes, reading.encoding);
    const entry = postTextEntry(text, { path: name, place, identity: postIdentity(name) }, reading);
    return entry.kind === 'record' ? digestOf(entry).digest : undefined;
  } catch (error) {
    if (error instanceof ValidationError) return undefined;
    throw error;
  }
}

type GitOptions = { readonly folder: string; readonly input?: string };

const settings = ['core.fsmonitor=false', 'log.follow=false', 'log.showSignature=false'];

export async function gitText(words: readonly string[], options: GitOptions): Promise<string> {
  return (await git(words, options)).toString('utf8');
}

/**
 * What a git command prints. It reads only: no lock is taken, no program that a repository names is
 * run, nothing is fetched, and variables of a hook that we may run in do not lead to another repository.
 */
async function git(words: readonly string[], { folder, input = '' }: GitOptions): Promise<Buffer> {
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
  const [said = ''] = String(error.stderr).split('\n', 1);
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
