import { isOtherText, sameForm } from '../../client/articles.ts';
import type { BlogClient } from '../../client/blog-client.ts';
import { createConsistencyCheck, wholePages } from '../../client/pages.ts';
import { BlogctlError } from '../../errors.ts';
import { isSameFile } from '../../files.ts';
import {
  createFingerprintCounts,
  textDigest,
  textFingerprint,
  type FingerprintCounts,
} from '../sources/identity.ts';
import type { Journal } from './journal.ts';
import type { KeyedRecord } from '../sources/keyed-entries.ts';
import {
  isSkippedAs,
  settleChanged,
  outcomeOfRefusal,
  type Delivery,
  type DeliveryOptions,
  type Outcome,
} from './delivery.ts';

/** Asks nothing twice: what the journal says was answered stands. */
function withJournal(deliver: Delivery, journal: Journal | undefined): Delivery {
  if (journal === undefined) return deliver;
  return async (record, signal) => {
    if (journal.state(record) !== 'answered') return deliver(record, signal);
    journal.metAgain(record);
    return { kind: 'replayed' };
  };
}

/** The article of the blog that an address names; undefined where it names none of this blog. */
export type FindOwn = (address: string) => Promise<{ readonly id: number } | undefined>;

type OwnOptions = DeliveryOptions & {
  readonly findOwn: FindOwn;
  /** The highest id before the import began to send: what is there above has no address in its source. */
  readonly since: number | undefined;
  /** Whether the list of a blog without keys shows its text. */
  readonly shows: (record: KeyedRecord) => boolean;
  /** Whether an interrupted leg of the import was answered that it made the article of this id. */
  readonly isNoted: (id: number) => boolean;
  /** `--import-id` says that its records are of another source. */
  readonly isOtherSource: boolean;
  /** What it says was answered is not asked for again. */
  readonly journal: Journal | undefined;
  /** Told of the address of another blog whose article was created here. */
  elsewhere(address: string): void;
};

/** So many records may tell that a blog under another address is this one. */
const mostLooks = 10;

/**
 * A record that names an article of this very blog is that article: it is compared and never created
 * beside it (decisions 55). An address that was never given here means nothing, but where the blog was
 * moved or is served elsewhere: then it has the articles under the same ids, and no import brought them.
 * Nor does it mean an article that this very import made: a restored one has whatever id comes next.
 */
export function withOwnArticles(deliver: Delivery, options: OwnOptions): Delivery {
  const { client, retry, recreate, findsByKey, isOtherSource, since = Infinity } = options;
  let [looks, isSameBlog] = [0, false];

  async function isNewKey({ key }: KeyedRecord, signal: AbortSignal): Promise<boolean> {
    return (await retry(() => client.articleByKey(key), signal)).kind === 'never-seen';
  }

  /** The article of that id, where it is alike, and one was seen to have the text that is of no import. */
  async function findMoved(
    record: KeyedRecord,
    id: number,
    signal: AbortSignal,
  ): Promise<{ readonly id: number } | undefined> {
    if (id === 0 || !findsByKey || (!isSameBlog && (id > since || looks >= mostLooks)))
      return undefined;
    looks += 1;
    const there = await retry(() => client.article({ id }), signal).catch(noArticle);
    if (there === undefined) return isSameBlog ? { id } : undefined;
    if (id > since) return undefined;
    const [here, now] = [sameForm(record), sameForm(there.article)];
    isSameBlog ||= !isOtherText(here, now) && (await isNewKey(record, signal));
    const isAlike = here.title === now.title || here.content === now.content;
    return isSameBlog && isAlike ? { id } : undefined;
  }

  async function compare(
    record: KeyedRecord,
    own: { readonly id: number },
    signal: AbortSignal,
  ): Promise<Outcome | 'absent' | 'deleted'> {
    try {
      const known = await settleChanged(record, own, options, signal);
      return own.id > since ? 'absent' : known;
    } catch (error) {
      const code = error instanceof BlogctlError ? error.code : undefined;
      if (code === 'not-found') return 'absent';
      if (code !== 'gone') return outcomeOfRefusal(error);
    }
    if (recreate || isOtherSource) return 'deleted';
    if (!findsByKey) return { kind: 'skipped', reason: 'deleted' };
    return (await isNewKey(record, signal)) ? { kind: 'skipped', reason: 'deleted' } : 'deleted';
  }

  /** With another text it is its own article where its key made one beside it, or may make one. */
  async function isBeside(known: Outcome, record: KeyedRecord, signal: AbortSignal) {
    const isChanged =
      known.kind === 'rejected' ? known.class === 'changed' : isSkippedAs(known, 'changed');
    return (
      isChanged &&
      (isOtherSource || options.shows(record) || (findsByKey && !(await isNewKey(record, signal))))
    );
  }

  async function deliverNamed(
    record: KeyedRecord,
    address: string,
    signal: AbortSignal,
  ): Promise<Outcome> {
    const named = await options.findOwn(address);
    const own = named ?? (await findMoved(record, idIn(address) ?? 0, signal));
    const isMade = own === undefined || (own.id > since && options.isNoted(own.id));
    const known = isMade ? 'absent' : await compare(record, own, signal);
    if (typeof known !== 'string' && !(await isBeside(known, record, signal))) return known;
    const outcome = await deliver(record, signal);
    const isOfAnother = named === undefined && known === 'absent' && ofABlog.test(address);
    if (outcome.kind === 'created' && isOfAnother) options.elsewhere(address);
    return outcome;
  }

  const known: Delivery = (record, signal) =>
    record.article === undefined
      ? deliver(record, signal)
      : deliverNamed(record, record.article, signal);
  return withJournal(known, options.journal);
}

