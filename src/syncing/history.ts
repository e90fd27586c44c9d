import { dirname } from 'node:path/posix';

import { decodeText } from '../importing/sources/encoding.ts';
import { postTextEntry } from '../importing/sources/formats/markdown.ts';
import { postIdentity } from '../importing/sources/identity.ts';
import { ValidationError, type ReadingOptions } from '../importing/sources/source.ts';
import { GitFailed, gitText, readBlobs } from './git.ts';
import { type Change, digestOf, isNone, movesIn } from './same-text.ts';

/** What git remembers of the files of a folder, by their paths from the root of the work tree. */
export type History = {
  /** Former paths of a file that is there, the latest first. */
  namesOf(path: string): readonly string[];
  /** Milliseconds of the epoch at which its author put a file in; undefined for one that is not. */
  addedAt(path: string): number | undefined;
  /** Paths that had a post once, and are no files now. */
  readonly gone: readonly string[];
  /** Where files of these paths are that left the folder, or were last. */
  movedOut(paths: readonly string[]): Promise<ReadonlyMap<string, string>>;
  /**
   * Digests of the texts these files had, the latest first, each as often as it came; a version that is no
   * post is left out. What was never to be published is no reason to take an article for that of a file that is gone.
   */
  versionsOf(paths: readonly string[]): Promise<ReadonlyMap<string, readonly string[]>>;
};

export type HistoryWanted = {
  /** Which paths are posts now. */
  readonly present: (path: string) => boolean;
  /** Which are files that no sync of this folder reads: a post that was renamed to one is gone. */
  readonly aside: (path: string) => boolean;
  readonly reading: ReadingOptions;
  /** Paths of which nothing is known yet: what was moved into the folder has a history elsewhere. */
  readonly open: readonly string[];
};

const mostBlobs = 20_000;

const logWords =
  'log --first-parent -m -M -C --raw --no-abbrev -z --no-relative --no-ext-diff --no-textconv --no-color --format=tformat:commit:%H@%at'.split(
    ' ',
  );

/** Reads the first-parent history of a folder; GitFailed where there is none to ask. */
export async function readHistory(
  folder: string,
  { present, aside, reading, open }: HistoryWanted,
): Promise<History> {
  const question = 'rev-parse --is-inside-work-tree --is-shallow-repository';
  const is = await gitText(question.split(' '), { folder });
  if (is.startsWith('false')) throw new GitFailed('not a work tree');
  if (is.endsWith('true\n'))
    throw new GitFailed(
      'the checkout is shallow; git fetch --unshallow (in CI fetch-depth: 0) brings all of it',
    );
  const below = await readTracks(folder, [], aside);
  const namesOf = (path: string): readonly string[] => {
    const names = tracks.get(path)?.names ?? [];
    // What is public no more may have been so at the path that it left, and at those before.
    return aside(path)
      ? names.flatMap((each) => [each, ...(tracks.get(each)?.names ?? [])])
      : names;
  };
  const goneOf = (all: Tracks) => [...all.keys()].filter((path) => !present(path) && !aside(path));
  const wanted = [...open, ...goneOf(below)];
  const others = new Set<string>();
  let tracks = below;
  // What is new in it may have been moved there from folders outside, and to those from others.
  for (let known = -1; known < others.size;) {
    known = others.size;
    const came = await renamesAt(wanted, 'added', { tracks, folder });
    for (const path of came.keys()) others.add(path.includes('/') ? dirname(path) : path);
    if (known < others.size) tracks = await readTracks(folder, [...others], aside);
  }
  async function wentTo(paths: readonly string[], from: Tracks): Promise<Map<string, string>> {
    const moved = await renamesAt(paths, 'removed', { tracks: from, folder });
    const on = [...moved.values()].filter((to) => !present(to) && !aside(to));
    const last = on.length > 0 && (await wentTo(on, await readTracks(folder, on, aside)));
    return new Map([...moved].map(([path, to]) => [path, (last && last.get(to)) || to]));
  }
  return {
    namesOf,
    addedAt: (path) => tracks.get(path)?.added?.authored,
    gone: goneOf(tracks),
    movedOut: (paths) => wentTo(paths, below),
    async versionsOf(paths) {
      const blobsOf = (path: string) => [...(tracks.get(path)?.blobs ?? [])];
      const blobs = new Set(paths.flatMap((path) => blobsOf(path).map(([blob]) => blob)));
      if (blobs.size > mostBlobs) throw new GitFailed(`more than ${mostBlobs} versions to read`);
      const texts = await readBlobs([...blobs], folder);
      const digestsOf = (path: string) => {
        const all = present(path) || reading.drafts ? { statuses: ['any'] } : {};
        const options = { ...reading, ...all };
        // What is a draft by its last name may have been public by the one before.
        const digests = new Map(
          blobsOf(path).map(([blob, names]) => [
            blob,
            [...names].flatMap((name) => digestIn(texts.get(blob), name, options) ?? [])[0],
          ]),
        );
        return (tracks.get(path)?.order ?? []).flatMap((blob) => digests.get(blob) ?? []);
      };
      return new Map(paths.map((path) => [path, digestsOf(path)]));
    },
  };
}

