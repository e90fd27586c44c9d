import type { Socket } from 'node:net';
import { Agent, buildConnector, type Dispatcher, EnvHttpProxyAgent, Pool } from 'undici';
import { BlogctlError } from '../errors.ts';
import {
  type NoAnswerKind,
  kindOf,
  noAnswer,
  type HttpResponse,
  parsedUrl,
  type Transport,
} from './transport.ts';
import { stopped } from './with-retry.ts';

type UndiciOptions = {
  /** From the connection to the last byte of the answer. */
  readonly timeoutMs: number;
  /** Proxy settings are read from here: HTTP_PROXY, HTTPS_PROXY, NO_PROXY, in either case. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Ends requests in flight; its reason is what they fail with. */
  readonly signal?: AbortSignal;
};

/** More is no document of a blog: long lists come page by page. */
const mostBytes = 64 * 1024 * 1024;
/** What may surround a body: the sizes of its chunks. */
const mostFraming = 8 * 1024 * 1024;
/** Interim answers (1xx) before the one that counts. */
const mostInterim = 32;

/**
 * HTTP/1.1 over sockets kept alive, each answer bounded in time and length. No compression is
 * asked for, and saying nothing would allow it (RFC 9110, 12.5.3): what comes is what was sent.
 */
export function createUndiciTransport(options: UndiciOptions): Transport {
  const dispatcher = createDispatcher(options);
  const { timeoutMs } = options;
  // Ours bounds the whole answer; undici's begin anew with each part of it.
  const [headersTimeout, bodyTimeout] = [0, 0];
  return (request) =>
    new Promise((resolve, reject) => {
      const signal = request.signal ?? options.signal;
      signal?.throwIfAborted();
      const { method, body } = request;
      const headers = Object.assign({ 'accept-encoding': 'identity' }, request.headers);
      const { origin, path } = parsedUrl(request.url);
      const fail = (kind: NoAnswerKind, cause: unknown) =>
        reject(
          signal?.aborted === true
            ? stopped(request, signal.reason)
            : noAnswer(request, { kind, cause, timeoutMs }),
        );
      dispatcher.dispatch(
        { origin, path, method, headers, body: body ?? null, headersTimeout, bodyTimeout },
        readAnswer(method, { resolve, fail, signal, timeoutMs }),
      );
    });
}

function createDispatcher({ env, timeoutMs: timeout }: UndiciOptions): Dispatcher {
  // Every connection is made through here: to a service, to a proxy, and through one.
  const parts = { connect: buildConnector({ timeout }), factory: boundedPool };
  const httpProxy = proxyFrom(env, 'HTTP_PROXY');
  const httpsProxy = proxyFrom(env, 'HTTPS_PROXY');
  if (httpProxy === undefined && httpsProxy === undefined) return new Agent(parts);
  const noProxy = env['no_proxy'] || env['NO_PROXY'];
  return new EnvHttpProxyAgent({
    ...parts,
    clientFactory: (proxy, options) => tunnelPool(proxy, options, timeout),
    proxyTls: { timeout },
    requestTls: { timeout },
    // Many proxies open tunnels for https only.
    proxyTunnel: false,
    ...(httpProxy !== undefined && { httpProxy }),
    ...(httpsProxy !== undefined && { httpsProxy }),
    ...(noProxy && { noProxy }),
  });
}

/**
 * Bounds what comes beside bodies too: heads, chunk sizes and trailers are read and forgotten
 * without an end. What is read since the last request was written belongs to its answer.
 */
function boundedPool(origin: string | URL, options: Pool.Options): Pool {
  const { connect } = options;
  if (typeof connect !== 'function') throw new TypeError('a connector is passed on');
  return new Pool(origin, {
    ...options,
    connect: (target, callback) =>
      connect(target, (...result) => {
        const [, socket] = result;
        if (socket) bound(socket);
        callback(...result);
      }),
  });
}

/** For tunnels through a proxy, which are all that is asked of it so: its answer is awaited so long. */
function tunnelPool(proxy: string | URL, options: Pool.Options, timeout: number): Dispatcher {
  const pool = boundedPool(proxy, options);
  const connect = async (target: Dispatcher.ConnectOptions) => {
    const opened = await pool.connect({ ...target, signal: AbortSignal.timeout(timeout) });
    // What comes through the tunnel is bounded where it comes out.
    opened.socket.removeAllListeners('readable');
    return opened;
  };
  return new Proxy<Dispatcher>(pool, {
    get: (_, name) => (name === 'connect' ? connect : Reflect.get(pool, name)),
  });
}

