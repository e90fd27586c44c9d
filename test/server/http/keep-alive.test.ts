import { execFile } from 'node:child_process';
import { Agent, request as httpRequest } from 'node:http';
import { promisify } from 'node:util';
import { Client } from 'undici';
import { describe, expect, it } from 'vitest';
import { isInstalled } from '../../support/programs.ts';
import { articles, givenArticles } from '../../support/service.ts';
import { givenServed } from '../../support/served.ts';
import type { ServedService } from '../../support/served.ts';

type Asked = {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
};

type Answered = { readonly status: number; readonly length: number };

const one = `${articles}/1`;
const may = { 'x-access-token': 'all' };
const json = { ...may, 'content-type': 'application/json' };
const draft = '{"title":"T","content":"C"}';

/** Every kind of answer the service gives, in an order in which each can be given. */
const exchanges: readonly (readonly [number, Asked])[] = [
  [200, { method: 'GET', path: one, headers: {} }],
  [200, { method: 'HEAD', path: one, headers: {} }],
  [304, { method: 'GET', path: one, headers: { 'if-none-match': '*' } }],
  [204, { method: 'OPTIONS', path: one, headers: {} }],
  [201, { method: 'POST', path: articles, headers: json, body: draft }],
  [201, { method: 'POST', path: articles, headers: minimal(json), body: draft }],
  [200, { method: 'PUT', path: one, headers: json, body: draft }],
  [204, { method: 'PUT', path: one, headers: minimal(json), body: draft }],
  [400, { method: 'POST', path: articles, headers: json, body: '{' }],
  [400, { method: 'PUT', path: articles, headers: json, body: draft }],
  [400, { method: 'POST', path: articles, headers: may, body: draft }],
  [400, { method: 'GET', path: `${articles}?pageSize=0`, headers: {} }],
  [401, { method: 'POST', path: articles, headers: {}, body: draft }],
  [403, { method: 'DELETE', path: one, headers: { 'x-access-token': 'reader' } }],
  [404, { method: 'GET', path: `${articles}/99`, headers: {} }],
  [406, { method: 'GET', path: one, headers: { accept: 'text/html' } }],
  [412, { method: 'PUT', path: one, headers: { ...json, 'if-match': '"no"' }, body: draft }],
  [422, { method: 'POST', path: articles, headers: json, body: '{"title":""}' }],
  [501, { method: 'PATCH', path: one, headers: json, body: draft }],
  [204, { method: 'DELETE', path: one, headers: may }],
  [410, { method: 'GET', path: one, headers: {} }],
  [410, { method: 'DELETE', path: one, headers: may }],
  [
    200,
    {
      method: 'DELETE',
      path: `${articles}/2`,
      headers: { ...may, prefer: 'return=representation' },
    },
  ],
  [200, { method: 'GET', path: articles, headers: {} }],
];

function minimal(headers: Readonly<Record<string, string>>) {
  return { ...headers, prefer: 'return=minimal' };
}

describe('a client that keeps its connection survives every answer', () => {
  it('fetch', async () => {
    const served = await givenServed();
    const answers = await answersOf(served, async ({ path, ...asked }) => {
      const answer = await fetch(`${served.url}${path}`, { ...asked, body: asked.body ?? null });
      return { status: answer.status, length: (await answer.arrayBuffer()).byteLength };
    });
    expect(answers).toEqual(expected);
  });

  it('http.request, with one socket', async () => {
    const served = await givenServed();
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    let sockets = 0;
    const answers = await answersOf(served, ({ path, body, ...asked }) => {
      return new Promise<Answered>((resolve, reject) => {
        const options = { ...asked, headers: sized(asked.headers, body), agent };
        const sent = httpRequest(`${served.url}${path}`, options, (answer) => {
          let length = 0;
          answer.on('data', (chunk: Buffer) => (length += chunk.length));
          answer.on('end', () => resolve({ status: answer.statusCode ?? 0, length }));
        });
        sent.on('socket', () => (sockets += sent.reusedSocket ? 0 : 1));
        sent.on('error', reject);
        sent.end(body);
      });
    });
    expect(answers).toEqual(expected);
    expect(sockets).toBe(1);
    agent.destroy();
  });

  it('undici, with one socket but for the one it gives up after HEAD', async () => {
    const served = await givenServed();
    const client = new Client(served.url);
    let sockets = 0;
    client.on('connect', () => (sockets += 1));
    const answers = await answersOf(served, async ({ method, path, headers, body = null }) => {
      const answer = await client.request({ method, path, headers, body });
      return { status: answer.statusCode, length: (await answer.body.arrayBuffer()).byteLength };
    });
    expect(answers).toEqual(expected);
    expect(sockets).toBe(2);
    await client.close();
  });

  it.skipIf(!isInstalled('curl'))('curl, with one socket', async () => {
    const served = await givenServed();
    await givenArticles(served, 2);
    const tell = '%{http_code} %{size_download} %{num_connects}\\n';
    const quiet = ['-s', '--noproxy', '*', '-o', '/dev/null', '-w', tell];
    const words = exchanges.flatMap(([, { method, path, headers, body }], at) => [
      ...(at === 0 ? quiet : ['--next', ...quiet]),
      ...(method === 'HEAD' ? ['--head'] : ['-X', method]),
      ...Object.entries(headers).flatMap(([name, value]) => ['-H', `${name}: ${value}`]),
      ...(headers['content-type'] === undefined && body !== undefined
        ? ['-H', 'content-type:']
        : []),
      ...(body === undefined ? [] : ['--data-raw', body]),
      `${served.url}${path}`,
    ]);
    const { stdout } = await promisify(execFile)('curl', words);
    const lines = stdout.trim().split('\n');
    const answers = lines.map((told) => told.split(' ').map(Number));
    expect(answers.map(([status]) => status)).toEqual(exchanges.map(([status]) => status));
    expect(answers.reduce((sum, [, , connects = 0]) => sum + connects, 0)).toBe(1);
  });
});

/** One after the other; bytes that belong to no answer would be read as the next. */
async function answersOf(
  served: ServedService,
  send: (asked: Asked) => Promise<Answered>,
): Promise<readonly string[]> {
  await givenArticles(served, 2);
  const lines: string[] = [];
  for (const [, asked] of exchanges) {
    const { status, length } = await send(asked);
    lines.push(line(asked, status, length === 0));
  }
  return lines;
}

const expected = exchanges.map(([status, asked]) => {
  const isMinimal = status === 201 && asked.headers['prefer'] !== undefined;
  return line(asked, status, asked.method === 'HEAD' || [204, 304].includes(status) || isMinimal);
});

function line({ method, path }: Asked, status: number, isEmpty: boolean): string {
  return `${method} ${path} ${status} ${isEmpty ? 'empty' : 'with a body'}`;
}

function sized(headers: Readonly<Record<string, string>>, body: string | undefined) {
  return body === undefined ? headers : { ...headers, 'content-length': String(body.length) };
}
