import { existsSync } from 'node:fs';
import { cp, mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { expect, it } from 'vitest';
import { startBlog } from '../../src/testing/index.ts';
import { blogctl, givenFolder } from '../support/command.ts';

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

it('the example for node:test passes', async () => {
  const { run } = await givenProject();
  const { exitCode, all } = await run(['--test', 'node.test.mjs']);
  expect(all).toMatch(/# pass 2\n# fail 0/);
  expect(exitCode).toBe(0);
});

it.each([
  [undefined],
  [['setImmediate']],
  [['setTimeout']],
  [['setTimeout', 'setInterval', 'Date']],
])(
  'fake timers of node:test do not hold it up: %j',
  async (apis) => {
    const { folder, run } = await givenProject();
    const enable = apis === undefined ? '' : `{ apis: ${JSON.stringify(apis)} }`;
    const text = `import { test } from 'node:test';
    import { startBlog } from 'blogctl/testing';
    const before = await startBlog({ faults: ['GET slow 50ms once'] });
    test('as ever', { timeout: 10_000 }, async (t) => {
      t.mock.timers.enable(${enable});
      await (await fetch(before.url)).text();
      await before.client.create({ title: 'A', content: '' });
      await before.stop();
      const blog = await startBlog({ delay: 10 });
      await blog.fetch(blog.url);
      await blog.reset();
      await blog.stop();
    });`;
    await writeFile(join(folder, 'timers.test.mjs'), text);
    const { exitCode, all } = await run(['--test', 'timers.test.mjs']);
    expect(all).toMatch(/# pass 1\n# fail 0/);
    expect(exitCode).toBe(0);
  },
  30_000,
);

const readme = await readFile(join(root, 'README.md'), 'utf8');
const example = await readFile(join(root, 'examples', 'testing', 'vitest.test.ts'), 'utf8');
const [, inReadme = ''] = /```ts\n([^]*?)```/.exec(readme) ?? [];

it.each([
  ['test of the README', 'commonjs', inReadme, /Tests {2}1 passed/],
  ['test of the README', 'module', inReadme, /Tests {2}1 passed/],
  ['example for vitest', 'commonjs', example, /Tests {2}3 passed/],
  ['example for vitest', 'module', example, /Tests {2}3 passed/],
])('the %s compiles and passes in %s', async (_, type, text, passed) => {
  const { folder, run } = await givenProject();
  await writeFile(join(folder, 'package.json'), JSON.stringify({ type }));
  await writeFile(join(folder, 'vitest.test.ts'), text);
  const settings = ['--strict', '--noEmit', '--skipLibCheck', '--module', 'nodenext'];
  const tsc = ['node_modules/typescript/bin/tsc', 'vitest.test.ts', ...settings];
  expect((await run([...tsc, '--types', 'node'])).all).toBe('');
  const { exitCode, all } = await run(['node_modules/vitest/vitest.mjs', 'run']);
  expect(all).toMatch(passed);
  expect(exitCode).toBe(0);
});

it('TypeScript in CommonJS needs of what tsc --init writes no other than the manual says', async () => {
  const { folder, run } = await givenProject();
  const manual = await readFile(join(root, 'docs', 'testing.md'), 'utf8');
  const { compilerOptions } = JSON.parse(/```json\n([^]*?)```/.exec(manual)?.[1] ?? '{}');
  await writeFile(join(folder, 'package.json'), '{"type":"commonjs"}');
  await writeFile(
    join(folder, 'own.test.ts'),
    `import { startBlog } from 'blogctl/testing';
    import { test } from 'node:test';
    test('one', async () => {
      await using blog = await startBlog();
      await fetch(blog.url);
    });`,
  );
  const tsc = 'node_modules/typescript/bin/tsc';
  await run([tsc, '--init']);
  const settings = {
    extends: './tsconfig.json',
    compilerOptions: { ...compilerOptions, outDir: 'out', rootDir: '.' },
    files: ['own.test.ts'],
  };
  await writeFile(join(folder, 'own.json'), JSON.stringify(settings));
  expect((await run([tsc, '-p', 'own.json'])).all).toBe('');
  expect((await run(['--test', 'out/own.test.js'])).all).toMatch(/# pass 1\n# fail 0/);
});

it.skipIf(!existsSync(executablePath))('the example for Playwright passes', async () => {
  const { run } = await givenProject();
  const more = { CHROMIUM: executablePath, BLOG_PORT: await freePort() };
  const { exitCode, all } = await run(['node_modules/@playwright/test/cli.js', 'test'], more);
  expect(all).toMatch(/2 passed/);
  expect(exitCode).toBe(0);
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
  ["import { createBlogClient as open } from 'blogctl'; open('nowhere');", 'usage'],
  [
    "import { startBlog } from 'blogctl/testing'; await (await startBlog()).client.article({ id: 9 });",
    'not-found',
  ],
])('an error that nobody caught is shown with one short line of ours: %s', async (text, code) => {
  const { folder, run } = await givenProject();
  await writeFile(join(folder, 'uncaught.mjs'), text);
  const { exitCode, all } = await run(['uncaught.mjs']);
  expect(exitCode).toBe(1);
  expect(all).toContain(`code: '${code}'`);
  expect(Math.max(...all.split('\n').map((line) => line.length))).toBeLessThan(300);
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
