import { BlockList, isIP, SocketAddress } from 'node:net';
import { Refusal } from '../errors.ts';

type Headers = Readonly<Record<string, string | undefined>>;

export type TargetRules = {
  readonly hosts: HostRules;
  /** What links begin with whatever the request says, without a trailing slash. */
  readonly baseUrl?: string | undefined;
  /** Whether the word of a proxy at this address is taken. */
  readonly trusts: (address: string) => boolean;
};

type ReceivedTarget = {
  readonly headers: Headers;
  /** Of an absolute-form target. */
  readonly authority: string | undefined;
  /** Address of the one who is connected. */
  readonly peer: string;
};

type ResolvedTarget = {
  readonly baseUrl: string;
  /** Of the client, as it is counted. */
  readonly address: string;
};

/**
 * What links begin with in answers to this request, and who sent it (decisions 23, 24). A Host that
 * is missing or malformed is refused even where the target outranks it (RFC 9112, 3.2).
 */
export function resolveTarget(
  { headers, authority, peer }: ReceivedTarget,
  rules: TargetRules,
): ResolvedTarget {
  const named = checkHost(headers['host'], rules.hosts);
  const host = authority === undefined ? named : checkHost(authority, rules.hosts);
  const origin = originOf({ address: peer, isTrusted: rules.trusts(peer) }, headers);
  const shown = origin.host === undefined ? host : hostAndPort(origin.host);
  const address = clientOf(origin.address);
  const port = usualPort[origin.scheme];
  const baseUrl = rules.baseUrl ?? `${origin.scheme}://${shown.replace(port, '')}`;
  return { baseUrl, address };
}

/** Left out of links (RFC 9110, 4.2.3). */
const usualPort = { http: /:80$/, https: /:443$/ };

/**
 * What counts as one client: an address, of IPv6 its first 64 bits, since whoever has one has all
 * of that network (RFC 7421).
 */
export function clientOf(address: string): string {
  if (isIP(address) !== 6 || address.includes('.')) return address;
  const [start = [], end = []] = new SocketAddress({ address, family: 'ipv6' }).address
    .split('::')
    .map((part) => part.split(':').filter(Boolean));
  const left = Array.from({ length: 8 - start.length - end.length }, () => '0');
  return `${[...start, ...left, ...end].slice(0, 4).join(':')}::/64`;
}

type HostRules = {
  /** Bound to a loopback address: then only names that mean this machine are taken. */
  readonly loopback: boolean;
  /** Names taken besides, in lower case without port. */
  readonly allowed: readonly string[];
};

const authority = /^(?:\[[0-9a-f:.]+\]|[a-z0-9](?:[a-z0-9._-]*[a-z0-9])?)(?::[0-9]{1,5})?$/;

const highestPort = 65_535;
/** Of a name (RFC 1035, 2.3.4); a longer one would stand in every link of a page. */
const mostOfHost = 253;

/**
 * The host and port a request is for, as links will name it (decisions 24). On a loopback address
 * a foreign name means that a page of that name makes a browser talk to us (DNS rebinding).
 */
export function checkHost(host: string | undefined, rules: HostRules): string {
  if (host === undefined) throw new Refusal('bad-request', 'A request names its Host.');
  const checked = hostAndPort(host);
  const name = checked.replace(/:[0-9]+$/, '');
  if (rules.loopback && !isLocalName(name) && !rules.allowed.includes(name)) {
    throw new Refusal('bad-request', `This service does not answer for the Host ${name}.`);
  }
  return checked;
}

/** The same in lower case, if it is a host with an optional port. */
function hostAndPort(host: string): string {
  const lower = host.toLowerCase();
  const [colonAndPort = '', port] = /:([0-9]+)$/.exec(lower) ?? [];
  const isPort = port === undefined || (/^[1-9]/.test(port) && Number(port) <= highestPort);
  const isLong = lower.length - colonAndPort.length > mostOfHost;
  if (isLong || !authority.test(lower) || !isPort) {
    throw new Refusal('bad-request', 'The Host is not one name with an optional port.');
  }
  return lower;
}

const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8, 'ipv4');
loopback.addAddress('::1', 'ipv6');

/** Whether a server bound to this address can be reached from this machine alone. */
export function isLoopback(address: string): boolean {
  const version = isIP(address);
  return version === 4
    ? address.startsWith('127.')
    : version === 6 && loopback.check(address, 'ipv6');
}

/** Whether a secret can be sent to an address: none but this machine, or who has its certificate, reads it. */
export function isConfidential(url: string): boolean {
  const { protocol, hostname } = new URL(url);
  return protocol === 'https:' || isLocalName(hostname);
}

function isLocalName(name: string): boolean {
  const isName = name === 'localhost' || name.endsWith('.localhost');
  return isName || isLoopback(name.replace(/^\[(.*)\]$/, '$1'));
}

/** Where a request came from and what it was for, as far as that can be believed. */
type ClientOrigin = {
  /** Address of the client. */
  readonly address: string;
  readonly scheme: 'http' | 'https';
  /** Host and port the client asked for; absent = as in the request itself. */
  readonly host?: string;
};

type Peer = { readonly address: string; readonly isTrusted: boolean };

/** What a trusted proxy says stands for the request; anybody else's word is ignored (decisions 23). */
export function originOf(peer: Peer, headers: Headers): ClientOrigin {
  const { address, scheme, host } = peer.isTrusted ? merged(headers) : {};
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
function merged(headers: Headers): Said {
  const legacy = fromLegacy(headers);
  const said = { ...legacy, ...fromForwarded(headers) };
  const differs = values(legacy).some(
    (value, at) => value !== undefined && value !== values(said)[at],
  );
  if (!differs) return said;
  throw new Refusal('bad-request', 'Forwarded and X-Forwarded-* do not say the same.');
}

function values({ address, scheme, host }: Said): readonly (string | undefined)[] {
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

type Network = {
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
