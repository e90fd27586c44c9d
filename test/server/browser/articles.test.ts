import type { Page } from '@playwright/test';
import { expect, it } from 'vitest';
import { describeInBrowser, heading, token } from '../../support/browser.ts';

const hostile = `# Seen

<script>document.title = 'script'</script>
<img src="https://evil.example/pixel.png" alt="a bird" onerror="document.title = 'onerror'">
<svg><script>document.title = 'svg'</script></svg><svg onload="document.title = 'onload'"></svg>
<style>body { background: url(https://evil.example/style.png) } #view { display: none }</style>
<link rel="stylesheet" href="https://evil.example/style.css"><base href="https://evil.example/">
<iframe src="https://evil.example/frame"></iframe><object data="https://evil.example/o"></object>
<video src="https://evil.example/v" poster="https://evil.example/p"></video><audio src="https://evil.example/a"></audio>
<form action="https://evil.example/"><input name="token" autofocus onfocus="document.title = 'focus'"><button>Send</button></form>
<div id="view" class="control" style="position:fixed;inset:0;background:red" onclick="1">over all</div>
<meta http-equiv="refresh" content="0;url=https://evil.example/"><math><mtext><img src=x onerror="document.title = 'math'"></mtext></math>

![remote](https://evil.example/remote.png)

[script](javascript:document.title='link') [data](data:text/html,<script>1</script>) [file](file:///etc/passwd)
[elsewhere](https://example.org/a "a title") <a href="https://example.org/b" target="_top" ping="https://evil.example/ping">raw</a>

| a | b |
|---|---|
| 1 | 2 |

- [x] done
- [ ] open
`;

