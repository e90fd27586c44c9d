import { BlockList, isIP } from 'node:net';
import { Refusal } from '../errors.ts';

export type HostRules = {
  /** Bound to a loopback address: then only names that mean this machine are taken. */
  readonly loopback: boolean;
  /** Names taken besides, in lower case without port. */
  readonly allowed: readonly string[];
};

const authority = /^(?:\[[0-9a-f:.]+\]|[a-z0-9](?:[a-z0-9._-]*[a-z0-9])?)(?::[0-9]{1,5})?$/;

const highestPort = 65_535;

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
export function hostAndPort(host: string): string {
  const lower = host.toLowerCase();
  const [, port = 0] = /:([0-9]+)$/.exec(lower) ?? [];
  if (!authority.test(lower) || Number(port) > highestPort) {
    throw new Refusal('bad-request', 'The Host is not one name with an optional port.');
  }
  return lower.replace(/:80$/, '');
}

const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8, 'ipv4');
loopback.addAddress('::1', 'ipv6');

/** Whether a server bound to this address can be reached from this machine alone. */
export function isLoopback(address: string): boolean {
  const version = isIP(address);
  return version !== 0 && loopback.check(address, version === 6 ? 'ipv6' : 'ipv4');
}

function isLocalName(name: string): boolean {
  const isName = name === 'localhost' || name.endsWith('.localhost');
  return isName || isLoopback(name.replace(/^\[(.*)\]$/, '$1'));
}
