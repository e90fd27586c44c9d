import { lookup } from 'node:dns/promises';
import { existsSync } from 'node:fs';
import { UnusableOption } from '../errors.ts';
import { inProcess, type PlainRequest, type PlainResponse } from '../http/message.ts';
import { listen, type Listening, requirePort } from '../http/node-adapter.ts';
import { isConfidential, isLoopback } from '../policy/target-uri.ts';
import { blogUrl } from '../representations/representation.ts';
import type { JsonFileStore } from '../store/json-file/json-file-store.ts';
import type { Store } from '../store/store.ts';
import { newTokenText, type Tokens } from '../store/tokens.ts';
import { readable, orUnusable } from '../store/unusable-store.ts';
import { isDatabase, openStore } from './opening.ts';
import type { Opened } from './opening.ts';
import { readOptions } from './options.ts';
import type { ServeOptions } from './options.ts';
import type { Rewindable } from './rewindable.ts';
import { assemble, assembleRewindable } from './service.ts';
import type { Assembled, Shared } from './service.ts';

export type RunningServer = {
  /** Base URL, without a trailing slash. */
  readonly url: string;
  /** Where it listens; the same where no other base URL was given. */
  readonly ownUrl: string;
  /** None but this machine reaches it, however the host was spelled. */
  readonly isLoopback: boolean;
  readonly blogs: readonly ServedBlog[];
  /** The store file, links resolved; of a database its address without the password. */
  readonly file: string;
  readonly tokens: Tokens;
  /** Grants every right, and control; there where control was asked for. */
  readonly runToken?: string;
  /** Answers why something is not in the file, or damaged there, as far as it was seen; else undefined. */
  stop(): Promise<string | undefined>;
};

type ServedBlog = { readonly id: number; readonly title: string; readonly url: string };

/**
 * Serves a store file. Rejects with UnusableOption, UnusableStore, StoreHeld, or the error of a
 * port that cannot be bound; the store is let go then.
 */
export async function startServer(options: ServeOptions): Promise<RunningServer> {
  if (options.control === true) return startInMemory(options);
  if (options.ephemeral !== true && isDatabase(options.file)) return startOnDatabase(options);
  requireFitting('file', options);
  const choices = readOptions(options);
  const { address } = await lookup(options.host);
  // A store that nobody serves would be taken for the one that was meant.
  if (!existsSync(options.file)) await requirePort({ host: address, port: options.port });
  const opened = await openStore({ ...options, make: options.readOnly !== true });
  const { store } = opened;
  const runToken = newTokenText();
  const assembled = assemble(opened, { ...options, address, runToken }, choices);
  const binding = { ...options, address, ...choices };
  const running = await run(ofFile(opened), assembled, binding, (blogs) =>
    orUnusable(store.path, () => announce(store, blogs, runToken), readable(store.path)),
  );
  return {
    ...running,
    async stop() {
      await running.stop();
      await store.close();
      assembled.flushLog();
      const damage = store.damage();
      const words = [store.loss, damage && `${store.path}: ${damage.message}`].filter(Boolean);
      return words.length === 0 ? undefined : words.join(' ');
    },
  };
}

/** A blog in memory that whoever has it can put back to what it was. */
export type ServerInMemory = RunningServer & {
  /** Grants every right, and control; the chosen one where one was chosen. */
  readonly runToken: string;
  readonly blog: Omit<Rewindable, 'app' | 'close'>;
  /** The same service without a socket. */
  handle(request: PlainRequest): Promise<PlainResponse>;
};

/**
 * Serves a blog in memory, on this machine alone. Rejects as `startServer` does, and with
 * UnusableOption where the blog would last or others could reach it.
 */
export async function startInMemory(options: ServeOptions): Promise<ServerInMemory> {
  const choices = readOptions(options);
  const { address } = await lookup(options.host);
  checkControl(options, address);
  const opened = await openStore({ ...options, make: true });
  const { token: runToken = newTokenText() } = options;
  const serving = { ...options, address, runToken };
  const assembled = assembleRewindable(opened, serving, choices);
  const { rewindable: blog, app } = assembled;
  const running = await run(ofFile(opened), assembled, { ...options, address, ...choices });
  return {
    ...running,
    runToken,
    blog,
    handle: inProcess(app),
    async stop() {
      await running.stop();
      blog.close();
      assembled.flushLog();
      return undefined;
    },
  };
}

