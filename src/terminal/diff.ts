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

/** The only one that is a slip or two of the finger away, or that it begins, the shortest first. */
export function alike(word: string, known: readonly string[]): string | undefined {
  if (known.includes(word)) return word;
  const { least, all } = nearest(word, known);
  const [only, ...others] = all;
  // `--pag` is --page and not --page-size.
  const isOne = others.every((other) => least === 0 && other.startsWith(only ?? ''));
  return isOne ? only : undefined;
}

/** Those that are the fewest slips away, or that the word begins, the shortest first. */
export function nearest(
  word: string,
  known: readonly string[],
): { readonly least: number; readonly all: readonly string[] } {
  // Two letters of a flag are mostly enough to tell it, of a word they are not.
  const isLong = word.length > (word.startsWith('--') ? 3 : 2);
  const begins = (each: string) => isLong && each.startsWith(word);
  const near = [...new Set(known)]
    .map((each) => ({ each, slips: begins(each) ? 0 : slipsTo(word, each) }))
    .filter(({ slips }) => slips !== undefined);
  const least = Math.min(...near.map(({ slips = 0 }) => slips));
  const all = near
    .flatMap(({ each, slips }) => (slips === least ? [each] : []))
    .toSorted((one, other) => one.length - other.length);
  return { least, all };
}

/** Letters too many, too few, others or in the wrong order, if they are few for so short a word. */
function slipsTo(typed: string, known: string): number | undefined {
  const [one = '', other = ''] = [typed, known].map((word) => word.replace(/^-+/, ''));
  if (one[0] !== other[0] && !isSlipOfFirst(one, other, typed.startsWith('-'))) return undefined;
  // Of two letters they are swapped, or one is typed twice.
  const isTwo = other.length === 2 && typed.startsWith('--') && one !== other;
  if (isTwo) return isMixed(one, other) || one.replace(/(.)\1/, '$1') === other ? 1 : undefined;
  // Two letters are mostly a word of their own: one may be missing, no more.
  if (Math.min(one.length + 1, other.length) < 3) return undefined;
  const slips = editDistance(one, other);
  // Of a short word another letter makes another word, unless its key is beside the one that was meant.
  const isOther = one.length < 5 && one.length === other.length && !isMixed(one, other);
  if (isOther && !isBeside(one, other)) return undefined;
  if (slips <= (one.length < 6 ? 1 : 2)) return slips;
  // `pudte` of update: one letter is missing, and two others are in the wrong order.
  const isShort = one.length > 3 && one.length === other.length - 1;
  const shorter = other.split('').map((_letter, at) => other.slice(0, at) + other.slice(at + 1));
  const isMeant = (each: string) => isMixed(one, each) && editDistance(one, each) < 2;
  return isShort && shorter.some(isMeant) ? 2 : undefined;
}

/** The first letter is swapped with the next, or is missing or that of a key beside, and no other is wrong. */
function isSlipOfFirst(one: string, other: string, isFlag: boolean): boolean {
  if (one.slice(0, 2) === other.slice(1, 2) + other.slice(0, 1)) return true;
  // `--log` is a flag of its own.
  if (one.length < (isFlag ? 4 : 3)) return false;
  return one === other.slice(1) || (one.slice(1) === other.slice(1) && isBeside(one, other));
}

/** The same letters in whatever order. */
function isMixed(one: string, other: string): boolean {
  const [ours, theirs] = [one, other].map((word) => word.split('').toSorted().join(''));
  return ours === theirs;
}

const keys = ['qwertyuiop', 'asdfghjkl', 'zxcvbnm'];

/** The one letter that differs has its key beside that of the other. */
function isBeside(one: string, other: string): boolean {
  const at = one.split('').findIndex((letter, index) => letter !== other[index]);
  const [typed, meant] = [one, other].map((word) => {
    const row = keys.findIndex((each) => each.includes(word[at] ?? ' '));
    return { row, column: keys[row]?.indexOf(word[at] ?? ' ') ?? Infinity };
  });
  if (typed === undefined || meant === undefined || one.length < 3) return false;
  const isNear = Math.abs(typed.row - meant.row) < 2 && Math.abs(typed.column - meant.column) < 2;
  return isNear && one.slice(at + 1) === other.slice(at + 1);
}

/** Damerau and Levenshtein: letters to add, to take, to change, or two to swap. */
function editDistance(one: string, other: string): number {
  const rows = [Array.from({ length: other.length + 1 }, (_each, at) => at)];
  for (let y = 1; y <= one.length; y += 1) {
    const [row, before = [], twoBefore] = [[y], rows[y - 1], rows[y - 2]];
    for (let x = 1; x <= other.length; x += 1) {
      const cost = one[y - 1] === other[x - 1] ? 0 : 1;
      const isSwap = x > 1 && one[y - 1] === other[x - 2] && one[y - 2] === other[x - 1];
      const swapped = isSwap ? (twoBefore?.[x - 2] ?? Infinity) + 1 : Infinity;
      const [left = 0, above = 0, corner = 0] = [row[x - 1], before[x], before[x - 1]];
      row.push(Math.min(left + 1, above + 1, corner + cost, swapped));
    }
    rows.push(row);
  }
  return rows.at(-1)?.at(-1) ?? 0;
}

/** A value as it may be meant: `1,000` and `3.0` of a number, `5`, `1w` and `1m30s` of a time, `5MB` of bytes. */
export function nearValue(value: string, flags: string): string | undefined {
  const [, kind = ''] = /<(duration|days|bytes|n)>/.exec(flags) ?? [];
  const text = value.replaceAll(/[\s_]|,(?=\d{3}(?!\d))/g, '').toLowerCase();
  const [, minutes, seconds] = /^(\d+)m(\d+)s$/.exec(text) ?? [];
  if (minutes !== undefined && kind === 'duration')
    return `${Number(minutes) * 60 + Number(seconds)}s`;
  const [, figure, unit = ''] = /^(\d+)(?:\.0+)?\/?([a-z]*)$/.exec(text) ?? [];
  // Nothing is left of what is older than no time: that is for nobody to guess.
  if (figure === undefined || (kind === 'days' && Number(figure) === 0)) return undefined;
  if (kind === 'n') return unit === '' || unit === 's' ? figure : undefined;
  const power = 'kmg'.indexOf(unit.charAt(0)) + 1;
  if (kind === 'bytes')
    return unit !== '' && power > 0 ? `${Number(figure) * 1024 ** power}` : undefined;
  const ofUnit = new Map([
    ['w', 7],
    ['y', 365],
    ['h', 1 / 24],
  ]);
  const days = Number(figure) * (ofUnit.get(unit.charAt(0)) ?? 0);
  if (kind !== '' && days > 0) return Number.isInteger(days) ? `${days}d` : undefined;
  // How long a token holds is no guess.
  if (unit !== '' || flags.includes('--expires')) return undefined;
  if (kind === 'days') return `${figure}d`;
  return kind === 'duration' ? `${figure}s` : undefined;
}
