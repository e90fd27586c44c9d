import { setTimeout as after } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { LoopLoad } from '../../../server/store/json-file/log/write-queue.ts';

test('a loop that had something to do all the time is busy, and one that waited is not', async () => {
  const load = new LoopLoad();
  while (!load.isBusy()) compute();
  expect(load.wasBusy).toBe(true);
  do await after(5);
  while (load.isBusy());
  expect(load.wasBusy).toBe(false);
});

function compute(): void {
  for (let at = 0; at < 1e6; at += 1) Math.sqrt(at);
}