describeInBrowser('an article in a browser', (given) => {
  const shown = async (href: string) => {
    const opened = await given().open(`/#${encodeURIComponent(href)}`);
    await opened.page.waitForSelector('.text > *');
    return opened;
  };

  it('of very many blocks is shown in little more time than they take to be made', async () => {
    const content = 'a\n=\n'.repeat(20_000);
    const href = await given().create({ title: 'Many', content });
    const { page } = await given().open('/');
    await page.addScriptTag({ url: '/docs/assets/marked.js' });
    const made = await page.evaluate((text) => {
      const start = performance.now();
      const { marked, DOMPurify, document } = Object(globalThis);
      const options = { RETURN_DOM_FRAGMENT: true };
      const box = document.createElement('div');
      box.append(DOMPurify.sanitize(marked.parse(text, { gfm: true }), options));
      document.body.append(box);
      box.getBoundingClientRect();
      box.remove();
      return performance.now() - start;
    }, content);
    const start = performance.now();
    await page.goto(`${new URL(href).origin}/#${encodeURIComponent(href)}`);
    await page.waitForSelector('.text h1:first-child', { state: 'attached' });
    await page.evaluate('document.body.getBoundingClientRect().height');
    expect((performance.now() - start) / made).toBeLessThan(8);
  });

  it('is rendered, and nothing of it runs, loads, sends or looks like the page', async () => {
    const { page, complaints } = await shown(
      await given().create({ title: 'Hostile', content: hostile }),
    );
    await page.waitForTimeout(300);
    expect(await page.title()).toBe('Hostile');
    const inText = (selector: string) => page.locator(`.text ${selector}`).count();
    for (const name of ['script', 'img', 'style', 'link', 'iframe', 'object', 'video', 'audio'])
      expect([name, await inText(name)]).toEqual([name, 0]);
    for (const name of [
      'form',
      'input',
      'button',
      'svg',
      'math',
      'meta',
      'base',
      '[id]',
      '[class]',
    ])
      expect([name, await inText(name)]).toEqual([name, 0]);
    expect(await inText('[style]')).toBe(0);
    const links = await page
      .locator('.text a')
      .evaluateAll((all) => all.map((link) => [link.textContent, link.getAttribute('href')]));
    expect(links).toEqual([
      ['[picture: a bird]', 'https://evil.example/pixel.png'],
      ['[picture: remote]', 'https://evil.example/remote.png'],
      ['script', null],
      ['data', null],
      ['file', null],
      ['elsewhere', 'https://example.org/a'],
      ['raw', 'https://example.org/b'],
    ]);
    expect(await page.locator('.text table td').allTextContents()).toEqual(['1', '2']);
    expect(await page.locator('.text li').allTextContents()).toEqual([
      '\u2611 done',
      '\u2610 open',
    ]);
    await page.click('summary');
    expect(await page.locator('details pre').textContent()).toBe(hostile);
    // Styles of a document that is only parsed are named there, and were not applied.
    const others = complaints.filter((text) => !text.includes('Content Security Policy'));
    expect(others).toEqual([]);
    await page.context().close();
  });

  it('names what would turn its direction around, and takes the direction of its text', async () => {
    const title = 'user\u202etxt.exe';
    const content = 'a\u2066b **c\u200fd**\n\nשלום עולם';
    const { page } = await shown(await given().create({ title, content }));
    expect(await heading(page)).toBe('userRLOtxt.exe');
    expect(await page.locator('.text').textContent()).toContain('aLRIb cRLMd');
    expect(await page.locator('#raw').textContent()).toContain('userRLOtxt.exe');
    const rtl = await shown(await given().create({ title: 'עברית', content: 'שלום עולם' }));
    const direction = 'getComputedStyle(document.querySelector(".text")).direction';
    expect(await rtl.page.evaluate(direction)).toBe('rtl');
    await page.context().close();
    await rtl.page.context().close();
  });

  it('has no link that leads nowhere', async () => {
    const content = '<img alt="lost"> ![empty]() <a href="">a</a> <a href=" ">b</a> [c]()';
    const { page } = await shown(await given().create({ title: 'Nowhere', content }));
    expect((await page.locator('.text').textContent())?.trim()).toBe(
      '[picture: lost] [picture: empty] a b c',
    );
    expect(await page.locator('.text [href]').count()).toBe(0);
    await page.context().close();
  });

  it('keeps the link that a picture stands in', async () => {
    const content =
      '[![built](https://a.example/b.png)](https://a.example/ci) ![](https://a.example/c.png)';
    const { page } = await shown(await given().create({ title: 'Badges', content }));
    const links = await page
      .locator('.text a')
      .evaluateAll((all) => all.map((link) => [link.textContent, link.getAttribute('href')]));
    expect(links).toEqual([
      ['[picture: built]', 'https://a.example/ci'],
      ['[picture: without a description]', 'https://a.example/c.png'],
    ]);
    await page.context().close();
  });

  it.each(['constructor', '__proto__'])('is called what it is called: %s', async (title) => {
    const { page } = await shown(await given().create({ title, content: 'Text' }));
    expect([await heading(page), await page.title()]).toEqual([title, title]);
    await page.context().close();
  });

  it('of one word without end is shown in little more time than one of plain letters', async () => {
    const timed = async (content: string) => {
      const href = await given().create({ title: 'One word', content });
      const { page } = await given().open('/');
      const start = performance.now();
      await page.evaluate(`location.hash = ${JSON.stringify(encodeURIComponent(href))}`);
      await page.waitForSelector('h1:has-text("One word")', { timeout: 0 });
      await page.evaluate('document.body.getBoundingClientRect().height');
      const ms = performance.now() - start;
      expect((await page.locator('details pre').textContent()) === content).toBe(true);
      await page.context().close();
      return ms;
    };
    const usual = await timed('ab'.repeat(200_000));
    expect((await timed('a\u0301'.repeat(200_000))) / usual).toBeLessThan(6);
  });

  it('of very many lines is opened in a form in little more time than a field takes', async () => {
    const content = 'A line\n'.repeat(40_000);
    const { page } = await shown(await given().create({ title: 'Lines', content }));
    const [opened = 0, usual = 1] = await page.evaluate((text): number[] => {
      const { document } = Object(globalThis);
      const timed = (work: () => void) => {
        const start = performance.now();
        work();
        document.body.getBoundingClientRect();
        return performance.now() - start;
      };
      const field = document.createElement('textarea');
      const filled = timed(() => {
        field.value = text;
        document.body.append(field);
      });
      field.remove();
      return [timed(() => document.querySelector('#view button').click()), filled];
    }, content);
    expect(await page.inputValue('[name=content]')).toBe(content);
    expect(opened / usual).toBeLessThan(8);
    await page.context().close();
  });

  it('that cannot be rendered, whatever the cause, is shown as it was written', async () => {
    const { page } = await given().open('/');
    await page.route('**/marked.js', (route) => route.abort());
    const content = 'As *it* is.';
    const href = await given().create({ title: 'Deep', content });
    await page.evaluate(`location.hash = ${JSON.stringify(encodeURIComponent(href))}`);
    await page.waitForSelector('h1 >> text=Deep');
    expect(await page.locator('.text pre').textContent()).toBe(content);
    expect(await page.locator('.text p').textContent()).toContain('as it was written');
    await page.context().close();
  });

  it.each([
    ['addresses of mail', `${'a'.repeat(1_000_000)}@`],
    ['marks above a letter', `a${'\u0301'.repeat(500_000)}`],
    ['marks above a letter, by number', `a${'&#769;'.repeat(150_000)}`],
    ['marks of direction', 'a\u200f'.repeat(200_000)],
    ['marks of emphasis', '_a__'.repeat(250_000)],
    ['emphasis', '_a_ '.repeat(250_000)],
    ['a link, as often as it fits', `[a]: /${'x'.repeat(100_000)}\n\n${'[a] '.repeat(200_000)}`],
  ])('that was made to hang the page can be deleted at once: %s', async (_, content) => {
    const href = await given().create({ title: 'Hostile', content });
    const { page, complaints } = await given().open('/');
    await page.evaluate(`location.hash = ${JSON.stringify(encodeURIComponent(href))}`);
    await page.waitForSelector('h1 >> text=Hostile');
    await page.click('text=Delete');
    await page.waitForSelector('text=Delete “Hostile”?');
    await page.click('text=Cancel');
    // What was read, or as it was written.
    await page.waitForSelector('.text > *', { state: 'attached' });
    expect(complaints).toEqual([]);
    await page.context().close();
  });

  it.each([
    ['a list', Array.from({ length: 400 }, (_, at) => `${'  '.repeat(at)}- Leaf`).join('\n')],
    ['quotes', `${'> '.repeat(400)}Leaf`],
    ['a long term', `<dl><dt>${'Leaf '.repeat(100)}</dt><dd>b</dd></dl>`],
  ])('stays in its column, however deep: %s', async (_, content) => {
    const href = await given().create({ title: 'Nested', content });
    for (const width of [375, 1280]) {
      const { page } = await given().open(`/#${encodeURIComponent(href)}`, {
        viewport: { width, height: 800 },
      });
      await page.waitForSelector('.text');
      const leaf = page.locator('.text :is(li, p, dt):has-text("Leaf")').last();
      const { x = 0, width: room = 0 } = (await leaf.boundingBox()) ?? {};
      expect(room).toBeGreaterThan(100);
      expect(x + room).toBeLessThan(width);
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width);
      await page.context().close();
    }
  });

  it('that is nested without end is shown as it was written', async () => {
    const content = '>'.repeat(100_000);
    const { page, complaints } = await shown(await given().create({ title: 'Deep', content }));
    expect(await heading(page)).toBe('Deep');
    expect(complaints).toEqual([]);
    await page.context().close();
  });
});

