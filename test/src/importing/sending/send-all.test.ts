import { setImmediate as nextTurn, setTimeout as delay } from 'node:timers/promises';

import { describe, expect, it } from 'vitest';

import { sendAll } from '../../../../src/importing/sending/send-all.ts';

const notStopped = new AbortController().signal;

describe('sending all', () => {
  it('reads the next record while the answer to the last one is waited for', async () => {
    const events: string[] = [];
    function* batch() {
      for (const number of [1, 2, 3]) {
        events.push(`read ${number}`);
        yield number;
      }
    }
    async function* batches() {
      yield batch();
    }
    let answer = () => {};
    const answered = new Promise<void>((resolve) => (answer = resolve));
    const deliver = (number: number) => {
      events.push(`sent ${number}`);
      return answered;
    };
    const sending = { deliver, concurrency: 1, settled: () => true };
    const sent = sendAll(batches(), sending, notStopped);
    await nextTurn();
    expect(events).toEqual(['read 1', 'sent 1']);
    await nextTurn();
    await nextTurn();
    expect(events).toEqual(['read 1', 'sent 1', 'read 2']);
    answer();
    await sent;
    expect(events).toContain('sent 3');
  });

  it('asks for the next batch before a sender has to wait for it', async () => {
    let asked = 0;
    async function* batches() {
      for (asked = 1; asked <= 3; asked += 1) yield [asked];
    }
    let answer = () => {};
    const answered = new Promise<void>((resolve) => (answer = resolve));
    const sending = { deliver: () => answered, concurrency: 1, settled: () => true };
    const sent = sendAll(batches(), sending, notStopped);
    for (let turn = 0; turn < 4; turn += 1) await nextTurn();
    expect(asked).toBe(2);
    answer();
    await sent;
    expect(asked).toBe(4);
  });

  it('sends what was read before the source failed, and then tells of that', async () => {
    const sent: number[] = [];
    function* batch() {
      yield 1;
      yield 2;
      throw new Error('The disk is gone.');
    }
    async function* batches() {
      yield batch();
    }
    const deliver = async (number: number) => {
      await delay(1);
      sent.push(number);
    };
    const sending = { deliver, concurrency: 1, settled: () => true };
    await expect(sendAll(batches(), sending, notStopped)).rejects.toThrow('The disk is gone.');
    expect(sent).toEqual([1, 2]);
  });
});
