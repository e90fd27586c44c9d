import { type Fields, textOf } from './view.ts';

/** One line of RFC 4180: fields in quotes where they need them, lines ended by CR LF. */
export function csvLine(values: readonly string[]): string {
  return `${values.map(csvField).join(',')}\r\n`;
}

/** What each cell says; `harmless` cells are safe to open in a spreadsheet. */
export function csvCells(
  thing: Fields,
  columns: readonly string[],
  harmless: boolean,
): readonly string[] {
  const cells = columns.map((name) => textOf(thing[name]));
  return harmless ? cells.map(harmlessCell) : cells;
}

/**
 * With an apostrophe before what a spreadsheet would run as a formula (OWASP, "CSV Injection"): `=`,
 * `+`, `-`, `@`, their full-width forms, and white space that some programs pass over.
 */
export function harmlessCell(text: string): string {
  return /^[\t\r\n]|^\s*[=+\-@＝＋－＠]/.test(text) ? `'${text}` : text;
}

function csvField(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
