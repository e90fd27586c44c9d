// oxlint-disable vitest/no-standalone-expect -- a row runs inside the test that is made of it
// oxlint-disable no-underscore-dangle -- the names are HAL's
import { expect } from 'vitest';
import { api, articles } from '../../support/service.ts';
import { draft } from './row.ts';
import type { Row } from './row.ts';

export const tokensRows: readonly Row[] = [
  ...(
    [
      [{}, 401],
      [{ token: 'unknown' }, 401],
      [{ token: '' }, 401],
      [{ token: 'all, all' }, 401],
      [{ token: 'expired' }, 401],
      [{ token: 'reader' }, 403],
      [{ token: 'elsewhere' }, 403],
      [{ token: 'creator' }, 201],
    ] as const
  ).map(([sent, status]): Row => ({
    row: 26,
    claim: `POST with ${JSON.stringify(sent)} is ${status}`,
    async holds({ send }) {
      const answer = await send('POST', articles, { token: null, ...sent, body: draft });
      expect(answer.status).toBe(status);
      expect(answer.headers['WWW-Authenticate']).toBe(
        status === 401 ? 'X-Access-Token realm="blog"' : undefined,
      );
    },
  })),
  {
    row: 26,
    claim: 'a token on a read is ignored',
    async holds({ send }) {
      expect((await send('GET', `${api}/blogs/1`, { token: 'nonsense' })).status).toBe(200);
    },
  },
];
