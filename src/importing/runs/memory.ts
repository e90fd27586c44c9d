import type { ArticleReference, BlogClient } from '../../client/blog-client.ts';
import { BlogctlError } from '../../errors.ts';
import {
  createFingerprintCounts,
  keyFingerprint,
  recordFingerprint,
  textDigest,
  textFingerprint,
  type FingerprintCounts,
} from '../sources/identity.ts';
import type { KeyedRecord } from '../sources/keyed-entries.ts';
import {
  placeFingerprint,
  readJournal,
  referenceTo,
  type Answered,
  type Refused,
  type Run,
  type Sending,
} from './journal-lines.ts';

/** What a journal says, a few bytes a line. */
export type Memory = {
  readonly keys: FingerprintCounts;
  readonly records: FingerprintCounts;
  readonly created: FingerprintCounts;
  readonly stored: FingerprintCounts;
  readonly sample: Answered[];
  /** Digests of what was sent and never answered, by keys. */
  readonly unanswered: Map<string, string>;
  /** Addresses of the articles that answers named. */
  readonly places: FingerprintCounts;
};

export function emptyMemory(): Memory {
  return {
    keys: createFingerprintCounts(),
    records: createFingerprintCounts(),
    created: createFingerprintCounts(),
    stored: createFingerprintCounts(),
    places: createFingerprintCounts(),
    sample: [],
    unanswered: new Map(),
  };
}

export async function readMemory(path: string): Promise<Memory> {
  const memory = emptyMemory();
  for await (const lines of readJournal(path)) {
    for (const line of lines) {
      if ('answered' in line || 'sending' in line || 'refused' in line) remember(memory, line);
    }
  }
  return memory;
}

const sampled = 4;

export function remember(memory: Memory, line: Answered | Sending | Refused): void {
  const { keys, records, created, stored, places, sample, unanswered } = memory;
  if ('sending' in line) {
    unanswered.set(line.sending, line.digest);
    return;
  }
  if ('refused' in line) {
    unanswered.delete(line.refused);
    return;
  }
  places.add(placeFingerprint(line.url));
  unanswered.delete(line.answered);
  const record = recordFingerprint(line.answered, line.sent);
  if (line.created === true) created.add(record);
  keys.add(keyFingerprint(line.answered));
  records.add(record);
  stored.add(textFingerprint(line.stored));
  // The first answers and the latest.
  if (sample.length < sampled) sample.push(line);
  else sample[sampled - 1] = line;
}

/** That of a record's article, by its key. */
export async function lastAddress(path: string, key: string): Promise<string | undefined> {
  let url: string | undefined;
  for await (const lines of readJournal(path)) {
    for (const line of lines) if ('answered' in line && line.answered === key) url = line.url;
  }
  return url;
}

/** More are not of an import that was cut off. */
const mostOpen = 10_000;

/** Ids of articles made while a run went on, or after it was cut off, that it did not note. */
export function idsBetween(since = Infinity, newest = 0, noted: FingerprintCounts): number[] {
  const ids: number[] = [];
  for (let id = since + 1; id <= newest && ids.length < mostOpen; id += 1)
    if (noted.of(BigInt(id)) === 0) ids.push(id);
  return ids;
}

/** The highest id on the blog, 0 where it has no article (decisions 13); undefined where one went meanwhile. */
export async function newestId(client: Pick<BlogClient, 'pages'>): Promise<number | undefined> {
  const page = async (pageIndex: number) => {
    const { value } = await client.pages({ pageIndex, pageSize: 1 }).next();
    return value;
  };
  const total = (await page(1))?.totalArticles ?? 0;
  if (total === 0) return 0;
  return (await page(total))?.articles.map(({ id }) => id).toSorted((a, b) => b - a)[0];
}

/** `part`: a journal is about this blog, which has lost some of what it says. */
export type Fit = 'whole' | 'part' | 'other';

type Known = {
  readonly run: Pick<Run, 'blog'>;
  readonly sample: readonly Answered[];
  readonly answers: number;
};

/**
 * Whether a journal is about this blog as it is now. One of the articles it names must have the text
 * it was given; a store file that was made anew has none. A blog that can be asked again (`asksAgain`)
 * must have them all, and not fewer articles than were answered: it may have been restored from a
 * copy, or some were deleted, and then asking again tells the truth. Elsewhere the journal is all
 * there is to go by, and an article that is gone was there.
 */
export async function fitsBlog(
  { sample, run, answers }: Known,
  client: Pick<BlogClient, 'article' | 'pages'>,
  asksAgain: boolean,
): Promise<Fit> {
  if (sample.length === 0) return 'whole';
  const found: Sameness[] = [];
  for (const each of sample) found.push(await look(each, referenceTo(run.blog, each.url), client));
  const [isSame, isGone] = [found.includes('same'), found.includes('gone')];
  if (!asksAgain) return isSame || isGone ? 'whole' : 'other';
  if (!isSame) return 'other';
  const { value: page } = await client.pages({ pageIndex: 1, pageSize: 1 }).next();
  const isLess = isGone || found.includes('missing') || (page?.totalArticles ?? 0) < answers;
  return isLess ? 'part' : 'whole';
}

