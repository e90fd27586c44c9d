import type { Identity } from './identity.ts';
import type { NotPublic, PublicitySigns } from './publicity.ts';

/**
 * Where a record stands: a file (relative to what was named) and its 1-based position in it; 0 is the
 * file or folder itself.
 */
export type SourcePosition = { readonly source: string; readonly position: number };

/** What a reader should know about a record that was read all the same. */
export type Notice = {
  readonly kind:
    | 'title-read-alone'
    | 'broken-head'
    | 'known-by-text'
    | 'repeated-title'
    | 'repeated-column'
    | 'unclear-backslash'
    | 'link-out-of-source'
    | 'link-within-source'
    | 'broken-link'
    | 'unclear-file'
    | 'conflict-of-git'
    | 'not-sorted'
    | 'not-read'
    | 'no-pages'
    | 'stored-otherwise'
    | 'still-public';
  readonly message: string;
};

export type RecordEntry = {
  readonly kind: 'record';
  readonly identity: Identity;
  readonly place: SourcePosition;
  readonly title: string;
  readonly content: string;
  /** The address of the article that it says it is (decisions 55). */
  readonly article?: string | undefined;
  readonly notices?: readonly Notice[] | undefined;
};

export type SkipEntry = {
  readonly kind: 'skip';
  readonly place: SourcePosition;
  /** Of one that is not public: it may have been imported before. */
  readonly identity?: Identity;
  readonly reason: SkipReason;
  /** The member that says so, where one does by itself; its value as `textOf` has it: '' for null and nothing. */
  readonly sign?: { readonly name: string; readonly value: string } | undefined;
  readonly notices?: readonly Notice[] | undefined;
};

/**
 * Why a record is passed over. A section page is Hugo's `_index` file: it describes a folder and is no
 * article. Repeated is one whose identity and text stood in the source before.
 */
export type SkipReason = NotPublic | 'section-page' | 'repeated' | `type ${string}`;

export type RejectEntry = {
  readonly kind: 'reject';
  readonly place: SourcePosition;
  readonly error: { readonly class: ErrorClass; readonly message: string };
  readonly identity?: Identity;
  /** The record as far as it could be read: an object, or the text as it stands. */
  readonly record?: unknown;
  readonly readAs?: ReadAs | undefined;
};

/** How a record was read, beside what stands in it: mended, it is judged by the same signs and known by the same member. */
export type ReadAs = {
  /** Where it stood first, of one that is rejected again. */
  readonly source?: string | undefined;
  /** What it has of its own. */
  readonly map?: Partial<ReadingOptions['map']> | undefined;
  readonly keyField?: string | undefined;
  readonly beside?: ReadingOptions['beside'];
};

export type NoticeEntry = {
  readonly kind: 'notice';
  readonly place: SourcePosition;
  readonly notice: Notice;
};

/** About a file or folder, not about a record in it. */
export function noticeOf(source: string, kind: Notice['kind'], message: string): NoticeEntry {
  return { kind: 'notice', place: { source, position: 0 }, notice: { kind, message } };
}

/** Only posts have dates and names that they are sorted by. */
export function unsortedNotice(source: string, sort: 'date' | 'name'): NoticeEntry {
  const message = `--sort ${sort} has no effect on a file of records: they stay in its order.`;
  return noticeOf(source, 'not-sorted', message);
}

export type Entry = RecordEntry | SkipEntry | RejectEntry | NoticeEntry;

/**
 * Entries that are read together, from one chunk of a file or one file: reading is waited for once
 * a batch, not once a record. It is gone through once, and only good until the next one is asked
 * for.
 */
export type Batch<T = Entry> = Iterable<T>;

/** Something that can be read twice, in the same order, without keeping its texts. */
export type Source = {
  /** As the summary and the rejects file name it. */
  readonly name: string;
  /** Where the paths in `file:` addresses of its records begin; the current folder without one. */
  readonly folder?: string;
  batches(): AsyncIterable<Batch>;
};

