/** The entries of one path, by method, and what its variables stand for. */
export type Match<Entry> = {
  readonly methods: ReadonlyMap<string, Entry>;
  readonly variables: Readonly<Record<string, string>>;
};

type Place<Entry> = { readonly pattern: RegExp; readonly methods: Map<string, Entry> };

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
): Map<string, Place<Entry>> {
  const places = new Map<string, Place<Entry>>();
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
