import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { main } from '../../../src/main.ts';
import { givenFolder } from '../../support/command.ts';
import { givenHost } from '../../support/host.ts';
import { run } from '../../support/run.ts';

let folder: string;
let env: Record<string, string>;
const blogctl = (line: string) => {
  const words = line.split(' ');
  const whole = words.map((word) => (/^(?:posts|made)$/.test(word) ? join(folder, word) : word));
  return run(whole, { env, folder });
};
const text = (name: string) => readFile(join(folder, name), 'utf8').catch(() => 'not there');
const there = ['blog.json', 'backup.json', 'blog.tokens.json', 'blog.json.lock', 'notes.txt'];
const texts = () => Promise.all(there.map(text));

beforeEach(async () => {
  folder = await givenFolder();
  env = {
    BLOGCTL_CONFIG_DIR: join(folder, 'config'),
    BLOGCTL_DATA_DIR: join(folder, 'data'),
    BLOGCTL_BLOG: 'file:blog.json',
  };
  for (const title of ['One', 'Two']) await blogctl(`articles create --title ${title} --content C`);
  await blogctl('token create --name first');
  await copyFile(join(folder, 'blog.json'), join(folder, 'backup.json'));
  await writeFile(join(folder, 'notes.txt'), 'precious');
  await mkdir(join(folder, 'posts'));
  await writeFile(join(folder, 'posts/a.md'), '---\ntitle: A\n---\nB');
});

describe('a flag that writes a file writes over nothing that it did not write before', () => {
  it.each([
    'serve --store blog.json --port 0 --ready-file',
    'sync plan posts --state',
    'sync apply posts -y --state',
    'articles import posts --results',
    'articles import posts --rejects',
    'articles list -o',
    'articles export',
  ])('%s', async (line) => {
    const before = await texts();
    for (const name of there) {
      const { status } = await blogctl(`${line} ${name}`);
      expect([name, [2, 6].includes(status)]).toEqual([name, true]);
      if (name === 'notes.txt') continue;
      expect([name, (await blogctl(`${line} ${name} --overwrite`)).status]).toEqual([name, 2]);
    }
    expect(await texts()).toEqual(before);
  });

  it.each([
    ['sync apply posts -y --state', 'is no state of sync.'],
    ['sync plan posts --state', 'is no state of sync.'],
    ['serve --ephemeral --port 0 --ready-file', 'is no ready file of serve.'],
  ])('%s: --overwrite is for the answer alone', async (line, said) => {
    await writeFile(join(folder, 'cut.json'), '{"x":');
    for (const name of ['notes.txt', 'cut.json', 'posts/a.md'])
      for (const more of ['', ' -o out.json --overwrite']) {
        const before = await text(name);
        const { status, err } = await blogctl(`${line} ${name}${more}`);
        expect({ name, status, text: await text(name) }).toEqual({ name, status: 6, text: before });
        expect(err).toContain(said);
        expect(err).not.toContain('--overwrite');
      }
  });

  it.each(['sync apply posts -y --state made', 'articles import posts --results made'])(
    '%s may be run again',
    async (line) => {
      for (const _ of ['first', 'second']) expect((await blogctl(line)).status).toBe(0);
    },
  );

  it('a ready file is there for as long as it is true: that of an earlier start goes first, its own at the end', async () => {
    const start = () => {
      const host = givenHost('serve --port 0 --ready-file ready.json'.split(' '), { env, folder });
      return { host, ended: main(host) };
    };
    const ready = () => text('ready.json');
    const none = 'not there';
    const first = start();
    await vi.waitUntil(async () => (await ready()) !== none);
    const left = await ready();
    first.host.signal('SIGTERM');
    expect(await first.ended).toBe(0);
    expect(await ready()).toBe(none);
    await writeFile(join(folder, 'ready.json'), left);
    const next = start();
    await vi.waitUntil(async () => ![left, none].includes(await ready()));
    // Another run has the name by now.
    await writeFile(join(folder, 'ready.json'), left);
    next.host.signal('SIGTERM');
    expect(await next.ended).toBe(0);
    expect(await ready()).toBe(left);
    await writeFile(join(folder, 'taken.json'), '{}');
    const refused = await blogctl('serve --store taken.json --port 0 --ready-file ready.json');
    expect([refused.status > 0, await ready()]).toEqual([true, none]);
  });
});

it('a ready file of who serves still is left to them, and of who died it goes', async () => {
  const listening = `const s = require('node:http').createServer((q, a) => a.end()).listen(0, '127.0.0.1', () => console.log(s.address().port))`;
  const other = spawn(process.execPath, ['-e', listening], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void other.kill('SIGKILL'));
  const [port] = await once(other.stdout, 'data');
  const url = `http://127.0.0.1:${String(port).trim()}`;
  const left = JSON.stringify({
    url,
    listens: url,
    blogs: [{ id: 1, url }],
    store: null,
    pid: other.pid,
  });
  await writeFile(join(folder, 'ready.json'), left);
  const line = 'serve --ephemeral --seed nowhere.ndjson --port 0 --ready-file ready.json';
  const refused = await blogctl(line);
  expect(refused).toMatchObject({
    status: 6,
    err: expect.stringContaining(
      `error: ready.json is of process ${other.pid}, which serves ${url} still.\nhint: Name another file: --ready-file ready-2.json, or end that process.`,
    ),
  });
  expect(await text('ready.json')).toBe(left);
  other.kill('SIGKILL');
  await once(other, 'exit');
  expect((await blogctl(line)).err).toContain('nowhere.ndjson');
  expect(await text('ready.json')).toBe('not there');
});

describe('what is asked of the answer is looked at before anything is done', () => {
  it.each([
    'articles create --title Three --content C',
    'articles update 1 --title Three',
    'articles delete 1 2 -y',
    'articles import posts',
    'sync apply posts -y',
    'store add-blog --title Three',
    'token create --name ci',
    'api articles/1 -X DELETE',
  ])('%s', async (line) => {
    const before = await texts();
    for (const [asked, status, said] of [
      ['--jq .token[', 2, 'jq does not take ".token[": '],
      ['-o notes.txt', 6, 'notes.txt is there already.'],
      ['-o nowhere/new.json', 7, 'new.json cannot be written.'],
    ] as const) {
      const ended = await blogctl(`${line} ${asked}`);
      expect([ended.status, ended.err]).toEqual([status, expect.stringContaining(said)]);
    }
    expect(await texts()).toEqual(before);
  });
});
