import {
  ValidationError,
  rejectOf,
  type FileFormat,
  type Entry,
  type Batch,
  type ReadAs,
  type ReadingOptions,
  type SourcePosition,
} from '../source.ts';
import { readLines, type Line } from '../chunks.ts';
import { fingerprintOf, type Identity } from '../identity.ts';
import { entryOfRecord, unnamed, membersOfJson, parseJson, isObject } from './mapped-record.ts';
import { holdsJsonLines } from './json.ts';
import { decodeRecord, readUtf8, withoutByteOrderMark, decodeUtf8 } from '../encoding.ts';
import { fileKind } from '../file-kind.ts';
import { withPath } from './export-item.ts';
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
    return entryOfRecord({ place, value, members: () => membersOfJson(value, whole) }, options);
  } catch (error) {
    return rejectOf(error, { identity: unnamed(place), place, record: text });
  }
}

/** How the lines of a rejects file begin; the record in one may be longer than a sample. */
const firstMembers =
  /^\{\s*"source"\s*:\s*"(?:[^"\\]|\\.)*"\s*,\s*"position"\s*:\s*\d+\s*,\s*"stage"\s*:\s*"(?:read|send)"\s*,\s*"(?:class|importId)"\s*:/;

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
  readonly stage: 'read' | 'send';
  readonly readAs?: ReadAs;
};

/**
 * The rejects of an earlier import, repaired: each record keeps the name and the identity it had
 * there, so that importing its source again does not create it twice; where the identity was what is
 * wrong, it has that which stands in it now. What was not read is judged as it would have been in its source.
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
  let readAs: ReadAs | undefined;
  try {
    const read = parseJson(decodeUtf8(line.bytes, line.offset));
    if (!isReject(read)) throw new ValidationError('syntax', 'Not a line of a rejects file.');
    const value = { ...read, source: read.readAs?.source ?? read.source };
    record = value.record;
    readAs = { ...value.readAs, source: value.source };
    known = {
      namespace: value.importId,
      ...(value.identity !== undefined && { name: value.identity }),
    };
    if (value.unmended === fingerprintOf(record)) {
      const message = value.message?.replace(/^Not mended: /, '') ?? '';
      throw new ValidationError('syntax', `Not mended: ${message}`);
    }
    const found = entryOfRejected(value, optionsOf(value, options));
    if (found.kind === 'notice') return found;
    const entry = { ...found, place, ...(found.kind === 'reject' && { readAs }) };
    const own = entry.identity;
    const isOwn = own?.name !== undefined && (value.class === 'identity' || !value.identity);
    // As the record has it, unless --import-id gave another.
    if (isOwn && value.importId === unnamed(value).namespace) return entry;
    const name = isOwn ? own.name : value.identity;
    const identity = { namespace: value.importId, ...(name !== undefined && { name }) };
    return { ...entry, identity };
  } catch (error) {
    return rejectOf(error, { place, record, readAs, ...(known && { identity: known }) });
  }
}

/** What was sent had been judged. */
function optionsOf(rejected: Rejected, options: ReadingOptions): ReadingOptions {
  const { stage, source, readAs } = rejected;
  const { map, keyField = options.keyField ?? keyOfTwin(rejected), beside } = readAs ?? {};
  if (stage === 'send') return { ...options, keyField };
  const read = { ...options, map: { ...options.map, ...map }, keyField };
  return withPath(beside === undefined ? read : { ...read, beside }, source);
}

/** The member by which it was known twice. */
function keyOfTwin({ class: why, identity = '', record }: Rejected): string | undefined {
  const [key = ''] = identity.split(':', 1);
  return why === 'identity' && isObject(record) && Object.hasOwn(record, key) ? key : undefined;
}

/** A record that was a text is read as its source would be, and each as if it stood there. */
function entryOfRejected(rejected: Rejected, options: ReadingOptions): Entry {
  const { source, position, stage, record, importId, identity: name } = rejected;
  const place = { source, position };
  if (typeof record === 'string' && isPostText(record, source)) {
    const identity = { namespace: importId, ...(name !== undefined && { name }) };
    return postTextEntry(record, { path: source, place, identity }, options);
  }
  const values = typeof record === 'string' ? parseJson(record) : record;
  const hasOwnNames =
    isObject(values) && Object.hasOwn(values, 'title') && Object.hasOwn(values, 'content');
  const signs = stage === 'send' ? {} : options.map;
  const map = hasOwnNames ? { ...signs, title: 'title', content: 'content' } : options.map;
  const text = typeof record === 'string' ? record : JSON.stringify(record);
  const members = () => membersOfJson(values, text);
  const entry = entryOfRecord({ place, value: values, members }, { ...options, map });
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
    (value['stage'] === 'read' || value['stage'] === 'send') &&
    isReadAs(value['readAs'])
  );
}

function isReadAs(value: unknown): boolean {
  if (value === undefined) return true;
  if (!isObject(value)) return false;
  const { source = '', map = {}, keyField = '', beside = [] } = value;
  return (
    isObject(map) &&
    Object.values(map).every((name) => typeof name === 'string') &&
    typeof source === 'string' &&
    typeof keyField === 'string' &&
    Array.isArray(beside) &&
    beside.every((each) => isObject(each) && typeof each['key'] === 'string')
  );
}
