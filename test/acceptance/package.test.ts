import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { execa } from 'execa';
import { expect, it } from 'vitest';
import { givenFolder } from '../support/command.ts';
import { deadLinks, pagesUnder } from '../support/page-links.ts';
import { checkTypes, installPacked, runPrograms } from '../support/consumers.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));

it(
  'the packed package installs alone, without a network, and runs',
  { timeout: 120_000 },
  async () => {
    const folder = await givenFolder();
    const archive = await installPacked(folder);
    const run = (command: string, words: readonly string[], input = '') =>
      execa(command, words, { cwd: folder, env: { HOME: folder, CI: '' }, input });

    const installed = join(folder, 'node_modules');
    const visible = (await readdir(installed)).filter((name) => !name.startsWith('.'));
    expect(visible).toEqual(['blogctl']);
    const published = JSON.parse(
      await readFile(join(installed, 'blogctl', 'package.json'), 'utf8'),
    );
    expect(Object.keys(published)).not.toContain('dependencies');
    expect(Object.keys(published)).not.toContain('scripts');

    const blogctl = (words: string, input?: string) =>
      run(
        process.execPath,
        [join(installed, 'blogctl', published.bin.blogctl), ...words.split(' ')],
        input,
      );
    expect((await blogctl('--version')).stdout).toBe(published.version);
    expect((await blogctl('--help')).stdout).toContain('Usage: blogctl');
    const inPackage = (name: string) => pathToFileURL(join(installed, 'blogctl', name));
    const pages = ['README.md', 'SECURITY.md', 'CHANGELOG.md', ...pagesUnder('docs')];
    expect(pages.flatMap((page) => deadLinks(page, inPackage))).toEqual([]);
    const imported = await blogctl(
      'articles import - --blog file:b.json --json',
      '[{"title":"A","content":"B"}]',
    );
    expect(JSON.parse(imported.stdout)).toMatchObject({ records: 1, created: 1 });
    expect((await blogctl('articles list --blog file:b.json --format tsv')).stdout).toContain(
      '\tA',
    );

    expect(await runPrograms(folder)).toEqual(['used', 'used', 'used']);
    expect(await checkTypes(folder)).toEqual([]);
    const publint = join(root, 'node_modules', 'publint', 'src', 'cli.js');
    const judged = await run(process.execPath, [publint, 'run', '--strict', archive]);
    // Nothing is wrong; that examples of tests are tests is on purpose.
    expect(judged.stdout.match(/^\d+\. .*$/gm)).toEqual([
      expect.stringMatching(
        /^1\. .* tests or config files \((?:\/examples\/testing\/[^,]+(?:, )?)+\)\./,
      ),
    ]);
  },
);
