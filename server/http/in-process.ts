import { Refusal } from '../errors.ts';
import { wholeOf } from '../representations/representation.ts';
import type { App } from './message.ts';

/** A request that never sees a socket: absolute URL, field names in lower case. */
export type PlainRequest = {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Uint8Array;
};

export type PlainResponse = {
  readonly status: number;
  /** Field names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
};

/** Lets a caller in this process use an app as if it were sent over HTTP. */
export function inProcess(app: App): (request: PlainRequest) => Promise<PlainResponse> {
  return async ({ method, url: target, headers, body = new Uint8Array(0) }) => {
    const response = await app({
      method,
      target,
      headers: { host: new URL(target).host, ...headers },
      id: headers['x-request-id'],
      peer: '',
      body: async (limitBytes) => {
        if (body.length <= limitBytes) return body;
        throw new Refusal('payload-too-large', `A body has at most ${limitBytes} bytes.`);
      },
    });
    const { status, headers: own } = response;
    return { status, headers: inLowerCase(own), body: await wholeOf(response.body) };
  };
}

function inLowerCase(headers: Readonly<Record<string, string>>): Record<string, string> {
  const fields = Object.entries(headers);
  return Object.fromEntries(fields.map(([name, value]) => [name.toLowerCase(), value]));
}
