/**
 * The moments that a date may mean, in milliseconds since 1970; none where it is no date. One without
 * a zone is read as UTC, so that every machine decides alike. Two where day and month may be either.
 */
export function momentsOf(text: string): readonly number[] {
  if (/^\d+$/.test(text)) return [momentOfDigits(text)];
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

/** A year, a day, seconds or milliseconds. */
function momentOfDigits(text: string): number {
  if (text.length === 4) return Date.UTC(+text, 0);
  if (text.length === 8) return Date.UTC(+text.slice(0, 4), +text.slice(4, 6) - 1, +text.slice(6));
  return text.length > 10 ? Number(text) : Number(text) * 1000;
}

/** ISO 8601 and its looser relatives (`2020-5-1 9:30 +0900`), else what the language understands. */
function momentOfText(text: string): number {
  const parts =
    /^(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})(?:[T ]\s*(\d{1,2}):(\d{2})(?::(\d{2})(?:[.,]\d+)?)?)?\s*(Z|UTC|GMT|[+-]\d{2}(?::?\d{2})?)?$/i.exec(
      text,
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
