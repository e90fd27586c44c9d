import { describe, expect, it } from 'vitest';

import { BlogctlError } from '../../../../src/errors.ts';
import { createRetryPolicy } from '../../../../src/importing/sending/retry-policy.ts';
import { createVirtualClock } from './virtual-clock.ts';

type Report = { readonly share: number; readonly refused: number; readonly early: number };

/** Sends by one retry policy to a service that allows so many requests in each second. */
async function sendThrough(
  requests: number,
  {
    perSecond,
    concurrency = 4,
    latencyMs = 3,
    phaseMs = 0,
  }: { perSecond: number; concurrency?: number; latencyMs?: number; phaseMs?: number },
): Promise<Report> {
  const clock = createVirtualClock();
  const { signal } = new AbortController();
  const limits = { maxWaitMs: 300_000, maxSilenceMs: 50_000, attempts: 5 };
  const retry = createRetryPolicy(clock, limits);
  let left = requests;
  let refused = 0;
  let early = 0;
  let closedUntil = 0;
  let window = 0;
  let taken = 0;

  async function request(): Promise<void> {
    const sentAt = clock.now();
    if (sentAt < closedUntil && sentAt > closedUntil - 900) early += 1;
    await clock.wait(latencyMs, signal);
    const second = Math.floor((clock.now() + phaseMs) / 1000);
    if (second !== window) [window, taken] = [second, 0];
    taken += 1;
    if (taken <= perSecond) return;
    refused += 1;
    closedUntil = clock.now() + 1000;
    throw new BlogctlError('rate-limited', 'Slower.', { status: 429, retryAfterMs: 1000 });
  }

  async function sender(): Promise<void> {
    while (left > 0) {
      left -= 1;
      await retry(request, signal);
    }
  }

  await Promise.all(Array.from({ length: concurrency }, sender));
  const allowed = (clock.now() / 1000) * perSecond;
  return { share: requests / allowed, refused: refused / requests, early };
}

describe('a service that allows so many requests a second', () => {
  it.each([
    { perSecond: 50 },
    { perSecond: 50, concurrency: 16 },
    { perSecond: 50, concurrency: 16, latencyMs: 100 },
    { perSecond: 200, concurrency: 4 },
    { perSecond: 25, concurrency: 2, latencyMs: 30 },
    // The first burst spends the allowance of two seconds.
    { perSecond: 50, concurrency: 16, latencyMs: 50, phaseMs: 200 },
    { perSecond: 50, concurrency: 16, latencyMs: 50, phaseMs: 800 },
  ])('is used to 95 % of that and refuses 2 % at most: %j', async (service) => {
    const { share, refused, early } = await sendThrough(service.perSecond * 240, service);
    expect(share).toBeGreaterThan(0.95);
    expect(refused).toBeLessThan(0.02);
    expect(early).toBe(0);
  });

  it('is never asked more often than --rate says', async () => {
    const clock = createVirtualClock();
    const { signal } = new AbortController();
    const limits = { maxWaitMs: 1, maxSilenceMs: 1, attempts: 1, perSecond: 20 };
    const retry = createRetryPolicy(clock, limits);
    await Promise.all(
      Array.from({ length: 100 }, () => retry(() => clock.wait(5, signal), signal)),
    );
    expect(clock.now()).toBeGreaterThanOrEqual(99 * 50);
    expect(clock.now()).toBeLessThan(100 * 50 + 10);
  });
});

describe('waiting for a service that is away', () => {
  it('is told at once, with how long it goes on', async () => {
    const clock = createVirtualClock();
    const notices: string[] = [];
    const limits = { attempts: 4, maxWaitMs: 60_000, maxSilenceMs: 60_000 };
    const waits = (notice: string) => void notices.push(notice);
    const retry = createRetryPolicy(clock, { ...limits, waits });
    const away = () => Promise.reject(new BlogctlError('unreachable', 'Nothing listens.'));
    const { signal } = new AbortController();
    await expect(retry(away, signal)).rejects.toThrow('Nothing listens.');
    expect(notices[0]).toBe('Nothing listens. Trying again in 2 s, and so on for 59 s.');
    expect(clock.now()).toBeLessThanOrEqual(60_000);
  });

  it('is done where all the wait that is allowed was asked for, at whatever moment', async () => {
    const { signal } = new AbortController();
    const limits = { attempts: 4, maxWaitMs: 1000, maxSilenceMs: 1000 };
    for (let sevenths = 1; sevenths < 1000; sevenths += 1) {
      const clock = createVirtualClock();
      await clock.wait(sevenths / 7, signal);
      const retry = createRetryPolicy(clock, limits);
      let asked = 0;
      const busy = async () => {
        asked += 1;
        if (asked > 1) return asked;
        throw new BlogctlError('service-failed', 'Busy.', { status: 503, retryAfterMs: 1000 });
      };
      expect(await retry(busy, signal)).toBe(2);
    }
  });
});
