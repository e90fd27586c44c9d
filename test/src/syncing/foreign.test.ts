import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';

import { foreignServices } from '../../support/foreign-services.ts';
import { type Manners, startOtherService } from '../../support/other-service.ts';
import { run } from '../../support/run.ts';

it.each(foreignServices)(
  'plans and applies alike to a service that %s',
  async (_what, liberties) => {
    const root = mkdtempSync(join(tmpdir(), 'blogctl-foreign-'));
    const service = await startOtherService(['One', 'Two', 'Three', 'Four'], liberties);
    onTestFinished(async () => {
      await service.stop();
      rmSync(root, { recursive: true, force: true });
    });
    const folder = join(root, 'posts');
    mkdirSync(folder);
    const write = (name: string, text: string) =>
      writeFileSync(join(folder, `${name}.md`), `---\ntitle: ${name}\n---\n${text}\n`);
    const env = { BLOGCTL_DATA_DIR: join(root, 'data'), BLOGCTL_TOKEN: 'right-token' };
    const sync = async (line: string) => {
      const words = [
        'sync',
        ...line.split(' '),
        '--blog',
        service.blogUrl,
        '--json',
        '--no-history',
      ];
      const { status, out, err } = await run(words, { env, folder: root });
      return { status, err, json: out === '' ? undefined : JSON.parse(out) };
    };
    for (const name of ['One', 'Two', 'Three', 'Four']) write(name, `Content of ${name}`);
    expect(await sync('apply posts -y')).toMatchObject({
      status: 0,
      json: { written: 0, unchanged: 4 },
    });
    write('One', 'edited here');
    write('Five', 'new');
    rmSync(join(folder, 'Two.md'));
    const there = service.articles.get(3);
    service.articles.set(3, {
      title: 'Three',
      content: 'edited there',
      revision: (there?.revision ?? 0) + 1,
    });
    const plan = await sync('plan posts --prune');
    expect(plan.json.summary).toMatchObject({
      create: 1,
      update: 1,
      delete: 1,
      drift: 1,
      unchanged: 1,
    });
    const applied = await sync('apply posts --prune -y --concurrency 1');
    expect(applied).toMatchObject({ status: 0, json: { written: 3, left: 1, unchanged: 1 } });
    expect(applied.err.includes('names no versions')).toBe(liberties.noValidators === true);
    const titles = [...service.articles.values()].map(
      ({ title, content }) => `${title}/${content?.trim()}`,
    );
    expect(titles).toEqual([
      'One/edited here',
      'Three/edited there',
      'Four/Content of Four',
      'Five/new',
    ]);
    const { json } = await sync('apply posts --prune -y');
    expect(json).toMatchObject({ written: 0, left: 1, unchanged: 3 });
  },
);

it.each([
  ['is as it was', undefined, { unchanged: 2 }],
  ['was edited', 'edited there', { unchanged: 1, left: 1 }],
])(
  'creates nothing twice where the listing leaves an article out that %s',
  async (_what, edit, kept) => {
    const root = mkdtempSync(join(tmpdir(), 'blogctl-foreign-'));
    const unlisted = new Set<number>();
    const service = await startOtherService(['One', 'Two'], { unlisted });
    onTestFinished(async () => {
      await service.stop();
      rmSync(root, { recursive: true, force: true });
    });
    mkdirSync(join(root, 'posts'));
    for (const name of ['One', 'Two'])
      writeFileSync(
        join(root, 'posts', `${name}.md`),
        `---\ntitle: ${name}\n---\nContent of ${name}\n`,
      );
    const env = { BLOGCTL_DATA_DIR: join(root, 'data'), BLOGCTL_TOKEN: 'right-token' };
    const sync = (line: string) =>
      run(['sync', ...line.split(' '), '--blog', service.blogUrl, '--json', '--no-history'], {
        env,
        folder: root,
      });
    await sync('apply posts -y');
    unlisted.add(2);
    if (edit !== undefined) service.articles.set(2, { title: 'Two', content: edit, revision: 7 });
    const before = [...service.articles.values()];
    const { out } = await sync('apply posts --prune --recreate -y');
    expect(JSON.parse(out)).toMatchObject({ written: 0, ...kept });
    expect([...service.articles.values()]).toEqual(before);
  },
);

