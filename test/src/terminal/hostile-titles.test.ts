import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { formats } from '../../../src/terminal/view.ts';
import { type Manners, type OtherService, startOtherService } from '../../support/other-service.ts';
import { run } from '../../support/run.ts';

/** Clears the screen, sets its title, links, turns the reading order, ends the line, rings. */
const hostile =
  'A\u001B[2J\u001B]0;gone\u0007\u001B]8;;http://evil/\u001B\\\u202Egnp.exe\u2066\nB\r\u0000\u009B31m\u0008';
/** What moves a cursor, changes a terminal or the order of what is read. */
const dangerous = /(?![\n\t])\p{Cc}|\p{Bidi_Control}/u;

/** How the bar of an import is drawn over the one before, and a question over what is typed. */
const own = /\r|\p{Cc}\[(?:\d*[GKJ]|\?25[hl])/gu;

let service: OtherService;
let folder: string;
beforeAll(async () => {
  service = await startOtherService([hostile, `${hostile} again`], { ownPaths: true });
  folder = await mkdtemp(join(tmpdir(), 'blogctl-hostile-'));
  await writeFile(join(folder, 'editor.cjs'), editor);
});
afterAll(async () => {
  await service.stop();
  await rm(folder, { recursive: true });
});

const editor = `const { appendFileSync } = require('node:fs');
appendFileSync(process.argv[2], ${JSON.stringify(hostile)});
`;

function onTerminal(line: readonly string[], stdin?: string, blog = service.blogUrl) {
  const env = {
    NO_COLOR: '1',
    BLOGCTL_BLOG: blog,
    BLOGCTL_TOKEN: 'right-token',
    BLOGCTL_CONFIG_DIR: folder,
    BLOGCTL_DATA_DIR: folder,
    EDITOR: `"${process.execPath}" "${join(folder, 'editor.cjs')}"`,
    PAGER: 'cat',
  };
  return run(line, { env, terminal: 80, ...(stdin !== undefined && { stdin }) });
}

describe('a title and a content that would take over the terminal', () => {
  it.each(
    formats.flatMap((format) => [
      ['articles list', format],
      ['articles get 1 2', format],
      ['blog', format],
    ]),
  )('are harmless in what %s shows as %s', async (line, format) => {
    const { out, err, status } = await onTerminal([...line.split(' '), '--format', format]);
    expect(status).toBe(0);
    expect(out + err).not.toMatch(dangerous);
  });

  it.each([
    ['the list', ['articles', 'list']],
    ['an article', ['articles', 'get', '1']],
    ['one field', ['articles', 'list', '--fields', 'title']],
    ['the answer to a creation', ['articles', 'create', '--title', hostile, '--content', hostile]],
    ['the answer to a change', ['articles', 'update', '2', '--title', `${hostile}!`]],
    ['the difference after an edit', ['articles', 'edit', '1', '-y']],
    ['an import', ['articles', 'import', '-', '--import-id', hostile]],
    ['links', ['articles', 'links', '1']],
    ['a raw answer', ['api', '/weblog/entries']],
    ['an article that is not there', ['articles', 'get', hostile]],
    ['an unknown option', [`--${hostile}`]],
    ['completion', ['__complete', '--', 'articles', 'get', '']],
  ])('are harmless in %s', async (_, line) => {
    const stdin = `${JSON.stringify({ title: hostile })}\n${JSON.stringify({ title: hostile, content: hostile })}\n`;
    const { out, err } = await onTerminal(line, stdin);
    expect(out + err).not.toBe('');
    const said = line.includes('import') ? (out + err).replaceAll(own, '') : out + err;
    expect(said).not.toMatch(dangerous);
  });

  const problem = { type: `urn:${hostile}`, title: hostile, detail: hostile, message: hostile };
  const told = { 'x-told': 'A\u009B31m\u0085B', 'content-type': 'application/problem+json' };
  it.each<[string, Pick<Manners, 'first'>, string, RegExp]>([
    ['the question before a deletion', {}, 'articles delete 1', /Delete article 1 ".*\? \[y\/N\] /],
    ['the list before a deletion', {}, 'articles delete 1 2', / {2}1 ".*\n {2}2 ".*\n/],
    ['a conflict', { first: { PUT: [{ status: 412 }] } }, 'articles edit 1 -y', /theirs/],
    [
      'what a service says of its failure',
      { first: { GET: [{ status: 400, body: problem, headers: told }] } },
      'articles list',
      /gnp\.exe/,
    ],
    [
      'a trace of everything',
      { first: { GET: [{ status: 400, body: problem, headers: told }] } },
      'articles list -vvv',
      /x-told: A/,
    ],
  ])('are harmless in %s', async (_, liberties, line, shown) => {
    const unkind = await startOtherService([hostile, `${hostile} again`], liberties);
    const { out, err, status } = await onTerminal(line.split(' '), 'n\n', unkind.blogUrl);
    await unkind.stop();
    expect(status).not.toBe(0);
    expect(err).toMatch(shown);
    const said = err.includes('[y/N]') ? (out + err).replaceAll(own, '') : out + err;
    expect(said).not.toMatch(dangerous);
  });
});
