/**
 * The moments that a date may mean, in milliseconds since 1970; none where it is not understood. One
 * without a zone is read as UTC, so that every machine decides alike. Several where day, month and year
 * may stand in more than one order; of a year among other words its beginning and its end.
 */
export function momentsOf(text: string): readonly number[] {
  return /\d/.test(text) ? readAs(text).filter((moment) => !Number.isNaN(moment)) : [];
}

function readAs(text: string): readonly number[] {
  const parts = calendar.exec(text);
  if (parts !== null) return [momentOfParts(parts)];
  if (/^@?\d+$/.test(text)) return momentsOfDigits(text.replace('@', ''));
  const [, ticks] = /^\/?Date\((-?\d+)/.exec(text) ?? [];
  if (ticks !== undefined) return [Number(ticks)];
  const { 1: first, 2: second, 3: third } = inFigures.exec(text) ?? [];
  if (first && second && third) return momentsOfFigures([first, second, third]);
  const moment = momentOfText(text);
  if (!Number.isNaN(moment)) return [moment];
  const named = momentsOfNames(text);
  if (named.length > 0) return named;
  const years = text.match(/(?<!\d)[12]\d{3}(?!\d)/g) ?? [];
  return years.flatMap((year) => [Date.UTC(+year, 0), Date.UTC(+year + 1, 0) - 1]);
}

/** `24.12.26`, `24/12/2026 18:00`, `2026年12月24日`. */
const inFigures = /^(\d{1,4}) ?[-/.年] ?(\d{1,2}) ?[-/.月] ?(\d{4}|\d{1,2})(?!\d)(?:日|[ T,]|\.?$)/;

/** In each order in which they are a date. */
function momentsOfFigures([first, second, third]: [string, string, string]): readonly number[] {
  const orders = [
    [first, second, third],
    [third, second, first],
    [third, first, second],
  ] as const;
  return orders.flatMap(([year, month, day]) => {
    const isDate = /^(?:\d{2}|\d{4})$/.test(year) && day.length < 3;
    return isDate ? momentsOfDay(fullYear(year), +month, +day) : [];
  });
}

function momentsOfDay(year: number, month: number, day: number): readonly number[] {
  const moment = Date.UTC(year, month - 1, day);
  return new Date(moment).getUTCDate() === day && month <= 12 ? [moment] : [];
}

/** Nobody's blog is older than 1970. */
function fullYear(year: string): number {
  if (year.length > 2) return +year;
  return +year < 70 ? 2000 + +year : 1900 + +year;
}

/** A month by its name in any language, with a year, and mostly a day: `le 24 décembre 2026`. */
function momentsOfNames(text: string): readonly number[] {
  const words = folded(text).match(/\p{L}+/gu) ?? [];
  const months = words.flatMap((word) => [...(monthsOf(word) ?? [])]);
  const figures = text.match(/(?<!\d)\d{1,4}(?!\d)/g) ?? [];
  const year = figures.find((figure) => figure.length === 4);
  const short = figures.filter((figure) => figure.length < 3);
  const [first, second] = short;
  return months.flatMap((month) => {
    if (year === undefined && (first === undefined || second === undefined)) return [];
    if (year !== undefined && first !== undefined) return momentsOfDay(+year, month, +first);
    if (year !== undefined) return [Date.UTC(+year, month - 1), Date.UTC(+year, month) - 1];
    return [
      ...momentsOfDay(fullYear(second ?? ''), month, +(first ?? '')),
      ...momentsOfDay(fullYear(first ?? ''), month, +(second ?? '')),
    ];
  });
}

let monthNames: ReadonlyMap<string, ReadonlySet<number>> | undefined;

function monthsOf(name: string): ReadonlySet<number> | undefined {
  monthNames ??= namesOfMonths();
  return monthNames.get(name);
}

/** Of the languages that blogs are written in. */
const languages =
  'en de fr es it pt nl sv da nb nn fi is pl cs sk sl hr sr sr-Latn bs ro hu el tr ru uk be bg mk et lv lt sq ca eu gl ga cy af ar he fa hi bn ta te id ms vi th ka hy az kk uz sw'.split(
    ' ',
  );

/** As they stand in a date and alone; a name may be another month elsewhere (`listopad`). */
function namesOfMonths(): ReadonlyMap<string, ReadonlySet<number>> {
  const names = new Map<string, Set<number>>();
  const styles = [
    { month: 'long' },
    { month: 'short' },
    { month: 'long', day: 'numeric' },
  ] as const;
  for (const language of languages) {
    for (const style of styles) {
      const options = { ...style, timeZone: 'UTC' } as const;
      const format = new Intl.DateTimeFormat(`${language}-u-ca-gregory-nu-latn`, options);
      for (let month = 1; month <= 12; month += 1) {
        const parts = format.formatToParts(Date.UTC(2024, month - 1, 1));
        const name = folded(parts.find(({ type }) => type === 'month')?.value ?? '');
        const word = /\p{L}+/u.exec(name)?.[0] ?? '';
        names.set(word, (names.get(word) ?? new Set()).add(month));
      }
    }
  }
  return names;
}

/** Without accents and case. */
function folded(text: string): string {
  return text.normalize('NFD').replaceAll(/\p{M}/gu, '').toLowerCase();
}

/** A year, a day, a day with its time, days of a spreadsheet; else seconds or a smaller unit. */
function momentsOfDigits(text: string): readonly number[] {
  if (text.length === 4) return [Date.UTC(+text, 0)];
  if (text.length === 8) return [momentOfText(text)];
  const sinceEpoch = Number(text) * (1000 / unitOf(text.length));
  if (text.length === 5) return [sinceEpoch, Date.UTC(1899, 11, 30 + Number(text))];
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

/** ISO 8601 and its looser relatives: `2020-5-1 9:30 +0900`. */
const calendar =
  /^(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})(?:[T ]\s*(\d{1,2}):(\d{2})(?::(\d{2})(?:[.,]\d+)?)?)?\s*(Z|UTC|GMT|[+-]\d{2}(?::?\d{2})?)?$/i;

const english =
  /\b(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\b/i;

/** ISO 8601 without signs, else in English with a year: JavaScript makes a date of much else. */
function momentOfText(text: string): number {
  const parts = calendar.exec(
    text.replace(
      compact,
      (_, year, month, day, hour = '00', minute = '00', second = '00') =>
        `${year}-${month}-${day}T${hour}:${minute}:${second}`,
    ),
  );
  if (parts !== null) return momentOfParts(parts);
  if (!english.test(text) || !/\d{4}/.test(text)) return Number.NaN;
  const hasZone = /(?:[+-]\d{2}:?\d{2}|[A-Z]{1,4})$/.test(text);
  return Date.parse(hasZone ? text : `${text} UTC`);
}

function momentOfParts(parts: RegExpExecArray): number {
  const { 1: year = '', 2: month = '', 3: day = '' } = parts;
  const { 4: hour = '0', 5: minute = '0', 6: second = '0', 7: zone } = parts;
  const moment = Date.UTC(+year, +month - 1, +day, +hour, +minute, +second);
  return zone === undefined ? moment : moment - offsetOf(zone);
}

/** Milliseconds that a zone is ahead of UTC. */
function offsetOf(zone: string): number {
  const [, sign, hours = '', minutes = '0'] = /^([+-])(\d{2}):?(\d{2})?$/.exec(zone) ?? [];
  return sign === undefined ? 0 : Number(`${sign}1`) * (+hours * 60 + +minutes) * 60_000;
}
