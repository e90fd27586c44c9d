import type { Readable, Writable } from 'node:stream';
import type { Format } from './view.ts';

type Screen = Writable & { isTTY?: boolean; columns?: number; rows?: number };

/** The three streams and what is known of them; `process` is one. Opened only when used. */
export type Streams = {
  readonly stdin: Readable & { isTTY?: boolean };
  readonly stdout: Screen;
  readonly stderr: Screen;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The folder relative paths start from. */
  cwd?(): string;
};

/** A pipeline: nobody looks, nobody answers. */
export function isCi({ env: { CI } }: Pick<Streams, 'env'>): boolean {
  return CI !== undefined && CI !== '' && CI !== 'false' && CI !== '0';
}

/** A terminal that shows what is written and understands no escapes. */
export function isDumb({ env }: Pick<Streams, 'env'>): boolean {
  return env['TERM'] === 'dumb';
}

/** The global flags the terminal heeds. */
export type TerminalFlags = {
  readonly format?: Format;
  readonly json?: boolean;
  /** Only these fields, in this order. */
  readonly fields?: readonly string[];
  /** The bare value of one field. */
  readonly field?: string;
  /** A filter in the language of jq, run over the JSON. */
  readonly jq?: string;
  /** No cell of CSV is run by a spreadsheet. */
  readonly csvSafe?: boolean;
  /** A file instead of stdout. */
  readonly output?: string;
  readonly overwrite?: boolean;
  readonly quiet?: boolean;
  readonly color?: boolean;
  readonly input?: boolean;
  readonly pager?: boolean;
  readonly yes?: boolean;
  readonly debug?: boolean;
};
