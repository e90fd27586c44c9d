/**
 * Where the JSON object ends that a post begins with, as Hugo writes them: behind its last brace.
 * Absent where the text begins with no such object (a shortcode may begin with a brace too),
 * Infinity where it is never closed.
 */
export function endOfJsonObject(text: string): number | undefined {
  if (!/^\{\s*["}]/.test(text)) return undefined;
  let depth = 0;
  let inString = false;
  for (let at = 0; at < text.length; at += 1) {
    const sign = text[at];
    if (inString && sign === '\\') at += 1;
    else if (sign === '"') inString = !inString;
    else if (!inString && sign === '{') depth += 1;
    else if (!inString && sign === '}') depth -= 1;
    if (depth === 0) return at + 1;
  }
  return Infinity;
}
