import { expect, test } from 'vitest';
import { fuzz } from './fuzz.ts';

test('no harm to a store file is silent, whatever reads, checks, repairs or confirms it', async () => {
  const { broken, outcomes } = await fuzz({ cases: 300, seed: 1 });
  expect(broken).toEqual([]);
  expect(Object.keys(outcomes).sort()).toEqual(
    expect.arrayContaining(['edited', 'held', 'refused']),
  );
}, 600_000);
