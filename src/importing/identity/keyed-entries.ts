import { createFingerprintCounts } from './fingerprints.ts';
import { keyFingerprint, recordKey } from './record-key.ts';
import type {
  NoticeEntry,
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
): AsyncGenerator<KeyedEntry, void, void> {
  const seen = createFingerprintCounts();
  const cannotRepeat = sources.length === 1 && sources[0]?.numbered === true;
  for (const source of sources) {
    for await (const entry of source.entries()) {
      if (entry.kind === 'skip' || entry.kind === 'notice') {
        yield entry;
        continue;
      }
      const name = importId ?? entry.importId ?? source.name;
      if (entry.kind === 'reject') yield { ...entry, importId: name };
      else {
        const record = keyed(entry, name);
        const repeated = !cannotRepeat && seenBefore(seen, record.key);
        yield repeated ? repeatedIdentity(record) : record;
      }
    }
  }
}

/** The key is a hash, made when it is first asked for: the first reading may do without. */
function keyed(entry: RecordEntry, importId: string): KeyedRecord {
  let key: string | undefined;
  return {
    ...entry,
    importId,
    get key() {
      return (key ??= recordKey(importId, entry.identity));
    },
  };
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
