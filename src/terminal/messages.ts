import { BlogctlError, type ErrorContext, type ErrorDetail } from '../errors.ts';
import { createWrite, type Streams, type TerminalFlags, wantsColour } from './streams.ts';
import {
  clipped,
  cutToWidth,
  type Piece,
  piecesOf,
  printableJson,
  printableLine,
  printableText,
  printableWords,
  red,
  render,
  type Text,
  withoutSecrets,
  yellow,
} from './text.ts';
import { chooseFormat, isJson } from './view.ts';

/**
 * What is said on stderr: to a person, or where the answer is JSON as one JSON object a line, whose
 * member says what it is (`notice`, `warning`, `progress`, `trace`, `error`). Whatever text comes here may be anybody's: nothing but our
 * own looks and line breaks reaches the screen as a control character. That nobody reads it any
 * more is no failure.
 */
export type Messages = {
  /** A line for a person; nothing with --quiet. */
  notice(line: Text): Promise<void>;
  /** A line that --quiet does not silence. */
  warn(line: string): Promise<void>;
  /** What went over the wire (-v), in as many lines as it has. */
  trace(text: string): Promise<void>;
  /** Lines of JSON in printable ASCII, many a second; what ends the last one is added. */
  record(lines: string): Promise<void>;
  /** A line that cannot be said again, whatever the flags say. */
  insist(line: string): Promise<void>;
  /** What went wrong; no secret of a command line stands in it. */
  fail(error: unknown): Promise<void>;
  /** Whatever is said is put through `words` from now on. */
  rename(words: (text: string) => string): void;
  /** What a file is to tell a person, as it would be said here. */
  worded(text: string): string;
  /** A token is said nowhere from now on, whoever repeats it. */
  hide(secret: string): void;
  /** Columns of the screen that is talked to. */
  columns(): number;
  /** Redraws the line at the bottom; '' removes it. */
  draw(text: string): void;
  progressLine(text: string): void;
};

