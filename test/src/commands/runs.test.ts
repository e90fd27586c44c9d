import { expect, it } from 'vitest';

import { createFakeBlog } from '../importing/fake-blog.ts';
import { withFiles } from '../importing/sources/files.ts';
import { givenCommand } from './articles/given-command.ts';

const lines = ['A', 'B', 'C', 'D']
  .map((title) => `${JSON.stringify({ title, content: 'x' })}\n`)
  .join('');

it('an interrupted import is listed, shown and gone on with', async () => {
  await withFiles({ 'd.ndjson': lines }, async (folder) => {
    const env = { BLOGCTL_DATA_DIR: folder };
    const blog = createFakeBlog({ mishap: (n) => (n === 3 ? 'never arrived' : undefined) });
    const line = ['articles', 'import', `${folder}/d.ndjson`, '--ordered', '--max-wait', '0ms'];
    const cut = await givenCommand([...line, '--json'], blog, { env });
    expect(cut.status).toBe(9);
    expect(JSON.parse(cut.stdout)).toMatchObject({ created: 2, inDoubt: 1, unsent: 1 });
    const [, id = ''] = /To go on: blogctl runs resume (\w+)/.exec(cut.stderr) ?? [];

    const list = await givenCommand(['runs', 'list', '--json'], blog, { env });
    expect(JSON.parse(list.stdout)).toMatchObject([{ id, done: 2, blog: 'file:/blog.json' }]);
    const show = await givenCommand(['runs', 'show', id.slice(0, 4), '--json'], blog, { env });
    expect(JSON.parse(show.stdout)).toMatchObject({ id, options: { ordered: true } });

    const resumed = await givenCommand(['runs', 'resume', id, '--json'], blog, { env });
    expect(resumed.status).toBe(0);
    expect(JSON.parse(resumed.stdout)).toMatchObject({ created: 2, replayed: 2 });
    expect(blog.posted).toEqual(['A', 'B', 'C', 'C', 'D']);
    const empty = await givenCommand(['runs', 'list', '--json'], blog, { env });
    expect(empty).toMatchObject({ stdout: '[]\n', stderr: 'No interrupted imports.\n' });
  });
});

it('the same import into a blog that was made anew asks for every record again', async () => {
  await withFiles({ 'd.ndjson': lines }, async (folder) => {
    const env = { BLOGCTL_DATA_DIR: folder };
    const line = ['articles', 'import', `${folder}/d.ndjson`, '--ordered', '--max-wait', '0ms'];
    const first = createFakeBlog({ mishap: (n) => (n > 2 ? 'never arrived' : undefined) });
    expect((await givenCommand(line, first, { env })).status).toBe(9);
    const anew = createFakeBlog();
    const { status, stderr } = await givenCommand(line, anew, { env });
    expect(status).toBe(0);
    expect(stderr).toContain('What an earlier run of this import left does not fit this blog');
    expect(anew.articles).toHaveLength(4);
  });
});

it.each([['zzz', 'No interrupted import "zzz".', 'Interrupted imports: none.']])(
  'a run that is not there is named: %s',
  async (id, message, hint) => {
    await withFiles({}, async (folder) => {
      const env = { BLOGCTL_DATA_DIR: folder };
      const run = await givenCommand(['runs', 'resume', id], createFakeBlog(), { env });
      expect(run).toMatchObject({ status: 5, error: { message, hint } });
    });
  },
);
