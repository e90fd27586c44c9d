import { resolve } from 'node:path';

import {
  createFingerprintCounts,
  keyFingerprint,
  linesDigest,
  recordKey,
  textDigest,
  textFingerprint,
  type FingerprintCounts,
  type Identity,
} from './identity.ts';
import type {
  Notice,
  NoticeEntry,
  SourcePosition,
  Batch,
  RecordEntry,
  RejectEntry,
  SkipEntry,
  Source,
} from './source.ts';

export type KeyedRecord = Omit<RecordEntry, 'identity'> & {
  /** `--import-id`, else that of its identity. */
  readonly namespace: string;
  /** Absent where its text is its identity. */
  readonly name: string | undefined;
  /** Of its title and content. */
  readonly digest: string;
  readonly key: string;
  /** The key under which it is created anew, `generation` from 2 (decisions 49). */
  keyOf(generation: number): string;
};

export type KeyedReject = RejectEntry & { readonly importId: string | undefined };

export type KeyedSkip = SkipEntry & {
  /** As of a record; absent where nothing but its text would identify it. */
  readonly keyOf?: KeyedRecord['keyOf'];
};

export type KeyedEntry = KeyedRecord | KeyedReject | KeyedSkip | NoticeEntry;

/** The entries of all sources, each record with its key; read as often as one likes. */
export type KeyedEntries = { read(): AsyncGenerator<Batch<KeyedEntry>, void, void> };

/** What all records of a source share. */
type KeyOrigin = { readonly importId: string | undefined; folder: string };

/** The first of several records with one identity: its number among all that have a name. */
type First = { readonly number: number; readonly place: SourcePosition; readonly digest: string };

/**
 * Gives each record its key (decisions 45 to 47). Records without a name are twins where their texts
 * are equal, and are counted. Of several with one name the first is taken; others are skipped where
 * they have its text, and else rejected with both places.
 */
export function createKeyedEntries(
  sources: readonly Source[],
  importId: string | undefined,
): KeyedEntries {
  let firsts: ReadonlyMap<string, First> | undefined;

  const origin: KeyOrigin = { importId, folder: '' };

  /** A batch is only good until the next one is asked for, and so is its origin. */
  async function* batches(): AsyncGenerator<Batch, void, void> {
    for (const source of sources) {
      origin.folder = source.folder ?? '';
      yield* source.batches();
    }
  }

  async function* named(): AsyncGenerator<First & { readonly key: string }, void, void> {
    let number = 0;
    for await (const batch of batches()) {
      for (const entry of batch) {
        if (entry.kind !== 'record' || entry.identity.name === undefined) continue;
        const { key, place, digest } = new Keyed(entry, origin);
        yield { number: (number += 1), key, place, digest };
      }
    }
  }

  /** Reads the sources from their beginning, which is needed only where something repeats. */
  async function findFirsts(): Promise<ReadonlyMap<string, First>> {
    const counts = createFingerprintCounts();
    for await (const { key } of named()) counts.add(keyFingerprint(key));
    const found = new Map<string, First>();
    for await (const { key, ...first } of named()) {
      if (counts.of(keyFingerprint(key)) > 1 && !found.has(key)) found.set(key, first);
    }
    return found;
  }

  /** The first reading, which finds out what repeats. Texts are not hashed yet. */
  async function* readFirst(): AsyncGenerator<Batch<KeyedEntry>, void, void> {
    const seen = createFingerprintCounts();
    let number = 0;
    for await (const batch of batches()) {
      const keyed: KeyedEntry[] = [];
      for (const entry of batch) {
        if (entry.kind !== 'record' || entry.identity.name === undefined) {
          keyed.push(
            entry.kind === 'record' ? new Keyed(entry, origin) : keyedOther(entry, importId),
          );
          continue;
        }
        number += 1;
        const record = new Keyed(entry, origin);
        const fingerprint = keyFingerprint(record.key);
        if (seen.of(fingerprint) > 0) firsts ??= await findFirsts();
        seen.add(fingerprint, seen.of(fingerprint) > 0 ? 0 : 1);
        keyed.push(orRepeated(record, number));
      }
      yield keyed;
    }
    firsts ??= new Map();
  }

  async function* readAgain(): AsyncGenerator<Batch<KeyedEntry>, void, void> {
    const twins = createFingerprintCounts();
    const numbers = { last: 0 };
    for await (const batch of batches()) yield keyedBatch(batch, twins, numbers);
  }

  function* keyedBatch(
    batch: Batch,
    twins: FingerprintCounts,
    numbers: { last: number },
  ): Batch<KeyedEntry> {
    for (const entry of batch) {
      if (entry.kind !== 'record') yield keyedOther(entry, importId);
      else if (entry.identity.name === undefined) yield twin(new Keyed(entry, origin), twins);
      else yield orRepeated(new Keyed(entry, origin), (numbers.last += 1));
    }
  }

  function orRepeated(record: Keyed, number: number): KeyedEntry {
    if (firsts === undefined || firsts.size === 0) return record;
    const first = firsts.get(record.key);
    return first === undefined || first.number === number ? record : repeated(record, first);
  }

  return { read: () => (firsts === undefined ? readFirst() : readAgain()) };
}

