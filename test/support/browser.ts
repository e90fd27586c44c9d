import { existsSync } from 'node:fs';
import { chromium } from '@playwright/test';
import type { Browser, BrowserContext, BrowserContextOptions, Page } from '@playwright/test';
import { afterAll, beforeAll, describe } from 'vitest';
import { startServer } from '../../server/index.ts';
import type { RunningServer } from '../../server/index.ts';

/** Debian's; where there is none, these tests have nothing to say. */
const executablePath = process.env['CHROMIUM'] ?? '/usr/bin/chromium';

/** Of the service: what a person types into the page. */
export const token = 'test';

export type Opened = {
  readonly page: Page;
  /** What the page complained about, or asked of anybody but this service. */
  readonly complaints: readonly string[];
};

export type Given = {
  readonly server: RunningServer;
  /** A tab of a browser of its own, or of `context`. */
  open(path: string, look?: BrowserContextOptions, context?: BrowserContext): Promise<Opened>;
  /** Answers the address of the new article. */
  create(text: { readonly title: string; readonly content?: string }): Promise<string>;
};

/** Tests in a real browser against a service of their own. */
export function describeInBrowser(name: string, tests: (given: () => Given) => void): void {
  describe.skipIf(!existsSync(executablePath))(`In Chromium: ${name}`, () => {
    let browser: Browser;
    let given: Given;
    beforeAll(async () => {
      browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
      given = await givenPages(browser);
    });
    afterAll(async () => {
      await browser.close();
      await given.server.stop();
    });
    tests(() => given);
  });
}

async function givenPages(browser: Browser): Promise<Given> {
  const server = await startServer({
    file: 'unused',
    ephemeral: true,
    title: 'Field notes',
    host: '127.0.0.1',
    port: 0,
    token,
  });
  return {
    server,
    open: async (path, look = {}, context) => {
      const page = await (context ?? (await browser.newContext(look))).newPage();
      const complaints: string[] = [];
      page.on('console', (message) => {
        if (message.type() === 'error') complaints.push(message.text());
      });
      page.on('pageerror', (error) => complaints.push(error.message));
      page.on('request', (request) => {
        const isOurs = request.url().startsWith(server.url) || request.url() === 'data:,';
        if (!isOurs) complaints.push(request.url());
      });
      await page.goto(`${server.url}${path}`);
      return { page, complaints };
    },
    create: async (text) => {
      const answer = await fetch(`${server.blogs[0]?.url}/articles`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-access-token': token },
        body: JSON.stringify(text),
      });
      return answer.headers.get('location') ?? '';
    },
  };
}

export function heading(page: Page): Promise<string | null> {
  return page.locator('h1').first().textContent();
}
