import { articlesOf } from '../hal/document.ts';
import { type Check, note, type Probe, rule } from './check.ts';
import { pageOf } from './listed-pages.ts';
import {
  Broken,
  ending,
  expectThat,
  ifSkipped,
  isNamed,
  isRefused,
  isRefusedAsWeak,
  readsAlone,
  requireApplied,
  requireRefused,
  requireStatus,
  Skipped,
  succeeded,
  weakness,
  withAlso,
} from './outcome.ts';
import { changed } from './own-articles.ts';
import type { Own, Reply } from './wire.ts';
import { date, requireForm, requireMoved, revalidated, tag, type Validator } from './effects.ts';

/** The sentences about conditional requests, which only bind a service that gives validators. */
export const conditionChecks: readonly Check[] = [
  rule('4.8', (probe) => judged(probe, date, changesOf(probe, date))),
  rule('4.9', (probe) => judged(probe, tag, changesOf(probe, tag))),
  rule('4.10', { needs: ['4.9'] }, async (probe) => {
    const tagged = (await probe.shown()).filter(({ headers }) => headers['etag'] !== undefined);
    for (const { request, headers } of tagged) {
      const since = headers['last-modified'] ?? new Date().toUTCString();
      const both = { [tag.ofReads]: tag.other, [date.ofReads]: since };
      const reply = await probe.send('GET', request.url, { headers: both });
      expectThat(reply.status !== 304, reply, 'the date ignored', '304');
    }
    if (tagged.length === 0) throw new Skipped('no ETag is given, and none has to be');
    if (!probe.mayWrite) return readsAlone;
    const own = await changed(probe);
    const { etag } = (await probe.send('GET', own.url)).headers;
    if (etag === undefined) return ofReadsAlone(probe, tag);
    const headers = { [tag.ofReads]: etag, [date.ofReads]: date.other };
    const read = await probe.send('GET', own.url, { headers });
    expectThat(read.status === 304, read, '304, as the tag is the same', String(read.status));
    const dated = { [date.ofChanges]: date.other };
    const after = await putOn(probe, own, { [tag.ofChanges]: etag, ...dated });
    if (isRefusedAsWeak(after, etag)) return weakness;
    requireApplied(after);
    const fresh = await probe.own().make();
    const { 'last-modified': since } = fresh.reply.headers;
    if (since === undefined) return undefined;
    const both = { [tag.ofChanges]: tag.other, [date.ofChanges]: since };
    requireStatus(await putOn(probe, fresh, both), 412);
    return undefined;
  }),
  ...(['7.2', '7.10'] as const).map((each) => note(each, 'is looked at by 4.8 and 4.9')),
];

/** A part of a rule; false where no validator is given to try it with. */
type Part = () => Promise<boolean>;

/**
 * Changes come first, because one that is lost is worse than a read too many, but for a validator that is none,
 * of which the rest may come; and what is broken hides no other part: who knows of a 304 that is missing has still to hear of the rest.
 */
async function judged(
  probe: Probe,
  kind: Validator,
  changes: readonly Part[],
): Promise<string | undefined> {
  const broken: Broken[] = [];
  const skipped: Skipped[] = [];
  const isTried = async (part: Part): Promise<boolean> => {
    try {
      return await part();
    } catch (error) {
      if (error instanceof Broken) broken.push(error);
      else if (error instanceof Skipped) skipped.push(error);
      else throw error;
      return true;
    }
  };
  await isTried(async () => {
    for (const reply of (await probe.shown().catch(ifSkipped)) ?? []) requireForm(kind, reply);
    return true;
  });
  let isWritten = probe.mayWrite;
  for (const part of changes) {
    const isHindered = skipped.some(({ message }) => message !== weakness);
    if (isWritten && !isHindered) isWritten = await isTried(part);
  }
  const isGiven = await isTried(() => holdsOfReads(probe, kind));
  const [first, ...others] = broken;
  if (first !== undefined) throw withAlso(first, others);
  if (!isGiven) throw new Skipped(`no ${kind.name} is given, and none has to be`);
  if (skipped[0] !== undefined) throw skipped[0];
  return isWritten ? undefined : ofReadsAlone(probe, kind);
}

/** Why no change was tried. */
function ofReadsAlone({ mayWrite }: Probe, { name }: Validator): string {
  return mayWrite ? `articles have no ${name} to change them by` : readsAlone;
}

