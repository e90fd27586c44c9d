import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { createFingerprintCounts } from '../../../../src/importing/identity/fingerprints.ts';
import { recordKey, textFingerprint } from '../../../../src/importing/identity/record-key.ts';

describe('fingerprint counts', () => {
  it('count like a map', () => {
    const fingerprint = fc.bigInt({ min: 1n, max: 40n }).map((n) => n * 0x1_0000_0001n);
    fc.assert(
      fc.property(fc.array(fc.tuple(fingerprint, fc.integer({ min: -3, max: 3 }))), (additions) => {
        const counts = createFingerprintCounts();
        const map = new Map<bigint, number>();
        for (const [key, times] of additions) {
          counts.add(key, times);
          map.set(key, (map.get(key) ?? 0) + times);
        }
        for (const [key, count] of map) expect(counts.of(key)).toBe(count);
        expect(counts.size).toBe(map.size);
        expect(new Map(counts.entries())).toEqual(map);
      }),
    );
  });

  it('grow past their first size', () => {
    const counts = createFingerprintCounts();
    for (let n = 1n; n <= 5_000n; n += 1n) counts.add(n * 1_024n);
    expect(counts.size).toBe(5_000);
    expect(counts.of(1_024n)).toBe(1);
    expect(counts.of(1_025n)).toBe(0);
  });
});

describe('the key of a record', () => {
  it('is the same on every machine and in every release', () => {
    expect(recordKey('posts', '2024-01-07-hello.md')).toBe(
      '7It0CUk5mcfaEEng-8PVvSqgmQ7xqKiAp2cz3CSQ8nk',
    );
  });

  it('parts name and identity', () => {
    expect(recordKey('a', 'bc')).not.toBe(recordKey('ab', 'c'));
    expect(textFingerprint({ title: 'a', content: 'bc' })).not.toBe(
      textFingerprint({ title: 'ab', content: 'c' }),
    );
  });
});