/** One of any number of equal instances: none has a token that the others do not know. */
async function startOnDatabase(options: ServeOptions): Promise<RunningServer> {
  requireFitting('database', options);
  const choices = readOptions(options);
  const { address } = await lookup(options.host);
  const { notice: report, readOnly = false } = options;
  const { openPostgres } = await import('../store/postgres/open.ts');
  const opened = await openPostgres({
    address: options.file,
    readOnly,
    ...(report !== undefined && { report }),
    ...(options.storeConnections !== undefined && { connections: options.storeConnections }),
  });
  const assembled = assemble(opened, { ...options, address, runToken: undefined }, choices);
  const place = { ...opened, place: opened.shown };
  const running = await run(place, assembled, { ...options, address, ...choices });
  return {
    ...running,
    async stop() {
      await running.stop();
      await opened.store.close();
      assembled.flushLog();
      return undefined;
    },
  };
}

function ofFile({ store, tokens }: Opened) {
  return { store, tokens, place: store.path };
}

type Kind = 'file' | 'database';

/** Options that are for one kind of store; of the other they would be left out without a word. */
const fitting: readonly (readonly [keyof ServeOptions, flag: string, only: Kind, why: string])[] = [
  ['watch', '--watch', 'file', 'a database is always read as it is'],
  ['seed', '--seed', 'file', 'blogctl articles import brings articles into what is served'],
  ['storeConnections', '--store-connections', 'database', 'a file has none'],
];

function requireFitting(kind: Kind, options: ServeOptions): void {
  for (const [name, flag, only, why] of fitting) {
    const value = options[name];
    if (only === kind || value === undefined || value === false) continue;
    throw new UnusableOption(name, `${flag} is for a ${only}: ${why}.`, 'Leave it out.');
  }
}

function checkControl({ ephemeral, host }: ServeOptions, address: string): void {
  if (ephemeral !== true) {
    const message = 'A store that lasts is not to be put back: control is for one in memory.';
    throw new UnusableOption('control', message, 'Add --ephemeral, or leave --control out.');
  }
  if (isLoopback(address)) return;
  const message = `Others can reach ${host}: control is for programs of this machine alone.`;
  throw new UnusableOption('control', message, 'Use --host 127.0.0.1, or leave --control out.');
}

type Placed = {
  readonly place: string;
  /** Says in words of a command what fails; of a file all does. */
  readonly explain?: <Result>(work: () => Promise<Result>) => Promise<Result>;
};

type Binding = Pick<ServeOptions, 'host' | 'port' | 'graceMs' | 'background'> & {
  readonly address: string;
  readonly baseUrl: string | undefined;
};

/**
 * Binds the port and tells who asks for the store where it is. Where one of them cannot be done, nothing
 * listens and the store is let go.
 */
async function run(
  { store, tokens, place, explain = (work) => work() }: Shared & Placed,
  { app }: Assembled,
  { address, baseUrl, ...options }: Binding,
  tell: (blogs: readonly ServedBlog[]) => Promise<void> = async () => {},
): Promise<RunningServer> {
  let listening: Listening | undefined;
  try {
    // A token file that cannot be read is found now, and not by the first client.
    await explain(() => tokens.list());
    const started = await listen(app, { ...options, baseUrl, host: address });
    listening = started;
    const ownUrl = `http://${hostInUrl(options.host)}:${started.port}`;
    const url = baseUrl ?? ownUrl;
    const blogs = await explain(() => servedBlogs(store, url));
    await tell(blogs);
    const stop = async () => {
      await started.stop(options.graceMs ?? 5000);
      return undefined;
    };
    return { url, ownUrl, isLoopback: isLoopback(address), blogs, file: place, tokens, stop };
  } catch (error) {
    await listening?.stop(0);
    await store.close();
    throw error;
  }
}

export async function servedBlogs(store: Store, url: string): Promise<readonly ServedBlog[]> {
  return (await store.blogs()).map(({ id, title }) => ({ id, title, url: blogUrl(url, id) }));
}

/**
 * Whoever finds the file held can ask us instead: the lock names the first blog, and a token that
 * nobody else reads on its way there.
 */
async function announce(
  store: JsonFileStore,
  [first]: readonly ServedBlog[],
  token: string,
): Promise<void> {
  if (first === undefined) return;
  await store.announce({ url: first.url, ...(isConfidential(first.url) && { token }) });
}

/** An address that means every interface is reached from here by the name of this machine. */
function hostInUrl(host: string): string {
  if (host === '0.0.0.0' || host === '::') return 'localhost';
  return host.includes(':') ? `[${host}]` : host;
}
