import { describe, expect, it } from 'vitest';
import { createMemoryReturn } from '../../server/http/sending.ts';
import { createShares } from '../../server/fair-shares.ts';

const bounds = { bytes: 100, bytesOfAddress: 60, stillMs: 0 };

/** Readers by name, `address/number`; answers which of them were ended, in order. */
function given(stillMs = 0) {
  const ended: string[] = [];
  const shares = createShares({ ...bounds, stillMs });
  const reader = (name: string) => ({
    remoteAddress: name.split('/')[0],
    destroy: () => ended.push(name),
  });
  return { shares, reader, ended };
}

describe('answers that nobody takes', () => {
  it('of one address: the longest waiting ends when they are too many bytes', () => {
    const { shares, reader, ended } = given();
    for (const name of ['a/1', 'a/2', 'b/1', 'a/3', 'a/4']) shares.hold(reader(name), 20);
    expect(ended).toEqual(['a/1']);
  });

  it('of all: the longest waiting of the address with the most ends', () => {
    const { shares, reader, ended } = given();
    for (const name of ['b/1', 'a/1', 'a/2', 'c/1', 'a/3', 'd/1']) shares.hold(reader(name), 20);
    expect(ended).toEqual(['a/1']);
  });

  it('who goes on to read is not the longest waiting, and what has left does not count', () => {
    const { shares, reader, ended } = given();
    const [first, second] = [reader('a/1'), reader('a/2')];
    shares.hold(first, 20);
    shares.hold(second, 20);
    shares.leave(first);
    shares.hold(first, 20);
    shares.hold(reader('a/3'), 20);
    expect(ended).toEqual([]);
    shares.hold(reader('a/4'), 20);
    expect(ended).toEqual(['a/2']);
  });

  it('one answer beyond the share ends by itself and leaves nothing behind', () => {
    const { shares, reader, ended } = given();
    shares.hold(reader('a/1'), 1000);
    expect(ended).toEqual(['a/1']);
    shares.hold(reader('a/2'), 60);
    expect(ended).toEqual(['a/1']);
  });

  it('the slowest makes room for a newcomer, but none that began a moment ago', () => {
    const { shares, reader, ended } = given();
    expect(shares.endSlowest()).toBe(false);
    for (const name of ['b/1', 'a/1', 'a/2']) shares.hold(reader(name), 20);
    expect([shares.endSlowest(), ended]).toEqual([true, ['a/1']]);
    const { shares: patient, reader: another } = given(60_000);
    patient.hold(another('a/1'), 20);
    expect(patient.endSlowest()).toBe(false);
  });

  it('leave memory that is given back when they are gone, and nothing is done without them', () => {
    const shares = createShares({ bytes: 2 ** 30, bytesOfAddress: 2 ** 30, stillMs: 0 });
    let collected = 0;
    const look = createMemoryReturn([shares], () => (collected += 1));
    const after = (looks: number) => {
      for (let at = 0; at < looks; at += 1) look();
      return collected;
    };
    expect(after(3)).toBe(0);
    const reader = { remoteAddress: 'a', destroy: () => undefined };
    shares.hold(reader, 1000);
    shares.leave(reader);
    expect(after(3)).toBe(0);
    shares.hold(reader, 20_000_000);
    expect(after(3)).toBe(0);
    shares.leave(reader);
    expect(after(1)).toBe(0);
    expect(after(5)).toBe(2);
  });
});
