import { afterEach, describe, expect, it } from 'vitest';
import { BlogctlError } from '../../../src/errors.ts';
import { createUndiciTransport } from '../../../src/http/undici-transport.ts';
import { type Answer, raw, type RawServer, startRawServer } from '../../support/raw-server.ts';

let server: RawServer | undefined;
afterEach(async () => server?.stop());

async function givenServer(answer: Answer) {
  server = await startRawServer(answer);
  return { url: server.url, send: createUndiciTransport({ timeoutMs: 2000, env: {} }) };
}

const bytes = '{"_links":{"doc:blog":{"href":"http://x/"}}}';

describe('requests one after the other', () => {
  it('open as many connections as there are senders', async () => {
    const sockets = new Set<unknown>();
    const { url, send } = await givenServer((socket) => {
      sockets.add(socket);
      socket.write(raw('HTTP/1.1 200 OK\nContent-Length: 2', '{}'));
    });
    const sender = async () => {
      for (let sent = 0; sent < 20; sent += 1) {
        await send({ method: 'POST', url: `${url}/a`, headers: {}, body: '{}' });
      }
    };
    await Promise.all([sender(), sender(), sender()]);
    expect(sockets.size).toBe(3);
  });
});

describe('an answer to DELETE', () => {
  it.each([
    ['204 with nothing', raw('HTTP/1.1 204 No Content')],
    ['204 with a length of 0', raw('HTTP/1.1 204 No Content\nContent-Length: 0')],
    ['204 with a length and no body', raw('HTTP/1.1 204 No Content\nContent-Length: 44')],
    ['204 with a length and the body', raw('HTTP/1.1 204 No Content\nContent-Length: 44', bytes)],
    [
      '204 with a chunked body',
      raw('HTTP/1.1 204 No Content\nTransfer-Encoding: chunked', `2c\r\n${bytes}\r\n0\r\n\r\n`),
    ],
    ['204 with a body of no announced length', raw('HTTP/1.1 204 No Content', bytes)],
    [
      '204 with a body and the connection closed',
      raw('HTTP/1.1 204 No Content\nConnection: close', bytes),
    ],
    ['200 with a body', raw('HTTP/1.1 200 OK\nContent-Length: 44', bytes)],
  ])('succeeds: %s', async (_name, answer) => {
    const { url, send } = await givenServer((socket) => socket.write(answer));
    const response = await send({ method: 'DELETE', url: `${url}/a`, headers: {} });
    expect([200, 204]).toContain(response.status);
  });

  it.each([
    ['with a length and the body', 'Content-Length: 44'],
    ['with no announced length', 'X-Nothing: 1'],
  ])('does not disturb the request after it: 204 %s', async (_name, field) => {
    const { url, send } = await givenServer((socket, request) =>
      socket.write(
        request.startsWith('DELETE')
          ? raw(`HTTP/1.1 204 No Content\n${field}`, bytes)
          : raw('HTTP/1.1 200 OK\nContent-Length: 2', '{}'),
      ),
    );
    await send({ method: 'DELETE', url: `${url}/a`, headers: {} });
    const next = await send({ method: 'GET', url: `${url}/b`, headers: {} });
    expect(next.status).toBe(200);
    expect(Buffer.from(next.body).toString()).toBe('{}');
  });

  it('does not disturb the request after it when its body comes late', async () => {
    const late = new Set<unknown>();
    const { url, send } = await givenServer((socket, request) => {
      if (request.startsWith('DELETE')) {
        late.add(socket);
        socket.write(raw('HTTP/1.1 204 No Content\nContent-Length: 44'));
      } else {
        socket.write(
          (late.has(socket) ? bytes : '') + raw('HTTP/1.1 200 OK\nContent-Length: 2', '{}'),
        );
      }
    });
    await send({ method: 'DELETE', url: `${url}/a`, headers: {} });
    const next = await send({ method: 'GET', url: `${url}/b`, headers: {} });
    expect(next.status).toBe(200);
  });
});

