import { type Check, note, once, type Probe, rule } from './check.ts';
import { articlesOf, reader } from './listing.ts';
import { Broken, expectThat, readsAlone, requireStatus, Skipped, succeeded } from './outcome.ts';
import type { Own } from './own-articles.ts';
import type { Reply } from './wire.ts';

/** No version was ever made then. */
const otherDate = 'Thu, 01 Jan 2015 00:00:00 GMT';
/** RFC 9110, 5.6.7. */
const httpDate = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/;
const otherTag = '"blogctl-check-other"';

/** The sentences about conditional requests, which only bind a service that gives validators. */
export const conditionChecks: readonly Check[] = [
  rule('4.8', async (probe) => {
    const ofChange = changeOf(probe, 'last-modified');
    const changes = [
      ofChange(async (own) =>
        requireStatus(await put(probe, own, { 'if-unmodified-since': otherDate }), 412),
      ),
      ofChange(async (own, date) =>
        requireApplied(await put(probe, own, { 'if-unmodified-since': date })),
      ),
    ];
    const reads = () => holdsOfDates(probe);
    return judged(probe, { validator: 'Last-Modified', changes, reads });
  }),
  rule('4.9', async (probe) => {
    const ofChange = changeOf(probe, 'etag');
    const reads = () =>
      holdsOfReads(probe, 'etag', async (url, tag) => {
        requireStatus(await probe.send('GET', url, { headers: { 'if-none-match': tag } }), 304);
      });
    let isWeak = false;
    const changes = [
      ofChange(async (own) => requireStatus(await put(probe, own, { 'if-match': otherTag }), 412)),
      ofChange(async (own, etag) => {
        const after = await put(probe, own, { 'if-match': etag });
        isWeak = isRefusedAsWeak(after, etag);
        if (isWeak) return;
        requireApplied(after);
        const headers = { 'if-none-match': etag };
        const reply = { ...(await probe.send('GET', own.url, { headers })), after };
        const got = 'the same tag, and 304';
        expectThat(reply.status !== 304, reply, 'another tag after a change', got);
      }),
      ofChange(async ({ url }) => {
        const other = { headers: { 'if-match': otherTag } };
        requireStatus(await probe.send('DELETE', url, other), 412);
      }),
      async () => {
        const own = await changed(probe);
        const page = await pageOf(probe, own);
        const { etag } = page?.headers ?? {};
        if (page === undefined || etag === undefined) return true;
        const after = await put(probe, own, {});
        const headers = { 'if-none-match': etag };
        const reply = { ...(await probe.send('GET', page.request.url, { headers })), after };
        const expected = 'another tag of its page after a change';
        expectThat(
          !succeeded(after) || reply.status !== 304,
          reply,
          expected,
          'the same tag, and 304',
        );
        return true;
      },
    ];
    const part = await judged(probe, { validator: 'ETag', changes, reads });
    if (isWeak) throw new Skipped(weakness);
    return part;
  }),
  rule(
    '4.10',
    async (probe) => {
      const isGiven = await holdsOfReads(probe, 'etag', async (url, _tag, { headers }) => {
        const date = headers['last-modified'] ?? new Date().toUTCString();
        const both = { 'if-none-match': otherTag, 'if-modified-since': date };
        const reply = await probe.send('GET', url, { headers: both });
        expectThat(reply.status !== 304, reply, 'the date ignored', '304');
      });
      if (!isGiven) throw new Skipped('no ETag is given, and none has to be');
      if (!probe.mayWrite) return readsAlone;
      const own = await changed(probe);
      const { etag } = (await probe.send('GET', own.url)).headers;
      if (etag === undefined) return readsAlone;
      const both = { 'if-match': etag, 'if-unmodified-since': otherDate };
      const after = await put(probe, own, both);
      if (isRefusedAsWeak(after, etag)) return weakness;
      requireApplied(after);
      return undefined;
    },
    { needs: ['4.9'] },
  ),
  note('7.2', 'is looked at by 4.8 and 4.9'),
  note('7.10', 'is looked at by 4.8 and 4.9'),
];

/** A part of a rule; false where no validator is given to try it with. */
type Part = () => Promise<boolean>;

type Parts = {
  readonly validator: string;
  readonly changes: readonly Part[];
  readonly reads: Part;
};

/**
 * Changes come first, because one that is lost is worse than a read too many, and what is broken
 * hides no other part: who knows of a 304 that is missing has still to hear of the rest.
 */
