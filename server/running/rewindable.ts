import { isHealth } from '../http/access-log.ts';
import { dueFaults } from '../http/faults.ts';
import type { DueFault, Fault } from '../http/faults.ts';
import type { App, Headers } from '../http/message.ts';
import type { JsonFileStore } from '../store/json-file/json-file-store.ts';
import { openImage } from '../store/json-file/open.ts';
import type { StoreImage } from '../store/json-file/open-document.ts';
import { readFaults } from './options.ts';

/** What a test sees of a request. */
export type SeenRequest = {
  readonly method: string;
  /** As it was sent, query included. */
  readonly path: string;
  /** Of the answer; 0 where the connection ended without one. */
  readonly status: number;
  /** Under names in lower case; of the token and whatever else is a secret `(not shown)`. */
  readonly headers: Readonly<Record<string, string>>;
  /** As text; empty where there was none, or more than the service takes. */
  readonly body: string;
};

/** A blog at one moment: its articles, and the faults it was to commit. */
export type Mark = { readonly image: StoreImage; readonly due: readonly DueFault[] };

/** A service in memory that can be put back to what it was. */
export type Rewindable = {
  readonly app: App;
  /** What is durable now. */
  mark(): Mark;
  /**
   * Puts a marked moment back, the first one where none is given: articles, ids, tombstones, keys,
   * dates and faults; what was seen and what was spent of a rate is forgotten. Requests under way
   * end against what was there when they came.
   */
  rewind(mark?: Mark): Promise<void>;
  /** In the place of those before; throws UnusableOption, and nothing is changed. */
  commit(faults: readonly string[]): void;
  /** Those that were answered, in the order in which they came; of very many the last. */
  seen(): readonly SeenRequest[];
  forgetSeen(): void;
  close(): void;
};

type RewindableOptions = {
  readonly store: JsonFileStore;
  /** A service over a store, which knows nothing of any before. */
  readonly build: (store: JsonFileStore, faults: () => readonly DueFault[]) => App;
  readonly faults: readonly Fault[];
  /** Of a request. */
  readonly maxBodyBytes: number;
  /** Masks tokens that somebody put into an address. */
  readonly hide: (target: string) => string;
};

/** All that a rewind replaces. */
type Generation = {
  readonly store: JsonFileStore;
  due: readonly DueFault[];
  readonly seen: Seen;
  readonly app: App;
};

export function createRewindable({
  store: first,
  build,
  faults,
  ...told
}: RewindableOptions): Rewindable {
  const begin = (store: JsonFileStore, due: readonly DueFault[]): Generation => {
    const seen = createSeen();
    const app = build(store, () => act.due);
    const act: Generation = { store, due, seen, app: watched(app, told, seen) };
    return act;
  };
  let current = begin(first, dueFaults(faults));
  const mark = (): Mark => ({ image: current.store.image(), due: copied(current.due) });
  const start = mark();
  return {
    app: (request) => current.app(request),
    mark,
    rewind: async ({ image, due } = start) => {
      const store = await openImage(image, {});
      current.store.abandon();
      current = begin(store, copied(due));
    },
    commit: (texts) => {
      current.due = dueFaults(readFaults(texts));
    },
    seen: () => current.seen.all(),
    forgetSeen: () => current.seen.clear(),
    close: () => current.store.abandon(),
  };
}

function copied(due: readonly DueFault[]): readonly DueFault[] {
  return due.map((one) => ({ ...one }));
}

type Seen = {
  /** A request comes; it is among the others once it is told how it was answered. */
  begin(): (request: SeenRequest) => void;
  all(): readonly SeenRequest[];
  clear(): void;
};

const mostSeen = 10_000;
const mostSeenCharacters = 64 * 1024 * 1024;

function createSeen(): Seen {
  let seen: { readonly turn: number; readonly request: SeenRequest }[] = [];
  let turns = 0;
  let characters = 0;
  return {
    begin: () => {
      const turn = (turns += 1);
      return (request) => {
        const before = seen.findLastIndex((other) => other.turn < turn);
        seen.splice(before + 1, 0, { turn, request });
        characters += lengthOf(request);
        while (seen.length > mostSeen || characters > mostSeenCharacters) {
          const first = seen.shift();
          if (first !== undefined) characters -= lengthOf(first.request);
        }
      };
    },
    all: () => seen.map(({ request }) => request),
    clear: () => {
      seen = [];
      characters = 0;
    },
  };
}

function lengthOf({ headers, body }: SeenRequest): number {
  return Object.entries(headers).flat().join('').length + body.length;
}

/** Fields that grant something: that they were sent is shown, and not what. */
const secret = new Set(['x-access-token', 'authorization', 'proxy-authorization', 'cookie']);

function shownOf(headers: Headers): SeenRequest['headers'] {
  const fields = Object.entries(headers).map(([name, value = '']) => [
    name,
    secret.has(name) ? '(not shown)' : value,
  ]);
  return Object.freeze(Object.fromEntries(fields));
}

/** Tells of each request once it is answered, with its body also where the service refused unread. */
function watched(
  app: App,
  { maxBodyBytes, hide }: Pick<RewindableOptions, 'maxBodyBytes' | 'hide'>,
  seen: Seen,
): App {
  return async (request) => {
    if (isHealth(request.target)) return app(request);
    const { method, target, headers, peer, id, lines, signal } = request;
    // What could not be told is not carried out.
    const path = hide(target).replace(/^https?:\/\/[^/?#]*/i, '');
    const shown = { method, path, headers: shownOf(headers) };
    const answered = seen.begin();
    let reading: Promise<Uint8Array> | undefined;
    const body = (limitBytes: number) => (reading ??= request.body(limitBytes));
    // Read at once, because it goes with a client that goes; but who waits to be asked for it may never be.
    if (headers['expect'] === undefined) void body(maxBodyBytes).catch(notWhole);
    const response = await app({ method, target, headers, peer, id, lines, signal, body });
    const sent = (await reading?.catch(notWhole)) ?? notWhole();
    const { status } = response;
    answered(Object.freeze({ ...shown, status, body: Buffer.from(sent).toString() }));
    return response;
  };
}

function notWhole(): Uint8Array {
  return new Uint8Array(0);
}
