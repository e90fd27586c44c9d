import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Cluster, givenCluster, postgresFolder } from './postgres.ts';

const isMissing = postgresFolder() === undefined;

/** Tests against a cluster of their own; where there is none they are skipped by name. */
export function describeOnPostgres(
  name: string,
  tests: (cluster: () => Cluster) => void,
  options: { readonly fsync?: boolean } = {},
): void {
  it.runIf(isMissing)(`${name}: skipped, no PostgreSQL on this machine`, () => {
    // Where every program was to be installed a skip is a failure.
    expect(process.env['BLOGCTL_TEST_ALL'] ?? '').toBe('');
  });
  describe.skipIf(isMissing)(`PostgreSQL: ${name}`, () => {
    let cluster: Cluster;
    beforeAll(async () => {
      cluster = await givenCluster(options);
    });
    afterAll(() => cluster.stop());
    tests(() => cluster);
  });
}
