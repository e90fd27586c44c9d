import { BlogctlError } from '../errors.ts';
import { type HalDocument, readDocument } from '../hal/document.ts';
import type { HttpRequest, HttpResponse, Transport } from '../http/transport.ts';
import { mayRepeat } from '../http/with-retry.ts';
import { refusal } from './refusals.ts';

export type Message = {
  readonly method: string;
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** JSON, sent as application/json (interface, What the service does, rule 4). */
  readonly body?: string;
};

export type Answer = {
  /** Where it came from: what was asked, or where redirects led. */
  readonly url: string;
  readonly status: number;
  readonly headers: HttpResponse['headers'];
  /** Reads the body as a HAL representation. */
  document(): HalDocument;
  /** The body as text, whatever it is. */
  text(): string;
  readonly isEmpty: boolean;
};

/**
 * Sends one request that asks for HAL; any answer but a success is thrown as what it means, and 304 is
 * one where it was asked for.
 */
export async function exchange(transport: Transport, message: Message): Promise<Answer> {
  const request = toRequest(message);
  const response = await transport(request).catch((error: unknown) => {
    throw error instanceof BlogctlError ? notTwice(error, request) : error;
  });
  const isAsKnown = response.status === 304 && request.headers['if-none-match'] !== undefined;
  const isSuccess = response.status >= 200 && response.status <= 299;
  if (!isSuccess && !isAsKnown) throw refusal(request, response);
  return {
    url: response.url ?? request.url,
    status: response.status,
    headers: response.headers,
    document: () => readDocument(request, response),
    text: () => Buffer.from(response.body).toString('utf8'),
    isEmpty: response.body.length === 0,
  };
}

const plainName = /^[\w-]+$/;

/** Where the service says that it put what it was sent (RFC 9110, 10.2.2). */
export function placeOf({ headers, url }: Answer): string | undefined {
  const location = headers['location'] ?? '';
  // An id beneath the address that was asked leaves nothing to resolve, a million times.
  if (location.startsWith(`${url}/`) && plainName.test(location.slice(url.length + 1))) {
    return location;
  }
  try {
    return location === '' ? undefined : new URL(location, url).href;
  } catch {
    return undefined; // It is no address.
  }
}

/** What may have been created is nothing to try again, unless under its key. */
function notTwice(error: BlogctlError, request: HttpRequest): BlogctlError {
  const { code, message, context } = error;
  if (context.maybeDone !== true || mayRepeat(request)) return error;
  return new BlogctlError(code, message, { ...context, retryable: false });
}

function toRequest({ method, url, headers, body }: Message): HttpRequest {
  const accept = 'application/hal+json';
  if (body === undefined) return { method, url, headers: Object.assign({ accept }, headers) };
  const own = { accept, 'content-type': 'application/json' };
  return { method, url, headers: Object.assign(own, headers), body };
}
