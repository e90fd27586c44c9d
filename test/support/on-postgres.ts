import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { type Cluster, givenCluster, postgresFolder, sharedCluster } from './postgres.ts';

const isMissing = postgresFolder() === undefined;

/**
 * Tests against the cluster of the run, or one of their own where they change its settings or harm
 * it; where there is no PostgreSQL they are skipped by name.
 */
export function describeOnPostgres(
  name: string,
  tests: (cluster: () => Cluster) => void,
  { own, fsync = false }: { readonly own?: boolean; readonly fsync?: boolean } = {},
): void {
  it.runIf(isMissing)(`${name}: skipped, no PostgreSQL on this machine`, () => {
    // Where every program was to be installed a skip is a failure.
    expect(process.env['BLOGCTL_TEST_ALL'] ?? '').toBe('');
  });
  describe.skipIf(isMissing)(`PostgreSQL: ${name}`, () => {
    let cluster: Cluster;
    beforeAll(async () => {
      cluster = await (own === true ? givenCluster({ fsync }) : sharedCluster(inject('clusters')));
    });
    // After hundreds of kills a server has much to write before it ends.
    afterAll(async () => {
      if (own === true) await cluster.stop();
    }, 300_000);
    tests(() => cluster);
  });
}
