import { isUtf8 } from 'node:buffer';
import { BlogctlError, type ErrorDetail, type Hint } from '../errors.ts';
import type { HttpRequest, HttpResponse } from '../http/transport.ts';

/** A HAL representation and where it came from. */
export type HalDocument = {
  /** Where it came from, against which relative links are resolved (RFC 3986, 5.1.3). */
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
    return { url: response.url ?? request.url, body: parsed.value, ...(etag && { etag }) };
  }
  throw notHal(request, response, 'defect' in parsed ? parsed.defect : undefined);
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export const anAddress: Hint =
  'The address must be that of a blog: https://host/api/v1.2/blogs/1, for example.';

/** Of a read that is refused for its token (interface, Authentication, rule 2). */
export const noTokenHelps: Hint =
  'A token goes with changes alone, so that none helps here: the service, or what stands between, breaks rule 5.2, as blogctl check <blog-url> shows its operator.';

/** Of what means to be a representation of a blog. */
export const againstInterface: Hint =
  'The service answers against the interface: blogctl check <blog-url> shows its operator where.';

const shown = 60;

function notHal(request: HttpRequest, response: HttpResponse, defect?: string): BlogctlError {
  const { headers, body, url = request.url } = response;
  const type = headers['content-type'] ?? 'without a Content-Type';
  const coding = headers['content-encoding'];
  const start = Buffer.from(body.subarray(0, 4 * shown))
    .toString('utf8')
    .trim()
    .slice(0, shown);
  const quoted = start === '' ? 'nothing' : JSON.stringify(start);
  const coded = coding === undefined ? undefined : `${coding}, which was not asked for`;
  const said = coded ?? defect ?? quoted;
  return new BlogctlError(
    'broken-contract',
    `No HAL representation came from ${url}, but ${type}: ${said}`,
    {
      status: response.status,
      method: request.method,
      url,
      hint: /\bhal\+json\b/.test(type) ? againstInterface : anAddress,
    },
  );
}

/** Why a service refuses, in its own words. */
export type Problem = {
  readonly code?: string;
  readonly title?: string;
  readonly detail?: string;
  readonly errors?: readonly ErrorDetail[];
  /** The article it speaks of. */
  readonly related?: string;
};

/**
 * The members of RFC 9457 as far as the body has them (decisions 2), else what others write: `message`
 * or `error`, `errors` by field, or a line of text.
 */
export function readProblem({ headers, body }: HttpResponse): Problem {
  const parsed = parseJson(body);
  const isPlain = /^text\/plain\b/i.test(headers['content-type'] ?? '');
  const said = 'value' in parsed ? parsed.value : isPlain && Buffer.from(body).toString('utf8');
  const { code, title, message, error, errors, ...others } = isObject(said) ? said : {};
  const { detail = wordsIn(message) ?? wordsIn(error) ?? wordsIn(said), _links: links } = others;
  const related = isObject(links) && isObject(links['related']) && links['related']['href'];
  const named = errorsIn(errors);
  return {
    ...(typeof code === 'string' && { code }),
    ...(typeof title === 'string' && { title }),
    ...(typeof detail === 'string' && { detail }),
    ...(named.length > 0 && { errors: named }),
    ...(typeof related === 'string' && { related }),
  };
}

/** As much as belongs into a message, on one line; a page for a browser says nothing there. */
function wordsIn(said: unknown): string | undefined {
  const text = isObject(said) ? (said['detail'] ?? said['message']) : said;
  if (typeof text !== 'string' || /^\s*(?:<|$)/.test(text)) return undefined;
  const line = text
    .slice(0, 2 * mostSaid)
    .trim()
    .replaceAll(/\s+/g, ' ');
  return line.length > mostSaid ? `${line.slice(0, mostSaid)}…` : line;
}

const mostSaid = 500;

function errorsIn(errors: unknown): readonly ErrorDetail[] {
  const given = Array.isArray(errors)
    ? errors.map((each): unknown[] => [isObject(each) && (each['pointer'] ?? each['field']), each])
    : Object.entries(isObject(errors) ? errors : {}).flatMap(([name, value]) =>
        [value].flat().map((each): unknown[] => [`/${name}`, each]),
      );
  return given.flatMap(([pointer, each]) => {
    const detail = wordsIn(each);
    if (detail === undefined) return [];
    return [typeof pointer === 'string' && pointer !== '' ? { detail, pointer } : { detail }];
  });
}

/** Deeper or fuller than any representation of a blog; what reads it would run out of stack or memory. */
const mostLevels = 64;
const mostValues = 1_000_000;

/** A JSON document as a value, or what hinders reading it beside its not being JSON. */
export type ParsedJson =
  | { readonly value: unknown }
  | { readonly defect: string | undefined; readonly cause?: Error };

const utf8 = new TextDecoder();

/** Reads a document of a stranger: its shape is bounded before it is built. */
export function parseJson(bytes: Uint8Array): ParsedJson {
  const defect = isUtf8(bytes) ? defectOf(bytes) : 'what is not UTF-8';
  if (defect !== undefined) return { defect };
  try {
    return { value: JSON.parse(utf8.decode(bytes)) };
  } catch (error) {
    if (error instanceof SyntaxError) return { defect: undefined, cause: error };
    throw error;
  }
}

const [quote, backslash, comma] = [0x22, 0x5c, 0x2c];
const [openList, closeList, openObject, closeObject] = [0x5b, 0x5d, 0x7b, 0x7d];

function defectOf(bytes: Uint8Array): string | undefined {
  let levels = 0;
  let values = 0;
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at];
    if (byte === quote) at = endOfString(bytes, at);
    else if (byte === comma) values += 1;
    else if (byte === closeList || byte === closeObject) levels -= 1;
    else if (byte === openList || byte === openObject) {
      levels += 1;
      values += 1;
      if (levels > mostLevels) return `JSON of more than ${mostLevels} levels`;
    }
    if (values > mostValues) return `JSON of more than ${mostValues} values`;
  }
  return undefined;
}

/** The place of the quotation mark that ends the string, or the end of a document that has none. */
function endOfString(bytes: Uint8Array, start: number): number {
  for (let at = start + 1; ; at += 1) {
    at = bytes.indexOf(quote, at);
    if (at === -1) return bytes.length;
    let slashes = 0;
    while (bytes[at - 1 - slashes] === backslash) slashes += 1;
    if (slashes % 2 === 0) return at;
  }
}

/** The articles of a page, in an array or, as HAL has it, in one under a relation. */
export function articlesOf({ url, body }: HalDocument): readonly HalDocument[] {
  const embedded = body['_embedded'];
  const lists = isObject(embedded) ? Object.values(embedded) : [embedded];
  const list = lists.find((each) => Array.isArray(each));
  return Array.isArray(list) ? list.filter(isObject).map((each) => ({ url, body: each })) : [];
}

export function idsOf(page: HalDocument): readonly unknown[] {
  return articlesOf(page).map(({ body }) => body['id']);
}