function bound(socket: Socket): void {
  let written = 0;
  let before = 0;
  socket.on('readable', () => {
    const { bytesRead, bytesWritten } = socket;
    if (bytesWritten !== written) [written, before] = [bytesWritten, bytesRead];
    if (bytesRead - before <= mostBytes + mostFraming) return;
    socket.destroy(Object.assign(new Error('too many bytes'), { code: 'ANSWER_TOO_LONG' }));
  });
}

/** Also without a scheme, as other tools take it. */
function proxyFrom(env: UndiciOptions['env'], name: string): string | undefined {
  const written = env[name.toLowerCase()] || env[name];
  if (!written) return undefined;
  const url = written.includes('://') ? written : `http://${written}`;
  if (/^https?:/i.test(url) && URL.canParse(url)) return url;
  throw new BlogctlError('usage', `What ${name} says is not the address of a proxy.`, {
    hint: `Write it as ${name}=http://host:port, or unset it.`,
  });
}

type Ends = {
  readonly resolve: (response: HttpResponse) => void;
  readonly fail: (kind: NoAnswerKind, cause: unknown) => void;
  readonly signal: AbortSignal | undefined;
  readonly timeoutMs: number;
};

/**
 * Gathers an answer from what undici tells of it. One that has no body by its status is complete
 * with its header: services that announce or send one all the same (decisions 1) have done what
 * was asked.
 */
function readAnswer(
  method: string,
  { resolve, fail, signal, timeoutMs }: Ends,
): Dispatcher.DispatchHandler {
  let status = 0;
  let headers: HttpResponse['headers'] = {};
  let interim = 0;
  let length = 0;
  let body: Uint8Array = new Uint8Array();
  let started: Dispatcher.DispatchController | undefined;
  let isOver = false;

  const end = () => {
    isOver = true;
    clearTimeout(deadline);
    signal?.removeEventListener('abort', abort);
  };
  const failWith = (kind: NoAnswerKind, cause: unknown) => {
    if (isOver) return;
    end();
    if (hasNoBody(method, status)) resolve({ status, headers, body: new Uint8Array() });
    else fail(kind, cause);
  };
  const giveUp = (kind: NoAnswerKind, cause?: Error) => {
    failWith(kind, cause);
    // One that still waits for its connection has not started.
    started?.abort(cause ?? new Error(kind));
  };
  const abort = () => giveUp('lost', new Error('aborted', { cause: signal?.reason }));
  const deadline = setTimeout(() => giveUp(status === 0 ? 'too-late' : 'not-whole'), timeoutMs);
  signal?.addEventListener('abort', abort);
  return {
    onRequestStart(controller) {
      started = controller;
      if (isOver) controller.abort(new Error('given up'));
    },
    onResponseStart(_controller, statusCode, fields) {
      if (statusCode >= 200) {
        status = statusCode;
        headers = plainHeaders(fields);
        if (Number(headers['content-length']) > mostBytes) giveUp('too-long');
      } else if ((interim += 1) > mostInterim) {
        giveUp('only-interim');
      }
    },
    onResponseData(_controller, chunk) {
      const before = length;
      length += chunk.length;
      if (length > mostBytes) return giveUp('too-long');
      if (before === 0) body = chunk;
      else {
        const announced = Number(headers['content-length']) || 0;
        if (length > body.length) body = withRoom(body, Math.max(length, announced));
        body.set(chunk, before);
      }
    },
    onResponseEnd() {
      if (isOver) return;
      end();
      const response = { status, headers, body: body.subarray(0, length) };
      // undici frees the connection at the end of this turn: who asks sooner would open another.
      queueMicrotask(() => setImmediate(() => resolve(response)));
    },
    onResponseError(_controller, error) {
      const kind = kindOf(error);
      failWith(kind === 'lost' && status !== 0 ? 'cut-short' : kind, error);
    },
  };
}

/**
 * Pieces are put together as they come: a list of some that are one byte each would take a hundred
 * times what they say.
 */
function withRoom(body: Uint8Array, length: number): Uint8Array {
  const larger = Buffer.allocUnsafe(Math.max(length, Math.min(2 * body.length, mostBytes)));
  larger.set(body);
  return larger;
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
