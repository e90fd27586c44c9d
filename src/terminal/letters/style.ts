import { isDumb } from '../streams.ts';

export type Tone = 'bold' | 'dim' | 'red' | 'yellow' | 'green';

/** A piece of text with a look. Only `render` turns it into what a terminal understands. */
export type Span = { readonly tone: Tone; readonly text: string };

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

export type ColourQuestion = {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly isTerminal: boolean;
  /** `--no-color` was given. */
  readonly refused: boolean;
};

/** NO_COLOR and FORCE_COLOR as the tools around us read them; else colour on terminals only. */
export function wantsColour({ env, isTerminal, refused }: ColourQuestion): boolean {
  if (refused || isSet(env['NO_COLOR'])) return false;
  if (isSet(env['FORCE_COLOR'])) return env['FORCE_COLOR'] !== '0';
  return isTerminal && !isDumb({ env });
}

function isSet(value: string | undefined): value is string {
  return value !== undefined && value !== '';
}
