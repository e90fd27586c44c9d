/**
 * Text of strangers, made safe for a screen: control and bidirectional-override characters are
 * shown as escapes (`\x1b`, `\u202e`), so that no title can move the cursor, rename the window
 * or turn a line around.
 */
export function printableLine(text: string): string {
  return text.replaceAll(lineBreaks, ' ').replaceAll(unsafe, escaped);
}

/** As printableLine, and no longer than a person reads: a service may say megabytes. */
export function printableWords(text: string): string {
  return printableLine(clipped(text));
}

export function clipped(text: string): string {
  return text.length > mostSaid ? `${text.slice(0, mostSaid)}…` : text;
}

const mostSaid = 2000;

/** As printableLine, but line breaks and tabs stay: for bodies of text. */
export function printableText(text: string): string {
  return text
    .replaceAll('\r\n', '\n')
    .replaceAll(unsafe, (character) =>
      character === '\n' || character === '\t' ? character : escaped(character),
    );
}

/** JSON whose strings hold no such character either; it reads back as the same value. */
export function printableJson(value: unknown, indent?: number): string {
  return JSON.stringify(value, null, indent).replaceAll(unsafeInJson, unicodeEscape);
}

/** One field of a tab-separated line: backslash, tab and line breaks as `\\`, `\t`, `\n`, `\r`. */
export function printableField(text: string): string {
  return text
    .replaceAll('\\', '\\\\')
    .replaceAll('\t', '\\t')
    .replaceAll('\n', '\\n')
    .replaceAll('\r', '\\r')
    .replaceAll(unsafe, escaped);
}

const lineBreaks = /\r\n|[\n\r\t\u2028\u2029]/g;

// C0, DEL, C1; marks and overrides of direction; the separators some terminals break lines at.
const unsafe =
  // oxlint-disable-next-line eslint/no-control-regex -- these are the characters to find
  /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff]/g;

// JSON.stringify escapes C0 itself; the line feeds it writes between members must stay.
const unsafeInJson =
  // oxlint-disable-next-line eslint/no-control-regex -- these are the characters to find
  /[\u007f-\u009f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff]/g;

function escaped(character: string): string {
  const code = character.charCodeAt(0);
  return code < 0x100 ? `\\x${code.toString(16).padStart(2, '0')}` : unicodeEscape(character);
}

function unicodeEscape(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
