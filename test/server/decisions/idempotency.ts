// oxlint-disable vitest/no-standalone-expect -- a row runs inside the test that is made of it
// oxlint-disable no-underscore-dangle -- the names are HAL's
import { hash } from 'node:crypto';

import { expect } from 'vitest';
import { readKey } from '../../../server/policy/body.ts';
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
  {
    row: 38,
    claim: 'a known key is answered by what it made, whatever its precondition says now',
    async holds({ send }) {
      const { headers: list } = await send('GET', articles);
      const headers = { 'idempotency-key': 'k-3', 'if-match': list['ETag'] ?? '' };
      const first = await send('POST', articles, { headers, body: draft });
      const again = await send('POST', articles, { headers, body: draft });
      expect(again).toMatchObject({ status: 201, headers: { 'Idempotency-Replayed': 'true' } });
      expect(again.text).toBe(first.text);
      const other = { headers, body: { ...draft, content: 'D' } };
      expect((await send('POST', articles, other)).status).toBe(422);
      const unknown = { ...headers, 'idempotency-key': 'k-4' };
      expect((await send('POST', articles, { headers: unknown, body: draft })).status).toBe(412);
      expect((await send('POST', articles, { headers: unknown, body: '{' })).status).toBe(412);
    },
  },
  ...['', '"', '"open', 'two words', 'é', 'a, a', 'x'.repeat(256)].map((key): Row => ({
    row: 38,
    claim: `Idempotency-Key: ${key.slice(0, 20)} is 400, which says how one is sent`,
    async holds({ send }) {
      const headers = { 'idempotency-key': key };
      const refused = await send('POST', articles, { headers, body: draft });
      expect(refused.status).toBe(400);
      expect(refused.json.detail).toContain('in quotes where a space or a comma is among them');
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
  {
    row: 51,
    claim: 'the blog tells where the article of a key is found, and what that relation means',
    async holds({ send }) {
      const { headers } = await send('GET', `${api}/blogs/1`);
      expect(headers['Link-Template']).toBe(
        `"http://localhost:4000${keys}/{key}"; rel="http://localhost:4000/docs/articleKey"`,
      );
      const current = { 'if-none-match': headers['ETag'] ?? '' };
      const unchanged = await send('GET', `${api}/blogs/1`, { headers: current });
      expect(unchanged.headers['Link-Template']).toBe(headers['Link-Template']);
      const page = await send('GET', '/docs/articleKey', { headers: { accept: 'text/html' } });
      expect(page).toMatchObject({ status: 200, text: expect.stringContaining('RFC 9652') });
      const hal = await send('GET', '/docs/articleKey');
      expect(hal.json._links.self.href).toBe('http://localhost:4000/docs/articleKey');
    },
  },
  ...[
    'k-1',
    '"quoted words"',
    '"a/b?c=d#e%2f"',
    String.raw`"say \"so\" \\ "`,
    '..',
    "!$&'()*+;=:@~",
  ].map((key): Row => ({
    row: 51,
    claim: `what was made with Idempotency-Key: ${key} is found by it, as by its own address`,
    articles: 1,
    async holds({ send }) {
      await send('POST', articles, { headers: { 'idempotency-key': key }, body: draft });
      const own = await send('GET', `${articles}/2`);
      expect(own.status).toBe(200);
      const address = `${keys}/${encodeURIComponent(readKey(key) ?? '')}`;
      const fingerprint = hash('sha256', JSON.stringify(draft.title) + draft.content);
      const headers = { ...own.headers, 'Idempotency-Fingerprint': fingerprint };
      expect(await send('GET', address)).toEqual({ ...own, headers });
      expect(await send('HEAD', address)).toEqual({ ...own, headers, text: '', json: undefined });
      const current = { 'if-none-match': own.headers['ETag'] ?? '' };
      expect((await send('GET', address, { headers: current })).status).toBe(304);
    },
  })),
  {
    row: 51,
    claim: 'a key that was never used is 404, in another blog too, and one of the deleted 410',
    async holds({ send }) {
      const headers = { 'idempotency-key': 'k-3' };
      expect((await send('GET', `${keys}/k-3`)).status).toBe(404);
      await send('POST', articles, { headers, body: draft });
      expect((await send('GET', `${keys}/k-3`)).status).toBe(200);
      await send('PUT', `${articles}/1`, { body: { title: 'New' } });
      expect((await send('GET', `${keys}/k-3`)).json).toMatchObject({ id: 1, title: 'New' });
      expect((await send('GET', `${api}/blogs/2/article-keys/k-3`)).status).toBe(404);
      await send('DELETE', `${articles}/1`);
      expect(await send('GET', `${keys}/k-3`)).toMatchObject({
        status: 410,
        json: { code: 'gone', detail: 'The article made with this Idempotency-Key was deleted.' },
      });
    },
  },
  ...(
    [
      ['GET', '%22k-1%22', 404],
      ['GET', 'x'.repeat(256), 404],
      ['GET', '%C3%A9', 404],
      ['GET', '', 404],
      ['GET', 'a/b', 404],
      ['GET', '%zz', 400],
      ['POST', 'k-1', 400],
      ['DELETE', 'k-1', 400],
      ['PATCH', 'k-1', 501],
      ['OPTIONS', 'k-1', 204],
    ] as const
  ).map(([method, key, status]): Row => ({
    row: 51,
    claim: `${method} …/article-keys/${key.slice(0, 20)} is ${status}`,
    async holds({ send }) {
      await send('POST', articles, { headers: { 'idempotency-key': 'k-1' }, body: draft });
      const answer = await send(method, `${keys}/${key}`);
      expect(answer.status).toBe(status);
      const allows = method === 'POST' || method === 'DELETE' || method === 'OPTIONS';
      expect(answer.headers['Allow']).toBe(allows ? 'GET, HEAD, OPTIONS' : undefined);
    },
  })),
];

const keys = `${api}/blogs/1/article-keys`;
