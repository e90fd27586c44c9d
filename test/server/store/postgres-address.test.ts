import { generateKeyPairSync } from 'node:crypto';
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, expect, it, onTestFinished, vi } from 'vitest';
import { filedPassword, readAddress } from '../../../server/store/postgres/address.ts';

async function givenServices(text: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'blogctl-services-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const file = join(folder, 'services.conf');
  await writeFile(file, text);
  vi.stubEnv('PGSERVICEFILE', file);
  return file;
}

afterEach(() => vi.unstubAllEnvs());

const services = `# of this machine
[other]
host=elsewhere
password=wrong

[blog]
host = a.example,b.example
port=5433
user=owner
password=has = and spaces
dbname=notes
sslmode=verify-ca
# password=old
[last]
`;

it('takes what it leaves out from the service that it names', async () => {
  await givenServices(services);
  vi.stubEnv('PGPASSWORD', 'of another');
  expect(readAddress('postgres://?service=blog')).toMatchObject({
    hosts: [
      { host: 'a.example', port: 5433 },
      { host: 'b.example', port: 5433 },
    ],
    user: 'owner',
    password: 'has = and spaces',
    database: 'notes',
    tls: { checkServerIdentity: expect.any(Function) },
    shown: 'owner@a.example:5433,b.example:5433/notes',
  });
});

it('takes what it leaves out from the environment, as libpq does', () => {
  vi.stubEnv('PGHOST', 'db.example');
  vi.stubEnv('PGPORT', '5544');
  vi.stubEnv('PGUSER', 'me');
  vi.stubEnv('PGDATABASE', 'notes');
  expect(readAddress('postgres://').shown).toBe('me@db.example:5544/notes');
  expect(readAddress('postgres://owner@a,b:1/mine').shown).toBe('owner@a:5544,b:1/mine');
});

it('goes before the service where it says something itself', async () => {
  await givenServices(services);
  const address = 'postgres://me@127.0.0.1:5400/mine?service=blog&sslmode=disable';
  expect(readAddress(address)).toMatchObject({
    hosts: [{ host: '127.0.0.1', port: 5400 }],
    user: 'me',
    database: 'mine',
    tls: false,
  });
});

it('is shown as it can be given again: a socket, and IPv6', () => {
  for (const place of ['%2Frun%2Fpostgresql:5433', '[::1]:5432', 'a:5432,[::1]:5433']) {
    const { shown, hosts } = readAddress(`postgres://me@${place}/x`);
    expect(shown).toBe(`me@${place}/x`);
    expect(readAddress(`postgres://${shown}`).hosts).toEqual(hosts);
  }
});

it('takes IPv6 without brackets where libpq does, and in an address alone with them', async () => {
  const hosts = [
    { host: 'fd00::5', port: 5432 },
    { host: 'b', port: 5432 },
  ];
  expect(readAddress('postgres://me@/x?host=fd00::5,b').hosts).toEqual(hosts);
  vi.stubEnv('PGHOST', 'fd00::5,b');
  expect(readAddress('postgres://me@/x').hosts).toEqual(hosts);
  await givenServices('[blog]\nhost=fd00::5,b\n');
  vi.stubEnv('PGHOST', 'c');
  expect(readAddress('postgres://me@/x?service=blog').hosts).toEqual(hosts);
  // The last part may be a port.
  expect(() => readAddress('postgres://me@fd00::5:5432/x')).toThrow(/^No (?:host|port)/);
});

it.each([
  'postgres://me:hush',
  'postgres://me:hu-sh/x',
  'postgres://me@a:99999/x',
  'postgres://:1/x',
])('names no port of %s, and nothing that may be a password', (address) => {
  const read = () => readAddress(address);
  expect(read).toThrow(/^No (?:host|port of (?:me|a): it is no number from 1 to 65535)\.$/);
});

it('names a port of the environment that is none', () => {
  vi.stubEnv('PGPORT', 'abc');
  expect(() => readAddress('postgres://me@localhost/x')).toThrow('No port of localhost: ');
});

it('has a port for each host of a service, and a socket for a host', async () => {
  await givenServices('[blog]\r\nhost=/run/postgresql,b\r\nport=1,2\r\n');
  expect(readAddress('postgres:///x?service=blog').hosts).toEqual([
    { host: '/run/postgresql', port: 1 },
    { host: 'b', port: 2 },
  ]);
});

it('takes options of libpq on which nothing depends, and no other', async () => {
  const options = 'connect_timeout=3&application_name=x&keepalives_idle=30&tcp_user_timeout=9';
  const plain = readAddress('postgres://me@127.0.0.1/mine');
  const { given, ...read } = readAddress(`postgres://me@127.0.0.1/mine?${options}`);
  expect({ ...read, given: given.replace(/\?.*/, '') }).toEqual(plain);
  await givenServices(`${services}[calm]\nconnect_timeout=3\nkeepalives=1\ndbname=mine\n`);
  expect(readAddress('postgres://?service=calm').database).toBe('mine');
  // It would be a promise that is not kept.
  expect(() => readAddress('postgres://me@a/b?channel_binding=require')).toThrow('channel_binding');
});

