import type { Asked, Kind } from './check.ts';
import type { Left } from './own-articles.ts';
import type { Outcome, Result, Run } from './run-checks.ts';
import type { SentenceNumber } from './sentences.ts';

/** What `blogctl check` tells, as its JSON has it. */
export type Report = {
  readonly blog: string;
  readonly wrote: boolean;
  readonly summary: {
    /** Rules that were looked at. */
    readonly rules: number;
    readonly held: number;
    /** Those of --allow included. */
    readonly broken: number;
    readonly choices: number;
    /** Rules and choices that could not be looked at here. */
    readonly skipped: number;
    readonly requests: number;
    readonly ms: number;
  };
  /** Numbers of --allow that hold again. */
  readonly holdsAgain: readonly SentenceNumber[];
  readonly left: readonly Left[];
  readonly results: readonly ReportLine[];
};

export type ReportLine = {
  readonly number: SentenceNumber;
  readonly sentence: string;
  readonly kind: Kind;
  readonly outcome: Outcome['outcome'];
  /** What a service chose, or why a sentence was not checked. */
  readonly what?: string;
  /** A curl line. */
  readonly request?: string;
  readonly expected?: string;
  readonly got?: string;
  /** --allow names it. */
  readonly known?: true;
};

export type About = {
  readonly blog: string;
  readonly wrote: boolean;
  readonly ms: number;
  readonly known: ReadonlySet<SentenceNumber>;
};

export function reportOf({ results, requests, left }: Run, about: About): Report {
  const { blog, wrote, ms, known } = about;
  const count = (outcome: Outcome['outcome']) =>
    results.filter((each) => each.outcome === outcome).length;
  const [held, broken] = [count('held'), count('broken')];
  return {
    blog,
    wrote,
    summary: {
      rules: held + broken,
      held,
      broken,
      choices: count('choice'),
      skipped: results.filter(
        ({ outcome, check }) => outcome === 'skipped' && check.kind !== 'skipped',
      ).length,
      requests,
      ms,
    },
    holdsAgain: results
      .filter(({ outcome, check }) => outcome === 'held' && known.has(check.number))
      .map(({ check }) => check.number),
    left,
    results: results.map((result) => lineOf(result, known)),
  };
}

function lineOf(result: Result, known: About['known']): ReportLine {
  const { sentence, outcome } = result;
  const { number, kind } = result.check;
  const line = { number, sentence, kind, outcome };
  if (outcome === 'held') return line;
  if (outcome !== 'broken') return { ...line, what: result.what };
  const { reply, expected, got } = result;
  const broken = { ...line, request: curlOf(reply), expected, got };
  return known.has(number) ? { ...broken, known: true } : broken;
}

/** What is broken and not known. */
export function brokenOf({ results }: Report): readonly ReportLine[] {
  return results.filter(({ outcome, known }) => outcome === 'broken' && known !== true);
}

const safe = new Set(['GET', 'HEAD', 'OPTIONS']);

/** The request as a line for a shell; the token stays in a variable. */
export function curlOf({ request, isAnonymous }: Asked): string {
  const { method, url, headers, body } = request;
  const words = ['curl', '-i'];
  if (method === 'HEAD') words.push('-I');
  else if (method !== 'GET') words.push('-X', method);
  for (const [name, value] of Object.entries(headers))
    words.push('-H', quote(`${cased(name)}: ${value}`));
  if (!isAnonymous && !safe.has(method)) words.push('-H', '"X-Access-Token: $BLOGCTL_TOKEN"');
  if (body !== undefined) words.push('--data-raw', quote(String(body)));
  return [...words, quote(url)].join(' ');
}

/** As people write it: `If-None-Match`. */
function cased(name: string): string {
  return name.replaceAll(/\b[a-z]/g, (letter) => letter.toUpperCase());
}

function quote(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}
