import * as z from 'zod/mini';
import { createBlogClient } from '../client/create-blog-client.ts';
import { BlogctlError, type Hint } from '../errors.ts';
import { createConnection } from '../http/connection.ts';
import type { HttpRequest, HttpResponse, Transport } from '../http/transport.ts';
import { type BlogInMemory, loadService, type Mark, serveInMemory } from '../local.ts';
import type { Fetch, Snapshot, TestBlog, TestBlogOptions } from './test-blog.ts';

export type * from './test-blog.ts';
export type { ErrorCode, ErrorContext, ErrorDetail } from '../errors.ts';
export { BlogctlError };

const Options = z.strictObject({
  // What is in it the service judges, which names the place.
  seed: z.exactOptional(z.union([z.string(), z.array(z.unknown())])),
  faults: z.exactOptional(z.array(z.string())),
  delay: z.exactOptional(z.union([z.number(), z.string()])),
  port: z.exactOptional(z.int().check(z.minimum(0), z.maximum(65_535))),
  token: z.exactOptional(z.string().check(z.minLength(1))),
  cors: z.exactOptional(z.array(z.string())),
  rateLimit: z.exactOptional(z.string()),
});

/** What each of them may be. */
const forms: Readonly<Record<keyof z.infer<typeof Options>, Hint>> = {
  seed: 'Write a list, [{ title, content }], or the name of a file.',
  faults: "Write a list of texts: ['GET status 503 once']; [] ends them.",
  delay: "Write milliseconds, 200, or a range of them, '100-300'.",
  port: 'Write a whole number from 0 to 65535; 0 picks a free one.',
  token: 'Write a text of at least one letter.',
  cors: "Write a list of texts: ['http://localhost:5173'].",
  rateLimit: "Write a text: '10/s'.",
};

// Whoever takes this door starts a blog: the service is loaded with it, not in the first test.
void loadService();

/**
 * Starts a blog of its own in this process, sharing nothing with any other. What cannot be done
 * with an option is a BlogctlError `usage` that names it, and nothing listens then.
 */
export async function startBlog(options: TestBlogOptions = {}): Promise<TestBlog> {
  const { delay, port = 0, ...given } = checked(options);
  return testBlogOver(
    await serveInMemory({
      ...given,
      port,
      graceMs: 1000,
      background: true,
      ...(delay !== undefined && { delay: String(delay) }),
    }),
  );
}

// A context of node:vm has none in Node 20; what `await using` is compiled to asks for this one then.
const asyncDispose: typeof Symbol.asyncDispose =
  Symbol.asyncDispose ?? Symbol.for('Symbol.asyncDispose');

function testBlogOver({ blogUrl, token, transport, blog, stop }: BlogInMemory): TestBlog {
  const marks = new WeakMap<Snapshot, Mark>();
  let stopping: Promise<unknown> | undefined;
  const running = (): BlogInMemory['blog'] => {
    if (stopping === undefined) return blog;
    throw usage('This blog was stopped.', 'Start another with startBlog().');
  };
  const send: Transport = async (request) => {
    running();
    return transport(request);
  };
  const { origin } = new URL(blogUrl);
  const connection = createConnection(awake(send), {
    credential: { origin, token },
    origins: { home: origin },
    retry: { retries: 0, maxWaitMs: 0 },
    trace: { level: 0, write: () => undefined },
  });
  const client = createBlogClient({ transport: connection, blogUrl });
  const end = async () => {
    await (stopping ??= stop());
  };
  return {
    url: blogUrl,
    token,
    // It remembers the blog, which is not to outlive the service.
    client: { ...client, blog: async () => running() && client.blog() },
    fetch: awake(inProcessFetch(send, origin)),
    reset: async (...given: readonly unknown[]) => {
      refuseSeed(given);
      return running().rewind();
    },
    snapshot: () => {
      const snapshot = Object.freeze({ takenAt: new Date() });
      marks.set(snapshot, running().mark());
      return snapshot;
    },
    restore: async (snapshot) => {
      const mark = marks.get(snapshot);
      if (mark !== undefined) return running().rewind(mark);
      throw usage('This is no snapshot of this blog.', 'Give what its snapshot() answered.');
    },
    faults: (faults) => running().commit(checked({ faults }).faults ?? refuseNone()),
    requests: () => blog.seen(),
    stop: end,
    [asyncDispose]: end,
  };
}

