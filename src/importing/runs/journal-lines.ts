import { createReadStream } from 'node:fs';

import { z } from 'zod';

import { readLines } from '../sources/files/lines.ts';

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
export type Answered = z.infer<typeof Answered>;
const Answered = z.object({
  answered: z.string(),
  sent: z.string().regex(/^[\da-f]{1,16}$/),
  stored: z.string().regex(/^[\da-f]{1,16}$/),
  url: z.string(),
});

const Intended = z.object({ intends: z.string() });
const Line = z.union([Answered, Intended, z.object({ run: Run })]);

export type JournalLine = z.infer<typeof Line>;

/** The whole lines of a journal; one that a kill has cut off is left out. */
export async function* readJournal(path: string): AsyncGenerator<JournalLine, void, void> {
  for await (const { bytes } of readLines(createReadStream(path))) {
    const line = Line.safeParse(parse(bytes.toString('utf8')));
    if (line.success) yield line.data;
  }
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
