import type { PageRange } from '../policy/negotiation.ts';
import {
  type Article,
  type ArticleSummary,
  type Found,
  type Page,
  wholeBytes,
} from '../store/store.ts';
import {
  articleLinks,
  articlesUrl,
  type Link,
  linkHeader,
  type LinkContext,
  type Body,
  BodyChanged,
  fingerprint,
  represent,
  type Representation,
} from './representation.ts';

type PageParts = {
  readonly page: Page;
  readonly range: PageRange;
  /** Of each article, as it is when read alone. */
  readonly etags: readonly string[];
  readonly tagSuffix: string;
  readonly read: ReadArticle;
};

type Navigation = {
  readonly firstPage: Link;
  readonly previousPage?: Link;
  readonly self: Link;
  readonly nextPage?: Link;
  readonly lastPage: Link;
};

/**
 * A page of articles (interface, Page of articles), glued from the bytes of its articles. Its two
 * oddities stand here and nowhere else: the key `_link`, and `_embedded` as a bare array.
 */
export function representPage(parts: PageParts, context: LinkContext): Representation {
  const { page, range, etags, tagSuffix, read } = parts;
  const totalPages = Math.ceil(page.blog.total / range.pageSize);
  const navigation = navigate(range, totalPages, context);
  const head = JSON.stringify({
    ...range,
    totalPages,
    totalArticles: page.blog.total,
    _link: navigation,
  });
  const list = { head: `${head.slice(0, -1)},"_embedded":[`, articles: page.articles, tail: ']}' };
  const body = listBody(list, context, read);
  const tag = fingerprint([...etags, page.blog.total, range.pageIndex, range.pageSize]);
  const version = { etag: `"${tag}-${tagSuffix}"`, changedAt: page.blog.changedAt };
  return represent(body, version, { Link: navigationHeader(navigation) });
}

/** previousPage and nextPage are left out where they would lead nowhere (decisions 9 to 11). */
function navigate(range: PageRange, totalPages: number, context: LinkContext): Navigation {
  const { pageIndex, pageSize } = range;
  const collection = articlesUrl(context.baseUrl, context.blogId);
  const to = (index: number): Link => ({
    href: `${collection}?pageIndex=${index}&pageSize=${pageSize}`,
  });
  return {
    firstPage: to(1),
    ...(pageIndex > 1 && { previousPage: to(pageIndex - 1) }),
    self: to(pageIndex),
    ...(pageIndex < totalPages && { nextPage: to(pageIndex + 1) }),
    lastPage: to(Math.max(1, totalPages)),
  };
}

/** The same navigation where clients that do not know `_link` look for it (decisions 12). */
function navigationHeader({ firstPage, previousPage, nextPage, lastPage }: Navigation): string {
  return linkHeader([
    { rel: 'first', link: firstPage },
    ...(previousPage === undefined ? [] : [{ rel: 'prev', link: previousPage }]),
    ...(nextPage === undefined ? [] : [{ rel: 'next', link: nextPage }]),
    { rel: 'last', link: lastPage },
  ]);
}

export type ReadArticle = (blogId: number, articleId: number) => Promise<Found>;

/** Articles in a row, and what stands before, between and behind them. */
type ArticleList = {
  readonly articles: readonly (ArticleSummary & { readonly json?: Article['json'] })[];
  readonly head: string;
  readonly tail: string;
};

/** The bytes of a list, made at once where all of it is there and short. */
export function listBody(list: ArticleList, context: LinkContext, read: ReadArticle): Body {
  const texts = list.articles.filter(isArticle);
  const bytes = texts.reduce((sum, { length }) => sum + length, 0);
  if (bytes <= wholeBytes && texts.length === list.articles.length) {
    return wholeList({ ...list, articles: texts }, context);
  }
  return new LongList(list, context, read);
}

type Whole = Pick<ArticleList, 'head' | 'tail'> & { readonly articles: readonly Article[] };

/**
 * The bytes of each article are those stored with `_links` before their closing brace, so that a
 * text is never parsed or escaped again.
 */
export function wholeList({ head, articles, tail }: Whole, context: LinkContext): Buffer {
  const [start, end] = [Buffer.from(head), Buffer.from(tail)];
  let length = start.length + end.length + Math.max(0, articles.length - 1);
  for (const article of articles) length += article.length - 1 + linksLength(context, article.id);
  const bytes = Buffer.allocUnsafe(length);
  let at = start.copy(bytes);
  for (const [place, { json, id }] of articles.entries()) {
    const text = place > 0 ? at + comma.copy(bytes, at) : at;
    const brace = text + json.copy(bytes, text) - 1;
    at = brace + bytes.write(linksOf(context, id), brace);
  }
  end.copy(bytes, at);
  return bytes;
}

function isArticle(one: ArticleList['articles'][number]): one is Article {
  return one.json !== undefined;
}

