// oxlint-disable vitest/no-standalone-expect -- a row runs inside the test that is made of it
// oxlint-disable no-underscore-dangle -- the names are HAL's
import { expect } from 'vitest';
import { api, articles } from '../../support/service.ts';
import { draft } from './row.ts';
import type { Row } from './row.ts';

/** When the articles were made. */
const MADE = 'Mon, 01 Jun 2026 12:00:00 GMT';

const ascending = (a: number, b: number) => a - b;

export const conditionsRows: readonly Row[] = [
  {
    row: 14,
    claim: 'tags are strong, stable while nothing changes, and new with each change',
    articles: 1,
    async holds({ send }) {
      const tags = async () => {
        const paths = [`${api}/blogs/1`, articles, `${articles}/1`];
        const answers = await Promise.all(paths.map((path) => send('GET', path)));
        return answers.map(({ headers }) => headers['ETag']);
      };
      const before = await tags();
      for (const tag of before) expect(tag).toMatch(/^"[0-9a-f-]+"$/);
      expect(await tags()).toEqual(before);
      await send('PUT', `${articles}/1`, { body: draft });
      const after = await tags();
      expect(after[0]).toBe(before[0]);
      expect(after[1]).not.toBe(before[1]);
      expect(after[2]).not.toBe(before[2]);
    },
  },
  {
    row: 14,
    claim: 'a tag differs where the bytes differ: another Host, other links',
    articles: 1,
    async holds({ send }) {
      const one = await send('GET', `${articles}/1`);
      const other = await send('GET', `${articles}/1`, { headers: { host: 'localhost:5000' } });
      expect(other.text).not.toBe(one.text);
      expect(other.headers['ETag']).not.toBe(one.headers['ETag']);
    },
  },
  {
    row: 15,
    claim: 'Last-Modified is on article, blog and page; a deletion changes that of the page',
    articles: 2,
    async holds({ send, clock }) {
      const lastModified = async (path: string) =>
        (await send('GET', path)).headers['Last-Modified'];
      expect(await lastModified(`${articles}/1`)).toBe('Mon, 01 Jun 2026 12:00:00 GMT');
      clock.now += 3_600_000;
      await send('DELETE', `${articles}/2`);
      expect(await lastModified(`${articles}/1`)).toBe('Mon, 01 Jun 2026 12:00:00 GMT');
      expect(await lastModified(articles)).toBe('Mon, 01 Jun 2026 13:00:00 GMT');
      expect(await lastModified(`${api}/blogs/1`)).toBe('Mon, 01 Jun 2026 13:00:00 GMT');
    },
  },
  ...(
    [
      ['Mon, 01 Jun 2026 12:00:00 GMT', 304],
      ['Mon, 01 Jun 2026 12:00:01 GMT', 304],
      ['Mon, 01 Jun 2026 11:59:59 GMT', 200],
      ['Monday, 01-Jun-26 12:00:00 GMT', 304],
      ['Mon Jun  1 12:00:00 2026', 304],
      ['2026-06-01T12:00:00Z', 200],
      ['yesterday', 200],
    ] as const
  ).map(([date, status]): Row => ({
    row: 16,
    claim: `If-Modified-Since: ${date} is ${status}`,
    articles: 1,
    async holds({ send }) {
      const answer = await send('GET', `${articles}/1`, { headers: { 'if-modified-since': date } });
      expect(answer.status).toBe(status);
      if (status === 304) expect(answer.text).toBe('');
    },
  })),
  ...(
    [
      ['Mon, 01 Jun 2026 12:00:00 GMT', 200],
      ['Mon, 01 Jun 2026 12:00:01 GMT', 412],
      ['Mon, 01 Jun 2026 11:59:59 GMT', 412],
      ['whenever', 200],
    ] as const
  ).map(([date, status]): Row => ({
    row: 16,
    claim: `If-Unmodified-Since: ${date} on PUT is ${status}`,
    articles: 1,
    async holds({ send }) {
      const headers = { 'if-unmodified-since': date };
      expect((await send('PUT', `${articles}/1`, { headers, body: draft })).status).toBe(status);
    },
  })),
  ...(
    [
      ['if-match', '*'],
      ['if-none-match', '"other"'],
    ] as const
  ).map(([name, tags]): Row => ({
    row: 16,
    claim: `beside ${name} a date is ignored on PUT`,
    articles: 1,
    async holds({ send }) {
      const headers = { [name]: tags, 'if-unmodified-since': 'Mon, 01 Jun 2026 11:59:59 GMT' };
      expect((await send('PUT', `${articles}/1`, { headers, body: draft })).status).toBe(200);
    },
  })),
  ...(
    [
      ['if-match', '*', 200],
      ['if-match', 'TAG', 200],
      ['if-match', '"other", TAG', 200],
      ['if-match', '"other",, ,TAG,', 200],
      ['if-match', 'W/TAG', 412],
      ['if-match', '"other"', 412],
      ['if-match', 'other', 412],
      ['if-match', '"unterminated', 412],
      ['if-match', '', 412],
      ['if-none-match', 'TAG', 412],
      ['if-none-match', 'W/TAG', 412],
      ['if-none-match', '*', 412],
      ['if-none-match', 'garbage', 412],
      ['if-none-match', '"other"', 200],
    ] as const
  ).map(([name, value, status]): Row => ({
    row: 17,
    claim: `${name}: ${value} on PUT is ${status}`,
    articles: 1,
    async holds({ send }) {
      const { headers } = await send('GET', `${articles}/1`);
      const sent = { [name]: value.replace('TAG', headers['ETag'] ?? '') };
      const answer = await send('PUT', `${articles}/1`, { headers: sent, body: draft });
      expect(answer.status).toBe(status);
    },
  })),
  ...(
    [
      ['TAG', 304],
      ['W/TAG', 304],
      ['"other", TAG', 304],
      ['*', 304],
      ['"other"', 200],
      ['garbage', 200],
    ] as const
  ).map(([value, status]): Row => ({
    row: 17,
    claim: `If-None-Match: ${value} on GET is ${status}, and a tag outranks a date`,
    articles: 1,
    async holds({ send }) {
      const { headers } = await send('GET', `${articles}/1`);
      const sent = {
        'if-none-match': value.replace('TAG', headers['ETag'] ?? ''),
        'if-modified-since':
          status === 200 ? 'Mon, 01 Jun 2026 12:00:00 GMT' : 'Mon, 01 Jun 2020 12:00:00 GMT',
      };
      const answer = await send('GET', `${articles}/1`, { headers: sent });
      expect(answer.status).toBe(status);
      expect(answer.headers['ETag']).toBe(headers['ETag']);
      if (status === 304) expect(answer.headers).not.toHaveProperty('Content-Length');
    },
  })),
  {
    row: 17,
    claim: 'on POST the tag of the collection counts',
    articles: 1,
    async holds({ send }) {
      const { headers } = await send('GET', articles);
      const guarded = { headers: { 'if-match': headers['ETag'] ?? '' }, body: draft };
      expect((await send('POST', articles, guarded)).status).toBe(201);
      expect((await send('POST', articles, guarded)).status).toBe(412);
      expect((await send('GET', articles)).json.totalArticles).toBe(2);
    },
  },
  {
    row: 17,
    claim: 'of writers with the same tag at the same time exactly one passes',
    articles: 1,
    async holds({ send }) {
      const { headers } = await send('GET', `${articles}/1`);
      const guarded = { headers: { 'if-match': headers['ETag'] ?? '' }, body: draft };
      const puts = await Promise.all([1, 2, 3].map(() => send('PUT', `${articles}/1`, guarded)));
      expect(puts.map(({ status }) => status).sort(ascending)).toEqual([200, 412, 412]);
      const { headers: list } = await send('GET', articles);
      const unseen = { headers: { 'if-match': list['ETag'] ?? '' }, body: draft };
      const posts = await Promise.all([1, 2, 3].map(() => send('POST', articles, unseen)));
      expect(posts.map(({ status }) => status).sort(ascending)).toEqual([201, 412, 412]);
      const { headers: grown } = await send('GET', articles);
      const again = { headers: { 'if-match': grown['ETag'] ?? '' }, body: draft };
      const beside = await Promise.all([
        send('POST', articles, again),
        send('PUT', `${articles}/1`, { body: draft }),
        send('POST', articles, again),
      ]);
      // Whether the PUT comes first or last, it is a change as well.
      const passed = beside.filter(({ status }) => status === 201);
      expect(passed.length).toBeLessThanOrEqual(1);
      expect(beside[1]?.status).toBe(200);
    },
  },
  {
    row: 18,
    claim: 'where the operator requires it, PUT and DELETE without precondition are 400',
    articles: 1,
    asked: ({ rules }) => ({ rules: { ...rules, requirePreconditions: true } }),
    async holds({ send }) {
      for (const method of ['PUT', 'DELETE']) {
        const bare = await send(method, `${articles}/1`, { body: draft });
        expect(bare).toMatchObject({ status: 400, json: { code: 'precondition-required' } });
      }
      const headers = { 'if-match': '*' };
      expect((await send('PUT', `${articles}/1`, { headers, body: draft })).status).toBe(200);
      expect((await send('PUT', `${articles}/2`, { body: draft })).status).toBe(404);
    },
  },
  ...(
    [
      [{ 'if-unmodified-since': 'garbage' }, 400],
      [{ 'if-unmodified-since': '2026-06-01T12:00:00Z' }, 400],
      [{ 'if-none-match': '"other"' }, 400],
      [{ 'if-none-match': '"other"', 'if-unmodified-since': MADE }, 400],
      [{ 'if-none-match': '*' }, 412],
      [{ 'if-match': 'garbage' }, 412],
      [{ 'if-unmodified-since': 'Mon, 01 Jun 2026 11:59:59 GMT' }, 412],
      [{ 'if-unmodified-since': MADE }, 200],
    ] as const
  ).map(([headers, status]): Row => ({
    row: 18,
    claim: `where it is required, ${JSON.stringify(headers)} is ${status} on PUT and DELETE`,
    articles: 2,
    asked: ({ rules }) => ({ rules: { ...rules, requirePreconditions: true } }),
    async holds({ send }) {
      const put = await send('PUT', `${articles}/1`, { headers, body: draft });
      const removed = await send('DELETE', `${articles}/2`, { headers });
      expect([put.status, removed.status === 204 ? 200 : removed.status]).toEqual([status, status]);
      const codes = { 200: undefined, 400: 'precondition-required', 412: 'precondition-failed' };
      for (const { json } of [put, removed]) expect(json?.code).toBe(codes[status]);
    },
  })),
  ...(
    [
      [{ 'if-unmodified-since': 'Mon, 01 Jun 2026 11:59:59 GMT' }, 412],
      [{ 'if-unmodified-since': MADE }, 200],
      [{ 'if-unmodified-since': 'Mon, 01 Jun 2026 12:00:01 GMT' }, 200],
      [{ 'if-unmodified-since': 'garbage' }, 200],
      [{ 'if-unmodified-since': 'Mon, 01 Jun 2026 11:59:59 GMT', 'if-match': '*' }, 200],
      [{ 'if-unmodified-since': 'Mon, 01 Jun 2026 11:59:59 GMT', 'if-none-match': '"x"' }, 200],
      [{ 'if-unmodified-since': MADE, 'if-modified-since': MADE }, 304],
    ] as const
  ).map(([headers, status]): Row => ({
    row: 16,
    claim: `a read with ${JSON.stringify(headers)} is ${status}`,
    articles: 1,
    async holds({ send }) {
      // A blog may have changed twice in that second: then its date proves nothing.
      const others = status === 304 ? [] : [articles, `${api}/blogs/1`];
      for (const path of [`${articles}/1`, ...others])
        for (const method of ['GET', 'HEAD'])
          expect((await send(method, path, { headers })).status).toBe(status);
    },
  })),
  {
    row: 18,
    claim: 'a write without precondition is accepted',
    articles: 1,
    async holds({ send }) {
      expect((await send('PUT', `${articles}/1`, { body: draft })).status).toBe(200);
    },
  },
];
