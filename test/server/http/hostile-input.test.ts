import { createServer } from 'node:http';
import { connect } from 'node:net';
import type { Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterAll, describe, expect, it } from 'vitest';
import { api, articles, givenArticles } from '../../support/service.ts';
import { exchangeBytes, givenServed } from '../../support/served.ts';
import type { ServedService } from '../../support/served.ts';

/** What a stranger sends, and the status of each answer; `cut` = the connection ends without one. */
type Hostile = {
  readonly name: string;
  readonly sends: string | Buffer | readonly (string | Buffer)[];
  readonly gets: readonly number[];
  readonly says?: string;
};

const host = 'Host: localhost';
const close = 'Connection: close';
const draft = '{"title":"T","content":"C"}';

function get(path: string, ...fields: readonly string[]): string {
  return [`GET ${path} HTTP/1.1`, host, close, ...fields, '', ''].join('\r\n');
}

function post(body: string | Buffer, ...fields: readonly string[]): Buffer {
  const bytes = Buffer.from(body);
  const own = fields.some((field) => /^content-type:/i.test(field))
    ? []
    : ['Content-Type: application/json'];
  const framed = fields.some((field) => /^(content-length|transfer-encoding):/i.test(field))
    ? []
    : [`Content-Length: ${bytes.length}`];
  const head = [
    `POST ${articles} HTTP/1.1`,
    host,
    close,
    'X-Access-Token: all',
    ...own,
    ...framed,
    ...fields,
  ];
  return Buffer.concat([Buffer.from(`${head.join('\r\n')}\r\n\r\n`), bytes]);
}

/** More than Node hands on by itself. */
const crowd = 'a:\r\n'.repeat(2100);

/** Versions of Node that are asked whether to change the protocol lose what comes behind such a body. */
const behindUpgrade = 'shouldUpgradeCallback' in createServer() ? [] : [200];

function chunked(body: string, size = body.length): string {
  return `${size.toString(16)}\r\n${body}\r\n0\r\n\r\n`;
}

const hosts: readonly Hostile[] = [
  ...[
    'evil.example',
    'localhost:99999999',
    'localhost:99999',
    'localhost:65536',
    '127.0.0.1:70000',
    '127.0.0.1:0',
    'localhost:080',
    '[::1]:65536',
    'local host',
    'localhost/x',
    'user@localhost',
    '[::1',
    'localhost, localhost',
    '',
    `${'a'.repeat(244)}.localhost`,
  ].map((name) => ({
    name: `Host: ${name.slice(0, 40)}`,
    sends: `GET ${articles} HTTP/1.1\r\nHost: ${name}\r\n${close}\r\n\r\n`,
    gets: [400],
    says: 'bad-request',
  })),
  {
    name: 'no Host',
    sends: `GET / HTTP/1.1\r\n${close}\r\n\r\n`,
    gets: [400],
    says: 'bad-request',
  },
  { name: 'two Hosts', sends: get('/', host), gets: [400], says: 'bad-request' },
  {
    name: 'a second Host behind two thousand fields',
    sends: get('/', `${crowd}Host: evil.example`),
    gets: [400],
    says: 'bad-request',
  },
  {
    name: 'a Host as long as a name can be',
    sends: `GET ${articles} HTTP/1.1\r\nHost: ${'a'.repeat(243)}.localhost:65535\r\n${close}\r\n\r\n`,
    gets: [200],
  },
  { name: 'a target of another host', sends: get(`http://evil.example${articles}`), gets: [400] },
  ...[
    ['without Host', ''],
    ['with two Hosts', `${host}\r\n${host}\r\n`],
    ['with a malformed Host', 'Host: local host\r\n'],
    ['with a foreign Host', 'Host: evil.example\r\n'],
  ].map(([name, fields]) => ({
    name: `a whole URL as target ${name}`,
    sends: `GET http://localhost${articles} HTTP/1.1\r\n${fields}${close}\r\n\r\n`,
    gets: [400],
    says: 'bad-request',
  })),
  { name: 'CONNECT', sends: `CONNECT evil.example:80 HTTP/1.1\r\n${host}\r\n\r\n`, gets: [501] },
  ...['FOO', 'get'].map((method) => ({
    name: `${method}, which is no method of HTTP`,
    sends: `${method} ${articles} HTTP/1.1\r\n${host}\r\n\r\n`,
    gets: [400],
    says: 'bad-request',
  })),
  { name: 'OPTIONS *', sends: `OPTIONS * HTTP/1.1\r\n${host}\r\n${close}\r\n\r\n`, gets: [204] },
  {
    name: 'Upgrade',
    sends: get(articles, 'Connection: Upgrade', 'Upgrade: websocket'),
    gets: [200],
  },
];

