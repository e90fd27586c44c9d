import * as z from 'zod/mini';

import type { ArticleReference } from '../../client/blog-client.ts';
import { BlogctlError, messageOf } from '../../errors.ts';
import {
  createFingerprintCounts,
  keyFingerprint,
  recordFingerprint,
  textFingerprint,
  type FingerprintCounts,
} from '../sources/identity.ts';
import { readChunks, readLines, type Line } from '../sources/chunks.ts';

/** What is needed to run a command again, or to undo it. */
export type Run = z.infer<typeof Run>;
const Run = z.object({
  id: z.string(),
  /** `articles import`, `articles delete`, … */
  command: z.string(),
  /** When it was started, RFC 3339. */
  started: z.string(),
  /** As `--blog` takes it. */
  blog: z.string(),
  /** The folder that `sources` are relative to. */
  folder: z.string(),
  sources: z.array(z.string()),
  /** The options of the command, by their names in the program. */
  options: z.record(z.string(), z.unknown()),
  /** Global flags that reach the blog, by their names in the program. */
  flags: z.optional(z.record(z.string(), z.unknown())),
  /** The highest id on the blog when it was started; where ids ascend (decisions 13), what is above is newer. */
  newest: z.optional(z.number()),
  /** The same when the first of the interrupted runs was started whose place it took. */
  since: z.optional(z.number()),
  /** Ids up to there that the interrupted run whose place it took had not noted. */
  open: z.optional(z.array(z.number())),
});

/** Whether an article was made since a run was started, as far as its address tells. */
export function isNewerThan(
  { newest = Infinity, open = [] }: Pick<Run, 'newest' | 'open'>,
  url: string,
): boolean {
  return idOf(url) > newest || open.includes(idOf(url));
}

/** How an article of a blog is asked for: in a file by its id, as its address is that of whoever serves it. */
export function referenceTo(blog: string, url: string): ArticleReference {
  return blog.startsWith('file:') ? { id: idOf(url) } : { url };
}

/** An article by its address, to look for in a set. */
export function placeFingerprint(url: string): bigint {
  const id = idOf(url);
  return Number.isSafeInteger(id) ? BigInt(id) : textFingerprint({ title: url });
}

/** The id that an article's address ends in; NaN where it ends otherwise. */
export function idOf(url: string): number {
  return Number(/\/(\d+)$/.exec(url)?.[1]);
}

/**
 * A record the blog has, with digests of the text sent (64 bits) and of the text stored (128 bits),
 * hexadecimal. `created` since this run was started, not before it.
 */
export type Answered = {
  readonly answered: string;
  readonly sent: string;
  readonly stored: string;
  readonly url: string;
  readonly created?: true;
};

/** A record that is about to be sent where only the listing tells what became of it, with a digest of its text (128 bits). */
export type Sending = z.infer<typeof Sending>;
const Sending = z.object({ sending: z.string(), digest: z.string() });

/** A text as it was before a run changed or deleted it. */
export type Before = z.infer<typeof Before>;
const Before = z.object({ title: z.string(), content: z.optional(z.string()) });

/** What a run changed, as far as it takes to undo it. */
export type Change = z.infer<typeof Change>;
const Change = z.union([
  /** `instead` of a deleted article, by its address. */
  z.object({ created: z.string(), digest: z.string(), instead: z.optional(z.string()) }),
  z.object({ updated: z.string(), digest: z.string(), before: Before }),
  z.object({ deleted: z.string(), before: Before }),
]);

/** The deletion of this article, or the creation of this record, noted before, was refused. */
export type Refused = z.infer<typeof Refused>;
const Refused = z.object({ refused: z.string() });

/** The last line of a run that came to its end. */
export type Ended = z.infer<typeof Ended>;
const Ended = z.object({ ended: z.string(), counts: z.record(z.string(), z.number()) });

export type JournalLine = Answered | Sending | Change | Refused | Ended | { readonly run: Run };

/** The whole lines of a journal, those of one chunk together; one that a kill has cut off is left out. */
export async function* readJournal(
  path: string,
): AsyncGenerator<Iterable<JournalLine>, void, void> {
  for await (const lines of readLines(readChunks(path))) yield journalLines(lines);
}

/** What a journal is about, its first line. */
export async function readHead(path: string): Promise<Run | undefined> {
  for await (const lines of readJournal(path)) {
    for (const line of lines) return 'run' in line ? line.run : undefined;
  }
  return undefined;
}

