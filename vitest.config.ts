import { defineConfig } from 'vitest/config';

/** `npm run test:slow`: the built command, kills, browsers, databases, other services, and posts through many commits. */
const slow = [
  'test/acceptance/**/*.test.ts',
  'test/exactly-once/**/*.test.ts',
  'test/kills/**/*.test.ts',
  'test/server/browser/**/*.test.ts',
  'test/src/{commands/{check,foreign-service},checking/planted-faults}.test.ts',
  'test/src/syncing/{histories,old-paths,swapped}.test.ts',
  'test/src/http/roads.test.ts',
  'test/server/store/{conformance,crash,fuzz,lock,postgres}/**/*.test.ts',
];

/** To start git takes the longer the more a worker has loaded: they have workers of their own. */
const git = ['test/src/syncing/*.test.ts'];

/** Modules are loaded once for all files of a worker. */
const shared = { isolate: false };

/** Two instances on one database, each request on any of them. */
const balanced = {
  extends: true as const,
  test: {
    name: 'slow contract by haproxy',
    include: ['test/contract/*.test.ts', 'test/server/decisions/decisions.test.ts'],
    env: { BLOG_BY: 'haproxy' },
  },
};

export default defineConfig({
  test: {
    projects: [
      {
        extends: true,
        test: {
          name: 'fast',
          include: ['test/**/*.test.ts'],
          exclude: [...slow, ...git],
          ...shared,
        },
      },
      { extends: true, test: { name: 'fast with git', include: git, exclude: slow, ...shared } },
      { extends: true, test: { name: 'slow', include: slow } },
      ...['fetch', 'socket'].map((road) => ({
        extends: true as const,
        test: {
          name: `contract by ${road}`,
          include: ['test/contract/*.test.ts'],
          env: { BLOG_BY: road },
          ...shared,
        },
      })),
      // Long: CI and the nightly run ask for it, and fail where the programs are missing.
      ...(process.env['BLOGCTL_TEST_ALL'] === '1' ? [balanced] : []),
    ],
    globalSetup: ['test/support/clusters.ts'],
    // The style sheet of the pages is taken in as it is.
    css: true,
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // Tests that set these say so; a developer's own settings must not leak in.
    env: { CI: '', NO_COLOR: '1', BLOGCTL_BLOG: '', BLOGCTL_TOKEN: '', NODE_EXTRA_CA_CERTS: '' },
  },
});
