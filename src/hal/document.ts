import { BlogctlError } from '../errors.ts';
import type { HttpRequest, HttpResponse } from '../http/transport.ts';

/** A HAL representation and where it came from. */
export type HalDocument = {
  /** The address that was asked, against which relative links are resolved. */
  readonly url: string;
  readonly body: Readonly<Record<string, unknown>>;
};

/** Reads an answer as a HAL representation; anything else is `broken-contract`, named. */
export function readDocument(request: HttpRequest, response: HttpResponse): HalDocument {
  const text = decode(response.body);
  const body = text === undefined ? undefined : parse(text);
  if (body === undefined) throw notHal(request, response, text ?? '');
  return { url: request.url, body };
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

function decode(bytes: Uint8Array): string | undefined {
  try {
    return utf8.decode(bytes);
  } catch (error) {
    if (error instanceof TypeError) return undefined;
    throw error;
  }
}

function parse(text: string): HalDocument['body'] | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const shown = 60;

function notHal(request: HttpRequest, response: HttpResponse, text: string): BlogctlError {
  const type = response.headers['content-type'] ?? 'without a Content-Type';
  const start = text.trim() === '' ? 'nothing' : JSON.stringify(text.trim().slice(0, shown));
  return new BlogctlError(
    'broken-contract',
    `No HAL representation came from ${request.url}, but ${type}: ${start}`,
    {
      status: response.status,
      method: request.method,
      url: request.url,
      hint: 'the address must be that of a blog, like https://host/api/v1.2/blogs/1',
    },
  );
}
