import { printableLine } from '../letters/printable.ts';
import { type Fields, textOf } from './view.ts';

/** The head of a Markdown table. */
export function markdownHead(columns: readonly string[]): string {
  return `${row(columns)}${row(columns.map(() => '---'))}`;
}

export function markdownRow(thing: Fields, columns: readonly string[]): string {
  return row(columns.map((name) => cell(textOf(thing[name]))));
}

function row(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |\n`;
}

function cell(text: string): string {
  return printableLine(text).replaceAll('\\', '\\\\').replaceAll('|', '\\|');
}
