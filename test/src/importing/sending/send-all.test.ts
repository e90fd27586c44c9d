import { setTimeout as delay } from 'node:timers/promises';

import { describe, expect, it } from 'vitest';

import { sendAll } from '../../../../src/importing/sending/pace.ts';

const notStopped = new AbortController().signal;

describe('sending all', () => {
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
