import { mkdtemp, rm } from 'node:fs/promises';
import type { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  articleBody,
  type Asked,
  type Behaviour,
  behaviours,
  blogBody,
  pageBody,
  type Places,
  whole,
} from '../../support/hostile-answers.ts';
import { type RawServer, raw, startRawServer } from '../../support/raw-server.ts';
import { run } from '../../support/run.ts';

const mostBytes = 64 * 1024 * 1024;
/** What the buffers of both ends and of what lies between may hold beyond. */
const buffered = 16 * 1024 * 1024;

let service: RawServer;
let elsewhere: RawServer;
let folder: string;
const sockets = new Map<string, Set<Socket>>();

beforeAll(async () => {
  elsewhere = await startRawServer(
    (socket) => void socket.end(raw('HTTP/1.1 200 OK\nContent-Length: 2', '{}')),
  );
  service = await startRawServer(answer);
  folder = await mkdtemp(join(tmpdir(), 'blogctl-hostile-'));
});
afterAll(async () => {
  await Promise.all([service.stop(), elsewhere.stop()]);
  await rm(folder, { recursive: true, force: true });
});

/** Each behaviour has a blog of its own: its number. */
function answer(socket: Socket, request: string): void {
  const [, method = '', path = ''] = /^(\S+) (\S+)/.exec(request) ?? [];
  const [, number = ''] = /^\/(\d+)/.exec(path) ?? [];
  sockets.set(number, (sockets.get(number) ?? new Set()).add(socket));
  const places = placesOf(number);
  const asked = askedOf(method, path);
  const said = (behaviours[Number(number)]?.answers[asked] ?? friendly[asked])(places);
  if (typeof said === 'function') said(socket);
  else socket.write(said);
}

function placesOf(number: string): Places {
  return { origin: service.url, blog: `${service.url}/${number}`, elsewhere: elsewhere.url };
}

function askedOf(method: string, path: string): Asked {
  if (method === 'POST' || method === 'PUT' || method === 'DELETE') return method;
  if (/\/articles\/\d/.test(path)) return 'article';
  return path.includes('/articles') ? 'page' : 'root';
}

const friendly: Readonly<Record<Asked, (places: Places) => Buffer | string>> = {
  root: (places) => whole(blogBody(places)),
  page: (places) => whole(pageBody(places)),
  article: (places) => whole(articleBody(places)),
  POST: (places) => whole(articleBody(places), '201 Created'),
  PUT: (places) => whole(articleBody(places)),
  DELETE: () => raw('HTTP/1.1 204 No Content'),
};

async function command({ line = ['articles', 'list'], timeoutMs }: Behaviour, number: number) {
  const env = {
    BLOGCTL_BLOG: placesOf(String(number)).blog,
    BLOGCTL_TOKEN: 'secret-token',
    BLOGCTL_RETRIES: '0',
    BLOGCTL_TIMEOUT: `${timeoutMs}ms`,
    BLOGCTL_CONFIG_DIR: join(folder, 'config'),
    BLOGCTL_DATA_DIR: join(folder, String(number)),
  };
  const startedAt = performance.now();
  const ended = await run(line, { env, folder, stdin: '{"title":"Secret title","content":"c"}\n' });
  const sent = [...(sockets.get(String(number)) ?? [])].reduce(
    (sum, { bytesWritten }) => sum + bytesWritten,
    0,
  );
  return { ...ended, sent, tookMs: performance.now() - startedAt };
}

async function expectBounded(_: string, behaviour: Behaviour, number: number): Promise<void> {
  const { status, err, out, sent, tookMs } = await command(behaviour, number);
  expect(err).toMatch(behaviour.says);
  expect(err).not.toContain('bug in blogctl');
  expect(status).toBe(behaviour.status);
  expect(sent).toBeLessThan(mostBytes + buffered);
  // Beside: reading as much as there may be on a busy machine, and the patience of an import.
  expect(tookMs).toBeLessThan(behaviour.timeoutMs + 10_000);
  expect(err.length).toBeLessThan(50_000);
  // oxlint-disable-next-line eslint/no-control-regex -- these are the characters to find
  expect(err + out.slice(0, 1000)).not.toMatch(/[^\P{Cc}\n\t]/u);
}

describe('a service that', () => {
  const numbered = behaviours.map((behaviour, at) => [behaviour.name, behaviour, at] as const);
  // Those that are waited for are waited for together.
  it.concurrent.each(numbered.filter(([, { isSilent }]) => isSilent))('%s', expectBounded);
  it.each(numbered.filter(([, { isSilent }]) => !isSilent))('%s', expectBounded);

  it('is one of many, and nothing of an article, no token and no request went elsewhere', () => {
    expect(behaviours.length).toBeGreaterThanOrEqual(80);
    expect(new Set(behaviours.map(({ name }) => name)).size).toBe(behaviours.length);
    expect(elsewhere.requests).toEqual([]);
  });
});
