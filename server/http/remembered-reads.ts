import { isWhole } from '../representations/representation.ts';
import { whenAnswered } from './message.ts';
import type { App, Request, Response } from './message.ts';

type Remembered = {
  readonly version: number;
  readonly lines: readonly string[];
  readonly response: Response;
};

const mostTargets = 1024;
const mostOfTarget = 4;
const mostBytes = 8 * 1024 * 1024;
/** Longer headers are hardly sent twice. */
const mostLines = 64;

/**
 * Answers a read again as it was answered before, as long as nothing that can be read has changed:
 * of two requests that are equal to the letter the second needs no check that the first passed.
 * For apps whose answers to reads depend on nothing but the request and what `version` counts.
 */
export function withRememberedReads(app: App, version: () => number | Promise<number>): App {
  const known = new Map<string, readonly Remembered[]>();
  let bytes = 0;
  let isSlow = false;
  const make = (target: string) => {
    if (known.size >= mostTargets || bytes > mostBytes) {
      known.clear();
      bytes = 0;
    }
    if (!known.has(target)) known.set(target, nothing);
  };
  const remember = (target: string, remembered: Remembered) => {
    make(target);
    const others = (known.get(target) ?? []).filter((one) => one.version === remembered.version);
    known.set(target, [remembered, ...others].slice(0, mostOfTarget));
    bytes += remembered.response.body.length;
  };
  return (request) => {
    const { lines, target } = request;
    if (lines === undefined || !isRepeatable(request)) return app(request);
    const read = (now: number) => {
      for (const last of known.get(target) ?? nothing) {
        if (last.version === now && isSame(last.lines, lines)) return last.response;
      }
      return whenAnswered(app(request), (response) => {
        if (isWorthIt(response)) remember(target, { version: now, lines, response });
        return response;
      });
    };
    // What takes time to ask is asked for what was read before, and else only noted.
    if (isSlow && !known.has(target)) {
      make(target);
      return app(request);
    }
    const now = version();
    isSlow = typeof now !== 'number';
    return typeof now === 'number' ? read(now) : now.then(read);
  };
}

const nothing: readonly Remembered[] = [];

/** One with an id of its own is never sent twice. */
function isRepeatable({ method, id, lines = [] }: Request): boolean {
  return method === 'GET' && id === undefined && lines.length <= mostLines;
}

function isSame(one: readonly string[], other: readonly string[]): boolean {
  if (one.length !== other.length) return false;
  for (let at = 0; at < one.length; at += 1) if (one[at] !== other[at]) return false;
  return true;
}

/** A refusal is no read, and a body of many megabytes would push all others out. */
function isWorthIt({ status, headers, body }: Response): boolean {
  const isRead = (status === 200 || status === 304) && headers['Cache-Control'] !== 'no-store';
  return isRead && isWhole(body) && body.length < mostBytes / 4;
}
