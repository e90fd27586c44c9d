import { type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { Refusal } from '../errors.ts';
import { wholeOf } from '../representations/representation.ts';
import type { Response } from './message.ts';
import { answerRefusal } from './refusals.ts';
import type { Shares } from '../fair-shares.ts';

/** The connections of a server, oldest first, each with the exchanges it is in. */
export type Connections<Exchange> = {
  enter(socket: Socket): void;
  /**
   * Starts an exchange at the end of a turn of the event loop, when every one before it on the
   * connection has ended: of requests that came together, none sees half of what another does
   * (decisions 52). A turn starts one of each connection, as many as take some milliseconds, and reads
   * no more than that of who sends one behind the other: who sends thousands of them is no sooner served
   * than who sends one; and answers that leave one right behind the other find their
   * readers awake, which costs a third less than to wake each.
   */
  inTurn(socket: Duplex, exchange: Exchange | undefined, start: () => void): void;
  /** What was started goes on beyond its start. */
  begin(socket: Duplex, exchange: Exchange): void;
  /** One that is kept after its end would be in the way of every collection of garbage. */
  end(socket: Duplex, exchange: Exchange): void;
  /** The one that runs, or the last of those that wait behind it. */
  exchangeOn(socket: Duplex): Exchange | undefined;
  /** Ends every connection that waits for nothing. */
  endIdle(): void;
  /** Ends those that asked for nothing for so many idle sweeps, `ofHeader` more where something came since. */
  endSilent(sweeps: number, ofHeader: number): void;
};

type Turn<Exchange> = { readonly exchange: Exchange | undefined; readonly start: () => void };

type Connection<Exchange> = {
  readonly socket: Socket;
  exchange: Exchange | undefined;
  readonly waiting: Turn<Exchange>[];
  isPaused: boolean;
  /** As which those that wait count as held. */
  readonly holder: { readonly remoteAddress: string | undefined; destroy(): void };
  /** A request came since the last sweep. */
  wasAsked: boolean;
  /** At the first sweep after its last request. */
  bytesRead: number | undefined;
  silentSweeps: number;
  /** Requests that came before the one before them was answered. */
  pipelined: number;
};

/** Of one turn: how long answers are begun, in milliseconds, and how many pipelined requests are read. */
const usualTurn = { ms: 5, pipelined: 200 };
/** While connections come, of which Node takes one a turn. */
const shortTurn = { ms: 0.5, pipelined: 20 };

/** What Node makes of a request that cannot begin: a write of 64 KB has room for two thousand. */
const bytesOfWaiting = 2048;

/**
 * Keeps at most `most` connections: when one more comes, the oldest that is in no exchange has to
 * go, else one that does not read its answer, so that neither can keep others out (decisions 42).
 */
export function createConnections<Exchange>(
  most: number,
  { hold, leave: letGo, endSlowest }: Pick<Shares, 'hold' | 'leave' | 'endSlowest'>,
): Connections<Exchange> {
  const known = new Map<Duplex, Connection<Exchange>>();
  let due = new Set<Connection<Exchange>>();
  let turn = usualTurn;
  let pipelined = 0;
  const startDue = () => {
    const all = [...due];
    due = new Set();
    pipelined = 0;
    const until = performance.now() + turn.ms;
    turn = usualTurn;
    let started = 0;
    while (started < all.length && performance.now() < until) {
      const next = all[started];
      started += 1;
      if (next !== undefined) startNext(next);
    }
    if (started === all.length) return;
    if (due.size === 0) setImmediate(startDue);
    due = new Set([...all.slice(started), ...due].sort(byPipelined));
  };
  const makeDue = (connection: Connection<Exchange>) => {
    if (due.size === 0) setImmediate(startDue);
    due.add(connection);
  };
  /** Node would read on until nothing is left of what came. */
  const readOnLater = () => {
    const unread = idle().filter(({ socket }) => !socket.isPaused());
    for (const { socket } of unread) socket.pause();
    setImmediate(() => {
      pipelined = 0;
      // Who came last, among many who pipeline, is most likely none of them.
      for (const { socket } of unread.toReversed().sort(byPipelined)) socket.resume();
    });
  };
  const startNext = (connection: Connection<Exchange>) => {
    const { socket, waiting, holder } = connection;
    // Nothing is begun for one who is gone.
    if (connection.exchange !== undefined || socket.destroyed) return;
    const next = waiting.shift();
    if (waiting.length > 0) makeDue(connection);
    else if (connection.isPaused) {
      connection.isPaused = false;
      socket.resume();
      letGo(holder);
    }
    // Last: it may pause the connection, to have it read by others from where it is.
    next?.start();
  };
  const idle = () =>
    [...known.values()].filter(
      ({ exchange, waiting }) => exchange === undefined && waiting.length === 0,
    );
  const leave = (socket: Socket) => {
    known.delete(socket);
    socket.destroy();
  };
  const makeRoom = (newcomer: Socket) => {
    const [oldest] = idle();
    if (oldest !== undefined) leave(oldest.socket);
    else if (!endSlowest()) leave(newcomer);
  };
  return {
    enter(socket) {
      if (known.has(socket)) return;
      turn = shortTurn;
      if (known.size >= most) makeRoom(socket);
      if (socket.destroyed) return;
      const nothing = {
        exchange: undefined,
        waiting: [],
        wasAsked: false,
        bytesRead: undefined,
        silentSweeps: 0,
        pipelined: 0,
        isPaused: false,
      };
      const holder = { remoteAddress: socket.remoteAddress, destroy: () => leave(socket) };
      known.set(socket, { socket, holder, ...nothing });
      socket.once('close', () => {
        known.delete(socket);
        letGo(holder);
      });
    },
    inTurn(socket, exchange, start) {
      const connection = known.get(socket);
      if (connection === undefined) return start();
      const { waiting, holder } = connection;
      connection.wasAsked = true;
      waiting.push({ exchange, start });
      if (connection.exchange === undefined && waiting.length === 1) return makeDue(connection);
      hold(holder, waiting.length * bytesOfWaiting);
      // Who sends on without an answer is not read on.
      connection.isPaused = true;
      socket.pause();
      connection.pipelined += 1;
      pipelined += 1;
      if (pipelined === turn.pipelined) readOnLater();
    },
    begin(socket, exchange) {
      const connection = known.get(socket);
      if (connection !== undefined) connection.exchange = exchange;
    },
    end(socket, exchange) {
      const connection = known.get(socket);
      if (connection?.exchange !== exchange) return;
      connection.exchange = undefined;
      if (connection.waiting.length > 0) makeDue(connection);
    },
    exchangeOn(socket) {
      const connection = known.get(socket);
      return connection?.waiting.at(-1)?.exchange ?? connection?.exchange;
    },
    endIdle() {
      for (const { socket } of idle()) leave(socket);
    },
    endSilent(sweeps, ofHeader) {
      for (const connection of idle()) {
        const silent = silentSweeps(connection);
        const hasBegun = connection.socket.bytesRead !== connection.bytesRead;
        if (silent >= sweeps + (hasBegun ? ofHeader : 0)) leave(connection.socket);
      }
    },
  };
}

function byPipelined(one: Connection<unknown>, other: Connection<unknown>): number {
  return one.pipelined - other.pipelined;
}

/**
 * A look instead of a timer for each exchange: that timer costs more than our part of a read. None where
 * nothing was asked for yet.
 */
function silentSweeps(connection: Connection<unknown>): number {
  const { bytesRead } = connection.socket;
  if (connection.wasAsked) connection.bytesRead = bytesRead;
  const isSilent = !connection.wasAsked && connection.bytesRead !== undefined;
  connection.silentSweeps = isSilent ? connection.silentSweeps + 1 : 0;
  connection.wasAsked = false;
  return connection.silentSweeps;
}

/**
 * Ends a connection whose bytes are no request, as Node's parser tells by its `code`. An exchange
 * that still runs is answered first: its client would take our complaint for the answer.
 */
export function refuseBytes(
  { code, baseUrl }: { readonly code: string | undefined; readonly baseUrl: string },
  socket: Duplex,
  last?: ServerResponse,
): void {
  if (!socket.writable || last?.headersSent === true) socket.destroy();
  else if (last?.req.complete === true) {
    last.shouldKeepAlive = false;
    last.once('finish', () => socket.destroy());
  } else endWith(socket, answerRefusal(refusalOfParser(code), { baseUrl }));
}

/** Sends the last answer on a connection that Node does not answer on, and ends it. */
export function endWith(socket: Duplex, response: Response): void {
  void bytesOf(response).then((bytes) => socket.end(bytes, () => socket.destroy()));
}

async function bytesOf({ status, headers, body, id }: Response): Promise<Buffer> {
  const own = { Date: new Date().toUTCString(), Connection: 'close' };
  const fields = { ...headers, ...own, ...(id !== undefined && { 'X-Request-Id': id }) };
  const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}\r\n`);
  const head = `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\n${lines.join('')}\r\n`;
  return Buffer.concat([Buffer.from(head), await wholeOf(body)]);
}

/** What Node's parser found wrong, in the words of the API (decisions 3). */
function refusalOfParser(code: string | undefined): Refusal {
  if (code === 'HPE_HEADER_OVERFLOW') {
    return new Refusal('headers-too-large', 'The request header is too large.');
  }
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') {
    return new Refusal('request-timeout', 'The request did not arrive in time.');
  }
  const more = code === 'HPE_INVALID_METHOD' ? ' Methods are written as GET or DELETE.' : '';
  return new Refusal('bad-request', `This is not a well-formed HTTP/1.1 request.${more}`);
}
