import { request } from 'node:http';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startServer, UnusableOption } from '../../server/index.ts';
import type { ServeOptions } from '../../server/index.ts';

const token = 'the-token-of-this-run';

async function given(options: Partial<ServeOptions> = {}) {
  const control = { ephemeral: true, control: true, token, seed: [{ title: 'One' }] };
  const server = await startServer({
    file: 'never-made.json',
    host: '127.0.0.1',
    port: 0,
    ...control,
    ...options,
  });
  onTestFinished(async () => void (await server.stop()));
  return server;
}

type Sent = {
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** null sends none. */
  readonly token?: string | null;
};

/** One request with exactly these fields; `fetch` would add some and refuse others. */
function ask(url: string, line: string, sent: Sent = {}) {
  const [method = '', path = ''] = line.split(' ');
  const { hostname, port } = new URL(url);
  const right = sent.token === null ? {} : { 'x-access-token': sent.token ?? token };
  const body = sent.body ?? '';
  const ofBody =
    body === '' ? {} : { 'content-type': 'application/json', 'content-length': body.length };
  const headers = { ...right, ...ofBody, ...sent.headers };
  return new Promise<{ status: number; headers: NodeJS.Dict<string | string[]>; body: string }>(
    (resolve, reject) => {
      const asked = request({ hostname, port, method, path, headers }, (answer) => {
        answer
          .setEncoding('utf8')
          .toArray()
          .then((parts) => {
            const { statusCode: status = 0, headers: own } = answer;
            resolve({ status, headers: own, body: parts.join('') });
          }, reject);
      });
      asked.on('error', reject);
      asked.end(body);
    },
  );
}

const articles = '/api/v1.2/blogs/1/articles';
const draft = '{"title":"New","content":""}';

describe('control', () => {
  it('resets, and the token still holds', async () => {
    const { url } = await given();
    expect((await ask(url, `DELETE ${articles}/1`)).status).toBe(204);
    expect(await ask(url, 'POST /control/reset')).toMatchObject({ status: 204, body: '' });
    expect((await ask(url, `GET ${articles}/1`)).status).toBe(200);
    expect((await ask(url, `POST ${articles}`, { body: draft })).status).toBe(201);
  });

  it('sets faults and takes them away', async () => {
    const { url } = await given({ faults: ['GET status 429 100%'] });
    const statuses = async () => {
      const seen: number[] = [];
      for (let at = 0; at < 3; at += 1) seen.push((await ask(url, `GET ${articles}`)).status);
      return seen;
    };
    const body = '["GET status 503 once"]';
    expect((await ask(url, 'PUT /control/faults', { body })).status).toBe(204);
    expect(await statuses()).toEqual([503, 200, 200]);
    expect((await ask(url, 'DELETE /control/faults')).status).toBe(204);
    expect(await statuses()).toEqual([200, 200, 200]);
    await ask(url, 'POST /control/reset');
    expect(await statuses()).toEqual([429, 429, 429]);
  });

  it('shows requests, its own not among them, and forgets them', async () => {
    const { url } = await given();
    await ask(url, `POST ${articles}`, { body: draft });
    await ask(url, `GET ${articles}/9`);
    const shown = await ask(url, 'GET /control/requests');
    expect(shown).toMatchObject({
      status: 200,
      headers: { 'content-type': 'application/json', 'cache-control': 'no-store' },
    });
    const headers = expect.objectContaining({ 'x-access-token': '(not shown)' });
    expect(JSON.parse(shown.body)).toEqual([
      { method: 'POST', path: articles, status: 201, headers, body: draft },
      { method: 'GET', path: `${articles}/9`, status: 404, headers, body: '' },
    ]);
    expect((await ask(url, 'DELETE /control/requests')).status).toBe(204);
    expect(JSON.parse((await ask(url, 'GET /control/requests')).body)).toEqual([]);
  });

  it('takes snapshots and puts them back, also after a reset', async () => {
    const { url } = await given();
    await ask(url, `POST ${articles}`, { body: draft });
    expect((await ask(url, 'PUT /control/snapshots/two')).status).toBe(204);
    await ask(url, 'POST /control/reset');
    expect((await ask(url, `GET ${articles}/2`)).status).toBe(404);
    expect((await ask(url, 'POST /control/snapshots/two')).status).toBe(204);
    expect((await ask(url, `GET ${articles}/2`)).status).toBe(200);
  });

  it('knows no faults and no delay', async () => {
    const { url } = await given({ faults: ['* drop-before 100%'], delay: '60000' });
    expect((await ask(url, 'GET /control/requests')).status).toBe(200);
    expect((await ask(url, 'DELETE /control/faults')).status).toBe(204);
  });

  it.each<[string, Sent, number, string]>([
    ['POST /control/snapshots/none', {}, 404, 'There is no snapshot of this name.'],
    ['PUT /control/snapshots/a%20b', {}, 400, 'The name of a snapshot has'],
    ['PUT /control/snapshots/a/b', {}, 404, 'There is nothing at /control/snapshots/a/b.'],
    ['POST /control/reset/', {}, 404, 'There is nothing at'],
    ['POST /control/explode', {}, 404, 'There is nothing at /control/explode.'],
    ['GET /control/reset', {}, 400, 'GET is not for this path: POST.'],
    ['PUT /control/faults', {}, 400, 'The Content-Type of a body'],
    ['PUT /control/faults', { body: '["GET' }, 400, 'The body is not JSON'],
    ['PUT /control/faults', { body: '"GET status 503 once"' }, 400, 'Faults are an array'],
    [
      'PUT /control/faults',
      { body: '["GET 503"]' },
      400,
      'No fault: GET 503; "503" is no failure. Write method',
    ],
  ])('%s %j: %i', async (line, sent, status, detail) => {
    const { url } = await given({ faults: ['GET status 429 once'] });
    const answer = await ask(url, line, sent);
    expect(answer).toMatchObject({ status, headers: { 'content-type': 'application/json' } });
    expect(JSON.parse(answer.body).detail).toContain(detail);
    expect((await ask(url, `GET ${articles}`)).status).toBe(429);
  });
});

