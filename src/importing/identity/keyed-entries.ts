import { createFingerprintCounts } from './fingerprints.ts';
import { keyFingerprint, recordKey } from './record-key.ts';
import type {
  Notice,
  NoticeEntry,
  Place,
  Portion,
  RecordEntry,
  RejectEntry,
  SkipEntry,
  Source,
} from '../sources/source.ts';

export type KeyedRecord = RecordEntry & {
  /** The name its key is made with: `--import-id`, else the source's own. */
  readonly importId: string;
  readonly key: string;
};

export type KeyedReject = RejectEntry & { readonly importId: string };

export type KeyedEntry = KeyedRecord | KeyedReject | SkipEntry | NoticeEntry;

/**
 * The entries of all sources, each record with its key. A second record with the same identity is a
 * reject: the blog would take it for the first one.
 */
export async function* keyedEntries(
  sources: readonly Source[],
  importId: string | undefined,
): AsyncGenerator<Portion<KeyedEntry>, void, void> {
  const seen = createFingerprintCounts();
  const cannotRepeat = sources.length === 1 && sources[0]?.numbered === true;

  function* keyed(portion: Portion, sourceName: string): Portion<KeyedEntry> {
    for (const entry of portion) {
      if (entry.kind === 'skip' || entry.kind === 'notice') {
        yield entry;
        continue;
      }
      const name = importId ?? entry.importId ?? sourceName;
      if (entry.kind === 'reject') yield { ...entry, importId: name };
      else {
        const record = new LazilyKeyed(entry, name);
        const repeated = !cannotRepeat && seenBefore(seen, record.key);
        yield repeated ? repeatedIdentity(record) : record;
      }
    }
  }

  for (const source of sources) {
    for await (const portion of source.portions()) yield keyed(portion, source.name);
  }
}

/**
 * The key is a hash, made when it is first asked for: the first reading may do without. A class,
 * because an object literal with a getter costs a hidden class of its own for each record.
 */
class LazilyKeyed implements KeyedRecord {
  readonly kind = 'record';
  readonly importId: string;
  readonly identity: string;
  readonly place: Place;
  readonly title: string;
  readonly content: string;
  readonly notices: readonly Notice[];
  #key: string | undefined;

  constructor({ identity, place, title, content, notices = [] }: RecordEntry, importId: string) {
    this.importId = importId;
    this.identity = identity;
    this.place = place;
    this.title = title;
    this.content = content;
    this.notices = notices;
  }

  get key(): string {
    return (this.#key ??= recordKey(this.importId, this.identity));
  }
}

function seenBefore(seen: ReturnType<typeof createFingerprintCounts>, key: string): boolean {
  const fingerprint = keyFingerprint(key);
  if (seen.of(fingerprint) > 0) return true;
  seen.add(fingerprint);
  return false;
}

function repeatedIdentity(record: KeyedRecord): KeyedReject {
  const { place, identity, importId, title, content } = record;
  const message = `A record before it is known as "${identity}" too.`;
  const flaw = { class: 'identity', message } as const;
  return { kind: 'reject', place, flaw, importId, record: { title, content } };
}
