import { createBlogClient as createOverTransport } from './client/create-blog-client.ts';
import type { BlogClient } from './client/blog-client.ts';
import { BlogctlError } from './errors.ts';
import { createConnection } from './http/connection.ts';
import { createUndiciTransport } from './http/undici-transport.ts';

export type * from './client/blog-client.ts';
export type { ErrorCode, ErrorContext, ErrorDetail } from './errors.ts';
export { BlogctlError };

export type BlogClientOptions = {
  /** Sent with what changes something, to the blog's own origin alone. */
  readonly token?: string;
};

/**
 * A client of the blog at this address, which is all it knows: everything else it learns from
 * links. It repeats what is safe to repeat, as the command does, and goes through the proxy that
 * the environment names. Throws BlogctlError `usage` for what is no address.
 */
export function createBlogClient(
  blogUrl: string | URL,
  { token }: BlogClientOptions = {},
): BlogClient {
  const { href, origin } = addressOf(String(blogUrl));
  const sockets = createUndiciTransport({ timeoutMs: 30_000, env: process.env });
  const transport = createConnection(sockets, {
    credential: token === undefined ? undefined : { origin, token },
    origins: { home: origin },
    retry: { retries: 3, maxWaitMs: 30_000 },
    trace: { level: 0, write: () => undefined },
  });
  return createOverTransport({ transport, blogUrl: href });
}

function addressOf(blogUrl: string): URL {
  const url = URL.canParse(blogUrl) ? new URL(blogUrl) : undefined;
  if (url?.protocol === 'http:' || url?.protocol === 'https:') return url;
  throw new BlogctlError('usage', `blogUrl: ${JSON.stringify(blogUrl)} is no http address.`, {
    hint: 'Give the address of a blog: https://host/api/v1.2/blogs/1, for example.',
  });
}
