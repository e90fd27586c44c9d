import { constants } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';

import type { Article } from '../client/blog-client.ts';
import type { Answered } from './runs/journal-lines.ts';
import type { DeliveryOptions, Outcome } from './sending/delivery.ts';
import { noArticle } from './sending/own-articles.ts';
import {
  createFingerprintCounts,
  fingerprintOf,
  keyFingerprint,
  type FingerprintCounts,
} from './sources/identity.ts';
import { isNotPublic } from './sources/publicity.ts';
import type { Notice, ReadAs, SourcePosition } from './sources/source.ts';
import type { KeyedRecord, KeyedReject, KeyedSkip } from './sources/keyed-entries.ts';
import { isPipeOrDevice, PRIVATE_FILE } from '../files.ts';

/** By which the results name an article (decisions 55). */
export type AddressOf = (article: { readonly id: number; readonly url: string }) => string;

/** A line of `--results`: a record and what became of it, one for each that was looked at or sent. */
export type Result = {
  readonly source: string;
  /** From 1, in its source. */
  readonly position: number;
  readonly outcome: Outcome['kind'];
  /** Why it was skipped or rejected. */
  readonly reason?: string | undefined;
  readonly notice?: Notice['kind'];
  /** Of its article, where that is known. */
  readonly id?: number | undefined;
  readonly url?: string | undefined;
};

export type Results = {
  add(place: SourcePosition, result: Omit<Result, keyof SourcePosition>): Promise<void>;
  close(): Promise<void>;
};

/** Which record became which article, a line each; undefined where nobody asked for it. */
export function createResults(path: string | undefined, addressOf: AddressOf): Results | undefined {
  if (path === undefined) return undefined;
  const file = createLineFile<Result>(path);
  return {
    add({ source, position }, { id, url, ...result }) {
      const address = id === undefined || url === undefined ? url : addressOf({ id, url });
      return file.add({ source, position, ...result, id, url: address });
    },
    close: () => file.close(),
  };
}

export function resultOf(outcome: Outcome): Omit<Result, keyof SourcePosition> {
  const { kind } = outcome;
  const reason = kind === 'skipped' ? outcome.reason : undefined;
  const said = { outcome: kind, reason: kind === 'rejected' ? outcome.class : reason };
  if (kind === 'inDoubt' || outcome.article === undefined) return said;
  const { id, url } = outcome.article;
  // A dry run has no address to give.
  return url === '' ? said : { ...said, id, url };
}

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
  /** The `fingerprintOf` a record that reads well though it is wrong: as long as it has it, it is not mended. */
  readonly unmended?: string | undefined;
  readonly readAs?: ReadAs | undefined;
};

export function rejectOfEntry(entry: KeyedReject): Reject {
  const { place, error, importId, identity, record, readAs } = entry;
  return {
    ...place,
    stage: 'read',
    class: error.class,
    message: error.message,
    importId,
    identity: identity?.name,
    record,
    unmended:
      typeof record === 'object' && error.class === 'syntax' ? fingerprintOf(record) : undefined,
    readAs,
  };
}

export function rejectOfRecord(
  record: KeyedRecord,
  { class: errorClass, status, message }: Pick<Reject, 'class' | 'status' | 'message'>,
): Reject {
  const { place, namespace, name, title, content } = record;
  const known = { importId: namespace, identity: name };
  const refusal = { class: errorClass, status, message };
  return { ...place, stage: 'send', ...refusal, ...known, record: { title, content } };
}

/**
 * A reject as GitHub Actions shows it beside the file (docs.github.com, "Workflow commands"). A
 * position is a line in NDJSON and tables; elsewhere it is said in words.
 */
export function annotate({ position, message }: Reject, path: string): string {
  const isLine = /\.(?:ndjson|jsonl|csv|tsv|tab)$/i.test(path);
  const where = `file=${property(path)}${isLine ? `,line=${position}` : ''}`;
  const which = isLine || position === 1 ? '' : ` (record ${position})`;
  return `::error ${where}::${data(message + which)}`;
}

function data(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}

function property(text: string): string {
  return data(text).replaceAll(':', '%3A').replaceAll(',', '%2C');
}