/** Changes of one article that is there for them alone; its validator is read before each. */
function changesOf(probe: Probe, kind: Validator): readonly Part[] {
  let article: Promise<Own> | undefined;
  const ofChange =
    (look: (own: Own, before: Reply, validator: string) => Promise<unknown>): Part =>
    async () => {
      const own = await (article ??= probe.own().make());
      const before = await probe.send('GET', own.url);
      const isOurs = isNamed(before.document, probe.own().title);
      const validator = isOurs ? before.headers[kind.header] : undefined;
      if (validator !== undefined) await look(own, before, validator);
      return validator !== undefined;
    };
  const other = { [kind.ofChanges]: kind.other };
  const list = () => probe.send('GET', probe.collection);
  return [
    async () => {
      const page = await list();
      const own = await (article ??= probe.own().make());
      if (succeeded(page)) await requireMoved(probe, kind, page, own.reply);
      requireGiven(kind, own.reply, await probe.send('GET', own.url));
      return true;
    },
    ofChange(async (own) => requireRefused(probe.send, await putOn(probe, own, other), 412)),
    ofChange(async (own, before, validator) => {
      const after = await putOn(probe, own, { [kind.ofChanges]: validator });
      if (isRefusedAsWeak(after, validator)) throw new Skipped(weakness);
      requireApplied(after);
      await requireMoved(probe, kind, before, after);
      requireGiven(kind, after, await probe.send('GET', own.url));
    }),
    ofChange(async (own) => {
      const page = await pageOf(probe, own);
      const after = await putOn(probe, own, {});
      if (page !== undefined && succeeded(after)) await requireMoved(probe, kind, page, after);
    }),
    ofChange(async ({ url }) => {
      const reply = await probe.send('DELETE', url, { headers: other });
      // That none is done is told by 4.16.
      if (succeeded(reply) || reply.status === 412) await requireRefused(probe.send, reply, 412);
    }),
    async () => {
      // A date need not stand for one of several versions.
      const { url } = await probe.own().make();
      const [page, before] = [await list(), await probe.send('GET', url)];
      const validator = before.headers[kind.header];
      if (validator === undefined) return false;
      const after = await probe.send('DELETE', url, { headers: { [kind.ofChanges]: validator } });
      if (after.status === 412 && !isRefusedAsWeak(after, validator)) requireApplied(after);
      if (succeeded(page) && succeeded(after)) await requireMoved(probe, kind, page, after);
      return true;
    },
    ...(kind === date ? [() => holdsOfDates(probe)] : []),
  ];
}

/** In so long a date moves by a second, and a version is alone in its own. */
const aloneMs = 1100;

/** Dates of an article, a page and the blog: they move with a change that is not of the same second, and each is heeded. */
async function holdsOfDates(probe: Probe): Promise<true> {
  const own = await probe.own().make();
  const page = await pageOf(probe, own);
  const lists = [probe.blog.request.url, ...(page ? [page.request.url] : [])];
  const late: string[] = [];
  for (const url of lists)
    if (((await revalidated(probe, date, url))?.status ?? 304) !== 304) late.push(url);
  const before: Reply[] = [];
  for (const url of [own.url, ...lists.slice(1)]) before.push(await probe.send('GET', url));
  const isDated = before.some(({ headers }) => headers[date.header] !== undefined);
  if (late.length === 0 && !isDated) return true;
  await probe.wire.rest(aloneMs);
  const json = {
    title: probe.own().title,
    content: `Changed a second later by ${probe.own().title}`,
  };
  const after = await probe.own().change('PUT', own.url, { json });
  for (const url of late) {
    const reply = await revalidated(probe, date, url);
    if (reply !== undefined) requireStatus(reply, 304);
  }
  if (succeeded(after))
    for (const each of before) await requireMoved(probe, date, each, after, true);
  return true;
}

/**
 * A date that saw several versions of a resource need not match (RFC 9110, 8.8.2.2), and a blog that
 * was filled in a second has had many: of dates an article is looked at, and where it is not of this run
 * another one may show that they are heeded. False where nothing has such a validator.
 */
async function holdsOfReads(probe: Probe, kind: Validator): Promise<boolean> {
  const shown = (await probe.shown()).map(({ request }) => request.url);
  const page = kind === date && !probe.mayWrite ? (await probe.page()).document : undefined;
  const others = page ? articlesOf(page).slice(1, 4) : [];
  const urls = kind === tag ? shown : [...shown.slice(2), ...others.map(probe.addressOf)];
  let given: Reply | undefined;
  for (const url of urls) {
    const reply = await revalidated(probe, kind, url);
    given = reply ?? given;
    // One that is wrong is enough of tags, and one that is right of dates.
    if (reply && (reply.status === 304) === (kind === date)) break;
  }
  if (urls.length === 0) throw new Skipped('there was no article to look at; --write makes some');
  if (given === undefined) return false;
  requireStatus(given, 304);
  const { url, headers } = given.request;
  if (Date.parse(String(headers[date.ofReads])) <= Date.parse(date.other)) return true;
  const reply = await probe.send('GET', url, { headers: { [kind.ofReads]: kind.other } });
  expectThat(reply.status !== 304, reply, `no 304 for another ${kind.name}`, '304');
  return true;
}

/** What an answer to a change gives is what a client sends with the next one. */
export function requireGiven(kind: Validator, reply: Reply, now: Reply): void {
  const [given, is] = [reply, now].map(({ headers }) => headers[kind.header]?.replace('W/', ''));
  const isSame = given === undefined || is === undefined || given === is;
  expectThat(isSame, reply, `${kind.name}: ${is}, as it is read then`, String(given));
}

/** Other texts on each condition: what is put again as it is may keep its tag. */
async function putOn(probe: Probe, { url }: Own, headers: Readonly<Record<string, string>>) {
  const condition = JSON.stringify(headers);
  const title = `${probe.own().title}, on ${Object.keys(headers).join(' and ') || 'nothing'}`;
  const json = { title, content: `Changed on ${condition}` };
  const reply = await probe.send('PUT', url, { json, headers });
  // A token that will not do any more tells nothing of conditions.
  if (isRefused(reply)) throw ending(reply);
  return reply;
}
