import { createServer } from 'node:http';
import type { Server, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { createTurns, createShares } from '../fair-shares.ts';
import { createMemoryReturn, send, type Sender } from './sending.ts';
import { type Connections, createConnections, endWith, refuseBytes } from './connections.ts';
import type { Incoming } from './incoming-body.ts';
import { type App, createFieldLines, type Response } from './message.ts';
import { LeanRequest, NodeRequest, originOf, readWithoutUpgrade } from './node-request.ts';

/** Decisions 42; milliseconds, bytes, connections. */
export type Bounds = typeof usualBounds;

const usualBounds = {
  headersMs: 10_000,
  requestMs: 30_000,
  /** Of silence between two requests. */
  keepAliveMs: 5_000,
  /** How often the three above are looked at. */
  checkMs: 2_000,
  /** For a response, or a piece of a long one, to be taken by its reader. */
  sendMs: 30_000,
  maxHeaderBytes: 16_384,
  maxConnections: 1_024,
  /** Of answers that their readers do not take, and of requests that wait behind them. */
  unread: { bytes: 32 * 1024 * 1024, bytesOfAddress: 24 * 1024 * 1024, stillMs: 500 },
  /** Of bodies that have not come to their end. */
  unfinished: { bytes: 48 * 1024 * 1024, bytesOfAddress: 32 * 1024 * 1024, stillMs: 500 },
};

type Listen = {
  readonly host: string;
  readonly port: number;
  /** For the links of what cannot be read as a request; else the address that it came to. */
  readonly baseUrl?: string | undefined;
  readonly bounds?: Partial<Bounds>;
  /** Does not keep the process running: whoever asks does. */
  readonly background?: boolean;
  /** Of one request; where it is large, so is what may be held of those that come in. */
  readonly maxBodyBytes?: number;
};

export type Listening = {
  readonly port: number;
  /** Takes no more connections, finishes what runs, cuts what is left after `graceMs`. */
  stop(graceMs: number): Promise<void>;
};

type Serving = {
  readonly app: App;
  readonly connections: Connections<ServerResponse>;
  readonly sender: Sender;
  /** Connections whose last answer is given: what came behind it is not begun. */
  readonly over: WeakSet<object>;
  stopping: boolean;
};

/** Serves an app on a port with node:http. Rejects where it cannot bind. */
export async function listen(app: App, options: Listen): Promise<Listening> {
  const bounds = boundsOf(options);
  const unread = createShares(bounds.unread);
  const unfinished = createShares(bounds.unfinished);
  const endSlowest = () => unread.endSlowest() || unfinished.endSlowest();
  const shares = { ...unread, endSlowest };
  const connections = createConnections<ServerResponse>(bounds.maxConnections, shares);
  const linesOf = createFieldLines(bounds.keepAliveMs);
  const sender = { linesOf, unread, sendMs: bounds.sendMs, free: [], turn: createTurns() };
  const serving: Serving = { app, connections, sender, over: new WeakSet(), stopping: false };
  const take = (incoming: Incoming, outgoing: ServerResponse, invite?: () => void) => {
    const request = new NodeRequest(incoming, { unfinished, invite, outgoing });
    const start = () => exchange(serving, request, outgoing);
    connections.inTurn(outgoing.req.socket, outgoing, start);
  };
  const server = createServer(nodeOptions(bounds), (incoming, outgoing) => {
    take(incoming, outgoing);
  });
  server.on('connection', (socket) => {
    if (options.background === true) socket.unref();
    connections.enter(socket);
  });
  server.on('checkContinue', (incoming, outgoing) => {
    take(incoming, outgoing, () => outgoing.writeContinue());
  });
  server.on('checkExpectation', (incoming, outgoing) => take(incoming, outgoing));
  // Node hands the connection over with a request for a tunnel or another protocol, errors and all.
  server.on('connect', (incoming, socket) => {
    socket.on('error', () => socket.destroy());
    const refuse = async () =>
      endWith(socket, await app(new NodeRequest(incoming, { unfinished })));
    connections.inTurn(socket, undefined, () => void refuse());
  });
  server.on('upgrade', (incoming, socket, behind) => {
    socket.on('error', () => socket.destroy());
    const read = () => readWithoutUpgrade(server, incoming, { socket, behind });
    connections.inTurn(socket, undefined, read);
  });
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    const baseUrl = options.baseUrl ?? (socket instanceof Socket ? originOf(socket) : '');
    refuseBytes({ code: error.code, baseUrl }, socket, connections.exchangeOn(socket));
  });
  // Node drops the fields behind the two thousandth without a word: a Host, a length, a guard.
  server.maxHeadersCount = 0;
  await bind(server, options);
  const { keepAliveMs, checkMs, headersMs } = bounds;
  const returnMemory = createMemoryReturn([unread, unfinished]);
  const sweeps = setInterval(() => {
    connections.endSilent(keepAliveMs / checkMs, headersMs / checkMs + 1);
    returnMemory();
  }, checkMs);
  server.once('close', () => clearInterval(sweeps));
  if (options.background === true) {
    server.unref();
    sweeps.unref();
  }
  return {
    port: portOf(server) ?? options.port,
    stop: (graceMs) => stop(server, serving, graceMs),
  };
}

