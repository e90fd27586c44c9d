import { describe, expect, it } from 'vitest';
import { BlogctlError } from '../../../src/errors.ts';
import type { HttpRequest, Transport } from '../../../src/http/transport.ts';
import { type RetryOptions, waitHint, withRetry } from '../../../src/http/with-retry.ts';
import { reply, type Reply } from '../../support/transport.ts';

type Outcome = Reply | BlogctlError;

const lost = new BlogctlError('unreachable', 'No answer.', { retryable: true });
const untrusted = new BlogctlError('unreachable', 'Not trusted.', { retryable: false });

/** Answers the outcomes in turn, the last one for ever; waits are noted, not waited. */
function given(outcomes: readonly Outcome[], options: Partial<RetryOptions> = {}) {
  const waits: number[] = [];
  const notices: string[] = [];
  let sent = 0;
  const service: Transport = async () => {
    const outcome = outcomes[Math.min(sent, outcomes.length - 1)] ?? {};
    sent += 1;
    if (outcome instanceof BlogctlError) throw outcome;
    return reply(outcome);
  };
  const send = withRetry(service, {
    retries: 3,
    maxWaitMs: 60_000,
    random: () => 0.5,
    now: () => Date.parse('2026-01-01T00:00:00Z'),
    sleep: async (ms) => void waits.push(ms),
    notice: (text) => void notices.push(text),
    ...options,
  });
  return { send, waits, notices, sent: () => sent };
}

const request = (method: string, headers = {}): HttpRequest => ({
  method,
  url: 'http://blog.test/a',
  headers,
});

describe('what is repeated', () => {
  it.each([
    ['GET', {}, { status: 503 }, 4],
    ['GET', {}, { status: 500 }, 4],
    ['GET', {}, { status: 502 }, 4],
    ['GET', {}, { status: 504 }, 4],
    ['GET', {}, { status: 429 }, 4],
    ['GET', {}, { status: 501 }, 1],
    ['GET', {}, { status: 404 }, 1],
    ['GET', {}, { status: 507 }, 1],
    ['PUT', {}, { status: 503 }, 4],
    ['DELETE', {}, { status: 503 }, 4],
    ['POST', {}, { status: 503 }, 1],
    ['POST', { 'idempotency-key': 'k' }, { status: 503 }, 4],
    ['GET', {}, lost, 4],
    ['POST', {}, lost, 1],
    ['POST', { 'idempotency-key': 'k' }, lost, 4],
    ['POST', { 'idempotency-key': 'k' }, { status: 409 }, 1],
    ['POST', { 'idempotency-key': 'k' }, { status: 409, headers: { 'retry-after': '1' } }, 4],
    ['POST', {}, { status: 409, headers: { 'retry-after': '1' } }, 1],
    ['PUT', {}, { status: 409, headers: { 'retry-after': '1' } }, 4],
    ['GET', {}, untrusted, 1],
  ])('%s %j after %j is sent %i times', async (method, headers, outcome, times) => {
    const { send, sent } = given([outcome]);
    await send(request(method, headers)).catch(() => {});
    expect(sent()).toBe(times);
  });

  it('ends with the first answer that is no reason to repeat', async () => {
    const { send, sent } = given([lost, { status: 503 }, { status: 200 }]);
    expect((await send(request('GET'))).status).toBe(200);
    expect(sent()).toBe(3);
  });

  it('passes on the last answer', async () => {
    const { send } = given([{ status: 503 }]);
    expect((await send(request('GET'))).status).toBe(503);
  });

  it('passes on the last failure', async () => {
    const { send } = given([lost]);
    await expect(send(request('GET'))).rejects.toBe(lost);
  });
});

describe('the wait before a repetition', () => {
  it('doubles its bound, half of it with this randomness', async () => {
    const { send, waits } = given([lost]);
    await send(request('GET')).catch(() => {});
    expect(waits).toEqual([125, 250, 500]);
  });

  it.each([
    ['7', 7000],
    ['0', 0],
    ['Thu, 01 Jan 2026 00:00:09 GMT', 9000],
    ['Thu, 01 Jan 2020 00:00:00 GMT', 0],
    ['60', 60_000],
    ['soon', 125],
    ['1.5', 1500],
    ['-5', 125],
    ['1/1/2020', 125],
  ])('follows Retry-After: %s for %i ms', async (value, ms) => {
    const { send, waits } = given([{ status: 503, headers: { 'retry-after': value } }, {}]);
    await send(request('GET'));
    expect(waits).toEqual([ms]);
  });

  it.each(['61', '99999999999999', 'Fri, 02 Jan 2026 00:00:00 GMT'])(
    'is not begun where Retry-After: %s asks for more than is allowed',
    async (value) => {
      const { send, sent, waits, notices } = given([
        { status: 503, headers: { 'retry-after': value } },
      ]);
      expect((await send(request('GET'))).status).toBe(503);
      expect([sent(), waits, notices]).toEqual([1, [], []]);
    },
  );

  it.each([
    ['3600', 'Try again in 3600 s, or allow that wait with --max-wait 3600s.'],
    ['3153600001', 'Try again in 3153600001 s.'],
    ['99999999999999999999999', 'Try again later.'],
  ])('of %s s is hinted at as it can be written', (value, hint) => {
    const answer = reply({ status: 503, headers: { 'retry-after': value } });
    expect(waitHint({ ...answer, isWaitTooLong: true })).toBe(hint);
  });

  it('is announced', async () => {
    const { send, notices } = given([{ status: 503, headers: { 'retry-after': '7' } }, {}]);
    await send(request('GET'));
    expect(notices).toEqual(['The service answered 503. Trying again in 7 s (1 of 3).']);
  });

  it('ends with Ctrl-C', async () => {
    const controller = new AbortController();
    const interrupted = new BlogctlError('interrupted', 'Interrupted.');
    const { send } = given([lost], {
      sleep: async () => {
        controller.abort(interrupted);
        throw new Error('aborted');
      },
    });
    await expect(send({ ...request('GET'), signal: controller.signal })).rejects.toBe(interrupted);
  });
});

describe('a change that may have been done', () => {
  const refused = new BlogctlError('unreachable', 'Nothing listens.', {
    retryable: true,
    maybeDone: false,
    hint: 'Start the service.',
  });
  const open = new BlogctlError('unreachable', 'No answer.', { retryable: true, maybeDone: true });
  const doubt =
    'It may have been done all the same: look with blogctl articles get http://blog.test/a.';

  it.each([
    ['whose answer was lost', open],
    ['that failed', { status: 502 }],
  ])('%s stays so where it cannot be sent once more', async (_, first) => {
    const { send } = given([first, refused]);
    await expect(send(request('PUT'))).rejects.toMatchObject({
      message: 'Nothing listens.',
      hint: `${doubt} Start the service.`,
      context: { maybeDone: true },
    });
  });

  it('is none where every attempt was refused', async () => {
    const { send } = given([{ status: 429 }, refused]);
    await expect(send(request('PUT'))).rejects.toBe(refused);
  });

  it('stays so where Ctrl-C ends the wait', async () => {
    const controller = new AbortController();
    const { send } = given([open], {
      sleep: async () => {
        controller.abort(new BlogctlError('interrupted', 'Interrupted.'));
        throw new Error('aborted');
      },
    });
    const stopped = send({ ...request('DELETE'), signal: controller.signal });
    await expect(stopped).rejects.toMatchObject({ code: 'interrupted', hint: doubt });
  });
});
