import { describe, expect, it } from 'vitest';
import { match, type Known } from '../../../src/syncing/match.ts';

/** `a.md=Title/text`, `1=Title/text`: a post and an article. */
const sides = (text: string) =>
  text
    .split(' ')
    .filter((each) => each !== '')
    .map((each) => {
      const [name = '', title = '', content = ''] = each.split(/[=/]/);
      return { name, id: Number(name), title, content, digest: `${title}/${content}` };
    });

/** `a.md:1=T/x`: the state says that a.md is article 1 with that text. */
const stateOf = (text: string) =>
  new Map(
    text
      .split(' ')
      .filter((each) => each !== '')
      .map((each) => {
        const [path = '', id = '', digest = ''] = each.split(/[:=]/);
        const line = {
          path,
          answered: 'k',
          sent: digest,
          stored: digest,
          id: Number(id),
          url: 'u',
        };
        return [path, line] as const;
      }),
  );

function matched(
  posts: string,
  articles: string,
  known: Omit<Partial<Known>, 'state' | 'posts' | 'articles'> & { state?: string } = {},
) {
  const { state = '', ...more } = known;
  const lines = stateOf(state);
  const names = new Set(sides(posts).map(({ name }) => name));
  const found = match({
    posts: sides(posts),
    articles: new Map(sides(articles).map((each) => [each.id, each])),
    state: lines,
    reserved: new Set(),
    gone: new Set([...lines.keys()].filter((name) => !names.has(name))),
    own: new Map(),
    keys: new Map(),
    adopted: new Map(),
    versions: new Map(),
    cameFrom: () => [],
    namesOf: () => [],
    goneInGit: [],
    ...more,
  });
  return [
    ...[...found.pairs].map(([name, { by, id }]) => `${name} ${by} ${id ?? 'deleted'}`),
    ...[...found.contested].map(([name, id]) => `${name} contests ${id}`),
    ...found.gone.map(({ name, id }) => `${name} gone ${id}`),
    ...[...found.open].map(([name, ids]) => `${name} open ${ids.join('+')}`.trim()),
    ...found.unmanaged.map((id) => `unmanaged ${id}`),
  ].toSorted();
}

const had = (versions: Record<string, readonly string[]>) =>
  new Map(Object.entries(versions).map(([name, texts]) => [name, texts]));

type Row = readonly [string, Parameters<typeof matched>, readonly string[]];

