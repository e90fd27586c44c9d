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

async function showBlog(url: string, env: Readonly<Record<string, string>>) {
  const words = ['api', '--field', 'title', '--retries', '0', '--blog', url];
  return blogctl(words, { folder: await givenFolder(), env });
}

/** Answers every request with a blog, over TLS with a certificate that nobody has signed. */
async function givenSecureService(): Promise<string> {
  const key = readFileSync(file('key.pem'));
  const cert = readFileSync(file('certificate.pem'));
  const blog = { title: 'Behind a lock', _links: {} };
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
