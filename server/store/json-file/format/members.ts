/** A member of a JSON object: its name, and its value as compact JSON text. */
export type Member = readonly [name: string, value: string];

const STRING = /"(?:[^"\\]|\\.)*"/y;
const SPACE_OUTSIDE_STRINGS = /("(?:[^"\\]|\\.)*")|\s+/g;

/** The members of an object given as valid JSON text; values keep their exact spelling. */
export function membersOf(object: string): Member[] {
  const text = compactJson(object);
  const members: Member[] = [];
  for (let at = 1; text[at] === '"' || text[at] === ',';) {
    if (text[at] === ',') at += 1;
    const nameEnd = stringEnd(text, at);
    const valueEnd = endOfValue(text, nameEnd + 1);
    const name: unknown = JSON.parse(text.slice(at, nameEnd));
    members.push([String(name), text.slice(nameEnd + 1, valueEnd)]);
    at = valueEnd;
  }
  return members;
}

/** The elements of an array given as valid JSON text, in their exact spelling. */
export function elementsOf(array: string): string[] {
  const text = compactJson(array);
  const elements: string[] = [];
  for (let at = 1; at < text.length - 1;) {
    const end = endOfValue(text, at);
    elements.push(text.slice(at, end));
    at = end + 1;
  }
  return elements;
}

/** The same JSON without white space between its tokens. */
export function compactJson(text: string): string {
  return text.replace(SPACE_OUTSIDE_STRINGS, '$1');
}

function endOfValue(text: string, start: number): number {
  let depth = 0;
  let at = start;
  while (at < text.length) {
    const character = text[at];
    if (character === '"') {
      at = stringEnd(text, at);
      continue;
    }
    if (depth === 0 && (character === ',' || character === '}' || character === ']')) return at;
    if (character === '{' || character === '[') depth += 1;
    if (character === '}' || character === ']') depth -= 1;
    at += 1;
  }
  return at;
}

function stringEnd(text: string, start: number): number {
  STRING.lastIndex = start;
  STRING.test(text);
  return STRING.lastIndex;
}
