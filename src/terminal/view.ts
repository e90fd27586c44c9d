/** Members of one thing as they stand in JSON; `undefined` members are left out. */
export type Fields = Readonly<Record<string, unknown>>;

/** What a command says: what there is, not how it looks. The terminal decides that, once. */
export type View = OneView | ManyView;

export type OneView = {
  readonly one: Fields;
  /** The fields of a tab-separated line, in order. */
  readonly columns: readonly string[];
  /** For a person; default: one line a field. */
  readonly human?: () => string;
};

export type ManyView = {
  readonly many: AsyncIterable<Fields> | Iterable<Fields>;
  readonly columns: readonly string[];
  /** For a person instead of a table: one line a thing. */
  readonly line?: (thing: Fields) => string;
};

/** The value as one line of text: strings as they are, nothing for absent, JSON for the rest. */
export function textOf(value: unknown): string {
  if (value === undefined || value === null) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}
