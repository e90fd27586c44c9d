import { expect, it } from 'vitest';
import { readTarget } from '../../../server/http/message.ts';
import { checkFraming, readKey } from '../../../server/policy/body.ts';
import { parseHttpDate } from '../../../server/policy/preconditions.ts';
import { negotiate, parsePaging, preferredReturn } from '../../../server/policy/negotiation.ts';
import { isCurrentCopy } from '../../../server/policy/preconditions.ts';
import { checkHost, originOf } from '../../../server/policy/target-uri.ts';

type Reader = (text: string) => unknown;

const accept: Reader = (text) => negotiate(text, ['application/hal+json']);
const contentType: Reader = (text) => checkFraming({ 'content-type': text }, 1);
const current = { etag: '"1"', changedAt: 0 };
const tags: Reader = (text) => isCurrentCopy({ 'if-none-match': text }, current);
const date: Reader = (text) => parseHttpDate(text, 0);
const host: Reader = (text) => checkHost(text, { loopback: false, allowed: [] });
const proxy = { address: '10.0.0.1', isTrusted: true };
const forwarded: Reader = (text) => originOf(proxy, { forwarded: text });
const paging: Reader = (text) => parsePaging(text, 1000);

/** What reads a field, what stands at its start, what again and again, and what at its end. */
const rows: readonly (readonly [string, Reader, readonly [string, string, string]])[] = [
  ['one parameter', paging, ['', 'a&', '']],
  ['many parameters', paging, ['', 'pageSiz=1&', '']],
  ['parameters without a name', paging, ['', '=&', '']],
  ['many equals signs', paging, ['a', '=', '']],
  ['escapes', readTarget, ['/', '%41a', '']],
  ['slashes', readTarget, ['http:', '/', '']],
  ['blanks behind a type', contentType, ['application/json', ' ', 'x']],
  ['blanks before a charset', contentType, ['application/json;', ' ', 'x']],
  ['blanks behind a charset', contentType, ['application/json;charset=utf-8', ' ', 'x']],
  ['types', accept, ['', 'a/b,', '']],
  ['parameters of a type', accept, ['a/b', ';c=d', '']],
  ['quotation marks', accept, ['a/b;c=', '"', '']],
  ['preferences', preferredReturn, ['', ' return ', '']],
  ['blanks of a preference', preferredReturn, ['return', ' ', 'x']],
  ['tags', tags, ['', '"a",', '']],
  ['blanks behind a tag', tags, ['"a"', ' ', 'x']],
  ['figures of a date', date, ['Sun, ', '1', '']],
  ['brackets of a date', date, ['Sun, ', '(', '']],
  ['a host', host, ['', 'a-', '!']],
  ['blanks of Forwarded', forwarded, ['for', ' ', 'x']],
  ['semicolons of Forwarded', forwarded, ['', ';', '']],
  ['quotation marks of Forwarded', forwarded, ['', ';for="', '']],
  ['backslashes of a key', readKey, ['"', '\\\\', '']],
];

const [few, many] = [500, 8000];
/** Between 16, what sixteen times as much is worth, and 256, what it costs where all is read for each. */
const most = 90;

it.each(rows)('%s cost what they are long', (_, read, [start, again, end]) => {
  const times = { few: [] as number[], many: [] as number[] };
  for (let round = 0; round < 7; round += 1) {
    times.few.push(costOf(read, start + again.repeat(few) + end));
    times.many.push(costOf(read, start + again.repeat(many) + end));
  }
  const isFree = median(times.many) < 200;
  expect(isFree ? 1 : median(times.many) / median(times.few)).toBeLessThan(most);
});

/** Microseconds of this process, of four readings. */
function costOf(read: Reader, text: string): number {
  const before = process.cpuUsage();
  for (let again = 0; again < 4; again += 1) {
    try {
      read(text);
    } catch {
      // A refusal is an answer, too.
    }
  }
  const { user, system } = process.cpuUsage(before);
  return Math.max(1, user + system);
}

function median(figures: readonly number[]): number {
  return figures.toSorted((a, b) => a - b)[figures.length >> 1] ?? 0;
}
