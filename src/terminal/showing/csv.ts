import { type Fields, textOf } from './view.ts';

/** One line of RFC 4180: fields in quotes where they need them, lines ended by CR LF. */
export function csvLine(values: readonly string[]): string {
  return `${values.map(csvField).join(',')}\r\n`;
}

export function csvRow(thing: Fields, columns: readonly string[]): string {
  return csvLine(columns.map((name) => textOf(thing[name])));
}

function csvField(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
