import { BlogctlError } from '../../../errors.ts';
import type { FileSample } from '../file-format.ts';
import type { ReadingOptions } from '../source.ts';

const candidates = [',', ';', '\t', '|'] as const;

/** The sign between the columns: the one given, else the one that parts the header line. */
export function delimiterOf({ name, head }: FileSample, { delimiter }: ReadingOptions): string {
  if (delimiter !== undefined) return delimiter;
  const [best, second] = ranked(head);
  if (best.times === 0 || best.times > second.times) return best.sign;
  throw new BlogctlError('unusable-input', `What parts the columns of "${name}" is not clear.`, {
    hint: 'Choose with --delimiter, one of , ; | or tab.',
  });
}

/** The names in the header line; empty where nothing parts it. */
export function columnsOf(head: string, delimiter: string | undefined): readonly string[] {
  const sign = delimiter ?? ranked(head)[0].sign;
  return headerLine(head)
    .split(sign)
    .map((column) => column.replace(/^"(.*)"$/, '$1'));
}

type Rank = { readonly sign: string; readonly times: number };

function ranked(head: string): readonly [Rank, Rank, ...Rank[]] {
  const line = headerLine(head).replaceAll(/"[^"]*"/g, '""');
  const rank = (sign: string): Rank => ({ sign, times: line.split(sign).length - 1 });
  const [comma, semicolon, tab, bar] = candidates;
  const ranks: [Rank, Rank, ...Rank[]] = [rank(comma), rank(semicolon), rank(tab), rank(bar)];
  ranks.sort((a, b) => b.times - a.times);
  return ranks;
}

function headerLine(head: string): string {
  return /^[^\r\n]*/.exec(head)?.[0] ?? '';
}
