import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { blogctl, givenFolder, givenService, type Setting } from '../support/command.ts';

async function givenOneArticle(): Promise<Setting & { env: Record<string, string> }> {
  const folder = await givenFolder();
  const service = await givenService(folder);
  const env = { BLOGCTL_BLOG: service.blogUrl, BLOGCTL_TOKEN: service.token };
  const words = ['articles', 'create', '--title', 'First', '--content', 'A text'];
  const created = await blogctl([...words, '--format', 'ids'], { folder, env });
  expect(created).toMatchObject({ exitCode: 0, stdout: '1\n' });
  return { folder, env };
}

describe('managing articles of a running service', () => {
  it('keeps the content when only the title is updated', async () => {
    const setting = await givenOneArticle();
    const updated = await blogctl(['articles', 'update', '1', '--title', 'Second'], setting);
    expect(updated.exitCode).toBe(0);
    const read = await blogctl(['articles', 'get', '1', '--json'], setting);
    expect(JSON.parse(read.stdout)).toMatchObject({ id: 1, title: 'Second', content: 'A text' });
  });

  it('removes the content by a PUT without it', async () => {
    const setting = await givenOneArticle();
    const replaced = await blogctl(
      ['articles', 'update', '1', '--replace', '--title', 'Bare'],
      setting,
    );
    expect(replaced.exitCode).toBe(0);
    const read = await blogctl(['articles', 'get', '1', '--json'], setting);
    expect(JSON.parse(read.stdout)).not.toHaveProperty('content');
  });

  it('says that a deleted article is gone', async () => {
    const setting = await givenOneArticle();
    expect((await blogctl(['articles', 'delete', '1', '-y'], setting)).exitCode).toBe(0);
    const read = await blogctl(['articles', 'get', '1'], setting);
    expect(read.exitCode).toBe(5);
    expect(read.stdout).toBe('');
    expect(read.stderr).toContain('(HTTP 410)');
  });

  it('refuses an update of another version than the one named, and says what to do', async () => {
    const setting = await givenOneArticle();
    const words = ['articles', 'update', '1', '--title', 'Late', '--if-match', '"old"'];
    const late = await blogctl(words, setting);
    expect(late.exitCode).toBe(6);
    expect(late.stderr).toMatch(/^error: .*\(HTTP 412\)$/m);
    expect(late.stderr).toMatch(/^hint: .*blogctl articles/m);
  });

  it('answers DELETE so that fetch can use the connection again', async () => {
    const { env } = await givenOneArticle();
    const url = `${env['BLOGCTL_BLOG']}/articles/1`;
    const headers = { 'x-access-token': env['BLOGCTL_TOKEN'] ?? '' };
    const deleted = await fetch(url, { method: 'DELETE', headers });
    expect(deleted.status).toBe(204);
    expect(deleted.headers.get('content-length')).toBeNull();
    expect(await deleted.text()).toBe('');
    expect((await fetch(url)).status).toBe(410);
  });

  it('signs in with a token from standard input and remembers the blog', async () => {
    const folder = await givenFolder();
    const service = await givenService(folder);
    const words = ['auth', 'login', service.blogUrl, '--token-file', '-'];
    const login = await blogctl(words, { folder, input: `${service.token}\n` });
    expect(login.exitCode).toBe(0);
    const created = await blogctl(['articles', 'create', '--title', 'T', '--content', ''], {
      folder,
    });
    expect(created.exitCode).toBe(0);
    const status = await blogctl(['auth', 'status'], { folder });
    expect(status.stdout + status.stderr).not.toContain(service.token);
  });
});

it('a blog of a file is free for others while a person edits one of its articles', async () => {
  const folder = await givenFolder();
  const env = { BLOGCTL_BLOG: `file:${join(folder, 'blog.json')}` };
  await blogctl(['articles', 'create', '--title', 'First', '--content', 'A text'], { folder, env });
  const bin = fileURLToPath(new URL('../../bin/blogctl.cjs', import.meta.url));
  const meanwhile = `"${process.execPath}" "${bin}" articles create --title Meanwhile --content x`;
  const editor = join(folder, 'editor.sh');
  writeFileSync(editor, `#!/bin/sh\n${meanwhile} || exit 1\necho more >> "$1"\n`, { mode: 0o755 });
  const edited = await blogctl(['articles', 'edit', '1', '-y'], {
    folder,
    env: { ...env, BLOGCTL_EDITOR: editor },
  });
  expect(edited).toMatchObject({ exitCode: 0 });
  const { stdout } = await blogctl(['articles', 'list', '--json', '--fields', 'title,content'], {
    folder,
    env,
  });
  expect(JSON.parse(stdout)).toMatchObject([
    { title: 'First', content: 'A textmore' },
    { title: 'Meanwhile' },
  ]);
});
