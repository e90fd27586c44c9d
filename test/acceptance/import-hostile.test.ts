import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { blogctl, givenFolder, givenService } from '../support/command.ts';
import { startOtherService } from '../support/other-service.ts';

type Files = Readonly<Record<string, string | Uint8Array>>;

const wxr = (items: string): string =>
  `<?xml version="1.0" encoding="UTF-8"?><rss><channel><wp:wxr_version>1.2</wp:wxr_version>${items}</channel></rss>`;
const item = (title: string): string =>
  `<item><title>${title}</title><content:encoded>x</content:encoded><wp:post_id>1</wp:post_id><wp:post_type>post</wp:post_type><wp:status>publish</wp:status></item>`;
const aliases = Array.from({ length: 40 }, (_, n) => `a${n + 1}: &a${n + 1} [*a${n}, *a${n}]`);
/** "テスト" in Shift_JIS. */
const katakana = Buffer.from([0x83, 0x65, 0x83, 0x58, 0x83, 0x67]);
const post = (title: Uint8Array): Uint8Array =>
  Buffer.concat([Buffer.from('---\ntitle: '), title, Buffer.from('\n---\nText')]);

describe('a file that others stumble over is read', () => {
  it.each<[string, Files, readonly string[], readonly string[]]>([
    [
      'TOML with its delimiter in the body',
      { 'p/a.md': '+++\ntitle = "A"\n+++\nx\n+++\ny' },
      [],
      ['A'],
    ],
    ['JSON front matter', { 'p/a.md': '{\n  "title": "A"\n}\nText' }, [], ['A']],
    ['a title in capitals', { 'p/a.md': '---\nTitle: A\n---\n' }, [], ['A']],
    ['two titles', { 'p/a.md': '---\ntitle: A\ntitle: B\n---\n' }, [], ['B']],
    [
      'Jekyll and its drafts',
      { 'p/_posts/a.md': '---\ntitle: A\n---\n', 'p/_drafts/b.md': '---\ntitle: B\n---\n' },
      [],
      ['A'],
    ],
    [
      'dev.to',
      {
        'p/a.md': '---\ntitle: "A"\npublished: true\ntags: x, y\n---\n',
        'p/b.md': '---\ntitle: B\npublished: false\n---\n',
      },
      [],
      ['A'],
    ],
    [
      'Astro',
      { 'p/a.mdx': "---\ntitle: 'A'\npubDate: 'Jul 08 2022'\n---\nimport X from './x.astro'" },
      [],
      ['A'],
    ],
    [
      'no front matter, told where the title is',
      { 'p/a.md': '# A\n\nText' },
      ['--title-from', 'h1'],
      ['A'],
    ],
    [
      'CR LF and a byte order mark',
      { 'p/a.md': '\uFEFF---\r\ntitle: A\r\n---\r\nText\r\n' },
      [],
      ['A'],
    ],
    [
      'Latin-1',
      { 'p/a.md': Buffer.from('---\ntitle: Caf\u00E9\n---\n', 'latin1') },
      ['--encoding', 'latin1'],
      ['Caf\u00E9'],
    ],
    [
      'Shift_JIS',
      { 'p/a.md': post(katakana) },
      ['--encoding', 'shift_jis'],
      ['\u30C6\u30B9\u30C8'],
    ],
    [
      'a bomb of aliases',
      { 'p/a.md': ['---', 'a0: &a0 [x]', ...aliases, 'title: A', '---', ''].join('\n') },
      [],
      ['A'],
    ],
    [
      'a body of nearly a megabyte',
      { 'p/a.md': `---\ntitle: A\n---\n${'x'.repeat(1_000_000)}` },
      [],
      ['A'],
    ],
  ])('%s', async (_name, files, options, titles) => {
    const folder = await given(files);
    const words = ['articles', 'import', 'p', ...options, '--blog', 'file:b.json'];
    const { exitCode, stderr } = await blogctl(words, { folder });
    expect([exitCode, stderr]).toEqual([0, expect.not.stringContaining('error')]);
    const list = ['articles', 'list', '--blog', 'file:b.json', '--format', 'ndjson'];
    const { stdout } = await blogctl(list, { folder });
    const titleOf = (line: string): string => JSON.parse(line).title;
    expect(stdout.trim().split('\n').map(titleOf)).toEqual(titles);
  });

  it.skipIf(process.platform === 'win32')('a link that leads in a circle', async () => {
    const folder = await given({ 'p/a.md': '---\ntitle: A\n---\n' });
    await symlink('..', join(folder, 'p', 'loop'));
    const words = ['articles', 'import', 'p', '--blog', 'file:b.json', '--json'];
    const { exitCode, stdout, stderr } = await blogctl(words, { folder });
    expect(exitCode).toBe(0);
    expect(stderr).toContain('loop: It is a link that leads to ');
    expect(JSON.parse(stdout)).toMatchObject({ records: 1, created: 1 });
  });
});

