import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createMessages } from '../../../src/terminal/messages.ts';
import { givenHost } from '../../support/host.ts';
import { startOtherService } from '../../support/other-service.ts';
import { run } from '../../support/run.ts';

let folder: string;
let env: Record<string, string>;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'blogctl-lines-'));
  env = { BLOGCTL_CONFIG_DIR: folder, BLOGCTL_BLOG: `file:${join(folder, 'blog.json')}` };
});
afterAll(() => rmSync(folder, { recursive: true }));

const create = ['articles', 'create', '--title', 'One', '--content', ''];

describe('with --json each line on stderr is a JSON object that says what it is', () => {
  it.each([
    [[...create, '--json'], 0, ['notice']],
    [[...create, '--format', 'ndjson', '-v'], 0, ['trace', 'notice']],
    [['articles', 'get', '98', '99', '--json'], 10, ['error', 'error', 'error']],
    [['articles', 'list', '--limt', '--json'], 2, ['error']],
    [['serve', '--json', '--port', '0', '--base-url', 'x'], 2, ['error']],
  ] as const)('%j', async (line, status, kinds) => {
    const ended = await run(line, { env });
    const said = ended.err
      .trimEnd()
      .split('\n')
      .map((each) => Object.keys(JSON.parse(each)));
    expect([ended.status, [...new Set(said.flat())]]).toEqual([status, [...new Set(kinds)]]);
  });

  it('a warning and progress too, on a terminal as well', async () => {
    const host = givenHost([], { terminal: 80 });
    const messages = createMessages(host, () => ({ json: true }));
    await messages.warn('Low\ntide');
    messages.progressLine('Importing 1 of 2 (50 %)');
    await messages.trace('> GET /\n< 200');
    expect(host.err()).toBe(
      '{"warning":"Low tide"}\n{"progress":"Importing 1 of 2 (50 %)"}\n{"trace":"> GET /"}\n{"trace":"< 200"}\n',
    );
  });
});

it.each(['csv', 'ndjson', 'table'])('--json and --format %s are two wishes', async (format) => {
  const { status, out, err } = await run(['articles', 'list', '--json', '--format', format], {
    env,
  });
  expect([status, out]).toEqual([2, '']);
  expect(JSON.parse(err).error).toMatchObject({
    message: `--json and --format ${format} ask for two formats.`,
    hint: 'Give one of them.',
  });
});

it.each([
  ['--jq', '.[]', 'csv'],
  ['--jq', '.[].title', 'ids'],
  ['--field', 'title', 'md'],
  ['--field', 'title', 'csv'],
])('%s %s and --format %s are two wishes', async (flag, value, format) => {
  const { status, err } = await run(['articles', 'list', flag, value, '--format', format], { env });
  expect([status, err]).toEqual([
    2,
    `error: ${flag} and --format ${format} ask for two formats.\nhint: Give one of them.\n`,
  ]);
});

it.each(['json', 'ndjson'])('a filter gives what --format %s means', async (format) => {
  const line = ['articles', 'list', '--jq', '.[].title', '--format', format];
  expect((await run(line, { env })).status).toBe(0);
});

it('what a refusal says already is not said again', async () => {
  const { err } = await run(['articles', 'create', '--title', ' ', '--content', ''], { env });
  expect(err.match(/needs at least one visible character/g)).toHaveLength(1);
});

it('where all failed, no other is said to be done', async () => {
  const { err } = await run(['articles', 'get', '98', '99'], { env });
  expect(err).toContain(
    'error: 2 of 2 articles failed.\nhint: The reasons stand above; nothing was done.\n',
  );
});

it('a document that is no blog lacks what a blog has', async () => {
  const body = { title: 'A page', description: 'None', _links: {} };
  const headers = { 'content-type': 'application/hal+json' };
  const service = await startOtherService([], { first: { GET: [{ status: 200, headers, body }] } });
  const { status, err } = await run(['blog', '--blog', service.blogUrl], { env });
  await service.stop();
  expect([status, err]).toEqual([9, expect.stringContaining('  /id: It is missing.\n')]);
});

