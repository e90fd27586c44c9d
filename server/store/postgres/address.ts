import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { isIPv6 } from 'node:net';
import { homedir, userInfo } from 'node:os';
import { join } from 'node:path';
import type { ConnectionOptions } from 'node:tls';
import { type Hint, UnusableOption } from '../../errors.ts';

/** Where a database is, read from `postgres://role@a:5432,b:5432/name?sslmode=…`. */
export type Address = {
  readonly hosts: readonly { readonly host: string; readonly port: number }[];
  readonly user: string;
  /** Only from the environment or a file; never shown. */
  readonly password: string | undefined;
  /** Where that stands, for messages; undefined where it is looked for in a file. */
  readonly passwordFrom: string | undefined;
  readonly database: string;
  /** False: no TLS. */
  readonly tls: false | ConnectionOptions;
  /** `role@host:port/name`, for messages. */
  readonly shown: string;
  /** As it was given, without a password, for lines of hints. */
  readonly given: string;
  readonly sslmode: string;
  /** Encrypted, but whoever answers is believed (sslmode=require). */
  readonly unverified: boolean;
};

const hint = 'Write it as postgres://role@host:5432/database.';
const hintOfParts =
  'Write it as postgres://role@host:5432/database; in a name or password / is %2F, ? %3F and @ %40.';
const known = 'sslmode sslrootcert sslcert sslkey target_session_attrs host service'.split(' ');
/** What else libpq knows, and nothing depends on: taken and left alone. */
const harmless =
  /^(?:connect_timeout|(?:fallback_)?application_name|keepalives\w*|tcp_user_timeout)$/;
/** What a service names beside them. */
const knownOfService = [...known, 'port', 'user', 'password', 'dbname'];

/** Reads an address; throws UnusableOption, which never shows a password. */
export function readAddress(text: string): Address {
  const found = /^postgres(?:ql)?:\/\/(?:([^@/?]*)@)?([^/?]*)(?:\/([^?]*))?(?:\?(.*))?$/i.exec(
    text,
  );
  if (found === null) throw new UnusableOption('store', 'This is no address of a database.', hint);
  const [, credentials = '', places = '', name = '', query = ''] = found;
  // Then a part of the password stands where a host or an option should, and must not be named.
  if ([places, name, query].some((part) => part.includes('@'))) {
    throw new UnusableOption('store', 'This is no address of a database.', hintOfParts);
  }
  const [role = '', ...secret] = credentials.split(':');
  const own = new URLSearchParams(query);
  requireKnown(own.keys(), known, 'an address');
  const service = serviceOf(own.get('service'));
  const { env } = process;
  const option = (each: string) =>
    own.get(each) ?? service.get(each) ?? (env[`PG${each.toUpperCase()}`] || undefined);
  const ports = service.get('port') || env['PGPORT'] || '5432';
  const bare =
    own.get('host') ?? (places === '' ? service.get('host') || env['PGHOST'] : undefined);
  const listed = bare?.split(',').map((each) => (isIPv6(each) ? `[${each}]` : each));
  const hosts = hostsOf(listed?.join(',') ?? (places || 'localhost'), ports.split(','));
  const user = decoded(role) || service.get('user') || env['PGUSER'] || userInfo().username;
  const database = decoded(name) || service.get('dbname') || env['PGDATABASE'] || user;
  // An empty one is none, as for libpq.
  const passwords = [
    [decoded(secret.join(':')), 'BLOGCTL_STORE'],
    [service.get('password'), `the service ${own.get('service')}`],
    [env['PGPASSWORD'], 'PGPASSWORD'],
  ] as const;
  const [password, passwordFrom] = passwords.find(([each]) => each) ?? [];
  const where = hosts.map(placeOf).join(',');
  // Who names an authority expects that it is asked.
  const isPlain = hosts.every(isNear) && filesOfTls.every((each) => option(each) === undefined);
  const mode = option('sslmode') ?? (isPlain ? 'disable' : 'verify-full');
  return {
    hosts,
    user,
    password,
    passwordFrom,
    database,
    tls: tlsOf(mode, option),
    shown: `${user}@${where}/${database}`,
    given: text.replace(/^([^:]+:\/\/[^:@/?]*):.*@/, '$1@'),
    sslmode: mode,
    unverified: mode === 'require',
  };
}

