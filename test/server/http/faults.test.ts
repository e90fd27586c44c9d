import { describe, expect, it } from 'vitest';
import type { Refusal } from '../../../server/errors.ts';
import {
  dueFaults,
  parseDelay,
  parseFault,
  wrongPartOf,
  withDelay,
  withFaults,
} from '../../../server/http/faults.ts';
import { noAnswer } from '../../../server/http/message.ts';
import { refusingAll } from '../../../server/running/service.ts';
import { articles, givenService } from '../../support/service.ts';

async function given(fault: string, random = 0) {
  const parsed = parseFault(fault);
  const service = await givenService();
  const pauses: number[] = [];
  const pause = async (ms: number) => void pauses.push(ms);
  const due = dueFaults(parsed === undefined ? [] : [parsed]);
  const app = withFaults(service.app, () => due, {
    random: () => random,
    pause,
    refuse: (refusal: Refusal) =>
      refusingAll(
        refusal,
        { hosts: { loopback: true, allowed: [] }, trusts: () => false },
        service.store,
      ),
  });
  const request = (method: string) => ({
    method,
    target: articles,
    peer: '',
    headers: { host: 'localhost', 'x-access-token': 'all', 'content-type': 'application/json' },
    body: async () => Buffer.from('{"title":"T","content":"C"}'),
  });
  const total = async () => (await service.store.blog(1))?.total;
  return { send: (method: string) => app(request(method)), total, pauses };
}

const aPath = 'a path begins with / and stands behind the method, as GET /articles/1';

describe('a fault on purpose', () => {
  it('status 503 answers so, with Retry-After, and changes nothing', async () => {
    const { send, total } = await given('POST status 503 5%');
    const answer = await send('POST');
    expect(answer).toMatchObject({ status: 503, headers: { 'Retry-After': '1' } });
    expect(JSON.parse(Buffer.from(answer.body).toString())).toMatchObject({ code: 'unavailable' });
    expect(await total()).toBe(0);
  });

  it('drop-before ends without answer and change, drop-after-commit with the change', async () => {
    const before = await given('* drop-before 100%');
    expect(await before.send('POST')).toBe(noAnswer);
    expect(await before.total()).toBe(0);
    const after = await given('* drop-after-commit 100%');
    expect(await after.send('POST')).toBe(noAnswer);
    expect(await after.total()).toBe(1);
  });

  it('slow waits and then answers as ever', async () => {
    const { send, pauses } = await given('GET slow 200ms 50%');
    expect((await send('GET')).status).toBe(200);
    expect(pauses).toEqual([200]);
  });

  it('spares other methods, and all requests beyond its share', async () => {
    expect((await (await given('POST drop-before 100%')).send('GET')).status).toBe(200);
    expect((await (await given('GET drop-before 5%', 0.05)).send('GET')).status).toBe(200);
    expect((await (await given('GET drop-before 5%', 0.049)).send('GET')).status).toBe(0);
  });

  it.each([
    '',
    'POST',
    'POST drop 5%',
    'POST status 200 5%',
    'POST status 503',
    'post drop-before 5%',
    '* slow 5s 1%',
    '* drop-before 101%',
    '* drop-before 0%',
    '* drop-before 0.00%',
    'PSOT drop-before 5%',
  ])('%j is none', (text) => expect(parseFault(text)).toBeUndefined());

  it.each([
    ['', '"" is no method'],
    ['get status 503 once', '"get" is no method'],
    ['POST', 'what is missing'],
    ['POST drop 5%', '"drop" is no failure'],
    ['GET status 418 once', '"status 418" is no failure'],
    ['GET status once', '"status once" is no failure'],
    ['* slow 5s 1%', '"slow 5s" is no failure'],
    ['POST status 503', 'how often is missing'],
    ['GET status 503 0 times', '"0 times" is not how often'],
    ['* drop-before 101%', '"101%" is not how often'],
    ['* drop-before 0%', '"0%" is not how often'],
    ['GET /articles/1 503 once', '"503" is no failure'],
    ['/articles/1 status 503 once', aPath],
    ['http://127.0.0.1/ status 503 once', aPath],
    ['GET http://127.0.0.1/ status 503 once', aPath],
    ['GET articles/1 status 503 once', aPath],
  ])('of %j the wrong part is told: %s', (text, told) => {
    expect(parseFault(text)).toBeUndefined();
    expect(wrongPartOf(text)[0]).toBe(told);
  });
});

it.each(['GET drop-before 1 time', 'GET drop-before 1 times', 'GET drop-before once'])(
  '%j is committed once',
  (text) => expect(parseFault(text)).toMatchObject({ times: 1, share: 1 }),
);

describe('a delay', () => {
  it('is drawn between its bounds before each answer', async () => {
    const { app } = await givenService();
    const pauses: number[] = [];
    const chance = { random: () => 0.5, pause: async (ms: number) => void pauses.push(ms) };
    const slow = withDelay(app, { fromMs: 100, toMs: 300 }, chance);
    const headers = { host: 'localhost' };
    const answer = await slow({
      method: 'GET',
      target: '/',
      peer: '',
      headers,
      body: async () => Buffer.alloc(0),
    });
    expect(answer.status).toBe(200);
    expect(pauses).toEqual([200]);
  });

  it.each([
    ['200', { fromMs: 200, toMs: 200 }],
    ['100-300', { fromMs: 100, toMs: 300 }],
    ['300-100', undefined],
    ['fast', undefined],
    ['-5', undefined],
  ])('%j is %o', (text, delay) => expect(parseDelay(text)).toEqual(delay));
});