/** `authored` in milliseconds of the epoch. */
type Commit = { readonly hash: string; readonly authored: number };

type FileChange = Change & { readonly commit: Commit };

type Track = {
  /** That of the file now, or its last. */
  readonly path: string;
  readonly names: string[];
  /** Each with the names that it had. */
  readonly blobs: Map<string, Set<string>>;
  /** The latest first, each as often as the file had it. */
  readonly order: string[];
  /** The commit that it is new in, and the last that took it away. */
  added?: Commit;
  removed?: Commit;
};
type Tracks = ReadonlyMap<string, Track>;

/** Of the files of a folder and of `others`, by their paths from the root of the work tree. */
async function readTracks(
  folder: string,
  others: readonly string[],
  aside: HistoryWanted['aside'],
): Promise<Tracks> {
  const places = ['.', ...others.map((path) => `:(top,literal)${path}`)];
  return tracksOf(await gitText([...logWords, 'HEAD', '--', ...places], { folder }), aside);
}

/** The renames, in the whole work tree, by which files came to these paths or left them last. */
async function renamesAt(
  paths: readonly string[],
  by: 'added' | 'removed',
  { tracks, folder }: { readonly tracks: Tracks; readonly folder: string },
): Promise<ReadonlyMap<string, string>> {
  const nameThen = (path: string) => (by === 'added' && tracks.get(path)?.names.at(-1)) || path;
  const commits = new Map(paths.map((path) => [nameThen(path), tracks.get(path)?.[by]?.hash]));
  const input = [...new Set(commits.values())].filter((hash) => hash !== undefined).join('\n');
  if (input === '') return new Map();
  const log = await gitText([...logWords, '--no-walk=unsorted', '--stdin'], { folder, input });
  const renames = [...commitsIn(log)]
    .flatMap(movesIn)
    .filter(
      ({ path, to, commit }) => to && commits.get(by === 'added' ? to : path) === commit.hash,
    );
  return new Map(renames.map(({ path, to = '' }) => [path, to]));
}

/**
 * Follows every file back through the log, which tells the latest change first. A track is known by
 * the path the file has now, or had last.
 */
function tracksOf(log: string, aside: HistoryWanted['aside']): Tracks {
  const tracks = new Map<string, Track>();
  /** Which file had a path at the moment in the past that was come to. */
  const at = new Map<string, Track>();
  const newTrack = (path: string): Track => ({ path, names: [], blobs: new Map(), order: [] });

  function trackAt(path: string): Track {
    const known = at.get(path);
    if (known !== undefined) return known;
    const track = newTrack(path);
    tracks.set(path, track);
    at.set(path, track);
    return track;
  }

  function note(track: Track, blob: string, name: string): void {
    if (isNone(blob)) return;
    track.blobs.set(blob, (track.blobs.get(blob) ?? new Set()).add(name));
    if (track.order.at(-1) !== blob) track.order.push(blob);
  }

  for (const changes of commitsIn(log)) {
    const moves = movesIn(changes);
    // What a commit moves it moves at once, also where one file comes to the path that another one leaves.
    const now = moves.map(({ path, to = path }) => trackAt(to));
    for (const { to } of moves) if (to !== undefined) at.set(to, newTrack(to));
    for (const [index, { commit, before, after, path, to, taken }] of moves.entries()) {
      const track = now[index] ?? newTrack(path);
      const isLeft = to !== undefined && aside(track.path);
      const former = isLeft ? trackAt(path) : track;
      note(track, after, to ?? path);
      note(former, before, path);
      if (isNone(before)) track.added ??= commit;
      if (taken) track.names.push(taken);
      if (isNone(after) || isLeft) former.removed ??= commit;
      if (to === undefined) continue;
      track.names.push(path);
      if (!isLeft) at.set(path, track);
    }
  }
  return tracks;
}

/** `:100644 100644 <before> <after> R087`, NUL, path, NUL, new path of a rename or a copy, NUL. */
function* commitsIn(log: string): Generator<readonly FileChange[], void, void> {
  const tokens = log.split('\0');
  let commit: Commit = { hash: '', authored: 0 };
  let changes: FileChange[] = [];
  for (let at = 0; at < tokens.length; at += 1) {
    const [, hash, seconds] = /commit:([\da-f]+)@(-?\d*)/.exec(tokens[at] ?? '') ?? [];
    if (hash !== undefined) {
      yield changes;
      changes = [];
      commit = { hash, authored: Number(seconds) * 1000 };
    }
    const [, before, after, status] =
      /(?:^|\n):\d+ \d+ ([\da-f]+) ([\da-f]+) ([A-Z])\d*$/.exec(tokens[at] ?? '') ?? [];
    if (before === undefined || after === undefined || status === undefined) continue;
    const path = (tokens[(at += 1)] ?? '').normalize('NFC');
    const isPair = status === 'R' || status === 'C';
    const to = isPair ? (tokens[(at += 1)] ?? '').normalize('NFC') : undefined;
    changes.push({ commit, status, before, after, path, to });
  }
  yield changes;
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
