import type { Page } from '@playwright/test';
import { expect, it } from 'vitest';
import { describeInBrowser, heading, token } from '../../support/browser.ts';

describeInBrowser('a form in a browser', (given) => {
  const addressOf = (href: string) => `/#${encodeURIComponent(href)}`;
  const opened = async (href: string) => {
    const { page } = await given().open(addressOf(href));
    await page.waitForSelector('h1[tabindex]');
    return page;
  };
  const articleOpened = async (title: string) => {
    const href = await given().create({ title, content: 'Before' });
    return { href, page: await opened(href) };
  };
  const blog = () => given().server.blogs[0]?.url ?? '';

  /** Answers to `method` at `href` wait until they are let go. */
  const held = async (page: Page, method: string, href: string) => {
    let letGo = () => {};
    const released = new Promise<void>((resolve) => (letGo = resolve));
    await page.route(href, async (route) => {
      if (route.request().method() === method) await released;
      await route.continue();
    });
    return async () => {
      const answered = page.waitForResponse((answer) => answer.request().method() === method);
      letGo();
      await answered;
      await page.waitForTimeout(200);
    };
  };
  /** What is asked from now on before something is left, each time answered with yes. */
  const questions = (page: Page) => {
    const asked: string[] = [];
    page.on('dialog', (dialog) => {
      asked.push(dialog.message());
      void dialog.accept();
    });
    return asked;
  };

  it('stays, with its draft, when an answer comes that was asked for before it', async () => {
    const page = await opened(blog());
    const answer = await held(page, 'GET', `${blog()}/articles`);
    await page.click('.pages >> text=Articles');
    await page.click('text=New article');
    await page.fill('[name=title]', 'PRECIOUS');
    await answer();
    expect(await page.inputValue('[name=title]')).toBe('PRECIOUS');
    expect(await page.title()).toBe('New article');
    expect(await page.locator('#view').getAttribute('aria-busy')).toBeNull();
    const asked = questions(page);
    await page.click('text=Cancel');
    await page.waitForSelector('h1 >> text=Articles');
    expect(asked).toEqual(['Leave what you typed here unsaved?']);
    await page.context().close();
  });

  it('takes nothing any more once it was left, and nothing is unsaved then', async () => {
    const { href, page } = await articleOpened('Left');
    await page.click('text=Edit');
    await page.fill('[name=title]', 'Draft');
    const answer = await held(page, 'GET', href);
    const asked = questions(page);
    await page.click('text=Cancel');
    await page.evaluate('document.querySelector("[name=title]").focus()');
    await page.keyboard.type('into nothing');
    expect(await page.inputValue('[name=title]')).toBe('Draft');
    await answer();
    expect(await heading(page)).toBe('Left');
    await page.click('#view >> text=Field notes');
    await page.waitForSelector('text=New article');
    expect(asked).toEqual(['Leave what you typed here unsaved?']);
    await page.context().close();
  });

  it('that was left on the way elsewhere does not lead back when it is saved', async () => {
    const other = await given().create({ title: 'Elsewhere', content: '' });
    const { href, page } = await articleOpened('Slowly saved');
    await page.click('text=Edit');
    await page.fill('[name=token]', token);
    const saved = await held(page, 'PUT', href);
    const answer = await held(page, 'GET', other);
    const asked = questions(page);
    await page.click('text=Save');
    await page.goto(given().server.url + addressOf(other));
    await saved();
    await answer();
    expect(await heading(page)).toBe('Elsewhere');
    expect(asked).toEqual(['It is being sent. Leave without its answer?']);
    await page.context().close();
  });
});
