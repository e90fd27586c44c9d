import { Flaw } from '../source.ts';

/** A JSON text as its value; a Flaw with the parser's reason where it is none. */
export function parseJson(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return value;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Flaw('syntax', `Not JSON: ${reason}`, { cause: error });
  }
}
