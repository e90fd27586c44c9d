export type Tone = 'bold' | 'dim' | 'red' | 'yellow' | 'green';

/** A piece of text with a look. Only `render` turns it into what a terminal understands. */
type Span = { readonly tone: Tone; readonly text: string };

export type Piece = string | Span;

/**
 * What a person reads. Strings in it may be anybody's, so an escape sequence in one is never ours:
 * a look is asked for by a Span.
 */
export type Text = Piece | readonly Piece[];

const span = (tone: Tone) => (text: string) => ({ tone, text }) satisfies Span;

export const bold = span('bold');
export const dim = span('dim');
export const red = span('red');
export const yellow = span('yellow');
export const green = span('green');

/** SGR: what turns each look on and off again (ECMA-48, 8.3.117). */
const codes: Readonly<Record<Tone, readonly [number, number]>> = {
  bold: [1, 22],
  dim: [2, 22],
  red: [31, 39],
  yellow: [33, 39],
  green: [32, 39],
};

/** The text with its looks, or without them; `clean` is done to what each piece says. */
export function render(
  text: Text,
  coloured: boolean,
  clean: (text: string) => string = String,
): string {
  return piecesOf(text)
    .map((piece) => {
      if (typeof piece === 'string') return clean(piece);
      const shown = clean(piece.text);
      const [open, close] = codes[piece.tone];
      return coloured && shown !== '' ? `\x1b[${open}m${shown}\x1b[${close}m` : shown;
    })
    .join('');
}

export function piecesOf(text: Text): readonly Piece[] {
  return typeof text === 'string' || 'tone' in text ? [text] : text;
}

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

/** JSON by which texts that look alike are told apart: combining marks, and spaces and marks that are not seen, are escaped. */
export function distinctJson(value: unknown): string {
  return JSON.stringify(value).replaceAll(
    /[\u0300-\u036f]|[\u00ad\u200b-\u200d\u2060]|(?! )\p{Zs}/gu,
    unicodeEscape,
  );
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

/** Columns the text takes on a terminal: 2 for CJK and emoji, 0 for marks and joined parts. */
export function displayWidth(text: string): number {
  if (isPlainAscii.test(text)) return text.length;
  let width = 0;
  for (const cluster of clusters(text)) width += clusterWidth(cluster);
  return width;
}

/** Of any script, in a column: whoever piles up more marks says nothing by them. */
export const mostSigns = 16;

/** The text, or as much of it as fits the columns together with `…`. */
export function cutToWidth(text: string, columns: number): string {
  const most = columns * mostSigns;
  if (text.length <= most && displayWidth(text) <= columns) return text;
  let kept = '';
  let width = 0;
  // The last one may be cut in two, and has no place anyway.
  for (const cluster of clusters(text.slice(0, most)).slice(0, -1)) {
    width += clusterWidth(cluster);
    if (width > columns - 1) break;
    kept += cluster;
  }
  return columns < 1 ? '' : `${kept.trimEnd()}…`;
}

const isPlainAscii = /^[\u0020-\u007e]*$/;

type Patterns = {
  readonly cluster: RegExp;
  readonly wide: RegExp;
  readonly flag: RegExp;
  readonly invisible: RegExp;
};

let patterns: Patterns | undefined;

/** Compiled when first needed: Unicode properties cost a start more than all the rest of this. */
function unicode(): Patterns {
  return (patterns ??= {
    // A base with what is drawn into the same place: marks, selectors, skin tones, parts after a
    // joiner, and flags made of two letters; bounded, or one of millions would be looked at in vain.
    cluster: new RegExp(
      String.raw`\p{RI}\p{RI}|[^\p{M}\u200d][\p{M}\p{EMod}\ufe0e\ufe0f\u{e0020}-\u{e007f}]{0,32}(?:\u200d[^\p{M}\u200d][\p{M}\p{EMod}\ufe0e\ufe0f]{0,32}){0,8}|.`,
      'gsu',
    ),
    // Drawn two columns wide: emoji by default presentation, and the scripts of East Asia in their
    // full-width forms (Unicode UAX #11, classes W and F).
    wide: new RegExp(
      String.raw`^(?:\p{EPres}|[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}\p{sc=Bopomofo}\p{sc=Yi}\u3000-\u303e\u30fc\u31c0-\u31e3\uff01-\uff60\uffe0-\uffe6])`,
      'u',
    ),
    flag: new RegExp(String.raw`^\p{RI}\p{RI}$`, 'u'),
    invisible: new RegExp(String.raw`^[\p{M}\p{Cf}]`, 'u'),
  });
}

const narrowKatakanaOrHangul = /^[\uff61-\uffdc\uffe8-\uffee\u303f\u302a-\u302d\u1160-\u11ff]/;

/** What is drawn into one place, each. */
export function clusters(text: string): readonly string[] {
  return text.match(unicode().cluster) ?? [];
}

function clusterWidth(text: string): number {
  if (narrowKatakanaOrHangul.test(text)) return 1;
  const { wide, flag, invisible } = unicode();
  if (wide.test(text) || text.includes('\ufe0f') || flag.test(text)) return 2;
  return invisible.test(text) ? 0 : 1;
}

/**
 * What nobody is to read in a log: tokens of ours, values of flags and header fields for secrets, one
 * in the query of an address, and who an address says that one is. A colon before a port is none
 * before a password, and a field that is refused may be any.
 */
const secrets =
  /\bbct_\w+|(?<=--[\w-]*(?:token|pass|password|passwd|pwd|secret)=)[^'"`\n]+|(?<=[?&][\w-]*(?:token|pass|password|passwd|pwd|secret|api[_-]?key)=)[^\s"'`\\&#]+|(?<=\b(?:x-access-token|authorization|cookie)[:=] *)[^\s'"`\\][^'"`\\\n]*|(?<=--header <[^>]*>' argument ')[^]+(?=' is invalid)|(?<=:\/\/|\bpostgres(?:ql)?:?\/)[^\s"'`:@/?#]*:(?!\d{1,5}(?:[/?#]|$))[^\s"'`]*(?=@)|(?<=https?:\/\/)[^\s"'`:@/?#]+(?=@)/gi;

/** The text with `…` for each secret in it. */
export function withoutSecrets(text: string): string {
  return text.replaceAll(secrets, '…');
}

/** `3 written, 2 left`: each of which there is one. */
export function counted(counts: Readonly<Record<string, number>>): string {
  const some = Object.entries(counts).filter(([, count]) => count > 0);
  return some.map(([what, count]) => `${count} ${what}`).join(', ');
}

/** A word as a shell reads it; what a screen cannot show as it is stands in it by its bytes. */
export function inShell(word: string): string {
  if (printableLine(word) !== word) {
    const bytes = (signs: string) =>
      [...Buffer.from(signs)].map((byte) => `\\${byte.toString(8).padStart(3, '0')}`).join('');
    const quoted = word.replaceAll(/[\\']/g, String.raw`\$&`);
    return `$'${quoted.replaceAll(lineBreaks, bytes).replaceAll(unsafe, bytes)}'`;
  }
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}

/** A file or folder in a line to paste: one whose name begins as a flag does is not to be read as one. */
export function fileInShell(path: string): string {
  return inShell(path.startsWith('-') ? `./${path}` : path);
}
