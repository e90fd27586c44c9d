import { randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { createApp, withOrigins } from '../app.ts';
import { Refusal } from '../errors.ts';
import { jsonLines, textLine, withRequestLog } from '../http/access-log.ts';
import { withDelay, withFaults } from '../http/faults.ts';
import { gatherLines } from '../http/gathered-lines.ts';
import type { App } from '../http/message.ts';
import { withRememberedReads } from '../http/remembered-reads.ts';
import { anyOf, fixedToken } from '../policy/fixed-token.ts';
import { isLoopback } from '../policy/host.ts';
import { UnusableStore } from '../store/json-file/unusable-store.ts';
import type { TokenLookup } from '../store/tokens.ts';
import type { Opened } from './opening.ts';

import type { Choices, ServeOptions } from './options.ts';

export type Serving = Omit<ServeOptions, 'file' | 'port'> & {
  /** What `host` means: `127.1` and `localhost` are spellings of one address. */
  readonly address: string;
  /** Grants every right for this run (decisions 27). */
  readonly runToken: string;
};

export type Assembled = {
  readonly app: App;
  /** Writes the lines of the access log that still wait. */
  readonly flushLog: () => void;
};

/** Of a token somebody chose, where others can reach the service and try. */
const shortestToken = 16;

/** The service as asked for, with its log and, for testers, its faults around it. */
export function assemble({ store, tokens }: Opened, options: Serving, choices: Choices): Assembled {
  const { host, address, token, notice = ignore } = options;
  const { baseUrl, trusts, origins, rate } = choices;
  const fixed = token === undefined ? [] : [fixedToken(token, 'BLOGCTL_SERVE_TOKEN')];
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
    tokens: anyOf([fixedToken(options.runToken, 'this run'), ...fixed, saidOnce(tokens, notice)]),
    now: Date.now,
    place: { hosts: { loopback: isLoopback(address), allowed }, baseUrl, trusts },
    origins,
    rate,
    rules: {
      maxPageSize: options.maxPageSize ?? 1000,
      maxBodyBytes: options.maxBodyBytes ?? 1024 * 1024,
      readOnly: options.readOnly ?? false,
      requirePreconditions: options.requirePreconditions ?? false,
    },
    report: (error) => notice(`internal error: ${describe(error)}`),
  });
  // A rate or a proxy's word makes an answer depend on who asks and when.
  const isPlain = rate === undefined && (options.trustProxy ?? []).length === 0;
  const quick = isPlain ? withRememberedReads(app, () => store.version()) : app;
  return logged(disturbed(quick, choices), options);
}

/**
 * Looks tokens up in their file; where that cannot be read, whoever presents one is told 503, and
 * the log why, once for each thing that is wrong.
 */
function saidOnce({ lookup }: Opened['tokens'], notice: (text: string) => void): TokenLookup {
  let said = '';
  return async (token) => {
    try {
      const grant = await lookup(token);
      said = '';
      return grant;
    } catch (error) {
      const what = reasonOf(error);
      if (said !== what) notice(`Tokens cannot be read: ${what}`);
      said = what;
      throw unreadable();
    }
  };
}

function reasonOf(error: unknown): string {
  return error instanceof UnusableStore ? `${error.message} ${error.hint}` : String(error);
}

function unreadable(): Refusal {
  const message = 'The tokens of this service cannot be read at present: its log says why.';
  return new Refusal('unavailable', message, { headers: { 'Retry-After': '60' } });
}

/** For testers of what talks to the service; untouched where nobody asked. */
function disturbed(app: App, { delay, faults, origins }: Choices): App {
  // Not waited for once the service has stopped (decisions 41).
  const apart = (ms: number) => pause(ms, undefined, { ref: false });
  const chance = { random: Math.random, pause: apart };
  const slowed = delay === undefined ? app : withDelay(app, delay, chance);
  // A page under test must be able to read the fault, not only see its request fail.
  return faults.length === 0 ? slowed : withOrigins(withFaults(slowed, faults, chance), origins);
}

function logged(app: App, { accessLog, logFormat }: Serving): Assembled {
  const run = randomBytes(3).toString('base64url');
  const lines = accessLog === undefined ? undefined : gatherLines(accessLog);
  let count = 0;
  const withLog = withRequestLog(app, {
    put: lines?.put,
    format: logFormat === 'json' ? jsonLines(Date.now) : textLine,
    elapsed: () => performance.now(),
    newId: () => `${run}-${(count += 1)}`,
  });
  return { app: withLog, flushLog: () => lines?.flush() };
}

function describe(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

function ignore(): void {}
