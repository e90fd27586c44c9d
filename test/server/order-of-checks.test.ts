import { expect, it } from 'vitest';
import { articles, givenArticles, givenService } from '../support/service.ts';
import type { Sent } from '../support/service.ts';

/** A PUT that is wrong in every way; each row repairs the check before it. */
const steps: readonly { status: number; code: string; sent: Partial<Attempt> }[] = [
  { status: 400, code: 'bad-request', sent: {} },
  { status: 404, code: 'not-found', sent: { host: 'localhost' } },
  { status: 501, code: 'not-implemented', sent: { path: `${articles}/9` } },
  { status: 406, code: 'not-acceptable', sent: { method: 'PUT' } },
  { status: 401, code: 'anonymous', sent: { accept: '*/*' } },
  { status: 403, code: 'forbidden', sent: { token: 'reader' } },
  { status: 400, code: 'unsupported-media-type', sent: { token: 'all' } },
  { status: 404, code: 'not-found', sent: { type: 'application/json' } },
  { status: 412, code: 'precondition-failed', sent: { path: `${articles}/1` } },
  { status: 400, code: 'bad-request', sent: { ifMatch: '*' } },
  { status: 422, code: 'unprocessable', sent: { body: '{"title":1}' } },
];

type Attempt = {
  host: string;
  path: string;
  method: string;
  accept: string;
  token: string | null;
  type: string;
  ifMatch: string;
  body: string;
};

it('checks in the stated order: each repair meets the next check', async () => {
  const service = await givenService();
  await givenArticles(service, 1);
  let attempt: Attempt = {
    host: 'evil.example',
    path: '/nowhere',
    method: 'PATCH',
    accept: 'text/plain',
    token: null,
    type: 'text/plain',
    ifMatch: '"old"',
    body: '{',
  };
  const met: { status: number; code: string }[] = [];
  for (const { sent } of steps) {
    attempt = { ...attempt, ...sent };
    const { status, json } = await service.send(attempt.method, attempt.path, sentBy(attempt));
    met.push({ status, code: json.code });
  }
  expect(met).toEqual(steps.map(({ status, code }) => ({ status, code })));
  const { json } = await service.send('GET', `${articles}/1`);
  expect(json.title).toBe('Title 1');
});

function sentBy({ host, accept, token, type, ifMatch, body }: Attempt): Sent {
  return {
    token,
    body,
    headers: { host, accept, 'content-type': type, 'if-match': ifMatch },
  };
}
