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

  const stored = async (href: string) => Object(await (await fetch(href)).json());
  /** As a keyboard sends it while a key is held down. */
  const hold = async (page: Page, key: string) => {
    for (let times = 0; times < 20; times += 1) {
      await page.keyboard.down(key);
      await page.waitForTimeout(20);
    }
    await page.keyboard.up(key);
  };

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

  it('shows a line break of a title as a space, says so, and keeps it as long as the title is left', async () => {
    const { href, page } = await articleOpened('ti\ntle');
    await page.click('text=Edit');
    expect(await page.inputValue('[name=title]')).toBe('ti tle');
    expect(await page.textContent('form')).toContain('This title has a line break');
    await page.fill('[name=content]', 'After');
    await page.fill('[name=token]', token);
    await page.click('button.first');
    await page.waitForSelector('text=After');
    expect(await stored(href)).toMatchObject({ title: 'ti\ntle', content: 'After' });
    await page.click('text=Edit');
    await page.type('[name=title]', '!');
    await page.click('button.first');
    await page.waitForSelector('h1:has-text("ti tle!")');
    expect(await stored(href)).toMatchObject({ title: 'ti tle!', content: 'After' });
  });

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

  /** The page of an article, once it knows the token. */
  const trusted = async (title: string) => {
    const { href, page } = await articleOpened(title);
    await page.click('text=Edit');
    await page.fill('[name=token]', token);
    await page.click('text=Save');
    await page.waitForSelector('.text');
    return { href, page };
  };

  it.each(['Edit', 'Delete'])('does nothing for an Enter that opened it: %s', async (name) => {
    const { href, page } = await trusted('Held down');
    const changes: string[] = [];
    page.on('request', (request) => void changes.push(request.method()));
    await page.focus(`text=${name}`);
    await hold(page, 'Enter');
    expect(await page.locator('form').count()).toBe(1);
    expect(changes).toEqual([]);
    expect(await stored(href)).toMatchObject({ title: 'Held down' });
    await page.context().close();
  });

  it('deletes by the key after the one that asked for it', async () => {
    const { href, page } = await trusted('Unwanted');
    await page.focus('text=Delete');
    for (const key of ['Enter', 'Tab', 'Enter']) await page.keyboard.press(key);
    await page.waitForSelector('text=New article');
    expect((await fetch(href)).status).toBe(410);
    await page.context().close();
  });

  it.each([
    ['an Enter that is held down', (page: Page) => hold(page, 'Enter')],
    [
      'an Enter that comes twice',
      async (page: Page) => {
        await page.keyboard.press('Enter');
        await page.waitForSelector('.said pre');
        await page.keyboard.press('Enter');
      },
    ],
    [
      'a double click',
      async (page: Page) => {
        const { x = 0, y = 0 } = (await page.locator('button.first').boundingBox()) ?? {};
        await page.mouse.click(x + 5, y + 5);
        await page.waitForSelector('.said pre');
        await page.mouse.down({ clickCount: 2 });
        await page.mouse.up({ clickCount: 2 });
      },
    ],
  ])('writes over nothing by %s that its writer has not seen', async (_, press) => {
    const { href, page } = await trusted('Contested');
    await page.click('text=Edit');
    await page.fill('[name=content]', 'Mine');
    const headers = { 'x-access-token': token, 'content-type': 'application/json' };
    const body = '{"title":"Contested","content":"Theirs"}';
    await fetch(href, { method: 'PUT', headers: { ...headers, 'if-match': '*' }, body });
    await page.focus('[name=title]');
    await press(page);
    await page.waitForSelector('.said pre >> text=Theirs');
    await page.waitForTimeout(200);
    expect(await stored(href)).toMatchObject({ content: 'Theirs' });
    for (const key of ['Tab', 'Tab', 'Enter']) await page.keyboard.press(key);
    await page.waitForSelector('.text >> text=Mine');
    await page.context().close();
  });

  /** The first change at `href` is made, and its answer does not come. */
  const losing = async (page: Page, method: string, href: string) => {
    let isLost = false;
    await page.route(href, async (route) => {
      if (route.request().method() !== method || isLost) return route.continue();
      isLost = true;
      await route.fetch();
      return route.abort();
    });
  };

  it('takes what it saved itself for saved, where the answer was lost', async () => {
    const { href, page } = await trusted('Saved once');
    await page.click('text=Edit');
    await page.fill('[name=content]', 'Mine');
    await losing(page, 'PUT', href);
    await page.click('text=Save');
    await page.waitForSelector('.said >> text=does not answer');
    await page.click('text=Save');
    await page.waitForSelector('.text >> text=Mine');
    expect(await page.locator('form').count()).toBe(0);
    await page.context().close();
  });

  it('takes it for saved where the article has no content, too', async () => {
    const href = await given().create({ title: 'Bare', content: '' });
    const headers = { 'content-type': 'application/json', 'x-access-token': token };
    await fetch(href, { method: 'PUT', headers, body: '{"title":"Bare"}' });
    const page = await opened(href);
    await page.click('text=Edit');
    await page.fill('[name=title]', 'Still bare');
    await page.fill('[name=token]', token);
    await losing(page, 'PUT', href);
    await page.click('text=Save');
    await page.waitForSelector('.said >> text=does not answer');
    await page.click('text=Save');
    await page.waitForSelector('h1:has-text("Still bare")');
    expect(await page.locator('form').count()).toBe(0);
    await page.context().close();
  });

  it('takes what it deleted itself for deleted, where the answer was lost', async () => {
    const { href, page } = await trusted('Unwanted twice');
    await page.click('text=Delete');
    await losing(page, 'DELETE', href);
    await page.click('text=Delete for good');
    await page.waitForSelector('.said >> text=does not answer');
    await page.click('text=Delete for good');
    await page.waitForSelector('text=New article');
    expect(await page.locator('form').count()).toBe(0);
    await page.context().close();
  });

  it('says that it is being sent, and takes no second press meanwhile', async () => {
    const page = await opened(blog());
    await page.click('text=New article');
    await page.fill('[name=title]', 'Slow');
    await page.fill('[name=token]', token);
    const answer = await held(page, 'POST', `${blog()}/articles`);
    await page.click('text=Create');
    await page.waitForSelector('.said >> text=It is being sent…');
    expect(await page.getAttribute('button.first', 'aria-disabled')).toBe('true');
    await answer();
    await page.waitForSelector('h1 >> text=Slow');
    await page.context().close();
  });

  it('of an article that was deleted meanwhile saves its text as a new one', async () => {
    const { href, page } = await trusted('Gone');
    await page.click('text=Edit');
    await page.fill('[name=content]', 'Precious');
    await fetch(href, { method: 'DELETE', headers: { 'x-access-token': token, 'if-match': '*' } });
    await page.click('text=Save');
    await page.waitForSelector('.said >> text=Somebody deleted this article meanwhile.');
    await page.click('text=Save as a new article');
    await page.waitForSelector('.text >> text=Precious');
    expect(decodeURIComponent(page.url())).not.toContain(href);
    await page.context().close();
  });

  it('creates over plain http of another machine, too', async () => {
    const { page } = await given().open('/');
    const [here, there] = [given().server.url, 'http://blog.example'];
    const keys: (string | null)[] = [];
    await page.route(`${there}/**`, async (route) => {
      const request = route.request();
      if (request.method() === 'POST') keys.push(await request.headerValue('idempotency-key'));
      const response = await route.fetch({ url: request.url().replace(there, here) });
      const body = (await response.text()).replaceAll(here, there);
      await route.fulfill({ response, body });
    });
    await page.goto(there);
    expect(await page.evaluate('isSecureContext')).toBe(false);
    await page.click('#view >> text=Field notes');
    for (const title of ['From afar', 'Again']) {
      await page.click('text=New article');
      await page.fill('[name=title]', title);
      if (title === 'From afar') await page.fill('[name=token]', token);
      await page.click('text=Create');
      await page.waitForSelector(`h1 >> text=${title}`);
      await page.click('#view >> text=Field notes');
    }
    expect(new Set(keys).size).toBe(2);
    // What the page still asks for would be answered after it is closed.
    await page.unrouteAll({ behavior: 'ignoreErrors' });
    await page.context().close();
  });
});
