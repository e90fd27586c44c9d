import { BlogctlError } from '../errors.ts';
import type { HalDocument } from '../hal/document.ts';
import { findLink, linksOf, requireLink, targetOf } from '../hal/links.ts';
import { lookAgain, type Transport } from '../http/transport.ts';
import {
  addressOf,
  BlogResource,
  check,
  conditionFor,
  namedArticle,
  readVersionedArticle,
} from './articles.ts';
import type {
  ArticleReference,
  Blog,
  BlogClient,
  CreateOptions,
  GivenReference,
  NewArticle,
  VersionedArticle,
} from './blog-client.ts';
import { type Answer, exchange, type Message, placeOf } from './exchange.ts';
import {
  butDone,
  createFinder,
  findGone,
  findReplaced,
  idempotently,
  isMissing,
  keyAddress,
  keyTemplateOf,
  readKeyed,
  unlessUnread,
  unplaced,
} from './idempotency.ts';
import { walkPages } from './pages.ts';
import { missingBlog } from './refusals.ts';

export type BlogClientOptions = {
  readonly transport: Transport;
  /** Absolute URL of the blog itself, where every walk begins. */
  readonly blogUrl: string;
};

type Root = {
  readonly blog: Blog;
  readonly document: HalDocument;
  /** Where articles are created. */
  readonly collection: string;
  /** Leads from a key to its article; absent where the blog cannot be asked by key. */
  readonly keyTemplate: string | undefined;
};

/** A client that knows one address, the blog's, and learns the others from its links. */
export function createBlogClient({ transport, blogUrl }: BlogClientOptions): BlogClient {
  let root: Promise<Root> | undefined;
  const open = () =>
    (root ??= exchange(transport, { method: 'GET', url: blogUrl }).then(readRoot).catch(forget));
  // A failure is not kept: the next call asks again.
  const forget = (error: unknown) => {
    root = undefined;
    throw missingBlog(error, blogUrl);
  };
  const read = async (url: string) =>
    readVersionedArticle(await exchange(transport, { method: 'GET', url }));
  const usual = async (named: ArticleReference) => addressOf(named, (await open()).collection);
  const finder = createFinder({ usual, read, pages: (range) => client.pages(range) });
  const locate = async (reference: GivenReference) => finder.place(namedArticle(reference));

  const client: BlogClient = {
    blog: async () => (await open()).blog,

    article: async (reference) => finder.find(namedArticle(reference)),

    articleByKey: async (key) => readKeyed(transport, keyAddress(await open(), key)),

    pages: async function* ({ pageIndex, pageSize, known } = {}) {
      const { document } = await open();
      const link = requireLink(document, 'doc:articles');
      const range = { ...(pageIndex && { pageIndex }), ...(pageSize && { pageSize }) };
      const pager = {
        read: async (url: string, etag?: string) => {
          const headers = etag === undefined ? {} : { 'if-none-match': etag };
          const answer = await exchange(transport, { method: 'GET', url, headers });
          return answer.status === 304 ? undefined : answer.document();
        },
        addressOf: (index: number, size: number) =>
          targetOf(document, link, { pageIndex: index, pageSize: size }),
        plain: targetOf(document, link),
      };
      yield* walkPages(pager, targetOf(document, link, range), {
        ...range,
        ...(known && { known }),
      });
    },

    create: async (draft, options = {}) => {
      const blog = await open();
      const answer = await exchange(transport, creation(blog, draft, options));
      const url = createdAt(answer, blog, options);
      if (answer.isEmpty && url === undefined) throw unplaced(answer);
      return { ...(await shown(transport, answer, url)), replayed: isReplay(answer) };
    },

    place: async (draft, options = {}) => {
      const blog = await open();
      const message = creation(blog, draft, options, { prefer: 'return=minimal' });
      const answer = await exchange(transport, message);
      const place = answer.isEmpty ? placeOf(answer) : undefined;
      if (place !== undefined) return { url: place, replayed: isReplay(answer) };
      const url = createdAt(answer, blog, options);
      if (answer.isEmpty && url === undefined) return { url: '', replayed: isReplay(answer) };
      const { article } = await shown(transport, answer, url);
      return { url: article.url, article, replayed: isReplay(answer) };
    },

    replace: async (reference, draft, expected) => {
      const url = await locate(reference);
      const headers = conditionFor(expected);
      return idempotently(
        async () => {
          const answer = await exchange(transport, {
            method: 'PUT',
            url,
            body: JSON.stringify(draft),
            headers,
          });
          const told = await represented(transport, answer);
          return unlessUnread(() => readVersionedArticle(told), { hint: lookAgain(url) });
        },
        async (refused) =>
          refused === 'precondition-failed' ? findReplaced(transport, url, draft) : undefined,
      );
    },

    remove: async (reference, expected) => {
      const url = await locate(reference);
      const headers = conditionFor(expected);
      // 200 or 204, with or without a body: it is gone either way (interface, Endpoints, rule 16), but
      // for what another one answers in the place of the service.
      await idempotently(
        async () => {
          const answer = await exchange(transport, { method: 'DELETE', url, headers });
          if (!answer.isEmpty) unlessUnread(() => answer.document(), { hint: lookAgain(url) });
        },
        async (refused) =>
          isMissing(refused) || (await findGone(transport, url)) ? true : undefined,
      );
    },
  };
  return client;
}

