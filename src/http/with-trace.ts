import type { HttpRequest, HttpResponse, Transport } from './transport.ts';

export type TraceOptions = {
  /** 1: a line for each exchange; 2: header fields too; 3: bodies too. */
  readonly level: number;
  readonly write: (line: string) => void;
  readonly now?: () => number;
};

/** Header fields whose values are secrets: only their presence is shown. */
const secret = new Set([
  'x-access-token',
  'authorization',
  'proxy-authorization',
  'cookie',
  'set-cookie',
]);

/** Writes what goes over the wire, never a token. */
export function withTrace(next: Transport, options: TraceOptions): Transport {
  const now = options.now ?? Date.now;
  return async (request) => {
    const startedAt = now();
    const trace = (line: string) => options.write(line);
    if (options.level > 1) traceRequest(request, options);
    try {
      const response = await next(request);
      const took = Math.round(now() - startedAt);
      trace(`${request.method} ${request.url} -> ${response.status} (${took} ms)`);
      if (options.level > 1) traceResponse(response, options);
      return response;
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      trace(`${request.method} ${request.url} -> no answer: ${reason}`);
      throw error;
    }
  };
}

function traceRequest(request: HttpRequest, { level, write }: TraceOptions): void {
  write(`> ${request.method} ${request.url}`);
  traceHeaders('> ', request.headers, write);
  if (level > 2 && request.body !== undefined) write(`> ${textOf(request.body)}`);
}

function traceResponse(response: HttpResponse, { level, write }: TraceOptions): void {
  traceHeaders('< ', response.headers, write);
  if (level > 2 && response.body.length > 0) write(`< ${textOf(response.body)}`);
}

function traceHeaders(
  mark: string,
  headers: HttpResponse['headers'],
  write: TraceOptions['write'],
): void {
  for (const [name, value] of Object.entries(headers)) {
    write(`${mark}${name}: ${secret.has(name) ? '(not shown)' : value}`);
  }
}

function textOf(body: string | Uint8Array): string {
  return typeof body === 'string' ? body : Buffer.from(body).toString('utf8');
}