function requireKnown(names: Iterable<string>, among: readonly string[], of: string): void {
  const other = [...names].find((name) => !among.includes(name) && !harmless.test(name));
  if (other === undefined) return;
  const text = `No option of ${of}: ${other}`;
  throw new UnusableOption('store', text, `Known are ${among.join(', ')}.`);
}

/** A section of PGSERVICEFILE or ~/.pg_service.conf, as libpq reads it; what the address says goes before. */
function serviceOf(name: string | null): ReadonlyMap<string, string> {
  if (name === null) return new Map();
  const path = process.env['PGSERVICEFILE'] || join(homedir(), '.pg_service.conf');
  const section = textOf(path)
    .split(/^\[/m)
    .find((each) => each.startsWith(`${name}]`));
  if (section === undefined) {
    const text = `There is no service ${name} in ${path}.`;
    throw new UnusableOption('store', text, `Add a section [${name}] to it, or set PGSERVICEFILE.`);
  }
  const lines = section.split(/\r?\n/).slice(1);
  const settings = lines.flatMap((line) => {
    const [, key = '', value = ''] = /^\s*([^#=\s]+)\s*=(.*)$/.exec(line) ?? [];
    return key === '' ? [] : [[key, value.trim()] as const];
  });
  const service = new Map(settings);
  requireKnown(service.keys(), knownOfService, `the service ${name} in ${path}`);
  return service;
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    const text = `The services of databases cannot be read: ${why}.`;
    throw new UnusableOption('store', text, 'PGSERVICEFILE names the file with them.');
  }
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new UnusableOption('store', 'An escape in the address is not complete.', hint);
  }
}

/** `ports` are of hosts that name none: one for all, or one for each. */
function hostsOf(text: string, ports: readonly string[]): Address['hosts'] {
  return text.split(',').map((place, at) => {
    // Behind the colon may be a password, where somebody forgot what follows it.
    const [, host = '', port = ports[at] ?? ports[0] ?? ''] =
      /^(\[[^\]]+\]|[^:]*)(?::(.*))?$/.exec(decoded(place)) ?? [];
    if (host === '' && place !== '') throw new UnusableOption('store', 'No host.', hint);
    const isPort = /^\d{1,5}$/.test(port) && Number(port) > 0 && Number(port) <= 65_535;
    if (!isPort) {
      const what = `No port of ${host || 'localhost'}: it is no number from 1 to 65535.`;
      throw new UnusableOption('store', what, hint);
    }
    return { host: host.replace(/^\[|\]$/g, '') || 'localhost', port: Number(port) };
  });
}

/** As an address has it: the path of a socket escaped, IPv6 in brackets. */
function placeOf({ host, port }: Address['hosts'][number]): string {
  const named = host.includes(':') ? `[${host}]` : host.replaceAll('/', '%2F');
  return `${named}:${port}`;
}

/** Nothing is encrypted there, as with libpq. */
export function isSocket({ host }: { readonly host: string }): boolean {
  return host.startsWith('/');
}

function isNear({ host }: { readonly host: string }): boolean {
  return isSocket({ host }) || host === 'localhost' || host === '::1' || host.startsWith('127.');
}

