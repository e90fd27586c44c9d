import Negotiator from 'negotiator';
import { Refusal } from '../errors.ts';

/**
 * The one of `offered` the client likes best, the earlier one where it does not care
 * (decisions 19). Refuses before anything is done: a client that cannot read the answer never
 * causes a change.
 */
export function negotiate<Type extends string>(
  accept: string | undefined,
  offered: readonly [Type, ...Type[]],
): Type {
  const [favourite] = offered;
  if (accept === undefined || accept === favourite || accept === '*/*') return favourite;
  // A list may have no element, or empty ones alone (RFC 9110, 5.6.1.2): nothing is asked for.
  if (/^[ \t,]*$/.test(accept)) return favourite;
  const withCharset = offered.flatMap((type) => [type, `${type};charset=utf-8`]);
  const [best] = new Negotiator({ headers: { accept } }).mediaTypes(withCharset);
  const found = offered.find((type) => best?.startsWith(type));
  if (found !== undefined) return found;
  throw new Refusal(
    'not-acceptable',
    `This can be answered as ${offered.join(' or ')} only: name that in Accept, or nothing.`,
  );
}

/** The methods the interface speaks of, and those HTTP adds to every resource (decisions 21). */
const known = new Set(['GET', 'HEAD', 'OPTIONS', 'POST', 'PUT', 'DELETE']);

/**
 * The entry that serves a method. HEAD is served by GET's. A method known nowhere in the
 * interface is 501 (decisions 4), one that is not for this resource 400 with Allow (decisions 3).
 */
export function entryFor<Entry>(
  method: string,
  entries: ReadonlyMap<string, Entry>,
  path = '',
): Entry {
  if (!known.has(method)) {
    const first = leadFor(method, path) ?? ' An article is replaced, title and content, by PUT.';
    throw new Refusal(
      'not-implemented',
      `${method.slice(0, 40)} is not known here: GET, HEAD, OPTIONS, POST, PUT and DELETE are.${first}`,
    );
  }
  const entry = entries.get(method === 'HEAD' ? 'GET' : method);
  if (entry !== undefined) return entry;
  const allow = allowedMethods(entries.keys());
  const detail = `${method} is not for this resource: ${allow} are.${leadFor(method, path) ?? ''}`;
  throw new Refusal('method-not-allowed', detail, { headers: { Allow: allow } });
}

/** Where a method does what is wanted of this resource. */
function leadFor(method: string, path: string): string | undefined {
  const [, blog, articles, article] = /^(.*\/blogs\/\d+)(\/articles(\/\d+)?)?$/.exec(path) ?? [];
  if (blog === undefined) return undefined;
  if (method === 'POST') return ` Articles are created by POST ${blog}/articles.`;
  if (articles === undefined)
    return ' A blog is changed where its store is, by blogctl store edit-blog --title <text>.';
  if (!/^(?:PUT|PATCH|DELETE)$/.test(method)) return undefined;
  const verb = method === 'DELETE' ? 'deleted by DELETE' : 'replaced, title and content, by PUT';
  return ` An article is ${verb} ${article === undefined ? `${path}/{id}` : path}.`;
}

/** The value of Allow, for entries by method. */
export function allowedMethods(methods: Iterable<string>): string {
  const all = [...methods].flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method]));
  return [...all, 'OPTIONS'].join(', ');
}

type Return = 'representation' | 'minimal';