function creation(
  { blog, collection }: Root,
  draft: NewArticle,
  { idempotencyKey }: CreateOptions,
  preference: Readonly<Record<string, string>> = {},
): Message {
  // A service that does not know the key would take a repetition for a second article.
  const isSafe = idempotencyKey !== undefined && blog.honoursIdempotencyKey;
  const key = isSafe ? { 'idempotency-key': idempotencyKey } : undefined;
  const headers = Object.assign({}, preference, key);
  return { method: 'POST', url: collection, body: JSON.stringify(draft), headers };
}

function isReplay({ headers }: Answer): boolean {
  return headers['idempotency-replayed'] === 'true';
}

/** The start page of a service, or an article, is mistaken for a blog: it leads to them. */
function refuseListOfBlogs(document: HalDocument): void {
  if (findLink(document, 'doc:articles') !== undefined) return;
  if ('pageIndex' in document.body) {
    throw new BlogctlError('not-found', `${document.url} is a page of articles, not a blog.`, {
      url: document.url,
      hint: 'Leave out what follows the number of the blog: https://host/api/v1.2/blogs/1.',
    });
  }
  const blogs = linksOf(document).filter(({ rel }) => rel === 'doc:blog');
  const [first] = blogs;
  if (first === undefined) return;
  throw new BlogctlError(
    'not-found',
    `${document.url} is ${'id' in document.body ? 'an article' : 'the start page of a service'}, not a blog.`,
    {
      url: document.url,
      details: blogs.map((link) => ({
        detail: [targetOf(document, link), link.title].filter(Boolean).join('  '),
      })),
      hint: `Name one of them, such as ${targetOf(document, first)}.`,
    },
  );
}

function readRoot(answer: Answer): Root {
  const document = answer.document();
  refuseListOfBlogs(document);
  const resource = check(BlogResource, document, 'a blog');
  const collection = targetOf(document, requireLink(document, 'doc:articles'));
  const self = findLink(document, 'self');
  const keyTemplate = keyTemplateOf(answer, document);
  return {
    document,
    collection,
    keyTemplate,
    blog: {
      ...resource,
      url: self === undefined ? document.url : targetOf(document, self),
      articlesUrl: collection,
      honoursIdempotencyKey: answer.headers['accept-idempotency'] === 'key',
      findsByKey: keyTemplate !== undefined,
    },
  };
}

/** A success without a body (the interface shows one with it) is followed to the article itself. */
async function represented(
  transport: Transport,
  answer: Answer,
  url = placeOf(answer) ?? answer.url,
): Promise<Answer> {
  if (!answer.isEmpty) return answer;
  return exchange(transport, { method: 'GET', url }).catch((error: unknown) => {
    throw error instanceof BlogctlError ? butDone(error) : error;
  });
}

/** A new article, as far as the answer can be read. */
async function shown(
  transport: Transport,
  answer: Answer,
  url: string | undefined,
): Promise<VersionedArticle> {
  const read = await represented(transport, answer, url);
  return unlessUnread(() => readVersionedArticle(read));
}

/** Where a new article is: the answer says so, or its key leads there; undefined where neither does. */
function createdAt(
  answer: Answer,
  root: Root,
  { idempotencyKey: key }: CreateOptions,
): string | undefined {
  const { keyTemplate, blog } = root;
  const isKept = key !== undefined && keyTemplate !== undefined && blog.honoursIdempotencyKey;
  return placeOf(answer) ?? (isKept ? keyAddress(root, key) : undefined);
}