export type ReadingOptions = {
  /** Where the title comes from when the front matter has none. */
  readonly titleFrom?: 'h1' | 'line' | 'filename' | undefined;
  /** The order of the files of folders and patterns; that of their paths where it is absent. */
  readonly sort?: 'date' | 'name' | undefined;
  /** Import what is not public too (decisions 50). */
  readonly drafts: boolean;
  /** A post with a conflict of git is read all the same, and has a notice. */
  readonly unmerged?: true;
  /** When the import began, in milliseconds since 1970: what is dated later is not public yet. */
  readonly now: number;
  /** Members of a record that hold title and content, or say what is public. */
  readonly map: { readonly title: string; readonly content: string } & {
    readonly [Sign in keyof PublicitySigns]?: string;
  };
  /** What another file or a list's name says of all that is read with these options. */
  readonly beside?: readonly {
    readonly key: string;
    readonly value: unknown;
    readonly name?: string;
    /** What a post says itself of it stands before it. */
    readonly isDefault?: true;
  }[];
  /** Told of each member that `map` names as a sign and that a record has, by its name there, and of types (`type page`). */
  readonly found?: (name: string) => void;
  /** Where the paths of posts begin; else at the root of their work tree (decisions 44). */
  readonly root?: string | undefined;
  /** Member that identifies a record. */
  readonly keyField?: string | undefined;
  /** Member of a JSON document that holds the records. */
  readonly list?: string | undefined;
  /** Of files that are not UTF-8. */
  readonly encoding?: string | undefined;
  /** Between the columns of a CSV file, where the header leaves doubt. */
  readonly delimiter?: string | undefined;
  /** Kinds of items of an export that are imported; posts where it is absent. */
  readonly types?: readonly string[] | undefined;
  /** States of records that are imported, or `any`; what is public where it is absent. */
  readonly statuses?: readonly string[] | undefined;
  /** Mend what XML forbids and exports hold all the same. */
  readonly repairXml?: boolean | undefined;
};

export type ErrorClass =
  | 'encoding'
  | 'front-matter'
  | 'title'
  | 'content'
  | 'syntax'
  | 'identity'
  | 'unreadable';

/** Why one record cannot be imported; caught where the record becomes an entry. */
export class ValidationError extends Error {
  override readonly name = 'ValidationError';
  readonly class: ErrorClass;

  constructor(errorClass: ErrorClass, message: string, options?: ErrorOptions) {
    super(message, options);
    this.class = errorClass;
  }
}

/** The entry of a record that cannot be imported; what is no fault of the record is thrown again. */
export function rejectOf(error: unknown, record: Omit<RejectEntry, 'kind' | 'error'>): RejectEntry {
  if (!(error instanceof ValidationError)) throw error;
  return { kind: 'reject', error, ...record };
}

/** The entry itself; a reject with how it was read. */
export function withReadAs(entry: Entry, { map, keyField, beside }: ReadingOptions): Entry {
  if (entry.kind !== 'reject' || entry.readAs !== undefined) return entry;
  const own = Object.entries(map).filter(([member, name]) => member !== name);
  if (own.length === 0 && keyField === undefined && beside === undefined) return entry;
  const named = own.length === 0 ? undefined : Object.fromEntries(own);
  return { ...entry, readAs: { map: named, keyField, beside: beside && writable(beside) } };
}

/** What YAML holds may be endless. */
function writable(beside: NonNullable<ReadAs['beside']>): NonNullable<ReadAs['beside']> {
  try {
    JSON.stringify(beside);
    return beside;
  } catch {
    return [{ key: 'draft', value: 'not read' }];
  }
}

/** The source itself, its rejects with how they were read. */
export function sourceReadAs(source: Source, options: ReadingOptions): Source {
  return {
    ...source,
    async *batches() {
      for await (const batch of source.batches())
        yield Array.from(batch, (entry) => withReadAs(entry, options));
    },
  };
}

/** What is known of a file before its format is. */
export type FileSample = {
  readonly path: string;
  readonly name: string;
  /** In lower case, with its dot. */
  readonly extension: string;
  /** Its first 64 KB as text, without byte order mark and white space in front. */
  readonly head: string;
};

export type FileFormat = {
  readonly name: string;
  /** Only of a file that was named itself: in a folder it may stand there for another reason. */
  readonly isNeverFound?: true;
  recognises(sample: FileSample, options: ReadingOptions): boolean | Promise<boolean>;
  open(sample: FileSample, options: ReadingOptions): Source | Promise<Source>;
};

const visible = /[^\s\p{C}]/u;

/** The title itself; a ValidationError where nothing in it can be seen. */
export function checkTitle(title: string): string {
  if (!visible.test(checkText('title', title)))
    throw new ValidationError('title', 'The title is empty.');
  return title;
}

/** The text itself; a ValidationError where it holds half a character, which no UTF-8 can carry. */
export function checkText(name: 'title' | 'content', text: string): string {
  if (text.isWellFormed()) return text;
  const at = text.search(/\p{Surrogate}/u);
  const unit = text.charCodeAt(at).toString(16).toUpperCase();
  throw new ValidationError(
    name,
    `The ${name} holds half a character (U+${unit}) at position ${at + 1}.`,
  );
}
