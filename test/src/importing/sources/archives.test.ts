import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';

import { describe, expect, it, vi } from 'vitest';

import { openSources } from '../../../../src/importing/sources/open-sources.ts';
import { readSources, withFiles, type Read } from './files.ts';
import { zipOf } from './files/zip.ts';

const post = (title: string): string => `---\ntitle: ${title}\n---\nText\n`;
const zip = zipOf([
  { name: 'en/a.md', data: post('A') },
  { name: 'b.md.gz', data: gzipSync(post('B')) },
  { name: 'dump.ndjson', data: '{"id":7,"title":"C","content":"c"}\n' },
  { name: 'img/x.png', data: 'x' },
  { name: 'inner.zip', data: 'PK\x03\x04' },
]);

/** Title and identity of records, and notices. */
function summed(reads: readonly Read[]): readonly string[] {
  return reads.flatMap(({ entries }) =>
    entries.map((entry) => {
      if (entry.kind !== 'record')
        return entry.kind === 'notice' ? entry.notice.message : entry.kind;
      const { namespace, name } = entry.identity;
      return `${entry.title} ${namespace} ${name}`;
    }),
  );
}

describe('a zip archive', () => {
  const others = [
    expect.stringMatching(/^"inner\.zip" is a zip archive/),
    expect.stringMatching(/1 image/),
  ];

  it.each(['posts.zip', 'posts-2024-01-02.zip', 'sub/posts (1).zip', 'posts'])(
    'is the folder it holds, whatever its day: %s',
    async (name) => {
      await withFiles({ [name]: zip }, async (folder) => {
        expect(summed(await readSources([join(folder, name)]))).toEqual([
          'B  path:posts/b.md',
          'C dump id:7',
          'A  path:posts/en/a.md',
          ...others,
        ]);
      });
    },
  );

  it.each([
    ['blog-1a2b3c4.zip', 'blog-1a2b3c4/', 'blog/a.md'],
    ['blog.zip', 'blog/', 'blog/a.md'],
    ['export.zip', 'export-2026-11-20/', 'export/a.md'],
    ['all.zip', 'export-2026-11-20/', 'all/export/a.md'],
    ['all.zip', '2026/', 'all/2026/a.md'],
    ['all.zip', 'export-2026-11-20/2024/', 'all/export/2024/a.md'],
  ])('%s that holds all in %s has its posts as %s', async (name, top, path) => {
    await withFiles(
      { [name]: zipOf([{ name: `${top}a.md`, data: post('A') }]) },
      async (folder) => {
        expect(summed(await readSources([join(folder, name)]))).toEqual([`A  path:${path}`]);
      },
    );
  });

  it.each([
    [['export-2/b.md', 'export-1/a.md'], '/export-1/a.md'],
    [['b.md', 'export-1/a.md'], '/export/a.md'],
    [['__MACOSX/x', 'b.md', 'all/a.md'], '/a.md'],
    [['README.txt', 'table.csv', 'all-2/a.md'], '/a.md'],
    [['all/c.md', 'c/a.md'], '/c/a.md'],
    [['all/a.md', 'all-2/a.md'], '/all-2/a.md'],
    [['all/a.md', 'a.md'], '.zip/a.md'],
    [['all/c/a.md', 'c/a.md'], '.zip/c/a.md'],
  ])('that holds %s calls the last by its own folder: %s', async (names, path) => {
    const data = names.map((name) => ({ name, data: post(name.endsWith('a.md') ? name : 'B') }));
    await withFiles({ 'all.zip': zipOf(data) }, async (folder) => {
      const found = summed(await readSources([join(folder, 'all.zip')]));
      expect(found).toContain(`${names.at(-1)}  path:all${path}`);
      const identities = found.map((each) => each.replace(/^.* {2}/, ''));
      expect(new Set(identities).size).toBe(identities.length);
    });
  });

  it.each([
    ['UTF-8 that does not say so', 'čaj-größe.md', 'čaj-größe.md'],
    ['of DOS', Buffer.from('gr\x94\xe1e.md', 'latin1'), 'größe.md'],
  ])('has names in %s', async (_, name, read) => {
    const posts = zipOf([{ name, data: post('A'), flags: 0 }]);
    await withFiles({ 'posts.zip': posts }, async (folder) => {
      const [found] = summed(await readSources([join(folder, 'posts.zip')]));
      expect(found).toBe(`A  path:posts/${read}`);
    });
  });

  it('is read from stdin', async () => {
    expect(summed(await readSources(['-'], {}, [zip])).slice(0, 3)).toEqual([
      'B  path:-/b.md',
      'C dump id:7',
      'A  path:-/en/a.md',
    ]);
  });

  it('has its paths from --root', async () => {
    await withFiles({ 'site/content/posts.zip': zip }, async (folder) => {
      const reads = await readSources([join(folder, 'site/content/posts.zip')], {
        root: join(folder, 'site'),
      });
      expect(summed(reads)).toContain('A  path:content/posts/en/a.md');
    });
  });

  it('is unpacked where nobody else may look, and nothing of it is left behind', async () => {
    await withFiles({ 'a.zip': zip }, async (folder) => {
      vi.stubEnv('TMPDIR', folder);
      try {
        const options = { drafts: false, now: 0, map: { title: 'title', content: 'content' } };
        const opened = await openSources([join(folder, 'a.zip')], options, Readable.from([]));
        const [unpacked = ''] = readdirSync(folder).filter((name) => name !== 'a.zip');
        expect(statSync(join(folder, unpacked)).mode & 0o777).toBe(0o700);
        expect(statSync(join(folder, unpacked, 'en/a.md')).mode & 0o777).toBe(0o600);
        await opened.close();
        const broken = zipOf([{ name: 'a.md' }, { name: '../b.md' }]);
        await expect(openSources(['-'], options, Readable.from([broken]))).rejects.toThrow(
          '../b.md',
        );
        expect(readdirSync(folder)).toEqual(['a.zip']);
      } finally {
        vi.unstubAllEnvs();
      }
    });
  });
});

describe('a post compressed by gzip', () => {
  it.each(['a.md', '2020-01-01-spring-clean.html'])('is the post it holds: %s', async (name) => {
    await withFiles(
      { [`p/${name}`]: post('A'), [`q/p/${name}.gz`]: gzipSync(post('A')) },
      async (folder) => {
        const plain = await readSources([join(folder, 'p', name)]);
        const packed = await readSources([join(folder, 'q/p', `${name}.gz`)]);
        expect(packed).toEqual(plain);
        expect(await readSources([join(folder, 'q/p')])).toEqual(plain);
      },
    );
  });
});
