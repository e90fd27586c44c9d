import { describe, expect, it } from 'vitest';
import { decide, decideGone, type Both } from '../../../src/syncing/decide.ts';

const line = (sent: string, stored = sent) => ({
  path: 'posts/a.md',
  answered: 'k',
  sent,
  stored,
  id: 1,
  url: 'u',
});
const of = (digest: string) => ({ digest });
const had = (...digests: string[]) => new Set(digests);

type Row = readonly [
  what: string,
  both: Partial<Omit<Both, 'file'>> & { file: string; there?: string },
  said: string,
];

const table: readonly Row[] = [
  ['equal, found by text', { file: 'x', there: 'x', by: 'text' }, 'unchanged text'],
  [
    'equal to the blog, the state outrun',
    { file: 'x', there: 'x', line: line('b') },
    'unchanged state',
  ],
  ['edited here', { file: 'x', there: 'b', line: line('b') }, 'update state'],
  ['edited there', { file: 'b', there: 'y', line: line('b') }, 'drift state'],
  ['edited on both sides', { file: 'x', there: 'y', line: line('b') }, 'conflict state'],
  [
    'stored otherwise than sent',
    { file: 'b', there: 's', line: line('b', 's') },
    'unchanged state',
  ],
  ['so, and edited here', { file: 'x', there: 's', line: line('b', 's') }, 'update state'],
  ['so, and edited there', { file: 'b', there: 'y', line: line('b', 's') }, 'drift state'],
  [
    'outrun by a version in git',
    { file: 'x', there: 'v', line: line('b'), versions: had('x', 'v') },
    'update git',
  ],
  [
    'an older version there',
    { file: 'x', there: 'v', by: 'key', versions: had('x', 'v') },
    'update git',
  ],
  [
    'git knows one version of the file, and not that text',
    { file: 'x', there: 'y', by: 'key', versions: had('x') },
    'drift git',
  ],
  [
    'the same, of an article that the state knows, and not what was ours of it',
    { file: 'x', there: 'y', line: line(''), versions: had('x') },
    'drift git',
  ],
  ['and no git', { file: 'x', there: 'y', line: line('') }, 'unverified unknown'],
  [
    'git knows several: which of them stood there nobody knows',
    { file: 'x', there: 'y', by: 'key', versions: had('x', 'v') },
    'conflict git',
  ],
  [
    'git knows one, and the file is not that any more',
    { file: 'x', there: 'y', by: 'key', versions: had('v') },
    'conflict git',
  ],
  ['neither state nor git to ask', { file: 'x', there: 'y', by: 'key' }, 'unverified unknown'],
  [
    'git does not know the file',
    { file: 'x', there: 'y', by: 'key', versions: had() },
    'unverified unknown',
  ],
  [
    'named by --adopt, which says nothing of its text',
    { file: 'x', there: 'y', by: 'asked' },
    'unverified unknown',
  ],
  [
    'named by --adopt, with a text of ours',
    { file: 'x', there: 'y', by: 'asked', versions: had('x', 'y') },
    'update git',
  ],
  ['deleted there', { file: 'b', line: line('b') }, 'deleted-there state'],
  ['deleted there, known by its key', { file: 'x', by: 'key' }, 'deleted-there key'],
];

describe('decide', () => {
  it.each(table)('%s', (_what, { file, there, ...more }, said) => {
    const blog = there === undefined ? undefined : of(there);
    const { action, base } = decide({ by: 'state', ...more, file: of(file), blog });
    expect(`${action} ${base}`).toBe(said);
  });

  it.each([
    ['differs only in line ends', 'update'],
    ['is the same to the byte', 'unchanged'],
  ])('--exact: %s', (what, action) => {
    const there = what.startsWith('is') ? 'one' : 'other';
    const both = { file: { digest: 'x', exact: 'one' }, blog: { digest: 'x', exact: there } };
    expect(decide({ ...both, by: 'state', line: line('x') }).action).toBe(action);
  });
});

describe('decideGone', () => {
  const cases: readonly (readonly [string, Parameters<typeof decideGone>[0], string])[] = [
    ['gone', { blog: of('b'), line: line('b'), prune: false, overwrite: false }, 'orphan'],
    ['gone, --prune', { blog: of('b'), line: line('b'), prune: true, overwrite: false }, 'delete'],
    [
      'gone, known by git',
      { blog: of('b'), versions: had('b'), prune: true, overwrite: false },
      'delete',
    ],
    [
      'edited there',
      { blog: of('y'), line: line('b'), prune: true, overwrite: false },
      'orphan edited',
    ],
    [
      'edited there to an older version',
      { blog: of('v'), line: line('b'), versions: had('v'), prune: true, overwrite: false },
      'delete',
    ],
    [
      'edited there, --on-drift overwrite',
      { blog: of('y'), line: line('b'), prune: true, overwrite: true },
      'delete edited',
    ],
    [
      'edited there, no --prune',
      { blog: of('y'), line: line('b'), prune: false, overwrite: true },
      'orphan edited',
    ],
  ];
  it.each(cases)('%s', (_what, removal, said) => {
    const { action, edited } = decideGone(removal);
    expect(edited ? `${action} edited` : action).toBe(said);
  });
});
