import { STATUS_CODES } from 'node:http';
import type { ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { Refusal } from '../errors.ts';
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
  } else endWith(socket, refusalOfParser(code));
}

/** CONNECT, which Node hands over as a bare connection (decisions 3). */
export function refuseTunnel(method: string, socket: Duplex): void {
  endWith(socket, new Refusal('not-implemented', `This service knows no ${method}.`));
}

function endWith(socket: Duplex, refusal: Refusal): void {
  socket.end(rawRefusal(refusal), () => socket.destroy());
}

function rawRefusal(refusal: Refusal): Buffer {
  const { status, headers, body } = answerRefusal(refusal, { baseUrl: '' });
  const fields = { ...headers, Date: new Date().toUTCString(), Connection: 'close' };
  const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}\r\n`);
  const head = `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\n${lines.join('')}\r\n`;
  return Buffer.concat([Buffer.from(head), body]);
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
