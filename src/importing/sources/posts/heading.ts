/** The first line of a text with something on it, without the white space around it. */
export function firstLine(text: string): string | undefined {
  return linesFrom(text).first?.trim();
}

/** That line, when Markdown makes it a heading of the first level. */
export function firstHeading(text: string): string | undefined {
  const { first, second = '' } = linesFrom(text);
  // Four columns of white space make it code.
  if (first === undefined || !/^ {0,3}\S/.test(first)) return undefined;
  const line = first.trim();
  if (/^#[ \t]/.test(line)) return withoutClosingSigns(line.slice(1).trim()) || undefined;
  const isUnderlined = /^ {0,3}=+[ \t\r]*$/.test(second);
  return isUnderlined && !/^[#>=-]/.test(line) ? line : undefined;
}

/** `# Heading ##`: the signs at the end belong to the heading only where they stand against it. */
function withoutClosingSigns(heading: string): string {
  if (!heading.endsWith('#')) return heading;
  let end = heading.length;
  while (heading[end - 1] === '#') end -= 1;
  return end === 0 || /\s/.test(heading[end - 1] ?? '') ? heading.slice(0, end).trim() : heading;
}

function linesFrom(text: string): { first?: string; second?: string } {
  const start = text.search(/\S/);
  if (start === -1) return {};
  const from = text.lastIndexOf('\n', start) + 1;
  const end = text.indexOf('\n', from);
  if (end === -1) return { first: text.slice(from) };
  const next = text.indexOf('\n', end + 1);
  return {
    first: text.slice(from, end),
    second: text.slice(end + 1, next === -1 ? undefined : next),
  };
}