describeInBrowser('a change in a browser, by keyboard alone', (given) => {
  const focused = (page: Page) =>
    page.evaluate('document.activeElement.name || document.activeElement.textContent');
  const press = async (page: Page, name: string) => {
    for (let tries = 0; (await focused(page)) !== name; tries += 1) {
      if (tries > 60) throw new Error(`No way to ${name}.`);
      await page.keyboard.press('Tab');
    }
    await page.keyboard.press('Enter');
  };
  const go = async (page: Page, name: string) => {
    for (let tries = 0; (await focused(page)) !== name; tries += 1) {
      if (tries > 60) throw new Error(`No way to ${name}.`);
      await page.keyboard.press('Tab');
    }
  };
  const stored = async (href: string) => Object(await (await fetch(href)).json());

  it('creates, edits and deletes', async () => {
    const { page, complaints } = await given().open('/');
    await page.waitForSelector('#view >> text=Field notes');
    await press(page, 'Field notes');
    await page.waitForSelector('text=New article');
    await press(page, 'New article');
    await go(page, 'title');
    await page.keyboard.type('By hand');
    await go(page, 'content');
    await page.keyboard.type('First *words*.');
    await go(page, 'token');
    await page.keyboard.type(token);
    await page.keyboard.press('Enter');
    await page.waitForSelector('h1 >> text=By hand');
    expect(await page.locator('.text em').textContent()).toBe('words');
    const href = decodeURIComponent(new URL(page.url()).hash.slice(1));
    await press(page, 'Edit');
    await go(page, 'title');
    await page.keyboard.press('End');
    await page.keyboard.type(', again');
    await page.keyboard.press('Enter');
    await page.waitForSelector('h1 >> text=By hand, again');
    expect(await stored(href)).toMatchObject({
      title: 'By hand, again',
      content: 'First *words*.',
    });
    await press(page, 'Delete');
    await page.waitForSelector('text=Delete “By hand, again”?');
    await press(page, 'Delete for good');
    await page.waitForSelector('h1 >> text=Field notes');
    expect((await fetch(href)).status).toBe(410);
    expect(complaints).toEqual([]);
    await page.context().close();
  });

  it('says that somebody else changed it, loses neither text, and saves when told to', async () => {
    const href = await given().create({ title: 'Shared', content: 'One' });
    const { page } = await given().open(`/#${encodeURIComponent(href)}`);
    await page.waitForSelector('.text');
    const other = await given().open(`/#${encodeURIComponent(href)}`, {}, page.context());
    for (const [tab, text] of [
      [page, 'Mine'],
      [other.page, 'Theirs'],
    ] as const) {
      await tab.bringToFront();
      await press(tab, 'Edit');
      await go(tab, 'content');
      await tab.keyboard.press('Control+A');
      await tab.keyboard.type(text);
      await go(tab, 'token');
      await tab.keyboard.type(token);
    }
    await other.page.keyboard.press('Enter');
    await other.page.waitForSelector('.text >> text=Theirs');
    await page.bringToFront();
    await page.keyboard.press('Enter');
    await page.waitForSelector('text=Somebody changed this article meanwhile. Nothing was saved.');
    expect(await page.locator('.said pre').textContent()).toBe('Theirs');
    expect(await page.locator('textarea').inputValue()).toBe('Mine');
    expect(await stored(href)).toMatchObject({ content: 'Theirs' });
    await press(page, 'Save mine in its place');
    await page.waitForSelector('.text >> text=Mine');
    expect(await stored(href)).toMatchObject({ content: 'Mine' });
    await page.context().close();
  });

  it('makes one article where an answer was lost and the text was changed since', async () => {
    const { page } = await given().open('/');
    await page.waitForSelector('#view >> text=Field notes');
    await press(page, 'Field notes');
    await page.waitForSelector('text=New article');
    const collection = `${given().server.blogs[0]?.url}/articles`;
    const before = (await stored(collection)).totalArticles;
    let tries = 0;
    await page.route(collection, async (route) => {
      tries += 1;
      if (tries === 1) await route.fetch();
      return tries === 1 ? route.abort() : route.continue();
    });
    await press(page, 'New article');
    await go(page, 'title');
    await page.keyboard.type('Once');
    await go(page, 'content');
    await page.keyboard.type('First');
    await go(page, 'token');
    await page.keyboard.type(token);
    await page.keyboard.press('Enter');
    await page.waitForSelector('text=The service does not answer.');
    await go(page, 'content');
    await page.keyboard.type(' and more');
    await press(page, 'Create');
    await page.waitForSelector('text=An earlier try did arrive and made this article:');
    expect(await page.locator('.said pre').textContent()).toBe('First');
    await press(page, 'Save mine in its place');
    await page.waitForSelector('.text >> text=First and more');
    expect((await stored(collection)).totalArticles).toBe(before + 1);
    await page.context().close();
  });

  it('keeps line ends, and what is absent, where they were not touched', async () => {
    const content = 'a\r\nb\r\n';
    const href = await given().create({ title: 'Lines', content });
    const { page } = await given().open(`/#${encodeURIComponent(href)}`);
    await page.waitForSelector('.text');
    await press(page, 'Edit');
    await go(page, 'title');
    await page.keyboard.type('More ');
    await go(page, 'token');
    await page.keyboard.type(token);
    await page.keyboard.press('Enter');
    await page.waitForSelector('.text');
    expect((await stored(href)).content).toBe(content);
    await press(page, 'Edit');
    await go(page, 'content');
    await page.keyboard.press('Control+End');
    await page.keyboard.type('c\n');
    await press(page, 'Save');
    await page.waitForSelector('.text');
    expect((await stored(href)).content).toBe('a\r\nb\r\nc\r\n');
    await page.context().close();
  });

  it('a refused token is said and asked for again; what was typed stays', async () => {
    const { page } = await given().open('/');
    await page.waitForSelector('#view >> text=Field notes');
    await press(page, 'Field notes');
    await page.waitForSelector('text=New article');
    await press(page, 'New article');
    await go(page, 'title');
    await page.keyboard.type('Kept');
    await go(page, 'token');
    await page.keyboard.type('wrong');
    await page.keyboard.press('Enter');
    await page.waitForSelector('.said .warn');
    expect(await page.locator('.said').textContent()).toMatch(/token/i);
    expect(await page.locator('input[name=title]').inputValue()).toBe('Kept');
    page.once('dialog', (dialog) => void dialog.dismiss());
    await press(page, 'Cancel');
    expect(await page.locator('input[name=title]').inputValue()).toBe('Kept');
    page.once('dialog', (dialog) => void dialog.accept());
    await press(page, 'Cancel');
    await page.waitForSelector('text=New article');
    await page.context().close();
  });

  const editing = async (page: Page, href: string, text: string) => {
    await page.goto(`${given().server.url}/#${encodeURIComponent(href)}`);
    await page.waitForSelector('.text');
    await press(page, 'Edit');
    await go(page, 'content');
    await page.keyboard.press('Control+A');
    await page.keyboard.type(text);
  };

  it('a late answer takes nothing away that is typed elsewhere by then', async () => {
    const [late, other] = [
      await given().create({ title: 'Late', content: 'a' }),
      await given().create({ title: 'Other', content: 'b' }),
    ];
    const { page } = await given().open('/');
    let answer = () => {};
    const held = new Promise<void>((resolve) => (answer = resolve));
    await page.route(late, async (route) => {
      if (route.request().method() === 'PUT') await held;
      await route.continue();
    });
    await editing(page, late, 'sent');
    await go(page, 'token');
    await page.keyboard.type(token);
    await page.keyboard.press('Enter');
    expect(await page.locator('textarea').isEditable()).toBe(false);
    page.once('dialog', (dialog) => {
      expect(dialog.message()).toBe('It is being sent. Leave without its answer?');
      void dialog.accept();
    });
    await editing(page, other, 'PRECIOUS');
    const answered = page.waitForResponse(late);
    answer();
    await answered;
    await page.waitForTimeout(300);
    expect(await page.locator('textarea').inputValue()).toBe('PRECIOUS');
    expect(await stored(late)).toMatchObject({ content: 'sent' });
    await go(page, 'token');
    await page.keyboard.type(token);
    await press(page, 'Save');
    await page.waitForSelector('.text >> text=PRECIOUS');
    await page.context().close();
  });

  it('a token that a late answer refused is asked for again, and nothing is sent without one', async () => {
    const [late, other] = [
      await given().create({ title: 'Refused', content: 'a' }),
      await given().create({ title: 'Third', content: 'b' }),
    ];
    const { page } = await given().open('/');
    await editing(page, other, 'first');
    await go(page, 'token');
    await page.keyboard.type(token);
    await press(page, 'Save');
    await page.waitForSelector('.text >> text=first');
    let answer = () => {};
    const held = new Promise<void>((resolve) => (answer = resolve));
    await page.route(late, async (route) => {
      if (route.request().method() !== 'PUT') return route.continue();
      await held;
      return route.fulfill({ status: 401, body: '{"title":"No"}' });
    });
    await editing(page, late, 'sent');
    await press(page, 'Save');
    page.once('dialog', (dialog) => void dialog.accept());
    await editing(page, other, 'second');
    const answered = page.waitForResponse(late);
    answer();
    await answered;
    await page.waitForTimeout(300);
    await press(page, 'Save');
    await page.waitForSelector(
      'text=The token was refused for another change, or this page was left: give one.',
    );
    expect(await stored(other)).toMatchObject({ content: 'first' });
    await go(page, 'token');
    await page.keyboard.type(token);
    await press(page, 'Save');
    await page.waitForSelector('.text >> text=second');
    await page.context().close();
  });

  it('a token is forgotten when the page is left, though a browser keeps it for the way back', async () => {
    const href = await given().create({ title: 'Left', content: 'a' });
    const { page } = await given().open('/');
    await editing(page, href, 'first');
    await go(page, 'token');
    await page.keyboard.type(token);
    await press(page, 'Save');
    await page.waitForSelector('.text >> text=first');
    await editing(page, href, 'second');
    const leave = `dispatchEvent(new PageTransitionEvent('pagehide', { persisted: true }))`;
    await page.evaluate(leave);
    await press(page, 'Save');
    await page.waitForSelector('text=or this page was left: give one.');
    await go(page, 'token');
    await page.keyboard.type(token);
    await page.evaluate(leave);
    expect(await page.locator('[name=token]').inputValue()).toBe('');
    expect(await stored(href)).toMatchObject({ content: 'first' });
    await page.context().close();
  });

  it('what cannot be a token is said before it is sent, and asked for again', async () => {
    const { page } = await given().open('/');
    await editing(page, await given().create({ title: 'Token', content: 'a' }), 'b');
    await go(page, 'token');
    await page.keyboard.type('bct_…');
    await press(page, 'Save');
    await page.waitForSelector('text=No token has such a character: copy all of it.');
    expect(await focused(page)).toBe('Save');
    page.once('dialog', (dialog) => void dialog.accept());
    await press(page, 'Cancel');
    await press(page, 'Edit');
    await go(page, 'token');
    await page.context().close();
  });

  it('what answers in the place of the service is told as that', async () => {
    const { page } = await given().open('/');
    const href = await given().create({ title: 'Behind', content: 'a' });
    await page.route(href, (route) => route.fulfill({ status: 502, body: '<h1>Bad gateway</h1>' }));
    await page.goto(`${given().server.url}/#${encodeURIComponent(href)}`);
    await page.waitForSelector('text=502: this came from something in front of the service.');
    expect(await page.locator('#view').getAttribute('aria-busy')).toBeNull();
    expect(await page.locator('#raw').textContent()).toBe('');
    await page.goto(`${given().server.url}/#%E0%A4`);
    await page.waitForSelector('.warn >> text=400: ');
    await page.context().close();
  });
});
