import type { BrowserContextOptions, Page } from '@playwright/test';
import { beforeAll, expect, it } from 'vitest';
import { describeInBrowser, type Given, heading } from '../../support/browser.ts';

const hostile = '<img src=x onerror="document.title=1"> & "quotes"';

const looks: readonly (readonly [string, BrowserContextOptions])[] = [
  ['on a desk', { viewport: { width: 1280, height: 850 } }],
  ['in the dark', { viewport: { width: 1280, height: 850 }, colorScheme: 'dark' }],
  ['on a phone', { viewport: { width: 360, height: 740 }, isMobile: true }],
];

describeInBrowser('the start page in a browser', (given) => {
  const texts = Array.from({ length: 45 }, (_, at) => ({
    title: at === 2 ? hostile : `Part ${at + 1}`,
    content: `<script>document.title = 2</script> ${at + 1}`,
  }));
  beforeAll(async () => {
    for (const text of texts) await given().create(text);
  });
  const open: Given['open'] = (path, look) => given().open(path, look);
  const fits = (page: Page) =>
    page.evaluate('document.documentElement.scrollWidth <= document.documentElement.clientWidth');

  it.each(looks)('%s: follows links to an article and back, all of it as text', async (_, look) => {
    const { page, complaints } = await open('/', look);
    await page.click('#view >> text=Field notes');
    await page.click('.pages >> text=Articles');
    await page.click('.pages >> text=Next');
    await page.waitForSelector('text=Page 2 of 3, 45 articles.');
    await page.goBack();
    await page.waitForSelector('text=Page 1 of 3, 45 articles.');
    expect(await fits(page)).toBe(true);
    await page.click('ol.articles li:nth-child(3) a');
    await page.waitForSelector('.text');
    expect(await heading(page)).toBe(hostile);
    expect(await page.title()).toBe(hostile);
    expect((await page.locator('.text').textContent())?.trim()).toBe('3');
    await page.click('summary');
    expect(await page.locator('details pre').textContent()).toBe(texts[2]?.content);
    expect(await page.locator('#exchange').textContent()).toContain('/api/v1.2/blogs/1/articles/3');
    expect(JSON.parse((await page.locator('#raw').textContent()) ?? '')).toMatchObject({ id: 3 });
    expect(await fits(page)).toBe(true);
    expect(complaints).toEqual([]);
    await page.context().close();
  });

  it('a reload shows the same article, and its comments say 501 in words', async () => {
    const { page } = await open('/', {});
    const article = encodeURIComponent(`${given().server.url}/api/v1.2/blogs/1/articles/5`);
    await page.goto(`${given().server.url}/#${article}`);
    await page.waitForSelector('h1 >> text=Part 5');
    await page.reload();
    await page.waitForSelector('h1 >> text=Part 5');
    await page.click('dd a >> text=comments');
    await page.waitForSelector('.warn');
    expect(await heading(page)).toBe('This service does not do that');
    await page.click(`dd a >> text="${given().server.url}/docs/problems/not-implemented"`);
    await page.waitForSelector('#view >> text=Use the methods and links that are documented.');
    await page.context().close();
  });

  it('an address of another origin is not followed', async () => {
    const elsewhere = `/#${encodeURIComponent('https://evil.example/')}`;
    const { page, complaints } = await open(elsewhere, {});
    await page.waitForSelector('h1 >> text=Blogs');
    expect(complaints).toEqual([]);
    await page.context().close();
  });

  it.each([
    '/docs',
    '/docs/blog',
    '/docs/articles',
    '/docs/comments',
    '/docs/help',
    '/docs/problems/gone',
  ])('%s reads well on a phone, with every link alive', async (path) => {
    const { page, complaints } = await open(path, { viewport: { width: 360, height: 740 } });
    expect((await heading(page))?.length).toBeGreaterThan(3);
    expect(await fits(page)).toBe(true);
    const links = await page.locator('a').evaluateAll((all) => all.map(String));
    const dead: string[] = [];
    for (const link of new Set(links)) if (!(await fetch(link)).ok) dead.push(link);
    expect(dead).toEqual([]);
    expect(complaints).toEqual([]);
    await page.context().close();
  });
});