const framing: readonly Hostile[] = [
  ...['', 'Connection: Upgrade\r\nUpgrade: h2c\r\n'].map((fields) => {
    const inside = `GET /smuggled HTTP/1.1\r\n${host}\r\n\r\n`;
    return {
      name: `a length behind two thousand fields ${fields && 'and a wish for another protocol'}`,
      sends: `GET ${articles} HTTP/1.1\r\n${host}\r\n${fields}${crowd}Content-Length: ${inside.length}\r\n\r\n${inside}${get(articles)}`,
      gets: [200, ...(fields === '' ? [200] : behindUpgrade)],
    };
  }),
  {
    name: 'a guard behind two thousand fields',
    sends: `PUT ${articles}/1 HTTP/1.1\r\n${host}\r\n${close}\r\nX-Access-Token: all\r\nContent-Type: application/json\r\nContent-Length: 13\r\n${crowd}If-Match: "no"\r\n\r\n{"title":"X"}`,
    gets: [412],
    says: 'precondition-failed',
  },
  {
    name: 'Content-Length and Transfer-Encoding',
    sends: post(chunked(draft), `Content-Length: ${draft.length}`, 'Transfer-Encoding: chunked'),
    gets: [400],
  },
  {
    name: 'two Content-Lengths',
    sends: post(draft, 'Content-Length: 3', 'Content-Length: 27'),
    gets: [400],
  },
  { name: 'Content-Length: +27', sends: post(draft, 'Content-Length: +27'), gets: [400] },
  { name: 'Content-Length: -1', sends: post(draft, 'Content-Length: -1'), gets: [400] },
  { name: 'Content-Length: 27, 27', sends: post(draft, 'Content-Length: 27, 27'), gets: [400] },
  ...['gzip, chunked', 'chunked, chunked', 'identity, chunked', 'identity'].flatMap((coding) => [
    {
      name: `Transfer-Encoding: ${coding}`,
      sends: post(chunked(draft), `Transfer-Encoding: ${coding}`),
      gets: [400],
    },
    {
      name: `Transfer-Encoding: ${coding} on a read`,
      sends: get(articles, `Transfer-Encoding: ${coding}`) + chunked('x'),
      gets: [400],
    },
  ]),
  {
    name: 'two Transfer-Encodings',
    sends: post(chunked(draft), 'Transfer-Encoding: gzip', 'Transfer-Encoding: chunked'),
    gets: [400],
  },
  {
    name: 'an empty Transfer-Encoding beside Content-Length',
    sends: post(draft, `Content-Length: ${draft.length}`, 'Transfer-Encoding:'),
    gets: [400],
  },
  { name: 'Transfer-Encoding: gzip', sends: post(draft, 'Transfer-Encoding: gzip'), gets: [400] },
  {
    name: 'Transfer-Encoding: xchunked',
    sends: post(chunked(draft), 'Transfer-Encoding: xchunked'),
    gets: [400],
  },
  {
    name: 'a chunk longer than it says',
    sends: post(chunked(draft, 3), 'Transfer-Encoding: chunked'),
    gets: [400],
  },
  { name: 'a folded header', sends: get('/', 'X: a', ' b'), gets: [400] },
  { name: 'a space before the colon', sends: get('/', 'X : a'), gets: [400] },
  { name: 'bare LF', sends: `GET / HTTP/1.1\n${host}\n\n`, gets: [400] },
  { name: 'NUL in a header', sends: get('/', 'X: a\0b'), gets: [400] },
  { name: 'no version', sends: 'GET /\r\n\r\n', gets: [400] },
  { name: 'HTTP/3.0', sends: `GET / HTTP/3.0\r\n${host}\r\n\r\n`, gets: [400] },
  {
    name: 'a target of 20,000 letters',
    sends: get(`/${'a'.repeat(20_000)}`),
    gets: [400],
    says: 'headers-too-large',
  },
  { name: 'TLS', sends: Buffer.from('1603010200010001fc0303', 'hex'), gets: [400] },
];

