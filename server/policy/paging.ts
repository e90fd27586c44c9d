import { Refusal } from '../errors.ts';

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