/** What a client prefers to get back from a change (RFC 7240, 4.2; decisions 1, 39). */
export function preferredReturn(prefer: string | undefined): Return | undefined {
  const preferences = prefer?.match(/(?:[^,"]|"(?:[^"\\]|\\.)*"?)+/g) ?? [];
  // The first of its name counts (RFC 7240, 2).
  const first = preferences.find((each) => /^\s*return\s*(?:[=;]|$)/i.test(each)) ?? '';
  const value = /^\s*return\s*=\s*"?([a-z]+)"?\s*(?:;|$)/i.exec(first)?.[1]?.toLowerCase();
  return value === 'representation' || value === 'minimal' ? value : undefined;
}

/** The one expectation there is (RFC 9110, 10.1.1). */
const expectation = /^100-continue$/i;

/** A client that expects something else may wait with its body for ever, so the connection ends. */
export function checkExpectation(field: string | undefined): void {
  if (field === undefined || expectation.test(field)) return;
  throw new Refusal('expectation-failed', 'Only 100-continue can be expected here.', {
    headers: { Connection: 'close' },
  });
}

/** Which page is asked for: `pageIndex` from 1, `pageSize` in articles. */
export type PageRange = { readonly pageIndex: number; readonly pageSize: number };

/** What is meant where nothing is said. */
export function defaultRange(maxPageSize: number): PageRange {
  return { pageIndex: 1, pageSize: Math.min(20, maxPageSize) };
}

/** How others ask for a page, an order, a part or a search: `_limit`, `per_page`, `sort`, `q`, `title_like`. */
const ofOthers =
  /^_?(?:page|per_?page|page_?(?:size|index|number|no)|(?:posts|items)_?per_?page|limit|count|offset|start|end|skip|take|sort(?:_?by)?|order(?:_?by)?|q|s|search|query|filter|where|fields|embed|expand)$|^(?:id|title|content)(?:_(?:like|contains|ne|gte?|lte?))?$/i;

/**
 * The page a query asks for (decisions 8). What is not plain digits in range is refused by name;
 * nothing is clamped, because a page echoes its size.
 */
export function parsePaging(query: string, maxPageSize: number): PageRange {
  const usual = defaultRange(maxPageSize);
  if (query === '') return usual;
  const values = new URLSearchParams(`?${query}`);
  for (const name of values.keys()) refuseOther(name);
  const maxPageIndex = Math.floor(Number.MAX_SAFE_INTEGER / maxPageSize);
  return {
    pageIndex: read(values, 'pageIndex', maxPageIndex) ?? usual.pageIndex,
    pageSize: read(values, 'pageSize', maxPageSize) ?? usual.pageSize,
  };
}

function refuseOther(name: string): void {
  if (name === 'pageIndex' || name === 'pageSize' || !ofOthers.test(name)) return;
  const shown = JSON.stringify(name);
  throw new Refusal(
    'bad-request',
    `${shown} is not known here: a page is asked for by pageIndex and pageSize, and what else is wanted of it is for its reader to do.`,
  );
}

/** Where the page starts, in articles from 0. */
export function firstOf({ pageIndex, pageSize }: PageRange): number {
  return (pageIndex - 1) * pageSize;
}

function read(values: URLSearchParams, name: string, most: number): number | undefined {
  const [value, ...others] = values.getAll(name);
  if (value === undefined) return undefined;
  if (others.length > 0) throw new Refusal('bad-request', `${name} is given more than once.`);
  const number = /^[1-9][0-9]{0,15}$/.test(value) ? Number(value) : Infinity;
  if (number <= most) return number;
  const shown = JSON.stringify(value.slice(0, 40));
  throw new Refusal('bad-request', `${name} must be digits from 1 to ${most}, not ${shown}.`);
}

/** The entries of one path, by method, and what its variables stand for. */
type Match<Entry> = {
  readonly methods: ReadonlyMap<string, Entry>;
  readonly variables: Readonly<Record<string, string>>;
};

type PathEntry<Entry> = { readonly pattern: RegExp; readonly methods: Map<string, Entry> };

/**
 * Finds what a path leads to: exact match, no trailing slash (decisions 40). In a template
 * `{…_id}` stands for an id, `{key}` for any text as it is escaped, any other variable for one word.
 */
export function createRouter<Entry extends { readonly method: string; readonly path: string }>(
  entries: readonly Entry[],
): (path: string) => Match<Entry> | undefined {
  const places = [...placesOf(entries).values()];
  return (path) => {
    for (const { pattern, methods } of places) {
      const found = pattern.exec(path);
      if (found !== null) return { methods, variables: found.groups ?? {} };
    }
    return undefined;
  };
}

function placesOf<Entry extends { readonly method: string; readonly path: string }>(
  entries: readonly Entry[],
): Map<string, PathEntry<Entry>> {
  const places = new Map<string, PathEntry<Entry>>();
  for (const entry of entries) {
    const place = places.get(entry.path) ?? { pattern: patternOf(entry.path), methods: new Map() };
    place.methods.set(entry.method, entry);
    places.set(entry.path, place);
  }
  return places;
}

function patternOf(template: string): RegExp {
  const source = template
    .replaceAll('.', String.raw`\.`)
    .replaceAll(/\{(\w+)\}/g, (_, name: string) => `(?<${name}>${shapeOf(name)})`);
  return new RegExp(`^${source}$`);
}

function shapeOf(name: string): string {
  if (name === 'key') return '[^/]+';
  return name.endsWith('_id') ? '[1-9][0-9]{0,15}' : '[A-Za-z0-9][A-Za-z0-9.-]*';
}