const bodies: readonly Hostile[] = [
  ...[
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/json; charset=utf-16',
  ].map((type) => ({
    name: `a body as ${type}`,
    sends: post(draft, `Content-Type: ${type}`),
    gets: [400],
    says: 'unsupported-media-type',
  })),
  {
    name: 'gzip',
    sends: post(gzipSync(draft), 'Content-Encoding: gzip'),
    gets: [400],
    says: 'unsupported-media-type',
  },
  {
    name: 'invalid UTF-8',
    sends: post(Buffer.from('{"title":"\xc0\xae","content":""}', 'latin1')),
    gets: [400],
  },
  { name: 'a BOM', sends: post(`\ufeff${draft}`), gets: [400] },
  { name: 'NUL between members', sends: post('{"title":"T",\0"content":"C"}'), gets: [400] },
  { name: '__proto__', sends: post('{"__proto__":{"title":"T"},"content":"C"}'), gets: [422] },
  {
    name: 'constructor',
    sends: post('{"title":"T","content":"C","constructor":{"prototype":{}}}'),
    gets: [422],
  },
  { name: '500,000 arrays', sends: post('['.repeat(500_000)), gets: [400] },
  { name: '500,000 objects', sends: post('{"a":'.repeat(200_000)), gets: [400] },
  {
    name: '1 MiB and a byte',
    sends: post(' '.repeat(1_048_577)),
    gets: [400],
    says: 'payload-too-large',
  },
  {
    name: '1 MiB and a byte without length',
    sends: post(chunked(' '.repeat(1_048_577)), 'Transfer-Encoding: chunked'),
    gets: [400],
    says: 'payload-too-large',
  },
];

const targets: readonly Hostile[] = [
  ...[
    '01',
    '-1',
    '1e3',
    '0x1',
    '%31',
    '1%2f2',
    '__proto__',
    'constructor',
    '9'.repeat(400),
    '1;x=1',
  ].map((id) => ({
    name: `the id ${id.slice(0, 20)}`,
    sends: get(`${articles}/${id}`),
    gets: [404],
    says: 'not-found',
  })),
  ...['%zz', '%c0%ae', '%', '%ff'].map((id) => ({
    name: `the id ${id}`,
    sends: get(`${articles}/${id}`),
    gets: [400],
    says: 'bad-request',
  })),
  { name: '//evil', sends: get(`//evil.example${articles}`), gets: [404] },
  { name: '/../', sends: get(`${api}/../../etc/passwd`), gets: [404] },
  { name: 'a raw 0xFF in the target', sends: Buffer.from(get('/\xff'), 'latin1'), gets: [400] },
];

const lists: readonly Hostile[] = [
  ...['if-match', 'if-none-match'].map((name) => ({
    name: `1,500 tags in ${name}`,
    sends: get(`${articles}/1`, `${name}: ${'"aaaaaaa",'.repeat(1500)}`),
    gets: [name === 'if-match' ? 412 : 200],
  })),
  {
    name: '10,000 tags in If-Match',
    sends: get(`${articles}/1`, `If-Match: ${'"a",'.repeat(10_000)}`),
    gets: [400],
    says: 'headers-too-large',
  },
  { name: 'an unterminated tag', sends: get(`${articles}/1`, 'If-Match: "aaa'), gets: [412] },
  {
    name: '15,000 quotes',
    sends: get(`${articles}/1`, `If-Match: ${'"'.repeat(15_000)}`),
    gets: [412],
  },
  {
    name: '15,000 blanks',
    sends: get(`${articles}/1`, `If-Match: ${' '.repeat(15_000)}x`),
    gets: [412],
  },
  {
    name: '5,000 Accept ranges',
    sends: get(articles, `Accept: ${'a/b,'.repeat(3900)}*/*`),
    gets: [200],
  },
  {
    name: 'Accept of quotes',
    sends: get(articles, `Accept: a/b;c="${'\\"'.repeat(7000)}`),
    gets: [406],
  },
  {
    name: '5,000 parameters',
    sends: get(`${articles}?${'a=1&'.repeat(3900)}pageSize=1`),
    gets: [200],
  },
];

