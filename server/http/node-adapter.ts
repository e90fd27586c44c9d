import { createServer } from 'node:http';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { Refusal } from '../errors.ts';
import { headersOf } from './field-lines.ts';
import { readBody } from './incoming-body.ts';
import type { App, Request, Response } from './message.ts';
import { rawResponse, refusalOfParser } from './raw-response.ts';
import { answerRefusal } from './refusals.ts';

export type Address = { readonly host: string; readonly port: number };

export type Listening = {
  readonly port: number;
  /** Takes no more connections, finishes what runs, cuts what is left after `graceMs`. */
  stop(graceMs: number): Promise<void>;
};

/** Decisions 42, in milliseconds and bytes. A request without Host is the app's to refuse. */
const bounds = {
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  connectionsCheckingInterval: 2_000,
  keepAliveTimeout: 5_000,
  maxHeaderSize: 16_384,
  requireHostHeader: false,
};

/** The connections of a server, each with the exchange it is in or was in last. */
type Connections = {
  readonly exchanges: Map<Duplex, Exchange | undefined>;
  stopping: boolean;
};

type Exchange = { readonly incoming: IncomingMessage; readonly outgoing: ServerResponse };

/** Serves an app on a port: the only place that knows node:http. Rejects where it cannot bind. */
export async function listen(app: App, { host, port }: Address): Promise<Listening> {
  const connections: Connections = { exchanges: new Map(), stopping: false };
  const server = createServer(bounds, (incoming, outgoing) => {
    void exchange(app, connections, { incoming, outgoing });
  });
  server.maxConnections = 1024;
  server.on('connection', (socket) => {
    connections.exchanges.set(socket, undefined);
    socket.on('close', () => connections.exchanges.delete(socket));
  });
  server.on('checkContinue', (incoming, outgoing) => {
    void exchange(app, connections, { incoming, outgoing }, () => outgoing.writeContinue());
  });
  server.on('checkExpectation', (_, outgoing) => send(outgoing, refuseExpectation()));
  server.on('clientError', (error: NodeJS.ErrnoException, socket) =>
    refuseBytes(error.code, socket, connections.exchanges.get(socket)),
  );
  await bind(server, { host, port });
  return { port: portOf(server) ?? port, stop: (graceMs) => stop(server, connections, graceMs) };
}

/** `invite` asks a client that waits for it to send the body (RFC 9110, 10.1.1). */
async function exchange(
  app: App,
  connections: Connections,
  { incoming, outgoing }: Exchange,
  invite?: () => void,
): Promise<void> {
  connections.exchanges.set(incoming.socket, { incoming, outgoing });
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
  const response = await app(request);
  // A body that was never asked for may come or not: what follows could be read as either.
  if (uninvited !== undefined || connections.stopping) outgoing.shouldKeepAlive = false;
  send(outgoing, response);
  if (!incoming.complete) incoming.resume();
}

/** Where there is no body, its length is the app's to tell or to leave out (decisions 1). */
function send(outgoing: ServerResponse, { status, headers, body }: Response): void {
  outgoing.writeHead(status, headers);
  if (body.length === 0) outgoing.end();
  else outgoing.end(body);
}

function refuseExpectation(): Response {
  const refusal = new Refusal('expectation-failed', 'Only 100-continue can be expected here.');
  const response = answerRefusal(refusal, { baseUrl: '' });
  return { ...response, headers: { ...response.headers, Connection: 'close' } };
}

/**
 * Ends a connection whose bytes are no request. An exchange that still runs is answered first:
 * its client would take our complaint for the answer.
 */
function refuseBytes(code: string | undefined, socket: Duplex, current?: Exchange): void {
  const isRunning = current !== undefined && !current.outgoing.writableFinished;
  if (!socket.writable || (isRunning && current.outgoing.headersSent)) socket.destroy();
  else if (isRunning && current.incoming.complete) {
    current.outgoing.shouldKeepAlive = false;
    current.outgoing.once('finish', () => socket.destroy());
  } else {
    const response = answerRefusal(refusalOfParser(code), { baseUrl: '' });
    socket.end(rawResponse(response), () => socket.destroy());
  }
}

function bind(server: Server, { host, port }: Address): Promise<void> {
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
function stop(server: Server, connections: Connections, graceMs: number): Promise<void> {
  connections.stopping = true;
  return new Promise((resolve) => {
    const cut = setTimeout(() => server.closeAllConnections(), graceMs);
    server.close(() => {
      clearTimeout(cut);
      resolve();
    });
    for (const [socket, current] of connections.exchanges) {
      if (current === undefined || current.outgoing.writableFinished) socket.destroy();
    }
  });
}
