// Every command line of the README and of docs/: run in order, a page in a folder of its own.
import { readdirSync } from 'node:fs';
import { chmod, cp, mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startBlog } from '../../src/testing/index.ts';
import { givenFolder } from '../support/command.ts';
import { givenCluster, haproxy, postgresFolder } from '../support/postgres.ts';
import { isInstalled } from '../support/programs.ts';
import { givenShell, type Shell } from '../support/shell.ts';
import { stepsOf, type Step } from '../support/page-steps.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const docs = readdirSync(join(root, 'docs')).filter(
  (name) => name.endsWith('.md') && name !== 'postgres.md',
);

/** Blocks that cannot be run here, by the line they begin with, and why. */
const elsewhere: Readonly<Record<string, string>> = {
  'podman build --format docker -t blogctl .':
    'needs an engine for containers, which runs in no container',
  'blogctl articles edit 1': 'opens an editor and asks',
};

describe.skipIf(!isInstalled('script'))('what the pages show is what happens', () => {
  it('in the README, in a fresh copy', { timeout: 180_000 }, async () => {
    const steps = stepsOf(await readFile(join(root, 'README.md'), 'utf8'));
    expect(steps.length).toBeGreaterThan(8);
    expect(await runAll(steps, await givenShell(await givenCopy(), {}))).toBe(steps.length);
  });

  // They name the tools of GNU (sed -i), as most readers have them.
  it.skipIf(process.platform !== 'linux').each(docs)(
    'in docs/%s',
    { timeout: 120_000 },
    async (name) => {
      const page = await readFile(join(root, 'docs', name), 'utf8');
      const steps = stepsOf(page);
      const shell = await givenDesk({ hasService: page.includes('blog.example') });
      expect(await runAll(steps, shell)).toBe(steps.length);
    },
  );

  it.skipIf(postgresFolder() === undefined)('in docs/postgres.md, on a database', async () => {
    const page = await readFile(join(root, 'docs', 'postgres.md'), 'utf8');
    const cluster = await givenCluster();
    onTestFinished(() => cluster.stop());
    // A cluster of the tests asks nobody for a password.
    const here = page
      .replaceAll(' --pwprompt', '')
      .replace('blogctl store copy', 'blogctl store init --store blog.json\nblogctl store copy')
      .replaceAll('@db.example/', `@127.0.0.1:${cluster.port}/`)
      .replaceAll('-h db.example', `-h 127.0.0.1 -p ${cluster.port}`);
    const steps = stepsOf(here);
    expect(await runAll(steps, await givenDesk({ programs: cluster.bin }))).toBe(steps.length);
  });

  it.skipIf(haproxy === undefined)('and its configuration of HAProxy is one', async () => {
    const page = await readFile(join(root, 'docs', 'postgres.md'), 'utf8');
    const [, config = ''] = /^```\n(defaults\n.+?)^```/ms.exec(page) ?? [];
    const file = join(await givenFolder(), 'haproxy.cfg');
    await writeFile(file, config);
    const checked = await execa(haproxy ?? '', ['-c', '-f', file], { all: true, reject: false });
    expect([checked.exitCode, checked.all]).toEqual([0, expect.not.stringMatching(/WARN|ALERT/)]);
  });

  it('and nothing is excepted that no page has', async () => {
    const pages = docs.map((name) => readFile(join(root, 'docs', name), 'utf8'));
    const lines = (await Promise.all(pages))
      .flatMap(stepsOf)
      .map(({ command }) => command.split('\n')[0] ?? '');
    expect(Object.keys(elsewhere).filter((line) => !lines.includes(line))).toEqual([]);
  });
});

/** Answers how many of them were done or excepted. */
async function runAll(steps: readonly Step[], shell: Shell): Promise<number> {
  for (const step of steps) {
    const [first = ''] = step.command.split('\n');
    if (!(first in elsewhere)) await shell.run(step);
  }
  return steps.length;
}

/** What git has of this tree, without anything installed or built. */
async function givenCopy(): Promise<string> {
  const folder = join(await givenFolder(), 'blogctl');
  const { stdout } = await execa('git', ['ls-files', '-z'], { cwd: root });
  for (const name of stdout.split('\0').filter((file) => file !== '')) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await cp(join(root, name), join(folder, name));
  }
  return folder;
}

/** Where the pages are tried: posts under git, records, a service at blog.example, and the command. */
async function givenDesk({ hasService = false, programs = '' }): Promise<Shell> {
  const folder = await givenFolder();
  const bin = join(folder, '.bin');
  await mkdir(bin);
  const command = `exec "${process.execPath}" "${join(root, 'bin', 'blogctl.cjs')}" "$@"`;
  await writeFile(join(bin, 'blogctl'), `#!/bin/sh\n${command}\n`);
  await chmod(join(bin, 'blogctl'), 0o755);
  await cp(join(root, 'examples', 'posts'), join(folder, 'posts'), { recursive: true });
  await cp(join(root, 'examples', 'testing', 'articles.ndjson'), join(folder, 'articles.ndjson'));
  const git = (...words: readonly string[]) => execa('git', words, { cwd: folder });
  await git('init', '-q');
  for (const [key, value] of [
    ['name', 'a'],
    ['email', 'a@b.example'],
  ] as const)
    await git('config', `user.${key}`, value);
  await git('add', 'posts');
  await git('commit', '-qm', 'posts');
  const seed = [{ title: 'Field notes', content: 'Words.' }];
  const folders = [bin, programs].filter((each) => each !== '');
  return givenShell(folder, { folders, ...(hasService && { blog: await startBlog({ seed }) }) });
}
