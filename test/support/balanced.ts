import { spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startServer, withTokens } from '../../server/index.ts';
import { initPostgres } from '../../server/store/postgres/open.ts';
import type { HttpRequest, HttpResponse, Transport } from '../../src/http/transport.ts';
import { freePort, haproxy } from './postgres.ts';

/**
 * Two instances on the database of `address` behind haproxy, which sends each request to any of
 * them. What is read is read of both as well, and must be the same to the byte.
 */
export async function startBalanced(address: string) {
  await initPostgres(address, { title: 'My blog', description: '' });
  const { token } = await withTokens(address, (tokens) =>
    tokens.create({ name: 'test', rights: ['create', 'update', 'delete'] }),
  );
  const port = await freePort();
  const options = { file: address, port: 0, host: '127.0.0.1' };
  const instances = await Promise.all([startServer(options), startServer(options)]);
  const ports = instances.map(({ url }) => Number(new URL(url).port));
  const balancer = await startBalancer(port, ports);
  const transport: Transport = async (sent) => {
    const answer = await send(sent, port, port);
    if (sent.method === 'GET') {
      for (const each of ports) requireSame(sent, answer, await send(sent, each, port));
    }
    return answer;
  };
  const stop = async () => {
    await balancer.stop();
    await Promise.all(instances.map((one) => one.stop()));
  };
  return { blogUrl: `http://127.0.0.1:${port}/api/v1.2/blogs/1`, token, transport, stop };
}

/** haproxy before these ports of this machine, ready to answer. */
export async function startBalancer(port: number, ports: readonly number[]) {
  const folder = await mkdtemp(join(tmpdir(), 'blogctl-haproxy-'));
  const file = join(folder, 'haproxy.cfg');
  const servers = ports.map((each, at) => `  server s${at} 127.0.0.1:${each}`).join('\n');
  await writeFile(
    file,
    `defaults
  mode http
  timeout connect 2s
  timeout client 30s
  timeout server 30s
  option http-server-close
listen blog
  bind 127.0.0.1:${port}
  balance random
${servers}
`,
  );
  const child = spawn(haproxy ?? 'haproxy', ['-db', '-f', file], { stdio: 'ignore' });
  const ended = new Promise((resolve) => {
    child.once('exit', resolve);
  });
  await untilAnswered(port);
  return {
    stop: async () => {
      child.kill('SIGKILL');
      await ended;
      await rm(folder, { recursive: true });
    },
  };
}

async function untilAnswered(port: number): Promise<void> {
  const health = { method: 'GET', url: `http://127.0.0.1:${port}/health`, headers: {} } as const;
  for (let tries = 0; ; tries += 1) {
    const answer = await send(health, port, port).catch(() => undefined);
    if (answer?.status === 200) return;
    if (tries > 400) throw new Error('haproxy does not answer');
    await new Promise((next) => setTimeout(next, 25));
  }
}

/** Each request on a connection of its own, so that each can meet another instance. */
function send(sent: HttpRequest, to: number, named: number): Promise<HttpResponse> {
  const { method, url, headers, body } = sent;
  const { pathname, search } = new URL(url);
  const host = `127.0.0.1:${named}`;
  const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) };
  return new Promise((resolve, reject) => {
    const asked = request(
      {
        method,
        host: '127.0.0.1',
        port: to,
        path: pathname + search,
        headers: { ...headers, ...length, host },
        agent: false,
      },
      (answer) => {
        const chunks: Buffer[] = [];
        answer.on('data', (chunk: Buffer) => chunks.push(chunk));
        answer.on('error', reject);
        answer.on('end', () => {
          const own = Object.entries(answer.headers).map(([name, value]) => [name, String(value)]);
          const bytes = new Uint8Array(Buffer.concat(chunks));
          const status = answer.statusCode ?? 0;
          resolve({ status, headers: Object.fromEntries(own), body: bytes });
        });
      },
    );
    asked.on('error', reject);
    asked.end(body);
  });
}

function requireSame(sent: HttpRequest, one: HttpResponse, other: HttpResponse): void {
  const [a, b] = [one, other].map(({ status, headers, body }) => {
    const { etag, link, 'last-modified': changed, 'content-type': type } = headers;
    return JSON.stringify([status, etag, link, changed, type, Buffer.from(body).toString()]);
  });
  if (a !== b) throw new Error(`${sent.url} is not the same on both instances:\n${a}\n${b}`);
}
