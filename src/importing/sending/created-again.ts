import { hash } from 'node:crypto';

import type { ArticleReference, BlogClient } from '../../client/blog-client.ts';
import { readWhole } from '../../client/pages.ts';
import { BlogctlError } from '../../errors.ts';
import { readListing, type Listing } from './own-articles.ts';
import type { RetryPolicy } from './retry-policy.ts';
import { createUnkeyedDelivery, type Notes } from './unkeyed-delivery.ts';
import { createFingerprintCounts, textDigest } from '../sources/identity.ts';
import type { KeyedRecord } from '../sources/keyed-entries.ts';
import {
  placeFingerprint,
  readChanges,
  readJournal,
  referenceTo,
  type Change,
  type Run,
} from '../runs/journal-lines.ts';
import { placeOf, type Undone } from '../runs/memory.ts';
import { listRuns, type RunJournal } from '../runs/runs.ts';

export type Deletion = Extract<Change, { deleted: string }>;
export type Restorer = Awaited<ReturnType<typeof createRestorer>>;

/** What undos created again on a blog, as far as their records are kept. */
export type Restorations = {
  /** Where a deleted article is again, by `placeOf` of then. */
  readonly made: ReadonlyMap<string, string>;
  /** Digests of what was sent and never clearly answered, by keys. */
  readonly doubts: ReadonlyMap<string, string>;
  /** The highest id that the blog had before the first of those was sent. */
  readonly newest: number | undefined;
  /** All that runs created there. */
  readonly accounted: ReadonlySet<bigint>;
};

export async function readRestorations(data: string | undefined, blog: string) {
  const made = new Map<string, string>();
  const doubts = new Map<string, { digest: string; run: Run }>();
  const accounted = new Set<bigint>();
  for (const run of data === undefined ? [] : (await listRuns(data)).toReversed()) {
    if (run.blog !== blog) continue;
    for (const change of await readChanges(run.journal))
      if ('created' in change) accounted.add(placeFingerprint(change.created));
    if (run.command !== 'runs undo') continue;
    for await (const lines of readJournal(run.journal)) {
      for (const line of lines) {
        if ('sending' in line) doubts.set(line.sending, { digest: line.digest, run });
        else if ('refused' in line) doubts.delete(line.refused);
        else if ('created' in line && 'instead' in line && line.instead) {
          const place = placeOf(referenceTo(blog, line.instead));
          made.set(place, line.created);
          doubts.delete(keyOf(place));
        }
      }
    }
  }
  const open = [...doubts.values()];
  return {
    made,
    doubts: new Map([...doubts].map(([key, { digest }]) => [key, digest])),
    newest:
      open.length > 0 ? Math.min(...open.map(({ run }) => run.newest ?? Infinity)) : undefined,
    accounted,
  };
}

/** An address is deleted once: of all runs that say so, one creates its article again. */
function keyOf(place: string): string {
  return hash('sha256', JSON.stringify(['undo', place]), 'base64url');
}

function keyFor({ deleted }: Deletion, { reference }: Pick<World, 'reference'>): string {
  return keyOf(placeOf(reference(deleted)));
}

/** Creates a deleted article again where the blog honours keys: once, however often it is sent. */
export async function createByKey(deletion: Deletion, world: World): Promise<Undone> {
  const { client } = world;
  const { deleted: url, before } = deletion;
  const { title, content = '' } = before;
  const idempotencyKey = keyFor(deletion, world);
  try {
    const { article, replayed } = await client.create({ title, content }, { idempotencyKey });
    if (replayed) {
      await world.found({ url: article.url, digest: textDigest({ title, content }) }, deletion);
      return { result: 'nothing', url, now: article.url };
    }
    const digest = textDigest(article);
    const now = await completed(deletion, { url: article.url, digest }, world);
    return { result: 'restored', url, title, now };
  } catch (error) {
    // Created again before, and changed or deleted since.
    const reason = error instanceof BlogctlError ? error.context : {};
    if (reason.status === 410) return { result: 'nothing', url };
    if (reason.reason === 'idempotency-key-reused')
      return { result: 'kept', url, title, ...(reason.article && { now: reason.article }) };
    throw error;
  }
}

/** Where the blog cannot be asked for a key, nothing is known to be there. */
export async function wasMade(deletion: Deletion, world: World): Promise<boolean> {
  const { findsByKey } = await world.client.blog();
  if (!findsByKey) return false;
  return (await world.client.articleByKey(keyFor(deletion, world))).kind !== 'never-seen';
}

/** Whether a deleted article has to be created again where no key tells whether it was. */
export async function restoresUnkeyed(changes: readonly Change[], client: BlogClient) {
  const isDue = changes.some((change) => 'deleted' in change);
  return isDue && !(await client.blog()).honoursIdempotencyKey;
}

