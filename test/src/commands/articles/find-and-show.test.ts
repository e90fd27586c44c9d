import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { main } from '../../../../src/main.ts';
import { givenHost } from '../../../support/host.ts';
import { type OtherService, startOtherService } from '../../../support/other-service.ts';
import { withFiles } from '../../importing/sources/files.ts';
import { run } from '../../../support/run.ts';

let service: OtherService;
let folder: string;
let env: Record<string, string>;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'blogctl-find-'));
  service = await startOtherService(['Cherry', 'Apple', 'Banana'], { ownPaths: true });
  env = {
    BLOGCTL_BLOG: service.blogUrl,
    BLOGCTL_TOKEN: 'right-token',
    BLOGCTL_CONFIG_DIR: folder,
    BLOGCTL_DATA_DIR: folder,
  };
});
afterEach(async () => {
  await service.stop();
  rmSync(folder, { recursive: true });
});

describe('articles list', () => {
  it.each([
    ['--search an', '3\tBanana\n', '1 of 3 articles matches\n'],
    ['-S CONTENT --limit 2', '1\tCherry\n2\tApple\n', '3 of 3 articles match, 2 shown\n'],
    ['--search none', '', 'None of 3 articles matches.\n'],
    ['--sort title', '2\tApple\n3\tBanana\n1\tCherry\n', '3 articles\n'],
    ['--sort title --reverse -L 1', '1\tCherry\n', '3 articles, 1 shown\n'],
    ['--reverse', '3\tBanana\n2\tApple\n1\tCherry\n', '3 articles\n'],
    ['--search an --page 2 --page-size 2', '3\tBanana\n', '1 of 1 article on page 2 matches\n'],
    ['--search x --page 2 --page-size 2', '', 'The one article on page 2 does not match.\n'],
    ['--search an --page 9', '', '0 of 3 articles (page 9)\n'],
  ])('%s', async (flags, out, err) => {
    expect(await run(['articles', 'list', ...flags.split(' ')], { env })).toEqual({
      status: 0,
      out,
      err,
    });
  });

  it.each(['NFC', 'NFD'])('finds an accent however it is written: %s', async (form) => {
    await service.stop();
    service = await startOtherService(['KÄSE'.normalize('NFD'), 'Käse'.normalize('NFC')]);
    const line = ['articles', 'list', '--search', 'käse'.normalize(form), '--format', 'ids'];
    expect((await run([...line, '--blog', service.blogUrl], { env })).out).toBe('1\n2\n');
  });

  it('of an empty blog says so, whatever is looked for', async () => {
    await service.stop();
    service = await startOtherService([]);
    const line = ['articles', 'list', '--search', 'x', '--blog', service.blogUrl];
    expect((await run(line, { env })).err).toBe('The blog has no articles yet.\n');
  });

  it('by date asks each article for its own, and says so', async () => {
    const { out, err } = await run(['articles', 'list', '--sort', 'updated', '--json'], { env });
    expect(JSON.parse(out)).toHaveLength(3);
    expect(err).toContain('The listing has no dates: 3 articles are read for theirs.');
    expect(service.requests.filter(({ path }) => /entries\/\d/.test(path))).toHaveLength(3);
  });

  it('shows dates to those who ask for them, of what is shown alone, and so does get', async () => {
    await withFiles({}, async (own) => {
      const at = { env: {}, folder: own };
      const on = async (...line: string[]) =>
        (await run(['articles', ...line, '--blog', 'file:b.json'], at)).out;
      for (const title of ['One', 'Two', 'Three']) {
        await on('create', '--title', title, '--content', 'x');
      }
      const fields = ['--fields', 'id,updated', '--json'];
      const listed: readonly { id: number; updated: string }[] = JSON.parse(
        await on('list', '--limit', '2', ...fields),
      );
      expect(listed.map(({ id }) => id)).toEqual([1, 2]);
      expect(listed.every(({ updated }) => /^\d{4}-\d\d-\d\dT/.test(updated))).toBe(true);
      expect(JSON.parse(await on('get', '2', ...fields))).toEqual(listed[1]);
      expect(await on('get', '2', '--field', 'updated')).toBe(listed[1]?.updated);
      // As the store has it, to the second.
      const stored = JSON.parse(readFileSync(join(own, 'b.json'), 'utf8')).articles[1];
      expect(listed[1]?.updated).toBe(stored.updated.replace(/\.\d+Z$/, '.000Z'));
      expect(JSON.parse(await on('get', '2', '--json'))).not.toHaveProperty('updated');
    });
  });

  it('where the service has no dates says that too', async () => {
    await service.stop();
    service = await startOtherService(['One'], { noValidators: true });
    const line = ['articles', 'list', '--sort', 'updated', '--blog', service.blogUrl];
    const { out, err } = await run(line, { env });
    expect(out).toBe('1\t\tOne\n');
    expect(err).toContain('warning: The service has no date of 1 of these articles.');
  });
});