type Sameness = 'same' | 'other' | 'gone' | 'missing';

async function look(
  answer: Answered,
  reference: ArticleReference,
  client: Pick<BlogClient, 'article'>,
): Promise<Sameness> {
  try {
    const { article } = await client.article(reference);
    return textDigest(article).startsWith(answer.stored) ? 'same' : 'other';
  } catch (error) {
    if (!(error instanceof BlogctlError)) throw error;
    if (error.code === 'gone') return 'gone';
    // An address of another port or host: not the blog that gave it.
    if (error.code === 'not-found' || error.code === 'usage') return 'missing';
    throw error;
  }
}

/** What became of one change of a run. */
export type Undone = {
  readonly result: 'deleted' | 'restored' | 'kept' | 'nothing' | 'unknown';
  /** The article as the run named it. */
  readonly url: string;
  readonly title?: string;
  /** Where a deleted article is again; links to its old address stay gone. */
  readonly now?: string;
};

/** What tells the articles of a blog apart. */
export function placeOf(reference: ArticleReference): string {
  return 'id' in reference ? String(reference.id) : reference.url;
}

type New = Pick<KeyedRecord, 'key' | 'title' | 'place'>;
/** `count` of them at least. */
export type Double = { count: number; isAll: boolean; record: New; url: string };

/** New records with the text of an article that an earlier import made of one that is not in the source any more; without keys equal texts are counted instead. */
export type Doubles = {
  /** Told of each record at the first reading. */
  readonly see: (record: KeyedRecord) => void;
  /** How many there are, and the first that is new and whose article `place` finds with its text, by its address now. */
  find(
    place: (record: New, noted: Answered) => Promise<string | undefined>,
  ): Promise<Double | undefined>;
};

/** So many are looked for: where none of them is there, what was imported may have been taken back. */
const mostLookedFor = 10;

/** A source that was renamed, or is known by another member than before, is a new one to an import; a blog may have several addresses. */
export async function createDoubles(
  here: AsyncIterable<Answered>,
  anywhere: () => AsyncIterable<Answered>,
): Promise<Doubles> {
  const [known, texts] = [createFingerprintCounts(), createFingerprintCounts()];
  const present = createFingerprintCounts();
  const first = new Map<bigint, New>();
  let alike = 0;
  // Several runs know the same: once is enough, and takes the least room.
  const addTo = (set: FingerprintCounts, one: bigint) => set.of(one) > 0 || set.add(one);
  for await (const { answered } of here) addTo(known, keyFingerprint(answered));
  for await (const { sent } of anywhere()) addTo(texts, textFingerprint(sent));
  return {
    see({ key, digest, title, place, article }) {
      if (texts.size === 0) return;
      present.add(keyFingerprint(key));
      if (known.of(keyFingerprint(key)) > 0 || article !== undefined) return;
      const text = textFingerprint(digest);
      if (texts.of(text) === 0) return;
      alike += 1;
      if (first.size < mostLookedFor && !first.has(text)) first.set(text, { key, title, place });
    },
    async find(place) {
      let [count, looks] = [0, 0];
      let found: Pick<Double, 'record' | 'url'> | undefined;
      for await (const noted of alike === 0 ? [] : anywhere()) {
        const text = textFingerprint(noted.sent);
        const record = first.get(text);
        if (record === undefined || present.of(keyFingerprint(noted.answered)) > 0) continue;
        // Another run, or one of another blog, may have noted the one that is here.
        if ((looks += 1) > 3 * mostLookedFor) break;
        const url: string | undefined = await place(record, noted);
        if (url === undefined) continue;
        first.delete(text);
        count += 1;
        found ??= { record, url };
      }
      return found && { count, isAll: count === alike, ...found };
    },
  };
}

/** `run` is the one that will have made them; a dry run has none. */
export function doublesSentence({ count, isAll, record, url }: Double, run?: string): string {
  const have = count === 1 ? '1 new record has' : `${count} new records have`;
  const will = run === undefined ? 'would be' : 'will be';
  const next =
    run === undefined
      ? 'Under the name of then, or by that member (--key-field), it is known again'
      : `Where they are the same, blogctl runs undo ${run} takes back all that this import creates`;
  return `${isAll ? '' : 'At least '}${have} the very text of an article that is there, and ${will} there twice: "${record.title}" of ${record.place.source} is ${url} already. An earlier import made that of a record which is not in this source, and what is under another name, or known by another member, is new to an import. ${next}.`;
}
