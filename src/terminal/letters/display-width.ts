/** Columns the text takes on a terminal: 2 for CJK and emoji, 0 for marks and joined parts. */
export function displayWidth(text: string): number {
  if (isPlainAscii.test(text)) return text.length;
  let width = 0;
  for (const cluster of clusters(text)) width += clusterWidth(cluster);
  return width;
}

/** The text, or as much of it as fits the columns together with `…`. */
export function cutToWidth(text: string, columns: number): string {
  if (displayWidth(text) <= columns) return text;
  let kept = '';
  let width = 0;
  for (const cluster of clusters(text)) {
    width += clusterWidth(cluster);
    if (width > columns - 1) break;
    kept += cluster;
  }
  return columns < 1 ? '' : `${kept.trimEnd()}…`;
}

export function padToWidth(text: string, columns: number): string {
  return text + ' '.repeat(Math.max(0, columns - displayWidth(text)));
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
    // joiner, and flags made of two letters.
    cluster: new RegExp(
      String.raw`\p{RI}\p{RI}|[^\p{M}\u200d][\p{M}\p{EMod}\ufe0e\ufe0f\u{e0020}-\u{e007f}]*(?:\u200d[^\p{M}\u200d][\p{M}\p{EMod}\ufe0e\ufe0f]*)*|.`,
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

function clusters(text: string): readonly string[] {
  return text.match(unicode().cluster) ?? [];
}

function clusterWidth(text: string): number {
  if (narrowKatakanaOrHangul.test(text)) return 1;
  const { wide, flag, invisible } = unicode();
  if (wide.test(text) || text.includes('\ufe0f') || flag.test(text)) return 2;
  return invisible.test(text) ? 0 : 1;
}
