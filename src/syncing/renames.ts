import { gitText } from './git.ts';
import { grouped } from './same-text.ts';

/** `authored` in milliseconds of the epoch. */
export type Commit = { readonly hash: string; readonly authored: number };

/** What became of a file in one commit, as git says. */
export type Change = {
  readonly commit: Commit;
  readonly status: string;
  /** Its text, as the name of a blob. */
  readonly before: string;
  readonly after: string;
  readonly path: string;
  /** The new path of what was renamed or copied. */
  readonly to?: string | undefined;
};

export const isNone = (blob: string) => /^0+$/.test(blob);

const logWords =
  'log --first-parent -m -M --raw --no-abbrev -z --no-relative --no-ext-diff --no-textconv --no-color --format=tformat:commit:%H@%at'.split(
    ' ',
  );

/** Below which places, or in which commits, of the whole work tree. */
type Asked = { readonly folder: string } & (
  | { readonly places: readonly string[] }
  | { readonly hashes: readonly string[] }
);

/** The changes of each commit, the latest first; those that have `to` are renames, in chains and circles too. */
export async function readMoves(asked: Asked): Promise<readonly (readonly Change[])[]> {
  const commits = await readChanges(asked);
  const all = commits.map((changes) => ({ changes, ...movesIn(changes) }));
  const hashes = all.flatMap(({ changes: [first], lost }) =>
    lost.size > 0 && first ? first.commit.hash : [],
  );
  if (hashes.length === 0) return all.map(({ moves }) => moves);
  // Where git looks for copies it takes the last of those that are like a file for the renamed one.
  const whole = await readChanges({ folder: asked.folder, hashes }, ['-C']);
  const copies = new Map(whole.map((changes) => [changes[0]?.commit.hash, changes]));
  return all.map(({ changes, moves, lost }) => {
    const others = copies.get(changes[0]?.commit.hash) ?? [];
    const found = others.filter(({ status, path }) => status === 'C' && lost.has(path));
    return found.length === 0 ? moves : movesIn(withCopies(changes, found)).moves;
  });
}

/** Of what was new in these commits and is like a file that was changed in the same one: both changes. */
export async function readCopies(folder: string, hashes: readonly string[]) {
  const commits = await readChanges({ folder, hashes }, ['-C']);
  return commits.flatMap((changes) =>
    changes.flatMap((copy) => {
      const isOld = ({ status, path }: Change) => status === 'M' && path === copy.path;
      const old = copy.status === 'C' ? changes.find(isOld) : undefined;
      return old === undefined ? [] : { copy, old };
    }),
  );
}

async function readChanges(asked: Asked, more: readonly string[] = []) {
  const { folder } = asked;
  const [words, input] =
    'places' in asked
      ? [['HEAD', '--', ...asked.places]]
      : [['--no-walk=unsorted', '--stdin'], asked.hashes.join('\n')];
  const log = await gitText([...logWords, ...more, ...words], { folder, ...(input && { input }) });
  return [...commitsIn(log)];
}

/** `:100644 100644 <before> <after> R087`, NUL, path, NUL, new path of a rename or a copy, NUL. */
function* commitsIn(log: string): Generator<readonly Change[], void, void> {
  const tokens = log.split('\0');
  let commit: Commit = { hash: '', authored: 0 };
  let changes: Change[] = [];
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

/** What is like a file whose path was taken is that file, and no other one that git took for it. */
function withCopies(changes: readonly Change[], copies: readonly Change[]): readonly Change[] {
  const byNew = new Map(copies.map((each) => [each.to, each]));
  const rest = changes.flatMap((change) => {
    const { status, path, to = path } = change;
    if (!byNew.has(to) || status === 'M' || status === 'D') return change;
    return status === 'R' ? { ...change, status: 'D', to: undefined, after: '0' } : [];
  });
  return [...copies, ...rest];
}

/**
 * The changes of one commit, of which those that have `to` are renames: also where git takes a path that was there
 * and still is for one file. Each file of those has left its path for another one; `lost` are paths to which the
 * text of another file came, and whose own is nowhere.
 */
function movesIn(changes: readonly Change[]): {
  readonly moves: readonly Change[];
  readonly lost: ReadonlySet<string>;
} {
  const isOld = ({ status, before, after }: Change) => 'DRM'.includes(status) && before !== after;
  const texts = grouped(changes.filter(isOld), 'before');
  const kept = changes.filter(({ status }) => status === 'M');
  const byPath = grouped(kept, 'path');
  /** Where what has a path now came from. */
  const sources = new Map<Change, Change>();
  const used = new Set<Change>();
  for (const change of changes) {
    const { status, path, to = path, before, after } = change;
    if (status === 'D' || (status === 'R' && before === after)) continue;
    // A copy of what has changed.
    const copied = (status === 'C' && byPath.get(path)) || [];
    const all = [...(texts.get(after) ?? []), ...copied];
    const source = all.find((each) => each.path !== to && !used.has(each));
    if (source === undefined || ![status, source.status].includes('M')) continue;
    sources.set(change, source);
    used.add(source);
  }
  const lost = new Set(
    kept.flatMap((each) => (sources.has(each) && !used.has(each) ? each.path : [])),
  );
  // What git takes for another file, which has its text elsewhere by now.
  const byText = grouped(kept, 'after');
  for (const change of changes) {
    const { status, before, after } = change;
    if (status !== 'R' || before === after || sources.has(change)) continue;
    const source = byText.get(before)?.find((each) => !used.has(each));
    if (source === undefined) continue;
    sources.set(change, source);
    used.add(source);
  }
  for (let known = -1; known !== sources.size;) {
    known = sources.size;
    const left = new Set(sources.values());
    for (const [change, source] of sources) {
      const isPart = change.status === 'M' ? left.has(change) : sources.has(source);
      if (!isPart) sources.delete(change);
    }
  }
  const left = new Set(sources.values());
  const moves = changes.flatMap((change) => {
    const { status, path, to = path } = change;
    const source = sources.get(change);
    if (source !== undefined) return { ...change, to, path: source.path, before: source.before };
    if (left.has(change) && status === 'D') return [];
    const isNew = status === 'A' || status === 'C' || left.has(change);
    if (!isNew) return change;
    return { ...change, path: to, to: undefined, before: '0' };
  });
  return { moves, lost };
}
