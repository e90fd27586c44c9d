import type { Duplex } from 'node:stream';

/** The connections of a server, oldest first, each with the exchange it is in or was in last. */
export type Connections<Exchange> = {
  enter(socket: Duplex): void;
  begin(socket: Duplex, exchange: Exchange): void;
  exchangeOn(socket: Duplex): Exchange | undefined;
  /** Ends every connection that waits for nothing. */
  endIdle(): void;
};

/**
 * Keeps at most `most` connections: when one more comes, the oldest that is in no exchange has to
 * go, so that idle ones cannot keep others out (decisions 42).
 */
export function createConnections<Exchange>(
  most: number,
  isRunning: (exchange: Exchange) => boolean,
): Connections<Exchange> {
  const known = new Map<Duplex, Exchange | undefined>();
  const idle = () => [...known].filter(([, last]) => last === undefined || !isRunning(last));
  const leave = (socket: Duplex) => {
    known.delete(socket);
    socket.destroy();
  };
  return {
    enter(socket) {
      if (known.size >= most) leave(idle()[0]?.[0] ?? socket);
      if (socket.destroyed) return;
      known.set(socket, undefined);
      socket.once('close', () => known.delete(socket));
    },
    begin: (socket, exchange) => known.set(socket, exchange),
    exchangeOn: (socket) => known.get(socket),
    endIdle() {
      for (const [socket] of idle()) leave(socket);
    },
  };
}
