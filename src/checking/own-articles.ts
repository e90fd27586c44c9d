import { refusal } from '../client/refusals.ts';
import { BlogctlError } from '../errors.ts';
import type { HalDocument } from '../hal/document.ts';
import { findLink, targetOf } from '../hal/links.ts';
import { articlesOf, isRefused, lacking, Skipped, succeeded } from './check.ts';
import { type Extra, readAbsent, type Send } from './probe.ts';
import { NoAnswer, type Reply, Unclear } from './wire.ts';

/** An article that this run made and may change. */
export type Own = { readonly url: string; readonly reply: Reply };

export type Texts = { readonly title: string; readonly content?: string };

/** The articles of a run, all of one name: no other article is ever changed. */
export type OwnArticles = {
  readonly title: string;
  /** The addresses of all. */
  readonly made: ReadonlySet<string>;
  /** Those that no check changes. */
  readonly kept: readonly Own[];
  /** Why no more can be made or changed. */
  readonly closed: Skipped | undefined;
  /** Ends the run where the token may not do all that the checks do. */
  keep(count: number): Promise<void>;
  /** One more, to be changed. */
  make(content?: string): Promise<Own>;
  /** POST to the collection; what it makes is known as ours, however it was answered. */
  post(extra: Extra): Promise<Reply>;
  /** PUT or DELETE; where the service wants a condition for any change it gets one. */
  change(method: string, url: string, extra?: Extra): Promise<Reply>;
  /** Deletes them all; answers what may still be there, with the reason. */
  clear(): Promise<readonly Left[]>;
};

export type Left = { readonly url: string; readonly reason: string };

export type OwnOptions = {
  readonly title: string;
  readonly collection: string;
  readonly addressOf: (document: HalDocument) => string;
  readonly beneath: (id: number) => string;
  readonly send: Send;
  /** Sends in spite of Ctrl-C. */
  readonly sendEvenNow: Send;
};

/** Answers that end a run: nothing can be learned where a change is not allowed. */
const hopeless = new Set([401, 403, 503, 507]);

