import { expect, it } from 'vitest';
import { createBudget } from '../../../server/policy/budget.ts';

it('a budget is spent at once and given back by the second, for each alone', () => {
  const budget = createBudget({ perSecond: 2, burst: 3 });
  for (let at = 0; at < 3; at += 1) budget.spend('a', 1000);
  expect(budget.wait('a', 1000)).toBe(1);
  expect(budget.wait('b', 1000)).toBeUndefined();
  expect(budget.wait('a', 1499)).toBe(1);
  expect(budget.wait('a', 1500)).toBeUndefined();
  budget.spend('a', 1500);
  expect(budget.wait('a', 1500)).toBe(1);
  expect(budget.wait('a', 1_000_000)).toBeUndefined();
});

it('a wait is said in whole seconds, rounded up', () => {
  const budget = createBudget({ perSecond: 0.1, burst: 1 });
  budget.spend('a', 0);
  expect([budget.wait('a', 0), budget.wait('a', 500), budget.wait('a', 9999)]).toEqual([10, 10, 1]);
});

it('ten thousand strangers do not fill the memory: the oldest is forgotten', () => {
  const budget = createBudget({ perSecond: 0.001, burst: 1 });
  budget.spend('first', 0);
  for (let at = 0; at < 10_000; at += 1) budget.spend(`stranger ${at}`, 0);
  expect(budget.wait('first', 0)).toBeUndefined();
  expect(budget.wait('stranger 9999', 0)).toBe(1000);
});
