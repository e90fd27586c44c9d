import { messageOf } from '../errors.ts';
import type { HalDocument } from '../hal/document.ts';
import { type Addresses, placesOf } from './addresses.ts';
import { articlesOf, idsOf, reader, readListing, runName } from './listing.ts';
import {
  expectThat,
  ifUnanswered,
  isGone,
  isMarked,
  isNamed,
  quoted,
  requireAllowed,
  succeeded,
} from './outcome.ts';
import { type Extra, NoAnswer, type Reply, type Send, type Wire } from './wire.ts';

export type Left = { readonly url: string; readonly reason: string };

/** What became of the articles of a run. */
export type Rest = {
  /** Those that are still there. */
  readonly left: readonly Left[];
  /** Where it could not be seen whether one is. */
  readonly unknown: readonly Left[];
};

/** Of an article that was to be deleted: it is shown still, it was and is not deleted, or neither is known. */
export type Fate = { readonly reason: string; readonly as: 'shown' | 'refused' | 'unknown' };

/** Where the listing has articles of a run, and why that is not all of it. */
export type Listed = {
  /** For each of them, where it may be. */
  readonly places: readonly (readonly string[])[];
  readonly unseen?: string | undefined;
};

type ListedPlace = {
  readonly collection: string;
  /** Whether a deletion of it was answered as done. */
  readonly isDeleted: (url: string) => boolean;
  /** Whether an article of somebody else was seen there: that is never told as one of the run. */
  readonly isOthers: (url: string) => boolean;
};

/** What a listing that was seen in full does not have is gone, unless it is shown by itself. */
export function restOf(
  fates: ReadonlyMap<string, Fate>,
  { places, unseen }: Listed,
  { collection, isDeleted, isOthers }: ListedPlace,
): Rest {
  const urls = places.flat().filter((url) => !isOthers(url));
  const listed = urls.map((url): [string, Fate] => [
    url,
    { reason: 'it is still listed', as: isDeleted(url) ? 'unknown' : 'refused' },
  ]);
  const all = [...new Map([...listed, ...fates])].filter(
    ([url, { as }]) => as === 'shown' || unseen !== undefined || urls.includes(url),
  );
  const of = (isKnown: boolean) =>
    all.flatMap(([url, { reason, as }]) =>
      (as !== 'unknown') === isKnown ? [{ url, reason }] : [],
    );
  const [misplaced] = places.find((each) => each.every(isOthers)) ?? [];
  const astray = misplaced && `it lists one as ${misplaced}, where another article is`;
  const others = [unseen, astray].flatMap((why) => (why ? [{ url: collection, reason: why }] : []));
  return { left: of(true), unknown: [...of(false), ...others] };
}

type ClearingOptions = Addresses & {
  readonly title: string;
  /** Sends in spite of Ctrl-C. */
  readonly sendEvenNow: Send;
  /** Whether a deletion of it was answered as done. */
  readonly isDeleted: (url: string) => boolean;
  readonly made: ReadonlySet<string>;
  /** Where ours were seen. */
  readonly ours: Set<string>;
  /** Which may be of others: told, not deleted. */
  readonly nameless: readonly Left[];
  /** Whether articles of others may bear the title of the run: then the listing proves nothing. */
  readonly isTainted: () => boolean;
  readonly change: (method: string, url: string, extra: Extra, by: Send) => Promise<Reply>;
};

