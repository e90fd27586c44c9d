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
/** The latest first. */
const had = (...digests: string[]) => digests;

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
    { file: 'x', there: 'v', line: line('b'), versions: had('x', 'v', 'b') },
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

/** Of a file that had 1, 2 and 3 in git: what the state says was brought last, and what each text on the blog is. */
const ofThree: readonly (readonly [
  file: string,
  state: string | undefined,
  said: Readonly<Record<string, string>>,
])[] = [
  ['3', undefined, { 1: 'update', 2: 'update', 3: 'unchanged', own: 'conflict' }],
  ['3', '1', { 1: 'update', 2: 'update', 3: 'unchanged', own: 'conflict' }],
  ['3', '2', { 1: 'conflict', 2: 'update', 3: 'unchanged', own: 'conflict' }],
  ['3', '3', { 1: 'drift', 2: 'drift', 3: 'unchanged', own: 'drift' }],
  // Edited since it was committed.
  ['4', undefined, { 1: 'update', 3: 'update', 4: 'unchanged', own: 'conflict' }],
  ['4', '1', { 1: 'update', 2: 'update', 3: 'update', 4: 'unchanged', own: 'conflict' }],
  ['4', '3', { 1: 'conflict', 2: 'conflict', 3: 'update', 4: 'unchanged', own: 'conflict' }],
  ['4', '4', { 1: 'drift', 3: 'drift', 4: 'unchanged', own: 'drift' }],
  // What was brought last was never committed: nobody knows what came after it.
  ['4', 'lost', { 1: 'conflict', 3: 'conflict', lost: 'update', own: 'conflict' }],
];

describe('a text on the blog, by what the state says was brought last', () => {
  const rows = ofThree.flatMap(([file, state, said]) =>
    Object.entries(said).map(([there, action]) => [file, state, there, action] as const),
  );
  it.each(rows)('file %s, state %s, blog %s: %s', (file, state, there, action) => {
    const both = { file: of(file), blog: of(there), versions: had('3', '2', '1') };
    const known = state === undefined ? {} : { line: line(state) };
    expect(decide({ ...both, ...known, by: 'key' }).action).toBe(action);
  });

  it.each([
    ['reverted, and what was between: it may have come from another machine', '2', 'conflict'],
    ['and what was before', '0', 'drift'],
  ])('%s', (_what, there, action) => {
    const versions = had('1', '2', '1', '0');
    const both = { file: of('1'), blog: of(there), line: line('1'), versions };
    expect(decide({ ...both, by: 'state' }).action).toBe(action);
  });

  it('a revert that another machine brought is ours', () => {
    const both = { file: of('4'), blog: of('1'), line: line('2'), versions: had('1', '2', '1') };
    expect(decide({ ...both, by: 'state' })).toEqual({ action: 'update', base: 'git' });
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
      { blog: of('v'), line: line('b'), versions: had('b', 'v'), prune: true, overwrite: false },
      'orphan edited',
    ],
    [
      'brought there by another machine since',
      { blog: of('v'), line: line('b'), versions: had('v', 'b'), prune: true, overwrite: false },
      'delete',
    ],
    [
      'an older version there, of an article of which the state knows nothing else',
      { blog: of('v'), line: line(''), versions: had('b', 'v'), prune: true, overwrite: false },
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
