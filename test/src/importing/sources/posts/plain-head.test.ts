import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { readYamlHead } from '../../../../../src/importing/sources/posts/yaml-head.ts';

/** All that a head says. A comment takes it through the parser, which must have it alike. */
function saysOf(text: string): string {
  const { signs, article, title } = readYamlHead(text);
  try {
    const said = JSON.stringify({ signs, article, ...title() });
    return said.replaceAll(/ \(line \d+\)/g, '');
  } catch (error) {
    return String(error).replace(/ \(line \d+\)/, '');
  }
}

const names = ['title', 'Title', 'draft', 'status', 'date', 'article', 'tags', 'a-b', 'null', '<<'];
const pieces = fc.constantFrom(
  ...['a', 'Zoë', '2024-01-01', '10:30', 'true', 'null', '~', '"', "'", '\\', ':', ': ', ' #', '#'],
  ...[
    ' ',
    '\t',
    '- ',
    '-',
    '[',
    ']',
    '[]',
    '[a, b]',
    ',',
    '{',
    '}',
    '&x',
    '*x',
    '!',
    '|',
    '>',
    '%',
  ],
  ...[
    '@',
    '`',
    '\u00a0',
    '\u2028',
    '\ufeff',
    '\u0085',
    '\r',
    '日本',
    '😀',
    '\u0007',
    '?',
    '1.0',
    '...',
  ],
);
const value = fc.oneof(
  fc.array(pieces, { maxLength: 5 }).map((parts) => parts.join('')),
  fc.constantFrom('"one two"', "'one two'", '"null"', 'plain words here', '[a, b-c]', '', '  '),
);
const line = fc.oneof(
  { weight: 6, arbitrary: fc.tuple(fc.constantFrom(...names), value).map((two) => two.join(': ')) },
  {
    weight: 1,
    arbitrary: fc.constantFrom('tags:', 'title:', '  - a', '- a', '   - a', '- a: b', ''),
  },
  { weight: 1, arbitrary: value },
);

describe('plain YAML', () => {
  it('says what the parser has it say', () => {
    fc.assert(
      fc.property(fc.array(line, { maxLength: 5 }), (lines) => {
        const text = lines.map((each) => `${each}\n`).join('');
        expect(saysOf(text)).toEqual(saysOf(`# a comment\n${text}`));
      }),
      { numRuns: 2_000 },
    );
  });

  it('takes no longer where it is long and not plain at its end', () => {
    const text = `title: a${' '.repeat(200_000)}\t"\n`;
    expect(saysOf(text)).toEqual(saysOf(`# a comment\n${text}`));
  });
});
