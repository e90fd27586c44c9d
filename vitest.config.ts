import { defineConfig } from 'vitest/config';

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
    ],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // Tests that set these say so; a developer's own settings must not leak in.
    env: { CI: '', NO_COLOR: '1', BLOGCTL_BLOG: '', BLOGCTL_TOKEN: '', NODE_EXTRA_CA_CERTS: '' },
  },
});
