import { isUtf8 } from 'node:buffer';
import { Refusal } from '../errors.ts';

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

type ParsedTarget = {
  /** The authority of an absolute-form target, which outranks Host (RFC 9112, 3.2.2). */
  readonly authority: string | undefined;
  /** Exactly as sent, escapes included; `*` for the server as a whole. */
  readonly path: string;
  /** Without the question mark; empty where there is none. */
  readonly query: string;
};

const absoluteForm = /^https?:\/\/([^/?#]*)(.*)$/is;

/**
 * Takes a request target apart by hand: a URL parser would read `//host/path` as another host
 * and resolve `/../` (decisions 40). A bad escape is refused.
 */
export function readTarget(target: string): ParsedTarget {
  const absolute = absoluteForm.exec(target);
  const rest = absolute === null ? target : originForm(absolute[2] ?? '');
  if (rest !== '*' && !rest.startsWith('/')) {
    throw new Refusal('bad-request', 'The request target must be a path or an http URL.');
  }
  if (rest.includes('%') && !isWellEscaped(rest)) {
    throw new Refusal('bad-request', 'The request target has an escape that is not UTF-8 in %XX.');
  }
  return { authority: absolute?.[1], ...splitQuery(rest) };
}

function originForm(rest: string): string {
  return rest.startsWith('/') ? rest : `/${rest}`;
}

function isWellEscaped(text: string): boolean {
  if (/%(?![0-9a-f]{2})/i.test(text)) return false;
  const runs = text.match(/(?:%[0-9a-f]{2})+/gi) ?? [];
  return runs.every((run) => isUtf8(Buffer.from(run.replaceAll('%', ''), 'hex')));
}

function splitQuery(rest: string): { path: string; query: string } {
  const mark = rest.indexOf('?');
  if (mark === -1) return { path: rest, query: '' };
  return { path: rest.slice(0, mark), query: rest.slice(mark + 1) };
}
