import { chmod, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Writable } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createOutputFile } from '../../../src/terminal/output.ts';
import { createWrite, OutputClosed } from '../../../src/terminal/streams.ts';
import { run } from '../../support/run.ts';

let folder: string;
let env: Record<string, string>;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'blogctl-output-'));
  env = { BLOGCTL_BLOG: `file:${join(folder, 'blog.json')}`, BLOGCTL_CONFIG_DIR: folder };
  await run(['articles', 'create', '--title', 'A "title", ü', '--content', 'One\n'], { env });
});
afterEach(() => rm(folder, { recursive: true }));

describe('a file instead of stdout', () => {
  const list = ['articles', 'list', '--json', '-o'];

  it('holds the answer, and stdout nothing', async () => {
    const path = join(folder, 'out.json');
    expect(await run([...list, path], { env })).toMatchObject({ status: 0, out: '' });
    expect(JSON.parse(await readFile(path, 'utf8'))).toMatchObject([{ title: 'A "title", ü' }]);
    expect(await readdir(folder)).not.toContainEqual(expect.stringContaining('draft'));
  });

  it('that is there is left alone unless told otherwise', async () => {
    const path = join(folder, 'out.json');
    await writeFile(path, 'mine');
    const refused = await run([...list, path], { env });
    expect(refused.status).toBe(6);
    expect(refused.err).toContain(`${path} is there already.`);
    expect(await readFile(path, 'utf8')).toBe('mine');
    expect((await run([...list, path, '--overwrite'], { env })).status).toBe(0);
    expect(await readFile(path, 'utf8')).not.toBe('mine');
  });

  it('is not there after a failure', async () => {
    const path = join(folder, 'out.json');
    const { status } = await run(['articles', 'get', '9', '-o', path], { env });
    expect(status).toBe(5);
    expect(await readdir(folder)).not.toContain('out.json');
  });

  it('is in its place only when it is whole', async () => {
    const path = join(folder, 'part');
    const file = createOutputFile(path, false);
    await file.write('half');
    expect(await readdir(folder)).not.toContain('part');
    await file.discard();
    expect((await readdir(folder)).filter((name) => name.startsWith('part'))).toEqual([]);
  });

  it('in a folder that is not there is unusable', async () => {
    const { status, err } = await run([...list, join(folder, 'no', 'x')], { env });
    expect(status).toBe(7);
    expect(err).toContain('cannot be written.');
  });
});

it('a field goes into a pipe to the byte', async () => {
  expect((await run(['articles', 'get', '1', '--field', 'content'], { env })).out).toBe('One\n');
});

describe('an article as Markdown', () => {
  const get = ['articles', 'get', '1', '--format', 'md'];

  it('can be read again to create another, and to update none but its own', async () => {
    const { out } = await run(get, { env, folder });
    expect(out).toBe('---\ntitle: "A \\"title\\", ü"\narticle: "file:blog.json#1"\n---\nOne\n');
    await writeFile(join(folder, 'again.md'), out);
    const line = ['articles', 'create', '--from-file', 'again.md', '--json'];
    const article = { title: 'A "title", ü', content: 'One\n' };
    const created = await run(line, { env, folder });
    expect(JSON.parse(created.out)).toMatchObject({ ...article, id: 2 });
    const update = (id: string) => ['articles', 'update', id, '--from-file', 'again.md', '--json'];
    const updated = await run(update('1'), { env, folder });
    expect(JSON.parse(updated.out)).toMatchObject({ ...article, id: 1 });
    expect(await run(update('2'), { env, folder })).toMatchObject({ status: 2, out: '' });
  });

  it.each([
    ['a.md', 'file:blog.json#1'],
    ['posts/a.md', 'file:../blog.json#1'],
    ['posts/é "x"/a.md', 'file:../../blog.json#1'],
  ])('in %s is the article it was when it is imported', async (path, address) => {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    expect(await run([...get, '-o', join(folder, path)], { env, folder })).toMatchObject({
      status: 0,
    });
    expect(await readFile(join(folder, path), 'utf8')).toContain(`\narticle: "${address}"\n`);
    const imported = await run(['articles', 'import', join(folder, path), '--json'], {
      env,
      folder,
    });
    expect(JSON.parse(imported.out)).toMatchObject({ created: 0, replayed: 1 });
  });
});

