import { existsSync, realpathSync } from 'node:fs';
import { createApp } from './app.ts';
import type { Service } from './app.ts';
import { withAccessLog } from './http/access-log.ts';
import { inProcess } from './http/in-process.ts';
import type { PlainRequest, PlainResponse } from './http/in-process.ts';
import type { App } from './http/message.ts';
import { listen } from './http/node-adapter.ts';
import { anyOf, fixedToken } from './policy/fixed-token.ts';
import { isLoopback } from './policy/host.ts';
import { blogUrl } from './representations/addresses.ts';
import { createJsonFile } from './store/json-file/create.ts';
import type { JsonFileStore } from './store/json-file/json-file-store.ts';
import { openJsonFile } from './store/json-file/open.ts';
import { StoreHeld, UnusableStore } from './store/json-file/unusable-store.ts';
import { openTokenFile } from './store/token-file.ts';
import type { TokenFile } from './store/token-file.ts';
import { newTokenText } from './store/token-text.ts';

export { StoreHeld, UnusableStore };
export type { PlainRequest, PlainResponse, TokenFile };
export type { Right, TokenGrant } from './store/tokens.ts';
export type { TokenEntry } from './store/token-file.ts';

/** Made where there is no file yet. */
export type NewStore = {
  readonly file: string;
  readonly title: string;
  readonly description: string;
};

export type ServeOptions = {
  readonly file: string;
  /** 0 picks a free one. */
  readonly port: number;
  readonly host: string;
  /** What links begin with; absent = the Host of each request (decisions 23). */
  readonly baseUrl?: string;
  /** Names answered for besides the local ones (decisions 24). */
  readonly allowedHosts?: readonly string[];
  /** A token known from the start (decisions 27). */
  readonly token?: string;
  /** Title and description of the blog in a file made for this run. */
  readonly title?: string;
  readonly description?: string;
  readonly maxPageSize?: number;
  readonly maxBodyBytes?: number;
  /** How long a stop waits for what still runs. */
  readonly graceMs?: number;
  readonly accessLog?: (line: string) => void;
  readonly notice?: (text: string) => void;
};

export type RunningServer = {
  /** Base URL, without a trailing slash. */
  readonly url: string;
  readonly blogs: readonly ServedBlog[];
  /** The store file, links resolved. */
  readonly file: string;
  stop(): Promise<void>;
};

export type ServedBlog = { readonly id: number; readonly title: string; readonly url: string };

/** Rejects with UnusableStore, StoreHeld, or the error of a port that cannot be bound. */
export async function startServer(options: ServeOptions): Promise<RunningServer> {
  const store = await openOrCreate(options);
  const runToken = newTokenText();
  const app = loggedAs(createApp(serviceOf(store, runToken, options)), options.accessLog);
  const listening = await listen(app, options).catch(async (error: unknown) => {
    await store.close();
    throw error;
  });
  const url = options.baseUrl ?? `http://${hostInUrl(options.host)}:${listening.port}`;
  const blogs = await servedBlogs(store, url);
  await announce(store, blogs, runToken);
  return {
    url,
    blogs,
    file: store.path,
    async stop() {
      await listening.stop(options.graceMs ?? 5000);
      await store.close();
    },
  };
}

/** A blog in a store file, used in this process without a port, or served by another one. */
export type LocalBlog =
  | {
      readonly kind: 'embedded';
      readonly blogUrl: string;
      readonly token: string;
      handle(request: PlainRequest): Promise<PlainResponse>;
      close(): Promise<void>;
    }
  | {
      readonly kind: 'served';
      readonly blogUrl: string;
      readonly token: string;
      readonly pid: number;
    };

export type LocalOptions = { readonly file: string; readonly notice?: (text: string) => void };

/** Opens a store file, made where it is missing, or finds who serves it. */
export async function openLocal(options: LocalOptions): Promise<LocalBlog> {
  const opened = await openOrCreate(options).catch(servedElsewhere);
  if ('kind' in opened) return opened;
  const token = newTokenText();
  const baseUrl = 'http://blogctl.localhost';
  const app = createApp(serviceOf(opened, token, { ...options, baseUrl, host: 'localhost' }));
  const [first] = await servedBlogs(opened, baseUrl);
  return {
    kind: 'embedded',
    blogUrl: first?.url ?? blogUrl(baseUrl, 1),
    token,
    handle: inProcess(app),
    close: () => opened.close(),
  };
}

/** Makes a store file with one blog; one that is there is left as it is (UnusableStore `exists`). */
export async function initStore({ file, title, description }: NewStore): Promise<void> {
  await createJsonFile(file, { title, description });
}

/** The tokens of a store, in `blog.tokens.json` beside `blog.json`. */
export function openTokens(storeFile: string): TokenFile {
  const file = existsSync(storeFile) ? realpathSync(storeFile) : storeFile;
  return openTokenFile(`${file.replace(/\.json$/, '')}.tokens.json`);
}

type Opening = Pick<ServeOptions, 'file' | 'title' | 'description' | 'notice'>;

async function openOrCreate(options: Opening): Promise<JsonFileStore> {
  const { file, title = 'My blog', description = '', notice = ignore } = options;
  if (!existsSync(file)) await initStore({ file, title, description });
  return openJsonFile({ path: file, report: notice });
}

type Serving = Omit<ServeOptions, 'port' | 'accessLog' | 'graceMs'>;

function serviceOf(store: JsonFileStore, runToken: string, options: Serving): Service {
  const { baseUrl, host, token, notice = ignore } = options;
  const { maxPageSize = 1000, maxBodyBytes = 1024 * 1024 } = options;
  const fixed = token === undefined ? [] : [fixedToken(token, 'BLOGCTL_SERVE_TOKEN')];
  const allowed = [
    ...(options.allowedHosts ?? []),
    ...(baseUrl === undefined ? [] : [hostOf(baseUrl)]),
  ];
  return {
    store,
    tokens: anyOf([fixedToken(runToken, 'this run'), ...fixed, openTokens(store.path).lookup]),
    now: Date.now,
    baseUrl: baseUrl?.replace(/\/+$/, ''),
    hosts: { loopback: isLoopback(host), allowed },
    limits: { maxPageSize, maxBodyBytes },
    report: (error) => notice(`internal error: ${describe(error)}`),
  };
}

function hostOf(baseUrl: string): string {
  return new URL(baseUrl).hostname;
}

function describe(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

function loggedAs(app: App, write: ServeOptions['accessLog']): App {
  return write === undefined
    ? app
    : withAccessLog(app, { write, elapsed: () => performance.now() });
}

async function servedBlogs(store: JsonFileStore, url: string): Promise<readonly ServedBlog[]> {
  return (await store.blogs()).map(({ id, title }) => ({ id, title, url: blogUrl(url, id) }));
}

/** Whoever finds the file held can ask us instead: the lock names the first blog and a token. */
async function announce(
  store: JsonFileStore,
  [first]: readonly ServedBlog[],
  token: string,
): Promise<void> {
  if (first !== undefined) await store.announce({ url: first.url, token });
}

function servedElsewhere(error: unknown): LocalBlog {
  const { url, token, pid } = error instanceof StoreHeld ? error.holder : {};
  if (url === undefined || token === undefined || pid === undefined) throw error;
  return { kind: 'served', blogUrl: url, token, pid };
}

/** An address that means every interface is reached from here by the name of this machine. */
function hostInUrl(host: string): string {
  if (host === '0.0.0.0' || host === '::') return 'localhost';
  return host.includes(':') ? `[${host}]` : host;
}

function ignore(): void {}
