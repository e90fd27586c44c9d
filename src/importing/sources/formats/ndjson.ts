import {
  ValidationError,
  rejectOf,
  type FileFormat,
  type Entry,
  type Batch,
  type ReadingOptions,
  type SourcePosition,
} from '../source.ts';
import { readLines, type Line } from '../chunks.ts';
import { fingerprintOf, type Identity } from '../identity.ts';
import { entryOfItem, unnamed, membersOfJson, parseJson, isObject } from './mapped-record.ts';
import { holdsJsonLines } from './json.ts';
import { decodeRecord, readUtf8, withoutByteOrderMark, decodeUtf8 } from '../encoding.ts';
import { fileKind } from '../file-kind.ts';
import { postTextEntry } from './markdown.ts';

/** One JSON object a line. */
export const jsonLines: FileFormat = {
  name: 'NDJSON',
  recognises: ({ path, extension, head }, { encoding }) =>
    extension === '.ndjson' ||
    extension === '.jsonl' ||
    (head.startsWith('{') && holdsJsonLines(path, encoding)),
  open: ({ path, name }, options) => ({
    name,
    batches: () => lineBatches({ path, name }, options),
  }),
};

async function* lineBatches(
  { path, name }: { path: string; name: string },
  options: ReadingOptions,
): AsyncGenerator<Batch, void, void> {
  for await (const lines of readLines(readUtf8(path, options.encoding))) {
    yield entriesOf(lines, name, options);
  }
}

function* entriesOf(lines: Iterable<Line>, source: string, options: ReadingOptions): Batch {
  for (const line of lines) {
    const entry = entryOfLine(line, source, options);
    if (entry !== undefined) yield entry;
  }
}

function entryOfLine(line: Line, source: string, options: ReadingOptions): Entry | undefined {
  const place = { source, position: line.number };
  let text: string | undefined;
  try {
    text = decodeRecord(line.bytes, options.encoding, line.offset);
    if (line.number === 1) text = withoutByteOrderMark(text);
    if (text.trim() === '') return undefined;
    const [value, whole] = [parseJson(text), text];
    return entryOfItem({ place, value, members: () => membersOfJson(value, whole) }, options);
  } catch (error) {
    return rejectOf(error, { identity: unnamed(place), place, record: text });
  }
}

/** How the lines of a rejects file begin; the record in one may be longer than a sample. */
const firstMembers =
  /^\{\s*"source"\s*:\s*"(?:[^"\\]|\\.)*"\s*,\s*"position"\s*:\s*\d+\s*,\s*"stage"\s*:\s*"(?:read|send)"/;

/** What a line of a rejects file says about the record it holds. */
type Rejected = {
  readonly source: string;
  readonly position: number;
  readonly importId: string;
  /** The name in its identity, where it has one. */
  readonly identity?: string;
  readonly class?: string;
  readonly message?: string;
  readonly record: unknown;
  readonly unmended?: string;
};

/**
 * The rejects of an earlier import, repaired: each record keeps the name and the identity it had
 * there, so that importing its source again does not create it twice; where the identity was what is
 * wrong, it has that which stands in it now.
 */
export const rejectsFile: FileFormat = {
  name: 'a rejects file',
  isNeverFound: true,
  recognises: ({ head }) => firstMembers.test(head),
  open: ({ path, name }, options) => ({
    name,
    batches: () => rejectBatches({ path, name }, options),
  }),
};

async function* rejectBatches(
  { path, name }: { path: string; name: string },
  options: ReadingOptions,
): AsyncGenerator<Batch, void, void> {
  for await (const lines of readLines(readUtf8(path, undefined))) {
    yield rejectedEntries(lines, name, options);
  }
}

function* rejectedEntries(lines: Iterable<Line>, source: string, options: ReadingOptions): Batch {
  for (const line of lines) {
    const text = line.bytes.toString('utf8');
    if (text.trim() !== '') yield entryOfReject(line, { source, position: line.number }, options);
  }
}

function entryOfReject(
  line: { bytes: Buffer; offset: number },
  place: SourcePosition,
  options: ReadingOptions,
): Entry {
  let record: unknown;
  let known: Identity | undefined;
  try {
    const value = parseJson(decodeUtf8(line.bytes, line.offset));
    if (!isReject(value)) throw new ValidationError('syntax', 'Not a line of a rejects file.');
    record = value.record;
    known = {
      namespace: value.importId,
      ...(value.identity !== undefined && { name: value.identity }),
    };
    if (value.unmended === fingerprintOf(record)) {
      const message = value.message?.replace(/^Not mended: /, '') ?? '';
      throw new ValidationError('syntax', `Not mended: ${message}`);
    }
    const entry = entryOfRecord(value, place, options);
    if (entry.kind === 'notice') return entry;
    const own = entry.identity?.name;
    const name = value.class === 'identity' ? (own ?? value.identity) : (value.identity ?? own);
    const identity = { namespace: value.importId, ...(name !== undefined && { name }) };
    return { ...entry, identity };
  } catch (error) {
    return rejectOf(error, { place, record, ...(known && { identity: known }) });
  }
}

/** A record that was a text is read as its source would be. */
function entryOfRecord(rejected: Rejected, place: SourcePosition, options: ReadingOptions): Entry {
  const { source, record, importId, identity: name } = rejected;
  if (typeof record === 'string' && isPostText(record, source)) {
    const identity = { namespace: importId, ...(name !== undefined && { name }) };
    return postTextEntry(record, { path: source, place, identity }, options);
  }
  const values = typeof record === 'string' ? parseJson(record) : record;
  const hasOwnNames =
    isObject(values) && Object.hasOwn(values, 'title') && Object.hasOwn(values, 'content');
  const map = hasOwnNames ? { title: 'title', content: 'content' } : options.map;
  const text = typeof record === 'string' ? record : JSON.stringify(record);
  const members = () => membersOfJson(values, text);
  const entry = entryOfItem({ place, value: values, members }, { ...options, map });
  return entry.kind === 'reject' ? { ...entry, record } : entry;
}

/** Plain text may have been a post, or a line of JSON in a file of that name. */
function isPostText(text: string, source: string): boolean {
  const kind = fileKind(source);
  return kind === 'post' || (kind === 'text' && !text.trimStart().startsWith('{'));
}

function isReject(value: unknown): value is Rejected {
  return (
    isObject(value) &&
    typeof value['source'] === 'string' &&
    typeof value['position'] === 'number' &&
    typeof value['importId'] === 'string' &&
    (value['stage'] === 'read' || value['stage'] === 'send')
  );
}
