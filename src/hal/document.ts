import { BlogctlError } from '../errors.ts';
import { parseJson } from './json.ts';
import type { HttpRequest, HttpResponse } from '../http/transport.ts';

/** A HAL representation and where it came from. */
export type HalDocument = {
  /** The address that was asked, against which relative links are resolved. */
  readonly url: string;
  readonly body: Readonly<Record<string, unknown>>;
  /** Its tag, if it has one. */
  readonly etag?: string;
};

/** Reads an answer as a HAL representation; anything else is `broken-contract`, named. */
export function readDocument(request: HttpRequest, response: HttpResponse): HalDocument {
  const parsed = parseJson(response.body);
  const { etag } = response.headers;
  if ('value' in parsed && isObject(parsed.value)) {
    return { url: request.url, body: parsed.value, ...(etag && { etag }) };
  }
  throw notHal(request, response, 'trouble' in parsed ? parsed.trouble : undefined);
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const shown = 60;

function notHal(request: HttpRequest, response: HttpResponse, trouble?: string): BlogctlError {
  const { headers, body } = response;
  const type = headers['content-type'] ?? 'without a Content-Type';
  const coding = headers['content-encoding'];
  const start = Buffer.from(body.subarray(0, 4 * shown))
    .toString('utf8')
    .trim()
    .slice(0, shown);
  const quoted = start === '' ? 'nothing' : JSON.stringify(start);
  const coded = coding === undefined ? undefined : `${coding}, which was not asked for`;
  const said = coded ?? trouble ?? quoted;
  return new BlogctlError(
    'broken-contract',
    `No HAL representation came from ${request.url}, but ${type}: ${said}`,
    {
      status: response.status,
      method: request.method,
      url: request.url,
      hint: 'the address must be that of a blog, like https://host/api/v1.2/blogs/1',
    },
  );
}
