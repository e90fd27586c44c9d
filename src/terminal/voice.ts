import { createWrite } from './output.ts';
import { describeFailure, failureAsJson } from './failure.ts';
import type { Streams, TerminalFlags } from './streams.ts';
import {
  cutToWidth,
  type Piece,
  piecesOf,
  printableJson,
  printableLine,
  printableText,
  printableWords,
  render,
  type Text,
  wantsColour,
  yellow,
} from './text.ts';
import { chooseFormat, isJson } from './view.ts';

/**
 * What is said on stderr: to a person, or where the answer is JSON as one JSON object a line, whose
 * member says what it is (`notice`, `warning`, `progress`, `trace`, `error`). Whatever text comes here may be anybody's: nothing but our
 * own looks and line breaks reaches the screen as a control character. That nobody reads it any
 * more is no failure.
 */
export type Voice = {
  /** A line for a person; nothing with --quiet. */
  notice(line: Text): Promise<void>;
  /** A line that --quiet does not silence. */
  warn(line: string): Promise<void>;
  /** What went over the wire (-v), in as many lines as it has. */
  trace(text: string): Promise<void>;
  /** Lines that are JSON already. */
  record(lines: string): Promise<void>;
  /** A line that cannot be said again, whatever the flags say. */
  insist(line: string): Promise<void>;
  fail(error: unknown): Promise<void>;
  /** What failures say is put through `words` from now on. */
  rename(words: (text: string) => string): void;
  /** Columns of the screen that is talked to. */
  columns(): number;
  /** Redraws the line at the bottom; '' removes it. */
  draw(text: string): void;
  progressLine(text: string): void;
};

export function createVoice(streams: Streams, flags: () => TerminalFlags): Voice {
  const write = createWrite(() => streams.stderr);
  const isColoured = () => {
    const isTerminal = streams.stderr.isTTY === true;
    return wantsColour({ env: streams.env, isTerminal, refused: flags().color === false });
  };
  let isDrawn = false;
  let renamed = (text: string) => text;
  const say = (text: Text) => {
    const above = isDrawn ? clearLine : '';
    isDrawn = false;
    return write(above + render(text, isColoured(), printableText)).catch(ignoreClosed);
  };
  const columns = () => streams.stderr.columns || 80;
  const speaksJson = () => isJson(chooseFormat(flags(), false));
  const sayLine = (kind: string, line: Text, before: readonly Piece[] = []) =>
    speaksJson()
      ? say(`${printableJson({ [kind]: render(oneLine(line), false) })}\n`)
      : say([...before, ...oneLine(line), '\n']);
  return {
    notice: async (line) => {
      if (flags().quiet !== true) await sayLine('notice', line);
    },
    warn: (line) => sayLine('warning', line, [yellow('warning:'), ' ']),
    trace: async (text) => {
      if (!speaksJson()) return say(`${text}\n`);
      for (const line of text.trimEnd().split('\n')) await sayLine('trace', line);
    },
    record: (lines) => say(lines),
    insist: (line) => sayLine('notice', line),
    fail: (error) => {
      const { debug = false } = flags();
      if (speaksJson()) return say(renamed(failureAsJson(error, debug)));
      const text = piecesOf(describeFailure(error, debug));
      return say(text.map((piece) => (typeof piece === 'string' ? renamed(piece) : piece)));
    },
    rename: (words) => {
      renamed = words;
    },
    columns,
    draw: (text) => {
      const line = cutToWidth(printableLine(text), columns() - 1);
      isDrawn = line !== '';
      void write(clearLine + line).catch(ignoreClosed);
    },
    progressLine: (text) => void sayLine('progress', text),
  };
}

const clearLine = '\r\x1b[2K';

/** A line that is one whatever stands in it: no text begins a line of its own, like `error:`. */
function oneLine(text: Text): Piece[] {
  return piecesOf(text).map((piece) =>
    typeof piece === 'string'
      ? printableWords(piece)
      : { ...piece, text: printableWords(piece.text) },
  );
}

function ignoreClosed(): void {}
