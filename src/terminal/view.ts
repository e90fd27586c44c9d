import type { Hint } from '../errors.ts';
import type { Text } from './text.ts';

/** The shapes an answer can be written in. */
export const formats = ['table', 'json', 'ndjson', 'csv', 'tsv', 'ids', 'md'] as const;

/** Reports of tests, which `blogctl check` alone has. */
export const reportFormats = ['tap', 'junit'] as const;

export type ReportFormat = (typeof reportFormats)[number];

export type Format = (typeof formats)[number] | ReportFormat;

export const allFormats = [...formats, ...reportFormats] as const;

export function isReport(format: Format | undefined): format is ReportFormat {
  return reportFormats.some((each) => each === format);
}

/** What was asked for; else a table for a person and tab-separated lines for a pipe. */
export function chooseFormat(
  asked: { readonly format?: Format; readonly json?: boolean },
  isScreen: boolean,
): Format {
  return (asked.json === true ? 'json' : asked.format) ?? (isScreen ? 'table' : 'tsv');
}

/** The one that a file is called by. */
export function formatOfFile(name = ''): Format | undefined {
  const [, ending = ''] = /\.(\w+)$/.exec(name) ?? [];
  return fileFormats.get(ending.toLowerCase());
}

const fileFormats = new Map<string, Format>([
  ...(['json', 'ndjson', 'csv', 'tsv', 'md', ...reportFormats] as const).map(
    (name) => [name, name] as const,
  ),
  ['jsonl', 'ndjson'],
  ['markdown', 'md'],
  ['txt', 'table'],
]);

/** A line is a thing of its own. */
export const rowFormats: ReadonlySet<Format> = new Set(['tsv', 'csv', 'ids', 'ndjson']);

/** Errors are one JSON line where the answer would have been JSON. */
export function isJson(format: Format): boolean {
  return format === 'json' || format === 'ndjson';
}

/** Members of one thing as they stand in JSON; `undefined` members are left out. */
export type Fields = Readonly<Record<string, unknown>>;

/** What a command says: what there is, not how it looks. The terminal decides that, once. */
export type View<T extends Fields = Fields> = OneView<T> | ManyView<T>;

type Columns<T extends Fields> = {
  /** The fields of a line, in order. */
  readonly columns: readonly (keyof T & string)[];
  /** Every field there may be; default: the columns. */
  readonly fields?: readonly (keyof T & string)[];
  /** The field that `--format ids` writes; default `id`. */
  readonly id?: keyof T & string;
  /** A document of its own shape: JSON, unless another format is asked for or `human` can tell it. */
  readonly isDocument?: boolean;
  /** What was done before, as a sentence: said where it cannot be shown, so that nobody does it again. */
  readonly done?: Hint | undefined;
};

export type OneView<T extends Fields = Fields> = Columns<T> & {
  readonly one: T;
  /** For a person; default: one line a field. */
  readonly human?: () => Text;
  /** What it is made of, for formats of which each line is a thing. */
  readonly rows?: ManyView;
  /** As a Markdown document; default: a table of the columns. */
  readonly markdown?: () => Promise<string>;
  /** As reports of tests, which only what tests has. */
  readonly reports?: { readonly tap: () => string; readonly junit: () => string };
  /** What formats of lines have a line of, each; default: the one thing. */
  readonly lines?: ManyView;
};

export type ManyView<T extends Fields = Fields> = Columns<T> & {
  readonly many: AsyncIterable<T> | Iterable<T>;
  /** For a person: what stands in a row of the table, under its names; default: the columns. */
  row?(thing: T): Fields;
  /** In the table nothing is cut. */
  readonly isWhole?: boolean;
  /** For a person instead of a table: each thing as text, without the last line break. */
  text?(thing: T): Text;
};

/** The value as one line of text: strings as they are, nothing for absent, JSON for the rest. */
export function textOf(value: unknown): string {
  if (value === undefined || value === null) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** As gh and wp-cli call them. */
const alsoCalled: Readonly<Record<string, string>> = {
  number: 'id',
  name: 'title',
  body: 'content',
  text: 'content',
  link: 'url',
  guid: 'url',
  status: 'state',
  databaseid: 'id',
  updatedat: 'updated',
  modified: 'updated',
};

/** What a field of an article is called here. */
export function ownName(name: string): string {
  const field = name.toLowerCase();
  // `post_name` is no title, but what stands in an address.
  const own = field.replace(/^post_(?!name$)/, '');
  return alsoCalled[own] ?? own;
}

/** Two letters that were typed in each other's place leave the same ones: `remvoe`. */
export function lettersOf(word: string): string {
  return word.split('').toSorted().join('');
}

/** What is called so elsewhere, or has one letter out of its place. */
export function fieldFor(name: string, known: readonly string[]): string | undefined {
  const own = ownName(name);
  const isUrl = own === 'url' && !known.includes('url');
  const isSwapped = (field: string) => field[0] === own[0] && lettersOf(field) === lettersOf(own);
  return (
    known.find((field) => field === name || field === own || isSwapped(field)) ??
    (isUrl ? known.find((field) => field === 'address') : undefined)
  );
}
