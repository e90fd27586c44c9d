import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { blogctl, givenFolder, givenService, startBlogctl } from '../support/command.ts';
import { untilArticles } from '../support/until-articles.ts';
import { givenPosts, multisetOf, postsIn, postsOf } from '../support/posts.ts';

describe('importing a folder of posts', () => {
  it('creates every post once in a file, and nothing the second time', async () => {
    const folder = await givenFolder();
    const posts = postsOf(120);
    await givenPosts(folder, posts);
    const words = ['articles', 'import', 'posts', '--blog', 'file:b.json', '--json'];

    const first = await blogctl(words, { folder });
    expect(first.stderr).not.toContain('error');
    expect(first.exitCode).toBe(0);
    expect(JSON.parse(first.stdout)).toMatchObject({ records: 120, created: 120, replayed: 0 });

    const second = await blogctl(words, { folder });
    expect(second.exitCode).toBe(0);
    expect(JSON.parse(second.stdout)).toMatchObject({ records: 120, created: 0, replayed: 120 });

    const exported = await blogctl(
      ['articles', 'export', '-', '--format', 'ndjson', '--blog', 'file:b.json'],
      { folder },
    );
    expect(multisetOf(postsIn(exported.stdout))).toEqual(multisetOf(posts));
    JSON.parse(await readFile(join(folder, 'b.json'), 'utf8'));
  });

  it('has every post exactly once although the server is killed on the way', async () => {
    const folder = await givenFolder();
    const posts = postsOf(600);
    await givenPosts(folder, posts);
    const words = ['articles', 'import', 'posts', '--json', '--max-wait', '1s'];

    const killed = await givenService(folder);
    const env = { BLOGCTL_BLOG: killed.blogUrl, BLOGCTL_TOKEN: killed.token };
    const cut = startBlogctl(words, { folder, env });
    await untilArticles(join(folder, 'blog.json'), 50);
    await killed.end('SIGKILL');
    JSON.parse(await readFile(join(folder, 'blog.json'), 'utf8'));
    const { exitCode } = await cut;
    expect(exitCode).toBe(9);

    const service = await givenService(folder);
    const again = { BLOGCTL_BLOG: service.blogUrl, BLOGCTL_TOKEN: service.token };
    const second = await blogctl(words, { folder, env: again });
    expect(second.exitCode).toBe(0);
    const exported = await blogctl(['articles', 'export', '-', '--format', 'ndjson'], {
      folder,
      env: again,
    });
    expect(multisetOf(postsIn(exported.stdout))).toEqual(multisetOf(posts));
    const stopped = await service.end('SIGTERM');
    expect(stopped.exitCode).toBe(0);
    const document = JSON.parse(await readFile(join(folder, 'blog.json'), 'utf8'));
    expect(document.articles).toHaveLength(600);
  });

  it('finishes what is under way and reports, when Ctrl-C is pressed', async () => {
    const folder = await givenFolder();
    await givenPosts(folder, postsOf(2000));
    const service = await givenService(folder);
    // A token in the configuration file: nothing that reads it may take the signal for itself.
    const login = ['auth', 'login', service.blogUrl, '--token-file', '-'];
    await blogctl(login, { folder, input: `${service.token}\n` });

    const running = startBlogctl(['articles', 'import', 'posts', '--json'], { folder });
    await untilArticles(join(folder, 'blog.json'), 50);
    running.kill('SIGINT');
    const { exitCode, stdout, stderr } = await running;

    expect(exitCode).toBe(130);
    expect(stderr).toContain('"code":"interrupted"');
    const { records, created, unsent } = JSON.parse(stdout);
    expect([records, created + unsent]).toEqual([2000, 2000]);
    const again = await blogctl(['articles', 'import', 'posts', '--json'], { folder });
    expect(JSON.parse(again.stdout)).toMatchObject({ created: unsent, replayed: created });
  });
});
