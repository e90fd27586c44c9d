import { Refusal, reasonOf } from '../errors.ts';
import { type App, noAnswer, type Request, type Response } from './message.ts';

/** A failure on purpose, for those who test what talks to the service. */
export type Fault = {
  /** `*` for every method. */
  readonly method: string;
  /** The end of the path that was asked, as `/articles/3`; of path and query where it has one. */
  readonly path?: string | undefined;
  /** Of all requests of that method, from 0 to 1. */
  readonly share: number;
  /** How often at most; Infinity where the share alone decides. */
  readonly times: number;
  readonly inject: Injection;
};

/** A fault, and how often it is still to be committed. */
export type DueFault = { readonly fault: Fault; left: number };

export function dueFaults(faults: readonly Fault[]): readonly DueFault[] {
  return faults.map((fault) => ({ fault, left: fault.times }));
}

type Injection = (app: App, request: Request, world: World) => Promise<Response>;

type Chance = {
  /** From 0 up to, not including, 1. */
  readonly random: () => number;
  /** Ends early where the signal says so. */
  readonly pause: (ms: number, signal: AbortSignal | undefined) => Promise<void>;
};

type World = Chance & {
  /** Answers any request by a refusal, in the words and with the links of the service. */
  readonly refuse: (refusal: Refusal) => App;
};

/** Lets an app fail as asked: of the faults that are meant for a request, the first one drawn. */
export function withFaults(app: App, faults: () => readonly DueFault[], world: World): App {
  return async (request) => {
    const isDrawn = ({ fault, left }: DueFault) =>
      left > 0 && isMeant(fault, request) && world.random() < fault.share;
    const drawn = faults().find(isDrawn);
    if (drawn === undefined) return app(request);
    drawn.left -= 1;
    return drawn.fault.inject(app, request, world);
  };
}

function isMeant({ method, path = '' }: Fault, request: Request): boolean {
  const [asked = ''] = path.includes('?') ? [request.target] : request.target.split('?');
  return (method === '*' || method === request.method) && asked.endsWith(path);
}

const pattern =
  /^(?<method>\*|GET|HEAD|OPTIONS|POST|PUT|DELETE) +(?:(?<path>\/\S*) +)?(?:status +(?<status>\d{3})|slow +(?<ms>\d{1,6})ms|(?<drop>drop-before|drop-after-commit)) +(?:(?<percent>\d{1,3}(?:\.\d+)?)%|(?<once>once)|(?<count>[1-9]\d{0,5}) +times?)$/;

/**
 * Reads `<METHOD|*> [</path>] <what> <share%|once|n times>`, where what is `status 503`, `slow 200ms`,
 * `drop-before` or `drop-after-commit`; undefined where the text is none of these.
 */
export function parseFault(text: string): Fault | undefined {
  const groups = pattern.exec(text)?.groups ?? {};
  const { method, path, status, ms, drop, percent = '100', once, count = Infinity } = groups;
  const share = Number(percent) / 100;
  const times = once === undefined ? Number(count) : 1;
  if (method === undefined || share > 1 || share === 0) return undefined;
  const inject = drop === undefined ? slowOrStatus(ms, Number(status)) : drops[drop];
  return inject && { method, path, share, times, inject };
}

/** The first part of a text that makes it no fault: what is wrong with it, and which one it is. */
export function wrongPartOf(text: string): readonly [string, 'method' | 'what' | 'often'] {
  const isFault = (each: string) => parseFault(each) !== undefined;
  const [, method = '', what = '', often = ''] =
    /^(\S*)(?: +\/\S*)? *((?:(?:status|slow) +)?\S*) *(.*)$/s.exec(text) ?? [];
  if (`${method}${what}`.includes('/')) {
    return ['a path begins with / and stands behind the method, as GET /articles/1', 'method'];
  }
  if (!isFault(`${method} drop-before once`)) return [`"${method}" is no method`, 'method'];
  if (what === '') return ['what is missing', 'what'];
  if (!isFault(`* ${what} once`)) return [`"${what}" is no failure`, 'what'];
  return [often === '' ? 'how often is missing' : `"${often}" is not how often`, 'often'];
}

const drops: Readonly<Record<string, Injection>> = {
  'drop-before': async () => noAnswer,
  'drop-after-commit': async (app, request) => {
    await app(request);
    return noAnswer;
  },
};

function slowOrStatus(ms: string | undefined, status: number): Injection | undefined {
  if (ms !== undefined) return slow(Number(ms));
  const reason = reasonOf(status);
  if (reason === undefined) return undefined;
  const refusal = new Refusal(reason, 'The operator asked for this fault.', {
    headers: status === 429 || status === 503 ? { 'Retry-After': '1' } : {},
    ...(status === 422 && { errors: [{ pointer: '/title', detail: 'is refused by this fault' }] }),
  });
  return async (_, request, { refuse }) => refuse(refusal)(request);
}

function slow(ms: number): Injection {
  return (app, request, { pause }) => answerAfter(pause(ms, request.signal), app, request);
}

/** What nobody waits for any more is not carried out. */
async function answerAfter(pause: Promise<void>, app: App, request: Request): Promise<Response> {
  await pause;
  return request.signal?.aborted === true ? noAnswer : app(request);
}

/** Milliseconds, chosen anew for each request. */
export type Delay = { readonly fromMs: number; readonly toMs: number };

/** Reads `200` or `100-300`. */
export function parseDelay(text: string): Delay | undefined {
  const [, from, to = from] = /^(\d{1,6})(?:-(\d{1,6}))?$/.exec(text) ?? [];
  if (from === undefined || Number(from) > Number(to)) return undefined;
  return { fromMs: Number(from), toMs: Number(to) };
}

/** Lets every answer wait, as a slow network would. */
export function withDelay(app: App, { fromMs, toMs }: Delay, { random, pause }: Chance): App {
  return (request) => {
    const ms = fromMs + random() * (toMs - fromMs);
    return answerAfter(pause(ms, request.signal), app, request);
  };
}
