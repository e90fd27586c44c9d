import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  initStore,
  openLocal,
  withTokens,
  startServer,
  StoreHeld,
  UnusableStore,
} from '../../server/index.ts';
import type { ServeOptions } from '../../server/index.ts';

let folder = '';
let file = '';
const endings: (() => Promise<unknown>)[] = [];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'blogctl-service-'));
  file = join(folder, 'blog.json');
});
afterEach(async () => {
  for (const end of endings.splice(0)) await end();
  await rm(folder, { recursive: true });
});

async function serve(options: Partial<ServeOptions> = {}) {
  const server = await startServer({ file, host: '127.0.0.1', port: 0, ...options });
  endings.push(() => server.stop());
  return server;
}

const draft = JSON.stringify({ title: 'T', content: 'C' });
const json = { 'content-type': 'application/json' };

describe('startServer', () => {
  it('makes a missing store, serves it, and logs without tokens', async () => {
    const lines: string[] = [];
    const server = await serve({
      token: 'ci-secret',
      title: 'News',
      accessLog: (line) => lines.push(line),
    });
    expect(server.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    expect(server.blogs).toEqual([{ id: 1, title: 'News', url: `${server.url}/api/v1.2/blogs/1` }]);
    const created = await fetch(`${server.url}/api/v1.2/blogs/1/articles`, {
      method: 'POST',
      headers: { ...json, 'x-access-token': 'ci-secret' },
      body: draft,
    });
    expect(created.status).toBe(201);
    await fetch(`${server.url}/%0a?x=\u001b[31m`);
    await server.stop();
    const [post, get] = lines.join('\n').split('\n');
    expect(post).toMatch(/^POST \/api\/v1\.2\/blogs\/1\/articles 201 \d+ [\d.]+ms [\w-]+-1$/);
    expect(get).toMatch(/^GET \/%0a\?x=\S+ 404 \d+ [\d.]+ms [\w-]+-2$/);
    expect(lines.join()).not.toContain('ci-secret');
    expect(JSON.parse(await readFile(file, 'utf8')).articles).toHaveLength(1);
  });

  it('takes tokens of the token file, also those made while it runs', async () => {
    const server = await serve();
    const { token } = await withTokens(file, (tokens) =>
      tokens.create({ name: 'ci', rights: ['create'] }),
    );
    const post = () =>
      fetch(`${server.url}/api/v1.2/blogs/1/articles`, {
        method: 'POST',
        headers: { ...json, 'x-access-token': token },
        body: draft,
      });
    expect((await post()).status).toBe(201);
    await withTokens(file, (tokens) => tokens.revoke('ci'));
    expect((await post()).status).toBe(401);
    expect((await stat(join(folder, 'blog.tokens.json'))).mode & 0o777).toBe(0o600);
  });

  it('makes links from the base URL it is told, and answers for its host', async () => {
    const server = await serve({ baseUrl: 'https://blog.example/x/' });
    expect(server.url).toBe('https://blog.example/x');
    const address = (await openLocal({ file, missing: 'refuse' })).blogUrl;
    expect(address).toBe('https://blog.example/x/api/v1.2/blogs/1');
  });

  it('sends no token in clear to a base URL that is not of this machine', async () => {
    await serve({ baseUrl: 'http://blog.example' });
    await expect(openLocal({ file, missing: 'refuse' })).rejects.toMatchObject({
      name: 'StoreHeld',
      holder: { url: 'http://blog.example/api/v1.2/blogs/1' },
    });
    expect(await readFile(`${file}.lock`, 'utf8')).not.toContain('bct_');
  });

  it('lets the store go when the port is taken', async () => {
    const { url } = await serve();
    const second = {
      file: join(folder, 'b.json'),
      host: '127.0.0.1',
      port: Number(new URL(url).port),
    };
    await (await startServer({ ...second, port: 0 })).stop();
    await expect(startServer(second)).rejects.toMatchObject({ code: 'EADDRINUSE' });
    const local = await openLocal({ file: second.file, missing: 'refuse' });
    expect(local.kind).toBe('embedded');
    if (local.kind === 'embedded') await local.close();
  });

  it('stops although a connection is silent', async () => {
    const server = await startServer({ file, host: '127.0.0.1', port: 0, graceMs: 60_000 });
    await fetch(`${server.url}/`);
    await server.stop();
    await expect(fetch(`${server.url}/`)).rejects.toThrow('fetch failed');
  });
});

describe('openLocal', () => {
  it('makes the file where it is told to, and answers in the process', async () => {
    const local = await openLocal({ file, missing: 'make' });
    if (local.kind !== 'embedded') throw new Error('held by another process');
    expect(local.blogUrl).toMatch(
      /^http:\/\/[\da-f]{10}\.blogctl\.localhost\/api\/v1\.2\/blogs\/1$/,
    );
    const blog = await local.handle({ method: 'GET', url: local.blogUrl, headers: {} });
    expect(blog.status).toBe(200);
    expect(JSON.parse(Buffer.from(blog.body).toString())).toMatchObject({ title: 'My blog' });
    const created = await local.handle({
      method: 'POST',
      url: `${local.blogUrl}/articles`,
      headers: { ...json, 'x-access-token': local.token },
      body: Buffer.from(draft),
    });
    expect(created.status).toBe(201);
    expect(created.headers['location']).toBe(`${local.blogUrl}/articles/1`);
    await local.close();
  });

  it('finds who serves the file, with a token that works there', async () => {
    const server = await serve();
    const local = await openLocal({ file, missing: 'refuse' });
    expect(local).toMatchObject({
      kind: 'served',
      blogUrl: server.blogs[0]?.url,
      pid: process.pid,
    });
    const { status } = await fetch(`${local.blogUrl}/articles`, {
      method: 'POST',
      headers: { ...json, 'x-access-token': local.token },
      body: draft,
    });
    expect(status).toBe(201);
  });

  it('says who holds the file where nobody serves it', async () => {
    const first = await openLocal({ file, missing: 'make' });
    if (first.kind === 'embedded') endings.push(() => first.close());
    await expect(openLocal({ file, missing: 'refuse' })).rejects.toThrow(StoreHeld);
  });
});

it('initStore never writes over a file', async () => {
  await initStore({ file, title: 'A', description: 'B' });
  const before = await readFile(file, 'utf8');
  await expect(initStore({ file, title: 'C', description: '' })).rejects.toThrow(UnusableStore);
  expect(await readFile(file, 'utf8')).toBe(before);
});
