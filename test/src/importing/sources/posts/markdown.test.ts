import { spawnSync } from 'node:child_process';
import { chmod, symlink } from 'node:fs/promises';
import { join } from 'node:path';

import { describe, expect, it } from 'vitest';

import { briefly, readSources, withFiles } from '../files.ts';

const post = (title: string): string => `---\ntitle: ${title}\n---\nText of ${title}\n`;

describe('a folder of posts', () => {
  it('is read in the order of its paths, each post known by its path', async () => {
    const files = {
      'posts/b.md': post('B'),
      'posts/a.markdown': post('A'),
      'posts/l.mkd': post('L'),
      'posts/m.mkdn': post('M'),
      'posts/n.mkdown': post('N'),
      'posts/sub/c.mdx': post('C'),
      'posts/sub/d.html': post('D'),
      'posts/z.MD': post('Z'),
    };
    await withFiles(files, async (folder) => {
      expect(briefly(await readSources([join(folder, 'posts')]))).toEqual([
        'posts: a.markdown "A"',
        'posts: b.md "B"',
        'posts: l.mkd "L"',
        'posts: m.mkdn "M"',
        'posts: n.mkdown "N"',
        'posts: sub/c.mdx "C"',
        'posts: sub/d.html "D"',
        'posts: z.MD "Z"',
      ]);
    });
  });

  it('leaves out hidden files and the modules of a generator', async () => {
    const files = {
      'posts/a.md': post('A'),
      'posts/.hidden.md': post('H'),
      'posts/.git/x.md': post('G'),
      'posts/node_modules/m/readme.md': post('M'),
    };
    await withFiles(files, async (folder) => {
      expect(briefly(await readSources([join(folder, 'posts')]))).toEqual(['posts: a.md "A"']);
    });
  });

  it('counts drafts and section pages as skipped', async () => {
    const files = {
      'posts/_drafts/a.md': post('A'),
      'posts/_index.fr.md': post('Tous'),
      'posts/_index.md': post('All posts'),
      'posts/_index.zh-hans.html': post('All'),
      'posts/b.md': '---\ntitle: B\ndraft: true\n---\n',
      'posts/c.md': '+++\ntitle = "C"\ndraft = true\n+++\n',
      'posts/d.md': '---\ntitle: D\npublished: false\n---\n',
    };
    await withFiles(files, async (folder) => {
      const named = [join(folder, 'posts')];
      expect(briefly(await readSources(named))).toEqual([
        'posts: _drafts/a.md skipped, draft',
        'posts: _index.fr.md skipped, section-page',
        'posts: _index.md skipped, section-page',
        'posts: _index.zh-hans.html skipped, section-page',
        'posts: b.md skipped, draft',
        'posts: c.md skipped, draft',
        'posts: d.md skipped, unpublished',
      ]);
      expect(briefly(await readSources(named, { drafts: true }))).toHaveLength(7);
      expect(briefly(await readSources(named, { drafts: true }))[4]).toBe('posts: b.md "B"');
    });
  });

  it('names links and follows none of them, neither out of the source nor within it', async () => {
    await withFiles({ 'posts/a.md': post('A'), 'secret/s.md': post('S') }, async (folder) => {
      const links = {
        'about.md': join(folder, 'secret', 's.md'),
        'b.md': 'a.md',
        'c.md': 'nowhere.md',
        'd.md': 'd.md',
        loop: join(folder, 'posts'),
        out: '../secret',
        'z.ndjson': '/etc/hostname',
      };
      for (const [name, target] of Object.entries(links)) {
        await symlink(target, join(folder, 'posts', name));
      }
      const expected = [
        'posts: a.md "A"',
        'posts: about.md link-out-of-source',
        'posts: b.md link-within-source',
        'posts: c.md broken-link',
        'posts: d.md broken-link',
        'posts: loop link-within-source',
        'posts: out link-out-of-source',
        'posts: z.ndjson link-out-of-source',
      ];
      expect(briefly(await readSources([join(folder, 'posts')]))).toEqual(expected);
      expect(briefly(await readSources([join(folder, 'posts', '*')]))).toEqual(expected);
      const options = { sort: 'name', titleFrom: 'filename' } as const;
      const sorted = briefly(await readSources([join(folder, 'posts')], options));
      expect(sorted).toEqual(expected);
    });
  });

  it('reads a link that is named itself: a file, and a folder', async () => {
    await withFiles({ 'real/a.md': post('A') }, async (folder) => {
      await symlink('real/a.md', join(folder, 'b.md'));
      await symlink('real', join(folder, 'posts'));
      const named = [join(folder, 'b.md'), join(folder, 'posts')];
      const read = briefly(await readSources(named));
      expect(read.map((line) => line.replace(/^.*: /, ''))).toEqual(['b.md "A"', 'a.md "A"']);
    });
  });

  it('never opens a pipe that lies in it', async () => {
    await withFiles({ 'posts/a.md': post('A') }, async (folder) => {
      const made = spawnSync('mkfifo', [join(folder, 'posts', 'b.md')]);
      if (made.status !== 0) return;
      const read = await readSources([join(folder, 'posts')]);
      expect(briefly(read)).toEqual(['posts: a.md "A"', 'posts: posts not-read']);
    });
  });

  it.skipIf(process.getuid?.() === 0)('rejects a file that may not be read', async () => {
    await withFiles({ 'posts/a.md': post('A') }, async (folder) => {
      await chmod(join(folder, 'posts/a.md'), 0);
      const [read] = briefly(await readSources([join(folder, 'posts')]));
      expect(read).toMatch(/rejected, unreadable: The file cannot be read: EACCES/);
    });
  });
});

