import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createBlogClient } from '../../src/client/create-blog-client.ts';
import type { BlogClient } from '../../src/client/blog-client.ts';
import { withToken } from '../../src/http/connection.ts';
import type { HttpRequest, HttpResponse, Transport } from '../../src/http/transport.ts';
import { createUndiciTransport } from '../../src/http/undici-transport.ts';
import { openLocalBlog } from '../../src/local.ts';
import { startBlog } from '../../src/testing/index.ts';

export type BlogFile = {
  /** The real client above the real service; above a real file, no socket between them, by default. */
  readonly client: BlogClient;
  /** What went to and fro, in order. */
  readonly exchanges: { readonly request: HttpRequest; readonly response: HttpResponse }[];
  /** As `client`, but without a token. */
  readonly anonymous: BlogClient;
  /** What `runChecks` needs of it. */
  readonly checked: {
    readonly blogUrl: string;
    readonly anonymous: Transport;
    readonly token: string;
  };
  /** Closes the store; of a file, checks that it is whole, and removes it. */
  remove(): Promise<void>;
};

/** `honoursKeys: false` is a service that says nothing of keys and takes no notice of any. */
export async function givenBlogFile({ honoursKeys = true } = {}): Promise<BlogFile> {
  const { blogUrl, token, transport, remove } = await road();
  const exchanges: BlogFile['exchanges'] = [];
  const watched = async (request: HttpRequest): Promise<HttpResponse> => {
    const response = honoursKeys ? await transport(request) : withoutKeys(await transport(request));
    exchanges.push({ request, response });
    return response;
  };
  const credential = { origin: new URL(blogUrl).origin, token };
  return {
    client: createBlogClient({ transport: withToken(watched, credential), blogUrl }),
    anonymous: createBlogClient({ transport: watched, blogUrl }),
    exchanges,
    checked: { blogUrl, anonymous: watched, token },
    remove,
  };
}

type Road = {
  readonly blogUrl: string;
  readonly token: string;
  readonly transport: Transport;
  readonly remove: () => Promise<void>;
};

/** How a blog is reached; the contract is the same by all (vitest.config.ts). */
const roads: Readonly<Record<string, () => Promise<Road>>> = {
  file: async () => {
    const folder = await mkdtemp(join(tmpdir(), 'blogctl-contract-'));
    const path = join(folder, 'blog.json');
    const local = await openLocalBlog({ file: path, missing: 'make' });
    const { blogUrl, token, transport } = local;
    if (transport === undefined) throw new Error('the file is served elsewhere');
    const remove = async () => {
      await local.close();
      JSON.parse(await readFile(path, 'utf8'));
      await rm(folder, { recursive: true });
    };
    return { blogUrl, token, transport, remove };
  },
  fetch: async () => {
    const { url: blogUrl, token, stop: remove, fetch } = await startBlog();
    return { blogUrl, token, transport: overFetch(fetch), remove };
  },
  socket: async () => {
    const { url: blogUrl, token, stop: remove } = await startBlog();
    const transport = createUndiciTransport({ timeoutMs: 30_000, env: {} });
    return { blogUrl, token, transport, remove };
  },
  haproxy: async () => {
    const { inject } = await import('vitest');
    const { startBalanced } = await import('./balanced.ts');
    const { sharedCluster } = await import('./postgres.ts');
    const cluster = await sharedCluster(inject('clusters'));
    const { stop: remove, ...balanced } = await startBalanced(await cluster.database());
    return { ...balanced, remove };
  },
};

function road(): Promise<Road> {
  const name = process.env['BLOG_BY'] ?? 'file';
  const take = roads[name];
  if (take === undefined) throw new Error(`There is no road ${name}.`);
  return take();
}

function overFetch(send: typeof fetch): Transport {
  return async ({ method, url, headers, body = null }) => {
    const answer = await send(url, { method, headers, body });
    const bytes = new Uint8Array(await answer.arrayBuffer());
    return { status: answer.status, headers: Object.fromEntries(answer.headers), body: bytes };
  };
}

function withoutKeys(response: HttpResponse): HttpResponse {
  const { 'accept-idempotency': _keys, 'link-template': _byKey, ...headers } = response.headers;
  return { ...response, headers };
}
