import { setTimeout as pause } from 'node:timers/promises';
import { expect, it, onTestFinished, vi } from 'vitest';
import {
  createAuthenticator,
  createRateLimit,
  createTokenBuckets,
} from '../../../server/policy/authentication.ts';

it('a bucket is emptied at once and filled by the second, for each client alone', () => {
  let now = 1000;
  const buckets = createTokenBuckets({ perSecond: 2, burst: 3 }, () => now);
  for (let at = 0; at < 3; at += 1) buckets.take('a');
  expect(buckets.wait('a')).toBe(1);
  expect(buckets.wait('b')).toBeUndefined();
  now = 1499;
  expect(buckets.wait('a')).toBe(1);
  now = 1500;
  expect(buckets.wait('a')).toBeUndefined();
  buckets.take('a');
  expect(buckets.wait('a')).toBe(1);
  now = 1_000_000;
  expect(buckets.wait('a')).toBeUndefined();
});

it('a wait is said in whole seconds, rounded up', () => {
  let now = 0;
  const buckets = createTokenBuckets({ perSecond: 0.1, burst: 1 }, () => now);
  buckets.take('a');
  const waits = [0, 500, 9999].map((at) => {
    now = at;
    return buckets.wait('a');
  });
  expect(waits).toEqual([10, 10, 1]);
});

it('a faked clock that begins anew refills nothing, and adds no wait', () => {
  let now = 60_000;
  const buckets = createTokenBuckets({ perSecond: 1, burst: 2 }, () => now);
  buckets.take('a');
  now = 0;
  expect(buckets.wait('a')).toBeUndefined();
  buckets.take('a');
  expect(buckets.wait('a')).toBe(1);
  now = 1000;
  expect(buckets.wait('a')).toBeUndefined();
});

it('ten thousand clients do not fill the memory: the oldest is forgotten', () => {
  const buckets = createTokenBuckets({ perSecond: 0.001, burst: 1 }, () => 0);
  buckets.take('first');
  for (let at = 0; at < 10_000; at += 1) buckets.take(`client ${at}`);
  expect(buckets.wait('first')).toBeUndefined();
  expect(buckets.wait('client 9999')).toBe(1000);
});

type Presented = Parameters<ReturnType<typeof createAuthenticator>>[0];

const presented: Presented = { token: 'x', address: 'a', now: 3_600_000 };

/** Known to nobody; a slow one is told so later than those that came after it. */
const nobody = async (token: string) => {
  if (token.startsWith('slow')) await pause(5);
  return undefined;
};

/** What rates go by; it stands still but where a test moves it. */
function givenTime(): { now: number } {
  const time = { now: Math.ceil(performance.now()) };
  const spied = vi.spyOn(performance, 'now').mockImplementation(() => time.now);
  vi.useFakeTimers({ toFake: ['Date'] });
  onTestFinished(() => {
    spied.mockRestore();
    vi.useRealTimers();
  });
  return time;
}

it.each([
  ['unknown tokens', () => createAuthenticator(nobody), 'Too many'],
  ['requests', () => createRateLimit(20, nobody), 'At most'],
] as const)('%s that overtake each other are counted like those in turn', async (_, of, words) => {
  givenTime();
  const take: (presented: Presented) => Promise<unknown> = of();
  let refused = 0;
  const ask = async (token: string, at: number) => {
    const met = await take({ ...presented, token, now: presented.now + at }).catch(String);
    if (String(met).includes(words)) refused += 1;
  };
  for (let at = 0; at < 100; at += 10) {
    const slow = ask(`slow ${at}`, at);
    for (let next = at + 1; next < at + 10; next += 1) await ask(`quick ${next}`, next);
    await slow;
  }
  expect(refused).toBe(80);
});

it('a clock of the day that is put back shuts nobody out, and forgets nothing', async () => {
  const time = givenTime();
  const [limit, guess] = [createRateLimit(1, nobody), createAuthenticator(nobody)];
  await limit(presented);
  for (let at = 0; at < 20; at += 1) await expect(guess(presented)).rejects.toThrow('not known');
  const earlier = { ...presented, now: 0 };
  await expect(limit(earlier)).rejects.toThrow('At most 1 requests');
  await expect(guess(earlier)).rejects.toThrow('Too many unknown tokens');
  time.now += 10_000;
  await limit(earlier);
  await expect(guess(earlier)).rejects.toThrow('not known');
});

it('a clock of the day that a test moves on fills what it has emptied, and once', async () => {
  givenTime();
  const limit = createRateLimit(1, nobody);
  for (let at = 0; at < 4; at += 1) {
    await limit(presented);
    await expect(limit(presented)).rejects.toThrow('At most 1 requests');
    vi.setSystemTime(Date.now() + 10_000);
  }
  await limit(presented);
  vi.setSystemTime(Date.now() - 60_000);
  await expect(limit(presented)).rejects.toThrow('At most 1 requests');
  vi.setSystemTime(Date.now() + 1000);
  await limit(presented);
});
