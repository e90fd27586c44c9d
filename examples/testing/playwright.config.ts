// A service of its own for the run, in memory and with control: playwright test
import { defineConfig } from '@playwright/test';

const port = process.env['BLOG_PORT'] ?? '8099';
const executablePath = process.env['CHROMIUM'];

export default defineConfig({
  testMatch: 'playwright.spec.ts',
  // All tests of a run share the service, and each begins with a reset.
  workers: 1,
  use: {
    baseURL: `http://127.0.0.1:${port}`,
    ...(executablePath && { launchOptions: { executablePath, args: ['--no-sandbox'] } }),
  },
  webServer: {
    command: `npx blogctl serve --ephemeral --control --seed articles.ndjson --port ${port}`,
    url: `http://127.0.0.1:${port}/health`,
    env: { BLOGCTL_SERVE_TOKEN: 'token-of-the-tests' },
  },
});
