import { messageOf } from '../errors.ts';
import type { HalDocument } from '../hal/document.ts';
import { type Addresses, placesOf } from './addresses.ts';
import { type Before, reader, readListing } from './listing.ts';
import { isGone, isNamed, type SentenceNumber, succeeded } from './outcome.ts';
import { type Extra, isMarked, NoAnswer, type Reply, type Send, type Wire } from './wire.ts';

export type Left = { readonly url: string; readonly reason: string };

/** What became of the articles of a run. */
export type Rest = {
  /** Those that are still there. */
  readonly left: readonly Left[];
  /** Where it could not be seen whether one is. */
  readonly unknown: readonly Left[];
  /** Those of others that were there before it and are gone. */
  readonly missing: readonly Left[];
  /** Those of other runs, which were killed or go on, that were there before it and still are. */
  readonly earlier: readonly Left[];
};

/** What became of them, by what is said of it. */
export const placesIn = ({ left, unknown, missing, earlier }: Rest) => ({
  Gone: missing,
  'Not deleted': left,
  'Not known whether articles of this run are left': unknown,
  'Of another run': earlier,
});

/** A line for each place. */
export function restLines(rest: Rest): readonly string[] {
  return Object.entries(placesIn(rest)).flatMap(([what, places]) =>
    places.map(({ url, reason }) => `${what}: ${url} (${reason})`),
  );
}

/** The places of one reason as one. */
export function byReason(rest: Rest): Rest {
  const [left, unknown] = [merged(rest.left), merged(rest.unknown)];
  return { left, unknown, missing: merged(rest.missing), earlier: merged(rest.earlier) };
}

function merged(list: readonly Left[]): readonly Left[] {
  return [...new Set(list.map(({ reason }) => reason))].map((reason) => {
    const alike = list.filter((each) => each.reason === reason);
    return { url: alike.map(({ url }) => url).join(', '), reason };
  });
}

/** Of an article that was to be deleted: it is shown still, it was and is not deleted, or neither is known. */
type Fate = { readonly reason: string; readonly as: 'shown' | 'refused' | 'unknown' };

/** Where the listing has articles of a run, and why that is not all of it. */
type Listed = {
  /** For each of them, where it may be. */
  readonly places: readonly (readonly string[])[];
  readonly unseen?: string | undefined;
  /** Where those are that have no words of the run in their content. */
  readonly blank?: readonly string[];
  readonly articles?: readonly HalDocument[];
};