function keyedOther(
  entry: RejectEntry | SkipEntry | NoticeEntry,
  importId: string | undefined,
): KeyedEntry {
  if (entry.kind === 'notice') return entry;
  const { namespace = '', name }: Partial<Identity> = entry.identity ?? {};
  if (entry.kind === 'reject') return { ...entry, importId: importId ?? entry.identity?.namespace };
  if (name === undefined) return entry;
  return {
    ...entry,
    keyOf: (generation) => recordKey(importId ?? namespace, name, generation),
  };
}

function twin(record: Keyed, twins: FingerprintCounts): Keyed {
  const fingerprint = textFingerprint(record.textName);
  twins.add(fingerprint);
  record.twin = twins.of(fingerprint);
  return record;
}

/**
 * Key and digest are hashes, made when they are first asked for: the first reading may do without. A
 * class, because an object literal with a getter costs a hidden class of its own for each record.
 */
class Keyed implements KeyedRecord {
  readonly kind = 'record';
  readonly namespace: string;
  readonly name: string | undefined;
  readonly place: SourcePosition;
  readonly title: string;
  readonly content: string;
  readonly article: string | undefined;
  readonly notices: readonly Notice[] | undefined;
  /** Which one it is of those without a name that have its text, from 1. */
  twin = 1;
  #digest: string | undefined;
  #key: string | undefined;

  constructor(entry: RecordEntry, { importId, folder }: KeyOrigin) {
    this.namespace = importId ?? entry.identity.namespace;
    this.name = entry.identity.name;
    this.place = entry.place;
    this.title = entry.title;
    this.content = entry.content;
    this.article = entry.article && resolveAddress(entry.article, folder);
    this.notices = entry.notices;
  }

  get digest(): string {
    return (this.#digest ??= textDigest(this));
  }

  get key(): string {
    return (this.#key ??= this.keyOf(1));
  }

  keyOf(generation: number): string {
    const which = this.twin === 1 ? '' : `~${this.twin}`;
    return recordKey(this.namespace, this.name ?? `text:${this.textName}${which}`, generation);
  }

  get textName(): string {
    return linesDigest(this) ?? this.digest;
  }
}

/** The path in an address of a store file is relative to what holds the record. */
function resolveAddress(address: string, folder: string): string {
  return address.replace(/^file:([^#]*)/i, (_all, path: string) => `file:${resolve(folder, path)}`);
}

function distinction(name: string | undefined): string {
  return name?.startsWith('path:') === true
    ? 'import them one after the other, each with an --import-id of its own'
    : 'give one another name, choose another member with --key-field, or give each source an --import-id of its own';
}

function repeated(record: Keyed, first: First): KeyedEntry {
  const { place, namespace, name, title, content } = record;
  if (record.digest === first.digest) return { kind: 'skip', place, reason: 'repeated' };
  const where = `${first.place.source}:${first.place.position}`;
  const message = `Known as "${name}" like the record at ${where}, which has another text. Where they are two, ${distinction(name)}, after blogctl runs undo has taken back what an earlier import created of them.`;
  const error = { class: 'identity', message } as const;
  const identity = { namespace, ...(name !== undefined && { name }) };
  return {
    kind: 'reject',
    place,
    error,
    importId: namespace,
    identity,
    record: { ...identityMember(name), title, content },
  };
}

/** What the record is known by, to be mended; a path is none of its members. */
function identityMember(name = ''): Readonly<Record<string, string>> {
  const at = name.indexOf(':');
  return at < 1 || name.startsWith('path:') ? {} : { [name.slice(0, at)]: name.slice(at + 1) };
}
