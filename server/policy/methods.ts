import { Refusal } from '../errors.ts';

/** The methods the interface speaks of, and those HTTP adds to every resource (decisions 21). */
const known = new Set(['GET', 'HEAD', 'OPTIONS', 'POST', 'PUT', 'DELETE']);

/**
 * The entry that serves a method. HEAD is served by GET's. A method known nowhere in the
 * interface is 501 (decisions 4), one that is not for this resource 400 with Allow (decisions 3).
 */
export function entryFor<Entry>(method: string, entries: ReadonlyMap<string, Entry>): Entry {
  if (!known.has(method)) {
    throw new Refusal('not-implemented', `This service knows no ${method.slice(0, 40)}.`);
  }
  const entry = entries.get(method === 'HEAD' ? 'GET' : method);
  if (entry !== undefined) return entry;
  const allow = allowedMethods(entries.keys());
  throw new Refusal('method-not-allowed', `${method} is not for this resource: ${allow} are.`, {
    headers: { Allow: allow },
  });
}

/** The value of Allow, for entries by method. */
export function allowedMethods(methods: Iterable<string>): string {
  const all = [...methods].flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method]));
  return [...all, 'OPTIONS'].join(', ');
}
