import type { KeyedRecord, KeyedReject } from './identity/keyed-entries.ts';

/** One line of the rejects file: which record, what is wrong, and the record to repair. */
export type Reject = {
  readonly source: string;
  /** From 1: the line, item or post in its source. */
  readonly position: number;
  readonly stage: 'read' | 'send';
  readonly class: string;
  /** HTTP status where the service refused it. */
  readonly status?: number | undefined;
  readonly message: string;
  readonly importId?: string | undefined;
  readonly identity?: string | undefined;
  readonly record?: unknown;
};

export function rejectOfEntry(entry: KeyedReject): Reject {
  const { place, flaw, importId, identity, record } = entry;
  return {
    ...place,
    stage: 'read',
    class: flaw.class,
    message: flaw.message,
    importId,
    identity: identity?.name,
    record,
  };
}

export function rejectOfRecord(
  record: KeyedRecord,
  refusal: { class: string; status?: number | undefined; message: string },
): Reject {
  const { place, namespace, name, title, content } = record;
  const known = { importId: namespace, identity: name };
  return { ...place, stage: 'send', ...refusal, ...known, record: { title, content } };
}
