import { isDumb } from '../streams.ts';

export type Style = {
  bold(text: string): string;
  dim(text: string): string;
  red(text: string): string;
  yellow(text: string): string;
  green(text: string): string;
};

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

export function createStyle(coloured: boolean): Style {
  const paint = (open: number, close: number) => (text: string) =>
    coloured && text !== '' ? `\x1b[${open}m${text}\x1b[${close}m` : text;
  return {
    bold: paint(1, 22),
    dim: paint(2, 22),
    red: paint(31, 39),
    yellow: paint(33, 39),
    green: paint(32, 39),
  };
}

function isSet(value: string | undefined): value is string {
  return value !== undefined && value !== '';
}
