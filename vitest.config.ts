import { defineConfig } from 'vitest/config';

/** Two instances on one database, each request on any of them. */
const balanced = {
  extends: true as const,
  test: {
    name: 'contract by haproxy',
    include: ['test/contract/*.test.ts', 'test/server/decisions/decisions.test.ts'],
    env: { BLOG_BY: 'haproxy' },
  },
};

export default defineConfig({
  test: {
    projects: [
      { extends: true, test: { name: 'all', include: ['test/**/*.test.ts'] } },
      ...['fetch', 'socket'].map((road) => ({
        extends: true as const,
        test: {
          name: `contract by ${road}`,
          include: ['test/contract/*.test.ts'],
          env: { BLOG_BY: road },
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
