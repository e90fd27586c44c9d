// oxlint-disable vitest/no-standalone-expect -- a row runs inside the test that is made of it
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, vi } from 'vitest';
import { StoreError } from '../../../server/store/store.ts';
import { articles } from '../../support/service.ts';
import { draft } from './row.ts';
import type { Row } from './row.ts';

/** What rates go by; it stands still but where a test moves it. */
function givenTime(): { now: number } {
  const time = { now: Math.ceil(performance.now()) };
  const spied = vi.spyOn(performance, 'now').mockImplementation(() => time.now);
  onTestFinished(() => spied.mockRestore());
  return time;
}

export const limitsRows: readonly Row[] = [
  {
    row: 27,
    claim: 'many unknown tokens from one address are 429 for a while, a known one is always heard',
    async holds({ send }) {
      const time = givenTime();
      const guess = (token: string) => send('POST', articles, { token, body: draft });
      for (let at = 0; at < 20; at += 1) expect((await guess(`guess ${at}`)).status).toBe(401);
      const blocked = await guess('guess 21');
      expect(blocked).toMatchObject({ status: 429, json: { code: 'too-many-requests' } });
      expect(blocked.headers['Retry-After']).toBe('10');
      expect((await guess('all')).status).toBe(201);
      expect((await guess('reader')).status).toBe(403);
      expect((await guess('expired')).status).toBe(401);
      expect((await guess('guess 22')).status).toBe(429);
      expect((await send('GET', articles, { token: 'guess' })).status).toBe(200);
      time.now += 10_000;
      expect((await guess('guess 23')).status).toBe(401);
      expect((await guess('guess 24')).status).toBe(429);
    },
  },
  {
    row: 32,
    claim: 'of two requests with one key at the same time one is 201 and one 409 with Retry-After',
    async holds({ send }) {
      const headers = { 'idempotency-key': 'k' };
      const post = () => send('POST', articles, { headers, body: draft });
      const answers = await Promise.all([post(), post()]);
      const [made, refused] = answers.toSorted((a, b) => a.status - b.status);
      expect(made?.status).toBe(201);
      expect(refused).toMatchObject({
        status: 409,
        json: { code: 'conflict' },
        headers: { 'Retry-After': '1' },
      });
      expect((await post()).headers['Idempotency-Replayed']).toBe('true');
    },
  },
  {
    row: 33,
    claim: 'a service for reading only answers reads, and every valid write with 423',
    asked: ({ rules }) => ({ rules: { ...rules, readOnly: true } }),
    async holds({ send, store }) {
      const { article } = { article: undefined, ...(await store.create(1, draft)) };
      expect(article?.id).toBe(1);
      expect((await send('GET', `${articles}/1`)).status).toBe(200);
      expect((await send('POST', articles, { body: {} })).status).toBe(422);
      for (const [method, path] of [
        ['POST', articles],
        ['PUT', `${articles}/1`],
        ['DELETE', `${articles}/1`],
      ] as const) {
        const answer = await send(method, path, { body: draft });
        expect(answer).toMatchObject({ status: 423, json: { code: 'locked' } });
      }
    },
  },
  {
    row: 33,
    claim: 'a locked blog is read, not changed',
    async holds({ send, owner }) {
      await owner.changeBlog(1, { locked: true });
      expect((await send('POST', articles, { body: draft })).status).toBe(423);
      expect((await send('GET', articles)).status).toBe(200);
    },
  },
  {
    row: 34,
    claim: 'nothing but a fault on purpose is refused with 424',
    async holds() {
      const sources = readdirSync('server', { recursive: true, encoding: 'utf8' });
      const naming = sources
        .filter((name) => name.endsWith('.ts'))
        .filter((name) =>
          readFileSync(join('server', name), 'utf8').includes(`'failed-dependency'`),
        )
        .map((name) => name.replaceAll('\\', '/'));
      // Its status, its title and its meaning.
      expect(naming.toSorted()).toEqual(['documentation/topics.ts', 'errors.ts']);
    },
  },
  ...(
    [
      [36, 'overloaded', 503, '1'],
      [36, 'degraded', 503, '60'],
      [36, 'closing', 503, '5'],
      [37, 'no-room', 507, '30'],
    ] as const
  ).map(([row, failure, status, retryAfter]): Row => ({
    row,
    claim: `a store that is ${failure}: ${status} with Retry-After; reads go on`,
    articles: 1,
    asked: ({ store }) => ({
      store: Object.assign(Object.create(store), {
        blog: (id: number) => store.blog(id),
        read: (...place: Parameters<typeof store.read>) => store.read(...place),
        create: (...details: Parameters<typeof store.create>) =>
          details[1].title === 'T'
            ? Promise.reject(new StoreError(failure, 'no'))
            : store.create(...details),
      }),
    }),
    async holds({ send }) {
      const answer = await send('POST', articles, { body: draft });
      expect(answer).toMatchObject({ status, headers: { 'Retry-After': retryAfter } });
      expect((await send('GET', `${articles}/1`)).status).toBe(200);
    },
  })),
  {
    row: 35,
    claim: 'more requests a second than allowed are 429 with Retry-After, counted by client',
    asked: () => ({ rate: 2 }),
    async holds({ send }) {
      const time = givenTime();
      const read = (token: string | null) => send('GET', articles, { token });
      expect([await read(null), await read('made up 1')].map(({ status }) => status)).toEqual([
        200, 200,
      ]);
      const refused = await read('made up 2');
      expect(refused).toMatchObject({ status: 429, headers: { 'Retry-After': '1' } });
      expect((await read('all')).status).toBe(200);
      time.now += 500;
      expect((await read(null)).status).toBe(200);
      expect((await read(null)).status).toBe(429);
    },
  },
  {
    row: 35,
    claim: 'whoever asks whether the service works is not counted',
    asked: () => ({ rate: 1 }),
    async holds({ send }) {
      givenTime();
      for (const method of ['GET', 'HEAD', 'GET'])
        expect((await send(method, '/health', { token: null })).status).toBe(200);
      expect((await send('GET', articles, { token: null })).status).toBe(200);
      expect((await send('GET', articles, { token: null })).status).toBe(429);
      expect((await send('GET', '/health', { token: null })).status).toBe(200);
      expect((await send('POST', '/health', { token: null })).status).toBe(429);
    },
  },
  ...(
    [
      ['Return="minimal"; foo=bar', 'minimal'],
      ['wait=1 , return = minimal', 'minimal'],
      ['return=minimal, return=representation', 'minimal'],
      ['return=representation, return=minimal', 'representation'],
      ['return=whole, return=minimal', undefined],
      ['x="a, return=minimal"', undefined],
      ['x="\\", return=minimal"', undefined],
      ['respond-async; return=minimal', undefined],
      ['return; x=minimal', undefined],
      ['', undefined],
    ] as const
  ).map(([prefer, applied]): Row => ({
    row: 39,
    claim: `Prefer: ${prefer} asks for ${applied ?? 'nothing'}`,
    async holds({ send }) {
      const { headers } = await send('POST', articles, { headers: { prefer }, body: draft });
      const expected = applied && `return=${applied}`;
      expect(headers['Preference-Applied']).toBe(expected);
    },
  })),
  {
    row: 39,
    claim: 'return=minimal: POST 201 and PUT 204 without body, with the tag',
    async holds({ send }) {
      const headers = { prefer: 'respond-async, return=minimal' };
      const created = await send('POST', articles, { headers, body: draft });
      expect(created).toMatchObject({ status: 201, text: '' });
      expect(created.headers).toMatchObject({
        'Preference-Applied': 'return=minimal',
        'Content-Length': '0',
        Location: `http://localhost:4000${articles}/1`,
      });
      const replaced = await send('PUT', `${articles}/1`, { headers, body: draft });
      expect(replaced).toMatchObject({ status: 204, text: '' });
      expect(replaced.headers).not.toHaveProperty('Content-Length');
      const { headers: read } = await send('GET', `${articles}/1`);
      expect(replaced.headers['ETag']).toBe(read['ETag']);
    },
  },
];
