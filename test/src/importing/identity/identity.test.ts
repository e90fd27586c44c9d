import { symlink } from 'node:fs/promises';
import { join } from 'node:path';

import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import {
  createFingerprintCounts,
  recordKey,
  textFingerprint,
} from '../../../../src/importing/sources/identity.ts';
import {
  identify,
  postIdentity,
  type RecordKind,
} from '../../../../src/importing/sources/identity.ts';
import { postPathsBelow } from '../../../../src/importing/sources/walk.ts';
import { withFiles } from '../sources/files.ts';

const uuid = '3f0c1f6e-6f0b-4b5e-9d0a-2f1f5d6c7b8a';

/** Source kind × what the record has → namespace | name (decisions 44 to 47). */
const table: readonly [
  RecordKind,
  Readonly<Record<string, unknown>>,
  expected: string,
  file?: string,
  site?: string,
][] = [
  ['record', { uuid: 'u', id: 7, slug: 's' }, ' | uuid:u'],
  ['record', { guid: 'g', id: 7 }, ' | guid:g'],
  ['record', { id: 7, slug: 's', url: 'https://a.test/7' }, 'posts | id:7'],
  ['record', { id: '7' }, 'posts | id:7'],
  ['record', { id: '  7 ' }, 'posts | id:7'],
  ['record', { ID: 7 }, 'posts | id:7'],
  ['record', { id: uuid }, ` | id:${uuid}`],
  ['record', { id: 'tag:a.test,2020:7' }, ' | guid:tag:a.test,2020:7'],
  ['record', { id: '', _id: 'm1' }, 'posts | _id:m1'],
  ['record', { id: null, slug: 'hello' }, 'posts | slug:hello'],
  ['record', { id: { oid: '1' }, slug: 'hello' }, 'posts | slug:hello'],
  ['record', { _id: { $oid: '507f1f77bcf86cd799439011' } }, 'posts | _id:507f1f77bcf86cd799439011'],
  ['record', { id: { $numberLong: '7' }, slug: 'a' }, 'posts | id:7'],
  ['record', { _id: { $oid: { deep: 1 } }, slug: 'a' }, 'posts | slug:a'],
  ['record', { url: 'https://a.test/7' }, ' | guid:https://a.test/7'],
  ['record', { url: '/2020/hello' }, 'posts | url:/2020/hello'],
  ['record', { link: 'https://a.test/7' }, ' | guid:https://a.test/7'],
  ['record', { title: 'T', content: 'C' }, 'posts'],
  ['record', {}, 'posts', 'posts.2024-01-01.ndjson'],
  ['record', {}, 'posts', '2024-01-01-posts.csv'],
  ['record', {}, 'posts', 'posts (1).csv'],
  ['record', {}, 'posts', 'posts_20240101T120000Z.json'],
  ['record', {}, 'site.WordPress', 'site.WordPress.2024-01-01.xml'],
  ['record', {}, 'posts', 'dumps/posts.ndjson.gz'],
  ['record', {}, 'Q-posts', 'Q1 posts.csv'],
  ['record', {}, '', '2024.csv'],
  ['record', {}, '-', 'stdin'],
  ['record', {}, 'site', 'site-2024-01-02 (1).zip'],
  ['record', {}, 'Export', `Export-${uuid}.zip`],
  ['record', {}, 'Export-Part', `Export-${uuid}-Part-2.zip`],
  ['record', {}, 'medium-export', `medium-export-${'3f0c'.repeat(16)}.zip`],
  ['record', {}, 'blog', 'blog-1a2b3c4.zip'],
  ['record', {}, 'facade', 'facade2024.csv'],
  ['record', {}, 'decade-of-a', '2020decade of a.csv'],
  ['wordpress', { guid: ' ', post: '7' }, 'site | post:7', 'site-2024.xml.gz'],
  ['wordpress', { post: '7' }, '- | post:7', 'stdin'],
  ['wordpress', { link: '/7' }, 'https://a.test | link:/7', 'x.xml', 'https://a.test'],
  ['wordpress', {}, 'https://a.test', 'x.xml', 'https://a.test'],
  ['feed', { id: 7 }, 'feed | id:7', 'feed.2024-01-01.json'],
  ['wordpress', { guid: 'https://a.test/?p=7', post: '7' }, ' | guid:https://a.test/?p=7'],
  ['wordpress', { post: '7' }, 'https://a.test | post:7', 'x.xml', 'https://a.test/'],
  ['wordpress', { post: '7', link: 'https://a.test/7' }, 'x | post:7', 'x.xml'],
  ['wordpress', { link: 'https://a.test/7' }, ' | guid:https://a.test/7'],
  ['ghost', { uuid, id: '5f' }, ` | uuid:${uuid}`],
  ['ghost', { id: '5f' }, 'https://a.test | id:5f', 'x.json', 'https://a.test'],
  ['ghost', { id: 5 }, 'ghost | id:5', 'ghost.2024-01-01.json'],
  ['feed', { guid: '42', link: 'https://a.test/7' }, ' | guid:42'],
  ['feed', { id: 'urn:uuid:1', link: 'https://a.test/7' }, ' | guid:urn:uuid:1'],
  ['feed', { id: '7' }, 'https://a.test | id:7', 'feed.json', 'https://a.test'],
  ['feed', { link: 'https://a.test/7' }, ' | guid:https://a.test/7'],
];

