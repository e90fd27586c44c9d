/** A connection, as far as it matters here. */
export type Reader = { readonly remoteAddress?: string | undefined; destroy(): unknown };

/** What of answers waits in memory because its readers do not take it, in bytes. */
export type Unread = {
  /** Bytes of an answer that did not leave at once; ends connections where that is too much. */
  wait(socket: Reader, bytes: number): void;
  /** They have left, or their connection has ended. */
  leave(socket: Reader): void;
  /** Ends the connection that has kept its answer waiting longest; false where none does so long. */
  readonly endSlowest: () => boolean;
  /** The most bytes that waited at a time since the last call. */
  mostSinceAsked(): number;
};

export type UnreadBounds = {
  readonly unreadBytes: number;
  /** Of one address: those behind a proxy share one, but a proxy reads what it asked for. */
  readonly unreadBytesOfAddress: number;
  /** How long an answer may wait where its place is needed. */
  readonly unreadMs: number;
};

type Waiting = { readonly address: string; readonly bytes: number; readonly since: number };

/** The longest waiting stands first, because who goes on to read is put in anew. */
export function createUnread(bounds: UnreadBounds): Unread {
  const waiting = new Map<Reader, Waiting>();
  const ofAddress = new Map<string, number>();
  let all = 0;
  let mostAtATime = 0;
  const leave = (socket: Reader) => {
    const { address = '', bytes = 0 } = waiting.get(socket) ?? {};
    if (!waiting.delete(socket)) return;
    all -= bytes;
    const left = (ofAddress.get(address) ?? 0) - bytes;
    if (left === 0) ofAddress.delete(address);
    else ofAddress.set(address, left);
  };
  const end = (socket: Reader) => {
    leave(socket);
    socket.destroy();
  };
  const longest = (address: string) => {
    for (const [socket, one] of waiting) if (one.address === address) return { socket, ...one };
    return undefined;
  };
  const endLongestOf = (address: string) => {
    const found = longest(address);
    if (found !== undefined) end(found.socket);
  };
  return {
    wait(socket, bytes) {
      leave(socket);
      const address = socket.remoteAddress ?? '';
      waiting.set(socket, { address, bytes, since: performance.now() });
      all += bytes;
      mostAtATime = Math.max(mostAtATime, all);
      ofAddress.set(address, (ofAddress.get(address) ?? 0) + bytes);
      while ((ofAddress.get(address) ?? 0) > bounds.unreadBytesOfAddress) endLongestOf(address);
      while (all > bounds.unreadBytes) endLongestOf(greatest(ofAddress));
    },
    leave,
    mostSinceAsked() {
      const most = mostAtATime;
      mostAtATime = all;
      return most;
    },
    endSlowest() {
      const found = longest(greatest(ofAddress));
      if (found === undefined || performance.now() - found.since < bounds.unreadMs) return false;
      end(found.socket);
      return true;
    },
  };
}

function greatest(ofAddress: ReadonlyMap<string, number>): string {
  const [first = ''] = [...ofAddress].toSorted(([, a], [, b]) => b - a)[0] ?? [];
  return first;
}