/** Records that are not public, and that an earlier import brought to the blog. */
export type Withheld = {
  /** Whether it is one of them: what is said of it waits until its article was looked for. */
  holds(entry: KeyedSkip): Promise<boolean>;
  /** A record that is sent has the identity of one of them. */
  isPublic(record: KeyedRecord): void;
  /** Those whose articles are there. */
  find(asking: Asking, signal: AbortSignal): AsyncGenerator<Found, void, void>;
  /** Those that were not found. */
  left(): Iterable<KeyedSkip>;
};

type Asking = Pick<DeliveryOptions, 'client' | 'retry' | 'findsByKey'>;
type Found = { readonly entry: KeyedSkip; readonly article: Article };

/** Only what earlier imports noted is looked for: nothing is asked for a record that was never public. */
export function createWithheld(earlier: () => AsyncIterable<Answered>): Withheld {
  const held = new Map<string, KeyedSkip>();
  const sent = new Set<string>();
  let known: Promise<FingerprintCounts> | undefined;

  async function keysOfAll(): Promise<FingerprintCounts> {
    const keys = createFingerprintCounts();
    for await (const { answered } of earlier()) {
      const key = keyFingerprint(answered);
      if (keys.of(key) === 0) keys.add(key);
    }
    return keys;
  }

  /** Without keys it is where an import left it. */
  async function articleOf(
    { keyOf }: KeyedSkip,
    url: string,
    [{ client, retry, findsByKey }, signal]: Parameters<Withheld['find']>,
  ): Promise<Article | undefined> {
    if (!findsByKey || keyOf === undefined)
      return (await retry(() => client.article({ url }), signal).catch(noArticle))?.article;
    for (let generation = 1; ; generation += 1) {
      const found = await retry(() => client.articleByKey(keyOf(generation)), signal);
      if (found.kind !== 'deleted') return found.kind === 'article' ? found.article : undefined;
    }
  }

  return {
    async holds(entry) {
      const key = isNotPublic(entry.reason) ? entry.keyOf?.(1) : undefined;
      if (key === undefined || held.has(key)) return false;
      known ??= keysOfAll();
      const isKnown = (await known).of(keyFingerprint(key)) > 0;
      if (isKnown) held.set(key, entry);
      return isKnown;
    },
    isPublic({ key }) {
      if (held.has(key)) sent.add(key);
    },
    async *find(...asking) {
      if (held.size === 0) return;
      const urls = new Map<string, string>();
      for await (const { answered, url } of earlier())
        if (held.has(answered)) urls.set(answered, url);
      for (const [key, url] of urls) {
        const entry = sent.has(key) ? undefined : held.get(key);
        const article = entry && (await articleOf(entry, url, asking));
        if (entry === undefined || article === undefined) continue;
        held.delete(key);
        yield { entry, article };
      }
    },
    left: () => held.values(),
  };
}

/** A file of JSON lines; none is made while there is no line. */
export type LineFile<Line> = {
  readonly count: number;
  add(line: Line): Promise<void>;
  close(): Promise<void>;
};

/** Without a path lines are counted only. */
export function createLineFile<Line>(path: string | undefined): LineFile<Line> {
  let count = 0;
  let opened: Promise<FileHandle> | undefined;
  let waiting = '';
  let writing: Promise<void> | undefined;

  /** What comes while a line is written goes into the file together. */
  async function write(file: string): Promise<void> {
    opened ??= openOutput(file);
    const handle = await opened;
    while (waiting !== '') {
      const lines = waiting;
      waiting = '';
      await handle.appendFile(lines);
    }
    writing = undefined;
  }

  return {
    get count() {
      return count;
    },
    async add(line) {
      count += 1;
      if (path === undefined) return;
      waiting += `${JSON.stringify(line)}\n`;
      await (writing ??= write(path));
    },
    async close() {
      await writing;
      await (await opened)?.close();
    },
  };
}

/** It holds texts that nobody has published, and its name is often ours and not the user's. */
async function openOutput(path: string): Promise<FileHandle> {
  const { O_WRONLY, O_CREAT, O_TRUNC, O_NOFOLLOW } = constants;
  // Such as /dev/stderr, which is a link.
  if (await isPipeOrDevice(path)) return open(path, O_WRONLY);
  return open(path, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW, PRIVATE_FILE);
}
