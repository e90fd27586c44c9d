import { expect, it } from 'vitest';
import { createTokenBuckets } from '../../../server/policy/authentication.ts';

it('a bucket is emptied at once and filled by the second, for each client alone', () => {
  const buckets = createTokenBuckets({ perSecond: 2, burst: 3 });
  for (let at = 0; at < 3; at += 1) buckets.take('a', 1000);
  expect(buckets.wait('a', 1000)).toBe(1);
  expect(buckets.wait('b', 1000)).toBeUndefined();
  expect(buckets.wait('a', 1499)).toBe(1);
  expect(buckets.wait('a', 1500)).toBeUndefined();
  buckets.take('a', 1500);
  expect(buckets.wait('a', 1500)).toBe(1);
  expect(buckets.wait('a', 1_000_000)).toBeUndefined();
});

it('a wait is said in whole seconds, rounded up', () => {
  const buckets = createTokenBuckets({ perSecond: 0.1, burst: 1 });
  buckets.take('a', 0);
  expect([buckets.wait('a', 0), buckets.wait('a', 500), buckets.wait('a', 9999)]).toEqual([
    10, 10, 1,
  ]);
});

it('a clock that was put back shuts nobody out until it has caught up', () => {
  const buckets = createTokenBuckets({ perSecond: 2, burst: 1 });
  buckets.take('a', 3_600_000);
  expect(buckets.wait('a', 1000)).toBeUndefined();
  buckets.take('a', 1000);
  expect([buckets.wait('a', 1000), buckets.wait('a', 1500)]).toEqual([1, undefined]);
});

it('ten thousand clients do not fill the memory: the oldest is forgotten', () => {
  const buckets = createTokenBuckets({ perSecond: 0.001, burst: 1 });
  buckets.take('first', 0);
  for (let at = 0; at < 10_000; at += 1) buckets.take(`client ${at}`, 0);
  expect(buckets.wait('first', 0)).toBeUndefined();
  expect(buckets.wait('client 9999', 0)).toBe(1000);
});
