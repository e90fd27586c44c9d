import { Refusal } from '../errors.ts';

type Headers = Readonly<Record<string, string | undefined>>;

const json = /^application\/json[ \t]*(?:;[ \t]*charset[ \t]*=[ \t]*"?utf-8"?[ \t]*)?;?[ \t]*$/i;

/**
 * What can be said of a body before it is read (decisions 20, 30): its type, its coding and its
 * announced size. Only `application/json` passes, which is also the wall against forms that a
 * foreign page sends in a browser's name.
 */
export function checkFraming(headers: Headers, maxBodyBytes: number): void {
  const type = headers['content-type'];
  if (type === undefined || !json.test(type)) {
    const sent = type === undefined ? 'none' : JSON.stringify(type.slice(0, 100));
    throw unsupported(`The Content-Type of a body is application/json in UTF-8, not ${sent}.`);
  }
  const coding = headers['content-encoding'];
  if (coding !== undefined && coding.toLowerCase() !== 'identity') {
    throw unsupported('A body is sent without Content-Encoding.');
  }
  if (Number(headers['content-length'] ?? 0) > maxBodyBytes) throw tooLarge(maxBodyBytes);
}

/**
 * Refuses a body whose end another recipient may see elsewhere: any transfer coding but `chunked`
 * alone, an empty one among them (RFC 9112, 6.1). Nothing more is read on that connection.
 */
export function checkTransferCoding(headers: Headers): void {
  const coding = headers['transfer-encoding'];
  if (coding === undefined || coding.toLowerCase() === 'chunked') return;
  const sent = JSON.stringify(coding.slice(0, 100));
  throw new Refusal('bad-request', `The one Transfer-Encoding taken is chunked, not ${sent}.`, {
    headers: { Connection: 'close' },
  });
}

export function tooLarge(maxBodyBytes: number): Refusal {
  return new Refusal('payload-too-large', `A body has at most ${maxBodyBytes} bytes.`);
}

function unsupported(message: string): Refusal {
  return new Refusal('unsupported-media-type', message, {
    headers: { Accept: 'application/json', 'Accept-Encoding': 'identity' },
  });
}