describe.skipIf(process.platform === 'win32')('a pager', () => {
  const get = ['articles', 'get', '1', '--no-color'];
  const pager = join(tmpdir(), `blogctl-pager-${process.pid}`);
  afterEach(() => rm(pager, { force: true }));

  it('shows what is longer than the screen', async () => {
    await writeFile(pager, `#!/bin/sh\ncat > "${folder}/paged"\n`);
    await chmod(pager, 0o755);
    await run(get, { env: { ...env, PAGER: pager }, terminal: 80, rows: 3 });
    expect(await readFile(join(folder, 'paged'), 'utf8')).toMatch(/^A "title", ü\n#1 .*\n\nOne\n$/);
  });

  it('that is interrupted leaves no text behind', async () => {
    const interrupted = { ...env, PAGER: 'kill -INT $$' };
    const { out } = await run(get, { env: interrupted, terminal: 80, rows: 3 });
    expect(out).toBe('');
  });

  it.each([
    ['is not there', { PAGER: 'no-such-pager-anywhere' }, get, 3],
    ['is refused', { PAGER: 'false' }, [...get, '--no-pager'], 3],
    ['is not needed', { PAGER: 'false' }, get, 30],
    ['would be asked for in CI', { PAGER: 'false', CI: '1' }, get, 3],
  ])('that %s: the text is shown all the same', async (_name, more, line, rows) => {
    const { out } = await run(line, { env: { ...env, ...more }, terminal: 80, rows });
    expect(out).toContain('One\n');
  });
});

describe('writing', () => {
  it('waits for a slow reader', async () => {
    const release: (() => void)[] = [];
    const slow = new Writable({
      highWaterMark: 1,
      write: (_chunk, _encoding, done) => void release.push(done),
    });
    let handedOver = false;
    const writing = createWrite(() => slow)('a').then(() => (handedOver = true));
    expect(handedOver).toBe(false);
    release[0]?.();
    await writing;
    expect(handedOver).toBe(true);
  });

  it.each(['EPIPE', 'ECONNRESET', 'ERR_STREAM_DESTROYED'])('to nobody ends: %s', async (code) => {
    const gone = new Writable({
      write: (_chunk, _encoding, done) => done(Object.assign(new Error('gone'), { code })),
    });
    const write = createWrite(() => gone);
    await expect(write('a')).rejects.toBeInstanceOf(OutputClosed);
    await expect(write('b')).rejects.toBeInstanceOf(OutputClosed);
  });

  it.each([
    ['all of a text', 100, 'text', []],
    ['the rest, where a part finds room', 1, 't', ['ext']],
    ['all of it, where nothing does', 'EAGAIN', '', ['text']],
    ['a long text whole', 100, '', ['x'.repeat(20_000)]],
  ] as const)('at once needs no stream, which takes %s', async (_name, room, atOnce, left) => {
    const written: string[] = [];
    const streamed: string[] = [];
    const stream = new Writable({
      write: (chunk, _encoding, done) => {
        streamed.push(String(chunk));
        done();
      },
    });
    const write = createWrite(
      () => stream,
      (bytes) => {
        if (room === 'EAGAIN') throw Object.assign(new Error('later'), { code: room });
        written.push(Buffer.from(bytes.subarray(0, room)).toString());
        return Math.min(bytes.length, room);
      },
    );
    await write(left[0]?.startsWith('x') ? left[0] : 'text');
    expect([written.join(''), streamed]).toEqual([atOnce, left]);
  });

  it('at once to nobody ends, and fails where the disk is full', async () => {
    const failing = (code: string) =>
      createWrite(
        () => new Writable(),
        () => {
          throw Object.assign(new Error(code), { code });
        },
      );
    await expect(failing('EPIPE')('a')).rejects.toBeInstanceOf(OutputClosed);
    await expect(failing('ENOSPC')('a')).rejects.toMatchObject({ code: 'unusable-input' });
  });

  it('that fails otherwise fails', async () => {
    const full = new Writable({
      write: (_chunk, _encoding, done) =>
        done(Object.assign(new Error('full'), { code: 'ENOSPC' })),
    });
    await expect(createWrite(() => full)('a')).rejects.toMatchObject({
      code: 'unusable-input',
      message: 'The output cannot be written.',
      cause: { message: 'full' },
    });
  });
});
