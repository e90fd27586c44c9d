import { once } from 'node:events';
import { connect } from 'node:net';
import { Client } from 'undici';
import { describe, expect, it, vi } from 'vitest';
import type { Request } from '../../../server/http/message.ts';
import { listen } from '../../../server/http/node-adapter.ts';
import { articles, givenArticles, givenService } from '../../support/service.ts';
import { exchangeBytes, givenServed } from '../../support/served.ts';

const token = { 'x-access-token': 'all' };
const host = 'Host: localhost';

it('a client that asks for a tunnel and is gone ends nothing but its connection', async () => {
  const service = await givenServed();
  for (let round = 0; round < 20; round += 1) {
    const socket = connect({ port: service.port, host: '127.0.0.1' });
    const request = `CONNECT evil.example:80 HTTP/1.1\r\n${host}\r\n\r\n`;
    await new Promise((gone) => {
      socket.once('close', gone);
      socket.write(request.repeat(50), () => socket.resetAndDestroy());
    });
  }
  expect((await service.send('GET', articles)).status).toBe(200);
});

it('who sends hundreds of requests at once is not served before who sends one', async () => {
  const targets: string[] = [];
  const app = ({ target }: Request) => {
    targets.push(target);
    return { status: 204, headers: {}, body: new Uint8Array(0) };
  };
  const server = await listen(app, { host: '127.0.0.1', port: 0 });
  const many = connect({ port: server.port, host: '127.0.0.1' });
  const one = connect({ port: server.port, host: '127.0.0.1' });
  await Promise.all([once(many, 'connect'), once(one, 'connect')]);
  many.resume();
  many.write(`GET /many HTTP/1.1\r\n${host}\r\n\r\n`.repeat(600));
  await once(many, 'data');
  one.write(`GET /one HTTP/1.1\r\n${host}\r\n\r\n`);
  await once(one, 'data');
  expect(targets.indexOf('/one')).toBeLessThan(100);
  while (targets.length < 601) await once(many, 'data');
  many.destroy();
  one.destroy();
  await server.stop(0);
});

it('52: a DELETE among pipelined requests disturbs none of them', async () => {
  const service = await givenServed();
  await givenArticles(service, 1);
  const client = new Client(service.url, { pipelining: 3 });
  const path = `${articles}/1`;
  const answers = await Promise.all([
    client.request({ method: 'GET', path }),
    client.request({ method: 'DELETE', path, headers: token }),
    client.request({ method: 'GET', path }),
  ]);
  const statuses = answers.map(async ({ statusCode, body }) => [
    statusCode,
    (await body.text()) === '',
  ]);
  expect(await Promise.all(statuses)).toEqual([
    [200, false],
    [204, true],
    [410, false],
  ]);
  await client.close();
});

