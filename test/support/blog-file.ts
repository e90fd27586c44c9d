import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createBlogClient } from '../../src/client/create-blog-client.ts';
import type { BlogClient } from '../../src/client/blog-client.ts';
import { withToken } from '../../src/http/with-token.ts';
import type { HttpRequest, HttpResponse, Transport } from '../../src/http/transport.ts';
import { openLocalBlog } from '../../src/local.ts';

export type BlogFile = {
  /** The real client above the real service above a real file; no socket between them. */
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
  /** Closes the store, checks that its file is whole, and removes it. */
  remove(): Promise<void>;
};

/** `honoursKeys: false` is a service that says nothing of keys and takes no notice of any. */
export async function givenBlogFile({ honoursKeys = true } = {}): Promise<BlogFile> {
  const folder = await mkdtemp(join(tmpdir(), 'blogctl-contract-'));
  const path = join(folder, 'blog.json');
  const local = await openLocalBlog({ file: path, missing: 'make' });
  const { blogUrl, token, transport } = local;
  if (transport === undefined) throw new Error('the file is served elsewhere');
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
    remove: async () => {
      await local.close();
      JSON.parse(await readFile(path, 'utf8'));
      await rm(folder, { recursive: true });
    },
  };
}

function withoutKeys(response: HttpResponse): HttpResponse {
  const { 'accept-idempotency': _keys, 'link-template': _byKey, ...headers } = response.headers;
  return { ...response, headers };
}
