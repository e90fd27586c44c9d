import { type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { Refusal } from '../errors.ts';
import { wholeOf } from '../representations/representation.ts';
import type { Response } from './message.ts';
import { answerRefusal } from './refusals.ts';

/**
 * Ends a connection whose bytes are no request, as Node's parser tells by its `code`. An exchange
 * that still runs is answered first: its client would take our complaint for the answer.
 */
export function refuseBytes(code: string | undefined, socket: Duplex, last?: ServerResponse): void {
  if (!socket.writable || last?.headersSent === true) socket.destroy();
  else if (last?.req.complete === true) {
    last.shouldKeepAlive = false;
    last.once('finish', () => socket.destroy());
  } else endWith(socket, answerRefusal(refusalOfParser(code), { baseUrl: '' }));
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
  return new Refusal('bad-request', 'This is not a well-formed HTTP/1.1 request.');
}

/**
 * No other protocol is spoken here, and a request that asks for one is answered as if it did not
 * (RFC 9110, 7.8). Node gives the connection away at such a request, with all that came behind it:
 * both are read again, the request without that field.
 */
export function readWithoutUpgrade(
  server: Server,
  incoming: IncomingMessage,
  { socket, behind }: { readonly socket: Duplex; readonly behind: Buffer },
): void {
  socket.pause();
  // Until then Node may still be busy with the end of the answer before.
  setImmediate(() => {
    if (socket.destroyed) return;
    socket.unshift(Buffer.concat([Buffer.from(headOf(incoming), 'latin1'), behind]));
    // A connection that Node takes up again listens for these anew.
    for (const name of ['pause', 'resume', 'error']) socket.removeAllListeners(name);
    server.emit('connection', socket);
    socket.resume();
  });
}

function headOf({ method, url, httpVersion, rawHeaders }: IncomingMessage): string {
  const lines = [`${method} ${url} HTTP/${httpVersion}`];
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] ?? '';
    if (name.toLowerCase() !== 'upgrade') lines.push(`${name}: ${rawHeaders[at + 1]}`);
  }
  return `${lines.join('\r\n')}\r\n\r\n`;
}