async function judged(
  probe: Probe,
  { validator, changes, reads }: Parts,
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
  let isWritten = probe.mayWrite;
  for (const part of changes) {
    if (isWritten && skipped.length === 0) isWritten = await isTried(part);
  }
  const isGiven = await isTried(reads);
  const [first, ...others] = broken;
  if (first !== undefined) throw withAlso(first, others);
  const [hindered] = skipped;
  if (!isGiven) throw new Skipped(`no ${validator} is given, and none has to be`);
  if (hindered !== undefined) throw hindered;
  return isWritten ? undefined : readsAlone;
}

function withAlso({ evidence }: Broken, others: readonly Broken[]): Broken {
  const also = others.map(({ evidence: { reply, expected, got } }) => {
    const { method, headers } = reply.request;
    const conditions = Object.keys(headers).filter((name) => name.startsWith('if-'));
    return `; ${[method, ...conditions].join(' with ')} too: expected ${expected}, got ${got}`;
  });
  return new Broken({ ...evidence, got: [evidence.got, ...also].join('') });
}

type OfChange = (own: Own, validator: string) => Promise<void>;

/** The validator is read again where the part before is broken, as its change may have been made. */
function changeOf(probe: Probe, name: string): (look: OfChange) => Part {
  let known: string | undefined;
  return (look) => async () => {
    const own = await changed(probe);
    const validator = known ?? (await probe.send('GET', own.url)).headers[name];
    if (validator === undefined) return false;
    known = undefined;
    await look(own, validator);
    known = validator;
    return true;
  };
}

/**
 * A date that saw several versions of a resource need not match (RFC 9110, 8.8.2.2), and a blog that
 * was filled in a second has had many: an article is looked at, and where it is not of this run
 * another one may show that dates are heeded.
 */
async function holdsOfDates(probe: Probe): Promise<boolean> {
  const page = await probe.page();
  const others = page.document === undefined ? [] : articlesOf(page.document).slice(1, 4);
  const urls = [
    (await probe.article()).request.url,
    ...others.map((each) => probe.addressOf(each)),
  ];
  let isGiven = false;
  for (const [at, url] of urls.entries()) {
    const shownNow = await probe.send('GET', url);
    const date = shownNow.headers['last-modified'];
    if (date === undefined) continue;
    expectThat(httpDate.test(date), shownNow, 'Last-Modified: a date of HTTP', date);
    isGiven = true;
    const reply = await probe.send('GET', url, { headers: { 'if-modified-since': date } });
    if (reply.status === 304) return true;
    if (probe.mayWrite || at === urls.length - 1) requireStatus(reply, 304);
  }
  return isGiven;
}

type Holds = (url: string, validator: string, reply: Reply) => Promise<void>;

/** Tries what is read now, with its validators of now; false where none of it has such a validator. */
async function holdsOfReads(probe: Probe, name: string, holds: Holds): Promise<boolean> {
  let isGiven = false;
  for (const { request } of await probe.shown()) {
    const reply = await probe.send('GET', request.url);
    const validator = reply.headers[name];
    if (validator === undefined) continue;
    isGiven = true;
    await holds(request.url, validator, reply);
  }
  return isGiven;
}

/** One for whatever changes an article and asks nothing of what it was before. */
export const changed = once((probe): Promise<Own> => probe.own().make());

/** A page on which an article is: the first of one, or the last, wherever new ones are put. */
async function pageOf(probe: Probe, { url }: Own): Promise<Reply | undefined> {
  const read = reader(probe.send, probe);
  const first = await read(1, 1);
  const last = Number(first.document?.body['totalArticles']);
  for (const page of [first, ...(last > 1 ? [await read(last, 1)] : [])]) {
    const listed = page.document === undefined ? [] : articlesOf(page.document);
    if (succeeded(page) && listed.some((each) => probe.addressOf(each) === url)) return page;
  }
  return undefined;
}

/** Another text on each condition: what is put again as it is may keep its tag. */
function put(probe: Probe, { url }: Own, headers: Readonly<Record<string, string>>) {
  const json = { title: probe.own().title, content: `Changed on ${JSON.stringify(headers)}` };
  return probe.send('PUT', url, { json, headers });
}

const weakness =
  'its tags are weak, which the interface leaves open, and If-Match takes none of these (RFC 9110, 13.1.1)';

function isRefusedAsWeak({ status }: Reply, etag: string): boolean {
  return status === 412 && etag.startsWith('W/');
}

function requireApplied(reply: Reply): void {
  expectThat(succeeded(reply), reply, 'the change, as its condition holds', String(reply.status));
}