function tlsOf(mode: string, option: (name: string) => string | undefined): Address['tls'] {
  if (mode === 'disable') return false;
  const [ca, cert, key] = filesOfTls.map((name) => fileOfTls(name, option(name)));
  if ((cert === undefined) !== (key === undefined)) {
    const [given, lacking] = cert === undefined ? ['sslkey', 'sslcert'] : ['sslcert', 'sslkey'];
    const text = `${given} is given without ${lacking}: neither would be shown to the server.`;
    throw new UnusableOption('store', text, 'Name both, or neither.');
  }
  const own = { ...(ca && { ca }), ...(cert && { cert }), ...(key && { key }) };
  if (cert !== undefined && key !== undefined) requireFitting(cert, key);
  if (mode === 'verify-full') return own;
  if (mode === 'verify-ca') return { ...own, checkServerIdentity: () => undefined };
  if (mode === 'require') return { ...own, rejectUnauthorized: false };
  throw new UnusableOption(
    'store',
    `No sslmode: ${mode}`,
    'Known are disable, require, verify-ca, verify-full; PGSSLMODE says it where the address does not.',
  );
}

/** Else each connection would be the one to find out, as if the server did not answer. */
function requireFitting(cert: Buffer, key: Buffer): void {
  const hintOfKey = 'Name the key that the certificate was made with, without a passphrase.';
  let why = 'the key is of another certificate';
  try {
    if (new X509Certificate(cert).checkPrivateKey(createPrivateKey(key))) return;
  } catch (error) {
    why = error instanceof Error ? error.message : String(error);
  }
  throw new UnusableOption('store', `sslcert and sslkey do not fit: ${why}.`, hintOfKey);
}

const filesOfTls = ['sslrootcert', 'sslcert', 'sslkey'];

function fileOfTls(name: string, path: string | undefined): Buffer | undefined {
  if (path === undefined) return undefined;
  const kind = name === 'sslkey' ? 'PRIVATE KEY' : 'CERTIFICATE';
  const hintOfFile: Hint = `Name a file of PEM as ${name}: it has a line with ${kind}.`;
  try {
    const bytes = readFileSync(path);
    if (bytes.includes(`${kind}-----`)) return bytes;
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new UnusableOption('store', `${name} cannot be read: ${why}.`, hintOfFile);
  }
  throw new UnusableOption('store', `${name}: there is no ${kind} in ${path}.`, hintOfFile);
}

/**
 * Asked where the server wants a password for a session (host, port, database, role): the first line
 * of PGPASSFILE or ~/.pgpass that fits, as libpq has it. What no line has is told as one that is wrong.
 */
export function filedPassword(session: readonly string[]): string {
  const { PGPASSFILE: named, APPDATA = '' } = process.env;
  const isWindows = process.platform === 'win32';
  const own = isWindows ? [APPDATA, 'postgresql', 'pgpass.conf'] : [homedir(), '.pgpass'];
  const path = named || join(...own);
  let why = '';
  try {
    const file = statSync(path, { throwIfNoEntry: false });
    const isOpen = !isWindows && ((file?.mode ?? 0) & 0o077) !== 0;
    const isRead = file?.isFile() === true && !isOpen;
    const password = isRead ? passwordIn(readFileSync(path, 'utf8'), session) : '';
    if (password !== '') return password;
    if (isOpen) why = `; password file ${path} is not read for its permissions: chmod 600`;
    else if (named && !file) why = ` (PGPASSFILE names ${path}, which is not there)`;
  } catch (error) {
    why = `; password file ${path} cannot be read: ${String(error)}`;
  }
  const text = `it wants a password, and none was given${why}`;
  throw Object.assign(new Error(text), { code: '28P01' });
}

/** A backslash stands before what means itself. */
function passwordIn(text: string, session: readonly string[]): string {
  const plain = (field = '') => field.replaceAll(/\\(.)/g, '$1');
  for (const line of text.split(/\r?\n/).filter((each) => !each.startsWith('#'))) {
    const fields = [...line.matchAll(/((?:\\.|[^:])*)(?::|$)/g)].map(([, field]) => field);
    const fits = session.every((each, at) => fields[at] === '*' || plain(fields[at]) === each);
    if (fits) return plain(fields[session.length]);
  }
  return '';
}
