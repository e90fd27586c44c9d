import { createServer, STATUS_CODES } from 'node:http';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { Refusal } from '../errors.ts';
import { createConnections } from './connections.ts';
import type { Connections } from './connections.ts';
import { headersOf } from './field-lines.ts';
import { readBody } from './incoming-body.ts';
import { noAnswer } from './message.ts';
import type { App, Request, Response } from './message.ts';
import { rawRefusal, refusalOfParser } from './raw-response.ts';
import { answerRefusal } from './refusals.ts';

/** Decisions 42; milliseconds, bytes, connections. */
export type Bounds = typeof usualBounds;

const usualBounds = {
  headersMs: 10_000,
  requestMs: 30_000,
  /** How often the two above are looked at. */
  checkMs: 2_000,
  keepAliveMs: 5_000,
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

type Exchange = { readonly incoming: IncomingMessage; readonly outgoing: ServerResponse };

type Serving = {
  readonly app: App;
  readonly bounds: Bounds;
  readonly connections: Connections<Exchange>;
  stopping: boolean;
};

/** Serves an app on a port: the only place that knows node:http. Rejects where it cannot bind. */
export async function listen(app: App, options: Listen): Promise<Listening> {
  const bounds = { ...usualBounds, ...options.bounds };
  const connections = createConnections(bounds.maxConnections, isRunning);
  const serving: Serving = { app, bounds, connections, stopping: false };
  const server = createServer(nodeOptions(bounds), (incoming, outgoing) => {
    void exchange(serving, { incoming, outgoing });
  });
  server.on('connection', (socket) => connections.enter(socket));
  server.on('checkContinue', (incoming, outgoing) => {
    void exchange(serving, { incoming, outgoing }, () => outgoing.writeContinue());
  });
  server.on('checkExpectation', (incoming, outgoing) => {
    send(serving, { incoming, outgoing }, refuseExpectation());
  });
  server.on('connect', ({ method = '' }, socket) => refuseTunnel(method, socket));
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    refuseBytes(error.code, socket, connections.exchangeOn(socket));
  });
  await bind(server, options);
  return {
    port: portOf(server) ?? options.port,
    stop: (graceMs) => stop(server, serving, graceMs),
  };
}

/** A request without Host is the app's to refuse, in the words of the API. */
function nodeOptions(bounds: Bounds) {
  return {
    headersTimeout: bounds.headersMs,
    requestTimeout: bounds.requestMs,
    connectionsCheckingInterval: bounds.checkMs,
    keepAliveTimeout: bounds.keepAliveMs,
    maxHeaderSize: bounds.maxHeaderBytes,
    requireHostHeader: false,
  };
}

function isRunning({ outgoing }: Exchange): boolean {
  return !outgoing.writableFinished;
}

/** `invite` asks a client that waits for it to send the body (RFC 9110, 10.1.1). */
async function exchange(serving: Serving, pair: Exchange, invite?: () => void): Promise<void> {
  const { incoming, outgoing } = pair;
  serving.connections.begin(incoming.socket, pair);
  let uninvited = invite;
  const request: Request = {
    method: incoming.method ?? '',
    target: incoming.url ?? '',
    headers: headersOf(incoming.rawHeaders),
    peer: incoming.socket.remoteAddress ?? '',
    body(limitBytes) {
      uninvited?.();
      uninvited = undefined;
      return readBody(incoming, limitBytes);
    },
  };
  const response = await serving.app(request);
  // A body that was never asked for may come or not: what follows could be read as either.
  if (uninvited !== undefined) outgoing.shouldKeepAlive = false;
  send(serving, pair, response);
}

/** Where there is no body, its length is the app's to tell or to leave out (decisions 1). */
function send(serving: Serving, { incoming, outgoing }: Exchange, response: Response): void {
  if (response === noAnswer) {
    incoming.socket.destroy();
    return;
  }
  const { status, headers, body } = response;
  if (serving.stopping) outgoing.shouldKeepAlive = false;
  outgoing.writeHead(status, headers);
  if (body.length === 0) outgoing.end();
  else outgoing.end(body);
  if (!incoming.complete) incoming.resume();
  if (incoming.socket.writableLength > 0) cutSlowReader(outgoing, serving.bounds.sendMs);
}

/** Progress alone is not enough: a reader of one byte a second would hold its bytes for hours. */
function cutSlowReader(outgoing: ServerResponse, sendMs: number): void {
  const { socket } = outgoing;
  const deadline = setTimeout(() => socket?.destroy(), sendMs);
  outgoing.once('close', () => clearTimeout(deadline));
}

function refuseExpectation(): Response {
  const refusal = new Refusal('expectation-failed', 'Only 100-continue can be expected here.', {
    headers: { Connection: 'close' },
  });
  return answerRefusal(refusal, { baseUrl: '' });
}

function refuseTunnel(method: string, socket: Duplex): void {
  const refusal = new Refusal('not-implemented', `This service knows no ${method}.`);
  endWith(socket, rawRefusal(refusal, STATUS_CODES[refusal.status] ?? ''));
}

/**
 * Ends a connection whose bytes are no request. An exchange that still runs is answered first:
 * its client would take our complaint for the answer.
 */
function refuseBytes(code: string | undefined, socket: Duplex, last?: Exchange): void {
  const runs = last !== undefined && isRunning(last);
  if (!socket.writable || (runs && last.outgoing.headersSent)) socket.destroy();
  else if (runs && last.incoming.complete) {
    last.outgoing.shouldKeepAlive = false;
    last.outgoing.once('finish', () => socket.destroy());
  } else {
    const refusal = refusalOfParser(code);
    endWith(socket, rawRefusal(refusal, STATUS_CODES[refusal.status] ?? ''));
  }
}

function endWith(socket: Duplex, bytes: Buffer): void {
  socket.end(bytes, () => socket.destroy());
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
