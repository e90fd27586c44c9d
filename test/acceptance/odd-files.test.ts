import { execFileSync } from 'node:child_process';
import {
  createWriteStream,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { blogctl, givenFolder } from '../support/command.ts';

const isUnix = process.platform !== 'win32';
const blog = ['--blog', 'file:blog.json'];
const create = ['articles', 'create', '--title', 'Any', '--content', 'Text', ...blog];

async function givenStore(): Promise<string> {
  const folder = await givenFolder();
  await blogctl(['store', 'init', '--store', 'blog.json'], { folder });
  return folder;
}

type Pipe = {
  readonly name: string;
  readonly words: readonly string[];
  readonly exitCode: number;
  readonly says: string;
};

const pipes: readonly Pipe[] = [
  {
    name: 'fifo.json',
    words: ['articles', 'list', '--blog', 'file:fifo.json'],
    exitCode: 7,
    says: 'fifo.json is a named pipe, not a file.',
  },
  {
    name: 'fifo.json',
    words: ['serve', '--store', 'fifo.json', '--port', '0'],
    exitCode: 7,
    says: 'fifo.json is a named pipe, not a file.',
  },
  {
    name: 'fifo.json',
    words: ['store', 'check', '--store', 'fifo.json'],
    exitCode: 7,
    says: 'fifo.json is a named pipe, not a file.',
  },
  {
    name: 'blog.json.lock',
    words: create,
    exitCode: 7,
    says: 'blog.json.lock is a named pipe, not a file.',
  },
  {
    name: 'blog.tokens.json',
    words: ['token', 'list', '--store', 'blog.json'],
    exitCode: 7,
    says: 'blog.tokens.json is a named pipe, not a file.',
  },
  {
    name: 'blog.tokens.json',
    words: ['serve', '--store', 'blog.json', '--port', '0'],
    exitCode: 7,
    says: 'blog.tokens.json is a named pipe, not a file.',
  },
  {
    name: 'settings/config.json',
    words: ['articles', 'list', ...blog],
    exitCode: 7,
    says: 'config.json cannot be used.',
  },
  {
    name: 'settings/config.json',
    words: ['config', 'set', 'retries', '1'],
    exitCode: 7,
    says: 'config.json cannot be used.',
  },
  {
    name: '.blogctl.json',
    words: ['articles', 'list', ...blog],
    exitCode: 7,
    says: '.blogctl.json cannot be used.',
  },
  {
    name: 'posts/fifo.md',
    words: ['articles', 'import', 'posts', ...blog],
    exitCode: 7,
    says: 'Not read: 1 .md.',
  },
  {
    name: 'posts/fifo.ndjson',
    words: ['articles', 'import', 'posts/*', ...blog],
    exitCode: 7,
    says: 'Not read: 1 .ndjson.',
  },
];

describe.runIf(isUnix)('what is no file is named, and nothing waits for it', () => {
  for (const { name, words, exitCode, says } of pipes) {
    test(`a named pipe as ${name}: ${words.slice(0, 2).join(' ')}`, async () => {
      const folder = await givenStore();
      for (const inner of ['settings', 'posts']) mkdirSync(join(folder, inner));
      execFileSync('mkfifo', [join(folder, name)]);
      const env = { BLOGCTL_CONFIG_DIR: join(folder, 'settings') };
      const ended = await blogctl(words, { folder, env });
      expect(ended.stderr).toContain(says);
      expect(ended.exitCode).toBe(exitCode);
    });
  }

  test('a named pipe that an import names is read', async () => {
    const folder = await givenStore();
    execFileSync('mkfifo', [join(folder, 'records')]);
    const importing = blogctl(['articles', 'import', 'records', ...blog], { folder });
    createWriteStream(join(folder, 'records')).end('{"title":"Piped","content":"Text"}\n');
    expect(await importing).toMatchObject({ exitCode: 0 });
    expect((await blogctl(['articles', 'list', ...blog], { folder })).stdout).toContain('Piped');
  });

  test('a device that an import names is refused', async () => {
    const folder = await givenStore();
    const ended = await blogctl(['articles', 'import', '/dev/zero', ...blog], { folder });
    expect(ended).toMatchObject({ exitCode: 7 });
    expect(ended.stderr).toContain('"/dev/zero" is a device, not a file.');
  });

  test('a lock file of three gigabytes is named and not read', async () => {
    const folder = await givenStore();
    writeFileSync(join(folder, 'blog.json.lock'), '');
    truncateSync(join(folder, 'blog.json.lock'), 3 * 2 ** 30);
    const ended = await blogctl(create, { folder });
    expect(ended.stderr).toContain(
      'blog.json.lock has 3221225472 bytes and is no lock of blogctl.',
    );
    expect(ended.exitCode).toBe(7);
  });
});

describe.runIf(isUnix)('a link', () => {
  const commands: readonly (readonly string[])[] = [
    ['store', 'init', '--store', 'blog.json'],
    ['serve', '--store', 'blog.json', '--port', '0'],
    ['articles', 'list', ...blog],
    create,
  ];
  test.each(commands)('that leads nowhere is named: %s %s', async (...words) => {
    const folder = await givenFolder();
    symlinkSync('gone.json', join(folder, 'blog.json'));
    const ended = await blogctl(words, { folder });
    expect(ended.stderr).toContain('blog.json is a link to gone.json, which is not there.');
    expect(ended.exitCode).toBe(5);
  });

  test('laid under a name that we may write is not followed', async () => {
    const folder = await givenStore();
    const names = ['blog.json.tmp', 'blog.json.lock.tmp', 'blog.tokens.json.tmp', 'saved.json.tmp'];
    writeFileSync(join(folder, 'precious.txt'), 'precious');
    for (const name of [...names, 'records.rejects.ndjson'])
      symlinkSync('precious.txt', join(folder, name));
    writeFileSync(join(folder, 'records.ndjson'), '{"no":"title"}\n');
    const writing = [
      create,
      ['articles', 'delete', '1', '--yes', ...blog],
      ['articles', 'import', 'records.ndjson', '--continue-on-error', ...blog],
      ['store', 'compact', '--store', 'blog.json'],
      ['store', 'repair', '--store', 'blog.json', '--to', 'saved.json'],
      ['token', 'create', '--store', 'blog.json', '--name', 'ci'],
    ];
    for (const words of writing) await blogctl(words, { folder });
    expect(readFileSync(join(folder, 'precious.txt'), 'utf8')).toBe('precious');
    const links = readdirSync(folder).filter((name) =>
      lstatSync(join(folder, name)).isSymbolicLink(),
    );
    expect(links.sort()).toEqual([...names, 'records.rejects.ndjson'].sort());
  });

  test('laid where repair writes is refused', async () => {
    const folder = await givenStore();
    symlinkSync('gone.json', join(folder, 'saved.json'));
    const words = ['store', 'repair', '--store', 'blog.json', '--to', 'saved.json'];
    const ended = await blogctl(words, { folder });
    expect(ended.stderr).toContain('saved.json exists already. Nothing was changed.');
    expect(ended.exitCode).toBe(7);
  });
});
