const obsolete = {
  /** Sunday, 06-Nov-94 08:49:37 GMT */
  rfc850:
    /^[A-Z][a-z]{5,8}, (?<day>\d\d)-(?<month>[A-Z][a-z]{2})-(?<year>\d\d) (?<time>[\d:]{8}) GMT$/,
  /** Sun Nov  6 08:49:37 1994 */
  asctime:
    /^[A-Z][a-z]{2} (?<month>[A-Z][a-z]{2}) (?<day>[ \d]\d) (?<time>[\d:]{8}) (?<year>\d{4})$/,
};

/** Milliseconds since the epoch as an HTTP date (IMF-fixdate; RFC 9110, 5.6.7). */
export function httpDate(milliseconds: number): string {
  return new Date(milliseconds).toUTCString();
}

/**
 * Milliseconds since the epoch of an HTTP date in any of its three forms (RFC 9110, 5.6.7);
 * undefined where it is none, so that the caller can ignore it (decisions 16).
 */
export function parseHttpDate(text: string, now: number): number | undefined {
  const found = obsolete.rfc850.exec(text) ?? obsolete.asctime.exec(text);
  const { day, month, year, time } = found?.groups ?? {};
  if (day === undefined || year === undefined) return preciseDate(text);
  return preciseDate(
    imfDate(`${day.trim().padStart(2, '0')} ${month} ${fullYear(year, now)} ${time}`),
  );
}

/** Date.parse takes many texts for dates; only what it prints back in the same words is one. */
function preciseDate(text: string): number | undefined {
  const milliseconds = Date.parse(text);
  const isDate = !Number.isNaN(milliseconds) && httpDate(milliseconds) === text;
  return isDate ? milliseconds : undefined;
}

/** The weekday carries no information; the one that belongs to the date is put before it. */
function imfDate(dayMonthYearTime: string): string {
  const milliseconds = Date.parse(`${dayMonthYearTime} GMT`);
  const weekday = Number.isNaN(milliseconds) ? '' : httpDate(milliseconds).slice(0, 3);
  return `${weekday}, ${dayMonthYearTime} GMT`;
}

/** Two digits more than 50 years ahead mean the past (RFC 9110, 5.6.7). */
function fullYear(digits: string, now: number): string {
  if (digits.length === 4) return digits;
  const thisYear = new Date(now).getUTCFullYear();
  const year = Math.floor(thisYear / 100) * 100 + Number(digits);
  return String(year > thisYear + 50 ? year - 100 : year);
}
