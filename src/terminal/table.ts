import {
  bold,
  clusters,
  cutToWidth,
  displayWidth,
  mostSigns,
  type Piece,
  printableLine,
  type Text,
} from './text.ts';
import { type Fields, textOf } from './view.ts';

/**
 * The text in lines that fit the columns, broken at words. What stands behind the gap of a row (`  name
 * what it is`) stays behind it, or where that leaves little room beneath the name; lines of a paragraph are
 * filled; anything else that is indented, as a line to be copied, stays as it is.
 */
export function wrapWords(text: string, columns: number): string {
  return filled(text.split('\n'))
    .flatMap((line) => (displayWidth(line) <= columns ? [line] : brokenLine(line, columns)))
    .join('\n');
}

/** Each paragraph on one line. */
function filled(lines: readonly string[]): readonly string[] {
  const whole: string[] = [];
  for (const line of lines) {
    const before = whole.at(-1) ?? '';
    const goesOn = /^\S/.test(line) && /^\S.*[^:]$/.test(before);
    if (goesOn) whole[whole.length - 1] = `${before} ${line}`;
    else whole.push(line);
  }
  return whole;
}

/** Less beside a name reads worse than a line of its own. */
const leastBeside = 30;

function brokenLine(line: string, columns: number): readonly string[] {
  const [, name, gap = '', what = ''] = /^( {2,}\S.*?)( {2,})(\S.*)$/.exec(line) ?? [];
  if (name === undefined) return line.startsWith(' ') ? [line] : wrapped(line, columns);
  const inset = displayWidth(name) + gap.length;
  const isBeneath = columns - inset < leastBeside;
  const indent = ' '.repeat(isBeneath ? 6 : inset);
  const lines = wrapped(what, columns - indent.length).map((each) => indent + each);
  return isBeneath ? [name, ...lines] : [name + gap + lines.join('\n').trimStart()];
}

/** No word is broken, so one that is longer than a line makes it longer. */
export function wrapped(text: string, columns: number): readonly string[] {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const line = lines.at(-1);
    const longer = `${line} ${word}`;
    if (line !== undefined && displayWidth(longer) <= columns) lines[lines.length - 1] = longer;
    else lines.push(word);
  }
  return lines;
}

/** A path that is too long: how it begins and how it ends, with `…` between. */
export function cutInMiddle(text: string, columns: number): string {
  if (displayWidth(text) <= columns) return text;
  const start = cutToWidth(text, Math.floor(columns / 3));
  return start + endOf(text, columns - displayWidth(start));
}

/** The end of a text that is too long. */
export function cutInFront(text: string, columns: number): string {
  return displayWidth(text) <= columns || columns < 1 ? text : `…${endOf(text, columns - 1)}`;
}

function endOf(text: string, columns: number): string {
  let kept = '';
  for (const cluster of clusters(text).toReversed()) {
    if (displayWidth(cluster + kept) > columns) break;
    kept = cluster + kept;
  }
  return kept;
}

type TableOptions = {
  readonly columns: readonly string[];
  /** Columns of the screen. */
  readonly width: number;
  /** Nothing is cut: where a row does not fit, what is long in it stands beneath the rest. */
  readonly isWhole?: boolean;
};

/** Rows under a heading, each on one line that fits the screen; the widest columns give way. */
export function renderTable(rows: readonly Fields[], options: TableOptions): Text {
  const cells = rows.map((row) =>
    options.columns.map((name) => {
      const text = textOf(row[name]);
      return printableLine(options.isWhole === true ? text : ends(text, options.width));
    }),
  );
  const titles = options.columns.map((name) => name.replace(/[A-Z]/g, ' $&').toUpperCase());
  const natural = naturalWidths([titles, ...cells]);
  const kinds = options.columns.map((_name, at) => kindOf(cells.map((line) => line[at] ?? '')));
  const needed = natural.reduce((sum, width) => sum + width, gap * (natural.length - 1));
  if (options.isWhole === true && needed > options.width) {
    return cells.flatMap((line) => stacked(line, kinds, options.width));
  }
  const widths = fitColumns(natural, options.width, kinds);
  const cuts = kinds.map((kind, at) =>
    cutFor(
      cells.map((line) => line[at] ?? ''),
      widths[at] ?? 0,
      kind,
    ),
  );
  const lineOf = (line: readonly string[]) =>
    line
      .map((cell, at) => cell + ' '.repeat(Math.max(0, (widths[at] ?? 0) - displayWidth(cell))))
      .join(' '.repeat(gap))
      .trimEnd();
  const heading = lineOf(titles.map((title, at) => cutToWidth(title, widths[at] ?? 0)));
  const lines = cells.map((line) => lineOf(line.map((cell, at) => cuts[at]?.(cell) ?? cell)));
  return [bold(heading), `\n${lines.map((line) => `${line}\n`).join('')}`];
}