/** Deletes what a run made, by its addresses and by the listing, and tells what became of it. */
export function clearing(options: ClearingOptions): () => Promise<Rest> {
  const { title, sendEvenNow, isDeleted, made, ours, nameless, change } = options;
  const theirs = new Set<string>();
  let silence: string | undefined;
  let isBlind = false;
  return async () => {
    const fates = new Map<string, Fate>();
    const removeAll = async (urls: Iterable<string>, isListed: boolean) => {
      for (const url of urls) {
        fates.delete(url);
        const fate = await remove(url, isListed);
        if (fate !== undefined) fates.set(url, fate);
      }
    };
    // Where neither a deletion nor a read is answered, nothing else is waited for.
    const listedNow = async (): Promise<Listed> =>
      isBlind && silence !== undefined
        ? { places: [], unseen: silence }
        : findListed(title, sendEvenNow, options).catch((error: unknown) => ({
            places: [],
            unseen: messageOf(error),
          }));
    const before = await listedNow();
    const mine = [...made].filter((url) => !isDeleted(url));
    await removeAll(made, false);
    const there = mine.filter((url) => isDeleted(url) || fates.get(url)?.as === 'shown').length;
    let listed = await listedNow();
    if (listed.places.length > 0 && !options.isTainted()) {
      await removeAll(listed.places.flat(), true);
      listed = await listedNow();
    }
    for (const url of listed.places.flat()) if (!ours.has(url) && !theirs.has(url)) await look(url);
    const isHiding = before.unseen === undefined && before.places.length < there;
    const isOthers = (url: string) => theirs.has(url) && !ours.has(url);
    const unseen = listed.unseen ?? (isHiding ? 'it does not show what was made' : undefined);
    const rest = restOf(fates, { ...listed, unseen }, { ...options, isOthers });
    return { ...rest, unknown: [...rest.unknown, ...nameless] };
  };

  /** What is not known to be deleted is still there where it was once seen. */
  function fateOf(url: string, reason: string): Fate | undefined {
    if (isDeleted(url)) return undefined;
    return { reason, as: ours.has(url) ? 'refused' : 'unknown' };
  }

  /** Whatever a deletion is answered, what is shown afterwards is still there. */
  async function remove(url: string, isListed: boolean): Promise<Fate | undefined> {
    if (isDeleted(url) || !ours.has(url)) {
      const now = await look(url);
      const isAway = isGone.has(now) && (isDeleted(url) || !isListed);
      if (isAway || now === 'other') return undefined;
      if (now !== 'ours' && !isListed) return fateOf(url, `GET: ${now ?? 'no answer'}`);
    }
    const { isDone, reason } = await deletion(url);
    const now = await look(url);
    if (isGone.has(now)) silence = undefined; // What is not answered is done all the same.
    if (now === 'ours')
      return { reason: isDone ? `${reason}, and it is still there` : reason, as: 'shown' };
    return isDone || isGone.has(now) ? undefined : fateOf(url, reason);
  }

  /** After one that nobody answered, and that was not done, no other is waited for. */
  async function deletion(url: string): Promise<{ isDone: boolean; reason: string }> {
    if (silence !== undefined) return { isDone: false, reason: silence };
    try {
      const reply = await change('DELETE', url, {}, sendEvenNow);
      const isDone = succeeded(reply) || isGone.has(reply.status);
      return { isDone, reason: `DELETE: ${reply.status}` };
    } catch (error) {
      const reason = messageOf(error);
      const isLedAway = error instanceof NoAnswer && error.failure.context.retryable !== true;
      if (!isLedAway) silence = reason;
      return { isDone: false, reason };
    }
  }

  /** A read that is not answered is the last one: the deletions matter more. */
  async function look(url: string): Promise<number | 'ours' | 'other' | undefined> {
    if (isBlind) return undefined;
    const reply = await sendEvenNow('GET', url).catch(() => undefined);
    isBlind = reply === undefined;
    if (reply === undefined) return undefined;
    const isTitled = typeof reply.document?.body['title'] === 'string';
    const isBeneath = url.startsWith(options.beneath(''));
    const isBearer = isNamed(reply.document, title) || (isBeneath && isMarked(reply, title));
    const is = isBearer ? 'ours' : succeeded(reply) && isTitled ? 'other' : reply.status;
    if (is === 'ours') ours.add(url);
    if (is === 'other') theirs.add(url);
    return is;
  }
}

/** What the listing has of the articles that bear a title. */
async function findListed(title: string, send: Send, places: Addresses): Promise<Listed> {
  const { articles, unseen } = await readListing(reader(send, places));
  const named = articles.filter((each) => isNamed(each, title));
  return { places: named.map((each) => placesOf(each, places)), unseen };
}

/**
 * The first deletion of a run, after which another article of the page that is shown unasked must not be
 * gone as well: a service that takes what nobody named is asked for no other deletion.
 */
export async function requireAlone(
  remove: () => Promise<Reply>,
  send: Send,
  addresses: Addresses & Pick<Wire, 'rest'> & { readonly title: string },
): Promise<void> {
  const read = () => reader(send, addresses)().catch(ifUnanswered);
  const [first, before] = [await read(), await read()];
  const deletion = remove();
  await requireAllowed(deletion);
  const reply = await deletion.catch(ifUnanswered);
  // Where others delete all the while nobody can tell.
  if (reply === undefined || !before?.document || goneFrom(first, before).length > 0) return;
  const after = await read();
  for (const each of goneFrom(before, after)) {
    const url = addresses.addressOf(each);
    if (url === reply.request.url || isOfOtherRun(each, addresses.title)) continue;
    const { status } = await send('GET', url);
    if (!isGone.has(status)) continue;
    for (let looks = 1; looks <= 5; looks += 1) {
      await addresses.rest(watchMs);
      if (goneFrom(after, await read()).length > 0) return;
    }
    const got = `article ${quoted(each.body['id'])} gone with it (${status})`;
    expectThat(false, reply, 'no other article deleted', got);
  }
}

/** The first PUT of a run, which must not give its title to another article of that page. */
export async function requireOwnTitle(
  put: () => Promise<Reply>,
  send: Send,
  addresses: Addresses & { readonly title: string },
): Promise<void> {
  const named = async () => {
    const page = await reader(send, addresses)().catch(ifUnanswered);
    const all = page?.document === undefined ? [] : articlesOf(page.document);
    return all
      .filter((each) => isNamed(each, addresses.title))
      .flatMap((each) => placesOf(each, addresses));
  };
  const before = await named();
  const change = put();
  await requireAllowed(change);
  const reply = await change.catch(ifUnanswered);
  if (reply === undefined || !succeeded(reply)) return;
  const other = (await named()).find((url) => ![...before, reply.request.url].includes(url));
  expectThat(other === undefined, reply, 'no other article changed', `${other} changed with it`);
}

/** Who deletes all the while does so again in a few times as much. */
const watchMs = 250;

/** A run beside this one deletes its own. */
function isOfOtherRun(article: HalDocument, title: string): boolean {
  return isNamed(article, runName) && !isNamed(article, title);
}

function goneFrom(before: Reply | undefined, after: Reply | undefined): readonly HalDocument[] {
  if (!before?.document || !after?.document) return [];
  const still = idsOf(after.document);
  return articlesOf(before.document).filter(({ body }) => !still.includes(body['id']));
}