/** The articles of a blog without keys before any is created again. */
export async function listBefore(
  client: BlogClient,
  { newest: since = Infinity, accounted }: Restorations,
) {
  const isKnown = (url: string) => accounted.has(placeFingerprint(url));
  const listing = await readWhole(() => readListing(client, since, isKnown));
  // One of equal text is another article: what was deleted is not there by that.
  return { ...listing, texts: createFingerprintCounts(), run: { newest: listing.newest } };
}

/** An article that is one created again. */
type Place = { readonly url: string; readonly digest: string };

/** A creation has a content (interface, Endpoints, rule 12); a replacement may go without. */
async function completed(
  { deleted, before: { title, content } }: Deletion,
  { url, digest }: Place,
  { client, record }: World,
): Promise<string> {
  if (content === undefined) await client.replace({ url }, { title });
  const now = content === undefined ? textDigest({ title }) : digest;
  record.note({ created: url, digest: now.slice(0, 32), instead: deleted });
  return url;
}

export type World = {
  readonly client: BlogClient;
  readonly record: RunJournal;
  /** How an article is asked for by the address that a run noted. */
  readonly reference: (url: string) => ArticleReference;
  /** Notes what was created again before where nobody has: who did it was killed. */
  found(article: Place, deletion: Deletion): Promise<void>;
};

type Restoring = World & {
  readonly retry: RetryPolicy;
  readonly again: Restorations;
  readonly listed: Listing;
};

/**
 * Creates deleted articles again where no key tells a repetition from a second article: as an import does,
 * by looking on the blog for what was not clearly answered, in this undo or an earlier one.
 */
export async function createRestorer(restoring: Restoring, signal: AbortSignal) {
  const { client, retry, record, again, listed } = restoring;
  const found = new Map<string, Place>();
  const journal: Notes = {
    run: { newest: again.newest ?? listed.newest },
    unanswered: again.doubts,
    stored: createFingerprintCounts(),
    failure: undefined,
    state: () => 'unknown',
    addressOf: async () => undefined,
    accountsFor: (url) => again.accounted.has(placeFingerprint(url)),
    sending: ({ key, digest }) => record.note({ sending: key, digest: digest.slice(0, 32) }),
    refused: ({ key }) => record.note({ refused: key }),
    found: (key, _sent, article) => void found.set(key, article),
  };
  const set = { onChanged: 'fail', recreate: false, findsByKey: false, wantsIds: false } as const;
  const options = { ...set, client, retry, journal, earlier: nothing, listed };
  const unkeyed = await createUnkeyedDelivery(options, signal);

  const open = new Map<string, Deletion>();
  let failure: BlogctlError | undefined;
  let candidates: readonly string[] = [];

  /** Where it is; undefined while nobody can say what became of it. */
  async function restore(deletion: Deletion, running: AbortSignal): Promise<string | undefined> {
    const key = keyFor(deletion, restoring);
    const there = found.get(key);
    if (there !== undefined) return completed(deletion, there, restoring);
    const outcome = await unkeyed.deliver(recordOf(key, deletion.before), running);
    if (outcome.kind === 'inDoubt') {
      open.set(key, deletion);
      failure ??= outcome.failure;
      return undefined;
    }
    if (outcome.kind === 'created') {
      const { url } = outcome.article;
      return completed(deletion, { url, digest: textDigest(outcome.article) }, restoring);
    }
    if (outcome.kind !== 'rejected')
      throw new BlogctlError('gone', 'The service has no place for articles any more (410).');
    throw new BlogctlError('unprocessable', outcome.message, { status: outcome.status });
  }

  /** What was in doubt, as far as the blog tells; what proves not to be there is sent again. */
  async function* settle(running: AbortSignal) {
    for (let pass = 0; pass < mostPasses && open.size > 0; pass += 1) {
      const { missing, strangers } = await unkeyed.settle(running);
      candidates = strangers.map(({ url }) => url);
      const known = [...open].filter(([key]) => found.has(key) || missing.has(key));
      if (known.length === 0) return;
      for (const [key, deletion] of known) {
        running.throwIfAborted();
        open.delete(key);
        const now = await restore(deletion, running);
        if (now !== undefined) yield { deletion, now };
      }
    }
  }

  return {
    restore,
    settle,
    /** Where an earlier undo noted that it created it. */
    made: ({ deleted }: Deletion) => again.made.get(placeOf(restoring.reference(deleted))),
    /** Where an earlier undo created it, as it turned out. */
    seen: (deletion: Deletion) => found.get(keyFor(deletion, restoring))?.url,
    /** What stays in doubt, and the articles that may be it. */
    open: () => [...open.values()],
    candidates: () => candidates,
    /** What keeps it from going on: the service does not answer. */
    failure: () => failure,
  };
}

/** As an import: a service that loses every answer is not asked for ever. */
const mostPasses = 8;
async function* nothing(): AsyncGenerator<never> {}

function recordOf(key: string, { title, content = '' }: Deletion['before']): KeyedRecord {
  return {
    kind: 'record',
    place: { source: '', position: 0 },
    namespace: '',
    name: key,
    key,
    keyOf: () => key,
    title,
    content,
    digest: textDigest({ title, content }),
  };
}
