import { type HalDocument, readDocument } from '../hal/document.ts';
import type { HttpRequest, HttpResponse, Transport } from '../http/transport.ts';
import { refusal } from './refusals.ts';

export type Message = {
  readonly method: string;
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** JSON, sent as application/json (interface, What the service does, rule 4). */
  readonly body?: string;
};

export type Answer = {
  /** What was asked. */
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
  const response = await transport(request);
  const isAsKnown = response.status === 304 && request.headers['if-none-match'] !== undefined;
  const isSuccess = response.status >= 200 && response.status <= 299;
  if (!isSuccess && !isAsKnown) throw refusal(request, response);
  return {
    url: request.url,
    status: response.status,
    headers: response.headers,
    document: () => readDocument(request, response),
    text: () => Buffer.from(response.body).toString('utf8'),
    isEmpty: response.body.length === 0,
  };
}

function toRequest({ method, url, headers, body }: Message): HttpRequest {
  const accept = 'application/hal+json';
  if (body === undefined) return { method, url, headers: Object.assign({ accept }, headers) };
  const own = { accept, 'content-type': 'application/json' };
  return { method, url, headers: Object.assign(own, headers), body };
}
