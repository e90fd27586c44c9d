import { expect, test } from 'vitest';
import { enumerateCrashes } from './enumerate.ts';

test('after a power cut at any moment everything acknowledged is there and the file is JSON', async () => {
  const outcome = await enumerateCrashes({ seed: 1, states: 20_000 });
  expect(outcome.broken).toEqual([]);
  expect(outcome.nested).toBeGreaterThan(1000);
  expect(outcome.mended).toBeGreaterThan(1000);
}, 300_000);
