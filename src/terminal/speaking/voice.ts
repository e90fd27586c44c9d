import { cutToWidth } from '../letters/display-width.ts';
import { describeFailure, failureAsJson } from './failure.ts';
import type { TerminalFlags } from '../flags.ts';
import { chooseFormat, isJson } from '../showing/formats.ts';
import { createWrite } from '../output.ts';
import { printableLine, printableText } from '../letters/printable.ts';
import type { Streams } from '../streams.ts';
import { createStyle, type Style, wantsColour } from '../letters/style.ts';

/** What is said to a person on stderr. That nobody reads it any more is no failure. */
export type Voice = {
  /** A line for a person; nothing with --quiet. */
  notice(text: string): Promise<void>;
  /** A line that --quiet does not silence. */
  warn(text: string): Promise<void>;
  /** A line of what went over the wire (-v). */
  trace(line: string): Promise<void>;
  /** Text as it is, whatever the flags say. */
  complain(text: string): Promise<void>;
  fail(error: unknown): Promise<void>;
  /** How to colour what is said. */
  tone(): Style;
  /** Columns of the screen that is talked to. */
  columns(): number;
  /** Redraws the line at the bottom; '' removes it. */
  draw(text: string): void;
  progressLine(text: string): void;
};

export function createVoice(streams: Streams, flags: () => TerminalFlags): Voice {
  const write = createWrite(() => streams.stderr);
  const say = (text: string) => write(text).catch(ignoreClosed);
  const columns = () => streams.stderr.columns || 80;
  const style = () => {
    const isTerminal = streams.stderr.isTTY === true;
    const refused = flags().color === false;
    return createStyle(wantsColour({ env: streams.env, isTerminal, refused }));
  };
  return {
    notice: async (text) => {
      if (flags().quiet !== true) await say(`${text}\n`);
    },
    warn: (text) => say(`${style().yellow('warning:')} ${text}\n`),
    trace: (line) => say(`${printableText(line)}\n`),
    complain: say,
    fail: (error) => {
      const { debug = false, ...asked } = flags();
      const format = chooseFormat(asked, streams.stdout.isTTY === true);
      return say(
        isJson(format) ? failureAsJson(error, debug) : describeFailure(error, style(), debug),
      );
    },
    tone: style,
    columns,
    draw: (text) => {
      const line = cutToWidth(printableLine(text), columns() - 1);
      void say(`\r\x1b[2K${line}`);
    },
    progressLine: (text) => void say(`${printableLine(text)}\n`),
  };
}

function ignoreClosed(): void {}
