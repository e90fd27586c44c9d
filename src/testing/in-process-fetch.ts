import type { HttpRequest, HttpResponse, Transport } from '../http/transport.ts';
import type { Fetch } from './test-blog.ts';

/**
 * A `fetch` that never leaves the process and reaches one origin alone. Nothing of it keeps a
 * process running but the call itself: faults and delays end with the program.
 */
export function inProcessFetch(send: Transport, home: string): Fetch {
  return async (input, init) => {
    const request = new Request(input, init);
    const { method, url, signal } = request;
    const { origin, pathname, search } = new URL(url);
    if (origin !== home) {
      throw new TypeError('fetch failed', { cause: new Error(`this fetch reaches ${home} alone`) });
    }
    signal.throwIfAborted();
    const exchange = async () => {
      const body = new Uint8Array(await request.arrayBuffer());
      const headers = Object.fromEntries(request.headers);
      const length = body.length > 0 ? { 'content-length': String(body.length) } : {};
      const sent = { method, url: origin + pathname + search, headers: { ...headers, ...length } };
      signal.throwIfAborted();
      const answer = send(body.length > 0 ? { ...sent, body } : sent);
      return toResponse(sent, await answer.catch(failed));
    };
    return orAborted(exchange(), signal);
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