describe('articles get', () => {
  it('shows Markdown to a person as it is meant, and to a pipe as it is', async () => {
    service.articles.set(1, { title: 'T', content: '# Head\n\n**bold**', revision: 1 });
    const screen = await run(['articles', 'get', '1', '--no-color'], { env, terminal: 80 });
    expect(screen.out).toContain('\n\nHead\n\nbold\n');
    const pipe = await run(['articles', 'get', '1', '--field', 'content'], { env });
    expect(pipe.out).toBe('# Head\n\n**bold**');
  });

  it('--web opens its page in the browser, and names it where there is none', async () => {
    const browser = join(folder, 'browser');
    writeFileSync(browser, `#!/bin/sh\necho "$1" > '${folder}/opened'\n`);
    chmodSync(browser, 0o755);
    const page = `${service.origin}/#/weblog/entries/1`;
    const opened = await run(['articles', 'get', '1', '--web'], {
      env: { ...env, BROWSER: browser },
    });
    expect(opened).toEqual({ status: 0, out: '', err: `Opening ${page}\n` });
    expect(readFileSync(join(folder, 'opened'), 'utf8')).toBe(`${page}\n`);
    const none = await run(['articles', 'get', '1', '-w'], {
      env: { ...env, BROWSER: '/no/browser' },
    });
    expect(none.status).toBe(7);
    expect(none.err).toContain(`hint: Open ${page} yourself, or name a browser with BROWSER.\n`);
  });

  it('--web opens no page elsewhere, whatever an article says of its place', async () => {
    await service.stop();
    service = await startOtherService(['One'], { articleOrigin: 'https://evil.example' });
    const own = { ...env, BLOGCTL_BLOG: service.blogUrl, BROWSER: 'true' };
    const { status, err } = await run(['articles', 'get', '1', '--web'], { env: own });
    const page = `${service.origin}/#/api/v1.2/blogs/9/articles/1`;
    expect([status, err]).toEqual([0, `Opening ${page}\n`]);
  });

  it('--web of a file that nobody serves says how it is served', async () => {
    const file = join(folder, 'b.json');
    const inFile = ['--blog', `file:${file}`];
    await run(['articles', 'create', '--title', 'T', '--content', '', ...inFile], { env });
    const { status, err } = await run(['articles', 'get', '1', '--web', ...inFile], { env });
    expect([status, err]).toEqual([
      2,
      `error: Nobody serves the file of article 1 at present.\nhint: Serve it with blogctl serve --store ${file}; then run the same again.\n`,
    ]);
  });
});

/** Types each answer once its question stands on the screen. */
async function answering(line: readonly string[], answers: Readonly<Record<string, string>>) {
  const host = givenHost(line, { env, terminal: 80 });
  const ended = main(host);
  for (const [question, answer] of Object.entries(answers)) {
    while (!host.err().includes(question)) await turn();
    await turn();
    host.stdin.push(`${answer}\n`);
  }
  return { status: await ended, err: host.err() };
}

describe('articles create on a terminal', () => {
  it('asks for what is not given', async () => {
    const questions = {
      'Title: ': 'Asked',
      'Content (empty to write it in your editor): ': 'Typed',
    };
    const { status, err } = await answering(['articles', 'create'], questions);
    expect([status, err]).toEqual([0, expect.stringContaining('Created article 4.')]);
    expect(service.articles.get(4)).toMatchObject({ title: 'Asked', content: 'Typed' });
  });

  it('asks again for a title, and loses no content for want of one', async () => {
    const { status } = await answering(['articles', 'create'], {
      'Title: ': ' ',
      'Content (empty to write it in your editor): ': 'Typed',
      'A title is needed: ': 'At last',
    });
    expect(status).toBe(0);
    expect(service.articles.get(4)).toMatchObject({ title: 'At last', content: 'Typed' });
  });

  it('opens the editor for an empty line', async () => {
    env['EDITOR'] = `printf text >>`;
    const line = ['articles', 'create', '--title', 'Given'];
    const { status } = await answering(line, {
      'Content (empty to write it in your editor): ': '',
    });
    expect(status).toBe(0);
    expect(service.articles.get(4)).toMatchObject({ title: 'Given', content: 'text' });
  });

  it('asks nobody in a pipe', async () => {
    const { status, err } = await run(['articles', 'create', '--title', 'T'], { env });
    expect([status, err]).toEqual([
      2,
      expect.stringContaining('error: An article needs a content.'),
    ]);
  });
});

describe('api -H', () => {
  it('sends a header field of its own', async () => {
    const line = ['api', '/weblog/entries/1', '-X', 'DELETE', '-H', 'If-Match: "0"', '-H', 'X-Y:z'];
    expect((await run(line, { env })).status).toBe(6);
    expect(service.requests.at(-1)?.headers).toMatchObject({ 'if-match': '"0"', 'x-y': 'z' });
  });

  it('with a token of its own that is refused is not told that one is needed', async () => {
    const line = ['api', '/weblog/entries/1', '-X', 'DELETE', '-H', 'X-Access-Token: other'];
    const { status, err } = await run(line, { env });
    expect([status, err]).toEqual([3, expect.stringContaining(': the token was refused')]);
    expect(err).toContain('It is the one that the request brought itself');
    expect(err).not.toContain('BLOGCTL_TOKEN or --token-file');
  });

  it.each(['If-Match', 'A B: c', 'X: a\nY: b'])('refuses %j', async (field) => {
    const { status, err } = await run(['api', '-H', field], { env });
    expect([status, err]).toEqual([2, expect.stringContaining('Write it as "Name: value".')]);
  });
});
