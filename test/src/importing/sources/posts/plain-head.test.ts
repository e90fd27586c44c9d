import { array, assert, constantFrom, oneof, property, tuple } from 'fast-check';
import { describe, expect, it } from 'vitest';

import { readYamlHead } from '../../../../../src/importing/sources/formats/yaml-head.ts';

/** All that a head says. A comment takes it through the parser, which must have it alike. */
function saysOf(text: string): string {
  const head = readYamlHead(text);
  try {
    const said = JSON.stringify({ ...head, ...head.title() });
    return said.replaceAll(/ \(line \d+\)/g, '');
  } catch (error) {
    return String(error).replace(/ \(line \d+\)/, '');
  }
}

const names = ['title', 'Title', 'draft', 'status', 'date', 'article', 'tags', 'a-b', 'null', '<<'];
const signs =
  'a Zoë 2024-01-01 10:30 true null ~ " \' \\ : # - [ ] [] , { } &x *x ! | > % @ ` ? 1.0 ...';
const pieces = constantFrom(
  ...`${signs} 日本 😀 \ufeff \u0085 \u0007 \r`.split(' '),
  ...': _ #_- _[a, b]_\t_\u00a0_\u2028_ '.split('_'),
);
const value = oneof(
  array(pieces, { maxLength: 5 }).map((parts) => parts.join('')),
  constantFrom('"one two"', "'one two'", '"null"', 'plain words here', '[a, b-c]', '', '  '),
);
const line = oneof(
  { weight: 6, arbitrary: tuple(constantFrom(...names), value).map((two) => two.join(': ')) },
  {
    weight: 1,
    arbitrary: constantFrom('tags:', 'title:', '  - a', '- a', '   - a', '- a: b', ''),
  },
  { weight: 1, arbitrary: value },
);

describe('plain YAML', () => {
  it('says what the parser has it say', () => {
    assert(
      property(array(line, { maxLength: 5 }), (lines) => {
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
