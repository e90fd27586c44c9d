/** How often each fingerprint was counted; a few bytes each, whatever was fingerprinted. */
export type FingerprintCounts = {
  readonly size: number;
  of(fingerprint: bigint): number;
  add(fingerprint: bigint, times?: number): void;
  entries(): Generator<readonly [fingerprint: bigint, count: number], void, void>;
};

const smallest = 1024;

/**
 * Counts 64-bit fingerprints in flat arrays: a million take 25 MB where a Map takes a hundred. Two
 * texts sharing one by chance is a one in 10^7 event for a million of them.
 */
export function createFingerprintCounts(): FingerprintCounts {
  let keys = new BigUint64Array(smallest);
  let counts = new Int32Array(smallest);
  let size = 0;

  function slotOf(fingerprint: bigint): number {
    const mask = keys.length - 1;
    let slot = Number(fingerprint & BigInt(mask));
    while (keys[slot] !== 0n && keys[slot] !== fingerprint) slot = (slot + 1) & mask;
    return slot;
  }

  function grow(): void {
    const [oldKeys, oldCounts] = [keys, counts];
    keys = new BigUint64Array(oldKeys.length * 2);
    counts = new Int32Array(keys.length);
    oldKeys.forEach((key, old) => {
      if (key === 0n) return;
      const slot = slotOf(key);
      keys[slot] = key;
      counts[slot] = oldCounts[old] ?? 0;
    });
  }

  return {
    get size() {
      return size;
    },
    of: (fingerprint) => counts[slotOf(fingerprint)] ?? 0,
    add(fingerprint, times = 1) {
      const slot = slotOf(fingerprint);
      if (keys[slot] === 0n) size += 1;
      keys[slot] = fingerprint;
      counts[slot] = (counts[slot] ?? 0) + times;
      if (size * 2 > keys.length) grow();
    },
    *entries() {
      for (const [slot, key] of keys.entries()) {
        if (key !== 0n) yield [key, counts[slot] ?? 0] as const;
      }
    },
  };
}
