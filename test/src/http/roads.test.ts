import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { createServer as createSecureServer } from 'node:tls';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createUndiciTransport } from '../../../src/http/undici-transport.ts';
import { dripping, endless } from '../../support/hostile-answers.ts';
import { raw } from '../../support/raw-server.ts';

type Answer = (socket: Socket) => void;

const mostBytes = 64 * 1024 * 1024;
/** What may surround a body, and what the buffers of all who stand between hold. */
const beside = 32 * 1024 * 1024;
const long = 'x'.repeat(64 * 1024);
const head = 'HTTP/1.1 200 OK\nContent-Type: application/hal+json';
const chunked = raw(`${head}\nTransfer-Encoding: chunked`);
const open = raw('HTTP/1.1 200 Connection established');

const file = (name: string) =>
  readFileSync(fileURLToPath(new URL(`../../support/self-signed/${name}`, import.meta.url)));

let servers: Server[] = [];
const sockets: Socket[] = [];

beforeEach(() => {
  // The certificate is one that nobody signed.
  vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', '0');
});
afterEach(async () => {
  vi.unstubAllEnvs();
  for (const socket of sockets.splice(0)) socket.destroy();
  await Promise.all(servers.map((server) => once(server.close(), 'close')));
  servers = [];
});

async function listening(server: Server): Promise<number> {
  servers.push(server.listen(0, '127.0.0.1'));
  await once(server, 'listening');
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}

/** A server of raw bytes, which answers the first bytes of each connection. */
function given(answer: Answer, { secure = false } = {}): Promise<number> {
  const take = (socket: Socket) => {
    sockets.push(socket);
    socket.on('error', () => socket.destroy());
    socket.once('data', () => answer(socket));
  };
  return listening(
    secure
      ? createSecureServer({ key: file('key.pem'), cert: file('certificate.pem') }, take)
      : createServer(take),
  );
}

/** Opens every tunnel, and lets through what comes. */
function givenTunnel(port: number): Promise<number> {
  return given((socket) => {
    const onward = connect({ port, host: '127.0.0.1' });
    onward.on('error', () => onward.destroy());
    socket.write(open);
    socket.pipe(onward).pipe(socket);
    socket.on('close', () => onward.destroy());
  });
}

type Road = {
  readonly url: string;
  readonly env: Readonly<Record<string, string>>;
};

const roads: readonly (readonly [string, (answer: Answer) => Promise<Road>])[] = [
  ['http', async (answer) => ({ url: `http://127.0.0.1:${await given(answer)}/`, env: {} })],
  [
    'https',
    async (answer) => ({
      url: `https://127.0.0.1:${await given(answer, { secure: true })}/`,
      env: {},
    }),
  ],
  [
    'http by a proxy',
    async (answer) => ({
      url: 'http://127.0.0.1:9/',
      env: { HTTP_PROXY: `http://127.0.0.1:${await given(answer)}` },
    }),
  ],
  [
    'https through a tunnel',
    async (answer) => {
      const port = await given(answer, { secure: true });
      const env = { HTTPS_PROXY: `http://127.0.0.1:${await givenTunnel(port)}` };
      return { url: `https://127.0.0.1:${port}/`, env };
    },
  ],
  [
    'past a proxy',
    async (answer) => ({
      url: `http://127.0.0.1:${await given(answer)}/`,
      env: { HTTP_PROXY: 'http://127.0.0.1:9', NO_PROXY: '127.0.0.1' },
    }),
  ],
];

const answers: readonly (readonly [string, Answer, string, number])[] = [
  ['a body without an end', endless(raw(head), long), 'is longer than 64 MB.', 30_000],
  [
    'a chunk extension without an end',
    endless(chunked, `1;${long}`),
    'is longer than 64 MB.',
    30_000,
  ],
  [
    'a head without an end',
    endless(raw(head).trim(), `\r\nX: ${long}`),
    'is not a whole HTTP',
    30_000,
  ],
  [
    'interim answers without an end',
    endless('', 'HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n'),
    'sends interim answers (1xx) without end, and no answer.',
    30_000,
  ],
  ['a head drop by drop', dripping('HTTP/1.1 200 OK\r\nX: ', 'x'), 'No answer from', 400],
  // Ample for the head, which is there at once.
  ['a body drop by drop', dripping(chunked, '1\r\nx\r\n'), 'was not whole within 1 s.', 1000],
];

describe.each(roads)('by the road %s', (_, build) => {
  it.each(answers)('%s ends within its bounds', async (__, answer, says, timeoutMs) => {
    const { url, env } = await build(answer);
    await expect(get(url, env, timeoutMs)).rejects.toMatchObject({
      message: expect.stringContaining(says),
    });
    await everySocketIsClosed();
    const sent = Math.max(...sockets.map(({ bytesWritten }) => bytesWritten));
    expect(sent).toBeLessThan(mostBytes + beside);
  });
});

const refuses = 'The proxy does not lead to blog.invalid.';

describe('a proxy that is asked for a tunnel and', () => {
  it.each<readonly [string, Answer, string]>([
    ['says nothing', () => {}, 'No answer from blog.invalid within 0.4 s.'],
    ['drips', dripping('HTTP/1.1 200 OK\r\nX: ', 'x'), 'No answer from'],
    ['has a head without an end', endless('HTTP/1.1 200 OK', `\r\nX: ${long}`), 'is not a whole'],
    ['opens it and is silent', (socket) => socket.write(open), 'within 0.4 s'],
    ['opens it to no TLS', endless(open, long), 'No secure connection'],
    ['wants credentials', endless(raw('HTTP/1.1 407 No'), long), refuses],
    ['reaches nobody', (socket) => socket.end(raw('HTTP/1.1 502 Bad Gateway')), refuses],
    ['sends interim answers', endless('', 'HTTP/1.1 103 A\r\nX: x\r\n\r\n'), 'blog.invalid'],
  ])('%s', async (_, answer, says) => {
    const env = { HTTPS_PROXY: `http://127.0.0.1:${await given(answer)}` };
    await expect(get('https://blog.invalid/', env, 400)).rejects.toMatchObject({
      code: 'unreachable',
      message: expect.stringContaining(says),
    });
    await everySocketIsClosed();
  });

  it('wants credentials for http says the same', async () => {
    const answer = (socket: Socket) => socket.write(raw('HTTP/1.1 407 No\nContent-Length: 0'));
    const env = { HTTP_PROXY: `http://127.0.0.1:${await given(answer)}` };
    await expect(get('http://blog.invalid/', env, 30_000)).rejects.toMatchObject({
      message: refuses,
    });
  });
});

function get(url: string, env: Road['env'], timeoutMs: number): Promise<unknown> {
  return createUndiciTransport({ timeoutMs, env })({ method: 'GET', url, headers: {} });
}

/** One that stayed open would keep the command from ending. */
async function everySocketIsClosed(): Promise<void> {
  const lasting = sockets.filter(({ closed }) => !closed);
  await Promise.all(lasting.map((socket) => new Promise((done) => socket.once('close', done))));
}
