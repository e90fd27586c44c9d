import { readFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import type { ConnectionOptions } from 'node:tls';
import { UnusableOption } from '../../errors.ts';

/** Where a database is, read from `postgres://role@a:5432,b:5432/name?sslmode=…`. */
export type Address = {
  readonly hosts: readonly { readonly host: string; readonly port: number }[];
  readonly user: string;
  /** Only from the environment or a file; never shown. */
  readonly password: string | undefined;
  readonly database: string;
  /** False: no TLS. */
  readonly tls: false | ConnectionOptions;
  /** `role@host:port/name`, for messages. */
  readonly shown: string;
  /** Encrypted, but whoever answers is believed (sslmode=require). */
  readonly unverified: boolean;
};

const hint = 'Write it as postgres://role@host:5432/database.';
const known = ['sslmode', 'sslrootcert', 'sslcert', 'sslkey', 'target_session_attrs', 'host'];

/** Reads an address; throws UnusableOption, which never shows a password. */
export function readAddress(text: string): Address {
  const found = /^postgres(?:ql)?:\/\/(?:([^@/?]*)@)?([^/?]*)(?:\/([^?]*))?(?:\?(.*))?$/.exec(text);
  if (found === null) throw new UnusableOption('store', 'This is no address of a database.', hint);
  const [, credentials = '', places = '', name = '', query = ''] = found;
  const [role = '', ...secret] = credentials.split(':');
  const options = new URLSearchParams(query);
  for (const option of options.keys()) {
    if (!known.includes(option)) {
      throw new UnusableOption(
        'store',
        `No option of an address: ${option}`,
        `Known are ${known.join(', ')}.`,
      );
    }
  }
  const hosts = hostsOf(options.get('host') ?? places);
  const user = decoded(role) || process.env['PGUSER'] || userInfo().username;
  const database = decoded(name) || user;
  const password = secret.length > 0 ? decoded(secret.join(':')) : process.env['PGPASSWORD'];
  const where = hosts.map(({ host, port }) => `${host}:${port}`).join(',');
  const mode = options.get('sslmode') ?? (hosts.every(isNear) ? 'disable' : 'verify-full');
  return {
    hosts,
    user,
    password,
    database,
    tls: tlsOf(mode, options),
    shown: `${user}@${where}/${database}`,
    unverified: mode === 'require' || mode === 'prefer' || mode === 'allow',
  };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new UnusableOption('store', 'An escape in the address is not complete.', hint);
  }
}

function hostsOf(text: string): Address['hosts'] {
  return text.split(',').map((place) => {
    const [, host = '', port = '5432'] =
      /^(\[[^\]]+\]|[^:]*)(?::(\d{1,5}))?$/.exec(decoded(place)) ?? [];
    const isPort = Number(port) > 0 && Number(port) <= 65_535;
    if (!isPort || (host === '' && place !== ''))
      throw new UnusableOption('store', `No host: ${place}`, hint);
    return { host: host.replace(/^\[|\]$/g, '') || 'localhost', port: Number(port) };
  });
}

function isNear({ host }: { readonly host: string }): boolean {
  return host.startsWith('/') || host === 'localhost' || host === '::1' || host.startsWith('127.');
}

function tlsOf(mode: string, options: URLSearchParams): Address['tls'] {
  const file = (name: string) => {
    const path = options.get(name);
    return path === null ? undefined : readFileSync(path);
  };
  if (mode === 'disable') return false;
  const ca = file('sslrootcert');
  const [cert, key] = [file('sslcert'), file('sslkey')];
  const own = { ...(ca && { ca }), ...(cert && { cert }), ...(key && { key }) };
  if (mode === 'verify-full') return own;
  if (mode === 'verify-ca') return { ...own, checkServerIdentity: () => undefined };
  if (mode === 'require' || mode === 'prefer' || mode === 'allow') {
    return { ...own, rejectUnauthorized: false };
  }
  throw new UnusableOption(
    'store',
    `No sslmode: ${mode}`,
    'Known are disable, require, verify-ca, verify-full.',
  );
}
