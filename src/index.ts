import { type BlogClient, clientForPrograms } from './client/blog-client.ts';
import { createBlogClient as createOverTransport } from './client/create-blog-client.ts';
import { BlogctlError, checkedMembers } from './errors.ts';
import { createConnection } from './http/connection.ts';
import { createUndiciTransport } from './http/undici-transport.ts';

export type {
  Article,
  ArticleDraft,
  ArticlePage,
  Blog,
  BlogClient,
  CreateOptions,
  CreatedArticle,
  GivenReference as ArticleReference,
  KeyedArticle,
  NewArticle,
  PageRange,
  PageVersion,
  PlacedArticle,
  Validators,
  VersionedArticle,
} from './client/blog-client.ts';
export type { ErrorCode, ErrorContext, ErrorDetail } from './errors.ts';
export { BlogctlError };

export type BlogClientOptions = {
  /** Sent with what changes something, to the blog's own origin alone. */
  readonly token?: string | undefined;
};

/**
 * A client of the blog at this address, a text or a URL, which is all it knows: everything else it
 * learns from links. It repeats what is safe to repeat, as the command does, and goes through the proxy
 * that the environment names. Throws BlogctlError `usage` for what is no address, and for options
 * that are none.
 */
export function createBlogClient(
  blogUrl: string | { readonly href: string },
  options: BlogClientOptions = {},
): BlogClient {
  const { href, origin } = addressOf(blogUrl);
  const { token } = checkedMembers(['createBlogClient', 'options'], options, {
    token: [
      // Another one no request could carry in its header.
      (value) => typeof value === 'string' && /^(?:[!-~](?:[ -~]*[!-~])?)?$/.test(value),
      'Write letters, digits and signs of ASCII, and no line break.',
    ],
  });
  const sockets = createUndiciTransport({ timeoutMs: 30_000, env: process.env });
  const transport = createConnection(sockets, {
    credential: token === undefined ? undefined : { origin, token },
    origins: { home: origin },
    retry: { retries: 3, maxWaitMs: 30_000 },
    trace: { level: 0, write: () => undefined },
  });
  return clientForPrograms(() => createOverTransport({ transport, blogUrl: href })).client;
}

function addressOf(blogUrl: string | { readonly href: string }): URL {
  const text = typeof blogUrl === 'string' ? blogUrl : blogUrl?.href;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol === 'http:' || url?.protocol === 'https:') return url;
  throw new BlogctlError('usage', `blogUrl: ${JSON.stringify(blogUrl)} is no http address.`, {
    hint: 'Give the address of a blog: https://host/api/v1.2/blogs/1, for example.',
  });
}