describe('control is not reached', () => {
  const other = (name: string, value: string): Sent => ({ headers: { [name]: value } });
  const reset = 'POST /control/reset';

  it.each<[string, string, Sent]>([
    ['without a token', reset, { token: null }],
    ['with an empty token', reset, { token: '' }],
    ['with another token', reset, { token: `${token}x` }],
    ['with the start of the token', reset, { token: token.slice(0, -1) }],
    ['with the token in other letters', reset, { token: token.toUpperCase() }],
    ['with the token twice', reset, { token: `${token}, ${token}` }],
    [
      'with the token in Authorization',
      reset,
      { token: null, ...other('authorization', `Bearer ${token}`) },
    ],
    [
      'with the token in a cookie',
      reset,
      { token: null, ...other('cookie', `x-access-token=${token}`) },
    ],
    ['with the token in the query', `${reset}?x-access-token=${token}`, { token: null }],
    ['by a read without a token', 'GET /control/requests', { token: null }],
    ['by HEAD without a token', 'HEAD /control/requests', { token: null }],
    ['from another origin', reset, other('origin', 'https://evil.example')],
    ['from an origin that the API lists', reset, other('origin', 'https://app.example')],
    ['from its own origin', reset, other('origin', 'http://127.0.0.1')],
    ['from a sandboxed page', reset, other('origin', 'null')],
    ['by a read of a page', 'GET /control/requests', other('sec-fetch-site', 'cross-site')],
    [
      'by a preflight',
      'OPTIONS /control/reset',
      {
        token: null,
        headers: {
          origin: 'https://app.example',
          'access-control-request-method': 'POST',
          'access-control-request-headers': 'x-access-token',
        },
      },
    ],
    ['under a foreign Host', reset, other('host', 'evil.example')],
    ['under a Host that looks local', reset, other('host', 'localhost.evil.example')],
    ['under a Host that the API allows', reset, other('host', 'blog.test')],
    ['under a Host of the network', reset, other('host', '192.168.0.7:8080')],
    ['under two Hosts', reset, other('host', 'localhost, evil.example')],
    ['for another authority', 'POST http://evil.example/control/reset', {}],
    ['through a proxy', reset, other('x-forwarded-for', '203.0.113.7')],
    ['through a proxy that names the scheme', reset, other('x-forwarded-proto', 'https')],
    ['through a proxy that names the address', reset, other('x-real-ip', '203.0.113.7')],
    ['through a proxy that names a Host', reset, other('x-forwarded-host', 'localhost')],
    ['through a proxy of RFC 7239', reset, other('forwarded', 'for=203.0.113.7')],
    ['through a proxy that says so', reset, other('via', '1.1 proxy')],
    ['by GET', 'GET /control/reset', {}],
    ['by the method in a field', 'GET /control/reset', other('x-http-method-override', 'POST')],
    ['by an unknown method', 'PATCH /control/reset', {}],
    ['in other letters', 'POST /Control/reset', {}],
    ['with a slash more', 'POST //control/reset', {}],
    ['by an escape', 'POST /%63ontrol/reset', {}],
    ['out of the API', 'POST /api/../control/reset', {}],
    [
      'as a form of a page',
      'PUT /control/faults',
      { body: '["* drop-before 100%"]', headers: { 'content-type': 'text/plain' } },
    ],
  ])('%s: %s %j', async (_, line, sent) => {
    const { url } = await given({
      cors: ['https://app.example'],
      allowedHosts: ['blog.test'],
      trustProxy: ['127.0.0.1'],
    });
    expect((await ask(url, `DELETE ${articles}/1`)).status).toBe(204);
    const answer = await ask(url, line, sent);
    expect(answer.status).toBeGreaterThanOrEqual(400);
    expect(
      Object.keys(answer.headers).filter((name) => name.startsWith('access-control-')),
    ).toEqual([]);
    expect(answer.body).not.toContain(`"${articles}`);
    expect((await ask(url, `GET ${articles}/1`)).status).toBe(410);
  });

  it('where it was not asked for', async () => {
    const { url } = await given({ control: false });
    for (const line of [reset, 'GET /control/requests', 'PUT /control/snapshots/a']) {
      expect([line, (await ask(url, line)).status]).toEqual([line, 404]);
    }
  });

  it.each<[Partial<ServeOptions>, string]>([
    [{ ephemeral: false }, 'A store that lasts is not to be put back'],
    [{ host: '0.0.0.0' }, 'Others can reach 0.0.0.0'],
    [{ host: '::' }, 'Others can reach ::'],
  ])('with %j: it does not even start', async (options, message) => {
    const starting = given(options);
    await expect(starting).rejects.toThrow(UnusableOption);
    await expect(starting).rejects.toThrow(message);
  });
});
