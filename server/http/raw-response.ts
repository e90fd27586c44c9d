import { Refusal } from '../errors.ts';
import type { Response } from './message.ts';

/** A response as bytes, for requests Node's parser gave up on; the connection ends with it. */
export function rawResponse({ status, headers, body }: Response): Buffer {
  const lines = Object.entries({ ...headers, Connection: 'close', Date: new Date().toUTCString() });
  const head = lines.map(([name, value]) => `${name}: ${value}\r\n`).join('');
  return Buffer.concat([Buffer.from(`HTTP/1.1 ${status} ${phrase}\r\n${head}\r\n`), body]);
}

const phrase = 'Bad Request';

/** What Node's parser found wrong, in the words of the API (decisions 3). */
export function refusalOfParser(code: string | undefined): Refusal {
  if (code === 'HPE_HEADER_OVERFLOW') {
    return new Refusal('headers-too-large', 'The request header has more than 16 KiB.');
  }
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') {
    return new Refusal('request-timeout', 'The request did not arrive in time.');
  }
  return new Refusal('bad-request', 'This is not a well-formed HTTP/1.1 request.');
}
