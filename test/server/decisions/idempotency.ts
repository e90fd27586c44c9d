// oxlint-disable vitest/no-standalone-expect -- a row runs inside the test that is made of it
// oxlint-disable no-underscore-dangle -- the names are HAL's
import { expect } from 'vitest';
import { api, articles } from '../../support/service.ts';
import { draft } from './row.ts';
import type { Row } from './row.ts';

export const idempotencyRows: readonly Row[] = [
  {
    row: 38,
    claim: 'the same key and body answer with the stored article; spelling is no meaning',
    async holds({ send }) {
      const headers = { 'idempotency-key': 'k-1' };
      const first = await send('POST', articles, { headers, body: draft });
      expect(first.headers).not.toHaveProperty('Idempotency-Replayed');
      const again = await send('POST', articles, {
        headers: { 'idempotency-key': '"k-1"' },
        body: '{ "content": "C", "title": "\\u0054" }',
        token: 'creator',
      });
      expect(again).toMatchObject({ status: 201, headers: { 'Idempotency-Replayed': 'true' } });
      expect(again.text).toBe(first.text);
      expect(again.headers['Location']).toBe(first.headers['Location']);
      expect((await send('GET', articles)).json.totalArticles).toBe(1);
    },
  },
  {
    row: 38,
    claim: 'the same key with another body is 422; with its article deleted 410',
    async holds({ send }) {
      const headers = { 'idempotency-key': 'k-2' };
      await send('POST', articles, { headers, body: draft });
      const other = await send('POST', articles, { headers, body: { ...draft, content: 'D' } });
      expect(other).toMatchObject({ status: 422, json: { code: 'idempotency-key-reused' } });
      await send('DELETE', `${articles}/1`);
      expect((await send('POST', articles, { headers, body: draft })).status).toBe(410);
    },
  },
  ...['', '"', '"open', 'two words', 'é', 'a, a', 'x'.repeat(256)].map((key): Row => ({
    row: 38,
    claim: `Idempotency-Key: ${key.slice(0, 20)} is 400`,
    async holds({ send }) {
      const headers = { 'idempotency-key': key };
      expect((await send('POST', articles, { headers, body: draft })).status).toBe(400);
    },
  })),
  {
    row: 38,
    claim: 'the blog says that it takes keys',
    async holds({ send }) {
      const { headers } = await send('GET', `${api}/blogs/1`);
      expect(headers['Accept-Idempotency']).toBe('key');
    },
  },
];