function boundsOf({ bounds, maxBodyBytes = 0 }: Listen): Bounds {
  const all = { ...usualBounds, ...bounds };
  // What was taken is answered, in one piece.
  const roomy = ({ bytes, bytesOfAddress, stillMs }: Bounds['unread']) => ({
    bytes: Math.max(bytes, 3 * maxBodyBytes),
    bytesOfAddress: Math.max(bytesOfAddress, 2 * maxBodyBytes),
    stillMs,
  });
  return { ...all, unread: roomy(all.unread), unfinished: roomy(all.unfinished) };
}

/** A request without Host is the app's to refuse, in the words of the API. */
function nodeOptions(bounds: Bounds) {
  return {
    IncomingMessage: LeanRequest,
    headersTimeout: bounds.headersMs,
    requestTimeout: bounds.requestMs,
    connectionsCheckingInterval: bounds.checkMs,
    // Ours looks at all connections together, and is told by the field Keep-Alive.
    keepAliveTimeout: 0,
    maxHeaderSize: bounds.maxHeaderBytes,
    requireHostHeader: false,
    // A connection that Node gives away has lost the body before it, in its latest versions.
    shouldUpgradeCallback: ({ announcesBody }: LeanRequest) => !announcesBody,
  };
}

/** Hands a request to the app and its answer to the socket, at once where the app has it ready. */
function exchange(serving: Serving, request: NodeRequest, outgoing: ServerResponse): void {
  const { connections } = serving;
  const { socket } = outgoing.req;
  if (serving.over.has(socket)) return;
  const answer = serving.app(request);
  const endWhenSent = () =>
    outgoing.once('close', () => {
      connections.end(socket, outgoing);
      // Its answer was begun before that, and did not say that it is the last.
      if (serving.stopping) connections.endIdle();
    });
  if (!(answer instanceof Promise)) {
    if (finish(serving, request, { outgoing, response: answer })) return;
    connections.begin(socket, outgoing);
    endWhenSent();
    return;
  }
  connections.begin(socket, outgoing);
  void answer.then((response) => {
    if (finish(serving, request, { outgoing, response })) connections.end(socket, outgoing);
    else endWhenSent();
  });
}

type Answered = { readonly outgoing: ServerResponse; readonly response: Response };

/** True where the answer has left at once. */
function finish(
  { sender, over, stopping }: Serving,
  request: NodeRequest,
  { outgoing, response }: Answered,
): boolean {
  // A body that was never asked for may come or not: what follows could be read as either.
  // Of a transfer coding HTTP/1.0 knows nothing: others see its end elsewhere (RFC 9112, 6.1).
  const isOdd = outgoing.req.httpVersion === '1.0' && request.headers['transfer-encoding'];
  if (request.isUninvited || request.isBeforeUpgrade || stopping || isOdd)
    outgoing.shouldKeepAlive = false;
  const isLast = !outgoing.shouldKeepAlive || response.headers['Connection'] === 'close';
  if (isLast) over.add(outgoing.req.socket);
  request.passOver();
  send(sender, outgoing, response);
  return outgoing.writableFinished;
}

/** Rejects as `listen` would, for who has something to make before. */
export async function requirePort(place: Pick<Listen, 'host' | 'port'>): Promise<void> {
  const server = createServer();
  await bind(server, place);
  await new Promise((resolve) => server.close(resolve));
}

function bind(server: Server, { host, port }: Pick<Listen, 'host' | 'port'>): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    // A thousand may come at once; who finds no place in the queue comes again after a second.
    server.listen({ host, port, backlog: 4096 }, () => {
      server.off('error', reject);
      resolve();
    });
  });
}

function portOf(server: Server): number | undefined {
  const address = server.address();
  return typeof address === 'object' ? address?.port : undefined;
}

/** Node's own close waits for ever for a connection that never sent anything (decisions 41). */
function stop(server: Server, serving: Serving, graceMs: number): Promise<void> {
  serving.stopping = true;
  return new Promise((resolve) => {
    const cut = setTimeout(() => server.closeAllConnections(), graceMs);
    // Node's own, which `close` calls, takes for idle whose answer has not left yet.
    server.closeIdleConnections = () => serving.connections.endIdle();
    server.close(() => {
      clearTimeout(cut);
      resolve();
    });
  });
}
