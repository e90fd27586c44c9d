export type DiffLine = { readonly kind: 'same' | 'removed' | 'added'; readonly text: string };

/** So many cells of comparison are affordable; beyond them the middle is replaced whole. */
const most = 4_000_000;

/** What became of the lines of a text, in order: the longest common run of lines is kept. */
export function diffLines(before: string, after: string): DiffLine[] {
  const old = before.split('\n');
  const now = after.split('\n');
  let head = 0;
  while (head < old.length && head < now.length && old[head] === now[head]) head += 1;
  let tail = 0;
  while (
    tail < Math.min(old.length, now.length) - head &&
    old.at(-1 - tail) === now.at(-1 - tail)
  ) {
    tail += 1;
  }
  return [
    ...old.slice(0, head).map(as('same')),
    ...compare(old.slice(head, old.length - tail), now.slice(head, now.length - tail)),
    ...old.slice(old.length - tail).map(as('same')),
  ];
}

/** Only what changed, with so many lines around it; `…` where lines are left out. */
export function changesOf(lines: readonly DiffLine[], around = 2): DiffLine[] {
  const isNear = lines.map((_line, at) =>
    lines.slice(Math.max(0, at - around), at + around + 1).some(({ kind }) => kind !== 'same'),
  );
  return lines.flatMap((line, at) => {
    if (isNear[at] === true) return [line];
    return isNear[at - 1] === true && at > 0 ? [{ kind: 'same', text: '…' } as const] : [];
  });
}

function compare(old: readonly string[], now: readonly string[]): DiffLine[] {
  if (old.length * now.length > most) return [...old.map(as('removed')), ...now.map(as('added'))];
  const lengths = commonLengths(old, now);
  const lines: DiffLine[] = [];
  let [at, to] = [0, 0];
  while (at < old.length || to < now.length) {
    const [removed, added] = [old[at], now[to]];
    if (removed !== undefined && removed === added) {
      lines.push({ kind: 'same', text: removed });
      at += 1;
      to += 1;
    } else if (
      added === undefined ||
      (removed !== undefined && below(lengths, at, to) >= beside(lengths, at, to))
    ) {
      lines.push({ kind: 'removed', text: removed ?? '' });
      at += 1;
    } else {
      lines.push({ kind: 'added', text: added });
      to += 1;
    }
  }
  return lines;
}

/** How many lines the rests from each pair of places on have in common. */
function commonLengths(old: readonly string[], now: readonly string[]): Uint32Array[] {
  const rows = Array.from({ length: old.length + 1 }, () => new Uint32Array(now.length + 1));
  for (let at = old.length - 1; at >= 0; at -= 1) {
    for (let to = now.length - 1; to >= 0; to -= 1) {
      const length =
        old[at] === now[to]
          ? (rows[at + 1]?.[to + 1] ?? 0) + 1
          : Math.max(below(rows, at, to), beside(rows, at, to));
      rows[at]?.fill(length, to, to + 1);
    }
  }
  return rows;
}

function below(rows: readonly Uint32Array[], at: number, to: number): number {
  return rows[at + 1]?.[to] ?? 0;
}

function beside(rows: readonly Uint32Array[], at: number, to: number): number {
  return rows[at]?.[to + 1] ?? 0;
}

function as(kind: DiffLine['kind']) {
  return (text: string): DiffLine => ({ kind, text });
}
