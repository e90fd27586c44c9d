import { expect, test } from 'vitest';
import { LoopLoad } from '../../../server/store/json-file/log/write-queue.ts';

test('a loop is busy that was active for longer than idle since it was last asked', () => {
  const readings = [
    { active: 100, idle: 900 },
    { active: 160, idle: 950 },
    { active: 180, idle: 990 },
    { active: 180, idle: 990 },
  ];
  const load = new LoopLoad(() => readings.shift() ?? { active: 0, idle: 0 });
  expect(load.wasBusy).toBe(false);
  for (const isBusy of [true, false, false])
    expect([load.isBusy(), load.wasBusy]).toEqual([isBusy, isBusy]);
});

test('of the loop of this process it is asked by itself', () => {
  const load = new LoopLoad();
  const end = performance.now() + 20;
  while (performance.now() < end);
  expect(load.isBusy()).toBe(true);
});
