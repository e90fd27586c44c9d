const hour = 3_600_000;

/**
 * The moments that a date may mean, in milliseconds since 1970; none where it is not understood. One
 * without a zone is read as UTC, so that every machine decides alike. Several where day, month and year
 * may stand in more than one order, and of several dates; of a year among other words its beginning and
 * its end. Words and figures beside a day that are not understood may be its time or zone: the last
 * moment that is that day anywhere is among them.
 */
export function momentsOf(text: string): readonly number[] {
  return /\p{Nd}/u.test(text)
    ? readAs(text.slice(0, 400)).filter((moment) => !Number.isNaN(moment))
    : [];
}

function readAs(text: string): readonly number[] {
  const parts = calendar.exec(text) ?? calendar.exec(withHyphens(text));
  if (parts !== null) return [momentOfParts(parts)];
  if (/^@?\d+$/.test(text)) return momentsOfDigits(text.replace('@', ''));
  const [, ticks] = /^\/?Date\((-?\d+)/.exec(text) ?? [];
  if (ticks !== undefined) return [Number(ticks)];
  const { times, rest } = timesIn(text.normalize('NFKC').toLowerCase());
  const found = daysInFigures(rest) ?? daysByName(rest);
  if (found === undefined) return yearsIn(rest);
  const { days, isClear } = found;
  const moments =
    times.length === 0 ? days : days.flatMap((day) => times.map((time) => day + time));
  return isClear ? moments : [...moments, ...days.map((day) => day + 36 * hour - 1)];
}

function yearsIn(text: string): readonly number[] {
  const years = text.match(/(?<!\d)[12]\d{3}(?!\d)/g) ?? [];
  return years.flatMap((year) => [Date.UTC(+year, 0), Date.UTC(+year + 1, 0) - 1]);
}

/** Days at their beginning, and whether nothing else was said of them. */
type Days = { readonly days: readonly number[]; readonly isClear: boolean };

/** Hours that zones are ahead of UTC; of one name for several the westernmost counts. */
const zones = new Map(
  `z:0 ut:0 utc:0 gmt:0 wet:0 west:1 bst:1 ist:1 cet:1 cest:2 mez:1 mesz:2 eet:2 eest:3 msk:3 hkt:8 sgt:8 jst:9 kst:9
   aest:10 aedt:11 nzst:12 nzdt:13 at:-4 ast:-4 adt:-3 et:-5 est:-5 edt:-4 ct:-6 cst:-6 cdt:-5 mt:-7 mst:-7 mdt:-6
   pt:-8 pst:-8 pdt:-7 akst:-9 akdt:-8 hst:-10`
    .split(/\s+/)
    .map((zone) => [zone.replace(/:.*/, ''), Number(zone.replace(/.*:/, ''))]),
);

const halfDay = /(?<=\d) ?([ap])\.? ?m\.?(?!\p{L})|(上午|午前|오전)|(?:下午|午[後后]|오후)/gu;
/** `18:00`, `23h45`, `11時45分`, `18 Uhr`; behind it `-0800 (PST)`, `GMT-8`, `EST`, `+01:00[Europe/Berlin]`. */
const clock = new RegExp(
  String.raw`(?<![\d:])(\d{1,2}) ?(?:[:h時时시点點] ?(\d{2})(?!\d)(?: ?[:分분] ?(\d{2})(?!\d)(?:[.,]\d+)?)?` +
    String.raw` ?[分분秒초]?(?: ?(?:uhr|h)(?!\p{L}))?|(?:uhr|h|[時时시点點])(?!\p{L}))` +
    String.raw`(?: ?[([]?(?:(?:utc|gmt)? ?([+-]\d{1,2})(?::?(\d{2}))?(?![\d/.:])[)\]]?` +
    String.raw`(?: ?(?:[([][^)\]]*[)\]]|[a-z]{3,5}(?!\p{L})))*|([a-z]{1,4})(?![\p{L}\d+-])[)\]]?))?`,
  'gu',
);

/** The times of day in a date, in milliseconds and with their zones, and what else stands there. */
function timesIn(text: string): { readonly times: readonly number[]; readonly rest: string } {
  let half: 'a' | 'p' | undefined;
  const plain = text
    .replaceAll(halfDay, (_, letter, morning) => {
      if (half !== 'p') half = letter === 'a' || morning !== undefined ? 'a' : 'p';
      return letter === undefined ? ' ' : ' h';
    })
    .replaceAll(/[\u2010\u2212]/g, '-')
    .replaceAll(/(?<=\d)t(?=\d)/g, ' ')
    .replaceAll(/(?<!\d)(\d{1,2})\.(\d{2})(?= ?uhr)/g, '$1:$2');
  const times: number[] = [];
  const rest = plain.replaceAll(clock, (found, ...[hours, minutes, seconds, ...zone]: string[]) => {
    const [offset, offsetMinutes, name = ''] = zone;
    if (Number(hours) > 24 || Number(minutes ?? 0) > 59) return found;
    const ofDay =
      half === 'p' && Number(hours) < 12 ? 12 : half === 'a' && hours === '12' ? -12 : 0;
    const time = (Number(hours) + ofDay) * hour + Number(minutes ?? 0) * 60_000;
    const named = zones.get(name);
    const ahead = offset === undefined ? (named ?? 0) * hour : offsetOf(offset, offsetMinutes);
    times.push(time + Number(seconds ?? 0) * 1000 - ahead);
    return named === undefined ? ` ${name} ` : ' ';
  });
  return { times, rest };
}

/** What says nothing of when it is: words between the parts of a date, and days of the week. */
const idle =
  /(?<!\p{L})(?:at|on|of|the|um|den|der|le|à|de|del|a|las|om|kl|alle|às|(?:mon|tues?|wed(?:nes)?|thu(?:rs?)?|fri|sat(?:ur)?|sun)(?:day)?)(?!\p{L})|(?<=\d)(?:st|nd|rd|th|er)(?!\p{L})/gu;

/** Between the two dates of a range. */
const until = / - |[→–—~〜]|(?<!\p{L})(?:to|bis|until|till)(?!\p{L})/u;

/** `24.12.26`, `24/12/2026`, `2026年12月24日`. */
const inFigures =
  /(?<![\d\p{L}])(\d{1,4}) ?[-/.年년] ?(\d{1,2}) ?[-/.月월] ?(\d{4}|\d{1,2})(?!\d)(?:日|일|\.)?/gu;

/** In each order in which they are a date. */
function daysInFigures(text: string): Days | undefined {
  const days: number[] = [];
  const rest = text.replaceAll(inFigures, (found, ...[first, second, third]: string[]) => {
    const read = momentsOfFigures(first, second, third);
    days.push(...read);
    return read.length > 0 ? ' ' : found;
  });
  if (days.length === 0) return undefined;
  // Of `2026-12-24 → 28` nobody knows the end.
  if (/\d/.test(rest) && until.test(rest)) return { days: [], isClear: true };
  return { days, isClear: !/[\p{L}\p{N}]/u.test(rest.replaceAll(idle, '')) };
}

function momentsOfFigures(a = '', b = '', c = ''): readonly number[] {
  return [...momentsOfDay(a, +b, c), ...momentsOfDay(c, +b, a), ...momentsOfDay(c, +a, b)];
}

function momentsOfDay(year: string, month: number, day: string): readonly number[] {
  if (!/^(?:\d{2}|\d{4})$/.test(year) || day.length > 2 || month > 12) return [];
  const moment = Date.UTC(fullYear(year), month - 1, +day);
  return new Date(moment).getUTCDate() === +day ? [moment] : [];
}

/** Nobody's blog is older than 1970. */
function fullYear(year: string): number {
  if (year.length > 2) return +year;
  return +year < 70 ? 2000 + +year : 1900 + +year;
}

/** Of a range each date by itself, where both are whole. */
function daysByName(text: string): Days | undefined {
  const parts = text.split(until).filter((part) => /[\p{L}\p{N}]/u.test(part));
  const ofParts = parts.map(daysOfNames);
  const read = ofParts.every(({ days }) => days.length > 0) ? ofParts : [daysOfNames(text)];
  const days = read.flatMap((each) => each.days);
  return days.length === 0 ? undefined : { days, isClear: read.every(({ isClear }) => isClear) };
}

/** A month by its name in any language, with a year, and mostly a day: `le 24 décembre 2026`. */
function daysOfNames(text: string): Days {
  const words = folded(text.replaceAll(idle, ' ')).match(/\p{L}+/gu) ?? [];
  const months = words.flatMap((word) => [...(monthsOf(word) ?? [])]);
  const figures = text.match(/\d+/g) ?? [];
  const years = figures.filter((figure) => figure.length === 4);
  const short = figures.filter((figure) => figure.length < 3);
  const [first, second] = short;
  const days = months.flatMap((month) => {
    if (years.length > 0 && short.length > 0)
      return years.flatMap((year) => short.flatMap((day) => momentsOfDay(year, month, day)));
    if (years.length > 0)
      return years.flatMap((year) => [Date.UTC(+year, month - 1), Date.UTC(+year, month) - 1]);
    if (first === undefined || second === undefined) return [];
    return [...momentsOfDay(second, month, first), ...momentsOfDay(first, month, second)];
  });
  const isWhole = figures.length === (years.length === 1 ? Math.min(short.length, 1) + 1 : 2);
  return { days, isClear: isWhole && words.every((word) => monthsOf(word) !== undefined) };
}

/** Most dates that have a name have it in English: those of all languages cost more. */
const english =
  /^(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)$/;
const englishMonths = 'janfebmaraprmayjunjulaugsepoctnovdec';

let monthNames: ReadonlyMap<string, ReadonlySet<number>> | undefined;

function monthsOf(name: string): ReadonlySet<number> | undefined {
  const inEnglish = englishMonths.indexOf(name.slice(0, 3));
  if (inEnglish !== -1 && english.test(name)) return new Set([inEnglish / 3 + 1]);
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
  const forms = [{ month: 'long' }, { month: 'short' }, { month: 'long', day: 'numeric' }] as const;
  for (const language of languages) {
    for (const form of forms) {
      const options = { ...form, timeZone: 'UTC' } as const;
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

function folded(text: string): string {
  return withoutAccents(text).toLowerCase();
}

/** A text in the way it is mostly written costs nothing. */
export function withoutAccents(text: string): string {
  if (!/[\u0080-\uFFFF]/.test(text)) return text;
  return text.normalize('NFD').replaceAll(/\p{M}/gu, '').normalize('NFC');
}

/** A year, a day, a day with its time, days of a spreadsheet; else seconds or a smaller unit. */
function momentsOfDigits(text: string): readonly number[] {
  if (text.length === 4) return [Date.UTC(+text, 0)];
  const parts = calendar.exec(withHyphens(text));
  const written = parts === null ? Number.NaN : momentOfParts(parts);
  if (text.length === 8) return [written];
  const sinceEpoch = Number(text) * (1000 / unitOf(text.length));
  if (text.length === 5) return [sinceEpoch, Date.UTC(1899, 11, 30 + Number(text))];
  const day = /^(?:19|2\d)\d{2}(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])/;
  if (text.length === 14 && day.test(text)) return [written];
  return text.length === 12 && day.test(text) ? [sinceEpoch, written] : [sinceEpoch];
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

/** `20200501T093000Z` as `2020-05-01T09:30:00Z`. */
function withHyphens(text: string): string {
  return text.replace(
    compact,
    (_, year, month, day, hours = '00', minutes = '00', seconds = '00') =>
      `${year}-${month}-${day}T${hours}:${minutes}:${seconds}`,
  );
}

function momentOfParts(parts: RegExpExecArray): number {
  const { 1: year = '', 2: month = '', 3: day = '' } = parts;
  const { 4: hours = '0', 5: minutes = '0', 6: seconds = '0', 7: zone = '' } = parts;
  const moment = Date.UTC(+year, +month - 1, +day, +hours, +minutes, +seconds);
  const [, offset, offsetMinutes] = /^([+-]\d{2}):?(\d{2})?$/.exec(zone) ?? [];
  return offset === undefined ? moment : moment - offsetOf(offset, offsetMinutes);
}

/** Milliseconds that a zone is ahead of UTC. */
function offsetOf(hours: string, minutes = '0'): number {
  return Number(`${hours.slice(0, 1)}1`) * (+hours.slice(1) * 60 + +minutes) * 60_000;
}
