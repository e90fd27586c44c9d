import { Agent, type Dispatcher, EnvHttpProxyAgent } from 'undici';
import { noAnswer } from './no-answer.ts';
import { parsedUrl } from './parsed-url.ts';
import type { HttpResponse, Transport } from './transport.ts';

export type UndiciOptions = {
  /** For the connection, for the first byte of the answer and between two parts of it. */
  readonly timeoutMs: number;
  /** Proxy settings are read from here: HTTP_PROXY, HTTPS_PROXY, NO_PROXY, in either case. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Ends requests in flight; its reason is what they fail with. */
  readonly signal?: AbortSignal;
};

/** HTTP/1.1 over sockets kept alive. Compression is not asked for: what comes is what was sent. */
export function createUndiciTransport(options: UndiciOptions): Transport {
  const dispatcher = createDispatcher(options);
  const { timeoutMs } = options;
  const [headersTimeout, bodyTimeout] = [timeoutMs, timeoutMs];
  return (request) =>
    new Promise((resolve, reject) => {
      const signal = request.signal ?? options.signal;
      signal?.throwIfAborted();
      const { method, headers, body } = request;
      const { origin, path } = parsedUrl(request.url);
      const fail = (error: unknown) =>
        reject(signal?.aborted === true ? signal.reason : noAnswer(request, error, timeoutMs));
      dispatcher.dispatch(
        { origin, path, method, headers, body: body ?? null, headersTimeout, bodyTimeout },
        readAnswer(method, { resolve, fail, signal }),
      );
    });
}

function createDispatcher({ env, timeoutMs }: UndiciOptions): Dispatcher {
  const connect = { timeout: timeoutMs };
  const httpProxy = env['http_proxy'] || env['HTTP_PROXY'];
  const httpsProxy = env['https_proxy'] || env['HTTPS_PROXY'];
  if (!httpProxy && !httpsProxy) return new Agent({ connect });
  const noProxy = env['no_proxy'] || env['NO_PROXY'];
  return new EnvHttpProxyAgent({
    connect,
    // Many proxies open tunnels for https only.
    proxyTunnel: false,
    ...(httpProxy && { httpProxy }),
    ...(httpsProxy && { httpsProxy }),
    ...(noProxy && { noProxy }),
  });
}

type Ends = {
  readonly resolve: (response: HttpResponse) => void;
  readonly fail: (error: unknown) => void;
  readonly signal: AbortSignal | undefined;
};

/**
 * Gathers an answer from what undici tells of it. One that has no body by its status is complete
 * with its header: services that announce or send one all the same (decisions 1) have done what
 * was asked.
 */
function readAnswer(method: string, { resolve, fail, signal }: Ends): Dispatcher.DispatchHandler {
  let status = 0;
  let headers: HttpResponse['headers'] = {};
  const chunks: Buffer[] = [];
  let started: Dispatcher.DispatchController | undefined;
  const abort = () => {
    started?.abort(signal?.reason);
    // One that still waits for its connection has not started.
    fail(signal?.reason);
  };
  signal?.addEventListener('abort', abort);
  return {
    onRequestStart(controller) {
      started = controller;
      if (signal?.aborted === true) abort();
    },
    onResponseStart(_controller, statusCode, fields) {
      status = statusCode;
      headers = plainHeaders(fields);
    },
    onResponseData(_controller, chunk) {
      chunks.push(chunk);
    },
    onResponseEnd() {
      signal?.removeEventListener('abort', abort);
      const [first = new Uint8Array(), ...others] = chunks;
      resolve({ status, headers, body: others.length === 0 ? first : Buffer.concat(chunks) });
    },
    onResponseError(_controller, error) {
      signal?.removeEventListener('abort', abort);
      if (!hasNoBody(method, status)) fail(error);
      else resolve({ status, headers, body: new Uint8Array() });
    },
  };
}

function hasNoBody(method: string, status: number): boolean {
  return status === 204 || status === 304 || (method === 'HEAD' && status !== 0);
}

type Fields = Readonly<Record<string, string | string[] | undefined>>;

function plainHeaders(fields: Fields): HttpResponse['headers'] {
  if (areSingle(fields)) return fields;
  const plain: Record<string, string> = {};
  for (const [name, value] of Object.entries(fields)) {
    if (value !== undefined) plain[name] = Array.isArray(value) ? value.join(', ') : value;
  }
  return plain;
}

function areSingle(fields: Fields): fields is HttpResponse['headers'] {
  for (const name in fields) if (typeof fields[name] !== 'string') return false;
  return true;
}