export function createOwnArticles(options: OwnOptions): OwnArticles {
  const { title, collection, send, sendEvenNow } = options;
  const made = new Set<string>();
  /** Those of them that were looked at. */
  const ours = new Set<string>();
  /** Those whose deletion was answered as done. */
  const deleted = new Set<string>();
  const kept: Own[] = [];
  let closed: Skipped | undefined;
  let isGuarded = false;
  let isBlind = false;

  async function post(extra: Extra): Promise<Reply> {
    const reply = await send('POST', collection, extra);
    keepPlace(reply);
    return reply;
  }

  function keepPlace(reply: Reply): void {
    const url = succeeded(reply) ? placeOf(reply) : undefined;
    if (url !== undefined) made.add(url);
  }

  function placeOf({ document, headers, request }: Reply): string | undefined {
    if (
      document !== undefined &&
      (findLink(document, 'self') || document.body['id'] !== undefined)
    ) {
      return options.addressOf(document);
    }
    const { location = '' } = headers;
    const isPlace = location !== '' && URL.canParse(location, request.url);
    return isPlace ? new URL(location, request.url).href : undefined;
  }

  async function make(content = `Made by ${title}`): Promise<Own> {
    const reply = await post({ json: { title, content } });
    if (reply.status === 423) {
      throw (closed = new Skipped('the service refuses every change (423)'));
    }
    if (hopeless.has(reply.status)) throw ending(reply);
    const url = succeeded(reply) ? placeOf(reply) : undefined;
    if (url === undefined) throw new Skipped(`creating is answered ${reply.status}, see 4.12`);
    if (!(await isOurs(url, send))) {
      throw new Skipped('a new article is not where the answer says, see 3.2 and 4.12');
    }
    return { url, reply };
  }

  /** The right to delete comes first, tried where nothing is: where it is lacking, nothing may be made. */
  async function requireRights(): Promise<void> {
    const absent = await readAbsent(send, options).catch(() => undefined);
    // What cannot be looked for afterwards must not be made.
    if (absent !== undefined && isRefused(absent) && isRefused(await send('GET', collection)))
      throw (closed = lacking('5.2'));
    if (absent !== undefined && isGone.has(absent.status)) {
      await requireAllowed(send('DELETE', absent.request.url));
    }
    const { url } = await make();
    await requireAllowed(change('PUT', url, { json: { title, content: `Kept by ${title}` } }));
    await requireAllowed(change('DELETE', url));
  }

  /** Whatever an answer says of where its article is: what is not ours must not be changed. */
  async function isOurs(url: string, by: Send): Promise<boolean> {
    const is = isNamed(await by('GET', url));
    if (is) ours.add(url);
    return is;
  }

  function isNamed({ document }: Pick<Reply, 'document'>): boolean {
    const { title: titled, content = '' } = document?.body ?? {};
    return String(titled).startsWith(title) || String(content).includes(title);
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
    const mayWantCondition = reply.status === 400 || reply.status === 428;
    const second = mayWantCondition ? await guarded() : undefined;
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
      await requireRights();
      while (kept.length < count) kept.push(await make());
    },
    make,
    post,
    change: async (method, url, extra) => {
      const reply = await change(method, url, extra);
      // It may have taken over the id that it was sent.
      if (method === 'PUT') keepPlace(reply);
      if (method === 'DELETE' && succeeded(reply)) deleted.add(url);
      return reply;
    },
    clear: async () => {
      const left = new Map<string, string>();
      let silence: string | undefined;
      // Where nobody answers, the others are not waited for.
      const removeAll = async (urls: Iterable<string>, by: typeof remove) => {
        for (const url of urls) {
          if (left.has(url)) continue;
          const reason =
            silence ?? (await by(url).catch((error: unknown) => (silence = wordsOf(error))));
          if (reason !== undefined) left.set(url, reason);
        }
      };
      await removeAll(made, async (url) =>
        ours.has(url) || (await isOurs(url, sendEvenNow)) ? remove(url) : undefined,
      );
      const listed = silence === undefined ? await findListed().catch(() => []) : [];
      await removeAll(listed, remove);
      return [...left].map(([url, reason]) => ({ url, reason }));
    },
  };

  /** Whatever a deletion is answered, what is shown afterwards is still there. */
  async function remove(url: string): Promise<string | undefined> {
    if (deleted.has(url) && isGone.has(await look(url))) return undefined;
    const reply = await change('DELETE', url, {}, sendEvenNow);
    const now = await look(url);
    if (isGone.has(now)) return undefined;
    const isDone = succeeded(reply) || isGone.has(reply.status);
    if (!isDone) return `DELETE: ${reply.status}`;
    return now === 'ours' ? `DELETE: ${reply.status}, and it is still there` : undefined;
  }

  /** A read that is not answered is the last one: the deletions matter more. */
  async function look(url: string): Promise<number | 'ours' | undefined> {
    if (isBlind) return undefined;
    const reply = await sendEvenNow('GET', url).catch(() => undefined);
    isBlind = reply === undefined;
    return reply && isNamed(reply) ? 'ours' : reply?.status;
  }

  /**
   * The newest articles of our name, at the end of the listing or at its beginning: what was made or
   * moved without a word of where it is.
   */
  async function findListed(): Promise<readonly string[]> {
    const found: string[] = [];
    let url: string | undefined = collection;
    for (let pages = 0; url !== undefined && pages < 3; pages += 1) {
      const reply: Reply = await sendEvenNow('GET', url);
      const { document } = reply;
      if (document === undefined) break;
      const named = articlesOf(document).filter((each) => isNamed({ document: each }));
      found.push(...named.map((each) => options.addressOf(each)));
      const link = findLink(document, pages === 0 ? 'lastPage' : 'previousPage');
      url = link && URL.canParse(link.href, url) ? targetOf(document, link) : undefined;
    }
    return found;
  }
}

/** What is not answered tells nothing of rights. */
async function requireAllowed(answer: Promise<Reply>): Promise<void> {
  const reply = await answer.catch((error: unknown) => {
    if (error instanceof NoAnswer || error instanceof Unclear) return undefined;
    throw error;
  });
  if (reply?.status === 401 || reply?.status === 403) {
    throw ending(reply);
  }
}

const verbs: Readonly<Record<string, string>> = { POST: 'create', PUT: 'update', DELETE: 'delete' };

/** What was tried, and where, is our affair: a token that will not do is the user's. */
function ending({ request, status, headers, document }: Reply): BlogctlError {
  const body = Buffer.from(document === undefined ? '' : JSON.stringify(document.body));
  const error = refusal(request, { status, headers, body, tokenRefused: status === 401 });
  if (status !== 401 && status !== 403) return error;
  const may = `may not ${verbs[request.method]} articles, as --write does`;
  const message = `The token ${status === 401 ? 'was refused' : may}.`;
  return new BlogctlError(error.code, message, error.context);
}

const isGone = new Set<unknown>([404, 410]);

function wordsOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
