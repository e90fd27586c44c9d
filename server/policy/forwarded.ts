import { BlockList, isIP } from 'node:net';
import { Refusal } from '../errors.ts';

type Headers = Readonly<Record<string, string | undefined>>;

/** Where a request came from and what it was for, as far as that can be believed. */
export type Origin = {
  /** Address of the client. */
  readonly address: string;
  readonly scheme: 'http' | 'https';
  /** Host and port the client asked for; absent = as in the request itself. */
  readonly host?: string;
};

export type Peer = { readonly address: string; readonly isTrusted: boolean };

/** What a trusted proxy says stands for the request; anybody else's word is ignored (decisions 23). */
export function originOf(peer: Peer, headers: Headers): Origin {
  const { address, scheme, host } = peer.isTrusted ? agreed(headers) : {};
  return {
    address: addressIn(address ?? '') ?? peer.address,
    scheme: scheme?.toLowerCase() === 'https' ? 'https' : 'http',
    ...(host !== undefined && { host }),
  };
}

type Said = { readonly address?: string; readonly scheme?: string; readonly host?: string };

/**
 * A proxy that writes one of the two kinds of field may let a client's other kind pass: where they
 * do not say the same, one of them is a stranger's word.
 */
function agreed(headers: Headers): Said {
  const legacy = fromLegacy(headers);
  const said = { ...legacy, ...fromForwarded(headers) };
  const differs = meant(legacy).some(
    (value, at) => value !== undefined && value !== meant(said)[at],
  );
  if (!differs) return said;
  throw new Refusal('bad-request', 'Forwarded and X-Forwarded-* do not say the same.');
}

function meant({ address, scheme, host }: Said): readonly (string | undefined)[] {
  const whose = address === undefined ? undefined : (addressIn(address) ?? address);
  return [whose, scheme, host].map((value) => value?.toLowerCase());
}

/** An address alone: with a port, each connection of a client would count as another client. */
function addressIn(text: string): string | undefined {
  const [, bracketed, dotted] = /^(?:\[([^\]]+)\]|([\d.]+))(?::\d+)?$/.exec(text) ?? [];
  return [bracketed, dotted, text].find((one) => one !== undefined && isIP(one) !== 0);
}

/** X-Forwarded-*: the last value is the one our proxy added. */
function fromLegacy(headers: Headers): Said {
  return present({
    address: lastOf(headers['x-forwarded-for']),
    scheme: lastOf(headers['x-forwarded-proto']),
    host: lastOf(headers['x-forwarded-host']),
  });
}

/** Forwarded (RFC 7239): the last element is the one our proxy added. */
function fromForwarded(headers: Headers): Said {
  const element = lastOf(headers['forwarded']) ?? '';
  const pairs = element.matchAll(/(?:^|;)\s*(for|proto|host)\s*=\s*(?:"([^"]*)"|([^;\s"]*))/gi);
  const said = Object.fromEntries(
    [...pairs].map(([, name = '', quoted, bare]) => [name.toLowerCase(), quoted ?? bare]),
  );
  return present({ address: said['for'], scheme: said['proto'], host: said['host'] });
}

function lastOf(field: string | undefined): string | undefined {
  const value = field?.split(',').at(-1)?.trim();
  return value === '' ? undefined : value;
}

function present(said: Record<keyof Said, string | undefined>): Said {
  return Object.fromEntries(Object.entries(said).filter(([, value]) => value !== undefined));
}

/** Whether an address is in one of the networks. */
export function createTrust(networks: readonly Network[]): (address: string) => boolean {
  if (networks.length === 0) return () => false;
  const trusted = new BlockList();
  for (const { address, bits, family } of networks) trusted.addSubnet(address, bits, family);
  return (address) => {
    const version = isIP(address);
    return version !== 0 && trusted.check(address, version === 6 ? 'ipv6' : 'ipv4');
  };
}

export type Network = {
  readonly address: string;
  readonly bits: number;
  readonly family: 'ipv4' | 'ipv6';
};

/** Reads `10.0.0.0/8`, `::1`, …; undefined where it is none. */
export function parseNetwork(text: string): Network | undefined {
  const [address = '', bits, ...rest] = text.split('/');
  const version = isIP(address);
  if (version === 0 || rest.length > 0) return undefined;
  const most = version === 4 ? 32 : 128;
  const given = bits === undefined ? most : /^\d{1,3}$/.test(bits) ? Number(bits) : Infinity;
  if (given > most) return undefined;
  return { address, bits: given, family: version === 4 ? 'ipv4' : 'ipv6' };
}
