import { array, assert, constantFrom, property } from 'fast-check';
import { marked, type Token } from 'marked';
import { describe, expect, it } from 'vitest';

import { countActions, type Action, type Step } from '../../../src/syncing/decide.ts';
import type { Post } from '../../../src/syncing/folder.ts';
import { planSchema } from '../../../src/syncing/plan-document.ts';
import { markdownOf } from '../../../src/syncing/report.ts';
import { digestOf } from '../../../src/syncing/same-text.ts';
import { plainLines } from './given-sync.ts';

function stepOf(path: string, before: string, after: string): Step {
  const text = { title: path, content: after };
  const post: Post = { ...digestOf(text), path, name: path, file: path, text: () => text };
  const there = { title: path, content: before };
  const action: Action = { action: 'update', path, id: 1, lines: { added: 1, removed: 1 } };
  const target = { ...digestOf(there), id: 1, url: 'u', text: there, validators: {} };
  return { action, post, target };
}

function markdown(steps: readonly Step[], importId = '', warnings: readonly string[] = []): string {
  const actions = steps.map(({ action }) => action);
  const plan = {
    schema: planSchema,
    blog: 'b',
    importId,
    folder: 'posts',
    prune: false,
    options: {},
    summary: countActions(actions),
    warnings,
    rejected: [],
    skipped: {},
    actions,
  } as const;
  return markdownOf(plan, steps, { lines: plainLines });
}

const hostile =
  'a|b @somebody #1 <img src=x> `code` </details> -->\u202E\u001B[31m *x* [l](http://e) $x$.md';

