import { randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { createApp, withOrigins, withoutBodyOfHead } from '../app.ts';
import { type Reason, Refusal } from '../errors.ts';
import {
  gatherLines,
  hiding,
  isHealth,
  jsonLines,
  textLine,
  withRequestLog,
} from '../http/access-log.ts';
import { dueFaults, withDelay, withFaults } from '../http/faults.ts';
import type { DueFault } from '../http/faults.ts';
import { type App, type Request, readTarget } from '../http/message.ts';
import { type RequestContext, withRefusals } from '../http/refusals.ts';
import { withResponseCache } from '../http/response-cache.ts';
import { anyOf, fixedTokens } from '../policy/authentication.ts';
import { isLoopback, resolveTarget, type TargetRules } from '../policy/target-uri.ts';
import { UnusableStore } from '../store/unusable-store.ts';
import { StoreError } from '../store/store.ts';
import type { Store, Subject } from '../store/store.ts';
import type { TokenLookup, Tokens } from '../store/tokens.ts';
import { withControl } from './control.ts';
import type { Opened } from './opening.ts';
import type { Choices, ServeOptions } from './options.ts';
import { createRewindable } from './rewindable.ts';
import type { Rewindable } from './rewindable.ts';

export type Serving = Omit<ServeOptions, 'file' | 'port'> & {
  /** What `host` means: `127.1` and `localhost` are spellings of one address. */
  readonly address: string;
  /** Grants every right for this run (decisions 27); none where other instances answer as well. */
  readonly runToken: string | undefined;
};

/** A store of whatever kind, and its tokens. */
export type Shared = { readonly store: Store; readonly tokens: Tokens };

export type Assembled = {
  readonly app: App;
  /** Writes the lines of the access log that still wait. */
  readonly flushLog: () => void;
};

/** Of a token somebody chose, where others can reach the service and try. */
const shortestToken = 16;

/** The service as asked for, with its log and, for testers, its faults around it. */
export function assemble(opened: Shared, options: Serving, choices: Choices): Assembled {
  const quick = plainService(opened, options, choices);
  // Untouched where nobody asked.
  if (choices.faults.length === 0 && choices.delay === undefined) return logged(quick, options);
  const due = dueFaults(choices.faults);
  return logged(
    disturbed(quick, opened.store, choices, () => due),
    options,
  );
}

/** The same over a store in memory, to be put back at will. */
export function assembleRewindable(
  { store: first, tokens }: Opened,
  options: Serving & { readonly runToken: string },
  choices: Choices,
): Assembled & { readonly rewindable: Rewindable } {
  const rewindable = createRewindable({
    store: first,
    build: (store, due) =>
      disturbed(plainService({ store, tokens }, options, choices), store, choices, due),
    faults: choices.faults,
    maxBodyBytes: options.maxBodyBytes ?? usualBodyBytes,
    hide: hiding(options.runToken),
  });
  const { control, runToken: token, notice = ignore } = options;
  const report = (error: unknown) => notice(`internal error: ${describe(error)}`);
  const { app } = rewindable;
  const outer = control === true ? withControl(app, { blog: rewindable, token, report }) : app;
  return { ...logged(outer, options), rewindable };
}

const usualBodyBytes = 1024 * 1024;

function plainService({ store, tokens }: Shared, options: Serving, choices: Choices): App {
  const { host, address, token, notice = ignore } = options;
  const { baseUrl, trusts, origins, rate } = choices;
  const { runToken } = options;
  const fixed = new Map<string, string>();
  if (runToken !== undefined) fixed.set('this run', runToken);
  if (token !== undefined) fixed.set('BLOGCTL_SERVE_TOKEN', token);
  const ownHost = baseUrl === undefined ? [] : [new URL(baseUrl).hostname];
  const allowed = [host, ...(options.allowedHosts ?? []), ...ownHost].map((name) =>
    name.toLowerCase(),
  );
  if (token !== undefined && token.length < shortestToken && !isLoopback(address)) {
    notice(
      `BLOGCTL_SERVE_TOKEN is short and can be guessed: take ${shortestToken} characters or more, or blogctl token create.`,
    );
  }
  const app = createApp({
    store,
    tokens: anyOf([fixedTokens(fixed), saidOnce(tokens, notice)]),
    now: () => Date.now(),
    target: { hosts: { loopback: isLoopback(address), allowed }, baseUrl, trusts },
    origins,
    rate,
    rules: {
      maxPageSize: options.maxPageSize ?? 1000,
      maxBodyBytes: options.maxBodyBytes ?? usualBodyBytes,
      readOnly: options.readOnly ?? false,
      requirePreconditions: options.requirePreconditions ?? false,
    },
    report: reportTo(notice),
  });
  // A rate or a proxy's word makes an answer depend on who asks and when.
  const isPlain = rate === undefined && (options.trustProxy ?? []).length === 0;
  if (!isPlain) return app;
  return withResponseCache(app, { subjectOf, version: (subject) => store.version(subject) });
}

/** What a read is about; undefined: of all blogs, or of none. */
export function subjectOf(target: string): Subject | undefined {
  const [, blog, article] = /\/blogs\/(\d+)(?:\/articles\/(\d+)$)?/.exec(target) ?? [];
  if (blog === undefined) return undefined;
  return { blogId: Number(blog), articleId: article === undefined ? undefined : Number(article) };
}

/** What a damaged article is, is said once: it may be asked for without an end. */
function reportTo(notice: (text: string) => void): (error: unknown) => void {
  const said = new Set<string>();
  return (error) => {
    const isKnown = error instanceof StoreError || error instanceof Refusal;
    const text = isKnown ? inWords(error) : `internal error: ${describe(error)}`;
    const isDamage = error instanceof StoreError && error.failure === 'damaged';
    const isOfHealth = error instanceof Refusal && error.reason === 'damaged-article';
    if (isOfHealth || (isDamage && said.has(text))) return;
    if (said.size > mostSaid) said.clear();
    if (isDamage) said.add(text);
    notice(text);
  };
}

const mostSaid = 1000;

function inWords({ message, cause }: Error): string {
  return cause instanceof Error ? `${message} (${cause.message})` : message;
}

/**
 * Looks tokens up in their file; where that cannot be read, whoever presents one is told 503, and
 * the log why, once for each thing that is wrong.
 */
function saidOnce({ lookup }: Tokens, notice: (text: string) => void): TokenLookup {
  let said = '';
  return async (token) => {
    try {
      const grant = await lookup(token);
      said = '';
      return grant;
    } catch (error) {
      const what = causeInWords(error);
      if (said !== what) notice(`Tokens cannot be read: ${what}`);
      said = what;
      throw unreadable(error instanceof StoreError ? error.retryAfterSeconds : undefined);
    }
  };
}

function causeInWords(error: unknown): string {
  if (error instanceof UnusableStore) return `${error.message} ${error.hint}`;
  return error instanceof Error ? inWords(error) : String(error);
}

function unreadable(waitSeconds = 60): Refusal {
  const message = 'The tokens of this service cannot be read at present: its log says why.';
  return new Refusal('unavailable', message, {
    headers: { 'Retry-After': String(waitSeconds) },
  });
}

/** For testers of what talks to the service. */
function disturbed(app: App, store: Store, choices: Choices, due: () => readonly DueFault[]): App {
  const rules = { ...choices, hosts: anyHost };
  const refuse = (refusal: Refusal) => refusingAll(refusal, rules, store);
  const failing = slowed(withFaults(app, due, { ...chance, refuse }), choices);
  // Who waits until the service is there must not use up what the test is to meet.
  const meant: App = (request) => (isHealth(request.target) ? app(request) : failing(request));
  // A page under test must be able to read the fault, not only see its request fail.
  return withOrigins(meant, choices.origins);
}

/** Told before the blog is looked at, so that nothing links to it. */
const blind: ReadonlySet<Reason> = new Set([
  'anonymous',
  'forbidden',
  'not-acceptable',
  'too-many-requests',
]);

/** Answers every request by this refusal, as if the service itself had come to it. */
export function refusingAll(refusal: Refusal, rules: TargetRules, store: Pick<Store, 'blog'>): App {
  const { baseUrl = '' } = rules;
  const answer = async (request: Request, context: RequestContext): Promise<never> => {
    const { headers, peer, target } = request;
    const { authority } = readTarget(target);
    context.baseUrl = resolveTarget({ headers, authority, peer }, rules).baseUrl;
    const { blogId } = subjectOf(target) ?? {};
    const isBlind = blogId === undefined || blind.has(refusal.reason);
    const blog = isBlind ? undefined : await store.blog(blogId);
    if (blog) context.blog = { baseUrl: context.baseUrl, blogId: blog.id, blogTitle: blog.title };
    throw refusal;
  };
  return withoutBodyOfHead(withRefusals(answer, { baseUrl, report: () => undefined }));
}

const anyHost = { loopback: false, allowed: [] };

function slowed(app: App, { delay }: Choices): App {
  return delay === undefined ? app : withDelay(app, delay, chance);
}

// Not waited for once the service has stopped (decisions 41).
const chance = {
  random: Math.random,
  pause: (ms: number, signal: AbortSignal | undefined) =>
    pause(ms, undefined, { ref: false, ...(signal && { signal }) }).catch(ignore),
};

function logged(app: App, { accessLog, logFormat, token }: Serving): Assembled {
  const run = randomBytes(3).toString('base64url');
  const lines = accessLog === undefined ? undefined : gatherLines(accessLog);
  let count = 0;
  const withLog = withRequestLog(app, {
    put: lines?.put,
    format: logFormat === 'json' ? jsonLines(() => Date.now()) : textLine,
    elapsed: () => performance.now(),
    newId: () => `${run}-${(count += 1)}`,
    secret: token,
  });
  return { app: withLog, flushLog: () => lines?.flush() };
}

function describe(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

function ignore(): void {}
