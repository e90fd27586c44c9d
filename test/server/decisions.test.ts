// oxlint-disable vitest/no-standalone-expect -- each row runs inside the test at the end
import { describe, expect, it } from 'vitest';
import { StoreError } from '../../server/store/store.ts';
import type { Store } from '../../server/store/store.ts';
import { api, articles, givenArticles, givenService } from '../support/service.ts';
import type { TestService } from '../support/service.ts';

type Row = {
  readonly row: number;
  readonly claim: string;
  /** Articles `Title 1` … `Title n` are there before. */
  readonly articles?: number;
  readonly holds: (service: TestService) => Promise<void>;
};

const draft = { title: 'T', content: 'C' };

const rows: readonly Row[] = [
  {
    row: 1,
    claim: 'DELETE answers 204 with a type and a Link, without body and Content-Length',
    articles: 1,
    async holds({ send }) {
      const answer = await send('DELETE', `${articles}/1`);
      expect(answer.status).toBe(204);
      expect(answer.text).toBe('');
      expect(answer.headers).not.toHaveProperty('Content-Length');
      expect(answer.headers['Content-Type']).toBe('application/hal+json');
      expect(answer.headers['Link']).toBe(
        `<http://localhost:4000${api}/blogs/1>; rel="http://localhost:4000/docs/blog"; ` +
          "title*=UTF-8''Caf%C3%A9%20%E2%80%9CB%E2%80%9D",
      );
    },
  },
  {
    row: 1,
    claim: 'Prefer: return=representation gets 200 and the Deletion result',
    articles: 1,
    async holds({ send }) {
      const headers = { prefer: 'return=representation' };
      const answer = await send('DELETE', `${articles}/1`, { headers });
      expect(answer.status).toBe(200);
      expect(answer.headers['Preference-Applied']).toBe('return=representation');
      expect(answer.json).toEqual({
        _links: {
          curies: [{ name: 'doc', href: 'http://localhost:4000/docs/{rel}', templated: true }],
          'doc:blog': { href: `http://localhost:4000${api}/blogs/1`, title: 'Café “B”' },
        },
      });
    },
  },
  {
    row: 2,
    claim: 'an error is hal+json with the members of RFC 9457 and links',
    async holds({ send }) {
      const { status, headers, json } = await send('GET', `${articles}/7`);
      const type = 'http://localhost:4000/docs/problems/not-found';
      expect(status).toBe(404);
      expect(headers['Content-Type']).toBe('application/hal+json');
      expect(json).toEqual({
        type,
        title: 'There is nothing here',
        status: 404,
        detail: 'There is no article 7 in this blog.',
        code: 'not-found',
        _links: {
          curies: [{ name: 'doc', href: 'http://localhost:4000/docs/{rel}', templated: true }],
          'doc:blog': { href: `http://localhost:4000${api}/blogs/1`, title: 'Café “B”' },
          'doc:help': { href: type },
        },
      });
    },
  },
  {
    row: 3,
    claim: 'a method that is not for the resource is 400 with a code and Allow',
    async holds({ send }) {
      const answer = await send('DELETE', articles);
      expect(answer.status).toBe(400);
      expect(answer.json.code).toBe('method-not-allowed');
      expect(answer.headers['Allow']?.split(', ').sort()).toEqual([
        'GET',
        'HEAD',
        'OPTIONS',
        'POST',
      ]);
    },
  },
  ...['PATCH', 'TRACE', 'PROPFIND', 'get'].map((method): Row => ({
    row: 4,
    claim: `${method} is 501`,
    async holds({ send }) {
      expect(await send(method, `${api}/blogs/1`)).toMatchObject({
        status: 501,
        json: { code: 'not-implemented' },
      });
    },
  })),
  {
    row: 5,
    claim: 'comments are 501 where the article exists, else 404 or 410',
    articles: 2,
    async holds({ send }) {
      await send('DELETE', `${articles}/2`);
      const statuses = [1, 2, 3].map(
        async (id) => (await send('GET', `${articles}/${id}/comments`)).status,
      );
      expect(await Promise.all(statuses)).toEqual([501, 410, 404]);
    },
  },
  ...[
    '/docs/blog',
    '/docs/articles',
    '/docs/comments',
    '/docs/help',
    '/docs/problems/gone',
    '/',
  ].map((path): Row => ({
    row: 6,
    claim: `${path} is HTML for a browser and hal+json for a client`,
    async holds({ send }) {
      const accept = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';
      const page = await send('GET', path, { headers: { accept } });
      expect(page.status).toBe(200);
      expect(page.headers['Content-Type']).toBe('text/html; charset=utf-8');
      expect(page.text).toMatch(/^<!doctype html>/);
      const resource = await send('GET', path);
      expect(resource.headers['Content-Type']).toBe('application/hal+json');
      expect(resource.json._links.self.href).toBe(`http://localhost:4000${path}`);
    },
  })),
  {
    row: 7,
    claim: 'what was deleted is 410 for GET, PUT and DELETE, and its id is not given again',
    articles: 1,
    async holds({ send }) {
      await send('DELETE', `${articles}/1`);
      for (const method of ['GET', 'PUT', 'DELETE']) {
        const answer = await send(method, `${articles}/1`, method === 'PUT' ? { body: draft } : {});
        expect(answer).toMatchObject({ status: 410, json: { code: 'gone' } });
      }
      expect((await send('POST', articles, { body: draft })).json.id).toBe(2);
    },
  },
  {
    row: 8,
    claim: 'without parameters the page is 1 and its size 20',
    articles: 21,
    async holds({ send }) {
      const { json } = await send('GET', articles);
      expect(json).toMatchObject({ pageIndex: 1, pageSize: 20, totalPages: 2 });
      expect(json._embedded).toHaveLength(20);
    },
  },
  ...[
    ...['0', '-1', '1.5', '1e3', '5abc', '', '01', '1001', '%31x', '+5', '9'.repeat(17)],
    '5&pageSize=5',
  ].map((value): Row => ({
    row: 8,
    claim: `pageSize=${value} is 400 and names the parameter`,
    async holds({ send }) {
      const { status, json } = await send('GET', `${articles}?pageSize=${value}`);
      expect({ status, code: json.code }).toEqual({ status: 400, code: 'bad-request' });
      expect(json.detail).toMatch(/^pageSize /);
    },
  })),
  {
    row: 9,
    claim: 'a page past the end is 200 and empty, with totals and without nextPage',
    articles: 3,
    async holds({ send }) {
      const { status, json } = await send('GET', `${articles}?pageIndex=5&pageSize=2`);
      expect(status).toBe(200);
      expect(json).toMatchObject({ pageIndex: 5, totalPages: 2, totalArticles: 3, _embedded: [] });
      expect(Object.keys(json._link)).toEqual(['firstPage', 'previousPage', 'self', 'lastPage']);
      expect(json._link.previousPage.href).toMatch(/pageIndex=4&pageSize=2$/);
      expect(json._link.lastPage.href).toMatch(/pageIndex=2&pageSize=2$/);
    },
  },
  {
    row: 10,
    claim: 'an empty blog has no pages and its lastPage is page 1',
    async holds({ send }) {
      const { json } = await send('GET', articles);
      expect(json).toMatchObject({ totalPages: 0, totalArticles: 0, _embedded: [] });
      expect(json._link.lastPage.href).toMatch(/pageIndex=1&pageSize=20$/);
    },
  },
  {
    row: 11,
    claim: 'previousPage is left out on the first page, nextPage on the last',
    articles: 4,
    async holds({ send }) {
      const first = await send('GET', `${articles}?pageSize=2`);
      const last = await send('GET', `${articles}?pageSize=2&pageIndex=2`);
      expect(Object.keys(first.json._link)).not.toContain('previousPage');
      expect(first.json._link.nextPage.href).toMatch(/pageIndex=2&pageSize=2$/);
      expect(Object.keys(last.json._link)).not.toContain('nextPage');
      expect(last.json._link.previousPage.href).toMatch(/pageIndex=1&pageSize=2$/);
    },
  },
  {
    row: 12,
    claim: 'a page has a Link header with first, prev, next and last',
    articles: 3,
    async holds({ send }) {
      const { headers } = await send('GET', `${articles}?pageSize=1&pageIndex=2`);
      const page = (index: number) =>
        `<http://localhost:4000${articles}?pageIndex=${index}&pageSize=1>`;
      expect(headers['Link']).toBe(
        `${page(1)}; rel="first", ${page(1)}; rel="prev", ${page(3)}; rel="next", ${page(3)}; rel="last"`,
      );
    },
  },
  {
    row: 13,
    claim: 'articles come in ascending id, also after changes',
    articles: 3,
    async holds({ send }) {
      await send('PUT', `${articles}/1`, { body: draft });
      const { json } = await send('GET', articles);
      expect(json._embedded.map(({ id }: { id: number }) => id)).toEqual([1, 2, 3]);
    },
  },
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
      expect(puts.map(({ status }) => status).sort()).toEqual([200, 412, 412]);
      const { headers: list } = await send('GET', articles);
      const unseen = { headers: { 'if-match': list['ETag'] ?? '' }, body: draft };
      const posts = await Promise.all([
        send('POST', articles, unseen),
        send('POST', articles, unseen),
        send('PUT', `${articles}/1`, { body: draft }),
        send('POST', articles, unseen),
      ]);
      expect(posts.map(({ status }) => status).sort()).toEqual([200, 201, 412, 412]);
    },
  },
  {
    row: 18,
    claim: 'a write without precondition is accepted',
    articles: 1,
    async holds({ send }) {
      expect((await send('PUT', `${articles}/1`, { body: draft })).status).toBe(200);
    },
  },
  ...(
    [
      ['*/*', 200],
      ['application/*', 200],
      ['application/hal+json', 200],
      ['Application/HAL+JSON', 200],
      ['application/hal+json;charset=UTF-8', 200],
      ['text/html,*/*;q=0.1', 200],
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
  ...(
    [
      [{ title: 'T' }, ['/content']],
      [{ content: 'C' }, ['/title']],
      [{ title: 'T', content: null }, ['/content']],
      [{ title: null, content: 'C' }, ['/title']],
      [{ title: 5, content: ['C'] }, ['/title', '/content']],
      [{ title: '', content: 'C' }, ['/title']],
      [{ title: ' \t\u200b\u3164', content: 'C' }, ['/title']],
      [{ title: 'x'.repeat(1001), content: 'C' }, ['/title']],
      [{ title: 'T', content: 'C', contnet: 'C' }, ['/contnet']],
      [{ title: 'T', content: 'C', 'a/b~c': 1 }, ['/a~1b~0c']],
      ['{"title":"T","content":"C","__proto__":{"x":1}}', ['/__proto__']],
      ['{"title":"\\ud800","content":"C"}', ['/title']],
      ['[]', ['']],
      ['null', ['']],
      ['"text"', ['']],
    ] as const
  ).map(([body, pointers]): Row => ({
    row: 28,
    claim: `POST of ${JSON.stringify(body).slice(0, 60)} is 422 and points at ${pointers.join()}`,
    async holds({ send }) {
      const { status, json } = await send('POST', articles, { body });
      expect(status).toBe(422);
      expect(json.code).toBe('unprocessable');
      expect(json.errors.map(({ pointer }: { pointer: string }) => pointer)).toEqual(pointers);
    },
  })),
  ...(
    [
      [{ title: 'T', content: '' }],
      [{ title: '😀'.repeat(1000), content: 'C' }],
      [{ ...draft, id: 'x', _links: 1, _embedded: null }],
      ['{"title":"\\u0000T","content":"\\u0000"}'],
    ] as const
  ).map(([body]): Row => ({
    row: 28,
    claim: `POST of ${JSON.stringify(body).slice(0, 60)} is taken`,
    async holds({ send }) {
      const answer = await send('POST', articles, { body });
      expect(answer.status).toBe(201);
      const { title, content } = typeof body === 'string' ? JSON.parse(body) : body;
      expect((await send('GET', `${articles}/1`)).json).toMatchObject({ id: 1, title, content });
    },
  })),
  ...(
    [
      ['{', 'is not JSON'],
      ['', 'is empty'],
      [Buffer.from('{"title":"\xff"}', 'latin1'), 'UTF-8'],
      ['\ufeff{"title":"T","content":"C"}', 'is not JSON'],
      ['['.repeat(33) + ']'.repeat(33), 'deeper than 32'],
      ['['.repeat(500_000), 'deeper than 32'],
    ] as const
  ).map(([body, detail]): Row => ({
    row: 28,
    claim: `POST of ${String(body).slice(0, 20)} (${body.length}) is 400: ${detail}`,
    async holds({ send }) {
      const answer = await send('POST', articles, { body });
      expect(answer).toMatchObject({ status: 400, json: { code: 'bad-request' } });
      expect(answer.json.detail).toContain(detail);
    },
  })),
  {
    row: 29,
    claim: 'PUT does not create; missing content removes it; unknown members are 422',
    articles: 1,
    async holds({ send }) {
      expect((await send('PUT', `${articles}/2`, { body: draft })).status).toBe(404);
      const typo = await send('PUT', `${articles}/1`, { body: { title: 'T', contents: 'C' } });
      expect(typo).toMatchObject({ status: 422, json: { errors: [{ pointer: '/contents' }] } });
      expect((await send('GET', `${articles}/1`)).json.content).toBe('Content 1');
    },
  },
  ...(['content-length', 'chunked'] as const).map((framing): Row => ({
    row: 30,
    claim: `a body of 1 MiB and 1 byte is 400 (${framing})`,
    async holds({ send }) {
      const body = JSON.stringify({ title: 'T', content: '' });
      const padded = (size: number) => `${body}${' '.repeat(size - body.length)}`;
      const headers = framing === 'chunked' ? { 'content-length': '0' } : undefined;
      const large = await send('POST', articles, {
        ...(headers && { headers }),
        body: padded(1024 * 1024 + 1),
      });
      expect(large).toMatchObject({ status: 400, json: { code: 'payload-too-large' } });
      expect((await send('POST', articles, { body: padded(1024 * 1024) })).status).toBe(201);
    },
  })),
  {
    row: 31,
    claim: '201 carries Location, equal to self',
    async holds({ send }) {
      const { headers, json } = await send('POST', articles, { body: draft });
      expect(headers['Location']).toBe(json._links.self.href);
    },
  },
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
  ...(
    [
      [`${articles}/01`, 404],
      [`${articles}/-1`, 404],
      [`${articles}/1e3`, 404],
      [`${articles}/0x1`, 404],
      [`${articles}/%31`, 404],
      [`${articles}/1%2f2`, 404],
      [`${articles}/__proto__`, 404],
      [`${articles}/${'9'.repeat(400)}`, 404],
      [`${articles}/${'9'.repeat(16)}`, 404],
      [`${articles}/%zz`, 400],
      [`${articles}/%c0%ae`, 400],
      [`${articles}/1%`, 400],
      [`${articles}?pageSize=%ff`, 400],
      [`${articles}/`, 404],
      [`${articles}/1/`, 404],
      [`/${articles}/1`, 404],
      [`//evil.example${articles}/1`, 404],
      [`${api}/blogs/1/../1/articles/1`, 404],
      [`http://localhost:4000${articles}/1`, 200],
      [`http://evil.example${articles}/1`, 400],
      ['articles', 400],
      ['*', 404],
    ] as const
  ).map(([target, status]): Row => ({
    row: 40,
    claim: `GET ${target.slice(0, 60)} is ${status}`,
    articles: 1,
    async holds({ send }) {
      expect((await send('GET', target)).status).toBe(status);
    },
  })),
  ...['/api/v1.1/blogs/1', '/api/v1x2/blogs/1', '/api', '/favicon.ico', '/docs/constructor'].map(
    (path): Row => ({
      row: 43,
      claim: `GET ${path} is 404 as hal+json`,
      async holds({ send }) {
        const { status, headers, json } = await send('GET', path);
        expect(status).toBe(404);
        expect(headers['Content-Type']).toBe('application/hal+json');
        expect(json.code).toBe('not-found');
      },
    }),
  ),
];

describe('decisions', () => {
  it.each(rows)('$row: $claim', async ({ articles: count = 0, holds }) => {
    const service = await givenService();
    await givenArticles(service, count);
    await holds(service);
    expect(service.reports).toEqual([]);
  });
});

const failing = (store: Store, error: unknown): Store => ({
  ...store,
  blogs: () => store.blogs(),
  blog: (id) => store.blog(id),
  create: () => Promise.reject(error),
});

describe('a store that fails', () => {
  it.each([
    ['no-room', 507, 'insufficient-storage', '30'],
    ['overloaded', 503, 'unavailable', '1'],
    ['degraded', 503, 'unavailable', '60'],
    ['closing', 503, 'unavailable', '5'],
    ['outcome-unknown', 500, 'outcome-unknown', undefined],
    ['damaged', 500, 'damaged-article', undefined],
  ] as const)('%s is %i %s', async (failure, status, code, retryAfter) => {
    const error = new StoreError(failure, 'secret path /var/blog.json');
    const { send } = await givenService(({ store }) => ({ store: failing(store, error) }));
    const answer = await send('POST', articles, { body: draft });
    expect(answer).toMatchObject({ status, json: { code } });
    expect(answer.headers['Retry-After']).toBe(retryAfter);
    expect(answer.text).not.toContain('secret');
  });

  it('in an unknown way is 500, reported and not shown', async () => {
    const error = new TypeError('secret');
    const service = await givenService(({ store }) => ({ store: failing(store, error) }));
    const answer = await service.send('POST', articles, { body: draft });
    expect(answer).toMatchObject({ status: 500, json: { code: 'internal' } });
    expect(answer.text).not.toContain('secret');
    expect(service.reports).toEqual([error]);
  });
});
