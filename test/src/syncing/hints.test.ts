import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

import { run } from '../../support/run.ts';
import { givenSync } from './given-sync.ts';

const again = 'Run the same command again.';

describe('a hint of a sync leads somewhere', () => {
  it.each([
    ['a title that is too long', (text: string) => `${text.repeat(1001)}/new`],
    ['a text that is too long', (text: string) => `D/${text.repeat(1024 * 1024)}`],
  ])('%s is refused each time: it is to be changed', async (_what, postOf) => {
    const world = await givenSync();
    world.write({ 'a.md': 'A/one', 'd.md': postOf('x') });
    for (const flags of ['', '--json']) {
      const { status, err } = await world.sync(`apply posts ${flags}`);
      expect(status).toBe(10);
      expect(err).toContain('change in the file of each such post what the reason above says');
      expect(err).not.toContain(again);
    }
    expect(await world.there()).toEqual(['1 A/one']);
    world.write({ 'd.md': 'D/short' });
    expect((await world.sync('apply posts')).status).toBe(0);
  });

  it('what failed is tried again, beside what is to be changed', async () => {
    let isFailing = true;
    const world = await givenSync({
      refuses: (method, path) =>
        isFailing && method === 'PUT' && path.endsWith('/1')
          ? { status: 500, detail: 'Oh.' }
          : undefined,
    });
    world.write({ 'a.md': 'A/one' });
    await world.sync('apply posts');
    world.write({ 'a.md': 'A/ONE', 'd.md': `${'x'.repeat(1001)}/new` });
    const { err } = await world.sync('apply posts --retries 0');
    expect(err).toMatch(/what the reason above says; .* Run the same command again\./);
    isFailing = false;
    world.remove('d.md');
    expect((await world.sync('apply posts')).status).toBe(0);
  });

  it('a locked article has to be opened', async () => {
    const world = await givenSync();
    world.write({ 'a.md': 'A/one' });
    await world.sync('apply posts');
    await world.lock(1);
    world.write({ 'a.md': 'A/ONE' });
    const { status, err } = await world.sync('apply posts');
    expect(status).toBe(10);
    expect(err).toContain('blogctl store unlock --article <id>');
    expect(err).not.toContain(again);
  });

  it('names the post and the article that it is about, where it is one, and can be followed', async () => {
    const world = await givenSync();
    world.write({ 'a post.md': 'A/one', 'b.md': 'B/two' });
    world.commit();
    await world.sync('apply posts');
    const both = async (path: string, id: number) => {
      await world.edit(id, 'There/there');
      world.write({ [path]: 'Here/here' });
    };
    await both('a post.md', 1);
    const one = await world.sync('plan posts --exit-code');
    expect(one.err).toContain(
      `blogctl sync apply posts 'a post.md' --on-drift overwrite --blog ${world.blogUrl} writes`,
    );
    const { out } = await world.sync('plan posts --format md');
    const blog = world.blogUrl.replaceAll(':', '&#58;');
    expect(out).toContain(`blogctl sync pull posts 'a post.md' --blog ${blog} brings here`);
    await both('b.md', 2);
    const two = await world.sync('plan posts --exit-code');
    expect(two.err).toContain('blogctl sync apply posts <path> --on-drift overwrite');
    const [, path = ''] = /blogctl sync apply posts '([^']+)'/.exec(one.err) ?? [];
    const followed = await world.sync('apply posts --on-drift overwrite', path);
    expect(followed).toMatchObject({ status: 0, json: { written: 1 } });
    expect(await world.there()).toEqual(['1 Here/here', '2 There/there']);
    world.write({ 'c.md': 'There/other' });
    world.remove('b.md');
    expect((await world.sync('plan posts --exit-code')).err).toContain('--adopt c.md=2 says which');
  });

  it('of a copy the line is taken out that says that it is the other', async () => {
    const world = await givenSync();
    world.write({ 'a.md': 'A/one' });
    await world.sync('apply posts');
    const post = (more: string) => `---\ntitle: A\n${more}---\none\n`;
    const address = `article: ${world.blogUrl}/articles/1\n`;
    world.write({ 'a.md': post(address), 'b.md': post(address) });
    const plan = await world.sync('plan posts --format md');
    expect(plan.out).toContain('take the line article&#58; out');
    expect(plan.out).not.toContain('sync pull');
    const { status, err } = await world.sync('apply posts');
    expect(status).toBe(10);
    expect(err).toContain('take the line article: out of the one that is the copy');
    expect(err).not.toContain('sync pull');
    expect(err).not.toContain('--on-drift');
    world.write({ 'b.md': post('') });
    expect((await world.sync('apply posts')).status).toBe(0);
    expect(await world.there()).toEqual(['1 A/one', '2 A/one']);
  });

  it('is about the blog and the reading of the line that it answers', async () => {
    const world = await givenSync();
    world.write({ 'a.md': 'A/one', 'b.md': 'B/two', 'c.md': '---\ndraft: true\n---\n# C\nthree' });
    world.commit();
    const reading = '--import-id my-site --title-from h1 --drafts --allow-empty';
    const flags = `${reading} --state st.ndjson --no-history`;
    await world.sync(`apply posts ${flags}`);
    const choices = '--prune --max-deletes 10% --adopt d.md=none';
    const lineOf = (text: string, start: string) => {
      const [, line = ''] = text.split(`blogctl sync ${start}`);
      return start + line.slice(0, line.indexOf(world.blogUrl)).replace(/ --blog $/, '');
    };
    world.write({ 'd.md': 'D/four' });
    const plan = await world.sync(`plan posts d.md ${choices} --exit-code ${flags}`);
    const whole = `apply posts d.md ${choices} ${flags}`;
    expect(lineOf(plan.err, 'apply')).toBe(whole);
    expect((await world.sync(whole)).json).toMatchObject({ planned: 1, written: 1 });
    await world.edit(1, 'A/there');
    world.write({ 'a.md': 'A/here' });
    const { err } = await world.sync(`apply posts ${flags}`);
    const pulling = lineOf(err, 'pull');
    expect(pulling).toBe(`pull posts a.md ${flags}`);
    expect((await world.sync(pulling)).err).toContain(`articles get 1 --blog ${world.blogUrl}`);
    const writing = lineOf(err, 'apply');
    expect(writing).toBe(`apply posts a.md --on-drift overwrite ${flags}`);
    expect((await world.sync(writing)).json).toMatchObject({ written: 1 });
  });

  it('names a post whose name begins as a flag does as its file, and no other post', async () => {
    const world = await givenSync();
    for (const path of ['-dash.md', '--zeta.md', '-x y.md']) {
      world.write({ [path]: `${path}/one`, 'ash.md': 'Ash/one' });
      world.commit();
      await world.sync('apply posts --state=-st');
      const there = (await world.there()).find((each) => each.includes(` ${path}/`)) ?? '';
      await world.edit(Number.parseInt(there, 10), `${path}/there`);
      world.write({ [path]: `${path}/here` });
      world.commit();
      const { err } = await world.sync('apply posts', `./${path}`, '--state=-st');
      const shown = path.includes(' ') ? `'./${path}'` : `./${path}`;
      expect(err).toContain(`blogctl sync pull posts ${shown} --state=-st --blog`);
      expect(err).toContain(`blogctl sync apply posts ${shown} --on-drift overwrite --state=-st`);
      const pulled = await world.sync('pull posts', `./${path}`, '--state=-st');
      expect(pulled.status).toBe(0);
      world.commit();
    }
  });

  it('names the blog of an article, also where the line did not', async () => {
    const world = await givenSync();
    world.write({ 'a.md': 'A/one', 'b.md': 'B/two' });
    const env = { BLOGCTL_DATA_DIR: join(world.root, 'data'), BLOGCTL_BLOG: 'file:b.json' };
    const here = (line: string) => run(line.split(' '), { env, folder: world.root });
    await here('sync apply posts -y');
    await here('articles update 1 --content there');
    world.remove('a.md');
    const { err } = await here('sync plan posts --exit-code');
    expect(err).toContain('blogctl articles delete 1 --blog file:b.json deletes that one.');
  });
});
