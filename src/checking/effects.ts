import { articlesOf, type HalDocument } from '../hal/document.ts';
import { inShell } from '../terminal/text.ts';
import { placesOf } from './addresses.ts';
import type { Probe } from './check.ts';
import { listedIn, type Listing, readAlone, reader, readListing, runName } from './listing.ts';
import {
  expectThat,
  isAlike,
  isGone,
  isNamed,
  requireStatus,
  Skipped,
  succeeded,
} from './outcome.ts';
import type { Left, OwnOptions } from './remains.ts';
import type { Extra, Kept, Own, Reply, Send, Wire } from './wire.ts';

/** Validators, the conditions that are made of them, and one that stands for nothing (RFC 9110, 8.8.3 and 5.6.7). */
export const tag = {
  name: 'ETag',
  header: 'etag',
  ofReads: 'if-none-match',
  ofChanges: 'if-match',
  form: /^(?:W\/)?"[^"]*"$/,
  other: '"blogctl-check-other"',
} as const;
export const date = {
  name: 'Last-Modified',
  header: 'last-modified',
  ofReads: 'if-modified-since',
  ofChanges: 'if-unmodified-since',
  form: /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/,
  other: 'Thu, 01 Jan 2015 00:00:00 GMT',
} as const;

export type Validator = typeof tag | typeof date;

export function requireForm({ header, form, name }: Validator, reply: Reply): void {
  const { [header]: given } = reply.headers;
  if (given !== undefined) expectThat(form.test(given), reply, `${name} as HTTP has it`, given);
}

/** What shows something else after a change has another validator. */
export async function requireMoved(
  probe: Probe,
  kind: Validator,
  was: Reply,
  after: Reply,
  late = false,
) {
  const validator = was.headers[kind.header];
  if (validator === undefined) return;
  const condition = { headers: { [kind.ofReads]: validator } };
  const now = await probe.send('GET', was.request.url);
  const reply = { ...(await probe.send('GET', was.request.url, condition)), after };
  if (!succeeded(now) || isAlike(was, now)) return;
  const isKept = now.headers[kind.header] === validator;
  // Several versions of one second have one date.
  if (kind === date && isKept && !late) return;
  if ((kind === date || !isKept) && reply.status !== 304) return;
  // Others may have put there again meanwhile what was there before.
  if (!isAlike(now, await probe.send('GET', was.request.url))) return;
  expectThat(false, reply, `another ${kind.name} after a change`, `${validator}: ${reply.status}`);
}

/**
 * What is answered to a read with the validator of now: where it is not 304, what was read still
 * stands, though others put it there again. Undefined where there is no validator.
 */
export async function revalidated(
  probe: Probe,
  kind: Validator,
  url: string,
): Promise<Reply | undefined> {
  for (let tried = 1; tried <= 3; tried += 1) {
    const before = await probe.send('GET', url);
    const validator = before.headers[kind.header];
    if (validator === undefined) return undefined;
    requireForm(kind, before);
    const reply = await probe.send('GET', url, { headers: { [kind.ofReads]: validator } });
    if (reply.status === 304) return reply;
    const now = await probe.send('GET', url);
    const isStill = tried === 3 && isAlike(before, now);
    if (isStill || now.headers[kind.header] === validator) return reply;
  }
  throw new Skipped('it was changed while it was read');
}

type Seen = {
  readonly urls: ReadonlySet<string>;
  /** What they showed before the first change. */
  readonly seen: readonly HalDocument[];
  /** Whether that is what they had shown. */
  readonly isSame: boolean;
};

/** Looks again at the pages at both ends of a listing. */
export async function seeAgain({ ends }: Pick<Listing, 'ends'>, send: Send): Promise<Seen> {
  const urls = new Set(ends.map(({ request }) => request.url));
  const seen = await readPages(urls, send);
  const ids = new Set(seen.map(idOf));
  const isSame = ends.flatMap(listedIn).every((id) => ids.has(id));
  return { urls, seen, isSame };
}

async function readPages(urls: ReadonlySet<string>, send: Send): Promise<readonly HalDocument[]> {
  const pages: Reply[] = [];
  for (const url of urls) pages.push(await send('GET', url));
  return pages.flatMap(({ document }) => (document === undefined ? [] : articlesOf(document)));
}

/**
 * Watches the first change of each kind, which must leave all others as they are: those of ours beside it, and
 * those on these pages. A service that takes what nobody named is asked for no other change.
 */