/** A folder of posts, and a service that stores them in its own manner. */
async function givenPosts(manners: Manners) {
  const root = mkdtempSync(join(tmpdir(), 'blogctl-foreign-'));
  const service = await startOtherService([], manners);
  onTestFinished(async () => {
    await service.stop();
    rmSync(root, { recursive: true, force: true });
  });
  mkdirSync(join(root, 'posts'));
  const write = (name: string, text: string) =>
    writeFileSync(join(root, 'posts', `${name}.md`), `---\ntitle: ${name}\n---\n${text}\n`);
  const env = { BLOGCTL_DATA_DIR: join(root, 'data'), BLOGCTL_TOKEN: 'right-token' };
  const flags = ['--no-history', '--concurrency', '1', '--blog', service.blogUrl];
  const sync = (line: string) => run(['sync', ...line.split(' '), ...flags], { env, folder: root });
  return { service, write, sync };
}

it.each<[string, Manners, boolean]>([
  ['keeps no content', { keeps: ({ title }) => ({ title }) }, true],
  ['cannot write letters', { keeps: (sent) => ({ ...sent, title: '????' }) }, true],
  ['trims', { keeps: ({ title, content = '' }) => ({ title, content: content.trim() }) }, false],
])(
  'says whether a text was stored otherwise than it was sent: by a service that %s',
  async (_what, manners, isSaid) => {
    const { write, sync } = await givenPosts(manners);
    const apply = () => sync('apply posts -y');
    for (const name of ['One', 'Two', 'Three']) write(name, 'Text');
    const created = await apply();
    write('One', 'Another text');
    const updated = await apply();
    const warning = 'The service stored another text than it was sent.\n';
    expect([created.status, updated.status]).toEqual([0, 0]);
    expect(created.err.includes(`One.md and 2 more: ${warning}`)).toBe(isSaid);
    expect(updated.err.includes(`warning: One.md: ${warning}`)).toBe(isSaid);
  },
);

it('with --exact is at rest where a service trims, and knows which side was changed', async () => {
  const keeps: Manners['keeps'] = ({ title, content = '' }) => ({ title, content: content.trim() });
  const { service, write, ...posts } = await givenPosts({ keeps });
  const sync = async (line: string) => JSON.parse((await posts.sync(`${line} --json`)).out);
  for (const name of ['One', 'Two']) write(name, 'Text');
  await sync('apply posts -y --exact');
  expect(await sync('apply posts -y --exact')).toMatchObject({ written: 0, unchanged: 2 });
  await sync('apply posts -y');
  service.articles.set(1, { title: 'One', content: 'Edited', revision: 7 });
  write('Two', 'Text\n');
  const { summary } = await sync('plan posts --exact');
  expect(summary).toMatchObject({ drift: 1, update: 1, conflict: 0 });
  expect(await sync('apply posts -y --exact')).toMatchObject({ written: 1, left: 1 });
  expect(await sync('apply posts -y --exact')).toMatchObject({ written: 0, left: 1 });
  // What somebody put there by now is the very text of the file.
  service.articles.set(2, { title: 'Two', content: 'Text\n\n', revision: 7 });
  expect(await sync('apply posts -y --exact')).toMatchObject({ written: 0, unchanged: 1 });
  write('Two', 'Text\n\n');
  const edited = await sync('plan posts --exact');
  expect(edited.summary).toMatchObject({ drift: 1, update: 1, conflict: 0 });
  service.articles.set(2, { title: 'Two', content: 'Text', revision: 8 });
  expect((await sync('plan posts --exact')).summary).toMatchObject({ drift: 1, conflict: 1 });
});
