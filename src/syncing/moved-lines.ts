import type { Evidence } from './evidence.ts';
import type { Matching } from './match.ts';
import type { StateLine } from './state-file.ts';

type MovedLines = Map<string, StateLine | undefined>;

/**
 * By path, the lines of files that came there from other paths, as git says; undefined where what is there now never
 * had one. What is not public any more takes its line along from a path that another post has by now.
 */
export function movedLines(evidence: Evidence): Pick<Evidence, 'moved' | 'aside'> {
  const { posts, names, state, versions, namesOf, folder } = evidence;
  const moved: MovedLines = new Map();
  for (const { name } of posts)
    for (const former of new Set(namesOf(name))) {
      const [line, own] = [state.get(former), state.get(name)];
      if (!line || former === name) continue;
      const had = (path: string, { sent, pulled = sent } = line) =>
        versions.get(path)?.some((each) => each === sent || each === pulled);
      // That of a file that is gone stays where it was, if not edited.
      const isLeft = names.has(former)
        ? had(former)
        : own && isEdited(own, evidence) && had(name, own);
      if (had(name) !== true || isLeft !== false) continue;
      moved.set(name, line);
      if (names.has(former) && !moved.has(former)) moved.set(former, undefined);
    }
  const aside = [...folder.skipped.keys()].flatMap((name) => {
    const path = namesOf(name).find((former) => moved.has(former) && state.has(former));
    const line = state.get(path ?? '');
    return !line || state.has(name) || idsOf(moved).has(line.id) ? [] : { ...line, path: name };
  });
  return { moved: withoutLoss(moved, aside, evidence), aside };
}

/**
 * Where a post came to the path of one that is gone, and neither was edited on the blog, paths keep their articles:
 * else that of the one that is gone would be nobody's.
 */
function withoutLoss(moved: MovedLines, aside: readonly StateLine[], evidence: Evidence) {
  const { state } = evidence;
  for (;;) {
    const ids = idsOf(moved, aside);
    const [name, line] =
      [...moved].find(([path, each]) => {
        const own = state.get(path);
        if (!each || !own || ids.has(own.id)) return false;
        return !isEdited(own, evidence) && !isEdited(each, evidence);
      }) ?? [];
    if (name === undefined || line === undefined) return moved;
    moved.delete(name);
    if (moved.get(line.path) === undefined) moved.delete(line.path);
  }
}

const idsOf = (moved: MovedLines, aside: readonly StateLine[] = []) =>
  new Set([...moved.values(), ...aside].map((line) => line?.id));

function isEdited({ id, stored }: StateLine, { articles }: Pick<Evidence, 'articles'>): boolean {
  return articles.get(id)?.digest !== stored;
}

/** Of paths that other files have by now, articles that are no post's. */
export function tellOfLeft({ unmanaged }: Matching, evidence: Evidence): void {
  const { state, moved, folder } = evidence;
  for (const line of state.values()) {
    const { path, id } = line;
    if (moved?.has(path) !== true || !unmanaged.includes(id)) continue;
    const edited = isEdited(line, evidence) ? ' and was edited on the blog' : '';
    evidence.warned(
      `${folder.shown(path)} is another post now. Article ${id}, which was that of the one before${edited}, is kept: articles delete takes it off.`,
    );
  }
}
