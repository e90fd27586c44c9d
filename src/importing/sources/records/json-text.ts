import { Flaw } from '../source.ts';

/** A JSON text as its value; a Flaw with the parser's reason where it is none. */
export function parseJson(text: string): unknown {
  const value = parsed(text);
  if (!isDeeper(value, mostLevels)) return value;
  throw new Flaw('syntax', `Nested in more than ${mostLevels} levels, which no article is.`);
}

/** What is deeper cannot be written again without running out of stack. */
const mostLevels = 64;

function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((inner) => isDeeper(inner, levels - 1));
}

function parsed(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return value;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Flaw('syntax', `Not JSON: ${reason}`, { cause: error });
  }
}
