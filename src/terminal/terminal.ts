import { resolve } from 'node:path';
import {
  createWrite,
  isCi,
  isDumb,
  stdoutAtOnce,
  type Streams,
  type TerminalFlags,
  wantsColour,
  createPrompt,
  mayAsk,
  type Prompt,
} from './streams.ts';
import {
  chooseFormat,
  formatOfFile,
  type Fields,
  type Format,
  isJson,
  type OneView,
  type View,
} from './view.ts';
import type { Filter, OutputFile } from './output.ts';
import { requireFields, show } from './show.ts';
import { printableText, render, type Text } from './text.ts';
import { createMessages, type Messages } from './messages.ts';
import { createWaiting, type Waiting } from './progress.ts';

/** What commands may do with the screen: stdout carries the asked-for data and nothing else. */
export type Terminal = Messages &
  Prompt & {
    readonly format: Format;
    readonly quiet: boolean;
    /** Columns of the screen that the answer goes to; without one nothing is cut. */
    readonly width: number;
    /** stderr may be redrawn: a terminal outside CI, and not with JSON, whose lines programs read. */
    readonly moves: boolean;
    /** A person can be asked. */
    readonly mayAsk: boolean;
    /** Shows on a terminal that something is waited for; elsewhere nothing. */
    readonly waiting: Waiting;
    /**
     * To stdout or the file of -o; resolves when it is handed over. Pipes and files get it to the
     * byte, a screen without what could move its cursor.
     */
    readonly write: (text: Text | Uint8Array) => Promise<void>;
    show<T extends Fields>(view: View<T>): Promise<void>;
    /** Throws `usage` where others are asked for: to be called before anything is changed. */
    requireFields(known: readonly string[]): void;
    /**
     * Looks at what is asked of the answer before anything is done for it: a filter that jq does not
     * take is `usage`, a file of -o that is there `conflict`.
     */
    prepare(): Promise<void>;
    /** stdin as it comes, for what is too long to be kept. */
    readonly input: Streams['stdin'];
    /** Puts the file of -o in its place, or does away with what there is of it; the first call decides. */
    conclude(succeeded: boolean): Promise<void>;
  };

/** The answer goes to stdout anyway, which `-` stands for. */
function fileOf({ output }: TerminalFlags): string | undefined {
  return output === '-' ? undefined : output;
}

/** Where a screen does not say how wide it is. */
const usualWidth = 80;

/** Columns of help, which is broken in a pipe as well. */
export function helpWidth({ width }: Pick<Terminal, 'width'>): number {
  return width === Number.POSITIVE_INFINITY ? usualWidth : width;
}

const unseen: Waiting = { during: (act) => act() };

export function createTerminal(
  streams: Streams,
  flags: () => TerminalFlags,
  signal: () => AbortSignal,
): Terminal {
  const atOnce = stdoutAtOnce(streams);
  const writeOut = createWrite(() => streams.stdout, atOnce);
  let file: OutputFile | undefined;
  let filter: Promise<Filter> | undefined;
  let waiting: Waiting | undefined;
  const isScreen = () =>
    atOnce === undefined && streams.stdout.isTTY === true && fileOf(flags()) === undefined;

  const terminal: Terminal = {
    ...createMessages(streams, flags),
    ...createPrompt(streams, flags, signal),
    get format() {
      const { field, jq } = flags();
      // What a filter reads is the same on a screen and in a pipe.
      const format = formatOfFile(fileOf(flags()));
      const asked = { ...(format && { format }), ...flags() };
      return chooseFormat(asked, isScreen() && field === undefined && jq === undefined);
    },
    get quiet() {
      return flags().quiet === true;
    },
    get width() {
      return isScreen() ? streams.stdout.columns || usualWidth : Number.POSITIVE_INFINITY;
    },
    get moves() {
      const isScreenful = streams.stderr.isTTY === true && !isCi(streams) && !isDumb(streams);
      return isScreenful && !isJson(terminal.format);
    },
    get mayAsk() {
      return mayAsk(streams, flags());
    },
    get waiting() {
      // Some terminals do not know how wide they are; a spinner would redraw them for ever.
      const isKnown = (streams.stderr.columns ?? 0) > 0;
      if (!isKnown || !terminal.moves || terminal.quiet) return unseen;
      return (waiting ??= createWaiting(
        streams.stderr,
        wantsColour(streams, streams.stderr, flags()),
      ));
    },
    get input() {
      return streams.stdin;
    },
    write: async (text) => {
      const { overwrite = false } = flags();
      const output = fileOf(flags());
      const bytes = shown(text);
      if (output === undefined) return writeOut(bytes);
      const { createOutputFile } = await import('./output.ts');
      file ??= createOutputFile(pathOf(output), overwrite);
      return file.write(bytes);
    },
    show: (view) =>
      show(view, {
        format:
          view.isDocument === true ? documentFormat('one' in view ? view : {}) : terminal.format,
        selection: flags(),
        isScreen: isScreen(),
        width: terminal.width,
        write: terminal.write,
        page: (text) => page(text),
        filter: async (json, words) => (await filterOf(words)).run(json),
      }),
    requireFields: (known) => {
      const { fields, field } = flags();
      requireFields(fields ?? (field === undefined ? [] : [field]), known);
    },
    prepare: async () => {
      const { jq, overwrite = false } = flags();
      const output = fileOf(flags());
      if (output !== undefined) {
        const { requirePlace } = await import('./output.ts');
        await requirePlace(pathOf(output), overwrite);
      }
      if (jq !== undefined) await filterOf(jq);
    },
    conclude: async (succeeded) => {
      await filter?.then(
        (compiled) => compiled.close(),
        () => {}, // It was told when it was refused.
      );
      const written = file;
      file = undefined;
      await (succeeded ? written?.keep() : written?.discard());
    },
  };
  return terminal;

  function pathOf(output: string): string {
    return resolve(streams.cwd?.() ?? '', output);
  }

  async function filterOf(words: string): Promise<Filter> {
    const { compileJq } = await import('./output.ts');
    return (filter ??= compileJq(words, { env: streams.env, signal: signal() }));
  }

  function shown(text: Text | Uint8Array): string | Uint8Array {
    if (text instanceof Uint8Array) {
      return isScreen() ? printableText(Buffer.from(text).toString('utf8')) : text;
    }
    const coloured = wantsColour(streams, isScreen() ? streams.stdout : {}, flags());
    return render(text, coloured, isScreen() ? printableText : undefined);
  }

  function documentFormat({ human, rows }: Pick<OneView, 'human' | 'rows'>): Format {
    const { json, format, output } = flags();
    if (json === true) return 'json';
    // A pipe takes lines; a file keeps the document.
    const usual = rows && output === undefined ? 'tsv' : 'json';
    const named = format ?? formatOfFile(fileOf(flags()));
    return named ?? (isScreen() && human ? 'table' : usual);
  }

  /** Text for reading, through a pager where it is longer than the screen. */
  async function page(text: Text): Promise<void> {
    const lines = String(shown(text));
    const isWanted = isScreen() && !isCi(streams) && !isDumb(streams) && flags().pager !== false;
    const isLong = () =>
      lines.split('\n').length > (streams.stdout.rows ?? Number.POSITIVE_INFINITY);
    if (!isWanted || !isLong()) return terminal.write(text);
    const { showInPager } = await import('./subprocess.ts');
    if (!(await showInPager(lines, streams.env))) await terminal.write(text);
  }
}
