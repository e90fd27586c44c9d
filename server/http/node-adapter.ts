import { createServer } from 'node:http';
import type { Server, ServerResponse } from 'node:http';
import { createConnections } from './connections.ts';
import type { Connections } from './connections.ts';
import { createFieldLines } from './field-lines.ts';
import type { FieldLines } from './field-lines.ts';
import { readWithoutUpgrade } from './ignored-upgrade.ts';
import { LeanRequest } from './lean-request.ts';
import { noAnswer } from './message.ts';
import type { App, Response } from './message.ts';
import { NodeRequest } from './node-request.ts';
import { endWith, refuseBytes } from './refused-bytes.ts';

/** Decisions 42; milliseconds, bytes, connections. */
export type Bounds = typeof usualBounds;

const usualBounds = {
  headersMs: 10_000,
  requestMs: 30_000,
  /** Of silence between two requests. */
  keepAliveMs: 5_000,
  /** How often the three above are looked at. */
  checkMs: 2_000,
  /** For a response to be taken by its reader. */
  sendMs: 30_000,
  maxHeaderBytes: 16_384,
  maxConnections: 1_024,
};

export type Listen = {
  readonly host: string;
  readonly port: number;
  readonly bounds?: Partial<Bounds>;
};

export type Listening = {
  readonly port: number;
  /** Takes no more connections, finishes what runs, cuts what is left after `graceMs`. */
  stop(graceMs: number): Promise<void>;
};

type Serving = {
  readonly app: App;
  readonly bounds: Bounds;
  readonly connections: Connections<ServerResponse>;
  readonly linesOf: FieldLines;
  stopping: boolean;
};

/** Serves an app on a port with node:http. Rejects where it cannot bind. */
export async function listen(app: App, options: Listen): Promise<Listening> {
  const bounds = { ...usualBounds, ...options.bounds };
  const connections = createConnections<ServerResponse>(bounds.maxConnections);
  const linesOf = createFieldLines(bounds.keepAliveMs);
  const serving: Serving = { app, bounds, connections, linesOf, stopping: false };
  const take = (request: NodeRequest, outgoing: ServerResponse) => {
    const start = () => exchange(serving, request, outgoing);
    connections.inTurn(outgoing.req.socket, outgoing, start);
  };
  const server = createServer(nodeOptions(bounds), (incoming, outgoing) => {
    take(new NodeRequest(incoming), outgoing);
  });
  server.on('connection', (socket) => connections.enter(socket));
  server.on('checkContinue', (incoming, outgoing) => {
    take(new NodeRequest(incoming, () => outgoing.writeContinue()), outgoing);
  });
  server.on('checkExpectation', (incoming, outgoing) => {
    take(new NodeRequest(incoming), outgoing);
  });
  // Node hands the connection over with a request for a tunnel or another protocol, errors and all.
  server.on('connect', (incoming, socket) => {
    socket.on('error', () => socket.destroy());
    connections.inTurn(socket, undefined, () => {
      void Promise.resolve(app(new NodeRequest(incoming))).then((last) => endWith(socket, last));
    });
  });
  server.on('upgrade', (incoming, socket, behind) => {
    socket.on('error', () => socket.destroy());
    connections.inTurn(socket, undefined, () =>
      readWithoutUpgrade(server, incoming, { socket, behind }),
    );
  });
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    refuseBytes(error.code, socket, connections.exchangeOn(socket));
  });
  await bind(server, options);
  const { keepAliveMs, checkMs } = bounds;
  const looks = setInterval(() => connections.endSilent(keepAliveMs / checkMs), checkMs);
  server.once('close', () => clearInterval(looks));
  return {
    port: portOf(server) ?? options.port,
    stop: (graceMs) => stop(server, serving, graceMs),
  };
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
  };
}

/** Hands a request to the app and its answer to the socket, at once where the app has it ready. */
function exchange(serving: Serving, request: NodeRequest, outgoing: ServerResponse): void {
  const answer = serving.app(request);
  if (answer instanceof Promise) {
    serving.connections.begin(outgoing.req.socket, outgoing);
    void answer.then((response) => sendLater(serving, request, { outgoing, response }));
  } else {
    send(serving, outgoing, answer);
    if (outgoing.writableFinished) return;
    serving.connections.begin(outgoing.req.socket, outgoing);
    endLater(serving, outgoing);
  }
}

type Later = { readonly outgoing: ServerResponse; readonly response: Response };

/** A body that was never asked for may come or not: what follows could be read as either. */
function sendLater(serving: Serving, request: NodeRequest, { outgoing, response }: Later): void {
  if (request.isUninvited) outgoing.shouldKeepAlive = false;
  send(serving, outgoing, response);
  if (outgoing.writableFinished) serving.connections.end(outgoing.req.socket, outgoing);
  else endLater(serving, outgoing);
}

/** Where there is no body, its length is the app's to tell or to leave out (decisions 1). */
function send(serving: Serving, outgoing: ServerResponse, response: Response): void {
  const { status, body } = response;
  if (response === noAnswer) {
    outgoing.req.socket.destroy();
    return;
  }
  if (serving.stopping) outgoing.shouldKeepAlive = false;
  outgoing.writeHead(status, serving.linesOf(response, outgoing.shouldKeepAlive));
  if (body.length === 0) outgoing.end();
  else outgoing.end(body);
}

/** Progress alone is not enough: a reader of one byte a second would hold its bytes for hours. */
function endLater({ bounds, connections }: Serving, outgoing: ServerResponse): void {
  const { socket } = outgoing.req;
  const deadline = setTimeout(() => socket.destroy(), bounds.sendMs);
  outgoing.once('close', () => {
    clearTimeout(deadline);
    connections.end(socket, outgoing);
  });
}

function bind(server: Server, { host, port }: Listen): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ host, port }, () => {
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
    server.close(() => {
      clearTimeout(cut);
      resolve();
    });
    serving.connections.endIdle();
  });
}