it('keeps what was given without a password', () => {
  const address = readAddress('postgres://me:se:cret@127.0.0.1/mine?sslmode=disable');
  expect(address.given).toBe('postgres://me@127.0.0.1/mine?sslmode=disable');
});

it('reads no service where none is named', async () => {
  await givenServices(services);
  vi.stubEnv('PGSERVICE', 'blog');
  expect(readAddress('postgres://me@localhost/x').password).toBe(process.env['PGPASSWORD']);
});

it.each([
  [
    'none',
    'There is no service none in FILE.',
    'Add a section [none] to it, or set PGSERVICEFILE.',
  ],
  ['blo', 'There is no service blo in FILE.', 'Add a section [blo] to it, or set PGSERVICEFILE.'],
  ['odd', 'No option of the service odd in FILE: sslcrl', expect.stringContaining('Known are ')],
])('says what is wrong with the service %s, and no password', async (name, message, hint) => {
  const file = await givenServices(`${services}[odd]\npassword=hush\nsslcrl=x\n`);
  const wrong = { message: message.replace('FILE', file), hint };
  expect(() => readAddress(`postgres://?service=${name}`)).toThrow(expect.objectContaining(wrong));
});

it('says which file of services cannot be read', () => {
  vi.stubEnv('PGSERVICEFILE', join(tmpdir(), 'no such file of services'));
  expect(() => readAddress('postgres://?service=blog')).toThrow(
    expect.objectContaining({
      message: expect.stringMatching(/^The services of databases cannot be read: ENOENT.*services/),
      hint: 'PGSERVICEFILE names the file with them.',
    }),
  );
});

it.each(['me:hu/sh@h/x', 'me:hu?sh@h/x', 'me:hu@sh/x@h/x', 'me:hu/s?h=@h/x'])(
  'shows nothing of an address that is cut in the wrong place: %s',
  (rest) => {
    expect(() => readAddress(`postgres://${rest}`)).toThrow(
      expect.objectContaining({
        message: 'This is no address of a database.',
        hint: expect.stringContaining('/ is %2F'),
      }),
    );
  },
);

it('has no password where that is empty, as libpq has it: a file is looked into', () => {
  vi.stubEnv('PGPASSWORD', '');
  expect(readAddress('postgres://me@127.0.0.1/mine')).toMatchObject({ password: undefined });
  vi.stubEnv('PGPASSWORD', 'right');
  for (const text of ['postgres://me:@127.0.0.1/mine', 'postgres://me@127.0.0.1/mine'])
    expect(readAddress(text)).toMatchObject({ password: 'right', passwordFrom: 'PGPASSWORD' });
});

it('refuses a key that is of another certificate, before the server could be blamed', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'blogctl-keys-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const own = fileURLToPath(new URL('../../support/self-signed/certificate.pem', import.meta.url));
  const key = join(folder, 'key.pem');
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  await writeFile(key, privateKey.export({ type: 'pkcs8', format: 'pem' }));
  expect(() => readAddress(`postgres://a@127.0.0.1/b?sslcert=${own}&sslkey=${key}`)).toThrow(
    expect.objectContaining({
      option: 'store',
      message: expect.stringMatching(/^sslcert and sslkey do not fit: the key is of another/),
    }),
  );
});

const NONE = 'Error: it wants a password, and none was given';

it.each([
  ['the first line that fits', 'db:*:*:me:right\n*:*:*:*:other\n', 'right'],
  ['only what fits', 'db:5433:*:me:a\ndb:*:mine:me:b\nd:*:*:me:c\ndb:*:x:*:right\n', 'right'],
  ['a short line', '*:*:*:*:r\n', 'r'],
  ['what is written behind a backslash', '*:*:*:me:a\\:b\\\\c\\d:e\r\n', 'a:b\\cd'],
  ['nothing behind an empty one', 'db:*:*:me:\n*:*:*:me:b\n', NONE],
  ['no star behind a backslash', '\\*:*:*:me:a\n# me\n#*:*:*:me:b\n*:*:*:me:c', 'c'],
])('takes of a file of passwords %s, as libpq does', async (_, text, password) => {
  const folder = await mkdtemp(join(tmpdir(), 'blogctl-passwords-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  vi.stubEnv('PGPASSFILE', join(folder, 'pgpass'));
  vi.stubEnv('PGPASSWORD', '');
  await writeFile(join(folder, 'pgpass'), text, { mode: 0o600 });
  expect(filed(['db', '5432', 'x', 'me'])).toBe(password);
});

it('says why a file of passwords cannot be read, and not that the server is silent', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'blogctl-passwords-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const path = join(folder, 'pgpass');
  await symlink(path, path);
  vi.stubEnv('PGPASSFILE', path);
  vi.stubEnv('PGPASSWORD', '');
  const refused = expect.objectContaining({ code: '28P01' });
  expect(() => filedPassword(['db', '5432', 'x', 'me'])).toThrow(refused);
  expect(filed(['db', '5432', 'x', 'me'])).toContain(`${path} cannot be read: Error: ELOOP`);
});

/** Or what is said where there is none. */
function filed(session: readonly string[]): string {
  try {
    return filedPassword(session);
  } catch (error) {
    return String(error);
  }
}
