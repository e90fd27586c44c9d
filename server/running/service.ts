import { randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { createApp, withOrigins } from '../app.ts';
import { jsonLines, textLine, withRequestLog } from '../http/access-log.ts';
import { withDelay, withFaults } from '../http/faults.ts';
import { gatherLines } from '../http/gathered-lines.ts';
import type { App } from '../http/message.ts';
import { withRememberedReads } from '../http/remembered-reads.ts';
import { anyOf, fixedToken } from '../policy/fixed-token.ts';
import { isLoopback } from '../policy/host.ts';
import type { Opened } from './opening.ts';

import type { Choices, ServeOptions } from './options.ts';

export type Serving = Omit<ServeOptions, 'file' | 'port'> & {
  /** Grants every right for this run (decisions 27). */
  readonly runToken: string;
};

export type Assembled = {
  readonly app: App;
  /** Writes the lines of the access log that still wait. */
  readonly flushLog: () => void;
};

/** The service as asked for, with its log and, for testers, its faults around it. */
export function assemble({ store, tokens }: Opened, options: Serving, choices: Choices): Assembled {
  const { host, token, notice = ignore } = options;
  const { baseUrl, trusts, origins, rate } = choices;
  const fixed = token === undefined ? [] : [fixedToken(token, 'BLOGCTL_SERVE_TOKEN')];
  const ownHost = baseUrl === undefined ? [] : [new URL(baseUrl).hostname];
  const allowed = [...(options.allowedHosts ?? []), ...ownHost].map((name) => name.toLowerCase());
  const app = createApp({
    store,
    tokens: anyOf([fixedToken(options.runToken, 'this run'), ...fixed, tokens.lookup]),
    now: Date.now,
    place: { hosts: { loopback: isLoopback(host), allowed }, baseUrl, trusts },
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
  const quick = isPlain ? withRememberedReads(app, () => store.version) : app;
  return logged(disturbed(quick, choices), options);
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
