import { digitAt } from './line-start.ts';

export const TIME_LENGTH = '2026-01-01T00:00:00.000Z'.length;

/** Milliseconds of a date as text; undefined where it is none, or none of four digits a year. */
export function timeOf(text: string): number | undefined {
  const time = Date.parse(text);
  return time >= FIRST_TIME && time <= LAST_TIME ? time : undefined;
}

const FIRST_TIME = Date.parse('0000-01-01T00:00:00.000Z');
export const LAST_TIME = Date.parse('9999-12-31T23:59:59.999Z');

/** Milliseconds of a time as `toISOString` writes it; NaN where the bytes are none. */
export function timeAt(bytes: Buffer, start: number): number {
  return Date.UTC(
    numberAt(bytes, start, 4),
    numberAt(bytes, start + 5, 2) - 1,
    numberAt(bytes, start + 8, 2),
    numberAt(bytes, start + 11, 2),
    numberAt(bytes, start + 14, 2),
    numberAt(bytes, start + 17, 2),
    numberAt(bytes, start + 20, 3),
  );
}

function numberAt(bytes: Buffer, start: number, digits: number): number {
  let value = 0;
  for (let at = start; at < start + digits; at += 1) {
    const digit = digitAt(bytes, at);
    if (digit < 0) return Number.NaN;
    value = value * 10 + digit;
  }
  return value;
}
