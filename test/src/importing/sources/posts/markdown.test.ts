import { spawnSync } from 'node:child_process';
import { chmod, symlink, writeFile } from 'node:fs/promises';
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

  it('of a stream is read where its title is, once that is named', async () => {
    const read = (titleFrom?: 'h1' | 'line') =>
      readSources(['-'], { ...(titleFrom && { titleFrom }) }, ['# A title\n\nText\n']);
    expect(briefly(await read('h1'))).toEqual(['stdin: 1 "A title"']);
    expect(briefly(await read('line'))).toEqual(['stdin: 1 "# A title"']);
    await expect(read()).rejects.toThrow('"stdin" is in no format that can be imported.');
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

  it('reads a link to a folder that is named itself', async () => {
    await withFiles({ 'real/a.md': post('A') }, async (folder) => {
      await symlink('real', join(folder, 'posts'));
      expect(briefly(await readSources([join(folder, 'posts')]))).toEqual(['posts: a.md "A"']);
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

  it.skipIf(process.platform !== 'linux')('says why a name is not found', async () => {
    await withFiles({ 'posts/a.md': post('A') }, async (folder) => {
      await writeFile(Buffer.from(`${folder}/posts/\xFF.md`, 'latin1'), post('B'));
      const read = briefly(await readSources([join(folder, 'posts')])).at(-1);
      expect(read).toMatch(/rejected, unreadable: .*Its name is not UTF-8: rename it\.$/);
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
    [
      'a conflict that was committed',
      Buffer.from('---\ntitle: T\n---\r\n<<<<<<< a\r\n=======\r\n```\r\n>>>>>>> b\r\n'),
      'posts: a.md:1 rejected, syntax: Line 4 is of a conflict of git: settle it, or show it as a block of code.',
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

describe('a conflict that was committed', () => {
  const [begin, end] = ['<<<<<<< HEAD', '>>>>>>> z'];
  const marks = `${begin}\nours\n=======\ntheirs\n${end}\n`;

  it.each([
    ['of two whole files', `${begin}\n${post('A')}=======\n${post('B')}${end}\n`],
    ['of two heads', `---\ntitle: T\n${begin}\ndraft: true\n=======\ndraft: false\n${end}\n---\n`],
    ['with the text before one', `${post('T')}${begin}\n||||||| base\n=======\n${end}\n`],
    ['in lines of an old Mac', `${post('T')}${marks}`.replaceAll('\n', '\r')],
    ['behind code within a line', `${post('T')}\`\`\`a\`\`\` is code.\n\n${marks}`],
    ['behind the code of a list', `${post('T')}- ~~~\n  a\n  ~~~\n\n${marks}\n~~~\n~~~\n`],
    ['where code ends on a side', `${post('T')}~~~\n${begin}\na\n~~~\n=======\nb\n~~~\n${end}\n`],
    ['without its first mark', `${post('T')}ours\n=======\ntheirs\n${end}\n`],
    ['without its last mark', `${post('T')}${begin}\nours\n=======\ntheirs\n`],
    ['where code begins on a side', `${post('T')}${begin}\n~~~\n=======\n${end}\n~~~\n`],
  ])('is none to publish: %s', async (_what, text) => {
    await withFiles({ 'posts/a.md': text }, async (folder) => {
      const [read] = briefly(await readSources([join(folder, 'posts')]));
      expect(read).toMatch(/ rejected, syntax: Line \d+ is of a conflict of git/);
    });
  });

  it.each([
    ['in a longer fence', `\`\`\`\`md\n\`\`\`\n${marks}\`\`\`\n\`\`\`\`\n`],
    ['where code shows the other fence', `~~~\n\`\`\`\n~~~\n\n\`\`\`\n${marks}~~~\n\`\`\`\n`],
    ['behind the code of a list', `1. ~~~\n   a\n   ~~~\n\n~~~ diff\n${marks}~~~\n`],
    ['with headings', `T\n========\n\n~~~\n${marks}~~~\n\n>>>>>>> seven\n\nHistory\n=======\n`],
  ])('is shown in a block of code: %s', async (_what, text) => {
    await withFiles({ 'posts/a.md': `${post('T')}${text}` }, async (folder) => {
      expect(briefly(await readSources([join(folder, 'posts')]))).toEqual(['posts: a.md "T"']);
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

describe('a link that is named itself', () => {
  const files = {
    'site/.git/HEAD': 'ref: refs/heads/main',
    'site/.env': 'TOKEN=x',
    'site/p/a.md': post('A'),
    'site/q/b.md': post('B'),
    'plain/p/a.md': post('A'),
    'plain/p/sub/c.md': post('C'),
    'plain/q/b.md': post('B'),
    'plain/d.ndjson': '{"id":1,"title":"D","content":"x"}\n',
  };

  /** What is read of one link, and of which identity it is. */
  async function readLink(link: string, target: string, root?: string): Promise<string[]> {
    return withFiles(files, async (folder) => {
      await symlink(target.replace('<folder>', folder), join(folder, link));
      const options = { titleFrom: 'filename', ...(root && { root: join(folder, root) }) } as const;
      const [source] = await readSources([join(folder, link)], options);
      return (source?.entries ?? []).map((entry) => {
        if (entry.kind === 'record') return `${entry.title}, ${entry.identity.name}`;
        const { source: from } = entry.place;
        return entry.kind === 'notice'
          ? `${from}: ${entry.notice.message.replace(folder, '<folder>')}`
          : `${from} ${entry.kind}`;
      });
    });
  }

  it.each([
    ['beside it', 'site/p/same.md', 'a.md', 'A, path:p/a.md'],
    ['elsewhere in its work tree', 'site/p/x.md', '../q/b.md', 'B, path:q/b.md'],
    ['by a whole path', 'site/p/x.md', '<folder>/site/q/b.md', 'B, path:q/b.md'],
    ['beside it, outside of git', 'plain/p/same.md', 'a.md', 'A, path:p/a.md'],
    ['below it, outside of git', 'plain/p/same.md', 'sub/c.md', 'C, path:sub/c.md'],
    ['to a file of records', 'plain/e.ndjson', 'd.ndjson', 'D, id:1'],
  ])('is the file it leads to: %s', async (_name, link, target, expected) => {
    expect(await readLink(link, target)).toEqual([expected]);
  });

  it.each([
    ['out of its work tree', 'site/p/x.md', '../../plain/p/a.md', '<folder>/plain/p/a.md'],
    ['to a file of the system', 'site/p/x.md', '/etc/passwd', '/etc/passwd'],
    ['to a hidden file', 'site/p/x.md', '../.env', '<folder>/site/.env'],
    ['into the repository', 'site/p/x.md', '../.git/HEAD', '<folder>/site/.git/HEAD'],
    ['out of its folder', 'plain/p/x.md', '../q/b.md', '<folder>/plain/q/b.md'],
    ['to records out of it', 'plain/p/x.ndjson', '../d.ndjson', '<folder>/plain/d.ndjson'],
    ['to a device', 'plain/p/x.md', '/dev/null', '/dev/null'],
  ])('is named and not opened: %s', async (_name, link, target, leadsTo) => {
    const name = link.replace(/.*\//, '');
    expect(await readLink(link, target)).toEqual([
      `${name}: It is a link that leads to ${leadsTo}; name that file itself to import it.`,
    ]);
  });

  it('is followed below --root, and not out of it', async () => {
    const target = '../q/b.md';
    expect(await readLink('plain/p/x.md', target, 'plain')).toEqual(['B, path:q/b.md']);
    const [told] = await readLink('site/p/x.md', target, 'site/p');
    expect(told).toContain('leads to <folder>/site/q/b.md; name that file itself');
  });

  it.each([
    [
      'p/sub',
      'p/a.md',
      [`sub: It is a link that leads to <folder>/q; name that folder itself to import it.`, 'A'],
    ],
    [
      'p/sub/',
      'p/a.md',
      [`sub: It is a link that leads to <folder>/q; name that folder itself to import it.`, 'A'],
    ],
    [
      'p/sub/b.md',
      'p/a.md',
      [
        `b.md: It is a link that leads to <folder>/q/b.md; name that file itself to import it.`,
        'A',
      ],
    ],
    ['p/in', 'p/a.md', ['C', 'A']],
    ['p/sub', undefined, ['B']],
  ])('to a folder, in a list of the shell: %s and %s', async (one, other, expected) => {
    const beside = { 'p/a.md': post('A'), 'p/other/c.md': post('C'), 'q/b.md': post('B') };
    await withFiles(beside, async (folder) => {
      await symlink('../q', join(folder, 'p/sub'));
      await symlink('other', join(folder, 'p/in'));
      const named = [one, other].filter((each) => each !== undefined);
      const reads = await readSources(named.map((each) => `${folder}/${each}`));
      const said = reads.flatMap(({ entries }) =>
        entries.map((entry) => {
          if (entry.kind === 'record') return entry.title;
          const message = entry.kind === 'notice' ? entry.notice.message : '';
          return `${entry.place.source}: ${message.replace(folder, '<folder>')}`;
        }),
      );
      expect(said).toEqual(expected);
    });
  });

  it('is the same record as what it leads to, through a link to their folder too', async () => {
    await withFiles(files, async (folder) => {
      await symlink('a.md', join(folder, 'plain/p/same.md'));
      await symlink('p', join(folder, 'plain/posts'));
      const named = ['a.md', 'same.md'].map((name) => join(folder, 'plain/posts', name));
      const [source] = await readSources(named);
      expect(source?.entries).toMatchObject([
        { identity: { name: 'path:posts/a.md' } },
        { identity: { name: 'path:posts/a.md' } },
      ]);
    });
  });
});