const table: readonly Row[] = [
  [
    'the state comes first',
    ['a=T/x b=T/x', '1=T/x 2=T/x', { state: 'a:2=T/x' }],
    ['a state 2', 'b text 1'],
  ],
  [
    'equal texts are counted',
    ['a=T/x b=T/x c=T/x', '1=T/x 2=T/x'],
    ['a text 1', 'b text 2', 'c open'],
  ],
  [
    'the key of a twin keeps its twin from taking its article',
    ['a=T/new b=T/x', '1=T/x 2=T/x', { keys: new Map([['a', { id: 1 }]]) }],
    ['a key 1', 'b text 2'],
  ],
  [
    'a twin whose other is settled is asked for by its key all the same',
    ['a=T/x b=T/x', '1=T/x 2=T/x', { state: 'b:1=T/x', findsByKey: true }],
    ['a open 2', 'b state 1', 'unmanaged 2'],
  ],
  [
    'a file with the text of one that is gone is that one',
    ['b=T/x', '1=T/x 2=T/x', { state: 'a:2=T/x' }],
    ['b state 2', 'unmanaged 1'],
  ],
  [
    'it is so though its article was edited',
    ['b=T/x', '2=T/edited', { state: 'a:2=T/x' }],
    ['b state 2'],
  ],
  [
    'it is so though its article was deleted',
    ['b=T/x', '', { state: 'a:2=T/x' }],
    ['b state deleted'],
  ],
  [
    'git tells which of two twins was renamed to which',
    [
      'c=T/x d=T/x',
      '1=T/x 2=T/x',
      { state: 'a:1=T/x b:2=T/x', namesOf: (name) => (name === 'c' ? ['b'] : ['a']) },
    ],
    ['c state 2', 'd state 1'],
  ],
  [
    'an older text in git',
    ['a=T/new', '1=T/old 2=U/o', { versions: had({ a: ['T/new', 'T/old'] }) }],
    ['a git 1', 'unmanaged 2'],
  ],
  [
    'a file that git remembers',
    ['', '1=T/old', { goneInGit: ['a'], versions: had({ a: ['T/old'] }) }],
    ['a gone 1'],
  ],
  [
    'twins, which their keys can tell apart',
    [
      'a=T/x b=T/x c=T/y',
      '1=T/x 2=T/x 3=T/y',
      {
        findsByKey: true,
        keys: new Map([
          ['a', { generation: 1, wasDeleted: false }],
          ['b', { id: 1 }],
        ]),
      },
    ],
    ['a text 2', 'b key 1', 'c text 3'],
  ],
  [
    'twins wait for what their keys say',
    ['a=T/x b=T/x', '1=T/x 2=T/x', { findsByKey: true }],
    ['a open 1+2', 'b open 1+2', 'unmanaged 1', 'unmanaged 2'],
  ],
  [
    'a twin of a file that is gone is not that file where its key says so',
    [
      'b=T/x',
      '1=T/x 2=T/x',
      {
        state: 'a:1=T/x',
        findsByKey: true,
        keys: new Map([['b', { id: 2 }]]),
      },
    ],
    ['a gone 1', 'b key 2'],
  ],
  [
    'twins that have no keys',
    [
      'a=T/x b=T/x',
      '1=T/x 2=T/x',
      {
        findsByKey: true,
        keys: new Map(['a', 'b'].map((name) => [name, { generation: 1, wasDeleted: false }])),
      },
    ],
    ['a text 1', 'b text 2'],
  ],
  [
    'a file that is gone and had two, as its key says',
    [
      '',
      '1=T/x 2=T/old',
      { state: 'a:1=T/x', goneInGit: ['a'], keys: new Map([['a', { id: 2 }]]) },
    ],
    ['a gone 1', 'a gone 2'],
  ],
  ['a file that is gone', ['b=U/u', '1=T/x', { state: 'a:1=T/x' }], ['a gone 1', 'b open']],
  [
    'the article of a file elsewhere stays its',
    ['b=T/x', '1=T/x', { state: 'a:1=T/x', reserved: new Set(['a']), gone: new Set() }],
    ['b open'],
  ],
  ['the same title', ['a=T/new', '1=T/x 2=T/y'], ['a open 1+2', 'unmanaged 1', 'unmanaged 2']],
  ['the same content', ['a=New/x', '1=T/x'], ['a open 1', 'unmanaged 1']],
  [
    'one that is gone here may be the one',
    ['b=T/new', '1=T/x', { state: 'a:1=T/x' }],
    ['a gone 1', 'b open 1'],
  ],
  [
    '--adopt',
    ['a=T/new', '1=T/x 2=T/y', { adopted: new Map([['a', 2]]) }],
    ['a asked 2', 'unmanaged 1'],
  ],
  [
    '--adopt none',
    ['a=T/new', '1=T/x', { adopted: new Map([['a', 'none']]) }],
    ['a open', 'unmanaged 1'],
  ],
  [
    'a post names its article',
    ['a=T/new b=T/x', '1=T/x', { own: new Map([['a', 1]]) }],
    ['a own 1', 'b open'],
  ],
  [
    'a post names an article of another blog, which may be this one',
    [
      'a=T/x b=U/y c=V/z',
      '1=S/w 2=U/y',
      {
        elsewhere: new Map([
          ['a', 1],
          ['b', 1],
          ['c', 2],
        ]),
      },
    ],
    ['a open 1', 'b text 2', 'c open', 'unmanaged 1'],
  ],
  [
    'a post that names an article of another path elsewhere, and has its text',
    [
      'a=T/x b=T/x c=U/y',
      '1=T/x',
      {
        state: 'a:1=T/x',
        elsewhere: new Map([
          ['b', 1],
          ['c', 1],
        ]),
      },
    ],
    ['a state 1', 'b open 1', 'c open'],
  ],
  [
    'a post that names an article of another blog is new where that is said',
    ['a=T/x', '1=S/w', { elsewhere: new Map([['a', 1]]), adopted: new Map([['a', 'none']]) }],
    ['a open', 'unmanaged 1'],
  ],
  [
    'of two that name one article the one with its text is it',
    [
      'a=T/new b=T/x',
      '1=T/x',
      {
        own: new Map([
          ['a', 1],
          ['b', 1],
        ]),
      },
    ],
    ['a contests 1', 'b own 1'],
  ],
  [
    'a key that was deleted there',
    ['a=T/x', '', { keys: new Map([['a', { generation: 2, wasDeleted: true }]]) }],
    ['a key deleted'],
  ],
  [
    'created again under a later key',
    ['a=T/new', '5=T/y', { state: 'a:1=T/x', keys: new Map([['a', { id: 5 }]]) }],
    ['a key 5'],
  ],
  [
    'a new file under the old path of one that was renamed',
    [
      'a=New/n b=T/x',
      '1=T/x',
      {
        keys: new Map([['a', { id: 1 }]]),
        versions: had({ a: ['New/n'], b: ['T/x'] }),
        namesOf: (name) => (name === 'b' ? ['a'] : []),
      },
    ],
    ['a open', 'b key 1'],
  ],
];

describe('match', () => {
  it.each(table)('%s', (_what, given, said) => {
    expect(matched(...given)).toEqual(said);
  });
});
