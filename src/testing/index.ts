import { emitWarning } from 'node:process';
import { fileURLToPath } from 'node:url';
import { clientForPrograms } from '../client/blog-client.ts';
import { createBlogClient } from '../client/create-blog-client.ts';
import { BlogctlError, checkedMembers, type Forms, usage } from '../errors.ts';
import { createConnection } from '../http/connection.ts';
import type { HttpRequest, HttpResponse, Transport } from '../http/transport.ts';
import { type BlogInMemory, loadService, type Mark, serveInMemory } from '../local.ts';
import type { Fetch, Snapshot, TestBlog, TestBlogOptions } from './test-blog.ts';

export type * from './test-blog.ts';
export type { ErrorCode, ErrorContext, ErrorDetail } from '../errors.ts';
export { BlogctlError };

const isText = (value: unknown) => typeof value === 'string';
const isList = (value: unknown) => Array.isArray(value) && [...value].every(isText);

const forms: Forms<TestBlogOptions> = {
  // What is in it the service judges, which names the place.
  seed: [
    (value) =>
      isText(value) || Array.isArray(value) || /^file:\/{3}(?!.*%(?:2F|5C))/i.test(String(value)),
    'Write a list, [{ title, content }], or the name of a file.',
  ],
  faults: [isList, "Write a list of texts: ['GET status 503 once']; [] ends them."],
  delay: [
    (value) => isText(value) || typeof value === 'number',
    "Write milliseconds, 200, or a range of them, '100-300'.",
  ],
  port: [
    (value) => Number.isInteger(value) && Number(value) >= 0 && Number(value) <= 65_535,
    'Write a whole number from 0 to 65535; 0 picks a free one.',
  ],
  token: [(value) => isText(value) && value !== '', 'Write a text of at least one letter.'],
  cors: [isList, "Write a list of texts: ['http://localhost:5173']."],
  rateLimit: [isText, "Write a text: '10/s'."],
};

// Whoever takes this door starts a blog: the service is loaded with it, not in the first test.
void loadService();

/**
 * Starts a blog of its own in this process, sharing nothing with any other. What cannot be done
 * with an option is a BlogctlError `usage` that names it, and nothing listens then.
 */
export async function startBlog(options: TestBlogOptions = {}): Promise<TestBlog> {
  if (forms.seed[0](options))
    throw usage(
      'startBlog: what it was given is no object of options',
      'Write startBlog({ seed: … }).',
    );
  const { seed, delay, port = 0, ...given } = checked(options);
  return testBlogOver(
    await serveInMemory({
      ...given,
      port,
      graceMs: 1000,
      background: true,
      seed: typeof seed === 'object' && 'href' in seed ? fileURLToPath(seed.href) : seed,
      delay: delay === undefined ? undefined : String(delay),
      // Standard output is the program's.
      notice: (text) => emitWarning(text, 'BlogctlWarning'),
    }),
  );
}

function checked(options: TestBlogOptions): TestBlogOptions {
  return checkedMembers(['startBlog', 'options'], options, forms);
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
  const calls = createCalls(running);
  const { origin } = new URL(blogUrl);
  const sendAwake: Transport = (request) =>
    calls.begin(request.signal, (signal) => send({ ...request, signal }));
  const connection = createConnection(sendAwake, {
    credential: { origin, token },
    origins: { home: origin },
    retry: { retries: 0, maxWaitMs: 0 },
    trace: { level: 0, write: () => undefined },
  });
  const { client, forget } = forgetfulClient(connection, blogUrl);
  const rewind = async (mark?: Mark) => {
    const done = running().rewind(mark);
    forget();
    await done;
  };
  const end = async () => {
    await (stopping ??= Promise.all([stop(), calls.end()]));
  };
  return {
    url: blogUrl,
    token,
    client,
    fetch: inProcessFetch(send, calls, origin),
    reset: async (...given: readonly unknown[]) => {
      refuseSeed(given);
      return rewind();
    },
    snapshot: () => {
      const snapshot = Object.freeze({ takenAt: new Date() });
      marks.set(snapshot, running().mark());
      return snapshot;
    },
    restore: async (snapshot) => {
      const mark = marks.get(snapshot);
      if (mark !== undefined) return rewind(mark);
      throw usage('This is no snapshot of this blog.', 'Give what its snapshot() answered.');
    },
    faults: (faults) => running().commit(checked({ faults }).faults ?? refuseNone()),
    requests: () => blog.seen(),
    stop: end,
    [asyncDispose]: end,
  };
}

/** Once it was told to forget, it sends and answers nothing any more of what it was still at. */
function forgetfulClient(connection: Transport, blogUrl: string) {
  let times = 0;
  const { client, forget } = clientForPrograms(() => {
    const own = times;
    const transport: Transport = async (request) => {
      const answer = own === times ? await connection(request) : undefined;
      if (answer !== undefined && own === times) return answer;
      // It would write into what the next test is to find, or tell of what is there no more.
      throw usage('The blog was put back in the middle of this call', 'Await the client before.');
    };
    return createBlogClient({ transport, blogUrl });
  });
  const forgetAll = () => {
    times += 1;
    forget();
  };
  return { client, forget: forgetAll };
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
  throw usage('faults: nothing was given', forms.faults[1]);
}

type Calls = ReturnType<typeof createCalls>;

/** What is under way without a socket; once the blog is stopped, what fails has failed for that. */
function createCalls(refuseStopped: () => unknown) {
  const underWay = new Map<AbortController, Promise<unknown>>();
  return {
    begin: async <T>(own: AbortSignal | undefined, call: (signal: AbortSignal) => Promise<T>) => {
      const ending = new AbortController();
      const end = () => ending.abort();
      own?.addEventListener('abort', end, { once: true });
      // Nothing else keeps the process alive.
      const timer = setInterval(() => undefined, 60_000);
      try {
        const answer = call(ending.signal);
        underWay.set(ending, answer);
        return await answer;
      } catch (error) {
        refuseStopped();
        throw error;
      } finally {
        clearInterval(timer);
        own?.removeEventListener('abort', end);
        underWay.delete(ending);
      }
    },
    end: () => {
      for (const ending of underWay.keys()) ending.abort();
      return Promise.allSettled(underWay.values());
    },
  };
}

/**
 * A `fetch` that never leaves the process and reaches one origin alone. Nothing of it keeps a
 * process running but the call itself: faults and delays end with the program.
 */
function inProcessFetch(send: Transport, calls: Calls, home: string): Fetch {
  return async (input, init) => {
    if (typeof Request === 'undefined')
      throw usage(
        'blog.fetch: there is no Request in this environment',
        "Give it Node's, or run this file in the environment node.",
      );
    const request = new Request(input, init);
    const { method, url, signal: own } = request;
    const { origin, pathname, search } = new URL(url);
    if (origin !== home) {
      throw new TypeError('fetch failed', { cause: new Error(`this fetch reaches ${home} alone`) });
    }
    own.throwIfAborted();
    const answer = calls.begin(own, async (signal) => {
      const body = new Uint8Array(await orAborted(request.arrayBuffer(), signal));
      const headers = Object.fromEntries(request.headers);
      const length = body.length > 0 ? { 'content-length': String(body.length) } : {};
      const target = { method, url: origin + pathname + search };
      const sent = { ...target, headers: { ...headers, ...length }, signal };
      return toResponse(target, await send(body.length > 0 ? { ...sent, body } : sent));
    });
    // Its trace is among the requests before the caller hears of the end.
    return answer.catch(failed).finally(() => own.throwIfAborted());
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
