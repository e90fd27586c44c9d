import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { refusingAll } from '../../../../server/running/service.ts';
import type { Refusal } from '../../../../server/errors.ts';
import { dueFaults, parseFault, withFaults } from '../../../../server/http/faults.ts';
import { listen } from '../../../../server/http/node-adapter.ts';
import { articles, givenService, type TestService } from '../../../support/service.ts';
import { run } from '../../../support/run.ts';

let folder: string;
let service: TestService;
let env: Record<string, string>;
const endings: (() => Promise<void>)[] = [];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'blogctl-create-'));
  service = await givenService();
});
afterEach(async () => {
  for (const end of endings.splice(0)) await end();
  await rm(folder, { recursive: true });
});

/** Serves it with these faults, each drawn by the next of the numbers. */
async function serveWith(faults: readonly string[], draws: readonly number[]): Promise<void> {
  let turn = -1;
  const random = () => draws[(turn += 1) % draws.length] ?? 1;
  const target = { hosts: { loopback: true, allowed: [] }, trusts: () => false };
  const refuse = (refusal: Refusal) => refusingAll(refusal, target, service.store);
  const world = { random, pause: async () => {}, refuse };
  const due = dueFaults(faults.flatMap((text) => parseFault(text) ?? []));
  const app = withFaults(service.app, () => due, world);
  const listening = await listen(app, { host: '127.0.0.1', port: 0 });
  endings.push(() => listening.stop(0));
  env = {
    BLOGCTL_BLOG: `http://127.0.0.1:${listening.port}/api/v1.2/blogs/1`,
    BLOGCTL_TOKEN: 'all',
    BLOGCTL_CONFIG_DIR: folder,
    BLOGCTL_DATA_DIR: join(folder, 'data'),
    BLOGCTL_MAX_WAIT: '1ms',
  };
}

const create = (title: string, ...more: readonly string[]) =>
  run(['articles', 'create', '--title', title, '--content', 'Text', ...more], { env, folder });

async function titlesOnTheBlog(): Promise<readonly string[]> {
  const { json } = await service.send('GET', `${articles}?pageSize=100`);
  return json._embedded.map(({ title }: { title: string }) => title);
}

const lost = 'POST drop-after-commit 50%';

describe('54: the answer to a creation is lost', () => {
  it('again and again: every article is created once, and each command ends with 0', async () => {
    // A walk through the residues of 97 that falls on both sides of one half without a pattern.
    const draws = Array.from({ length: 96 }, (_, at) => (5 ** (at % 24) % 97) / 97);
    await serveWith([lost, 'POST status 502 30%', 'POST drop-before 30%'], draws);
    const titles = Array.from({ length: 20 }, (_, at) => `Article ${at}`);
    for (const title of titles) {
      const { status, err } = await create(title, '--retries', '50');
      expect([status, err.includes('Created article')]).toEqual([0, true]);
      expect(err).not.toContain('before with this key');
    }
    expect(await titlesOnTheBlog()).toEqual(titles);
  });

  it('for equal texts too: two commands create two articles', async () => {
    await serveWith([lost], [0, 1]);
    for (const id of ['1\n', '2\n']) {
      expect(await create('The same', '--format', 'ids')).toMatchObject({ status: 0, out: id });
    }
    expect(await titlesOnTheBlog()).toEqual(['The same', 'The same']);
  });

  it('to the last: the key is named that makes the same command safe', async () => {
    await serveWith([lost], [0]);
    const { status, err } = await create('Once', '--retries', '2');
    expect(status).toBe(9);
    const key = /--idempotency-key (\S+)/.exec(err)?.[1] ?? '';
    expect(err).toContain('It may have been created all the same');
    await serveWith([], []);
    const again = await create('Once', '--idempotency-key', key);
    expect(again).toMatchObject({
      status: 0,
      err: 'Article 1 was created before with this key.\n',
    });
    expect(await titlesOnTheBlog()).toEqual(['Once']);
  });

  it('to the last: it is to be tried again where the key was given, for the same line makes nothing twice', async () => {
    await serveWith([lost], [0]);
    const asked = (...flags: readonly string[]) =>
      create('Once', '--retries', '0', '--json', ...flags);
    expect((await asked()).err).toContain('"retryable":false');
    expect((await asked('--idempotency-key', 'of-mine')).err).toContain('"retryable":true');
  });

  it('of a text written in an editor: it is created once, and no text is left over', async () => {
    await serveWith([lost], [0, 0, 1]);
    await writeFile(
      join(folder, 'editor.cjs'),
      `require('node:fs').writeFileSync(process.argv[2], '---\\ntitle: Written\\n---\\nText\\n');`,
    );
    env = { ...env, EDITOR: `"${process.execPath}" "${join(folder, 'editor.cjs')}"` };
    const { status } = await run(['articles', 'create', '--editor'], { env, folder });
    expect(status).toBe(0);
    expect(await titlesOnTheBlog()).toEqual(['Written']);
    expect(await readdir(join(folder, 'data', 'drafts'))).toEqual([]);
  });
});

