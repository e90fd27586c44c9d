import { jsonMembers } from '../posts/json-front-matter.ts';
import { isSignName, type Member } from '../publicity-signs.ts';
import { Flaw } from '../source.ts';

/**
 * A JSON text as its value; a Flaw with the parser's reason where it is none. A whole number that
 * JavaScript could not tell from its neighbours (beyond 2^53) is the text of its digits.
 */
export function parseJson(text: string): unknown {
  const value = checked(parsed(text));
  return holdsLongNumber(value) ? parsed(withExactNumbers(text)) : value;
}

/**
 * The members of a parsed object; of signs that it is not public those too whose names stand twice
 * in its text, of which a parser keeps only the last.
 */
export function membersOfJson(value: unknown, text: string): readonly Member[] {
  if (typeof value !== 'object' || value === null) return [];
  const members = membersOf(value);
  const isRepeated = members.some(({ key }) => isSignName(key) && !standsOnce(key, text));
  if (!isRepeated) return members;
  return jsonMembers(text).flatMap((member) => membersOf(JSON.parse(`{${member}}`)));
}

function membersOf(object: object): readonly Member[] {
  return Object.entries(object).map(([key, value]) => ({ key, value }));
}

/** A name may also stand in a text or deeper, or be written with escapes. */
function standsOnce(name: string, text: string): boolean {
  const written = JSON.stringify(name);
  const first = text.indexOf(written);
  return first !== -1 && !text.includes(written, first + 1);
}

/** Seen in what was parsed, because looking through every text takes as long as parsing it. */
function holdsLongNumber(value: unknown): boolean {
  if (typeof value === 'number') return Math.abs(value) > Number.MAX_SAFE_INTEGER;
  if (typeof value !== 'object' || value === null) return false;
  return Object.values(value).some(holdsLongNumber);
}

/** Of valid JSON; what stands in its strings is left alone. */
function withExactNumbers(text: string): string {
  let inString = false;
  return text.replaceAll(/\\[^]|"|-?\d[\d.eE+-]*/g, (sign) => {
    if (sign === '"') inString = !inString;
    const isWhole = !inString && /^-?\d{16,}$/.test(sign);
    return isWhole && !Number.isSafeInteger(Number(sign)) ? `"${sign}"` : sign;
  });
}

function checked(value: unknown): unknown {
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