export function watching(
  { urls, seen }: Seen,
  { send, rest, title, ...addresses }: OwnOptions,
  made: ReadonlySet<string>,
) {
  const read = () => readPages(urls, send);
  /** A run beside this one deletes its own. */
  const isOthers = (each: HalDocument) =>
    !isNamed(each, runName) && !placesOf(each, addresses).some((url) => made.has(url));
  const textOf = ({ document }: Reply) =>
    JSON.stringify([document?.body['title'], document?.body['content']]);
  let before = seen;
  return async (act: () => Promise<Reply | undefined>, beside: readonly Kept[] = []) => {
    const reply = await act();
    if (reply === undefined || !succeeded(reply)) return;
    const expectNo = (what: string, is: boolean, got: string) =>
      expectThat(!is, reply, `no other article ${what}`, `${got} with it`);
    for (const { url, now } of beside) {
      const then = await send('GET', url);
      expectNo('deleted', isGone.has(then.status), `${url} gone (${then.status})`);
      expectNo('changed', succeeded(then) && textOf(then) !== textOf(now), `${url} changed`);
    }
    const [were, after] = [before.filter(isOthers), await read()];
    before = after;
    for (const each of were) {
      const now = after.find((one) => idOf(one) === idOf(each));
      if (now !== undefined && !isNamed(now, title)) continue;
      const url = addresses.addressOf(each);
      const { status, document } = await send('GET', url);
      expectNo('changed', now !== undefined && isNamed(document, title), `${url} changed`);
      if (now !== undefined || !isGone.has(status)) continue;
      // Where others delete all the while nobody can tell.
      if (!(await isQuiet(after, read, rest))) return;
      expectNo('deleted', true, `${url} gone (${status})`);
    }
  };
}

/** Whether nobody deletes what was seen. */
async function isQuiet(
  seen: readonly HalDocument[],
  read: () => Promise<readonly HalDocument[]>,
  rest: Wire['rest'],
): Promise<boolean> {
  for (let looks = 1; looks <= 5; looks += 1) {
    await rest(watchMs);
    const still = new Set((await read()).map(idOf));
    if (!seen.every((one) => still.has(idOf(one)))) return false;
  }
  return true;
}

/** Who deletes all the while does so again in a few times as much. */
const watchMs = 250;

const idOf = ({ body }: HalDocument) => body['id'];

/** So many that are gone are named. */
const mostNamed = 20;

/** What was listed before a run and is there no more; where others delete nobody can tell. */
export async function findMissing(
  articles: readonly HalDocument[],
  after: readonly HalDocument[],
  { rest, sendEvenNow: send, ...addresses }: OwnOptions,
): Promise<readonly Left[]> {
  const read = async () => (await readListing(reader(send, addresses))).articles;
  const theirs = articles.filter((each) => !isNamed(each, runName));
  const listed = new Set(after.map(idOf));
  const gone: Left[] = [];
  for (const each of theirs.filter((one) => !listed.has(idOf(one)))) {
    const { status, request } = await readAlone(send, each, addresses);
    const reason = `it was there before this run, and is gone (${status})`;
    if (isGone.has(status)) gone.push({ url: request.url, reason });
    if (gone.length === mostNamed) break;
  }
  const isSure = gone.length === 0 || (await isQuiet(after, read, rest).catch(() => true));
  return isSure ? gone : [];
}

/** What was deleted is 410 from then on; where its id was given again that is told, as no second deletion shows it. */
export async function requireAway({ send, wire }: Probe, after: Reply, extra: Extra = {}) {
  const now = await send('GET', after.request.url, extra);
  const { id } = now.document?.body ?? {};
  const isOfId = (each: Reply) =>
    each.request.method === 'POST' && succeeded(each) && each.document?.body['id'] === id;
  const isTwice = id !== undefined && wire.replies.filter(isOfId).length > 1;
  const got = `${now.status}${isTwice ? ', as a new article was given its id since' : ''}`;
  expectThat(now.status === 410, { ...now, after }, '410', got);
}

/** As a run names its articles. */
const titleOfRun = new RegExp(`^${runName}[0-9a-f]{8}\\b`);

/** What other runs made before this one, and is listed still: whether they were killed or go on nobody can tell. */
export function findEarlier(
  articles: readonly HalDocument[],
  after: readonly HalDocument[],
  { blogUrl, title, addressOf }: OwnOptions,
): readonly Left[] {
  const listed = new Set(after.map(idOf));
  const isOne = ({ body }: HalDocument) =>
    listed.has(body['id']) && titleOfRun.test(String(body['title']));
  const earlier = articles.filter((each) => isOne(each) && !isNamed(each, title));
  const ids = earlier.map(idOf).join(' ');
  const reason = `where that was killed, blogctl articles delete ${ids} --blog ${inShell(blogUrl)} deletes what it left`;
  return earlier.map((each) => ({ url: addressOf(each), reason }));
}

/**
 * PUT and DELETE where nothing is. The id is a little above that of ours: a service that makes an article
 * of a PUT after all may count on from there. False where that cannot be tried.
 */
export async function changesNothing(probe: Probe, { reply }: Own): Promise<boolean> {
  const id = reply.document?.body['id'];
  if (typeof id !== 'number') return false;
  const url = probe.beneath(id + 1000);
  if ((await probe.send('GET', url)).status !== 404) return false;
  const own = probe.own();
  const isPlain = ({ request: { method, headers } }: Reply) =>
    method === 'DELETE' && (own.isGuarded || !Object.keys(headers).join().includes('if-'));
  const isDone = probe.wire.replies.some((each) => isPlain(each) && succeeded(each));
  const json = { title: own.title, content: `Put by ${own.title}` };
  for (const [method, extra] of Object.entries({ PUT: { json }, DELETE: {} })) {
    // That no deletion is done is told by 4.16.
    if (method === 'DELETE' && !isDone) return false;
    const now = await own.changeNothing('7.6', method, url, extra);
    // It may want a condition before it looks.
    if (now.status === 412 || (own.isGuarded && [400, 428].includes(now.status))) return false;
    requireStatus(now, 404);
  }
  return true;
}
