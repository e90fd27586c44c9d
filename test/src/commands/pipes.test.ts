import { execFileSync, spawn } from 'node:child_process';
import { closeSync, constants, openSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { main } from '../../../src/main.ts';
import { givenHost } from '../../support/host.ts';
import { run } from '../../support/run.ts';

let folder: string;
let pipe: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'blogctl-pipes-'));
  pipe = join(folder, 'pipe');
  execFileSync('mkfifo', [pipe]);
});
afterEach(() => rm(folder, { recursive: true }));

const inFile = ['--blog', 'file:b.json'];
const elsewhere = ['--blog', 'http://127.0.0.1:1/blogs/1'];
const lines: readonly (readonly [string, (path: string) => readonly string[]])[] = [
  [
    '--content-file',
    (path) => ['articles', 'create', '--title', 'T', '--content-file', path, ...inFile],
  ],
  ['an import', (path) => ['articles', 'import', path, ...inFile]],
  ['an undo of one', (path) => ['runs', 'undo', '--source', path, ...inFile]],
  ['--token-file', (path) => ['articles', 'list', '--token-file', path, ...elsewhere]],
  ['--seed', (path) => ['serve', '--ephemeral', '--port', '0', '--seed', path]],
];

describe('a pipe that nobody writes into', () => {
  it.each(lines)('is waited for until Ctrl-C: %s', async (_, line) => {
    const host = givenHost(line(pipe), { folder });
    const ended = main(host);
    // A writer can open it without waiting only while a reader has it open.
    const writer = await vi.waitFor(
      () => openSync(pipe, constants.O_WRONLY | constants.O_NONBLOCK),
      20_000,
    );
    host.signal('SIGINT');
    expect(await ended).toBe(130);
    expect(host.err()).toContain('Interrupted.');
    closeSync(writer);
  });
});

describe('a pipe that is written into', () => {
  const write = (text: string) => spawn('sh', ['-c', 'printf %s "$1" > "$2"', 'sh', text, pipe]);

  it('is the content of an article', async () => {
    write('From a pipe');
    const create = ['articles', 'create', '--title', 'T', '--content-file', pipe, ...inFile];
    expect(await run(create, { env: {}, folder })).toMatchObject({ status: 0 });
    expect(await readFile(join(folder, 'b.json'), 'utf8')).toContain('"From a pipe"');
  });

  it('is a source of an import', async () => {
    write('{"title":"Piped","content":"c"}');
    const ended = await run(['articles', 'import', pipe, ...inFile], { env: {}, folder });
    expect(ended).toMatchObject({ status: 0, err: expect.stringContaining('1 created') });
  });
});

describe('a device that never ends', () => {
  it.each(lines)('is not read without an end: %s', async (_, line) => {
    const { status, err } = await run(line('/dev/zero'), { env: {}, folder });
    expect(status).toBe(7);
    expect(err).toMatch(/is longer than 256 MB\.|is a device, not a file\./);
  });
});