export function createMessages(streams: Streams, flags: () => TerminalFlags): Messages {
  const write = createWrite(() => streams.stderr);
  const isColoured = () => wantsColour(streams, streams.stderr, flags());
  let isDrawn = false;
  let renamed = (text: string) => text;
  const hidden = new Set<string>();
  const clean = (text: string) =>
    printableText([...hidden].reduce((shown, secret) => shown.replaceAll(secret, '…'), text));
  const say = (text: Text) => {
    const above = isDrawn ? clearLine : '';
    isDrawn = false;
    return write(above + render(text, isColoured(), clean)).catch(ignoreClosed);
  };
  const columns = () => streams.stderr.columns || 80;
  const speaksJson = () => isJson(chooseFormat(flags(), false));
  const sayLine = (kind: string, line: Text, before: readonly Piece[] = []) => {
    const said = oneLine(line, renamed);
    return speaksJson()
      ? say(`${printableJson({ [kind]: render(said, false) })}\n`)
      : say([...before, ...said, '\n']);
  };
  return {
    notice: async (line) => {
      if (flags().quiet !== true) await sayLine('notice', line);
    },
    warn: (line) => sayLine('warning', line, [yellow('warning:'), ' ']),
    trace: async (text) => {
      if (!speaksJson()) return say(`${text}\n`);
      for (const line of text.trimEnd().split('\n')) await sayLine('trace', line);
    },
    record: (lines) => write(`${lines}\n`).catch(ignoreClosed),
    insist: (line) => sayLine('notice', line),
    fail: (error) => {
      const { debug = false } = flags();
      const words = (text: string) => withoutSecrets(renamed(text));
      if (speaksJson()) return say(words(failureAsJson(error, debug)));
      const text = piecesOf(describeFailure(error, debug));
      return say(text.map((piece) => (typeof piece === 'string' ? words(piece) : piece)));
    },
    rename: (words) => {
      renamed = words;
    },
    worded: (text) => renamed(text),
    hide: (secret) => {
      if (secret.length >= leastSecret) hidden.add(secret);
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

/** A shorter one keeps nothing secret, and may stand in any word. */
const leastSecret = 8;

const clearLine = '\r\x1b[2K';

/** A line that is one whatever stands in it: no text begins a line of its own, like `error:`. */
function oneLine(text: Text, words: (text: string) => string): Piece[] {
  const shown = (piece: string) => printableWords(words(piece));
  return piecesOf(text).map((piece) =>
    typeof piece === 'string' ? shown(piece) : { ...piece, text: shown(piece.text) },
  );
}

function ignoreClosed(): void {}

/**
 * A failure for a person: what happened, each detail and cause on a line of its own, and the next
 * step. Anything but a BlogctlError is our own bug and says so.
 */
export function describeFailure(thrown: unknown, debug = false): Text {
  const error = asBlogctlError(thrown);
  const text: Piece[] = [red('error:'), ` ${printableWords(withStatus(error))}\n`];
  for (const { pointer, detail } of detailsOf(error)) {
    if (error.message.includes(detail) && error.message.includes(pointer ?? '')) continue;
    text.push(`  ${printableWords(pointer === undefined ? detail : `${pointer}: ${detail}`)}\n`);
  }
  for (const cause of causesOf(error)) text.push(`cause: ${printableWords(cause)}\n`);
  if (error.hint !== undefined) {
    text.push(yellow('hint:'), ` ${printableWords(error.hint)}\n`);
  }
  if (debug) text.push(`${stackOf(thrown)}\n`);
  return text;
}

function withStatus({ message, context: { status } }: BlogctlError): string {
  return status === undefined ? message : `${message.replace(/\.$/, '')} (HTTP ${status})`;
}

/** The same as one line of JSON, for scripts that read JSON. */
export function failureAsJson(thrown: unknown, debug = false): string {
  const error = asBlogctlError(thrown);
  const { status, method, url, retryable, details }: ErrorContext = error.context;
  const causes = causesOf(error);
  const members = {
    code: error.code,
    exitCode: error.exitStatus,
    message: clipped(error.message),
    status,
    method,
    url: url && clipped(url),
    retryable: retryable ?? false,
    hint: error.hint && clipped(error.hint),
    details: details && detailsOf(error),
    cause: causes.length === 0 ? undefined : clipped(causes.join(': ')),
    stack: debug ? stackOf(thrown) : undefined,
  };
  return `${printableJson({ error: members })}\n`;
}

const mostDetails = 20;

/** A service may name a million flaws. */
function detailsOf({ context: { details = [] } }: BlogctlError): readonly ErrorDetail[] {
  const shown = details.slice(0, mostDetails).map(({ pointer, detail }) => ({
    ...(pointer !== undefined && { pointer: clipped(pointer) }),
    detail: clipped(detail),
  }));
  const more = details.length - shown.length;
  return more === 0 ? shown : [...shown, { detail: `and ${more} more` }];
}

/** Every failure as a BlogctlError: what the system refuses is named, anything else is our bug. */
export function asBlogctlError(thrown: unknown): BlogctlError {
  if (thrown instanceof BlogctlError) return thrown;
  if (thrown instanceof Error && 'syscall' in thrown) {
    const who = 'path' in thrown ? 'file system' : 'system';
    return new BlogctlError('unusable-input', `The ${who} refused: ${thrown.message}`, {
      hint: thrown.message.includes('\uFFFD')
        ? 'A name in the path is not UTF-8. Rename what it is the name of.'
        : 'Check the path, its permissions and the room on the disk.',
    });
  }
  const what = thrown instanceof Error ? `${thrown.name}: ${thrown.message}` : String(thrown);
  return new BlogctlError('internal-error', `This is a bug in blogctl: ${what}`, {
    hint: 'Run the command again with --debug and report what it prints.',
    cause: thrown instanceof Error ? thrown.cause : undefined,
  });
}

/** The reasons beneath a failure that it does not say itself, outermost first. */
function causesOf(error: Error): string[] {
  const causes: string[] = [];
  for (let cause = error.cause; cause instanceof Error; cause = cause.cause) {
    const known = [error.message, ...causes].some((text) => text.includes(messageOf(cause)));
    if (!known) causes.push(messageOf(cause));
  }
  return causes;
}

/** A connection tried at several addresses fails with an empty message and the reasons inside. */
function messageOf(cause: unknown): string {
  if (cause instanceof AggregateError && cause.message === '') {
    return cause.errors.map(messageOf).join('; ');
  }
  return cause instanceof Error ? cause.message || cause.name : String(cause);
}

/** What was compiled ahead has the paths of the machine that built it. */
function stackOf(thrown: unknown): string {
  if (!(thrown instanceof Error)) return String(thrown);
  return (thrown.stack ?? thrown.message).replaceAll(builtAt, '');
}

const builtAt = /(?<=\bat |\()(?:file:\/\/)?(?:\/|[A-Z]:\\)[^()\n]*[/\\](?=dist[/\\])/g;