const upgrade = `Connection: Upgrade\r\nUpgrade: h2c\r\n`;
const del = `DELETE ${articles}/9 HTTP/1.1\r\n${host}\r\nX-Access-Token: all\r\n`;

const pipelines: readonly Hostile[] = [
  ...[
    ['a transfer coding that is not taken', '1.1', 'Transfer-Encoding: gzip, chunked'],
    [
      'a transfer coding in HTTP/1.0',
      '1.0',
      'Connection: keep-alive\r\nTransfer-Encoding: chunked',
    ],
    ['an expectation that is not met', '1.1', 'Expect: x\r\nContent-Length: 5'],
  ].map(([name, version, fields]) => ({
    name: `a DELETE behind ${name}`,
    sends: `POST ${articles} HTTP/${version}\r\n${host}\r\nX-Access-Token: all\r\nContent-Type: application/json\r\n${fields}\r\n\r\n0\r\n\r\nDELETE ${articles}/1 HTTP/1.1\r\n${host}\r\nX-Access-Token: all\r\n\r\n`,
    gets: [400],
  })),
  {
    name: 'reads behind one that asks for another protocol',
    sends: `GET ${articles} HTTP/1.1\r\n${host}\r\n${upgrade}\r\n`.concat(get(`${articles}/1`)),
    gets: [200, 200],
  },
  {
    name: 'twenty that ask for another protocol, among others',
    sends: `${del}\r\n${del}${upgrade}\r\nGET ${articles}/1 HTTP/1.1\r\n${host}\r\n${upgrade}\r\n`
      .repeat(20)
      .concat(get(`${articles}/1`)),
    gets: [...Array.from({ length: 20 }, () => [404, 404, 200]).flat(), 200],
  },
  {
    name: 'a body that looks like a request behind one that asks for another protocol',
    sends:
      `PUT ${articles}/9 HTTP/1.1\r\n${host}\r\n${upgrade}Content-Length: ${del.length + 2}\r\n\r\n${del}\r\n`.concat(
        get(`${articles}/1`),
      ),
    gets: [401, ...behindUpgrade],
  },
  {
    name: 'a request for a tunnel behind a DELETE is answered after it',
    sends: `${del}\r\nCONNECT evil.example:80 HTTP/1.1\r\n${host}\r\n\r\n`,
    gets: [404, 501],
  },
  {
    name: 'nonsense behind requests: all of them are answered first',
    sends: `${del}\r\n`.repeat(3).concat('nonsense\r\n\r\n'),
    gets: [404, 404, 404],
  },
  {
    name: 'a DELETE among pipelined reads',
    sends: [
      `GET ${articles}/1 HTTP/1.1\r\n${host}\r\n\r\n`,
      `DELETE ${articles}/9 HTTP/1.1\r\n${host}\r\nX-Access-Token: all\r\n\r\n`,
      `OPTIONS ${articles}/1 HTTP/1.1\r\n${host}\r\n\r\n`,
      get(`${articles}/1`),
    ],
    gets: [200, 404, 204, 200],
  },
  {
    name: 'nonsense behind a request: the request is answered first',
    sends: `GET ${articles}/1 HTTP/1.1\r\n${host}\r\n\r\nnonsense\r\n\r\n`,
    gets: [200],
  },
  {
    name: 'a GET with a body that looks like a request',
    sends: get(`${articles}/1`, 'Content-Length: 40').concat(
      `DELETE ${articles}/1 HTTP/1.1\r\n\r\n`.padEnd(40),
    ),
    gets: [200],
  },
];

const table = { hosts, framing, bodies, targets, lists, pipelines };

