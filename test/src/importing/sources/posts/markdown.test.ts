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
      'posts/sub/c.mdx': post('C'),
      'posts/sub/d.html': post('D'),
      'posts/z.MD': post('Z'),
    };
    await withFiles(files, async (folder) => {
      expect(briefly(await readSources([join(folder, 'posts')]))).toEqual([
        'posts: a.markdown "A"',
        'posts: b.md "B"',
        'posts: sub/c.mdx "C"',
        'posts: sub/d.html "D"',
        'posts: z.MD "Z"',
      ]);
    });
  });

  it('leaves out other files, hidden ones and the modules of a generator', async () => {
    const files = {
      'posts/a.md': post('A'),
      'posts/picture.png': 'x',
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

  it('names a link to a folder instead of following it, though it leads in a circle', async () => {
    await withFiles({ 'posts/a.md': post('A') }, async (folder) => {
      await symlink(join(folder, 'posts'), join(folder, 'posts', 'loop'));
      await symlink(join(folder, 'posts', 'a.md'), join(folder, 'posts', 'b.md'));
      await symlink('nowhere.md', join(folder, 'posts', 'c.md'));
      const read = briefly(await readSources([join(folder, 'posts')]));
      expect(read.slice(0, 2)).toEqual(['posts: a.md "A"', 'posts: b.md "A"']);
      expect(read[2]).toMatch(/c\.md:1 rejected, unreadable: The file cannot be read: ENOENT/);
      expect(read[3]).toBe('posts: loop link-not-followed');
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
