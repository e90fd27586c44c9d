import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

import { actionKinds, doesOf, type Action } from '../../../src/syncing/decide.ts';
import { linesOfPlan } from '../../../src/syncing/report.ts';
import { plainLines } from './given-sync.ts';

it('a plan tells what is of one kind together, and what each that is left waits for', () => {
  const actions: readonly Action[] = [
    { action: 'conflict', path: 'a.md', id: 1, reason: 'changed here and on the blog' },
    { action: 'create', path: 'b.md', reason: 'new' },
    { action: 'unchanged', path: 'c.md', id: 3 },
    { action: 'deleted-there', path: 'd.md', id: 4, reason: 'deleted on the blog' },
    { action: 'create', path: 'e.md', reason: 'new' },
    { action: 'drift', path: 'f.md', id: 6, reason: 'changed on the blog' },
    { action: 'orphan', path: 'g.md', id: 7, reason: 'gone here' },
  ];
  expect(linesOfPlan(actions, plainLines)).toEqual([
    '+ b.md       new',
    '+ e.md       new',
    '! a.md  #1   changed here and on the blog',
    '≠ f.md  #6   changed on the blog (sync pull brings it)',
    '× d.md  #4   deleted on the blog (left: no --recreate)',
    '· g.md  #7   gone here (kept: no --prune)',
  ]);
});

it.each([
  [
    200,
    [
      '+ a/very-long-name/of-a-folder/and-the-name-of-a-post-in-it.md       new',
      '× b.md                                           #4   deleted on the blog (left: no --recreate)',
    ],
  ],
  [
    60,
    [
      '+ a/very-long-nam…/and-the-name-of-a-post-in-it.md       new',
      '× b.md                         #4   deleted on the blog',
      '                                    (left: no --recreate)',
    ],
  ],
  [
    30,
    [
      '+ a/very…-post-in-it.md',
      '    new',
      '× b.md  #4',
      '    deleted on the blog (left:',
      '    no --recreate)',
    ],
  ],
])('in %d columns a path loses its middle, and what is to be done no word', (columns, expected) => {
  const actions: readonly Action[] = [
    {
      action: 'create',
      path: 'a/very-long-name/of-a-folder/and-the-name-of-a-post-in-it.md',
      reason: 'new',
    },
    { action: 'deleted-there', path: 'b.md', id: 4, reason: 'deleted on the blog' },
  ];
  expect(linesOfPlan(actions, plainLines, columns)).toEqual(expected);
});

it('each is named where the documents say what a run does with it', () => {
  const page = readFileSync(new URL('../../../docs/sync.md', import.meta.url), 'utf8');
  const [, list = ''] = /of each action by its name:\n\n- ([^]*?)\n\nSo a pull/.exec(page) ?? [];
  const groups = list.split('\n- ');
  const named = groups.map((group) => [...group.matchAll(/`([a-z-]+)`/g)].map(([, kind]) => kind));
  const that = (...does: readonly string[]) =>
    actionKinds.filter((action) => does.includes(doesOf({ action })));
  const refused = that('refuse');
  expect(named).toEqual([that('write'), refused, that('leave'), that('nothing', 'not ours')]);
  // An assignment keeps the exit code of a plan that is refused; within the words of test it is lost.
  const sum = refused.map((kind) => `.${kind}`).join(' + ');
  expect(page).toMatch(/left=\$\(blogctl sync plan [^)]*\) && test "\$left" = 0\n/);
  expect(page).toContain(`--jq '.summary | ${sum}')`);
});
