import type { HalDocument } from '../hal/document.ts';
import { placeOf, readAbsent, ruleOf } from './addresses.ts';
import { once, type OwnArticles, type Probe } from './check.ts';
import { findEarlier, findMissing, seeAgain, watching } from './effects.ts';
import { type Before, findNew, listedBefore, reader, readListing } from './listing.ts';
import {
  Broken,
  ending,
  ifUnanswered,
  isGone,
  isNamed,
  isRefused,
  lacking,
  type Outcome,
  requireAllowed,
  type SentenceNumber,
  Skipped,
  succeeded,
} from './outcome.ts';
import { clearing, type Left, type OwnOptions } from './remains.ts';
import {
  type Extra,
  isSent,
  type Kept,
  NoAnswer,
  NotCreated,
  type Own,
  type Reply,
} from './wire.ts';

/** Answers that end a run: nothing can be learned where a change is not allowed. */
const hopeless = new Set([401, 403, 503, 507]);

export function createOwnArticles(options: OwnOptions): OwnArticles {
  const { title, collection, send } = options;
  const made = new Set<string>();
  /** Where ours were seen. */
  const ours = new Set<string>();
  const kept: Kept[] = [];
  let closed: Skipped | undefined;
  const [creations, slips]: [Reply[], Reply[]] = [[], []];
  /** Which may be of others: told, not deleted. */
  const nameless: Left[] = [];
  let seen: ReadonlyMap<string, boolean> | undefined;
  let [isGuarded, isKnown] = [false, false];
  let tainted: SentenceNumber | undefined;
  let before: Before = () => false;
  let theirs: readonly HalDocument[] = [];
  let newest: Kept | undefined;

  async function post(extra: Extra): Promise<Reply> {
    const already = seen ?? (await looked());
    const reply = await posted(extra);
    if (succeeded(reply)) return reply;
    seen = await looked();
    const reason = `it came with a POST that was answered ${reply.status}`;
    const slipped = [...(already ? (seen ?? []) : [])].filter(([url]) => !already?.has(url));
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

  async function make(content = `Made by ${title}`): Promise<Kept> {
    const reply = await create({ title, content });
    if (reply.status === 423)
      throw (closed = new Skipped('the service refuses every change (423)'));
    if (hopeless.has(reply.status)) throw ending(reply);
    const url = placeIn(reply);
    if (url === undefined) throw new Skipped(`creating is answered ${reply.status}, see 4.12`);
    // Whatever an answer says of where its article is: what is not ours must not be changed.
    const now = await send('GET', url);
    if (!isNamed(now.document, title) || before(url, now.document))
      throw new Skipped('a new article is not where the answer says, see 3.2 and 4.12');
    ours.add(url);
    return { url, reply, now };
  }

  async function requireRights(): Promise<void> {
    const absent = await readAbsent(send, options).catch(() => undefined);
    // What cannot be looked for afterwards must not be made.
    if (absent !== undefined && isRefused(absent) && isRefused(await send('GET', collection)))
      throw (closed = lacking('5.2'));
    const listing = await readListing(reader(send, options)).catch(ifUnanswered);
    before = listedBefore(listing?.articles ?? [], options);
    isKnown = listing !== undefined && listing.unseen === undefined;
    const again = await seeAgain(listing ?? { ends: [] }, send);
    theirs = again.isSame ? (listing?.articles ?? []) : [];
    const watch = watching(again, options, made);
    // The right to delete is tried where nothing is, which a wrong service does to the newest article or the first.
    const tryDeleting = () =>
      watch(async () => {
        if (absent === undefined || !isGone.has(absent.status)) return undefined;
        const answer = send('DELETE', absent.request.url);
        await requireAllowed(answer);
        return answer.catch(ifUnanswered);
      }, kept);
    const isEmpty = isKnown && listing?.articles.length === 0;
    if (isEmpty) await tryDeleting();
    await watch(async () => {
      const own = await make();
      kept.push(own);
      return own.reply;
    });
    if (!isEmpty) await tryDeleting();
    // What is changed stands between two that must not be, so that no article of others is next to it.
    const changed = await another();
    const next = await another();
    if (next !== undefined) kept.push(next);
    if (changed === undefined) return;
    const json = { title, content: `Kept by ${title}` };
    for (const [method, extra] of Object.entries({ PUT: { json }, DELETE: {} }))
      await watch(async () => {
        const answer = change(method, changed.url, extra);
        await requireAllowed(answer);
        return answer.catch(ifUnanswered);
      }, kept);
  }

  /** One creation that fails is told by 4.12, and keeps nothing else from being looked at. */
  const another = () =>
    make().catch((error: unknown) => {
      if (closed !== undefined) throw error;
      return error instanceof Skipped ? undefined : ifUnanswered(error);
    });

  const stopAt = (number: SentenceNumber) => {
    closed = lacking((tainted = number));
  };

  const changeOwn: OwnArticles['change'] = async (method, url, extra) => {
    const reply = await change(method, url, extra);
    if (extra?.isOdd !== true && isRefused(reply)) throw ending(reply);
    // It may have taken over the id that it was sent.
    const place = method === 'PUT' ? placeIn(reply) : undefined;
    if (place !== undefined) made.add(place);
    return reply;
  };

  /** Where it is carried out after all nobody knows on what. */
  async function changeNothing(
    number: SentenceNumber,
    ...[method, url, extra]: Parameters<OwnArticles['change']>
  ): Promise<Reply> {
    newest ??= await make();
    const reply = await changeOwn(method, url, extra);
    if (succeeded(reply)) stopAt(number);
    return reply;
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
        if (error instanceof Broken) stopAt(ruleOf(error.evidence.reply, options) ?? '4.16');
        throw error;
      });
      for (let tried = kept.length; tried < count; tried += 1) {
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
    change: changeOwn,
    changeNothing,
    clear: clearing({
      ...options,
      made,
      ours,
      change,
      nameless,
      before: (url, article) => before(url, article),
      isSent: (article) => isSent(options.bodies, title, article?.body ?? {}, isKnown),
      tainted: () => tainted,
      others: async (after) => ({
        missing: await findMissing(theirs, after, options),
        earlier: findEarlier(theirs, after, options),
      }),
    }),
  };
}

/** What 7.5 comes to where the token of a run may not do all; one that may do something the service knows. */
export function deniedTo({ wire }: Probe): Outcome | undefined {
  const changes = wire.replies.filter((each) => !each.isAnonymous && each.request.method !== 'GET');
  const reply = changes.findLast(isRefused);
  if (reply === undefined) return undefined;
  if (reply.status === 403)
    return { outcome: 'held', what: `only ${reply.request.method} was tried` };
  const expected = '403, as the token may do other things';
  return changes.some(succeeded) ? { outcome: 'broken', reply, expected, got: '401' } : undefined;
}

export const put = once(async (probe): Promise<Own> => {
  const own = probe.own();
  const { url } = await own.make();
  const json = { title: `${own.title}, replaced`, content: `Replaced by ${own.title}` };
  return { url, reply: await own.change('PUT', url, { json }) };
});

/** One for whatever changes an article and asks nothing of what it was before. */
export const changed = once((probe): Promise<Own> => probe.own().make());
