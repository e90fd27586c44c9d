import { messageOf } from '../errors.ts';
import {
  type Addresses,
  type Fate,
  type Left,
  type Listed,
  placeOf,
  readAbsent,
  restOf,
  ruleOf,
} from './addresses.ts';
import type { Own, OwnArticles } from './check.ts';
import { findListed, findNew, requireAlone } from './listing.ts';
import {
  Broken,
  ending,
  ifUnanswered,
  isGone,
  isMarked,
  isNamed,
  isRefused,
  lacking,
  requireAllowed,
  Skipped,
  succeeded,
} from './outcome.ts';
import { type Extra, NoAnswer, NotCreated, type Reply, type Send, type Wire } from './wire.ts';

type OwnOptions = Addresses & {
  readonly rest: Wire['rest'];
  readonly title: string;
  readonly send: Send;
  /** Sends in spite of Ctrl-C. */
  readonly sendEvenNow: Send;
  /** Whether a deletion of it was answered as done. */
  readonly isDeleted: (url: string) => boolean;
};

/** Answers that end a run: nothing can be learned where a change is not allowed. */
const hopeless = new Set([401, 403, 503, 507]);

export function createOwnArticles(options: OwnOptions): OwnArticles {
  const { title, collection, send, sendEvenNow, isDeleted } = options;
  const made = new Set<string>();
  /** Places that were looked at: where ours are, and those of others. */
  const [ours, theirs] = [new Set<string>(), new Set<string>()];
  const kept: Own[] = [];
  let closed: Skipped | undefined;
  const [creations, slips]: [Reply[], Reply[]] = [[], []];
  /** Which may be of others: told, not deleted. */
  const nameless: Left[] = [];
  let seen: ReadonlyMap<string, boolean> | undefined;
  let silence: string | undefined;
  let [isGuarded, isBlind] = [false, false];

  async function post(extra: Extra): Promise<Reply> {
    const before = seen ?? (await looked());
    const reply = await posted(extra);
    if (succeeded(reply)) return reply;
    seen = await looked();
    const reason = `it came with a POST that was answered ${reply.status}`;
    const slipped = [...(before ? (seen ?? []) : [])].filter(([url]) => !before?.has(url));
    if (slipped.some(([, isTitled]) => isTitled)) slips.push(reply);
    for (const [url, isTitled] of slipped) if (!isTitled) nameless.push({ url, reason });
    return reply;
  }

  const looked = () => findNew(title, made, send, options).catch(ifUnanswered);

  async function posted(extra: Extra): Promise<Reply> {
    seen = undefined;
    const reply = await send('POST', collection, extra);
    const url = placeIn(reply);
    if (url !== undefined) made.add(url);
    return reply;
  }

  async function create(json: unknown): Promise<Reply> {
    const reply = await posted({ json }).catch((error: unknown) => {
      throw error instanceof NoAnswer ? new NotCreated(error.asked, error.failure) : error;
    });
    creations.push(reply);
    return reply;
  }

  const placeIn = (reply: Reply) => (succeeded(reply) ? placeOf(reply, options) : undefined);

  async function make(content = `Made by ${title}`): Promise<Own> {
    const reply = await create({ title, content });
    if (reply.status === 423)
      throw (closed = new Skipped('the service refuses every change (423)'));
    if (hopeless.has(reply.status)) throw ending(reply);
    const url = placeIn(reply);
    if (url === undefined) throw new Skipped(`creating is answered ${reply.status}, see 4.12`);
    // Whatever an answer says of where its article is: what is not ours must not be changed.
    if (!isNamed((await send('GET', url)).document, title))
      throw new Skipped('a new article is not where the answer says, see 3.2 and 4.12');
    ours.add(url);
    return { url, reply };
  }

  /** The right to delete comes first, tried where nothing is: where it is lacking, nothing may be made. */
  async function requireRights(): Promise<void> {
    const absent = await readAbsent(send, options).catch(() => undefined);
    // What cannot be looked for afterwards must not be made.
    if (absent !== undefined && isRefused(absent) && isRefused(await send('GET', collection)))
      throw (closed = lacking('5.2'));
    if (absent !== undefined && isGone.has(absent.status))
      await requireAllowed(send('DELETE', absent.request.url));
    const { url } = await make();
    await requireAllowed(change('PUT', url, { json: { title, content: `Kept by ${title}` } }));
    await requireAlone(() => change('DELETE', url), send, options);
  }

  async function change(method: string, url: string, extra: Extra = {}, by = send): Promise<Reply> {
    const plain = () => by(method, url, extra);
    const guarded = async () => {
      const { etag } = (await by('GET', url)).headers;
      if (etag === undefined) return undefined;
      return by(method, url, { ...extra, headers: { ...extra.headers, 'if-match': etag } });
    };
    if (isGuarded) return (await guarded()) ?? plain();
    const reply = await plain();
    const second = [400, 428].includes(reply.status) ? await guarded() : undefined;
    if (second === undefined || !succeeded(second)) return reply;
    isGuarded = true;
    return second;
  }

  return {
    title,
    made,
    kept,
    get closed() {
      return closed;
    },
    keep: async (count) => {
      await requireRights().catch((error: unknown) => {
        if (error instanceof NoAnswer) closed = lacking(ruleOf(error.asked, options) ?? '4.12');
        if (error instanceof Broken) closed = lacking('4.16');
        throw error;
      });
      for (let tried = 0; tried < count; tried += 1) {
        const own = await make().catch(ifUnanswered);
        if (own !== undefined) kept.push(own);
      }
    },
    make,
    post,
    slips,
    creations,
    create,
    get isGuarded() {
      return isGuarded;
    },
    change: async (method, url, extra) => {
      const reply = await change(method, url, extra);
      // It may have taken over the id that it was sent.
      const place = method === 'PUT' ? placeIn(reply) : undefined;
      if (place !== undefined) made.add(place);
      return reply;
    },
    clear: async () => {
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
      if (listed.places.length > 0) {
        await removeAll(listed.places.flat(), true);
        listed = await listedNow();
      }
      for (const url of listed.places.flat())
        if (!ours.has(url) && !theirs.has(url)) await look(url);
      const isHiding = before.unseen === undefined && before.places.length < there;
      const isOthers = (url: string) => theirs.has(url) && !ours.has(url);
      const unseen = listed.unseen ?? (isHiding ? 'it does not show what was made' : undefined);
      const rest = restOf(fates, { ...listed, unseen }, { ...options, isOthers });
      return { ...rest, unknown: [...rest.unknown, ...nameless] };
    },
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
