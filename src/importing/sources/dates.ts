/**
 * The moments that a date may mean, in milliseconds since 1970; none where it is no date. One without
 * a zone is read as UTC, so that every machine decides alike. Two where day and month may be either.
 */
export function momentsOf(text: string): readonly number[] {
  if (/^\d+$/.test(text)) return momentsOfDigits(text);
  const [, ticks] = /^\/?Date\((-?\d+)/.exec(text) ?? [];
  if (ticks !== undefined) return [Number(ticks)];
  const [, first = '', second = '', year = ''] =
    /^(\d{1,2})[/.-](\d{1,2})[/.-](\d{4})\b/.exec(text) ?? [];
  if (year !== '') {
    const orders = [
      [+first, +second],
      [+second, +first],
    ] as const;
    return orders
      .filter(([month]) => month <= 12)
      .map(([month, day]) => Date.UTC(+year, month - 1, day));
  }
  const moment = momentOfText(text);
  if (!Number.isNaN(moment)) return [moment];
  return (text.match(/(?<!\d)[12]\d{3}(?!\d)/g) ?? []).map((each) => Date.UTC(+each, 0));
}

/** A year, a day, a day with its time; else seconds or a smaller unit. */
function momentsOfDigits(text: string): readonly number[] {
  if (text.length === 4) return [Date.UTC(+text, 0)];
  if (text.length === 8) return [momentOfText(text)];
  const sinceEpoch = Number(text) * (1000 / unitOf(text.length));
  const day = /^(?:19|2\d)\d{2}(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])/;
  if (text.length === 14 && day.test(text)) return [momentOfText(text)];
  return text.length === 12 && day.test(text) ? [sinceEpoch, momentOfText(text)] : [sinceEpoch];
}

/** How many of them are a second: what has so many digits is seconds, milliseconds … */
function unitOf(digits: number): number {
  if (digits < 11) return 1;
  if (digits < 15) return 1e3;
  return digits < 18 ? 1e6 : 1e9;
}

/** ISO 8601 without signs: `20200501`, `20200501T093000Z`. */
const compact = /^(\d{4})(\d{2})(\d{2})(?:[T ]?(\d{2})(\d{2})(\d{2})?)?(?=$|Z|[+-]|[.,]\d)/i;

/** ISO 8601 and its looser relatives (`2020-5-1 9:30 +0900`), else what the language understands. */
function momentOfText(text: string): number {
  const parts =
    /^(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})(?:[T ]\s*(\d{1,2}):(\d{2})(?::(\d{2})(?:[.,]\d+)?)?)?\s*(Z|UTC|GMT|[+-]\d{2}(?::?\d{2})?)?$/i.exec(
      text.replace(
        compact,
        (_, year, month, day, hour = '00', minute = '00', second = '00') =>
          `${year}-${month}-${day}T${hour}:${minute}:${second}`,
      ),
    );
  if (parts === null) {
    const hasZone = /(?:[+-]\d{2}:?\d{2}|[A-Z]{1,4})$/.test(text);
    return Date.parse(hasZone ? text : `${text} UTC`);
  }
  const [, year = '', month = '', day = '', hour = '0', minute = '0', second = '0', zone = 'Z'] =
    parts;
  return Date.UTC(+year, +month - 1, +day, +hour, +minute, +second) - offsetOf(zone);
}

/** Milliseconds that a zone is ahead of UTC. */
function offsetOf(zone: string): number {
  const [, sign, hours = '', minutes = '0'] = /^([+-])(\d{2}):?(\d{2})?$/.exec(zone) ?? [];
  return sign === undefined ? 0 : Number(`${sign}1`) * (+hours * 60 + +minutes) * 60_000;
}
