import { clusters, cutToWidth, displayWidth } from './text.ts';

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
