// oxlint-disable vitest/no-standalone-expect -- a row runs inside the test that is made of it
// oxlint-disable no-underscore-dangle -- the names are HAL's
import { expect } from 'vitest';
import { api, articles } from '../../support/service.ts';
import { draft } from './row.ts';
import type { Row } from './row.ts';

export const errorsAndDocumentsRows: readonly Row[] = [
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
      expect(page.headers['Content-Security-Policy']).toMatch(
        /^default-src 'none'; script-src 'self'/,
      );
      const resource = await send('GET', path);
      expect(resource.headers['Content-Type']).toBe('application/hal+json');
      expect(resource.json._links.self.href).toBe(`http://localhost:4000${path}`);
    },
  })),
  {
    row: 6,
    claim: 'the deletion that a page shows takes nothing away that was not read',
    articles: 1,
    async holds({ send }) {
      const { example } = (await send('GET', '/docs/articles')).json;
      const [, tag = '*'] = /-X DELETE .* -H 'If-Match: (.*)'/.exec(example) ?? [];
      const headers = { 'if-match': tag };
      expect((await send('DELETE', `${articles}/1`, { headers })).status).toBe(412);
    },
  },
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
  {
    row: 2,
    claim: 'what is not there is named as it was asked for, however many digits it has',
    async holds({ send }) {
      for (const id of ['9007199254740993', '9999999999999999']) {
        for (const path of [
          `${articles}/${id}`,
          `${api}/blogs/${id}`,
          `${api}/blogs/${id}/articles`,
        ]) {
          const { status, json } = await send('GET', path);
          expect(status).toBe(404);
          expect(json.detail).toContain(` ${id}`);
        }
      }
    },
  },
];
