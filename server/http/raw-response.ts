import { Refusal } from '../errors.ts';
import { answerRefusal } from './refusals.ts';

/** The answer to bytes that never became a request; the connection ends with it. */
export function rawRefusal(refusal: Refusal, phrase: string): Buffer {
  const { status, headers, body } = answerRefusal(refusal, { baseUrl: '' });
  const fields = { ...headers, Date: new Date().toUTCString(), Connection: 'close' };
  const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}\r\n`);
  const head = `HTTP/1.1 ${status} ${phrase}\r\n${lines.join('')}\r\n`;
  return Buffer.concat([Buffer.from(head), body]);
}

/** What Node's parser found wrong, in the words of the API (decisions 3). */
export function refusalOfParser(code: string | undefined): Refusal {
  if (code === 'HPE_HEADER_OVERFLOW') {
    return new Refusal('headers-too-large', 'The request header is too large.');
  }
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') {
    return new Refusal('request-timeout', 'The request did not arrive in time.');
  }
  return new Refusal('bad-request', 'This is not a well-formed HTTP/1.1 request.');
}
