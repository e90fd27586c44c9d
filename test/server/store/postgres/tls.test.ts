import { chmod, chown, copyFile, readFile, stat, writeFile } from 'node:fs/promises';
import { connect, createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, expect, it, onTestFinished, vi } from 'vitest';
import { initPostgres, openPostgres } from '../../../../server/store/postgres/open.ts';
import { checkPostgres } from '../../../../server/store/postgres/one-moment.ts';
import { describeOnPostgres } from '../../../support/on-postgres.ts';

const file = (name: string) =>
  fileURLToPath(new URL(`../../../support/self-signed/${name}`, import.meta.url));
const trusted = `sslrootcert=${encodeURIComponent(file('certificate.pem'))}`;

/** The machine may be busy. */
const slowly = { timeout: 20_000 };

describeOnPostgres(
  'a database behind TLS',
  (cluster) => {
    let address: string;
    beforeAll(async () => {
      const { folder } = cluster();
      const sql = (text: string) => cluster().sql(text);
      for (const name of ['certificate.pem', 'key.pem']) {
        const copy = join(folder, name);
        await copyFile(file(name), copy);
        await chmod(copy, 0o600);
        const { uid, gid } = await stat(folder);
        await chown(copy, uid, gid);
        const setting = name === 'key.pem' ? 'ssl_key_file' : 'ssl_cert_file';
        await sql(`ALTER SYSTEM SET ${setting} = '${copy}'`);
      }
      await sql('ALTER SYSTEM SET ssl = on');
      await sql('SELECT pg_reload_conf()');
      while ((await sql('SHOW ssl')) !== 'on');
      address = await cluster().database();
      await initPostgres(address, { title: 'My blog', description: '' });
    });

    /** Opens and tells whether the connection is encrypted, and what was remarked. */
    async function opened(options: string, at = address) {
      const notices: string[] = [];
      const report = (notice: string) => void notices.push(notice);
      const { store } = await openPostgres({ address: `${at}?${options}`, report });
      const seen = await cluster().sql(
        `SELECT bool_and(ssl) FROM pg_stat_ssl JOIN pg_stat_activity USING (pid)
        WHERE application_name = 'blogctl'`,
      );
      await store.close();
      return [seen, notices.filter((notice) => notice.includes('encrypted'))];
    }

    it('is remarked on once, also where an owner changes something', async () => {
      const notices: string[] = [];
      const report = (notice: string) => void notices.push(notice);
      const options = { address: `${address}?sslmode=require`, asOwner: true, report };
      const { store, tokens } = await openPostgres(options);
      await tokens.create({ name: 'ci', rights: ['create'] });
      await store.close();
      expect(notices).toEqual([expect.stringContaining('encrypted, but not verified')]);
    });

    it('is verified by host and issuer, or less where the address says so', async () => {
      expect(await opened(`sslmode=verify-full&${trusted}`)).toEqual(['t', []]);
      const unverified = expect.stringContaining('encrypted, but not verified');
      expect(await opened('sslmode=require')).toEqual(['t', [unverified]]);
      expect(await opened('sslmode=disable')).toEqual(['f', []]);
      await expect(opened('sslmode=verify-full')).rejects.toThrow('self-signed certificate');
      await expect(opened('sslmode=verify-ca')).rejects.toThrow('self-signed certificate');
    });

    it('is verified where the environment, or the file of an authority, says so', async () => {
      onTestFinished(() => void vi.unstubAllEnvs());
      expect(await opened(trusted)).toEqual(['t', []]);
      vi.stubEnv('PGSSLMODE', 'verify-full');
      await expect(opened('')).rejects.toThrow('self-signed certificate');
      vi.stubEnv('PGSSLROOTCERT', file('certificate.pem'));
      expect(await opened('')).toEqual(['t', []]);
      expect(await opened('sslmode=disable')).toEqual(['f', []]);
    });

    it.each([
      ['sslmode=prefer', 'No sslmode: prefer'],
      ['sslmode=allow', 'No sslmode: allow'],
      [`sslmode=require&sslcert=${file('certificate.pem')}`, 'sslcert is given without sslkey'],
      [`sslmode=require&sslkey=${file('key.pem')}`, 'sslkey is given without sslcert'],
      ['sslrootcert=/none.pem', 'sslrootcert cannot be read: ENOENT'],
      [`sslrootcert=${file('key.pem')}`, 'sslrootcert: there is no CERTIFICATE in '],
    ])('%s is refused by name', async (options, message) => {
      const option = { option: 'store', message: expect.stringContaining(message) };
      await expect(opened(options)).rejects.toMatchObject(option);
    });

    it('says what to look at where a certificate is not believed', async () => {
      await expect(opened('sslmode=verify-full')).rejects.toMatchObject({
        code: 'unreachable',
        message: expect.stringContaining('is not believed: self-signed certificate'),
        hint: expect.stringContaining('as sslrootcert of the address'),
      });
    });

    it('says whose certificate it is that is not believed', async () => {
      const rules = join(cluster().folder, 'data', 'pg_hba.conf');
      const others = await readFile(rules, 'utf8');
      await writeFile(
        rules,
        `hostssl all all all trust clientcert=verify-ca\nlocal all all trust\n`,
      );
      const authority = join(cluster().folder, 'authority.pem');
      await copyFile(file('other.pem'), authority);
      await chmod(authority, 0o644);
      await cluster().sql(`ALTER SYSTEM SET ssl_ca_file = '${authority}'`);
      await cluster().sql('SELECT pg_reload_conf()');
      const [certificate, key] = ['certificate.pem', 'key.pem'].map((name) =>
        encodeURIComponent(file(name)),
      );
      const shown = `${trusted}&sslcert=${certificate}&sslkey=${key}`;
      await expect
        .poll(() => opened(shown).catch((error: unknown) => error), slowly)
        .toMatchObject({
          code: 'unreachable',
          message: expect.stringMatching(
            / does not believe .* sslcert names: \w+ alert unknown ca\.$/,
          ),
          hint: expect.stringContaining('ssl_ca_file'),
        });
      await cluster().sql('ALTER SYSTEM RESET ssl_ca_file');
      await writeFile(rules, others);
      await cluster().sql('SELECT pg_reload_conf()');
      await expect
        .poll(() => opened('sslmode=disable').catch(() => undefined), slowly)
        .toBeDefined();
    });

    it('names encryption where the server wants it, and remarks only on what is connected', async () => {
      const rules = join(cluster().folder, 'data', 'pg_hba.conf');
      const others = await readFile(rules, 'utf8');
      await writeFile(rules, `hostssl all all all trust\nlocal all all trust\n`);
      await cluster().sql('SELECT pg_reload_conf()');
      const hint = expect.stringMatching(/^Add sslmode=verify-full to the address/);
      const refused = { code: 'denied', hint };
      // The server reads its rules anew when it comes to it.
      await expect
        .poll(() => opened('').catch((error: unknown) => error), slowly)
        .toMatchObject(refused);
      await writeFile(rules, others);
      await cluster().sql('SELECT pg_reload_conf()');
      const notices: string[] = [];
      const report = (notice: string) => void notices.push(notice);
      const none = address.replace(/:\d+\//, ':1/');
      await expect(checkPostgres(`${none}?sslmode=require`, report)).rejects.toThrow(
        'ECONNREFUSED',
      );
      expect(notices).toEqual([]);
      await expect
        .poll(() => checkPostgres(address, report), slowly)
        .toMatchObject({ articles: 0 });
      await checkPostgres(`${address}?sslmode=require`, report);
      expect(notices).toEqual([expect.stringContaining('encrypted, but not verified')]);
    });

    it.runIf(process.platform === 'linux')('is not believed under another number', async () => {
      const proxy = createServer((client) => {
        const server = connect(cluster().port, '127.0.0.1');
        client.on('error', () => server.destroy()).pipe(server);
        server.on('error', () => client.destroy()).pipe(client);
      });
      await new Promise<void>((listening) => {
        proxy.listen(0, '127.0.0.2', listening);
      });
      onTestFinished(() => void proxy.close());
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- It listens.
      const { port } = proxy.address() as AddressInfo;
      const other = address.replace(/127\.0\.0\.1:\d+/, `127.0.0.2:${port}`);
      await expect(opened(`sslmode=verify-full&${trusted}`, other)).rejects.toThrow(
        /127\.0\.0\.2 is not in the cert's list: 127\.0\.0\.1 \(it is for DNS:localhost, IP Address:127\.0\.0\.1\)\.$/,
      );
      expect(await opened(`sslmode=verify-ca&${trusted}`, other)).toEqual(['t', []]);
    });
  },
  { own: true },
);
