import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';

/** The connections of a server, oldest first, each with the exchange it is in. */
export type Connections<Exchange> = {
  enter(socket: Socket): void;
  begin(socket: Socket, exchange: Exchange): void;
  /** One that is kept after its end would be in the way of every collection of garbage. */
  end(socket: Socket, exchange: Exchange): void;
  exchangeOn(socket: Duplex): Exchange | undefined;
  /** Ends every connection that waits for nothing. */
  endIdle(): void;
  /** Ends those that were silent since `looks` looks ago; the first request has its own deadline. */
  endSilent(looks: number): void;
};

type Connection<Exchange> = {
  readonly socket: Socket;
  /** The one that runs, or the last of those that came together. */
  exchange: Exchange | undefined;
  bytesRead: number;
  silentLooks: number;
};

/**
 * Keeps at most `most` connections: when one more comes, the oldest that is in no exchange has to
 * go, so that idle ones cannot keep others out (decisions 42).
 */
export function createConnections<Exchange>(most: number): Connections<Exchange> {
  const known = new Map<Duplex, Connection<Exchange>>();
  const idle = () => [...known.values()].filter(({ exchange }) => exchange === undefined);
  const leave = (socket: Socket) => {
    known.delete(socket);
    socket.destroy();
  };
  return {
    enter(socket) {
      if (known.size >= most) leave(idle()[0]?.socket ?? socket);
      if (socket.destroyed) return;
      known.set(socket, { socket, exchange: undefined, bytesRead: 0, silentLooks: 0 });
      socket.once('close', () => known.delete(socket));
    },
    begin(socket, exchange) {
      const connection = known.get(socket);
      if (connection !== undefined) connection.exchange = exchange;
    },
    end(socket, exchange) {
      const connection = known.get(socket);
      if (connection?.exchange === exchange) connection.exchange = undefined;
    },
    exchangeOn: (socket) => known.get(socket)?.exchange,
    endIdle() {
      for (const { socket } of idle()) leave(socket);
    },
    endSilent(looks) {
      for (const connection of idle()) {
        if (silentLooks(connection) >= looks) leave(connection.socket);
      }
    },
  };
}

/** A look instead of a timer for each exchange: that timer costs more than our part of a read. */
function silentLooks(connection: Connection<unknown>): number {
  const { bytesRead } = connection.socket;
  const isSilent = bytesRead > 0 && bytesRead === connection.bytesRead;
  connection.silentLooks = isSilent ? connection.silentLooks + 1 : 0;
  connection.bytesRead = bytesRead;
  return connection.silentLooks;
}
