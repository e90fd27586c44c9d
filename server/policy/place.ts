import { originOf } from './forwarded.ts';
import { checkHost, hostAndPort } from './host.ts';
import type { HostRules } from './host.ts';

type Headers = Readonly<Record<string, string | undefined>>;

export type PlaceRules = {
  readonly hosts: HostRules;
  /** What links begin with whatever the request says, without a trailing slash. */
  readonly baseUrl?: string | undefined;
  /** Whether the word of a proxy at this address is taken. */
  readonly trusts: (address: string) => boolean;
};

export type Arrival = {
  readonly headers: Headers;
  /** Of an absolute-form target. */
  readonly authority: string | undefined;
  /** Address of the one who is connected. */
  readonly peer: string;
};

export type Place = { readonly baseUrl: string; readonly address: string };

/**
 * What links begin with in answers to this request, and who sent it (decisions 23, 24). A Host that
 * is missing or malformed is refused even where the target outranks it (RFC 9112, 3.2).
 */
export function placeOf({ headers, authority, peer }: Arrival, rules: PlaceRules): Place {
  const named = checkHost(headers['host'], rules.hosts);
  const host = authority === undefined ? named : checkHost(authority, rules.hosts);
  const origin = originOf({ address: peer, isTrusted: rules.trusts(peer) }, headers);
  const shown = origin.host === undefined ? host : hostAndPort(origin.host);
  return { baseUrl: rules.baseUrl ?? `${origin.scheme}://${shown}`, address: origin.address };
}
