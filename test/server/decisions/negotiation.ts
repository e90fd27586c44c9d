// oxlint-disable vitest/no-standalone-expect -- a row runs inside the test that is made of it
// oxlint-disable no-underscore-dangle -- the names are HAL's
import { expect } from 'vitest';
import { api, articles } from '../../support/service.ts';
import { draft } from './row.ts';
import type { Row } from './row.ts';

export const negotiationRows: readonly Row[] = [
  ...(
    [
      ['*/*', 200],
      ['application/*', 200],
      ['application/hal+json', 200],
      ['Application/HAL+JSON', 200],
      ['application/hal+json;charset=UTF-8', 200],
      ['text/html,*/*;q=0.1', 200],
      ['', 200],
      [' , ,', 200],
      [', text/html', 406],
      ['application/json', 406],
      ['text/html', 406],
      ['application/hal+json;q=0, */*', 406],
      ['application/hal+json;q=0', 406],
      ['*/*;q=0', 406],
    ] as const
  ).map(([accept, status]): Row => ({
    row: 19,
    claim: `Accept: ${accept} is ${status}, and 406 comes before any write`,
    async holds({ send }) {
      const headers = { accept };
      expect((await send('GET', `${api}/blogs/1`, { headers })).status).toBe(status);
      const written = await send('POST', articles, { headers, body: draft });
      expect(written.status).toBe(status === 200 ? 201 : 406);
      const { json } = await send('GET', articles);
      expect(json.totalArticles).toBe(status === 200 ? 1 : 0);
    },
  })),
  ...(
    [
      [{ 'content-type': 'application/json' }, 201],
      [{ 'content-type': 'APPLICATION/JSON; Charset="UTF-8"' }, 201],
      [{ 'content-type': 'application/json', 'content-encoding': 'identity' }, 201],
      [{ 'content-type': 'application/json; charset=latin1' }, 400],
      [{ 'content-type': 'application/hal+json' }, 400],
      [{ 'content-type': 'text/plain' }, 400],
      [{ 'content-type': 'application/x-www-form-urlencoded' }, 400],
      [{ 'content-type': 'multipart/form-data; boundary=x' }, 400],
      [{ 'content-type': 'application/json, application/json' }, 400],
      [{ 'content-type': '' }, 400],
      [{ 'content-type': 'application/json', 'content-encoding': 'gzip' }, 400],
    ] as const
  ).map(([headers, status]): Row => ({
    row: 20,
    claim: `a body with ${JSON.stringify(headers)} is ${status}`,
    async holds({ send }) {
      const answer = await send('POST', articles, { headers, body: draft });
      expect(answer.status).toBe(status);
      if (status === 400) expect(answer.json.code).toBe('unsupported-media-type');
    },
  })),
  {
    row: 21,
    claim: 'HEAD has the headers of GET and no body, errors included',
    articles: 1,
    async holds({ send }) {
      for (const path of [`${articles}/1`, articles, `${articles}/9`]) {
        const got = await send('GET', path);
        const head = await send('HEAD', path);
        expect({ status: head.status, headers: head.headers }).toEqual({
          status: got.status,
          headers: got.headers,
        });
        expect(head.text).toBe('');
      }
    },
  },
  ...(
    [
      [`${api}/blogs/1`, 'GET, HEAD, OPTIONS'],
      [articles, 'POST, GET, HEAD, OPTIONS'],
      [`${articles}/1`, 'GET, HEAD, PUT, DELETE, OPTIONS'],
      ['*', 'GET, HEAD, POST, PUT, DELETE, OPTIONS'],
    ] as const
  ).map(([path, allow]): Row => ({
    row: 21,
    claim: `OPTIONS ${path} is 204 and allows ${allow}, without token`,
    async holds({ send }) {
      const answer = await send('OPTIONS', path, { token: null });
      expect(answer.status).toBe(204);
      expect(answer.headers['Allow']).toBe(allow);
      expect(answer.headers).not.toHaveProperty('Content-Length');
    },
  })),
  {
    row: 22,
    claim: 'reads are no-cache with Vary: Accept; writes and errors no-store',
    articles: 1,
    async holds({ send }) {
      const read = await send('GET', `${articles}/1`);
      expect(read.headers).toMatchObject({ Vary: 'Accept', 'Cache-Control': 'no-cache' });
      const others = [
        await send('POST', articles, { body: draft }),
        await send('PUT', `${articles}/1`, { body: draft }),
        await send('DELETE', `${articles}/1`),
        await send('GET', `${articles}/9`),
      ];
      for (const { headers } of others) expect(headers['Cache-Control']).toBe('no-store');
    },
  },
];