describe('52: a request begins when those before it on its connection are answered', () => {
  const line = (method: string, path: string) =>
    `${method} ${path} HTTP/1.1\r\n${host}\r\nX-Access-Token: all\r\n\r\n`;
  const one = `${articles}/1`;
  const put = `PUT ${one} HTTP/1.1\r\n${host}\r\nX-Access-Token: all\r\nContent-Type: application/json\r\nContent-Length: 27\r\n\r\n{"title":"T","content":"C"}`;
  const end = `OPTIONS * HTTP/1.1\r\n${host}\r\nConnection: close\r\n\r\n`;

  it.each([
    [
      'GET, DELETE, GET',
      [line('GET', one), line('DELETE', one), line('GET', one)],
      [200, 204, 410],
    ],
    ['DELETE, PUT, GET', [line('DELETE', one), put, line('GET', one)], [204, 410, 410]],
    ['PUT, DELETE, PUT', [put, line('DELETE', one), put], [200, 204, 410]],
    [
      'two DELETEs between reads, twice',
      [
        line('GET', one),
        line('DELETE', one),
        line('GET', one),
        line('DELETE', one),
        line('HEAD', one),
      ],
      [200, 204, 410, 410, 410],
    ],
  ])('%s in one write', async (_, requests, statuses) => {
    const service = await givenServed();
    await givenArticles(service, 1);
    const answers = await exchangeBytes(service.port, requests.join('') + end);
    const told = [...answers.matchAll(/HTTP\/1\.1 (\d+) /g)].map(([, status]) => Number(status));
    expect(told).toEqual([...statuses, 204]);
  });

  it('a slow read is not overtaken by a change behind it', async () => {
    const service = await givenService();
    await givenArticles(service, 1);
    const begun: string[] = [];
    const app = async (request: Request) => {
      begun.push(request.method);
      for (let turn = 0; turn < 20 && begun.length === 1; turn += 1) {
        await new Promise(setImmediate);
      }
      return service.app(request);
    };
    const listening = await listen(app, { host: '127.0.0.1', port: 0 });
    const bytes = line('GET', one) + line('DELETE', one) + end;
    const answers = await exchangeBytes(listening.port, bytes);
    await listening.stop(0);
    expect(answers.match(/HTTP\/1\.1 \d+/g)).toEqual([
      'HTTP/1.1 200',
      'HTTP/1.1 204',
      'HTTP/1.1 204',
    ]);
    expect(begun).toEqual(['GET', 'DELETE', 'OPTIONS']);
  });

  it('what waits behind an answer that never comes is not begun once the client is gone', async () => {
    const begun: string[] = [];
    const app = (request: Request) => {
      begun.push(request.method);
      return new Promise<never>(() => undefined);
    };
    const listening = await listen(app, { host: '127.0.0.1', port: 0 });
    const socket = connect({ port: listening.port, host: '127.0.0.1' });
    socket.on('error', () => socket.destroy());
    socket.write(line('GET', one) + line('DELETE', one));
    await vi.waitFor(() => expect(begun).toEqual(['GET']), 20_000);
    socket.resetAndDestroy();
    await listening.stop(0);
    expect(begun).toEqual(['GET']);
  });
});

describe('what is on the wire', () => {
  it('has one length that is right, or none for 204 and 304', async () => {
    const service = await givenServed();
    await givenArticles(service, 1);
    const get = `GET ${articles}/1 HTTP/1.1\r\n${host}\r\nConnection: close\r\n`;
    const read = await exchangeBytes(service.port, `${get}\r\n`);
    const [head = '', body = ''] = read.split('\r\n\r\n');
    expect(head).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
    expect(head.match(/content-length: (\d+)/gi)).toEqual([
      `Content-Length: ${Buffer.byteLength(body)}`,
    ]);
    const etag = /ETag: (.+)/.exec(head)?.[1] ?? '';
    const cached = await exchangeBytes(service.port, `${get}If-None-Match: ${etag}\r\n\r\n`);
    expect(cached).toMatch(/^HTTP\/1\.1 304 [^]*\r\n\r\n$/);
    expect(cached).not.toMatch(/content-length|transfer-encoding/i);
    const del = `DELETE ${articles}/1 HTTP/1.1\r\n${host}\r\nX-Access-Token: all\r\nConnection: close\r\n\r\n`;
    const deleted = await exchangeBytes(service.port, del);
    expect(deleted).toMatch(
      /^HTTP\/1\.1 204 No Content\r\nContent-Type: application\/hal\+json\r\n/,
    );
    expect(deleted).not.toMatch(/content-length|transfer-encoding/i);
  });

  it.each([
    ['no Host', `GET ${articles} HTTP/1.1\r\nConnection: close\r\n\r\n`],
    ['two Hosts', `GET ${articles} HTTP/1.1\r\n${host}\r\n${host}\r\nConnection: close\r\n\r\n`],
    [
      'a foreign Host',
      `GET ${articles} HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n`,
    ],
    ['no HTTP', 'what?\r\n\r\n'],
    ['a header beyond 16 KiB', `GET / HTTP/1.1\r\n${host}\r\nX: ${'x'.repeat(17_000)}\r\n\r\n`],
  ])('says 400 in hal+json to %s', async (_, bytes) => {
    const { port } = await givenServed();
    const answer = await exchangeBytes(port, bytes);
    const [head = '', body = ''] = answer.split('\r\n\r\n');
    expect(head).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n/);
    expect(head).toMatch(/content-type: application\/hal\+json/i);
    expect(JSON.parse(body)).toMatchObject({ status: 400 });
  });
});