/** The changes of a run in their order. */
export async function readChanges(path: string): Promise<readonly Change[]> {
  let changes: Change[] = [];
  // Two imports of the same records at once note in one journal, and both hear that it was created.
  const created = new Set<string>();
  for await (const lines of readJournal(path)) {
    for (const line of lines) {
      if ('answered' in line) {
        if (line.created !== true || created.has(line.url)) continue;
        created.add(line.url);
        changes.push({ created: line.url, digest: line.stored });
      } else if (isChange(line)) changes.push(line);
      else if ('refused' in line) {
        const isOf = (change: Change) => 'deleted' in change && change.deleted === line.refused;
        const noted = changes.findLastIndex(isOf);
        changes = changes.filter((_, index) => index !== noted);
      }
    }
  }
  return changes;
}

function isChange(line: JournalLine): line is Change {
  return 'created' in line || 'updated' in line || 'deleted' in line;
}

function* journalLines(lines: Iterable<Line>): Generator<JournalLine, void, void> {
  for (const { bytes } of lines) {
    const line = readLine(bytes.toString('utf8'));
    if (line !== undefined) yield line;
  }
}

/** A line as it means; undefined for what means nothing here. */
export function readLine(text: string): JournalLine | undefined {
  const line = parse(text);
  if (isAnswered(line)) return line;
  const other = Other.safeParse(line);
  return other.success ? other.data : undefined;
}

const Other = z.union([z.object({ run: Run }), Ended, Refused, Change, Sending]);

/** By hand, not by schema: there may be a million of them. */
function isAnswered(line: unknown): line is Answered {
  return (
    isObject(line) &&
    typeof line['answered'] === 'string' &&
    isDigest(line['sent']) &&
    isDigest(line['stored']) &&
    typeof line['url'] === 'string'
  );
}

function isDigest(value: unknown): boolean {
  return typeof value === 'string' && /^[\da-f]{1,32}$/.test(value);
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

function parse(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return value;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

export function unwritable(path: string, cause: unknown): BlogctlError {
  const reason = messageOf(cause);
  return new BlogctlError('unusable-input', `The journal "${path}" cannot be written: ${reason}`, {
    hint: 'Make room, or name another folder with BLOGCTL_DATA_DIR.',
    cause,
  });
}

/** What earlier imports noted of the articles of their records, where no key tells. */
export type Earlier = {
  /** The texts of a record's article, as the service made it and as it was sent. */
  textsOf(record: Recorded): readonly bigint[];
  /** Whether one was noted. */
  knows(record: Recorded): boolean;
  /** Its article, as noted last. */
  of(record: Recorded): Promise<Answered | undefined>;
  /** A few, to see whether this is still the blog that made them. */
  readonly known: {
    readonly run: { readonly blog: string };
    readonly sample: readonly Answered[];
    readonly answers: number;
  };
};
type Recorded = { readonly key: string; readonly digest: string };

/** `places` gets those of all. What is looked up by key is kept once somebody asks: most records are as they were. */
export async function readEarlier(
  read: () => AsyncIterable<Answered>,
  listed: (text: bigint) => number,
  places: FingerprintCounts,
): Promise<Earlier> {
  const made = new Map<bigint, bigint>();
  const keys = createFingerprintCounts();
  const sample: Answered[] = [];
  let lines: ReturnType<typeof latest> | undefined;
  for await (const line of read()) {
    const text = textFingerprint(line.stored);
    places.add(placeFingerprint(line.url));
    if (keys.of(keyFingerprint(line.answered)) === 0) keys.add(keyFingerprint(line.answered));
    if (!line.stored.startsWith(line.sent) || listed(text) === 0)
      made.set(recordFingerprint(line.answered, line.sent), text);
    sample[Math.min(sample.length, 3)] = line;
  }
  const knows = ({ key }: Recorded) => keys.of(keyFingerprint(key)) > 0;
  return {
    textsOf({ key, digest }) {
      return [made.get(recordFingerprint(key, digest)) ?? [], textFingerprint(digest)].flat();
    },
    knows,
    async of(record) {
      if (!knows(record)) return undefined;
      return (await (lines ??= latest(read()))).get(keyFingerprint(record.key));
    },
    known: { run: { blog: '' }, sample, answers: keys.size },
  };
}

async function latest(earlier: AsyncIterable<Answered>): Promise<ReadonlyMap<bigint, Answered>> {
  const lines = new Map<bigint, Answered>();
  for await (const line of earlier) lines.set(keyFingerprint(line.answered), line);
  return lines;
}
