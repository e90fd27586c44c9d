import { BlogctlError, type ErrorCode, type Hint } from '../errors.ts';
import { inShell } from '../terminal/text.ts';
import type { Rest } from './remains.ts';
import type { Kind, Outcome, SentenceNumber } from './outcome.ts';
import { checks, type CheckRun, type Result, resultOf, type World } from './run-checks.ts';
import { unseen } from './check.ts';
import { NoAnswer, type SentRequest } from './wire.ts';

/** What `blogctl check` tells, as its JSON has it. */
export type Report = Rest & {
  readonly blog: string;
  /** Of blogctl. */
  readonly version: string;
  /** When it ended, as RFC 3339 has it. */
  readonly at: string;
  readonly wrote: boolean;
  /** How many results are of each outcome, and what they took. */
  readonly summary: {
    /** All that were asked for, whether they could be looked at or not. */
    readonly rules: number;
    readonly held: number;
    /** Those of --allow included. */
    readonly broken: number;
    readonly choices: number;
    /** Rules and choices that could not be looked at here. */
    readonly skipped: number;
    /** Sentences that cannot be looked at anywhere. */
    readonly notes: number;
    readonly requests: number;
    readonly ms: number;
  };
  /** Numbers of --allow that hold again. */
  readonly holdsAgain: readonly SentenceNumber[];
  readonly results: readonly ReportLine[];
  /** What ended the run before its end. */
  readonly error?: {
    readonly code: ErrorCode;
    readonly message: string;
    /** The rule and the request since which nothing was answered. */
    readonly detail?: string;
  };
};

export type ReportLine = {
  readonly number: SentenceNumber;
  readonly sentence: string;
  readonly kind: Kind;
  readonly outcome: Outcome['outcome'];
  /** What a service chose, why a sentence was not checked, or what of a rule that holds was tried. */
  readonly what?: string;
  /** A curl line. */
  readonly request?: string;
  readonly expected?: string;
  readonly got?: string;
  /** The sentence for which the request was sent, where it is another one. */
  readonly asker?: SentenceNumber;
  /** --allow names it. */
  readonly known?: true;
};

type About = Pick<Report, 'blog' | 'version' | 'at' | 'wrote' | 'error'> & {
  readonly ms: number;
  readonly known: ReadonlySet<SentenceNumber>;
};

export function reportOf(
  { results, requests, left, unknown, missing, earlier, made }: CheckRun,
  about: About,
): Report {
  const { ms, known, ...others } = about;
  const count = (outcome: Outcome['outcome']) =>
    results.filter((each) => each.outcome === outcome).length;
  return {
    ...others,
    summary: {
      rules: results.filter(({ check }) => check.kind === 'rule').length,
      held: count('held'),
      broken: count('broken'),
      choices: count('choice'),
      skipped: count('skipped'),
      notes: count('note'),
      requests,
      ms,
    },
    holdsAgain: results
      .filter((each) => each.outcome === 'held' && each.what === undefined)
      .map(({ check }) => check.number)
      .filter((number) => known.has(number)),
    left,
    unknown,
    missing,
    earlier,
    results: results.map((result) => lineOf(result, known, made)),
  };
}

function lineOf(result: Result, known: About['known'], made: CheckRun['made']): ReportLine {
  const { sentence, outcome } = result;
  const { number, kind } = result.check;
  const line = { number, sentence, kind, outcome };
  if (outcome !== 'broken') {
    return result.what === undefined ? line : { ...line, what: result.what };
  }
  const { reply, expected, got, asker } = result;
  const request = curlOf(reply, made);
  const broken = { ...line, request, expected, got, ...(asker && { asker }) };
  return known.has(number) ? { ...broken, known: true } : broken;
}

/** What is broken and not known. */
export function brokenOf({ results }: Report): readonly ReportLine[] {
  return results.filter(({ outcome, known }) => outcome === 'broken' && known !== true);
}

/** So many can be looked at in one go. */
const mostNamed = 10;

export function refuseBroken(report: Report, isChosen: boolean): void {
  const broken = brokenOf(report);
  if (broken.length === 0) return;
  const [is, rules] = broken.length === 1 ? ['is', 'rule'] : ['are', 'rules'];
  const numbers = broken.map(({ number }) => number);
  const needed = broken
    .slice(0, mostNamed)
    .flatMap(({ number, asker }) => (asker ? [number, asker] : [number]));
  const flag = isChosen ? '' : `--only ${[...new Set(needed)].join()} `;
  throw new BlogctlError(
    'rule-broken',
    `${broken.length} ${rules} of the interface ${is} broken: ${numbers.join(', ')}.`,
    {
      url: report.blog,
      hint: `Add ${flag}-vvv to this line to see what is sent and answered; --allow <file> takes known ones.`,
    },
  );
}

