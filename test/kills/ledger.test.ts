import { expect, test } from 'vitest';
import { createLedger, type Attempt } from './ledger.ts';

const acknowledged: readonly (readonly [string, string])[] = [
  ['/1', 'old'],
  ['/2', 'other'],
];

test.each<[string, Attempt | undefined, readonly (readonly [string, string])[], readonly string[]]>(
  [
    ['all is there', undefined, acknowledged, []],
    ['one is lost', undefined, [['/2', 'other']], ['/1 is not there, not "old"']],
    [
      'one is older',
      undefined,
      [
        ['/1', 'older'],
        ['/2', 'other'],
      ],
      ['/1 is "older", not "old"'],
    ],
    ['one nobody made', undefined, [...acknowledged, ['/3', 'x']], ['/3 is "x", not not there']],
    ['a creation in flight arrived', { state: 'x' }, [...acknowledged, ['/3', 'x']], []],
    ['a creation in flight did not', { state: 'x' }, acknowledged, []],
    ['a deletion in flight arrived', { path: '/1', state: null }, [['/2', 'other']], []],
    [
      'a deletion in flight took another',
      { path: '/1', state: null },
      [['/1', 'old']],
      ['/2 is not there, not "other"'],
    ],
  ],
)('after a kill: %s', (_, inFlight, found, broken) => {
  const ledger = createLedger();
  for (const [path, state] of acknowledged) ledger.attempt({ state })(path);
  if (inFlight !== undefined) ledger.attempt(inFlight);
  expect(ledger.differences(new Map(found))).toEqual(broken);
  expect(ledger.differences(new Map(found))).toEqual([]);
});