it('the start page of a service is no blog, and its blogs are named', async () => {
  const blogs = [
    { href: '/blogs/1', title: 'First' },
    { href: '/blogs/2', title: 'Second' },
  ];
  const body = { title: 'Blogs', _links: { 'doc:blog': blogs } };
  const headers = { 'content-type': 'application/hal+json' };
  const service = await startOtherService([], { first: { GET: [{ status: 200, headers, body }] } });
  const { status, err } = await run(['blog', '--blog', `${service.origin}/`], { env });
  await service.stop();
  expect([status, err]).toEqual([
    5,
    `error: ${service.origin}/ is the start page of a service, not a blog.\n  ${service.origin}/blogs/1  First\n  ${service.origin}/blogs/2  Second\nhint: Name one of them, such as ${service.origin}/blogs/1.\n`,
  ]);
});

describe('the chosen blog is one of a service', () => {
  const away = () => ({
    BLOGCTL_CONFIG_DIR: join(folder, 'away'),
    BLOGCTL_DATA_DIR: join(folder, 'away'),
  });
  const refusal = 'https://b.test/1 is a service, not a store file.';
  const local = () => join(folder, 'away', 'blog.json');
  const logIn = () => {
    const config = { profile: 'p', profiles: { p: { blog: 'https://b.test/1' } } };
    mkdirSync(join(folder, 'away'), { recursive: true });
    writeFileSync(join(folder, 'away', 'config.json'), JSON.stringify(config));
  };

  it.each([
    ['store', 'check'],
    ['store', 'lock'],
    ['store', 'add-blog', '--title', 'x'],
    ['store', 'edit-blog', '--title', 'x'],
    ['store', 'compact'],
    ['token', 'list'],
    ['token', 'create'],
    ['token', 'revoke', 'ci'],
  ])('%s %s touches no local blog where somebody names the service', async (...line) => {
    logIn();
    const lines = [
      await run(line, { env: { ...away(), BLOGCTL_BLOG: 'https://b.test/1' } }),
      await run([...line, '--profile', 'p'], { env: away() }),
      await run([...line, '--blog', 'https://b.test/1'], { env: away() }),
    ];
    const hint = `Name the file with --store <file>; that of the local blog is ${local()}.`;
    for (const { status, out, err } of lines) {
      expect([status, out, err]).toEqual([2, '', `error: ${refusal}\nhint: ${hint}\n`]);
    }
    expect(existsSync(local())).toBe(false);
  });

  it('after a login store works on the local blog, and where there is none asks for the file', async () => {
    logIn();
    const none = await run(['store', 'check'], { env: away() });
    expect([none.status, none.err]).toEqual([2, expect.stringContaining(refusal)]);
    await run(['store', 'init', local()], { env: away() });
    const { status, out } = await run(['store', 'check', '--json'], { env: away() });
    rmSync(local());
    expect([status, out]).toEqual([0, expect.stringContaining(local())]);
  });

  it('no line is named that would work on the local blog instead', async () => {
    const there = { ...away(), BLOGCTL_BLOG: 'https://b.test/1' };
    const { err } = await run(['blog', 'edit', '--title', 'x'], { env: there });
    expect(err).toContain('\nhint: Run `blogctl store edit-blog --title x --store <file>`.');
    const named = ['blog', 'edit', '--title', 'x', '--blog', 'file:b.json'];
    const line = 'Run `blogctl store edit-blog --title x --blog file:b.json`.';
    expect((await run(named, { env: there })).err).toContain(line);
    expect((await run(['doctor'], { env: there })).err).toContain('store check --store <file>');
  });

  it('serve serves the local blog: whoever logged in to it starts it again', async () => {
    const there = { ...away(), BLOGCTL_BLOG: 'https://b.test/1' };
    const { status, err } = await run(['serve', '--read-only', '--port', '0'], { env: there });
    expect([status, err]).toEqual([5, expect.stringContaining(local())]);
  });
});

describe('create --from-file', () => {
  const from = async (text: string, ...more: string[]) => {
    writeFileSync(join(folder, 't.md'), text);
    const line = ['articles', 'create', '--from-file', 't.md', '--field', 'title', ...more];
    return run(line, { env, folder });
  };

  it('without a title names the flag that it has', async () => {
    expect(await from('Text\n')).toEqual({
      status: 7,
      out: '',
      err: 'error: t.md has no title in its front matter.\nhint: Begin it with a line ---, a line "title: …" and a line ---; create and update also take --title.\n',
    });
    expect((await from('Text\n', '--title', 'Given')).out).toBe('Given');
  });

  it.each(['Go: a tour', 'a: b: c', 'What? - "this": that'])(
    'takes the title %s as it stands',
    async (title) => {
      expect((await from(`---\ntitle: ${title}\n---\nText\n`)).out).toBe(title);
    },
  );
});
