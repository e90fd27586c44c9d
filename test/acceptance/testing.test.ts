import { existsSync } from 'node:fs';
import { cp, mkdir, readFile, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { expect, it, onTestFinished } from 'vitest';
import { startBlog } from '../../src/testing/index.ts';
import { blogctl, givenFolder, startBlogctl } from '../support/command.ts';
import { isInstalled } from '../support/programs.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const executablePath = process.env['CHROMIUM'] ?? '/usr/bin/chromium';

/** A project of somebody else with our examples in it, where what they need is installed. */
async function givenProject() {
  const folder = await givenFolder();
  await cp(join(root, 'examples', 'testing'), folder, { recursive: true });
  const modules = join(folder, 'node_modules');
  await mkdir(join(modules, '.bin'), { recursive: true });
  for (const name of ['vitest', '@playwright', 'typescript', '@types']) {
    await symlink(join(root, 'node_modules', name), join(modules, name), 'junction');
  }
  await symlink(root, join(modules, 'blogctl'), 'junction');
  await symlink(join(root, 'bin', 'blogctl.cjs'), join(modules, '.bin', 'blogctl'));
  const env = { HOME: folder, CI: '', NO_COLOR: '1', NODE_OPTIONS: '', VITEST: '' };
  const run = (words: readonly string[], more: Readonly<Record<string, string>> = {}) =>
    execa(process.execPath, words, {
      cwd: folder,
      env: { ...env, ...more },
      all: true,
      reject: false,
    });
  return { folder, run };
}

async function freePort(): Promise<string> {
  await using blog = await startBlog();
  return new URL(blog.url).port;
}

it.each([
  ['vitest', ['node_modules/vitest/vitest.mjs', 'run'], /Tests {2}3 passed/],
  ['node:test', ['--test', 'node.test.mjs'], /# pass 2\n# fail 0/],
])('the example for %s passes', async (_, words, expected) => {
  const { run } = await givenProject();
  const { exitCode, all } = await run(words);
  expect(all).toMatch(expected);
  expect(exitCode).toBe(0);
});

it.skipIf(!existsSync(executablePath))('the example for Playwright passes', async () => {
  const { run } = await givenProject();
  const more = { CHROMIUM: executablePath, BLOG_PORT: await freePort() };
  const { exitCode, all } = await run(['node_modules/@playwright/test/cli.js', 'test'], more);
  expect(all).toMatch(/2 passed/);
  expect(exitCode).toBe(0);
});

/** The lines of the blocks for a shell, and what each prints. */
it.skipIf(!isInstalled('curl'))('every command for other languages does what it says', async () => {
  const { folder } = await givenProject();
  const whole = await readFile(join(root, 'docs', 'testing.md'), 'utf8');
  const [, page = ''] = /^## From any language$([\s\S]*?)^## /m.exec(whole) ?? [];
  const blocks = [...page.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, block = '']) => block);
  const [serve = '', ...calls] = blocks.join('').trim().split('\n');
  const [, token = '', words = ''] = /^BLOGCTL_SERVE_TOKEN=(\S+) blogctl (.*)$/.exec(serve) ?? [];
  expect(calls).toHaveLength(7);
  const env = { BLOGCTL_SERVE_TOKEN: token };
  const line = words.replace('--port 8099', '--port 0').split(' ');
  const served = startBlogctl([...line, '--json'], { folder, env });
  onTestFinished(async () => {
    served.kill();
    await served;
  });
  const ready = JSON.parse(
    await new Promise((resolve) => void served.stdout.once('data', resolve)),
  );
  expect(ready).toMatchObject({ store: null, token });
  expect((await fetch(`${ready.url}/health`)).status).toBe(200);
  const shell = (call: string) =>
    execa('sh', ['-c', call], { env: { TOKEN: ready.token, URL: ready.url } });
  const printed: string[] = [];
  for (const call of calls) {
    printed.push((await shell(call)).stdout);
    await fetch(ready.blogs[0].url, { method: 'OPTIONS' });
  }
  const path = '/api/v1.2/blogs/1';
  const seen = { method: 'OPTIONS', path, status: 204, body: '' };
  expect(printed.filter((text) => text !== '')).toEqual([JSON.stringify([seen, seen, seen])]);
});

it.each([
  ['--control', 'a store that lasts'],
  ['--ephemeral --control --host 0.0.0.0', 'Others can reach 0.0.0.0'],
])('serve %s ends with 2', async (words, message) => {
  const folder = await givenFolder();
  const line = ['serve', '--port', '0', ...words.split(' ')];
  const { exitCode, stderr } = await blogctl(line, { folder });
  expect(stderr.toLowerCase()).toContain(message.toLowerCase());
  expect(exitCode).toBe(2);
});

it.each([
  ['nothing was asked', ''],
  ['a fetch left a connection open', 'await (await fetch(blog.url)).text();'],
  ['a delayed answer is waited for', "await blog.fetch(blog.url); console.log('answered');"],
  [
    'a body that never comes is waited for until its time is up',
    `const init = { method: 'POST', duplex: 'half', body: new ReadableStream() };
    await blog.fetch(blog.url, { ...init, signal: AbortSignal.timeout(5) }).catch(() => {});
    console.log('answered');`,
  ],
])(
  'a process that forgets to stop ends: %s',
  async (_, deed) => {
    const { run } = await givenProject();
    const text = `import { startBlog } from 'blogctl/testing';
    const blog = await startBlog({ seed: 'articles.ndjson', delay: 20 }); ${deed}`;
    const { exitCode, all } = await run(['--input-type=module', '-e', text], {});
    expect(all).toBe(deed.includes('answered') ? 'answered' : '');
    expect(exitCode).toBe(0);
  },
  30_000,
);
