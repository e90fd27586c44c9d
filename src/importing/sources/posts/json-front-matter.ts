/**
 * Where the JSON object ends that a post begins with, as Hugo writes them: behind its last brace.
 * Absent where the text begins with no such object (a shortcode may begin with a brace too),
 * Infinity where it is never closed.
 */
export function endOfJsonObject(text: string): number | undefined {
  if (!/^\{\s*["}]/.test(text)) return undefined;
  for (const { sign, at, depth } of signsOf(text)) {
    if (sign === '}' && depth === 0) return at + 1;
  }
  return Infinity;
}

/** The text of each member of an object, in order: parsed as a whole, one of two of a name is lost. */
export function jsonMembers(object: string): readonly string[] {
  const members: string[] = [];
  let start = object.indexOf('{') + 1;
  for (const { sign, at, depth } of signsOf(object)) {
    if (sign === ',' ? depth !== 1 : sign !== '}' || depth !== 0) continue;
    members.push(object.slice(start, at));
    start = at + 1;
  }
  return members;
}

type Sign = {
  readonly sign: string;
  readonly at: number;
  /** Of brackets and braces that are open behind it. */
  readonly depth: number;
};

/** The signs outside of texts that make a structure. */
function* signsOf(text: string): Generator<Sign, void, void> {
  let depth = 0;
  let inString = false;
  for (let at = 0; at < text.length; at += 1) {
    const sign = text[at] ?? '';
    if (inString && sign === '\\') at += 1;
    else if (sign === '"') inString = !inString;
    else if (!inString && '{[]},'.includes(sign)) {
      if (sign === '{' || sign === '[') depth += 1;
      else if (sign !== ',') depth -= 1;
      yield { sign, at, depth };
    }
  }
}