it.each([
  ['draft: true', 'draft'],
  ['published: false', 'unpublished'],
  ['date: 2999-01-01', 'future'],
  ['status: pending', 'status pending'],
])('publishes no file that says %s', async (said, reason) => {
  const file = join(folder, 'x.md');
  await writeFile(file, `---\ntitle: X\n${said}\n---\nText\n`);
  const at = { env: {}, folder };
  await run(['store', 'init', '--store', 'b.json'], at);
  const line = ['articles', 'create', '--from-file', file, '--blog', 'file:b.json'];
  const raw = line.with(2, '--content-file').concat('--title', 'X');
  for (const each of [line, raw]) {
    const { status, err } = await run(each, at);
    expect(status).toBe(7);
    expect(err).toContain(`${file} says that it is not public: ${reason}.`);
  }
  const listed = await run(['articles', 'list', '--blog', 'file:b.json', '--json'], at);
  expect(listed.out).toBe('[]\n');
  const conflict = `<<<<<<< a\nA\n=======\nB\n>>>>>>> b\n`;
  await writeFile(file, `---\ntitle: X\n---\n${conflict}`);
  const unmerged = await run(line, at);
  expect([unmerged.status, unmerged.err]).toEqual([
    7,
    expect.stringContaining(`Line 4 of ${file} is of a conflict of git.`),
  ]);
  await writeFile(file, '---\ntitle: X\ndate: 2001-01-01\n---\nText\n');
  expect((await run(line, at)).status).toBe(0);
  const warned = `The front matter of ${file} is sent as text; --from-file ${file} reads it.`;
  expect((await run(raw, at)).err).toContain(warned);
});

it.each([
  ['a.md', (address: string) => `---\ntitle: B\narticle: "${address}"\n---\nNew\n`],
  ['a.json', (address: string) => JSON.stringify({ title: 'B', content: 'New', address })],
])('updates no article with the text of another: %s', async (name, textOf) => {
  const at = { env: { BLOGCTL_BLOG: 'file:b.json' }, folder };
  const titles = async () => (await run(['articles', 'list', '--field', 'title'], at)).out;
  await run(['store', 'init', '--store', 'b.json'], at);
  for (const title of ['A', 'B'])
    await run(['articles', 'create', '--title', title, '--content', 'x'], at);
  await writeFile(join(folder, name), textOf('file:b.json#2'));
  const line = (id: string) => ['articles', 'update', id, '--from-file', name];
  const refused = await run(line('1'), at);
  expect([refused.status, await titles()]).toEqual([2, 'A\nB\n']);
  expect(refused.err).toContain(`${name} says that it is article 2, not 1 ("A").`);
  const [, offered = ''] = /Run `blogctl ([^`]*)`/.exec(refused.err) ?? [];
  expect((await run(offered.split(' '), at)).status).toBe(0);
  for (const address of ['file:c.json#2', 'https://blog.example/articles/2', 'file:b.json#1']) {
    await writeFile(join(folder, name), textOf(address));
    expect((await run(line('1'), at)).status).toBe(0);
  }
  expect(await titles()).toBe('B\nB\n');
});

it.each(['---\nA rule stands above.\n', '---\n---\n', '+++\n', '---\ntitle: [\n---\n'])(
  'takes a content that begins as front matter does, and is none: %j',
  async (content) => {
    const at = { env: {}, folder, stdin: content };
    await run(['store', 'init', '--store', 'b.json'], at);
    const line = [
      'articles',
      'create',
      '--title',
      'X',
      '--content-file',
      '-',
      '--blog',
      'file:b.json',
    ];
    const { status, out } = await run([...line, '--json'], at);
    expect([status, JSON.parse(out).content]).toEqual([0, content]);
  },
);

it.each([
  [
    'a pointer of Git LFS',
    'version https://git-lfs.github.com/spec/v1\noid sha256:4d\nsize 12\n',
    /: Git LFS has not fetched this file\./,
  ],
  ['an export of Movable Type', 'TITLE: T\n-----\nBODY:\nText\n', /of Movable Type.* WordPress/],
  ['UTF-16', 't\0i\0', /: It holds NUL bytes, .* takes --encoding/],
])('calls for no head before %s', async (_name, text, said) => {
  const file = join(folder, 'x.md');
  await writeFile(file, text);
  for (const title of [[], ['--title', 'T']]) {
    const { status, err } = await run(['articles', 'create', '--from-file', file, ...title], {
      env: {},
      folder,
    });
    expect(status).toBe(7);
    expect(err).toMatch(said);
    expect(err).not.toContain('It begins with');
  }
});
