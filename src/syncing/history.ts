import { dirname } from 'node:path/posix';

import { decodeText } from '../importing/sources/encoding.ts';
import { finishPost, openPost } from '../importing/sources/formats/post.ts';
import { reasonNotPublic } from '../importing/sources/publicity.ts';
import { ValidationError, type ReadingOptions } from '../importing/sources/source.ts';
import { git, GitFailed, gitText } from './git.ts';

/** A text that a file had once. */
export type Version = {
  readonly title: string;
  readonly content: string;
  /** As it was then, it was to be published. */
  readonly isPublic: boolean;
};

/** What git remembers of the files of a folder, by their paths from the root of the work tree. */
export type History = {
  /** Former paths of a file that is there, the latest first. */
  namesOf(path: string): readonly string[];
  /** Paths that were there once and are not now. */
  readonly gone: readonly string[];
  /** Folders outside of the one that was read, from where files that are new in it were moved. */
  cameFrom(paths: readonly string[]): Promise<readonly string[]>;
  /** Texts these files had, the latest first; a version that is no post is left out. */
  versionsOf(paths: Iterable<string>): Promise<ReadonlyMap<string, readonly Version[]>>;
};

export type HistoryOptions = Pick<ReadingOptions, 'titleFrom' | 'encoding' | 'drafts' | 'now'>;

/** Why there is no history to ask, as a sentence, and what to do about it. */
export type NoHistory = { readonly why: string };

type Track = {
  readonly names: string[];
  readonly blobs: Map<string, string>;
  /** The commit that it is new in. */
  added?: string;
};

const longestMs = 10_000;
const mostBlobs = 20_000;

const logWords =
  'log --first-parent -m -M --raw --no-abbrev -z --no-relative --no-ext-diff --no-textconv --no-color --format=tformat:commit:%H'.split(
    ' ',
  );

export type HistoryWanted = {
  /** Which paths are files now. */
  readonly present: (path: string) => boolean;
  readonly reading: HistoryOptions;
  /** Folders that files were moved from, by their paths from the root. */
  readonly others?: readonly string[];
};

/** Reads the first-parent history of a folder. */
export async function readHistory(
  folder: string,
  { present, reading, others = [] }: HistoryWanted,
): Promise<History | NoHistory> {
  const ending = AbortSignal.timeout(longestMs);
  const options = { folder, signal: ending };
  try {
    const is = await gitText(
      ['rev-parse', '--is-inside-work-tree', '--is-shallow-repository'],
      options,
    );
    if (is.startsWith('false')) throw new GitFailed('not a work tree');
    if (is.endsWith('true\n')) {
      throw new GitFailed(
        'the checkout is shallow; git fetch --unshallow (in CI fetch-depth: 0) brings all of it',
      );
    }
    const paths = ['.', ...others.map((path) => `:(top,literal)${path}`)];
    const log = await gitText([...logWords, 'HEAD', '--', ...paths], options);
    return historyOf(tracksOf(log), { options, reading, present });
  } catch (error) {
    return noHistory(error, ending);
  }
}

function historyOf(
  tracks: ReadonlyMap<string, Track>,
  world: {
    options: { folder: string; signal: AbortSignal };
    reading: HistoryOptions;
    present: (path: string) => boolean;
  },
): History {
  const { options, reading, present } = world;
  return {
    namesOf: (path) => tracks.get(path)?.names ?? [],
    gone: [...tracks.keys()].filter((path) => !present(path)),
    async cameFrom(paths) {
      const input = [...new Set(paths.flatMap((path) => tracks.get(path)?.added ?? []))].join('\n');
      if (input === '') return [];
      const words = [...logWords, '--no-walk=unsorted', '--stdin'];
      const log = await gitText(words, {
        ...options,
        signal: AbortSignal.timeout(longestMs),
        input,
      });
      const wanted = new Set(paths);
      const moved = [...changesIn(log)].filter(({ to = '' }) => wanted.has(to));
      return [...new Set(moved.map(({ path }) => (path.includes('/') ? dirname(path) : path)))];
    },
    async versionsOf(paths) {
      const wanted = [...paths].flatMap((path) => {
        const blobs = [...(tracks.get(path)?.blobs ?? [])];
        return blobs.map(([blob, name]) => ({ path, blob, name }));
      });
      const blobs = [...new Set(wanted.map(({ blob }) => blob))];
      if (blobs.length > mostBlobs) throw new GitFailed(`more than ${mostBlobs} versions to read`);
      const texts = await readBlobs(blobs, { ...options, signal: AbortSignal.timeout(longestMs) });
      const found = new Map<string, Version[]>();
      for (const { path, blob, name } of wanted) {
        const bytes = texts.get(blob);
        const version = bytes && postIn(bytes, name, reading);
        if (version === undefined) continue;
        const versions = found.get(path);
        if (versions === undefined) found.set(path, [version]);
        else versions.push(version);
      }
      return found;
    },
  };
}