/** Others may have deleted it, or the service did with a change of the run. */
export function lossOf({ missing }: CheckRun, url: string): BlogctlError | undefined {
  if (missing.length === 0) return undefined;
  const places = missing.map((each) => each.url).join(', ');
  return new BlogctlError('rule-broken', `What was there before this run is gone: ${places}.`, {
    url,
    hint: 'Put it back from a backup; where nobody else deleted it the service did, so try its changes on a copy.',
  });
}

/** That nothing is broken is no finding where nothing was looked at. */
export function refuseNothing({ blog, summary, results }: Report): void {
  if (summary.held + summary.broken + summary.choices > 0) return;
  const reasons = [...new Set(results.map(({ what = '' }) => what))];
  throw new BlogctlError('usage', `Nothing was checked: ${reasons.join('; ')}.`, {
    url: blog,
    hint: reasons.includes('needs --write')
      ? 'Add --write to this line, and a token in BLOGCTL_TOKEN or with --token-file.'
      : 'See to that first, or choose other sentences: blogctl check --list has them.',
  });
}

export function errorOf(failure: unknown): Pick<Report, 'error'> {
  if (!(failure instanceof Error)) return {};
  const { message } = failure;
  if (!(failure instanceof BlogctlError)) return { error: { code: 'internal-error', message } };
  const { code, context } = failure;
  const detail = (context.details ?? []).map((each) => each.detail).join('; ');
  return { error: { code, message, ...(detail !== '' && { detail }) } };
}

const answeredBefore: Hint =
  'It answered until then: see in its log what that request did to it, and start it again if it is down.';

/** What ended a run too early; of a service that fell silent it says since when. */
export function failureOf(
  { error, at }: NonNullable<CheckRun['end']>,
  made: CheckRun['made'],
): unknown {
  if (!(error instanceof NoAnswer) || at === undefined) return error;
  const { asked, failure } = error;
  const detail = `not answered since ${at}: ${curlOf(asked, made)}`;
  const context = { ...failure.context, details: [{ detail }] };
  const hint = failure.context.retryable === true ? answeredBefore : failure.hint;
  return new BlogctlError(failure.code, failure.message, { ...context, hint });
}

const safe = new Set(['GET', 'HEAD', 'OPTIONS']);

/**
 * The request as a line for a shell; the token stays in a variable. What the run made it has deleted,
 * and the service may give the id to another's article: the line is for one of the reader's.
 */
function curlOf({ request, isAnonymous, after }: SentRequest, made: ReadonlySet<string>): string {
  const first = after === undefined ? '' : `${curlOf(after, made)} && `;
  const [start, other] =
    /^\{"id":"?([^",]+)"?/.exec(String((after?.request ?? request).body)) ?? [];
  const { method, headers, body } = request;
  const isNumbered = made.has(request.url) && !request.url.includes('?');
  const url = isNumbered
    ? request.url.replace(/[^/]+$/, (id) => (id === other ? '<other-id>' : '<id>'))
    : request.url;
  const words = ['curl', '-i'];
  if (method === 'HEAD') words.push('-I');
  else if (method !== 'GET') words.push('-X', method);
  for (const [name, value] of Object.entries(headers))
    words.push('-H', inShell(`${cased(name)}: ${value}`));
  if (!isAnonymous && !safe.has(method)) words.push('-H', '"X-Access-Token: $BLOGCTL_TOKEN"');
  if (body !== undefined) {
    const shown = start ? String(body).replace(start, '{"id":<other-id>') : String(body);
    words.push('--data-raw', inShell(shown).replaceAll(longRun, runInShell));
  }
  return `${first}${[...words, inShell(url)].join(' ')}`;
}

/** One letter so often that no line holds it. */
const longRun = /([a-z])\1{99,}/g;

function runInShell(run: string, letter: string): string {
  return `'"$(printf '${letter}%.0s' $(seq ${run.length}))"'`;
}

/** As people write it: `If-None-Match`. */
function cased(name: string): string {
  return name.replaceAll(/\b[a-z]/g, (letter) => letter.toUpperCase());
}

/** A run that ended before anything was looked at. */
export function unstarted(error: unknown, only: World['only']): CheckRun {
  const chosen = checks.filter(({ number }) => only?.has(number) ?? true);
  const results = chosen.map((check) => resultOf(check, unseen(check)));
  return {
    results,
    requests: 0,
    left: [],
    unknown: [],
    missing: [],
    earlier: [],
    made: new Set(),
    end: { error },
  };
}
