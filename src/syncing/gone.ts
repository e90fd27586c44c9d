import type { Book, Gone } from './match.ts';
import { createQueues } from './queues.ts';
import type { StateLine } from './state-file.ts';

/** Files that are gone here and have an article there: as the state says, as their keys or git say. */
export function goneOf(book: Book): readonly Gone[] {
  const { goneInGit, versions, keys } = book.known;
  const lines = unusedLines(book).filter(([, { id }]) => book.isFree(id));
  const found: Gone[] = lines.map(([name, line]) => ({ name, id: line.id, line }));
  const named = new Set(found.map(({ name }) => name));
  const taken = new Set(found.map(({ id }) => id));
  const left = book.free().filter(({ id }) => !taken.has(id));
  const articles = createQueues(left, ({ digest }) => digest);
  for (const name of goneInGit) {
    const answer = keys.get(name);
    // Where articles have keys, only its key says that a file that is gone had one.
    if (answer?.kind === 'free' || (answer === undefined && named.has(name))) continue;
    const id = answer?.id ?? articles.take(versions.get(name)?.keys() ?? [])?.id;
    // That of its key, unless another path has become it. It may have one more than the state knows.
    if (id === undefined || !book.isFree(id) || taken.has(id)) continue;
    found.push({ name, id });
    taken.add(id);
  }
  return found;
}

/** Of files that are gone, and that no other file has become. */
export function unusedLines({
  known: { gone, state },
  pairs,
}: Book): (readonly [string, StateLine])[] {
  if (gone.size === 0) return [];
  const used = new Set([...pairs.values()].map(({ line }) => line?.path));
  return [...gone].flatMap((name) => {
    const line = used.has(name) ? undefined : state.get(name);
    return line === undefined ? [] : [[name, line] as const];
  });
}
