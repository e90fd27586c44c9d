import { hash } from 'node:crypto';
import { BlogctlError, type ErrorCode, type ErrorContext } from '../errors.ts';
import { againstInterface, type HalDocument } from '../hal/document.ts';
import { documentationOf, readLinkTemplates, targetOf } from '../hal/links.ts';
import { lookFirst, type Transport } from '../http/transport.ts';
import { readVersionedArticle } from './articles.ts';
import type {
  Article,
  ArticleDraft,
  ArticleReference,
  BlogClient,
  KeyedArticle,
  VersionedArticle,
} from './blog-client.ts';
import { type Answer, exchange } from './exchange.ts';

const relation = 'doc:articleKey';

/** Reads the article at the address of its key; that there is none is an answer too (decisions 51). */
export async function readKeyed(transport: Transport, url: string): Promise<KeyedArticle> {
  try {
    const answer = await exchange(transport, { method: 'GET', url });
    const fingerprint = answer.headers['idempotency-fingerprint'];
    return {
      kind: 'article',
      ...readVersionedArticle(answer),
      ...(fingerprint && { fingerprint }),
    };
  } catch (error) {
    if (!(error instanceof BlogctlError)) throw error;
    if (error.code === 'not-found') return { kind: 'never-seen' };
    if (error.code === 'gone') return { kind: 'deleted' };
    throw error;
  }
}

/**
 * The fingerprint of a creation as the service's `Idempotency-Fingerprint` has it (decisions 51):
 * SHA-256, hexadecimal, of the title as JSON.stringify writes it and the content behind it.
 */
export function requestFingerprint({ title, content = '' }: ArticleDraft): string {
  return hash('sha256', JSON.stringify(title) + content);
}

/** The template that leads from a key to its article, as the answer of a blog carries it (RFC 9652). */
export function keyTemplateOf({ headers }: Answer, document: HalDocument): string | undefined {
  const field = headers['link-template'];
  const meaning = field && documentationOf(document, relation);
  if (field === undefined || meaning === undefined) return undefined;
  return readLinkTemplates(field).find(({ rel }) => rel.split(' ').includes(meaning))?.template;
}

type KeyedCreation = { readonly document: HalDocument; readonly keyTemplate: string | undefined };

export function keyAddress({ document, keyTemplate }: KeyedCreation, key: string): string {
  if (keyTemplate !== undefined) {
    const link = { rel: relation, href: keyTemplate, templated: true };
    return targetOf(document, link, { key });
  }
  throw new BlogctlError(
    'broken-contract',
    `The blog at ${document.url} does not say how to find an article by its Idempotency-Key.`,
    { url: document.url, hint: 'See blogctl articles list for what is there.' },
  );
}

/**
 * A change whose answer was lost is sent again, and may then be refused because it was carried out
 * the first time: 412 for the version it made itself, 410 for what it deleted. `look` says what it
 * finds of that; where it finds nothing the refusal stands.
 */
export async function idempotently<T, U>(
  change: () => Promise<T>,
  look: (refused: ErrorCode) => Promise<U | undefined>,
): Promise<T | U> {
  try {
    return await change();
  } catch (error) {
    if (!(error instanceof BlogctlError) || error.context.afterUnclearAnswer !== true) throw error;
    const found = await look(error.code);
    if (found === undefined) throw error;
    return found;
  }
}

/** The article as it is now, if it is what the draft says. */
export async function findReplaced(
  transport: Transport,
  url: string,
  draft: ArticleDraft,
): Promise<VersionedArticle | undefined> {
  const now = readVersionedArticle(await exchange(transport, { method: 'GET', url }));
  const isOurs = now.article.title === draft.title && now.article.content === draft.content;
  return isOurs ? now : undefined;
}

export function isMissing(refused: ErrorCode): boolean {
  return refused === 'gone' || refused === 'not-found';
}

/** A service may judge the condition before it says that the article is gone. */
export async function findGone(transport: Transport, url: string): Promise<boolean> {
  try {
    await exchange(transport, { method: 'GET', url });
    return false;
  } catch (error) {
    if (error instanceof BlogctlError && isMissing(error.code)) return true;
    throw error;
  }
}

/** What finding an article needs: where what is named should be, how to read an address, and the list. */
type Finding = {
  readonly usual: (named: ArticleReference) => Promise<string>;
  readonly read: (url: string) => Promise<VersionedArticle>;
  readonly pages: BlogClient['pages'];
};

/**
 * Articles by their ids: beneath the collection, where no link has led, if what is there says that it
 * belongs there; else, if the first of the list shows addresses of the service's own, where the list says,
 * which is read as far as it takes. A change is made where the article was read, if redirects led there.
 */
