import { describe, expect, it } from 'vitest';
import { createMemoryReturn } from '../../../server/http/memory.ts';
import { createUnread } from '../../../server/http/unread.ts';

const bounds = { unreadBytes: 100, unreadBytesOfAddress: 60, unreadMs: 0 };

/** Readers by name, `address/number`; answers which of them were ended, in order. */
function given(unreadMs = 0) {
  const ended: string[] = [];
  const unread = createUnread({ ...bounds, unreadMs });
  const reader = (name: string) => ({
    remoteAddress: name.split('/')[0],
    destroy: () => ended.push(name),
  });
  return { unread, reader, ended };
}

describe('answers that nobody takes', () => {
  it('of one address: the longest waiting ends when they are too many bytes', () => {
    const { unread, reader, ended } = given();
    for (const name of ['a/1', 'a/2', 'b/1', 'a/3', 'a/4']) unread.wait(reader(name), 20);
    expect(ended).toEqual(['a/1']);
  });

  it('of all: the longest waiting of the address with the most ends', () => {
    const { unread, reader, ended } = given();
    for (const name of ['b/1', 'a/1', 'a/2', 'c/1', 'a/3', 'd/1']) unread.wait(reader(name), 20);
    expect(ended).toEqual(['a/1']);
  });

  it('who goes on to read is not the longest waiting, and what has left does not count', () => {
    const { unread, reader, ended } = given();
    const [first, second] = [reader('a/1'), reader('a/2')];
    unread.wait(first, 20);
    unread.wait(second, 20);
    unread.leave(first);
    unread.wait(first, 20);
    unread.wait(reader('a/3'), 20);
    expect(ended).toEqual([]);
    unread.wait(reader('a/4'), 20);
    expect(ended).toEqual(['a/2']);
  });

  it('one answer beyond the share ends by itself and leaves nothing behind', () => {
    const { unread, reader, ended } = given();
    unread.wait(reader('a/1'), 1000);
    expect(ended).toEqual(['a/1']);
    unread.wait(reader('a/2'), 60);
    expect(ended).toEqual(['a/1']);
  });

  it('the slowest makes room for a newcomer, but none that began a moment ago', () => {
    const { unread, reader, ended } = given();
    expect(unread.endSlowest()).toBe(false);
    for (const name of ['b/1', 'a/1', 'a/2']) unread.wait(reader(name), 20);
    expect([unread.endSlowest(), ended]).toEqual([true, ['a/1']]);
    const { unread: patient, reader: another } = given(60_000);
    patient.wait(another('a/1'), 20);
    expect(patient.endSlowest()).toBe(false);
  });

  it('leave memory that is given back when they are gone, and nothing is done without them', () => {
    const unread = createUnread({ ...bounds, unreadBytes: 2 ** 30, unreadBytesOfAddress: 2 ** 30 });
    let collected = 0;
    const look = createMemoryReturn(unread, () => (collected += 1));
    const after = (looks: number) => {
      for (let at = 0; at < looks; at += 1) look();
      return collected;
    };
    expect(after(3)).toBe(0);
    const reader = { remoteAddress: 'a', destroy: () => undefined };
    unread.wait(reader, 1000);
    unread.leave(reader);
    expect(after(3)).toBe(0);
    unread.wait(reader, 20_000_000);
    expect(after(3)).toBe(0);
    unread.leave(reader);
    expect(after(1)).toBe(0);
    expect(after(5)).toBe(2);
  });
});