describe('45: the identity of a record', () => {
  it.each(table)('%s %j is %s', (kind, members, expected, file = 'posts.ndjson', site) => {
    const { namespace, name } = identify(kind, members, { file, site });
    expect(name === undefined ? namespace : `${namespace} | ${name}`).toBe(expected);
  });

  it('is the path of a post, composed alike on every system', () => {
    expect(postIdentity('posts/cafe\u0301.md')).toEqual(postIdentity('posts/caf\u00E9.md'));
  });
});

describe('44: the path of a post', () => {
  const files = {
    'site/.git/HEAD': 'ref: refs/heads/main',
    'site/posts/en/a.md': '',
    'site/vendor/.git': 'gitdir: ../.git/modules/vendor',
    'site/vendor/posts/a.md': '',
    'plain/posts/en/a.md': '',
  };

  it.each([
    ['site/posts', 'en/a.md', undefined, 'posts/en/a.md'],
    ['site/posts/en', 'a.md', undefined, 'posts/en/a.md'],
    ['site', 'posts/en/a.md', undefined, 'posts/en/a.md'],
    ['.', 'site/posts/en/a.md', undefined, 'posts/en/a.md'],
    ['site', 'vendor/posts/a.md', undefined, 'posts/a.md'],
    ['plain/posts', 'en/a.md', undefined, 'named/en/a.md'],
    ['plain/posts', 'en/a.md', 'plain', 'posts/en/a.md'],
    ['plain/posts/en', 'a.md', 'plain', 'posts/en/a.md'],
    ['site/posts', 'en/a.md', 'site/posts', 'en/a.md'],
  ])('found in %s as %s, with --root %s, is %s', async (base, path, root, expected) => {
    await withFiles(files, async (folder) => {
      const start = root === undefined ? undefined : join(folder, root);
      expect(postPathsBelow(join(folder, base), 'named', start)(path)).toBe(expected);
    });
  });

  it('is the same through a symbolic link to its folder', async () => {
    await withFiles(files, async (folder) => {
      await symlink(join(folder, 'site/posts'), join(folder, 'link'));
      expect(postPathsBelow(join(folder, 'link'), 'link', undefined)('en/a.md')).toBe(
        'posts/en/a.md',
      );
    });
  });

  it.each([
    ['plain/posts/en', 'does not lie below --root'],
    ['nowhere', 'is not a folder'],
  ])('has no root in %s', async (root, reason) => {
    await withFiles(files, async (folder) => {
      expect(() =>
        postPathsBelow(join(folder, 'plain/posts'), 'posts', join(folder, root)),
      ).toThrow(reason);
    });
  });
});

describe('fingerprint counts', () => {
  it('count like a map', () => {
    const fingerprint = fc.bigInt({ min: 1n, max: 40n }).map((n) => n * 0x1_0000_0001n);
    fc.assert(
      fc.property(fc.array(fc.tuple(fingerprint, fc.integer({ min: -3, max: 3 }))), (additions) => {
        const counts = createFingerprintCounts();
        const map = new Map<bigint, number>();
        for (const [key, times] of additions) {
          counts.add(key, times);
          map.set(key, (map.get(key) ?? 0) + times);
        }
        for (const [key, count] of map) expect(counts.of(key)).toBe(count);
        expect(counts.size).toBe(map.size);
        expect(new Map(counts.entries())).toEqual(map);
      }),
    );
  });

  it('grow past their first size', () => {
    const counts = createFingerprintCounts();
    for (let n = 1n; n <= 5_000n; n += 1n) counts.add(n * 1_024n);
    expect(counts.size).toBe(5_000);
    expect(counts.of(1_024n)).toBe(1);
    expect(counts.of(1_025n)).toBe(0);
  });
});

describe('47: the key of a record', () => {
  it('is the same on every machine and in every release', () => {
    expect(recordKey('posts', '2024-01-07-hello.md')).toBe(
      '7It0CUk5mcfaEEng-8PVvSqgmQ7xqKiAp2cz3CSQ8nk',
    );
  });

  it('parts name and identity', () => {
    expect(recordKey('a', 'bc')).not.toBe(recordKey('ab', 'c'));
    expect(textFingerprint({ title: 'a', content: 'bc' })).not.toBe(
      textFingerprint({ title: 'ab', content: 'c' }),
    );
  });
});