const comma = Buffer.from(',');

/** The links of an article, around its id, and how many bytes they are. */
type LinkParts = { readonly texts: readonly string[]; readonly bytes: number };
const linkParts = new WeakMap<LinkContext, LinkParts>();

function partsOf(context: LinkContext): LinkParts {
  const known = linkParts.get(context);
  if (known !== undefined) return known;
  const texts = partsAround(context);
  const parts = { texts, bytes: Buffer.byteLength(texts.join('')) };
  linkParts.set(context, parts);
  return parts;
}

/** Made with an id that occurs nowhere else in them. */
function partsAround(context: LinkContext): readonly string[] {
  let id = Number.MAX_SAFE_INTEGER;
  while (JSON.stringify(context).includes(String(id))) id -= 1;
  return `,"_links":${JSON.stringify(articleLinks(context, id))}}`.split(String(id));
}

function linksLength(context: LinkContext, id: number): number {
  const { texts, bytes } = partsOf(context);
  return bytes + (texts.length - 1) * String(id).length;
}

function linksOf(context: LinkContext, id: number): string {
  return partsOf(context).texts.join(String(id));
}

/** Of so many bytes the articles are read together, which a store may do in one go. */
const togetherBytes = 64 * 1024;

/** A list whose articles are read when their turn comes, and kept no longer than there is memory for them. */
class LongList {
  readonly length: number;
  /** Where its parts end: what stands before, each article with its comma and links, what stands behind. */
  readonly #ends: Float64Array;
  readonly #list: Pick<ArticleList, 'head' | 'tail'>;
  readonly #ids: readonly number[];
  readonly #tags: readonly string[];
  readonly #context: LinkContext;
  readonly #read: ReadArticle;
  /** What a store gave with the page; what is read later is garbage at once, and there may be much. */
  readonly #given: readonly WeakRef<Article>[];
  #last: WeakRef<Article> | undefined;

  constructor({ head, articles, tail }: ArticleList, context: LinkContext, read: ReadArticle) {
    this.#context = context;
    this.#read = read;
    this.#list = { head, tail };
    this.#ids = articles.map(({ id }) => id);
    this.#tags = articles.map(({ tag }) => tag);
    const texts = articles.filter(isArticle);
    this.#given = texts.length < articles.length ? [] : texts.map((one) => new WeakRef(one));
    this.#ends = new Float64Array(articles.length + 2);
    let end = (this.#ends[0] = Buffer.byteLength(head));
    for (const [at, { id, length }] of articles.entries()) {
      end += (at === 0 ? 0 : 1) + length - 1 + linksLength(context, id);
      this.#ends[at + 1] = end;
    }
    this.length = this.#ends[articles.length + 1] = end + Buffer.byteLength(tail);
  }

  async read(at: number, into: Uint8Array): Promise<number> {
    const wanted = Math.min(into.length, this.length - at);
    for (let filled = 0; filled < wanted;) {
      const first = this.#partAt(at + filled);
      const last = this.#partAt(at + Math.min(wanted, filled + togetherBytes) - 1);
      const places = Array.from({ length: last - first + 1 }, (_, place) => first + place);
      const parts = await Promise.all(places.map((place) => this.#piecesOf(place)));
      let start = (this.#ends[first - 1] ?? 0) - at;
      for (const piece of parts.flat()) {
        const skip = Math.max(0, -start);
        if (skip < piece.length) piece.copy(into, Math.max(0, start), skip);
        start += piece.length;
      }
      filled = Math.min(wanted, start);
    }
    return wanted;
  }

  /** The first part that ends behind `at`. */
  #partAt(at: number): number {
    let [low, high] = [0, this.#ends.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#ends[middle] ?? 0) > at) high = middle;
      else low = middle + 1;
    }
    return low;
  }

  async #piecesOf(part: number): Promise<readonly Buffer[]> {
    if (part === 0) return [Buffer.from(this.#list.head)];
    if (part === this.#ends.length - 1) return [Buffer.from(this.#list.tail)];
    const { id, json } = await this.#articleOf(part - 1);
    const text = json.subarray(0, -1);
    const links = Buffer.from(linksOf(this.#context, id));
    return part === 1 ? [text, links] : [comma, text, links];
  }

  async #articleOf(place: number): Promise<Article> {
    const [id = 0, tag] = [this.#ids[place], this.#tags[place]];
    const known = this.#given[place]?.deref() ?? this.#last?.deref();
    if (known?.id === id && known.tag === tag) return known;
    const found = await this.#read(this.#context.blogId, id);
    if (found.kind !== 'article' || found.article.tag !== tag) {
      throw new BodyChanged(`Article ${id} changed while it was sent.`);
    }
    this.#last = new WeakRef(found.article);
    return found.article;
  }
}