describe('a file that cannot be read says where and why, and nothing is sent', () => {
  it.each<[string, string, Files, string]>([
    ['no front matter', 'p', { 'p/a.md': 'Text' }, 'a.md: No front matter, so no title. Add one'],
    [
      'Latin-1 without a word about it',
      'p',
      { 'p/a.md': Buffer.from('---\ntitle: Caf\u00E9\n---\n', 'latin1') },
      'a.md: Not UTF-8: byte 0xE9 at offset 14.',
    ],
    [
      'front matter without an end',
      'p',
      { 'p/a.md': '---\ntitle: A\n' },
      'a.md: The front matter opened by --- on line 1 is never closed.',
    ],
    [
      'a bomb of entities',
      'e.xml',
      {
        'e.xml': wxr(item('&b;')).replace(
          '<rss>',
          '<!DOCTYPE rss [<!ENTITY a "aa"><!ENTITY b "&a;&a;">]><rss>',
        ),
      },
      'it has a document type (DOCTYPE)',
    ],
    ['XML that was cut off', 'e.xml', { 'e.xml': wxr(item('A')).slice(0, -12) }, 'unclosed tag'],
    [
      'JSON that was cut off',
      'd.json',
      { 'd.json': '[{"title":"A","content":"x"},{"title"' },
      'The document ends in the middle',
    ],
    ['an empty folder', 'p', { 'p/readme.txt': 'x' }, 'Nothing to import was found.'],
  ])('%s', async (_name, source, files, message) => {
    const folder = await given(files);
    const other = await startOtherService([], { token: 't' });
    const env = { BLOGCTL_TOKEN: 't', BLOGCTL_BLOG: other.blogUrl };
    const { exitCode, stderr } = await blogctl(['articles', 'import', source], { folder, env });
    expect(stderr).toContain(message);
    expect(exitCode).toBe(7);
    expect(other.requests).toEqual([]);
    await other.stop();
  });

  it('the last of 20,000 records', async () => {
    const good = Array.from({ length: 19_999 }, (_, n) => `{"title":"A${n}","content":"x"}`);
    const folder = await given({ 'd.ndjson': [...good, '{"title":"","content":"x"}'].join('\n') });
    const other = await startOtherService([], { token: 't' });
    const env = { BLOGCTL_TOKEN: 't', BLOGCTL_BLOG: other.blogUrl };
    const { exitCode, stderr } = await blogctl(['articles', 'import', 'd.ndjson'], { folder, env });
    expect(stderr).toContain('d.ndjson:20000: The title is empty.');
    expect(stderr).toContain('1 of 20000 records cannot be imported, so nothing was sent.');
    expect(exitCode).toBe(7);
    expect(other.requests).toEqual([]);
    await other.stop();
  });
});

describe('a text that the service does not take', () => {
  it('is rejected with what the service said, and the others are there', async () => {
    const large = JSON.stringify({ title: 'Large', content: 'x'.repeat(8_000_000) });
    const folder = await given({ 'd.ndjson': `${large}\n{"title":"Small","content":"x"}\n` });
    const service = await givenService(folder);
    const env = { BLOGCTL_BLOG: service.blogUrl, BLOGCTL_TOKEN: service.token };
    const words = ['articles', 'import', 'd.ndjson', '--json', '--continue-on-error'];
    const { exitCode, stdout } = await blogctl(words, { folder, env });
    await service.end('SIGTERM');
    expect(exitCode).toBe(10);
    expect(JSON.parse(stdout)).toMatchObject({ records: 2, created: 1, rejected: 1 });
  });
});

async function given(files: Files): Promise<string> {
  const folder = await givenFolder();
  for (const [path, bytes] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), bytes);
  }
  return folder;
}
