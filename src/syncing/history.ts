import { dirname } from 'node:path/posix';

import { decodeText } from '../importing/sources/encoding.ts';
import { postTextEntry } from '../importing/sources/formats/markdown.ts';
import { postIdentity } from '../importing/sources/identity.ts';
import { ValidationError, type ReadingOptions } from '../importing/sources/source.ts';
import { GitFailed, gitText, readBlobs } from './git.ts';
import { type Change, type Commit, isNone, readCopies, readMoves } from './renames.ts';
import { digestOf } from './same-text.ts';

/** What git remembers of the files of a folder, by their paths from the root of the work tree. */
export type History = {
  /** Former paths of a file that is there, the latest first. */
  readonly namesOf: (path: string) => readonly string[];
  /** And where its text stood until it was new, and another one came: it may be a copy. */
  readonly cameFrom: (path: string) => readonly string[];
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
    const { names = [], left } = tracks.get(path) ?? {};
    // What is public no more may have been so at the path that it left, and at those before.
    return [...names, ...(left?.names ?? [])];
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
  const taken = await takenIn(open, { tracks, folder });
  async function wentTo(paths: readonly string[], from: Tracks): Promise<Map<string, string>> {
    const moved = await renamesAt(paths, 'removed', { tracks: from, folder });
    const on = [...moved.values()].filter((to) => !present(to) && !aside(to));
    const last = on.length > 0 && (await wentTo(on, await readTracks(folder, on, aside)));
    return new Map([...moved].map(([path, to]) => [path, (last && last.get(to)) || to]));
  }
  return {
    namesOf,
    cameFrom: (path) => [...namesOf(path), taken.get(path) ?? []].flat(),
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

type Track = {
  /** That of the file now, or its last. */
  readonly path: string;
  readonly names: string[];
  /** Until it was set aside. */
  left?: Track;
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
  return tracksOf(await readMoves({ folder, places }), aside);
}

/** The renames, in the whole work tree, by which files came to these paths or left them last. */
async function renamesAt(
  paths: readonly string[],
  by: 'added' | 'removed',
  { tracks, folder }: { readonly tracks: Tracks; readonly folder: string },
): Promise<ReadonlyMap<string, string>> {
  const nameThen = (path: string) => (by === 'added' ? nameFirst(path, tracks) : path);
  const commits = new Map(paths.map((path) => [nameThen(path), tracks.get(path)?.[by]?.hash]));
  const hashes = [...new Set(commits.values())].filter((hash) => hash !== undefined);
  if (hashes.length === 0) return new Map();
  const renames = (await readMoves({ folder, hashes }))
    .flat()
    .filter(
      ({ path, to, commit }) => to && commits.get(by === 'added' ? to : path) === commit.hash,
    );
  return new Map(renames.map(({ path, to = '' }) => [path, to]));
}

const nameFirst = (path: string, tracks: Tracks) => tracks.get(path)?.names.at(-1) ?? path;

/** By the paths of what was new, where its text stood until that commit, which put another one there. */
async function takenIn(
  paths: readonly string[],
  { tracks, folder }: { readonly tracks: Tracks; readonly folder: string },
): Promise<ReadonlyMap<string, string>> {
  const added = new Map(paths.map((path) => [nameFirst(path, tracks), path]));
  const hashes = new Set(paths.flatMap((path) => tracks.get(path)?.added?.hash ?? []));
  const copies = hashes.size === 0 ? [] : await readCopies(folder, [...hashes]);
  const blobs = new Set(copies.flatMap(({ copy, old }) => [copy.after, old.before, old.after]));
  const texts = await readBlobs([...blobs], folder);
  const linesOf = (blob: string) => texts.get(blob)?.toString('latin1').split('\n') ?? [];
  return new Map(
    copies.flatMap(({ copy: { path, to = '', after }, old }) => {
      const name = added.get(to);
      const keptIn = (blob: string) => {
        const lines = new Set(linesOf(blob));
        return linesOf(old.before).filter((line) => lines.has(line)).length;
      };
      return name !== undefined && keptIn(after) > keptIn(old.after) ? [[name, path] as const] : [];
    }),
  );
}

/**
 * Follows every file back through the log, which tells the latest change first. A track is known by
 * the path the file has now, or had last.
 */
function tracksOf(commits: readonly (readonly Change[])[], aside: HistoryWanted['aside']): Tracks {
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

  for (const moves of commits) {
    // What a commit moves it moves at once, also where one file comes to the path that another one leaves.
    const now = moves.map(({ path, to = path }) => trackAt(to));
    for (const { to } of moves) if (to !== undefined) at.set(to, newTrack(to));
    for (const [index, { commit, before, after, path, to }] of moves.entries()) {
      const track = now[index] ?? newTrack(path);
      // What has that path now is another file, whose history this is not.
      const isTaken = tracks.has(path) && tracks.get(path) !== at.get(path);
      const isLeft = to !== undefined && aside(track.path) && !isTaken;
      const former = isLeft ? trackAt(path) : track;
      note(track, after, to ?? path);
      note(former, before, path);
      if (isNone(before)) track.added ??= commit;
      if (isNone(after) || isLeft) former.removed ??= commit;
      if (to === undefined) continue;
      track.names.push(path);
      if (isLeft) track.left = former;
      else at.set(path, track);
    }
  }
  return tracks;
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