/** No cut shows more of a cell than there is room for of its beginning and of its end. */
function ends(text: string, width: number): string {
  const most = width * mostSigns;
  return text.length <= 2 * most ? text : text.slice(0, most) + text.slice(-most);
}

const gap = 2;

/** Addresses differ mostly at their end, texts at their beginning, and names and numbers anywhere. */
type Kind = 'address' | 'text' | 'name';

function kindOf(cells: readonly string[]): Kind {
  if (cells.some((cell) => /\s/.test(cell))) return 'text';
  return cells.some((cell) => /^(?:https?:|file:|[\\/])/.test(cell)) ? 'address' : 'name';
}

type Cut = (cell: string, width: number) => string;

/** At the end of a text and in front of an address; cells that would be alike then are cut where they differ most. */
function cutFor(cells: readonly string[], width: number, kind: Kind): (cell: string) => string {
  const usual: Cut = kind === 'address' ? cutInFront : cutToWidth;
  const alike = new Map<string, string[]>();
  for (const cell of new Set(cells)) {
    const cut = usual(cell, width);
    alike.set(cut, [...(alike.get(cut) ?? []), cell]);
  }
  const clearer = new Map<string, Cut>();
  for (const group of alike.values()) {
    const way = group.length > 1 ? clearest(group, width) : undefined;
    if (way !== undefined) for (const cell of group) clearer.set(cell, way);
  }
  return (cell) => (clearer.get(cell) ?? usual)(cell, width);
}

function clearest(cells: readonly string[], width: number): Cut | undefined {
  const [first = [], ...others] = cells.map((cell) => [...clusters(cell)]);
  let same = 0;
  while (same < first.length && others.every((cell) => cell[same] === first[same])) same += 1;
  const begin = first.slice(0, same).join('').length;
  const behind: Cut = (cell) => cutToWidth(`…${cell.slice(begin)}`, width);
  const ways: readonly Cut[] = [cutInMiddle, cutInFront, behind];
  const kept = ways.map((way) => new Set(cells.map((cell) => way(cell, width))).size);
  return ways[kept.indexOf(Math.max(...kept))];
}

/** Names and numbers on one line; texts, broken at words, and addresses, in one piece, beneath. */
function stacked(line: readonly string[], kinds: readonly Kind[], width: number): readonly Piece[] {
  const names = line.filter((cell, at) => kinds[at] === 'name' && cell !== '');
  const beneath = line.flatMap((cell, at) => {
    if (kinds[at] === 'name' || cell === '') return [];
    return kinds[at] === 'text' ? wrapped(cell, width - gap) : [cell];
  });
  const indent = ' '.repeat(gap);
  return [bold(names.join(indent)), `\n${beneath.map((each) => `${indent}${each}\n`).join('')}`];
}

/**
 * Takes from the widest column until the line fits: from texts and addresses first, and from names
 * when these have only four places each.
 */
export function fitColumns(
  natural: readonly number[],
  available: number,
  kinds: readonly Kind[] = [],
): number[] {
  const widths = [...natural];
  let excess = widths.reduce((sum, width) => sum + width, gap * (widths.length - 1)) - available;
  for (const isLast of [false, true]) {
    while (excess > 0) {
      const able = widths.map((width, at) => (isLast || kinds[at] !== 'name' ? width : 0));
      const widest = able.indexOf(Math.max(...able));
      const width = able[widest] ?? 0;
      if (width <= 4) break;
      widths[widest] = width - 1;
      excess -= 1;
    }
  }
  return widths;
}

function naturalWidths(lines: readonly (readonly string[])[]): number[] {
  const widths: number[] = [];
  for (const line of lines) {
    line.forEach((cell, at) => (widths[at] = Math.max(widths[at] ?? 0, displayWidth(cell))));
  }
  return widths;
}
