import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { blogctl, givenFolder, givenService } from '../support/command.ts';
import { foreignServices, tooMany } from '../support/foreign-services.ts';
import { type Manners, startOtherService } from '../support/other-service.ts';

type Blog = { readonly blogUrl: string; readonly token: string };

/** The first creation is one of an import, which may be sent again. */
const others: typeof foreignServices = [
  ...foreignServices,
  ['limits the rate of creations', { first: { POST: [tooMany] } }, []],
  ['loses the answer to a creation', { first: { POST: ['drop-after-commit'] } }, []],
];

/** Another implementation of the interface with an empty blog, stopped after the test. */
async function givenOther(liberties: Manners): Promise<Blog> {
  const service = await startOtherService([], liberties);
  onTestFinished(() => service.stop());
  return { blogUrl: service.blogUrl, token: 'right-token' };
}

const editor = `const { readFileSync, writeFileSync } = require('node:fs');
const path = process.argv[2];
writeFileSync(path, readFileSync(path, 'utf8').replace('title: C', 'title: Drei'));
`;

/** A person's work on an empty blog, each step by the built command; answers what it left. */
async function live(folder: string, { blogUrl, token }: Blog): Promise<unknown[]> {
  await writeFile(join(folder, 'editor.cjs'), editor);
  const env = {
    BLOGCTL_BLOG: blogUrl,
    BLOGCTL_TOKEN: token,
    EDITOR: `"${process.execPath}" "${join(folder, 'editor.cjs')}"`,
  };
  const step = async (line: string, input?: string): Promise<string> => {
    const words = line.split(' ');
    const { exitCode, stdout, stderr } = await blogctl(words, {
      folder,
      env,
      ...(input !== undefined && { input }),
    });
    expect({ line, exitCode, stderr }).toMatchObject({ exitCode: 0 });
    return stdout;
  };
  const records = ['A', 'B', 'C'].map((title) => JSON.stringify({ title, content: `of ${title}` }));
  const summary = await step('articles import - --import-id story --ordered', records.join('\n'));
  const { created, replayed } = JSON.parse(summary);
  expect(created + replayed).toBe(3);
  expect(await step('articles list')).toBe('1\tA\n2\tB\n3\tC\n');
  expect(await step('articles create --title D --content d --format ids')).toBe('4\n');
  expect(await step('articles update 2 --title Zwei --field title')).toBe('Zwei');
  expect(await step('articles edit 3 -y --field title')).toBe('Drei');
  expect(await step('articles delete 1 -y')).toMatch(/^1\tdeleted\t/);
  expect((await blogctl(['articles', 'get', '1'], { folder, env })).exitCode).toBe(5);
  expect(JSON.parse(await step('api --follow doc:articles'))).toMatchObject({ totalArticles: 3 });
  const exported = await step('articles export - --format ndjson');
  return exported
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
}

const left = [
  { title: 'Zwei', content: 'of B' },
  { title: 'Drei', content: 'of C' },
  { title: 'D', content: 'd' },
];

describe('a day of work with the built command', { timeout: 60_000 }, () => {
  it('towards blogctl serve', async () => {
    const folder = await givenFolder();
    expect(await live(folder, await givenService(folder))).toMatchObject(left);
  });

  it.each(others)('towards a service that %s', async (_, liberties) => {
    expect(await live(await givenFolder(), await givenOther(liberties))).toMatchObject(left);
  });
});
