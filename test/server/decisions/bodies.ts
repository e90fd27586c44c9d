// oxlint-disable vitest/no-standalone-expect -- a row runs inside the test that is made of it
// oxlint-disable no-underscore-dangle -- the names are HAL's
import { expect } from 'vitest';
import { articles } from '../../support/service.ts';
import { draft } from './row.ts';
import type { Row } from './row.ts';

export const bodiesRows: readonly Row[] = [
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
  ...(
    [
      ['{"title":"T","content":"long","content":""}', '/content'],
      ['{"title":"T","content":"C","t\\u0069tle":"U"}', '/title'],
      ['{"title":"T","_links":{},"content":"C" , "_links" : {"a":1} }', '/_links'],
      ['{"__proto__":1,"title":"T","__proto__":2,"content":"C"}', '/__proto__'],
      ['{"a/b":1,"a/b":2}', '/a~1b'],
    ] as const
  ).map(([body, pointer]): Row => ({
    row: 28,
    claim: `${body} is 422: ${pointer} stands there more than once`,
    articles: 1,
    async holds({ send }) {
      for (const [method, path] of [
        ['POST', articles],
        ['PUT', `${articles}/1`],
      ] as const) {
        const { status, json } = await send(method, path, { body });
        expect(status).toBe(422);
        expect(json.errors).toEqual([{ pointer, detail: 'stands there more than once' }]);
      }
    },
  })),
  {
    row: 28,
    claim: 'names that stand in a text, in a list or further down are no members that are doubled',
    async holds({ send }) {
      const links = { a: { href: '"title":' }, b: [{ a: 1 }, { a: 2 }], title: 'x' };
      const body = { title: '"content":"x",', content: '{"title":1,"title":2}', _links: links };
      expect((await send('POST', articles, { body })).status).toBe(201);
    },
  },
  {
    row: 28,
    claim: 'a part of an article (Content-Range) is 400 on POST and PUT',
    articles: 1,
    async holds({ send }) {
      const headers = { 'content-range': 'bytes 0-29/900' };
      for (const [method, path] of [
        ['POST', articles],
        ['PUT', `${articles}/1`],
      ] as const) {
        const answer = await send(method, path, { headers, body: draft });
        expect(answer).toMatchObject({ status: 400, json: { code: 'bad-request' } });
        expect(answer.json.detail).toContain('Content-Range');
      }
    },
  },
  {
    row: 28,
    claim: 'a wrong type is told apart from what is missing',
    async holds({ send }) {
      const { json } = await send('POST', articles, { body: { title: null } });
      expect(json.errors).toEqual([
        { pointer: '/title', detail: 'must be a string' },
        { pointer: '/content', detail: 'is missing' },
      ]);
    },
  },
  {
    row: 28,
    claim: 'of 50,000 unknown members 20 are named, and how many more there are',
    async holds({ send }) {
      const members = Array.from({ length: 50_000 }, (_, at) => [`m${at}`, 1]);
      const body = { ...draft, ...Object.fromEntries(members) };
      const { status, json } = await send('POST', articles, { body });
      expect(status).toBe(422);
      expect(json.errors).toHaveLength(20);
      expect(json.errors[19].pointer).toBe('/m19');
      expect(json.detail).toContain('/m19 is not a member of an article; and 49980 more.');
    },
  },
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
];