describe('no answer', () => {
  it.each([
    [
      'a port where nobody listens',
      async () => ({
        url: 'http://127.0.0.1:1/',
        send: createUndiciTransport({ timeoutMs: 2000, env: {} }),
      }),
      'Nothing listens at 127.0.0.1:1.',
      true,
    ],
    [
      'a connection closed before an answer',
      () => givenServer((socket) => socket.destroy()),
      /^No answer from 127\.0\.0\.1:\d+\.$/,
      true,
    ],
    [
      'something that is not HTTP',
      () => givenServer((socket) => socket.write('220 mail ready\r\n\r\n')),
      /^What 127\.0\.0\.1:\d+ sent is not a whole HTTP answer\.$/,
      true,
    ],
    [
      'a body that ends too early',
      () =>
        givenServer((socket) => socket.end(raw('HTTP/1.1 200 OK\nContent-Length: 100', '{"id"'))),
      /^The answer of 127\.0\.0\.1:\d+ broke off before its end\.$/,
      true,
    ],
  ])('is unreachable and names the place: %s', async (_name, given, message, retryable) => {
    const { url, send } = await given();
    await expect(send({ method: 'GET', url, headers: {} })).rejects.toMatchObject({
      name: 'BlogctlError',
      code: 'unreachable',
      message: expect.stringMatching(message),
      context: { retryable, method: 'GET', url },
    });
  });

  it('in time is unreachable and names the time', async () => {
    server = await startRawServer(() => {});
    const send = createUndiciTransport({ timeoutMs: 100, env: {} });
    await expect(send({ method: 'GET', url: server.url, headers: {} })).rejects.toMatchObject({
      code: 'unreachable',
      message: `No answer from ${new URL(server.url).host} within 0.1 s.`,
    });
  });

  it('after Ctrl-C ends with the reason of the signal', async () => {
    const controller = new AbortController();
    server = await startRawServer(() =>
      controller.abort(new BlogctlError('interrupted', 'Interrupted.')),
    );
    const send = createUndiciTransport({ timeoutMs: 5000, env: {}, signal: controller.signal });
    await expect(send({ method: 'GET', url: server.url, headers: {} })).rejects.toMatchObject({
      code: 'interrupted',
    });
  });

  it.each([
    ['POST', expect.stringContaining('may have been created')],
    ['PUT', expect.stringMatching(/may have been done .* articles get http:/)],
    ['GET', undefined],
  ])('after Ctrl-C says what is left open: %s', async (method, hint) => {
    const controller = new AbortController();
    const stop = new BlogctlError('terminated', 'Terminated.');
    server = await startRawServer(() => controller.abort(stop));
    const send = createUndiciTransport({ timeoutMs: 5000, env: {}, signal: controller.signal });
    const request = { method, url: server.url, headers: {} };
    await expect(send(request)).rejects.toMatchObject({
      code: 'terminated',
      message: 'Terminated.',
      hint,
    });
    // Nothing was sent.
    await expect(send(request)).rejects.toBe(stop);
  });

  it('after Ctrl-C while the connection is being made does not wait for it', async () => {
    const controller = new AbortController();
    // It takes the connection, and lets who would have it secured wait.
    server = await startRawServer(() => {});
    const url = server.url.replace('http:', 'https:');
    const send = createUndiciTransport({ timeoutMs: 60_000, env: {}, signal: controller.signal });
    const answer = send({ method: 'GET', url, headers: {} });
    controller.abort(new BlogctlError('interrupted', 'Interrupted.'));
    await expect(answer).rejects.toMatchObject({ code: 'interrupted' });
  });
});

describe('a proxy', () => {
  it('is used where the environment names one', async () => {
    server = await startRawServer((socket) =>
      socket.write(raw('HTTP/1.1 200 OK\nContent-Length: 2', '{}')),
    );
    const send = createUndiciTransport({ timeoutMs: 2000, env: { HTTP_PROXY: server.url } });
    const response = await send({ method: 'GET', url: 'http://blog.invalid/api', headers: {} });
    expect(response.status).toBe(200);
    expect(server.requests[0]).toMatch(/^GET http:\/\/blog\.invalid\/api HTTP\/1\.1/);
  });

  it('may be named without a scheme', async () => {
    server = await startRawServer((socket) =>
      socket.write(raw('HTTP/1.1 200 OK\nContent-Length: 2', '{}')),
    );
    const env = { http_proxy: server.url.slice('http://'.length) };
    const send = createUndiciTransport({ timeoutMs: 2000, env });
    const response = await send({ method: 'GET', url: 'http://blog.invalid/api', headers: {} });
    expect(response.status).toBe(200);
  });

  it.each(['http://', 'socks5://127.0.0.1:1080', '::'])('that is none is named: %s', (proxy) => {
    const create = () => createUndiciTransport({ timeoutMs: 1, env: { HTTPS_PROXY: proxy } });
    expect(create).toThrow('What HTTPS_PROXY says is not the address of a proxy.');
  });

  it.each(['http://127.0.0.1:9', 'http://proxy.invalid:8080'])(
    'that cannot be reached is told from the service: %s',
    async (proxy) => {
      const send = createUndiciTransport({ timeoutMs: 5000, env: { HTTP_PROXY: proxy } });
      const url = 'http://127.0.0.1:8080/x';
      await expect(send({ method: 'GET', url, headers: {} })).rejects.toMatchObject({
        message: 'The proxy on the way to 127.0.0.1:8080 cannot be reached.',
        hint: 'Check HTTP_PROXY and HTTPS_PROXY; NO_PROXY names the hosts that need none.',
      });
    },
  );

  it('is passed by for a host in NO_PROXY', async () => {
    const { url } = await givenServer((socket) =>
      socket.write(raw('HTTP/1.1 200 OK\nContent-Length: 2', '{}')),
    );
    const env = { HTTP_PROXY: 'http://127.0.0.1:1', NO_PROXY: '127.0.0.1' };
    const send = createUndiciTransport({ timeoutMs: 2000, env });
    expect((await send({ method: 'GET', url, headers: {} })).status).toBe(200);
  });
});

it('asks for no compression', async () => {
  const { url, send } = await givenServer((socket) =>
    socket.write(raw('HTTP/1.1 200 OK\nContent-Length: 2', '{}')),
  );
  await send({ method: 'GET', url, headers: { accept: 'application/hal+json' } });
  expect(server?.requests[0]).toMatch(/^accept-encoding: identity$/im);
});
