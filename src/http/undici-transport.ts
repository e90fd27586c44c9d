import { Agent, type Dispatcher, EnvHttpProxyAgent, request as send } from 'undici';
import { noAnswer } from './no-answer.ts';
import type { HttpRequest, HttpResponse, Transport } from './transport.ts';

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
  return async (request) => {
    const signal = request.signal ?? options.signal;
    try {
      const answer = await send(request.url, {
        method: request.method,
        headers: request.headers,
        body: request.body ?? null,
        dispatcher,
        headersTimeout: options.timeoutMs,
        bodyTimeout: options.timeoutMs,
        ...(signal && { signal }),
      });
      return {
        status: answer.statusCode,
        headers: plainHeaders(answer.headers),
        body: await readBody(request, answer),
      };
    } catch (error) {
      if (signal?.aborted === true) throw signal.reason;
      throw noAnswer(request, error, options.timeoutMs);
    }
  };
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

/**
 * An answer that has no body by its status is complete with its header: services that announce
 * or send one all the same (decisions 1) have done what was asked.
 */
async function readBody(
  { method }: HttpRequest,
  { statusCode, body }: Dispatcher.ResponseData,
): Promise<Uint8Array> {
  if (method !== 'HEAD' && statusCode !== 204 && statusCode !== 304) return body.bytes();
  return body.bytes().catch(() => new Uint8Array());
}

function plainHeaders(headers: Dispatcher.ResponseData['headers']): HttpResponse['headers'] {
  const plain: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined) plain[name] = Array.isArray(value) ? value.join(', ') : value;
  }
  return plain;
}