describe.each(Object.entries(table))('hostile input: %s', (kind, inputs) => {
  it.each<Hostile>(inputs)('$name → $gets', async ({ sends, gets, says }) => {
    const served = await givenServed();
    await givenArticles(served, 1);
    const startedAt = performance.now();
    const parts = typeof sends === 'string' || Buffer.isBuffer(sends) ? [sends] : sends;
    const answer = await exchangeBytes(served.port, ...parts);
    expect(performance.now() - startedAt).toBeLessThan(2000);
    expect([...answer.matchAll(/HTTP\/1\.1 (\d+) /g)].map(([, status]) => Number(status))).toEqual(
      gets,
    );
    const typed = answer.match(/content-type: application\/hal\+json/gi) ?? [];
    expect(typed).toHaveLength(gets.filter((status) => status !== 204).length);
    expect(answer).toContain(says === undefined ? '' : `"code":"${says}"`);
    await expectUntouched(served);
    held[kind] = (held[kind] ?? 0) + 1;
  });
});

const held: Record<string, number> = {};
afterAll(() => {
  const all = Object.values(held).reduce((sum, count) => sum + count, 0);
  const told = Object.entries({ ...held, 'all together': all });
  const lines = told.map(([kind, count]) => `${kind.padEnd(14)}${count}\n`);
  process.stdout.write(`Hostile inputs that were survived:\n${lines.join('')}`);
});

async function expectUntouched({ url, send, reports }: ServedService): Promise<void> {
  expect((await fetch(`${url}${articles}/1`)).status).toBe(200);
  const { json } = await send('GET', articles);
  expect(json).toMatchObject({ totalArticles: 1 });
  expect((await send('GET', `${articles}/1`)).json).toMatchObject({ title: 'Title 1' });
  expect(reports).toEqual([]);
}

it('a body nested 500,000 deep costs the event loop less than 20 ms', async () => {
  const served = await givenServed();
  const body = '['.repeat(500_000);
  await served.send('POST', articles, { body });
  const startedAt = performance.now();
  await served.send('POST', articles, { body });
  expect(performance.now() - startedAt).toBeLessThan(20);
});

function open(port: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1' }, () => resolve(socket));
    socket.on('error', reject);
  });
}

