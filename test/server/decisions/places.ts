// oxlint-disable vitest/no-standalone-expect -- a row runs inside the test that is made of it
// oxlint-disable no-underscore-dangle -- the names are HAL's
import { expect } from 'vitest';
import { createTrust } from '../../../server/policy/target-uri.ts';
import { api, articles } from '../../support/service.ts';
import { draft } from './row.ts';
import type { Row } from './row.ts';

const app = 'https://app.example';

export const placesRows: readonly Row[] = [
  {
    row: 23,
    claim: 'links begin with the base URL the operator gave, whatever the Host says',
    asked: ({ target }) => ({ target: { ...target, baseUrl: 'https://blog.example/x' } }),
    async holds({ send }) {
      const { json } = await send('GET', `${api}/blogs/1`);
      expect(json._links.self.href).toBe(`https://blog.example/x${api}/blogs/1`);
    },
  },
  ...(
    [
      [
        { forwarded: 'for=192.0.2.7;proto=https;host="blog.example:8443"' },
        'https://blog.example:8443',
      ],
      [{ forwarded: 'host=evil.example, proto=https;host=blog.example' }, 'https://blog.example'],
      [
        { 'x-forwarded-proto': 'https', 'x-forwarded-host': 'blog.example' },
        'https://blog.example',
      ],
      [{ 'x-forwarded-proto': 'javascript' }, 'http://localhost:4000'],
      [{}, 'http://localhost:4000'],
    ] as const
  ).map(([headers, base]): Row => ({
    row: 23,
    claim: `a trusted proxy that sends ${JSON.stringify(headers)} leads to ${base}`,
    asked: ({ target }) => ({ target: { ...target, trusts: trustLoopback } }),
    async holds({ send }) {
      const { json } = await send('GET', `${api}/blogs/1`, { headers });
      expect(json._links.self.href).toBe(`${base}${api}/blogs/1`);
    },
  })),
  {
    row: 23,
    claim: 'a stranger who sends Forwarded is not believed, and a trusted one no nonsense',
    asked: ({ target }) => ({
      target: {
        ...target,
        trusts: createTrust([{ address: '10.0.0.0', bits: 8, family: 'ipv4' }]),
      },
    }),
    async holds({ send, app: handle }) {
      const headers = { 'x-forwarded-host': 'evil.example', forwarded: 'host=evil.example' };
      const { text } = await send('GET', `${api}/blogs/1`, { headers });
      expect(text).not.toContain('evil');
      const nonsense = await handle({
        method: 'GET',
        target: '/',
        peer: '10.1.2.3',
        headers: { host: 'localhost', 'x-forwarded-host': 'a b' },
        body: () => Promise.reject(new Error('not read')),
      });
      expect(nonsense.status).toBe(400);
    },
  },
  ...(
    [
      ['localhost', 200],
      ['LOCALHOST:80', 200],
      ['blog.localhost:4000', 200],
      ['127.0.0.1:1', 200],
      ['127.9.9.9', 200],
      ['[::1]:4000', 200],
      ['named.example', 200],
      ['evil.example', 400],
      ['localhost.evil.example', 400],
      ['127.0.0.1.evil.example', 400],
      ['localhost, localhost', 400],
      ['localhost:x', 400],
      ['', 400],
    ] as const
  ).map(([host, status]): Row => ({
    row: 24,
    claim: `on a loopback address Host: ${host} is ${status}`,
    asked: ({ target }) => ({
      target: { ...target, hosts: { loopback: true, allowed: ['named.example'] } },
    }),
    async holds({ send }) {
      expect((await send('GET', `${api}/blogs/1`, { headers: { host } })).status).toBe(status);
    },
  })),
  {
    row: 24,
    claim: 'on another address any well-formed Host is answered for',
    asked: ({ target }) => ({ target: { ...target, hosts: { loopback: false, allowed: [] } } }),
    async holds({ send }) {
      const headers = { host: 'blog.example' };
      expect((await send('GET', `${api}/blogs/1`, { headers })).status).toBe(200);
    },
  },
  {
    row: 25,
    claim: 'without listed origins there is no word of CORS',
    async holds({ send }) {
      const { headers } = await send('GET', `${api}/blogs/1`, { headers: { origin: app } });
      expect(Object.keys(headers).join()).not.toMatch(/access-control/i);
    },
  },
  {
    row: 25,
    claim:
      'a listed origin may read, and see the headers that matter; no other, and no credentials',
    asked: () => ({ origins: [app] }),
    async holds({ send }) {
      const listed = await send('GET', `${api}/blogs/1`, { headers: { origin: app } });
      expect(listed.headers).toMatchObject({
        'Access-Control-Allow-Origin': app,
        Vary: 'Accept, Origin',
      });
      expect(listed.headers['Access-Control-Expose-Headers']?.split(', ')).toEqual(
        expect.arrayContaining([
          'ETag',
          'Location',
          'Link',
          'Last-Modified',
          'Retry-After',
          'Idempotency-Fingerprint',
        ]),
      );
      expect(listed.headers).not.toHaveProperty('Access-Control-Allow-Credentials');
      for (const origin of ['https://evil.example', 'null', `${app}.evil.example`]) {
        const other = await send('GET', `${api}/blogs/1`, { headers: { origin } });
        expect(other.headers).not.toHaveProperty('Access-Control-Allow-Origin');
        expect(other.headers['Vary']).toBe('Accept, Origin');
      }
    },
  },
  {
    row: 25,
    claim: 'a preflight of a listed origin tells what may be sent; an error can be read too',
    asked: () => ({ origins: [app] }),
    async holds({ send }) {
      const headers = { origin: app, 'access-control-request-method': 'PUT' };
      const preflight = await send('OPTIONS', `${articles}/1`, { headers, token: null });
      expect(preflight.status).toBe(204);
      expect(preflight.headers['Access-Control-Allow-Methods']).toContain('PUT');
      expect(preflight.headers['Access-Control-Allow-Headers']).toContain('X-Access-Token');
      const error = await send('POST', articles, {
        headers: { origin: app },
        token: null,
        body: draft,
      });
      expect(error.status).toBe(401);
      expect(error.headers['Access-Control-Allow-Origin']).toBe(app);
    },
  },
];

function trustLoopback(address: string): boolean {
  return address === '127.0.0.1';
}
