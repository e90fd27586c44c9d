import { Writable } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createWaiting } from '../../../src/terminal/progress.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function givenScreen() {
  let shown = '';
  const stream = new Writable({
    write: (chunk: Buffer, _encoding, done) => {
      shown += chunk.toString('utf8');
      done();
    },
  });
  const screen = Object.assign(stream, {
    isTTY: true,
    columns: 80,
    cursorTo: () => true,
    clearLine: () => true,
    moveCursor: () => true,
  });
  return { screen, shown: () => shown };
}

describe('waiting', () => {
  it('shows nothing where the answer comes in a blink', async () => {
    const { screen, shown } = givenScreen();
    expect(await createWaiting(screen, true).during(async () => 7)).toBe(7);
    await vi.runAllTimersAsync();
    expect(shown()).toBe('');
  });

  it('says so where it takes longer', async () => {
    const { screen, shown } = givenScreen();
    let answer = (_value: number) => {};
    const waiting = createWaiting(screen, true).during(
      () => new Promise<number>((resolve) => (answer = resolve)),
    );
    await vi.advanceTimersByTimeAsync(150);
    await vi.dynamicImportSettled();
    expect(shown()).toContain('Waiting for an answer');
    answer(7);
    expect(await waiting).toBe(7);
  });

  it('passes a failure on', async () => {
    const { screen } = givenScreen();
    const failing = createWaiting(screen, true).during(async () => {
      throw new Error('no');
    });
    await expect(failing).rejects.toThrow('no');
  });
});
