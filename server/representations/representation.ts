import { hash } from 'node:crypto';
import { httpDate } from '../policy/http-date.ts';

/** The media type of every body (api.md, What the service does, rule 2). */
export const halJson = 'application/hal+json';

/** What a resource looks like: bytes and headers made once, sent as often as it is read. */
export type Representation = {
  readonly body: Uint8Array;
  /** Strong entity tag, with its quotes (decisions 14). */
  readonly etag: string;
  /** Milliseconds since the epoch. */
  readonly changedAt: number;
  /** All headers of a 200 that answers a read. */
  readonly headers: Readonly<Record<string, string>>;
};

export type Version = { readonly etag: string; readonly changedAt: number };

/** `more` holds the headers only this kind of resource has. */
export function represent(
  body: Uint8Array,
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
export function fingerprint(parts: readonly (string | number)[], digits: number): string {
  return hash('sha256', JSON.stringify(parts)).slice(0, digits);
}
