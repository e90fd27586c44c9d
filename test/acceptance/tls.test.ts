import { readFileSync } from 'node:fs';
import { createServer as createProxy } from 'node:http';
import { createServer } from 'node:https';
import { connect } from 'node:net';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { blogctl, givenFolder } from '../support/command.ts';

const file = (name: string) =>
  fileURLToPath(new URL(`../support/self-signed/${name}`, import.meta.url));
const trusting = { NODE_EXTRA_CA_CERTS: file('certificate.pem') };

describe('a service with a certificate of its own', () => {
  it('is refused with the cause and the way out', async () => {
    const ended = await showBlog(await givenSecureService(), {});
    expect([ended.exitCode, ended.stdout]).toEqual([9, '']);
    expect(ended.stderr).toMatch(/^error: .*certificate/im);
    expect(ended.stderr).toMatch(/^hint: .*NODE_EXTRA_CA_CERTS/m);
  });

  it('is read once its certificate is trusted', async () => {
    const ended = await showBlog(await givenSecureService(), trusting);
    expect([ended.stderr, ended.exitCode, ended.stdout]).toEqual(['', 0, 'Behind a lock']);
  });

  it('is reached through a proxy, which sees the name of the host alone', async () => {
    const { url, tunnels } = await givenTunnellingProxy();
    const service = await givenSecureService();
    const ended = await showBlog(service, { ...trusting, HTTPS_PROXY: url });
    expect([ended.stderr, ended.exitCode, ended.stdout]).toEqual(['', 0, 'Behind a lock']);
    expect(tunnels).toEqual([new URL(service).host]);
  });

  it('is reached past the proxy where NO_PROXY names it', async () => {
    const { url, tunnels } = await givenTunnellingProxy();
    const env = { ...trusting, HTTPS_PROXY: url, NO_PROXY: 'localhost' };
    const ended = await showBlog(await givenSecureService(), env);
    expect([ended.exitCode, ended.stdout, tunnels]).toEqual([0, 'Behind a lock', []]);
  });
});

describe('a blog by https whose articles are linked to by http', () => {
  const create = [
    'articles',
    'create',
    '--title',
    'Secret',
    '--content',
    'Secret',
    '--retries',
    '0',
  ];

  it.each([
    [[], 9, 0, 'leads to where nothing is encrypted: http:'],
    [['--allow-insecure-links'], 0, 1, 'Created article 1.'],
  ])(
    'gets none, unless the user allows it: %j ends with %i',
    async (flags, status, count, said) => {
      const plain = await givenPlainService();
      const blog = await givenSecureService(`${plain.url}/articles`);
      const folder = await givenFolder();
      const env = { ...trusting, BLOGCTL_TOKEN: 'secret-token' };
      const ended = await blogctl([...create, '--blog', blog, ...flags], { folder, env });
      expect(ended.exitCode).toBe(status);
      expect(ended.stderr).toContain(said);
      expect(plain.requests).toHaveLength(count);
      expect(JSON.stringify(plain.requests)).not.toContain('secret-token');
    },
  );
});

/** Takes every creation, and notes with which header fields it came. */
async function givenPlainService() {
  const requests: unknown[] = [];
  const server = createProxy((request, response) => {
    requests.push(request.headers);
    response.writeHead(201, { 'content-type': 'application/hal+json' });
    request.resume().on('end', () => response.end('{"id":1,"title":"Secret","content":"Secret"}'));
  });
  return { url: `http://localhost:${await listen(server)}`, requests };
}

async function showBlog(url: string, env: Readonly<Record<string, string>>) {
  const words = ['api', '--field', 'title', '--retries', '0', '--blog', url];
  return blogctl(words, { folder: await givenFolder(), env });
}

/** Answers every request with a blog, over TLS with a certificate that nobody has signed. */
async function givenSecureService(articles = '/articles'): Promise<string> {
  const key = readFileSync(file('key.pem'));
  const cert = readFileSync(file('certificate.pem'));
  const links = { 'doc:articles': { href: articles } };
  const blog = { id: 1, title: 'Behind a lock', _links: links };
  const server = createServer({ key, cert }, (_request, response) => {
    response.writeHead(200, { 'content-type': 'application/hal+json' });
    response.end(JSON.stringify(blog));
  });
  return `https://localhost:${await listen(server)}/api/v1.2/blogs/1`;
}

async function givenTunnellingProxy() {
  const tunnels: string[] = [];
  const proxy = createProxy();
  proxy.on('connect', ({ url = '' }, client) => {
    tunnels.push(url);
    const target = connect(Number(url.split(':')[1]), 'localhost', () => {
      client.write('HTTP/1.1 200 Connection established\r\n\r\n');
      client.pipe(target).pipe(client);
    });
    target.on('error', () => client.destroy());
    client.on('error', () => target.destroy());
  });
  return { url: `http://localhost:${await listen(proxy)}`, tunnels };
}

async function listen(server: ReturnType<typeof createServer | typeof createProxy>) {
  await new Promise<void>((resolve) => void server.listen(0, 'localhost', resolve));
  onTestFinished(() => void server.close());
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('No port to listen at.');
  return address.port;
}