describe('a plan in Markdown', () => {
  it('is one line below its marker where nothing changed', () => {
    const action: Action = { action: 'unchanged', path: 'a.md', id: 1 };
    expect(markdown([{ action }], 'o/r')).toBe(
      '<!-- blogctl sync o/r -->\nNo changes. 1 unchanged, 0 not from here.\n',
    );
    expect(markdown([{ action }], 'x --> <b>')).toMatch(/^<!-- blogctl sync x_____+b_ -->\n/);
  });

  it.each([
    ['many', Array.from({ length: 10_000 }, (_, at) => stepOf(`p${at}.md`, 'one', 'two'))],
    ['long', Array.from({ length: 300 }, (_, at) => stepOf(`${at}${'@'.repeat(900)}`, 'x', 'y'))],
    ['large', [stepOf('a.md', 'x'.repeat(90_000), 'y\n'.repeat(90_000))]],
  ])('keeps to 60,000 characters and says what is left out: %s', (_what, steps) => {
    const text = markdown(steps);
    expect(text.length).toBeLessThanOrEqual(60_000);
    expect(text).toMatch(/\*\*(?:\d+ more rows are left out|This text is cut)\.\*\*/);
    expect(text.match(/<details>/g)?.length).toBe(text.match(/<\/details>/g)?.length);
  });

  it('leaves out nothing that somebody has to decide, for what is only written', () => {
    const many = Array.from({ length: 200 }, (_, at) => stepOf(`p${at}.md`, 'one', 'two'));
    const action: Action = { action: 'conflict', path: 'last.md', id: 1, reason: 'changed' };
    const [, , , , , row] = markdown([...many, { action }]).split('\n');
    expect(row).toContain('| conflict | <code>last.md</code>');
  });

  it('names what is deleted and written over before what is new', () => {
    const many = (action: 'create' | 'update' | 'delete', count: number) =>
      Array.from({ length: count }, (_, at): Step => ({
        action: { action, path: `${action}${at}` },
      }));
    const rowsOf = (steps: readonly Step[]) =>
      [...markdown(steps).matchAll(/^\| (?!action|---)([a-z]+) /gm)].map(([, kind]) => kind);
    const rows = rowsOf([...many('create', 120), ...many('update', 5), ...many('delete', 3)]);
    expect(rows.slice(0, 9)).toEqual([
      ...Array(3).fill('delete'),
      ...Array(5).fill('update'),
      'create',
    ]);
    const deletes = many('delete', 130);
    expect(new Set(rowsOf([...many('update', 9), ...deletes]))).toEqual(new Set(['delete']));
    expect(markdown(deletes)).toContain('**30 more rows are left out, 30 of them deletions.**');
  });

  it('says what stands in the way of it, and spells paths as they are', () => {
    const text = markdown([stepOf('2024-01-05-a_b.md', 'one', 'two')], '', ['Refused: 6 of 9.']);
    expect(text).toContain('\n\n**Refused&#58; 6 of 9.**\n\n|');
    expect(text).toContain('<code>2024-01-05-a_b.md</code>');
  });

  it.each([
    ['update', '--- on the blog\n+++ in the file\n # a.md\n-there\n+here'],
    ['conflict', '--- on the blog\n+++ in the file\n # a.md\n-there\n+here'],
    // It is left as it is, so what was changed there is what there is to see.
    ['drift', '--- in the file\n+++ on the blog\n # a.md\n-here\n+there'],
    ['create', '+# a.md\n+here'],
  ] as const)('shows the lines of a %s, and whose they are', (kind, lines) => {
    const { target, ...step } = stepOf('a.md', 'there', 'here');
    const action = { ...step.action, action: kind };
    const text = markdown([{ ...step, action, ...(kind !== 'create' && { target }) }]);
    expect(text).toContain(`diff\n${lines}\n`);
  });

  it('lets no text of a post leave its place', () => {
    const text = markdown([stepOf(hostile, '```\n</details>', '````\n~~~~\n@everybody')]);
    const [table = '', details = ''] = text.split('\n<details>');
    const row = table.split('\n').find((line) => line.startsWith('| update')) ?? '';
    expect(row.match(/\|/g)).toHaveLength(5);
    expect(row).not.toMatch(/@|<img|`|\u202E|http:/);
    expect(details.split('\n')[0]).not.toMatch(/@|<img|`|<\/details>/);
    const fence = /\n(`+)diff\n([^]*?)\n\1\n/.exec(details);
    expect(fence?.[1]).toHaveLength(5);
    expect(fence?.[2]).toContain('+@everybody');
    expect(details.slice((fence?.index ?? 0) + (fence?.[0].length ?? 0))).toBe('\n</details>\n');
  });

  it.each([
    hostile,
    'www.example.org/x.md',
    'https://example.org ftp://example.org someone@example.org',
    '![a](b) [c]: http://d "e" [^1] <http://e> <b onclick=x>',
    '| a | b |',
    '\n\n# head\n\n> quote\n- list\n\n<script>x</script>\n',
    '</code></summary></details>',
    '**x** __x__ ~~x~~ ``x`` \\| &#124; &lt;b&gt; :smile: $$x$$ @org/team o/r#1 GH-1',
    '<!-- --> <!-- blogctl sync other -->',
  ])('is what it should be to a reader of GitHub Markdown: %j', (name) => {
    expect(harmOf(name)).toEqual([]);
  });

  it('is so whatever a post is called', () => {
    const signs = '| ` * _ [ ] ( ) < > # ! @ ~ \\ & ; : / . $ - + = " www. http:// a'.split(' ');
    const parts = constantFrom(...signs, '\n', '\r', '\t', ' ', '\u202E', '\u0000');
    const names = array(parts, { maxLength: 30 });
    const isHarmless = property(names, (name) => harmOf(name.join('')).length === 0);
    expect(() => assert(isHarmless, { numRuns: 300 })).not.toThrow();
  });
});

const harms = ['link', 'image', 'em', 'strong', 'del', 'codespan', 'heading', 'blockquote', 'list'];
const ownTags =
  /^(?:<!-- blogctl sync[^<>]* -->(?:\n.*)?|<\/?code>|<details><summary>[^<>]*<code>[^<>]*<\/code><\/summary>|<\/details>)$/;

/** What a title, a path, a status and a text that say this come to beside text. */
function harmOf(words: string): readonly unknown[] {
  const edited = stepOf(`${words}.md`, 'before', words);
  const reason = `not public now (status ${words})`;
  const gone: Action = { action: 'orphan', path: words, id: 2, reason, from: words };
  const text = markdown([edited, { action: gone }], words);
  const blocks = marked.lexer(text).filter(({ type }) => type !== 'space');
  const tokens: Token[] = [];
  void marked.walkTokens(blocks, (token) => void tokens.push(token));
  const shape = blocks.map((block) =>
    block.type === 'table' ? `${block['header'].length}×${block['rows'].length}` : block.type,
  );
  // GitHub looks for these in what is not code.
  const prose = marked
    .parse(text, { async: false })
    .replaceAll(/<!--.*?-->|<(code|pre)\b.*?<\/\1>/gs, '')
    .replaceAll(/&#(\d+);/g, (_all, code: string) => String.fromCodePoint(Number(code)));
  const isShape = shape.join(' ') === 'html paragraph 4×2 html code html';
  return [
    ...(isShape ? [] : [shape]),
    ...tokens.filter(({ type }) => harms.includes(type)),
    ...tokens.filter(({ type, raw }) => type === 'html' && !ownTags.test(raw.trim())),
    ...(prose.match(/[@#](?!\u200B)\w+/g) ?? []),
  ];
}
