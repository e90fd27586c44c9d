import { describe, expect, it } from 'vitest';

import { ValidationError } from '../../../../../src/importing/sources/source.ts';
import { readPost } from '../../../../../src/importing/sources/formats/post.ts';
import { rewritePost } from '../../../../../src/syncing/pull.ts';

/** User time in microseconds; what cannot be read costs what its refusal does. */
function costOf(work: () => unknown): number {
  const before = process.cpuUsage();
  try {
    work();
  } catch (error) {
    if (!(error instanceof ValidationError)) throw error;
  }
  return process.cpuUsage(before).user;
}

const read = (file: string) => readPost(file, 'a.md', 'h1');

const rewrite = (file: string) =>
  rewritePost(file, 'a.md', { to: { title: 'b', content: 'c' }, titleFrom: 'h1' });

describe('A post that no person wrote costs what it is long', () => {
  it.each([
    ['a line of dashes', read, 40_000, (many) => many('-')],
    ['a line of pluses', read, 40_000, (many) => many('+')],
    ['dashes in a comment', read, 40_000, (many) => `<!--\n${many('-')}\n-->`],
    ['braces that nothing opened', read, 10_000, (many) => `---\ntitle: ${many('}')}\n---\n`],
    ['quotes in code', read, 20_000, (many) => `export const metadata = {${many('"\\')}`],
    ['signs on one line', read, 4000, (many) => `# a\n\n${many('{draft: ')}`],
    ['blanks that a pull keeps', rewrite, 40_000, (many) => `---\ntitle: a\n---\n${many(' ')}x`],
    ['a title of blanks', rewrite, 40_000, (many) => `---\ntitle: a${many(' ')}x\n---\ny`],
  ] satisfies [string, (file: string) => unknown, number, (many: Many) => string][])(
    '%s',
    (_, work, length, file) => {
      const costOfMany = (times: number) =>
        costOf(() => work(file((sign) => sign.repeat(length * times))));
      costOfMany(1 / 4);
      // Four times as much, and sixteen times where each sign is compared with each.
      expect(costOfMany(4) / Math.max(100_000, costOfMany(1))).toBeLessThan(8);
    },
  );

  it('brackets that nest more deeply than anybody writes are refused at once', () => {
    const text = (depth: number) =>
      `---\ntitle: a\nb: ${'['.repeat(depth)}${']'.repeat(depth)}\n---\n`;
    expect(read(text(100)).title).toBe('a');
    expect(rewrite(`---\ntitle: a\n${'? '.repeat(5000)}\n---\n`)).toBeUndefined();
    const nested = `---\ntitle: a\nb: {\n${' title: '.repeat(8000)}\n---\n`;
    expect(() => read(nested)).toThrow('The YAML is nested too deeply to be read.');
    expect(() => read(text(300_000))).toThrow('The YAML is nested too deeply to be read.');
  });
});

type Many = (sign: string) => string;