/** There is none, or none any more, or the address is of another blog. */
export function noArticle(error: unknown): undefined {
  if (error instanceof BlogctlError && /^(?:gone|not-found|usage)$/.test(error.code)) return;
  throw error;
}

/** An address as a blog of this interface gives them, not one of a page. */
const ofABlog = /^file:.*#(?:blog=\d+\/)?(\d+)$|\/articles\/(\d+)$/s;

/** The id that an article has on its blog, whichever that is; undefined where it is no such address. */
export function idIn(address: string): number | undefined {
  const [, inFile, ofService = inFile] = ofABlog.exec(address) ?? [];
  return ofService === undefined ? undefined : Number(ofService);
}

/** A blog in a store file; without `blogId` the first. */
export type StoreFile = { readonly path: string; readonly blogId?: number };

/**
 * Finds articles of one blog by address: that of a service, or `file:<absolute path>#<id>` or
 * `…#blog=<blog id>/<id>` for a blog in a store file.
 */
export function createFindOwn(client: BlogClient, store: StoreFile | undefined): FindOwn {
  return async (address) => {
    const [, path, blog = '1', id] =
      /^file:(.+)#(?:blog=([1-9]\d*)\/)?([1-9]\d*)$/s.exec(address) ?? [];
    if (path !== undefined) {
      const isHere =
        store !== undefined && Number(blog) === (store.blogId ?? 1) && isSameFile(path, store.path);
      return isHere ? { id: Number(id) } : undefined;
    }
    if (!URL.canParse(address)) return undefined;
    const url = new URL(address);
    const collection = new URL((await client.blog()).articlesUrl);
    const beneath = url.pathname.startsWith(`${collection.pathname}/`)
      ? url.pathname.slice(collection.pathname.length + 1)
      : '';
    const isOwn = isSameService(url, collection) && /^[1-9]\d*$/.test(beneath);
    return isOwn ? { id: Number(beneath) } : undefined;
  };
}

/** One machine has several names for itself. */
function isSameService(one: URL, other: URL): boolean {
  if (one.origin === other.origin) return true;
  const isHere = ({ hostname }: URL) => ['localhost', '127.0.0.1', '[::1]'].includes(hostname);
  const isAlike = one.protocol === other.protocol && one.port === other.port;
  return isAlike && isHere(one) && isHere(other);
}

/** An article that was made since a run began, and that no answer named. */
export type Stranger = { readonly id: number; readonly url: string; readonly digest: string };

/** What a whole listing shows. */
export type Listing = {
  readonly texts: FingerprintCounts;
  readonly total: number;
  /** The highest id, 0 where there is no article. */
  readonly newest: number;
  /** How many articles of the run it has that answers named. */
  readonly shown: number;
  readonly strangers: readonly Stranger[];
};

/** `since`: articles with higher ids were made since the run began. */
export async function readListing(
  client: Pick<BlogClient, 'article' | 'pages'>,
  since: number,
  accountsFor: (url: string) => boolean,
): Promise<{ readonly value: Listing; readonly doubt: string | undefined }> {
  const texts = createFingerprintCounts();
  const strangers: Stranger[] = [];
  let [total, newest, shown] = [0, 0, 0];
  const consistency = createConsistencyCheck();
  for await (const { articles } of consistency.over(wholePages(client, { pageSize: 100 }))) {
    for (const article of articles) {
      const digest = textDigest(article);
      texts.add(textFingerprint(digest));
      total += 1;
      newest = Math.max(newest, article.id);
      if (article.id <= since) continue;
      if (accountsFor(article.url)) shown += 1;
      else strangers.push({ id: article.id, url: article.url, digest });
    }
  }
  const value = { texts, total, newest, shown, strangers };
  return { value, doubt: consistency.inconsistency(true) };
}

/** Whose articles strangers are: of records that were sent, by the text; of the others nobody can tell. */
export function attribute(
  sent: ReadonlyMap<string, string>,
  strangers: readonly Stranger[],
): { readonly found: ReadonlyMap<string, Stranger>; readonly strangers: readonly Stranger[] } {
  const byText = new Map<bigint, Stranger[]>();
  for (const stranger of strangers) {
    const text = textFingerprint(stranger.digest);
    const alike = byText.get(text) ?? [];
    alike.push(stranger);
    byText.set(text, alike);
  }
  const found = new Map<string, Stranger>();
  for (const [key, digest] of sent) {
    const own = byText.get(textFingerprint(digest))?.shift();
    if (own !== undefined) found.set(key, own);
  }
  return { found, strangers: [...byText.values()].flat() };
}