describe('the bytes of a post', () => {
  it.each([
    ['a byte order mark', Buffer.from('\uFEFF---\ntitle: T\n---\nText'), 'posts: a.md "T"'],
    [
      'a replacement character of its own',
      Buffer.from('---\ntitle: T\uFFFD\n---\n'),
      'posts: a.md "T\uFFFD"',
    ],
    [
      'Latin-1',
      Buffer.from('---\ntitle: caf\u00E9\n---\n', 'latin1'),
      'posts: a.md:1 rejected, encoding: Not UTF-8: byte 0xE9 at offset 14. Choose with --encoding, e.g. latin1.',
    ],
    [
      'a wrong byte behind a replacement character and an emoji',
      Buffer.concat([Buffer.from('---\ntitle: \uFFFD\u{1F375}'), Buffer.from([0x80, 0x0a])]),
      'posts: a.md:1 rejected, encoding: Not UTF-8: byte 0x80 at offset 18. Choose with --encoding, e.g. latin1.',
    ],
    [
      'a character cut off at the end',
      Buffer.concat([Buffer.from('---\ntitle: T\n---\n'), Buffer.from([0xe2, 0x82])]),
      'posts: a.md:1 rejected, encoding: Not UTF-8: byte 0xE2 at offset 17. Choose with --encoding, e.g. latin1.',
    ],
  ])('are read strictly: %s', async (_name, bytes, expected) => {
    await withFiles({ 'posts/a.md': bytes }, async (folder) => {
      expect(briefly(await readSources([join(folder, 'posts')]))).toEqual([expected]);
    });
  });

  it('may be many: a post of 10 MB arrives whole', async () => {
    const text = 'A line of text that is repeated often.\n'.repeat(270_000);
    await withFiles({ 'posts/a.md': `---\ntitle: T\n---\n${text}` }, async (folder) => {
      const [source] = await readSources([join(folder, 'posts')]);
      expect(source?.entries[0]).toMatchObject({ content: text });
    });
  });
});

describe('posts named one by one', () => {
  const files = { 'blog/posts/a.md': post('A'), 'blog/posts/b.md': post('B') };

  it.each([
    ['by their names', ['posts/a.md', 'posts/b.md']],
    ['by a pattern', ['posts/*.md']],
    ['by a pattern of alternatives', ['posts/{a,b}.md']],
    ['by a class of characters', ['posts/[a-b].md']],
    ['by their folder', ['posts']],
    ['by their folder with a slash', ['posts/']],
  ])('are the same records as those of their folder: %s', async (_name, named) => {
    await withFiles(files, async (folder) => {
      const paths = named.map((path) => `${folder}/blog/${path}`);
      expect(briefly(await readSources(paths))).toEqual(['posts: a.md "A"', 'posts: b.md "B"']);
    });
  });

  it('by a pattern over several levels', async () => {
    await withFiles(files, async (folder) => {
      expect(briefly(await readSources([`${folder}/blog/**/*.md`]))).toEqual([
        'blog: posts/a.md "A"',
        'blog: posts/b.md "B"',
      ]);
    });
  });

  it('say which argument leads nowhere', async () => {
    await withFiles(files, async (folder) => {
      for (const missing of [`${folder}/nothing`, `${folder}/no/*.md`]) {
        await expect(readSources([missing])).rejects.toMatchObject({
          code: 'unusable-input',
          message: `No file or folder "${missing}".`,
        });
      }
    });
  });
});
