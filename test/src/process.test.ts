import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { run } from '../support/run.ts';
import { startRawServer } from '../support/raw-server.ts';

/** The built command as a process of its own: what only a process can show. */
const bin = fileURLToPath(new URL('../../bin/blogctl.cjs', import.meta.url));
const isPosix = process.platform !== 'win32';

let folder: string;
let env: Record<string, string>;

beforeAll(async () => {
  if (!existsSync(join(bin, '..', '..', 'dist'))) throw new Error('npm run build comes first');
  folder = mkdtempSync(join(tmpdir(), 'blogctl-process-'));
  env = { BLOGCTL_BLOG: `file:${join(folder, 'blog.json')}`, BLOGCTL_CONFIG_DIR: folder };
  const content = 'x'.repeat(500_000);
  for (let at = 0; at < 6; at += 1) {
    await run(['articles', 'create', '--title', `T${at}`, '--content', content], { env });
  }
});
afterAll(() => rmSync(folder, { recursive: true }));

function start(line: readonly string[], more: Readonly<Record<string, string>> = {}): ChildProcess {
  const { PATH = '' } = process.env;
  return spawn(process.execPath, [bin, ...line], { env: { PATH, ...env, ...more }, stdio: 'pipe' });
}

async function ended(child: ChildProcess): Promise<{ status: unknown; err: string }> {
  const err = child.stderr === null ? '' : text(child.stderr);
  const [status]: unknown[] = await once(child, 'close');
  return { status, err: await err };
}

describe('a pipe', () => {
  it('that is read slowly gets all of three megabytes', async () => {
    const child = start(['articles', 'list', '--json']);
    const { stdout } = child;
    if (stdout === null) throw new Error('no stdout');
    let length = 0;
    for await (const chunk of stdout) {
      length += Buffer.from(chunk).length;
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(length).toBeGreaterThan(3_000_000);
  });

  it('that is closed by its reader ends the command quietly', async () => {
    const child = start(['articles', 'list', '--json']);
    child.stdout?.once('data', () => child.stdout?.destroy());
    expect(await ended(child)).toEqual({ status: 0, err: '' });
  });

  it.skipIf(!existsSync('/dev/full'))('that takes nothing more is said to', async () => {
    const line = `"${process.execPath}" "${bin}" articles list > /dev/full`;
    const child = spawn('sh', ['-c', line], { env: { ...process.env, ...env }, stdio: 'pipe' });
    const { status, err } = await ended(child);
    expect(status).toBe(7);
    expect(err).toContain('error: The output cannot be written.');
  });
});

describe.skipIf(!isPosix)('a signal', () => {
  it.each([
    ['SIGINT', 130, 'error: Interrupted.\n'],
    ['SIGTERM', 143, 'error: Terminated.\n'],
    ['SIGHUP', 143, 'error: Terminated.\n'],
  ] as const)('%s ends a request that is waited for, with %i', async (signal, status, err) => {
    const server = await startRawServer(() => child.kill(signal));
    const child = start(['articles', 'list'], { BLOGCTL_BLOG: `${server.url}/` });
    expect(await ended(child)).toEqual({ status, err });
    await server.stop();
  });

  it('says of a creation that is waited for that it may be done', async () => {
    const hal = 'HTTP/1.1 200 OK\r\nContent-Type: application/hal+json\r\nContent-Length: ';
    const blog = JSON.stringify({ id: 1, title: 'T', _links: { 'doc:articles': { href: '/a' } } });
    const server = await startRawServer((socket, request) => {
      if (request.startsWith('POST')) child.kill('SIGINT');
      else socket.write(`${hal}${blog.length}\r\n\r\n${blog}`);
    });
    const line = ['articles', 'create', '--title', 'T', '--content', 'c'];
    const child = start(line, { BLOGCTL_BLOG: `${server.url}/` });
    const look = 'It may have been created all the same: look with blogctl articles list.';
    const err = `error: Interrupted.\nhint: ${look}\n`;
    expect(await ended(child)).toEqual({ status: 130, err });
    await server.stop();
  });

  it('ends serve with 0, everything on disk', async () => {
    const child = start(['serve', '--port', '0', '--json', '-q']);
    child.stdout?.once('data', () => child.kill('SIGTERM'));
    expect((await ended(child)).status).toBe(0);
  });
});

describe('the built command', () => {
  it('tells its version and its help', async () => {
    const version = start(['--version']);
    expect(version.stdout && (await text(version.stdout))).toMatch(/^\d+\.\d+\.\d+/);
    const help = start(['--help']);
    expect(help.stdout && (await text(help.stdout))).toContain('Usage: blogctl');
  });

  it.each(['articles list --format ids', 'blog --json', 'commands', 'help environment'])(
    'finds every part of itself: %s',
    async (line) => {
      const child = start(line.split(' '));
      child.stdout?.resume();
      expect(await ended(child)).toEqual({ status: 0, err: '' });
    },
  );
});