describe('a body', () => {
  const post = `POST ${articles} HTTP/1.1\r\n${host}\r\nX-Access-Token: all\r\nContent-Type: application/json\r\n`;
  const draft = '{"title":"T","content":"C"}';

  it.each([
    ['none, unannounced', '\r\n', 400],
    ['none, announced as none', 'Content-Length: 0\r\n\r\n', 400],
    ['one in no chunk', 'Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n', 400],
    ['one', `content-LENGTH: ${draft.length}\r\n\r\n${draft}`, 201],
  ])('is read or missed at once, and the next request is heard: %s', async (_, body, status) => {
    const service = await givenServed();
    await givenArticles(service, 1);
    const read = `GET ${articles}/1 HTTP/1.1\r\n${host}\r\nConnection: close\r\n\r\n`;
    const answers = await exchangeBytes(service.port, post + body + read);
    expect(answers.match(/HTTP\/1\.1 \d+/g)).toEqual([`HTTP/1.1 ${status}`, 'HTTP/1.1 200']);
  });

  it.each([
    ['a length', `Content-Length: 4\r\n\r\nGET `],
    ['chunks', 'Transfer-Encoding: chunked\r\n\r\n4\r\nGET \r\n0\r\n\r\n'],
  ])('of a read is passed over, not taken for the next request: %s', async (_, body) => {
    const service = await givenServed();
    await givenArticles(service, 1);
    const get = `GET ${articles}/1 HTTP/1.1\r\n${host}\r\n`;
    const answers = await exchangeBytes(
      service.port,
      `${get}${body}${get}\r\n${get}Connection: close\r\n\r\n`,
    );
    expect(answers.match(/HTTP\/1\.1 \d+/g)).toEqual(Array(3).fill('HTTP/1.1 200'));
  });

  it('may come in chunks, and is refused when they add up to too much', async () => {
    const { port, send } = await givenServed();
    const chunk = (text: string) => `${text.length.toString(16)}\r\n${text}\r\n`;
    const head = `${post}Transfer-Encoding: chunked\r\nConnection: close\r\n\r\n`;
    const taken = await exchangeBytes(
      port,
      head,
      chunk('{"title":"T",'),
      chunk('"content":"C"}'),
      '0\r\n\r\n',
    );
    expect(taken).toMatch(/^HTTP\/1\.1 201 /);
    const large = Array.from({ length: 17 }, () => chunk('x'.repeat(65_536)));
    const refused = await exchangeBytes(port, head, ...large, '0\r\n\r\n');
    expect(refused).toMatch(/^HTTP\/1\.1 400 [^]*"code":"payload-too-large"/);
    expect((await send('GET', articles)).json.totalArticles).toBe(1);
  });

  it('is asked for where the client waits for 100, and not where it is refused', async () => {
    const { port } = await givenServed();
    const expecting = `${post}Expect: 100-continue\r\nContent-Length: ${draft.length}\r\n`;
    const socket = connect({ port, host: '127.0.0.1' });
    socket.write(`${expecting}Connection: close\r\n\r\n`);
    const first = await new Promise<Buffer>((resolve) => socket.once('data', resolve));
    expect(first.toString()).toBe('HTTP/1.1 100 Continue\r\n\r\n');
    socket.write(draft);
    const second = await new Promise<Buffer>((resolve) => socket.once('data', resolve));
    expect(second.toString()).toMatch(/^HTTP\/1\.1 201 /);
    const refused = await exchangeBytes(port, `${expecting}X-Access-Token: none\r\n\r\n`);
    expect(refused).toMatch(/^HTTP\/1\.1 401 [^]*connection: close/i);
    const odd = await exchangeBytes(port, `GET / HTTP/1.1\r\n${host}\r\nExpect: more\r\n\r\n`);
    expect(odd).toMatch(/^HTTP\/1\.1 400 [^]*"code":"expectation-failed"/);
  });

  it('that breaks off changes nothing and is nobody’s bug', async () => {
    const served = await givenServed();
    const socket = connect({ port: served.port, host: '127.0.0.1' });
    socket.write(`${post}Content-Length: 1000\r\n\r\n{"title":`, () => socket.resetAndDestroy());
    await new Promise((resolve) => socket.once('close', resolve));
    const { status } = await fetch(`${served.url}${articles}`);
    expect(status).toBe(200);
    expect((await served.send('GET', articles)).json.totalArticles).toBe(0);
    expect(served.reports).toEqual([]);
  });
});
