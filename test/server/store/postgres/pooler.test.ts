import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, writeFile } from 'node:fs/promises';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { initPostgres, openPostgres } from '../../../../server/store/postgres/open.ts';
import { describeOnPostgres } from '../../../support/on-postgres.ts';
import { freePort } from '../../../support/postgres.ts';

const pgbouncer = ['/usr/sbin/pgbouncer', '/usr/bin/pgbouncer'].find((path) => existsSync(path));

describeOnPostgres('behind PgBouncer', (cluster) => {
  it.skipIf(pgbouncer === undefined)(
    'in transaction mode two instances answer alike, with few connections to the server',
    async () => {
      const address = await cluster().database();
      await initPostgres(address, { title: 'My blog', description: '' });
      const [port, name] = [await freePort(), address.slice(address.lastIndexOf('/') + 1)];
      const file = join(cluster().folder, 'pgbouncer.ini');
      await writeFile(
        file,
        `[databases]
${name} = host=127.0.0.1 port=${cluster().port} user=postgres
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = 3
${userInfo().uid === 0 ? 'user = postgres' : ''}
`,
      );
      await chmod(file, 0o644);
      const child = spawn(pgbouncer ?? '', [file], { stdio: 'ignore' });
      const pooled = address.replace(/:\d+\//, `:${port}/`);
      const [one, two] = await Promise.all([
        openPostgres({ address: pooled }),
        openPostgres({ address: pooled }),
      ]);
      const stores = [one.store, two.store];
      const storeFor = (at: number) => (at % 2 === 0 ? one.store : two.store);
      const made = await Promise.all(
        Array.from({ length: 60 }, (_, at) => storeFor(at).create(1, { title: `T${at}` })),
      );
      expect(made.every((each) => each.kind === 'created')).toBe(true);
      await one.store.remove(1, 7, () => undefined);
      const reads = await Promise.all(
        Array.from({ length: 200 }, (_, at) => storeFor(at).read(1, 1 + (at % 60))),
      );
      expect(reads.filter((found) => found.kind === 'gone').length).toBeGreaterThan(0);
      expect(reads.every(({ kind }) => kind === 'gone' || kind === 'article')).toBe(true);
      const pages = await Promise.all(stores.map((store) => store.page(1, 3, 20)));
      expect(pages[0]).toEqual(pages[1]);
      for (const store of stores) await store.close();
      child.kill('SIGINT');
    },
  );
});