/** What a listing that was seen in full does not have is gone, unless it is shown by itself; what is of others is never told as one of the run. */
function restOf(
  fates: ReadonlyMap<string, Fate>,
  { places, unseen }: Listed,
  { collection, isDeleted }: OwnOptions,
  isOthers: (url: string) => boolean,
): Omit<Rest, keyof OfOthers> {
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

export type OwnOptions = Addresses & {
  readonly blogUrl: string;
  readonly rest: Wire['rest'];
  readonly title: string;
  readonly send: Send;
  /** Sends in spite of Ctrl-C. */
  readonly sendEvenNow: Send;
  /** Whether a deletion of it was answered as done. */
  readonly isDeleted: (url: string) => boolean;
  readonly bodies: Wire['bodies'];
  /** Whether one was done. */
  readonly mayPut: () => boolean;
};

type ClearingOptions = OwnOptions & {
  readonly made: ReadonlySet<string>;
  /** Where ours were seen. */
  readonly ours: Set<string>;
  /** Which may be of others: told, not deleted. */
  readonly nameless: readonly Left[];
  /** What was there before the run, which is never deleted, whatever its title is now. */
  readonly before: Before;
  /** Whether the run sent just these texts. */
  readonly isSent: (article: HalDocument | undefined) => boolean;
  /** The change that was seen to harm others: where it may have given them our words the listing proves nothing. */
  readonly tainted: () => SentenceNumber | undefined;
  readonly change: (method: string, url: string, extra: Extra, by: Send) => Promise<Reply>;
  /** What of others is in this listing, or not there any more. */
  readonly others: (listed: readonly HalDocument[]) => Promise<OfOthers>;
};

export type OfOthers = Pick<Rest, 'missing' | 'earlier'>;
const none: OfOthers = { missing: [], earlier: [] };

/** Deletes what a run made, by its addresses and by the listing, and tells what became of it. */
export function clearing(options: ClearingOptions): () => Promise<Rest> {
  const { title, sendEvenNow, isDeleted, made, ours, nameless, change } = options;
  const theirs = new Set<string>();
  /** What bears the title of the run and is not known as made by it, and why. */
  const held = new Map<string, string>();
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
        : findListed(title, sendEvenNow, options).catch((error: unknown) => {
            return { places: [], unseen: messageOf(error) };
          });
    const first = await listedNow();
    if (options.mayPut() && options.tainted() === undefined) await fill(first.blank ?? []);
    const mine = [...made].filter((url) => !isDeleted(url));
    await removeAll(made, false);
    const there = mine.filter((url) => isDeleted(url) || fates.get(url)?.as === 'shown').length;
    let listed = await listedNow();
    if (listed.places.length > 0 && options.tainted() === undefined) {
      await removeAll(listed.places.flat(), true);
      listed = await listedNow();
    }
    for (const url of listed.places.flat()) if (!ours.has(url) && !theirs.has(url)) await look(url);
    const isHiding = first.unseen === undefined && first.places.length < there;
    const isOthers = (url: string) => theirs.has(url) && !ours.has(url);
    const unseen = listed.unseen ?? (isHiding ? 'it does not show what was made' : undefined);
    const places = listed.places.filter((each) => !each.some((url) => held.has(url)));
    const { left, unknown } = restOf(fates, { places, unseen }, options, isOthers);
    const bearers = Array.from(held, ([url, reason]) => ({ url, reason }));
    const others = listed.articles && (await options.others(listed.articles).catch(() => none));
    return { left: [...left, ...bearers], unknown: [...unknown, ...nameless], ...(others ?? none) };
  };

  /** What has no content may share that with articles of others, which a service that deletes by it takes along. */
  async function fill(urls: readonly string[]): Promise<void> {
    const json = { title, content: `Deleted by ${title}` };
    for (const url of urls)
      if (made.has(url) && !isDeleted(url) && (ours.has(url) || (await look(url)) === 'ours'))
        // One that is not answered is the last one.
        if (!(await change('PUT', url, { json }, sendEvenNow).catch(() => undefined))) return;
  }

  /** What is not known to be deleted is still there where it was once seen. */
  function fateOf(url: string, reason: string): Fate | undefined {
    if (isDeleted(url)) return undefined;
    return { reason, as: ours.has(url) ? 'refused' : 'unknown' };
  }

  /** Whatever a deletion is answered, what is shown afterwards is still there. */
  async function remove(url: string, isListed: boolean): Promise<Fate | undefined> {
    if (isDeleted(url) || !ours.has(url) || options.tainted() !== undefined) {
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
    const why = options.tainted() === '4.16' ? 'a deletion takes others along' : silence;
    if (why !== undefined) return { isDone: false, reason: why };
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
    const isBefore = options.before(url, reply.document);
    const isOurs = isBearer && !isBefore && (made.has(url) || options.isSent(reply.document));
    const why = isBefore ? 'it was there before this run' : 'it has a text that was not sent';
    if (isBearer && !isOurs) held.set(url, `${why}, and bears its title`);
    const isOther = isBearer || (succeeded(reply) && isTitled);
    const is = isOurs ? 'ours' : isOther ? 'other' : reply.status;
    if (is === 'ours') ours.add(url);
    if (is === 'other') theirs.add(url);
    return is;
  }
}

/** What the listing has of the articles that bear a title. */
async function findListed(title: string, send: Send, places: Addresses): Promise<Listed> {
  const { articles, unseen } = await readListing(reader(send, places));
  const named = articles.filter((each) => isNamed(each, title));
  const blank = named.filter(({ body }) => (body['content'] ?? '') === '');
  const first = blank.flatMap((each) => placesOf(each, places).slice(0, 1));
  return { places: named.map((each) => placesOf(each, places)), unseen, blank: first, articles };
}
