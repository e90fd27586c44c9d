import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** A connection, or what comes by it, as far as it matters here. */
type Holder = {
  readonly remoteAddress?: string | undefined;
  destroy(): unknown;
  /** Of a connection: what the system still has for it goes, too, and not when it is read one day. */
  resetAndDestroy?(): unknown;
};

/**
 * Memory that is held for slow clients, in bytes: answers that their readers do not take, bodies that
 * do not come to their end. Who holds too much, or has the most when all do, loses what has not moved
 * for longest.
 */
export type Shares = {
  /** So many bytes are held for it from now on; ends others, or it, where that is too much. */
  hold(holder: Holder, bytes: number): void;
  /** Nothing is held for it any more. */
  leave(holder: Holder): void;
  /** Ends what has not moved for longest; false where nothing has been still for so long. */
  readonly endSlowest: () => boolean;
  /** The most bytes that were held at a time since the last call. */
  mostSinceAsked(): number;
};

type ShareBounds = {
  readonly bytes: number;
  /** Of one address: those behind a proxy share one, but a proxy does not dawdle. */
  readonly bytesOfAddress: number;
  /** How long something may be still where its place is needed. */
  readonly stillMs: number;
};

type Held = { readonly address: string; readonly bytes: number; readonly since: number };

/** What has been still for longest stands first, because what moves is put in anew. */
export function createShares(bounds: ShareBounds): Shares {
  const held = new Map<Holder, Held>();
  const ofAddress = new Map<string, number>();
  let all = 0;
  let mostAtATime = 0;
  const leave = (holder: Holder) => {
    const { address = '', bytes = 0 } = held.get(holder) ?? {};
    if (!held.delete(holder)) return;
    all -= bytes;
    const left = (ofAddress.get(address) ?? 0) - bytes;
    if (left === 0) ofAddress.delete(address);
    else ofAddress.set(address, left);
  };
  const end = (holder: Holder) => {
    leave(holder);
    if (holder.resetAndDestroy === undefined) holder.destroy();
    else holder.resetAndDestroy();
  };
  const longest = (address: string) => {
    for (const [holder, one] of held) if (one.address === address) return { holder, ...one };
    return undefined;
  };
  const endLongestOf = (address: string) => {
    const found = longest(address);
    if (found !== undefined) end(found.holder);
  };
  return {
    hold(holder, bytes) {
      leave(holder);
      const address = holder.remoteAddress ?? '';
      held.set(holder, { address, bytes, since: performance.now() });
      all += bytes;
      mostAtATime = Math.max(mostAtATime, all);
      ofAddress.set(address, (ofAddress.get(address) ?? 0) + bytes);
      while ((ofAddress.get(address) ?? 0) > bounds.bytesOfAddress) endLongestOf(address);
      while (all > bounds.bytes) endLongestOf(greatest(ofAddress));
    },
    leave,
    mostSinceAsked() {
      const most = mostAtATime;
      mostAtATime = all;
      return most;
    },
    endSlowest() {
      const [first] = held.keys();
      const found = longest(greatest(ofAddress)) ?? (first && longest(first.remoteAddress ?? ''));
      if (found === undefined || performance.now() - found.since < bounds.stillMs) return false;
      end(found.holder);
      return true;
    },
  };
}

function greatest(ofAddress: ReadonlyMap<string, number>): string {
  const [first = ''] = [...ofAddress].toSorted(([, a], [, b]) => b - a)[0] ?? [];
  return first;
}

/** Below it what is left over goes with the next collection of garbage, whenever that is. */
const muchBytes = 8 * 1024 * 1024;
/** What one collection finds free, the next one gives back. */
const collections = 2;

/**
 * Gives memory back after much was held for slow clients: a service at rest makes no garbage,
 * and without a cause V8 does not look for what it could free. To be called every few seconds;
 * measured by `test/nightly/readers.mjs`.
 */
export function createMemoryReturn(
  shares: readonly Pick<Shares, 'mostSinceAsked'>[],
  collect: () => void = collectGarbage,
): () => void {
  let left = 0;
  return () => {
    const most = shares.map((share) => share.mostSinceAsked());
    if (Math.max(...most) > muchBytes) left = collections;
    else if (left > 0) {
      left -= 1;
      collect();
    }
  };
}

function collectGarbage(): void {
  setFlagsFromString('--expose-gc');
  const gc: unknown = runInNewContext('gc');
  if (typeof gc === 'function') gc();
}
