import { existsSync } from 'node:fs';

import type { BlogClient } from '../client/blog-client.ts';
import { BlogctlError } from '../errors.ts';
import {
  interrupted,
  type ImportListener,
  type ImportRequest,
  type ImportWorld,
} from './import-request.ts';
import { openJournal, type Journal } from './runs/journal.ts';
import { sendRounds, type Books } from './send-rounds.ts';
import { withJournal, type Delivery, type Means } from './sending/delivery.ts';
import { createKeyedDelivery, withoutWriting } from './sending/keyed-delivery.ts';
import { createPatience, type Patience } from './sending/patience.ts';
import { createFindOwn, withOwnArticles } from './sending/own-articles.ts';
import { createUnkeyedDelivery } from './sending/unkeyed-delivery.ts';
import type { Tally } from './plan.ts';
import { textDigest } from './sources/record-key.ts';
import type { Answered } from './runs/journal-lines.ts';

type Started = {
  readonly request: ImportRequest;
  readonly world: ImportWorld;
  readonly books: Books;
  readonly means: Means;
  readonly journal: Journal | undefined;
};

const attemptsAtOne = 5;
const otherBlog =
  'What an earlier run of this import left does not fit this blog: every record is asked for again.';

/** Sends what was planned and keeps the books; answers what ended it before its time. */
export async function carryOut(
  request: ImportRequest,
  world: ImportWorld & { readonly client: BlogClient },
  books: Books,
): Promise<BlogctlError | undefined> {
  try {
    const patience = patienceFor(request, world, request.maxSilenceMs);
    const first = patienceFor(request, world, request.maxFirstSilenceMs);
    const blog = await first(() => world.client.blog(), world.signal);
    const { dryRun, onChanged, recreate } = request;
    const { findsByKey } = blog;
    const client = dryRun ? withoutWriting(world.client) : world.client;
    const means = {
      client,
      patience,
      onChanged,
      recreate,
      findsByKey,
      wantsIds: request.results !== undefined,
    };
    const asksAgain = blog.honoursIdempotencyKey;
    const journal = await startJournal(request, world, {
      client: world.client,
      patience,
      asksAgain,
    });
    const send = blog.honoursIdempotencyKey && (findsByKey || !dryRun) ? withKeys : withoutKeys;
    try {
      return await send({ request, world, books, means, journal });
    } finally {
      endJournal(journal, books.tally, world.listener);
    }
  } catch (error) {
    if (world.signal.aborted) return interrupted(world.signal, books.tally.summary());
    if (error instanceof BlogctlError) return error;
    throw error;
  }
}

async function withKeys(run: Started): Promise<BlogctlError | undefined> {
  const deliver = createKeyedDelivery(run.means);
  const settle = async () => ({ created: 0, missing: new Set<string>() });
  return sendRounds({ deliver: known(deliver, run), settle }, run);
}

async function withoutKeys(run: Started): Promise<BlogctlError | undefined> {
  const { means, journal, world } = run;
  const way = await createUnkeyedDelivery({ ...means, journal }, world.signal);
  return sendRounds({ ...way, deliver: known(way.deliver, run) }, run);
}

/** What needs no creation: answered in an earlier run, or an article of this very blog. */
function known(
  deliver: Delivery,
  { means, journal, world: { store, listener } }: Started,
): Delivery {
  const own = withOwnArticles(deliver, {
    ...means,
    findOwn: createFindOwn(means.client, store),
    elsewhere: (address) => listener.elsewhere(address),
  });
  // What the journal knows has no id; asked again, the blog tells it.
  return means.wantsIds && means.findsByKey ? own : withJournal(own, journal);
}

type Asking = {
  readonly client: BlogClient;
  readonly patience: Patience;
  readonly asksAgain: boolean;
};

/** The journal, fit for this blog. Without one an import goes on: the blog itself is asked then. */
async function startJournal(
  { journal: place, dryRun }: ImportRequest,
  { listener, signal }: ImportWorld,
  { client, patience, asksAgain }: Asking,
): Promise<Journal | undefined> {
  if (place === undefined) return undefined;
  if (dryRun && !(place.resume && existsSync(place.path))) return undefined;
  try {
    const journal = await openJournal(place.path, place.run, {
      readOnly: dryRun,
      keeps: place.keeps,
    });
    const fits = () => fitsBlog(journal, client, asksAgain);
    if (place.resume && (await patience(fits, signal))) return journal;
    if (place.resume) listener.warned(otherBlog);
    journal.restart();
    return journal;
  } catch (error) {
    if (!(error instanceof Error && 'syscall' in error)) throw error;
    listener.warned(`No journal is kept: ${error.message}`);
    return undefined;
  }
}

/** It is kept while there is something to resume. */
function endJournal(journal: Journal | undefined, tally: Tally, listener: ImportListener): void {
  const { reasons: _reasons, notices: _notices, ...counts } = tally.summary();
  if (counts.inDoubt + counts.unsent === 0) journal?.end(counts);
  else {
    journal?.close();
    if (journal?.failure !== undefined) listener.warned(journal.failure.message);
  }
}

function patienceFor(
  { maxWaitMs, perSecond }: ImportRequest,
  { clock, listener }: ImportWorld,
  maxSilenceMs: number,
): Patience {
  return createPatience(clock, {
    maxWaitMs,
    maxSilenceMs,
    perSecond,
    attempts: attemptsAtOne,
    waits: (pauseMs, because) => listener.waits(pauseMs, because),
  });
}

/**
 * Whether a journal is about this blog as it is now. One of the articles it names must have the text
 * it was given; a store file that was made anew has none. A blog that can be asked again (`asksAgain`)
 * must have them all, and not fewer articles than were answered: it may have been restored from a
 * copy, or some were deleted, and then asking again tells the truth. Elsewhere the journal is all
 * there is to go by, and an article that is gone was there.
 */
export async function fitsBlog(
  journal: Journal,
  client: Pick<BlogClient, 'article' | 'pages'>,
  asksAgain: boolean,
): Promise<boolean> {
  if (journal.sample.length === 0) return true;
  const found: Found[] = [];
  for (const answer of journal.sample) found.push(await look(answer, client));
  if (!asksAgain) return found.some((each) => each === 'same' || each === 'gone');
  if (found.includes('gone') || found.includes('missing')) return false;
  const { value: page } = await client.pages({ pageIndex: 1, pageSize: 1 }).next();
  return found.includes('same') && (page?.totalArticles ?? 0) >= journal.answers;
}

type Found = 'same' | 'other' | 'gone' | 'missing';

async function look(answer: Answered, client: Pick<BlogClient, 'article'>): Promise<Found> {
  try {
    const { article } = await client.article({ url: answer.url });
    return textDigest(article).startsWith(answer.stored) ? 'same' : 'other';
  } catch (error) {
    if (!(error instanceof BlogctlError)) throw error;
    if (error.code === 'gone') return 'gone';
    // An address of another port or host: not the blog that gave it.
    if (error.code === 'not-found' || error.code === 'usage') return 'missing';
    throw error;
  }
}
