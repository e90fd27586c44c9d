import type { Format } from './showing/formats.ts';

/** The global flags the terminal heeds. */
export type TerminalFlags = {
  readonly format?: Format;
  readonly json?: boolean;
  /** Only these fields, in this order. */
  readonly fields?: readonly string[];
  /** The bare value of one field. */
  readonly field?: string;
  /** A filter for jq, run over the JSON. */
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
