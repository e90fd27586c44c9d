import { EventEmitter } from 'node:events';
import { PassThrough, Writable } from 'node:stream';
import { inject } from 'vitest';
import type { Process } from '../../src/main.ts';

export type HostOptions = {
  readonly env?: Readonly<Record<string, string>>;
  /** What is typed or piped in; stdin ends after it. */
  readonly stdin?: string | Uint8Array;
  /** All three streams are a terminal, so many columns wide. */
  readonly terminal?: number;
  /** Lines of the terminal. */
  readonly rows?: number;
  readonly folder?: string;
  /** The effective user; files belong to whom they belong. */
  readonly uid?: number;
};

export type FakeHost = Process & {
  out(): string;
  err(): string;
  /** As Ctrl-C (SIGINT), kill (SIGTERM) or a terminal that is closed (SIGHUP) would. */
  signal(name: 'SIGINT' | 'SIGTERM' | 'SIGHUP'): void;
};

/** A process that is not there: it collects what is written and knows no settings of ours. */
export function givenHost(line: readonly string[], options: HostOptions = {}): FakeHost {
  const events = new EventEmitter();
  const tty =
    options.terminal === undefined
      ? {}
      : { isTTY: true, columns: options.terminal, rows: options.rows ?? 24 };
  const stdin = Object.assign(new PassThrough(), tty, { setRawMode: () => stdin });
  if (options.stdin !== undefined) stdin.end(options.stdin);
  const out = collector();
  const err = collector();
  const nowhere = inject('nowhere');
  const { uid } = options;
  return {
    argv: ['node', 'blogctl', ...line],
    env: { BLOGCTL_CONFIG_DIR: nowhere, BLOGCTL_DATA_DIR: nowhere, ...options.env },
    platform: process.platform,
    stdin,
    stdout: Object.assign(out.stream, tty),
    stderr: Object.assign(err.stream, tty),
    cwd: () => options.folder ?? process.cwd(),
    ...(uid !== undefined && { geteuid: () => uid }),
    on: (name, listener) => events.on(name, listener),
    off: (name, listener) => events.off(name, listener),
    signal: (name) => void events.emit(name),
    out: () => out.text(),
    err: () => err.text(),
  };
}

function collector(): { readonly stream: Writable; text(): string } {
  const chunks: Buffer[] = [];
  const stream = new Writable({
    write(chunk: Buffer, _encoding, done) {
      chunks.push(chunk);
      done();
    },
  });
  return { stream, text: () => Buffer.concat(chunks).toString('utf8') };
}