/** As `NoHistory`; anything but git's own failure or the end of its time is thrown. */
export function noHistory(error: unknown, ending?: AbortSignal): NoHistory {
  if (error instanceof GitFailed) return { why: error.message };
  const isLate =
    ending?.aborted === true || (error instanceof Error && error.name === 'TimeoutError');
  if (isLate) return { why: `git took longer than ${longestMs / 1000} s` };
  throw error;
}

/**
 * Follows every file back through the log, which tells the latest change first. A track is known by
 * the path the file has now, or had last.
 */
function tracksOf(log: string): ReadonlyMap<string, Track> {
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
    if (!isNothing(after)) addTo(track, after, to ?? path);
    if (!isNothing(before)) addTo(track, before, path);
    if (status === 'A') track.added ??= commit;
    if (status !== 'R' || to === undefined) continue;
    track.names.push(path);
    at.set(path, track);
    // What had the new name before is another file, of which nothing is left.
    at.set(to, { names: [], blobs: new Map() });
  }
  return tracks;
}

function addTo({ blobs }: Track, blob: string, name: string): void {
  if (!blobs.has(blob)) blobs.set(blob, name);
}

type Change = {
  readonly commit: string;
  readonly status: string;
  readonly before: string;
  readonly after: string;
  readonly path: string;
  /** The new path of what was renamed. */
  readonly to: string | undefined;
};

/** `:100644 100644 <before> <after> R087`, NUL, path, NUL, new path of a rename, NUL. */
function* changesIn(log: string): Generator<Change, void, void> {
  const tokens = log.split('\0');
  let commit = '';
  for (let at = 0; at < tokens.length; at += 1) {
    commit = /commit:([\da-f]+)/.exec(tokens[at] ?? '')?.[1] ?? commit;
    const [, before, after, status] =
      /(?:^|\n):\d+ \d+ ([\da-f]+) ([\da-f]+) ([A-Z])\d*$/.exec(tokens[at] ?? '') ?? [];
    if (before === undefined || after === undefined || status === undefined) continue;
    const path = (tokens[(at += 1)] ?? '').normalize('NFC');
    const to = status === 'R' ? (tokens[(at += 1)] ?? '').normalize('NFC') : undefined;
    yield { commit, status, before, after, path, to };
  }
}

function isNothing(blob: string): boolean {
  return /^0+$/.test(blob);
}

/** `<blob> blob <size>`, line feed, the bytes, line feed; `<blob> missing` for what is not here. */
async function readBlobs(
  blobs: readonly string[],
  options: { folder: string; signal: AbortSignal },
): Promise<ReadonlyMap<string, Buffer>> {
  const found = new Map<string, Buffer>();
  if (blobs.length === 0) return found;
  const input = `${blobs.join('\n')}\n`;
  const bytes = await git(['cat-file', '--batch'], { ...options, input });
  for (let at = 0, end = bytes.indexOf(10); end !== -1; end = bytes.indexOf(10, at)) {
    const [blob = '', , size] = bytes.toString('latin1', at, end).split(' ');
    at = end + 1;
    if (size === undefined) continue;
    found.set(blob, bytes.subarray(at, at + Number(size)));
    at += Number(size) + 1;
  }
  return found;
}

function postIn(bytes: Buffer, name: string, reading: HistoryOptions): Version | undefined {
  try {
    const post = openPost(decodeText(bytes, reading.encoding));
    const isDraft = name.split('/').slice(0, -1).includes('_drafts');
    const isPublic =
      !isDraft && post.head.signs.every((signs) => reasonNotPublic(signs, reading) === undefined);
    return { ...finishPost(post, name, reading.titleFrom), isPublic: isPublic || reading.drafts };
  } catch (error) {
    if (error instanceof ValidationError) return undefined;
    throw error;
  }
}
