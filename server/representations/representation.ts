import { hash } from 'node:crypto';
import { httpDate } from '../policy/preconditions.ts';

/** The media type of every body (interface, What the service does, rule 2). */
export const halJson = 'application/hal+json';

/** Bytes that are sent: all of them, or, where they are many, piece by piece as they are taken. */
export type Body = Uint8Array | LongBody;

export type LongBody = {
  readonly length: number;
  /**
   * Copies bytes from `at` on, as many as there are and fit, and answers how many. Rejects with
   * BodyChanged where what was announced is no more.
   */
  read(at: number, into: Uint8Array): Promise<number>;
};

/** A resource changed while it was sent: the rest would belong to another version. */
export class BodyChanged extends Error {
  override readonly name = 'BodyChanged';
}

export function isWhole(body: Body): body is Uint8Array {
  return ArrayBuffer.isView(body);
}

/** All bytes of a body, for who has to hold them anyway. */
export async function wholeOf(body: Body): Promise<Uint8Array> {
  if (isWhole(body)) return body;
  const whole = new Uint8Array(body.length);
  await body.read(0, whole);
  return whole;
}

/** What a resource looks like: bytes and headers made once, sent as often as it is read. */
export type Representation = {
  readonly body: Body;
  /** Strong entity tag, with its quotes (decisions 14). */
  readonly etag: string;
  /** Milliseconds since the epoch. */
  readonly changedAt: number;
  /** All headers of a 200 that answers a read. */
  readonly headers: Readonly<Record<string, string>>;
};

type Version = { readonly etag: string; readonly changedAt: number };

/** `more` holds the headers only this kind of resource has. */
export function represent(
  body: Body,
  { etag, changedAt }: Version,
  more: Readonly<Record<string, string>> = {},
): Representation {
  const headers = {
    'Content-Type': halJson,
    'Content-Length': String(body.length),
    ETag: etag,
    'Last-Modified': httpDate(changedAt),
    Vary: 'Accept',
    'Cache-Control': 'no-cache',
    ...more,
  };
  return Object.freeze({ body, etag, changedAt, headers: Object.freeze(headers) });
}

/** The same for the same parts on every instance; 16 hexadecimal digits or fewer. */
export function fingerprint(parts: readonly (string | number)[], digits = 16): string {
  return hash('sha256', JSON.stringify(parts)).slice(0, digits);
}
