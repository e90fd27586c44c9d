import * as z from 'zod/mini';

import { readChunks } from '../sources/files/chunks.ts';
import { readLines, type Line } from '../sources/files/lines.ts';

/** What is needed to run an import again. */
export type Run = z.infer<typeof Run>;
const Run = z.object({
  id: z.string(),
  /** When it was started, RFC 3339. */
  started: z.string(),
  /** As `--blog` takes it. */
  blog: z.string(),
  /** The folder that `sources` are relative to. */
  folder: z.string(),
  sources: z.array(z.string()),
  /** The options of the command, by their names in the program. */
  options: z.record(z.string(), z.unknown()),
});

/** A record the blog has: fingerprints of the text sent and of the text stored, hexadecimal. */
export type Answered = {
  readonly answered: string;
  readonly sent: string;
  readonly stored: string;
  readonly url: string;
};

export type JournalLine = Answered | { readonly intends: string } | { readonly run: Run };

/** The whole lines of a journal, those of one chunk together; one that a kill has cut off is left out. */
export async function* readJournal(
  path: string,
): AsyncGenerator<Iterable<JournalLine>, void, void> {
  for await (const lines of readLines(readChunks(path))) yield journalLines(lines);
}

function* journalLines(lines: Iterable<Line>): Generator<JournalLine, void, void> {
  for (const { bytes } of lines) {
    const line = parse(bytes.toString('utf8'));
    if (isAnswered(line)) yield line;
    else if (isObject(line) && 'run' in line) {
      const run = Run.safeParse(line['run']);
      if (run.success) yield { run: run.data };
    }
  }
}

/** By hand, not by schema: there may be a million of them. */
function isAnswered(line: unknown): line is Answered {
  return (
    isObject(line) &&
    typeof line['answered'] === 'string' &&
    isFingerprint(line['sent']) &&
    isFingerprint(line['stored']) &&
    typeof line['url'] === 'string'
  );
}

function isFingerprint(value: unknown): boolean {
  return typeof value === 'string' && /^[\da-f]{1,16}$/.test(value);
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

function parse(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return value;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