/** `beforeEach(blog.reset)` gives it what the runner has; a seed is meant for us. */
function refuseSeed([options]: readonly unknown[]): void {
  if (typeof options !== 'object' || options === null || !('seed' in options)) return;
  throw usage(
    'reset() takes no seed: it puts back what startBlog began with',
    'Start another blog for another seed.',
  );
}

/** What was forgotten is no wish for none. */
function refuseNone(): never {
  throw usage('faults: nothing was given', forms.faults);
}

/** Nothing else does while a request without a socket is under way. */
function awake<Asked extends unknown[], Answer>(
  send: (...asked: Asked) => Promise<Answer>,
): (...asked: Asked) => Promise<Answer> {
  return async (...asked) => {
    const timer = setInterval(() => undefined, 60_000);
    try {
      return await send(...asked);
    } finally {
      clearInterval(timer);
    }
  };
}

/**
 * A `fetch` that never leaves the process and reaches one origin alone. Nothing of it keeps a
 * process running but the call itself: faults and delays end with the program.
 */
function inProcessFetch(send: Transport, home: string): Fetch {
  return async (input, init) => {
    const request = new Request(input, init);
    const { method, url, signal } = request;
    const { origin, pathname, search } = new URL(url);
    if (origin !== home) {
      throw new TypeError('fetch failed', { cause: new Error(`this fetch reaches ${home} alone`) });
    }
    signal.throwIfAborted();
    const body = new Uint8Array(await orAborted(request.arrayBuffer(), signal));
    const headers = Object.fromEntries(request.headers);
    const length = body.length > 0 ? { 'content-length': String(body.length) } : {};
    const sent = {
      method,
      url: origin + pathname + search,
      headers: { ...headers, ...length },
      signal,
    };
    const answer = send(body.length > 0 ? { ...sent, body } : sent).catch(failed);
    // Its trace is among the requests before the caller hears of the end.
    return toResponse(sent, await answer.finally(() => signal.throwIfAborted()));
  };
}

function failed(cause: unknown): never {
  throw new TypeError('fetch failed', { cause });
}

function orAborted<T>(answer: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason);
    signal.addEventListener('abort', abort, { once: true });
    answer.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}

/** Statuses that never have a body, as `Response` wants them made. */
const bodiless = new Set([204, 205, 304]);

function toResponse({ url }: Pick<HttpRequest, 'url'>, answer: HttpResponse): Response {
  const { status, headers, body } = answer;
  const content = bodiless.has(status) ? null : Buffer.from(body);
  const response = new Response(content, { status, headers });
  return Object.defineProperty(response, 'url', { value: url });
}

/** An option that is undefined was not given. */
function checked(options: unknown) {
  const read = Options.safeParse(defined(options));
  if (read.success) return read.data;
  const [issue] = read.error.issues;
  const [unknown] = issue?.code === 'unrecognized_keys' ? issue.keys : [];
  const names = Object.keys(forms);
  const all: Hint = `The options are ${names.join(', ')}.`;
  if (unknown !== undefined) {
    const start = unknown.slice(0, 3).toLowerCase();
    const meant = names.find((name) => name.toLowerCase().startsWith(start));
    const hint: Hint = meant === undefined ? all : `Did you mean ${meant}? ${all}`;
    throw usage(`${unknown}: there is no such option`, hint);
  }
  const [option] = issue?.path ?? [];
  const [name, form] = Object.entries(forms).find(([each]) => each === option) ?? [];
  if (form === undefined) throw usage('startBlog: what it was given is no object of options', all);
  // What it may be says what is wrong; the validator's own words do not know what it is for.
  throw new BlogctlError('usage', `${name}: ${form}`, { hint: form });
}

function defined(options: unknown): unknown {
  if (typeof options !== 'object' || options === null || Array.isArray(options)) return options;
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
}

function usage(message: string, hint: Hint): BlogctlError {
  return new BlogctlError('usage', `${message.replace(/\.$/, '')}. ${hint}`, { hint });
}