export function createFinder({ usual, read, pages }: Finding) {
  const listed = new Map<number, string>();
  const moved = new Map<string, string>();
  let keepsRule = false;
  /** The rest of the list; none where it shows usual addresses. */
  let unread: Promise<ReturnType<Finding['pages']> | undefined> | undefined;

  const place = async (named: ArticleReference) => {
    const url = ('id' in named ? listed.get(named.id) : undefined) ?? (await usual(named));
    return moved.get(url) ?? url;
  };

  async function readAt(url: string, id?: number): Promise<VersionedArticle> {
    const found = await read(url);
    const { readAt: from = url, article } = found;
    if (from !== url && article.id === (id ?? article.id)) moved.set(url, from);
    return found;
  }

  /** By its own word; of whose origin a service behind a proxy may know nothing. */
  async function isUsual({ id, url }: Pick<Article, 'id' | 'url'>): Promise<boolean> {
    return new URL(url).pathname === new URL(await usual({ id })).pathname;
  }

  async function list(): Promise<Awaited<typeof unread>> {
    const { value } = await pages({ pageIndex: 1, pageSize: 1 }).next();
    const [first] = value?.articles ?? [];
    return first === undefined || (await isUsual(first)) ? undefined : pages({ pageSize: 100 });
  }

  async function look(id: number): Promise<string | undefined> {
    const left = await (unread ??= list());
    if (left === undefined) return undefined;
    while (!listed.has(id)) {
      const { value: page } = await left.next();
      // What another look was waiting for may have it.
      if (!page) return listed.get(id);
      for (const each of page.articles) listed.set(each.id, each.url);
    }
    return listed.get(id);
  }

  async function find(named: ArticleReference): Promise<VersionedArticle> {
    let url = await place(named);
    if (!('id' in named)) return readAt(url);
    const { id } = named;
    let found = await readAt(url, id).catch(unlessLater);
    if (!(found instanceof BlogctlError) && found.article.id === id) {
      if (listed.has(id)) return found;
      if (await isUsual(found.article)) {
        keepsRule = true;
        return found;
      }
    }
    const isMissed = found instanceof BlogctlError && isMissing(found.code);
    if (keepsRule && found instanceof BlogctlError && !isMissed) throw found;
    // What fails then says less than what was asked for.
    const other = await look(id).catch((error: unknown) => {
      unread = undefined;
      throw found instanceof BlogctlError ? found : error;
    });
    if (other !== undefined && other !== url) found = await readAt((url = other), id);
    if (other === undefined && !isMissed && (await unread) !== undefined) throw unlisted(id, url);
    if (found instanceof BlogctlError) throw found;
    if (found.article.id !== id || other === undefined) throw isAnother(found.article, id, url);
    return found;
  }

  return { place, find };
}

/** What is refused where no link has led may be elsewhere; who asks to be left alone, or cannot answer now, is. */
function unlessLater(error: unknown): BlogctlError {
  if (!(error instanceof BlogctlError) || error.context.retryAfterMs !== undefined) throw error;
  if (/^(?:unreachable|rate-limited|interrupted|terminated)$/.test(error.code)) throw error;
  if ([502, 503, 504].includes(error.context.status ?? 0)) throw error;
  return error;
}

function unlisted(id: number, url: string): BlogctlError {
  return new BlogctlError('not-found', `No link of the list leads to an article ${id}.`, {
    url,
    hint: 'See blogctl articles list for what is there.',
  });
}

function isAnother(found: Article, id: number, url: string): BlogctlError {
  const itself = found.id === id ? `one that says it is at ${found.url}` : `article ${found.id}`;
  const what = `At ${url}, where article ${id} belongs, is ${itself}`;
  return new BlogctlError('broken-contract', `${what} (rule 1.7).`, {
    url,
    hint: againstInterface,
  });
}

export function unplaced({ url }: Answer): BlogctlError {
  return butDone(
    new BlogctlError('broken-contract', 'The service does not say where the new article is.', {
      url,
      reason: 'without-place',
      hint: 'See blogctl articles list for what is there.',
    }),
  );
}

/** What was asked is done; only looking at it failed. */
export function butDone({ code, message, context }: BlogctlError): BlogctlError {
  const done = new BlogctlError(code, message, { ...context, maybeDone: true, retryable: false });
  return done.hinting('The article was saved all the same.');
}

const created = { maybeDone: true, hint: lookFirst };

/** An answer to a change that is no refusal, and tells nothing of the article, leaves open what was done. */
export function unlessUnread<T>(read: () => T, open: ErrorContext = created): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof BlogctlError)) throw error;
    const { code, message, context } = error;
    throw new BlogctlError(code, message, { ...context, ...open });
  }
}
