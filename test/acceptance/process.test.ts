import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { execa } from 'execa';
import { blogctl, givenFolder, startBlogctl } from '../support/command.ts';
import { raw, startRawServer } from '../support/raw-server.ts';

const bin = fileURLToPath(new URL('../../bin/blogctl.cjs', import.meta.url));

describe('the process', () => {
  it('shows help without loading the server, undici or zod', async () => {
    const folder = await givenFolder();
    const probe = join(folder, 'probe.cjs');
    await writeFile(
      probe,
      `process.on('exit', () => process.stderr.write(Object.keys(require.cache).join('\\n')));`,
    );
    const { stdout, stderr } = await execa(process.execPath, ['-r', probe, bin, '--help']);
    expect(stdout).toContain('Usage: blogctl');
    const chunks = stderr.split('\n').filter((file) => file.includes('dist'));
    expect(chunks.length).toBeGreaterThan(0);
    const code = chunks.map((file) => readFileSync(file, 'utf8')).join('\n');
    for (const mark of ['UND_ERR_', 'ZodError', 'createServer', 'fdatasync'])
      expect(code).not.toContain(mark);
  });

  it('reads an answer in pieces of a byte in as much memory as one that comes whole', async () => {
    const piece = '1\r\n \r\n'.repeat(10_000);
    const service = await startRawServer((socket) => {
      socket.write(
        raw('HTTP/1.1 200 OK\nContent-Type: application/json\nTransfer-Encoding: chunked'),
      );
      for (let count = 0; count < 150; count += 1) socket.write(piece);
      socket.end('2\r\n{}\r\n0\r\n\r\n');
    });
    const setting = {
      folder: await givenFolder(),
      env: { NODE_OPTIONS: '--max-old-space-size=64' },
    };
    const line = ['api', '--jq', 'length', '--blog', `${service.url}/b`];
    expect(await blogctl(line, setting)).toMatchObject({ exitCode: 0, stdout: '0\n' });
    await service.stop();
  });

  it.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const)(
    'ends at %s while it waits for what the service asked for',
    async (signal, status) => {
      const answer = 'HTTP/1.1 503 Busy\nRetry-After: 300\nContent-Length: 0';
      const service = await startRawServer((socket) => void socket.write(raw(answer)));
      const setting = { folder: await givenFolder() };
      const command = startBlogctl(['blog', '--blog', `${service.url}/b`], setting);
      onTestFinished(() => void command.kill('SIGKILL'));
      await once(command.stderr, 'data');
      command.kill(signal);
      expect((await command).exitCode).toBe(status);
      await service.stop();
    },
  );

  it.each([
    ['a reader that has gone ends quietly', '| true', '0', ''],
    [
      'a full disk is told',
      '> /dev/full',
      '7',
      'error: The output cannot be written.\ncause: ENOSPC: no space left on device, write\n' +
        'hint: Make room on the disk, or write somewhere else.\n',
    ],
  ])('help towards %s', async (_name, towards, status, told) => {
    const script = `"$0" "$1" --help ${towards}; echo "\${PIPESTATUS[0]}"`;
    const ended = await execa('bash', ['-c', script, process.execPath, bin], {
      stripFinalNewline: false,
    });
    expect([ended.stdout.trim(), ended.stderr]).toEqual([status, told]);
  });

  it('delivers three megabytes through a pipe whole', async () => {
    const folder = await givenFolder();
    const record = { title: 'Long', content: 'é'.repeat(300_000) };
    const lines = Array.from({ length: 6 }, () => `${JSON.stringify(record)}\n`).join('');
    await writeFile(join(folder, 'long.ndjson'), lines);
    const blog = ['--blog', 'file:b.json'];
    const imported = await blogctl(['articles', 'import', 'long.ndjson', ...blog], { folder });
    expect(imported.exitCode).toBe(0);
    const listed = await blogctl(['articles', 'list', '--json', ...blog], { folder });
    expect(listed.stdout.length).toBeGreaterThan(1_800_000);
    expect(Buffer.byteLength(listed.stdout)).toBeGreaterThan(3_000_000);
    expect(JSON.parse(listed.stdout)).toHaveLength(6);
  });

  it('uses the local blog where nothing is configured, and says so', async () => {
    const folder = await givenFolder();
    const listed = await blogctl(['articles', 'list'], { folder });
    expect(listed.exitCode).toBe(0);
    expect(listed.stderr).toContain('local blog');
  });

  it('refuses to guess the blog in CI', async () => {
    const folder = await givenFolder();
    const listed = await blogctl(['articles', 'list'], { folder, env: { CI: '1' } });
    expect(listed.exitCode).toBe(2);
    expect(listed.stderr).toMatch(/^hint: .*--blog/m);
  });

  it.each(['text', 'json'])('writes its access log as %s a line for each request', async (form) => {
    const folder = await givenFolder();
    const words = ['serve', '--ephemeral', '--port', '0', '--ready-file', 'ready', '--log', form];
    const running = startBlogctl(words, { folder });
    const ready = join(folder, 'ready');
    while (!existsSync(ready)) await pause(20);
    const { url } = JSON.parse(await readFile(ready, 'utf8'));
    // The first two leave together, the third in a write of its own.
    for (const names of [['a', 'b'], ['c']]) {
      await Promise.all(names.map((name) => fetch(`${url}/${name}`)));
      await pause(100);
    }
    running.kill('SIGTERM');
    const { stderr } = await running;
    const told = stderr.split('\n').filter((line) => /404|^$/.test(line));
    const pathOf = (line: string): string =>
      form === 'json' && line !== '' ? JSON.parse(line).path : (line.split(' ')[1] ?? '');
    expect(told.map(pathOf).toSorted()).toEqual(['', '/a', '/b', '/c']);
  });
});