describe('42: slow and silent clients', () => {
  it('2,000 idle connections leave room for one that asks', async () => {
    const served = await givenServed();
    await givenArticles(served, 1);
    const sockets: Socket[] = [];
    for (let at = 0; at < 2000; at += 1) {
      const socket = connect({ port: served.port, host: '127.0.0.1' });
      socket.on('error', () => socket.destroy());
      sockets.push(socket);
    }
    const answer = await exchangeBytes(served.port, get(`${articles}/1`));
    expect(answer).toMatch(/^HTTP\/1\.1 200 /);
    for (const socket of sockets) socket.destroy();
    await expectUntouched(served);
  });

  it.each([
    ['headers', `GET ${articles} HTTP/1.1\r\n${host}\r\nX: `],
    [
      'body',
      `POST ${articles} HTTP/1.1\r\n${host}\r\nX-Access-Token: all\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{`,
    ],
  ])('slow %s end with 400 request-timeout', async (_, start) => {
    const served = await givenServed({ headersMs: 100, requestMs: 200, checkMs: 50 });
    await givenArticles(served, 1);
    const answer = await exchangeBytes(served.port, start);
    expect(answer).toMatch(/^HTTP\/1\.1 400 [^]*"code":"request-timeout"/);
    await expectUntouched(served);
  });

  it('a line end behind a request keeps no connection open', async () => {
    const served = await givenServed({ keepAliveMs: 60, checkMs: 20, headersMs: 100 });
    const socket = await open(served.port);
    const closed = new Promise((resolve) => socket.resume().once('close', resolve));
    socket.write(`GET / HTTP/1.1\r\n${host}\r\n\r\n`);
    await new Promise((later) => setTimeout(later, 40));
    socket.write('\r\n');
    await closed;
    expect(socket.destroyed).toBe(true);
  });

  it('many that ask for another protocol leave what comes after them as it was sent', async () => {
    const served = await givenServed();
    await givenArticles(served, 1);
    const asked = `GET ${articles}/1 HTTP/1.1\r\n${host}\r\n${upgrade}\r\n`;
    const body = JSON.stringify({ title: 'T', content: `${del}\r\n` });
    const [head] = String(post(body)).split('\r\n\r\n', 1);
    const statuses = Array.from({ length: 40 }, async (_, at) => {
      const socket = await open(served.port);
      let answers = '';
      socket.on('data', (chunk) => (answers += chunk.toString('latin1')));
      const closed = new Promise((resolve) => socket.once('close', resolve));
      socket.write(asked.repeat(10 + at));
      await new Promise((later) => setTimeout(later, at % 3));
      socket.write(`${head}\r\n\r\n`);
      await new Promise((later) => setTimeout(later, 1 + (at % 7)));
      socket.write(body);
      await closed;
      return [...answers.matchAll(/HTTP\/1\.1 (\d+) /g)].map(([, status]) => status);
    });
    const expected = Array.from({ length: 40 }, (_, at) => [...Array(10 + at).fill('200'), '201']);
    expect(await Promise.all(statuses)).toEqual(expected);
  });

  it('a header that pauses has its time and an answer', async () => {
    const served = await givenServed({ keepAliveMs: 60, checkMs: 20, headersMs: 400 });
    const answer = await exchangeBytes(served.port, `GET ${articles} HTTP/1.1\r\nX: `);
    expect(answer).toMatch(/^HTTP\/1\.1 400 [^]*"code":"request-timeout"/);
  });

  it.each([
    ['without a Host', `GET ${articles} HTTP/1.1\r\nConnection: close\r\n\r\n`],
    [
      'for another Host',
      `GET ${articles} HTTP/1.1\r\nHost: example.com\r\nConnection: close\r\n\r\n`,
    ],
    ['that is none', `GET ${articles}\r\n\r\n`],
  ])('the links of an answer to a request %s are whole', async (_, request) => {
    const served = await givenServed();
    const answer = await exchangeBytes(served.port, request);
    const { type, _links } = JSON.parse(answer.slice(answer.indexOf('{')));
    const origin = `http://127.0.0.1:${served.port}`;
    expect(type).toBe(`${origin}/docs/problems/bad-request`);
    expect(_links['doc:help'].href).toBe(type);
    expect(_links.curies[0].href).toBe(`${origin}/docs/{rel}`);
  });

  it('a reader that does not read is cut off', async () => {
    const served = await givenServed({ sendMs: 100 });
    const body = { title: 'T', content: 'x'.repeat(1_000_000) };
    for (let at = 0; at < 12; at += 1) await served.send('POST', articles, { body });
    const socket = await open(served.port);
    socket.pause();
    socket.write(get(articles));
    const startedAt = performance.now();
    await served.allClosed();
    expect(performance.now() - startedAt).toBeLessThan(5000);
    socket.destroy();
  });

  it('a connection that falls silent after an answer is told how long it may, and ends', async () => {
    const served = await givenServed({ keepAliveMs: 1_000, checkMs: 100 });
    const answer = await exchangeBytes(served.port, `GET / HTTP/1.1\r\n${host}\r\n\r\n`);
    expect(answer).toMatch(/\r\nKeep-Alive: timeout=1\r\n/);
  });

  it('a request that takes its time is not taken for silence', async () => {
    const served = await givenServed({ keepAliveMs: 300, checkMs: 20, headersMs: 5_000 });
    const socket = await open(served.port);
    const closed = new Promise((resolve) => socket.once('close', resolve));
    const drip = Buffer.from(`GET / HTTP/1.1\r\n${host}\r\nX: 0123456789\r\n\r\n`);
    let answers = 0;
    socket.on('data', (chunk) => (answers += chunk.toString().split('HTTP/1.1 200').length - 1));
    socket.write(`GET / HTTP/1.1\r\n${host}\r\n\r\n`);
    let sent = 0;
    const dripping = setInterval(() => {
      if (sent < drip.length) socket.write(drip.subarray(sent, (sent += 1)));
    }, 20);
    await closed;
    clearInterval(dripping);
    expect({ answers, sent }).toEqual({ answers: 2, sent: drip.length });
  });
});
