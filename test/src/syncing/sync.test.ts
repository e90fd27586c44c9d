import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';

import { run } from '../../support/run.ts';
import { actionsOf } from '../../../src/syncing/plan-document.ts';
import { givenSync, writesOf, type SyncWorld } from './given-sync.ts';

/** Three posts that were brought to the blog: articles 1 to 3. */
async function givenSynced(options: Parameters<typeof givenSync>[0] = {}): Promise<SyncWorld> {
  const world = await givenSync(options);
  world.write({ 'a.md': 'A/one', 'b.md': 'B/two', 'c.md': 'C/three' });
  if (options.git !== false) world.commit();
  const { status, err } = await world.sync('apply posts');
  expect({ status, err }).toMatchObject({ status: 0 });
  return world;
}

type Change = (world: SyncWorld) => Promise<void> | void;

type Row = readonly [
  what: string,
  change: Change,
  planned: readonly string[],
  there: readonly string[],
  status: number,
  flags?: string,
];

const untouched = ['1 A/one', '2 B/two', '3 C/three'];

const table: readonly Row[] = [
  ['nothing changed', () => {}, [], untouched, 0],
  [
    'edited here',
    (w) => w.write({ 'a.md': 'A/ONE' }),
    ['update a.md 1'],
    ['1 A/ONE', '2 B/two', '3 C/three'],
    0,
  ],
  [
    'new here',
    (w) => w.write({ 'd.md': 'D/four' }),
    ['create d.md'],
    [...untouched, '4 D/four'],
    0,
  ],
  [
    'edited there',
    (w) => w.edit(1, 'A/typo'),
    ['drift a.md 1'],
    ['1 A/typo', '2 B/two', '3 C/three'],
    0,
  ],
  [
    'edited there, overwrite',
    (w) => w.edit(1, 'A/typo'),
    ['drift a.md 1'],
    untouched,
    0,
    '--on-drift overwrite',
  ],
  [
    'edited on both sides',
    async (w) => {
      w.write({ 'a.md': 'A/ONE' });
      await w.edit(1, 'A/typo');
    },
    ['conflict a.md 1'],
    ['1 A/typo', '2 B/two', '3 C/three'],
    10,
  ],
  [
    'edited on both sides, overwrite',
    async (w) => {
      w.write({ 'a.md': 'A/ONE' });
      await w.edit(1, 'A/typo');
    },
    ['conflict a.md 1'],
    ['1 A/ONE', '2 B/two', '3 C/three'],
    0,
    '--on-drift overwrite',
  ],
  ['deleted there', (w) => w.destroy(1), ['deleted-there a.md 1'], ['2 B/two', '3 C/three'], 0],
  [
    'deleted there, recreate',
    (w) => w.destroy(1),
    ['deleted-there a.md 1'],
    ['2 B/two', '3 C/three', '4 A/one'],
    0,
    '--recreate',
  ],
  ['gone here', (w) => w.remove('a.md'), ['orphan a.md 1'], untouched, 0],
  [
    'gone here, prune',
    (w) => w.remove('a.md'),
    ['delete a.md 1'],
    ['2 B/two', '3 C/three'],
    0,
    '--prune',
  ],
  [
    'a draft now, prune',
    (w) => w.write({ 'a.md': '---\ntitle: A\ndraft: true\n---\none\n' }),
    ['delete a.md 1'],
    ['2 B/two', '3 C/three'],
    0,
    '--prune',
  ],
  [
    'gone here, edited there, prune',
    async (w) => {
      w.remove('a.md');
      await w.edit(1, 'A/typo');
    },
    ['orphan a.md 1 edited'],
    ['1 A/typo', '2 B/two', '3 C/three'],
    0,
    '--prune',
  ],
  ['renamed', (w) => w.move('a.md', 'z.md'), ['rename z.md 1 was a.md'], untouched, 0, '--prune'],
  [
    'renamed and edited, as git says',
    (w) => {
      w.write({ 'a.md': `A/${'one\n'.repeat(40)}` });
      w.commit();
      w.move('a.md', 'z.md');
      w.write({ 'z.md': `A/${'one\n'.repeat(40)}more` });
      w.commit();
    },
    ['update z.md 1 was a.md'],
    [`1 A/${'one\n'.repeat(40)}more`, '2 B/two', '3 C/three'],
    0,
    '--prune',
  ],
  [
    'edited while its folder was renamed',
    (w) => {
      w.write({ 'en/a.md': `Long/${'one\n'.repeat(40)}` });
      w.remove('a.md');
      w.commit();
    },
    ['create en/a.md', 'delete a.md 1'],
    ['2 B/two', '3 C/three', `4 Long/${'one\n'.repeat(40)}`.trim()],
    0,
    '--prune',
  ],
  [
    'renamed, and a new post under the old path, which has its own article',
    (w) => {
      w.move('a.md', 'z.md');
      w.commit();
      w.write({ 'a.md': 'New/new' });
    },
    ['create a.md', 'rename z.md 1 was a.md'],
    ['1 A/one', '2 B/two', '3 C/three', '4 New/new'],
    0,
  ],
  [
    'line ends and blank edges',
    (w) => w.write({ 'a.md': '---\r\ntitle: " A "\r\n---\r\n\r\none\r\n\r\n' }),
    [],
    untouched,
    0,
  ],
];

describe('sync with its state', () => {
  it.each(table.map((row) => [row[0], row] as const))('%s', async (_what, row) => {
    const [, change, planned, there, status, flags = ''] = row;
    const world = await givenSynced();
    await change(world);
    const prune = flags.includes('--prune') ? ' --prune' : '';
    expect((await world.sync(`plan posts${prune}`)).said).toEqual(planned);
    const applied = await world.sync(`apply posts ${flags}`, '--max-deletes', '3');
    expect({ status: applied.status, there: await world.there() }).toEqual({ status, there });
    const again = await world.sync(`apply posts ${flags}`, '--max-deletes', '3');
    expect(writesOf(again.asked)).toEqual([]);
    expect(await world.there()).toEqual(there);
  });

  it('asks for the blog and its pages only, the second time', async () => {
    const world = await givenSync();
    const posts = Array.from({ length: 205 }, (_, at) => [`p${at}.md`, `Post ${at}/text ${at}`]);
    world.write(Object.fromEntries(posts));
    expect((await world.sync('apply posts')).json).toMatchObject({ planned: 205, written: 205 });
    const { asked, json } = await world.sync('apply posts');
    expect(json).toEqual({
      planned: 205,
      written: 0,
      unchanged: 205,
      left: 0,
      refused: 0,
      failed: 0,
      unsent: 0,
    });
    // One page takes 500.
    expect(asked.map(({ method }) => method)).toEqual(['GET', 'GET']);
  });
});

describe('sync without its state', () => {
  const rows = table.filter(([what]) => !/^renamed(?:$|, and)/.test(what));
  it.each(rows.map((row) => [row[0], row] as const))('%s, as git says', async (_what, row) => {
    const [, change, planned, there, status, flags = ''] = row;
    const world = await givenSynced();
    await change(world);
    world.commit();
    world.forgetState();
    const prune = flags.includes('--prune') ? ' --prune' : '';
    const withoutFrom = planned.map((each) => each.replace(/ was .*/, ''));
    const byKey = withoutFrom.map((each) => each.replace(/^(deleted-there \S+) 1$/, '$1'));
    expect((await world.sync(`plan posts${prune}`)).said).toEqual(byKey);
    const applied = await world.sync(`apply posts ${flags}`, '--max-deletes', '3');
    expect({ status: applied.status, there: await world.there() }).toEqual({ status, there });
  });

  it.each([
    ['n\n', 4, untouched],
    ['y\n', 0, ['1 A/ONE', '2 B/two', '3 C/three', '4 New/n']],
  ])('says what it would write over when it asks: %j', async (stdin, status, there) => {
    const world = await givenSynced({ git: false });
    world.write({ 'a.md': 'A/ONE', 'n.md': 'New/n' });
    world.forgetState();
    const env = {
      BLOGCTL_DATA_DIR: join(world.root, 'data'),
      BLOGCTL_CONFIG_DIR: join(world.root, 'config'),
      BLOGCTL_TOKEN: 'all',
    };
    const words = ['sync', 'apply', 'posts', '--blog', world.blogUrl];
    const ended = await run(words, { env, folder: world.root, stdin, terminal: 80 });
    expect(ended.err).toContain(
      `Apply to ${world.blogUrl}, and write over 1 article that may have been edited on the blog?`,
    );
    expect([ended.status, await world.there()]).toEqual([status, there]);
  });

  it('writes over nothing that neither state nor git vouches for, unless somebody looked', async () => {
    const world = await givenSynced({ git: false });
    world.write({ 'a.md': 'A/ONE' });
    world.forgetState();
    const applied = await world.sync('apply posts');
    expect(applied.status).toBe(10);
    expect(applied.err).toContain('a.md (article 1): differs, and nobody knows who changed it');
    expect(applied.err).toContain('a warning says what brings it');
    expect(applied.err).not.toContain('--adopt');
    expect(writesOf(applied.asked)).toEqual([]);
    const plan = await world.sync('plan posts -o plan.json');
    expect(plan.status).toBe(0);
    expect((await world.sync('apply plan.json')).json).toMatchObject({ written: 1, unchanged: 2 });
    expect(await world.there()).toEqual(['1 A/ONE', '2 B/two', '3 C/three']);
  });

  it('takes nothing that was edited on the blog for left there rightly, where the file had several texts', async () => {
    const world = await givenSynced();
    // An edit on the blog that is nearer to what the file says now than to what was brought there.
    await world.edit(1, 'A/one and two more');
    world.write({ 'a.md': 'A/one and two' });
    world.commit();
    world.forgetState();
    const applied = await world.sync('apply posts');
    expect({ status: applied.status, writes: writesOf(applied.asked) }).toEqual({
      status: 10,
      writes: [],
    });
    expect(applied.err).toContain('a.md (article 1): changed on the blog, and maybe here');
    await world.sync('pull posts a.md');
    world.commit();
    expect((await world.sync('apply posts')).json).toMatchObject({ written: 0, unchanged: 3 });
  });

  it('says what it cannot see where the blog was filled under another import id, and what to give', async () => {
    const world = await givenSynced();
    const first = await world.sync('plan posts --import-id o/r --state none.ndjson');
    expect(first.json.warnings).toEqual([
      expect.stringMatching(/^Known by the text alone: a\.md \(article 1\), b\.md .*--import-id/),
    ]);
    world.remove('c.md');
    await world.edit(2, 'B/there');
    world.write({ 'b.md': 'B/here' });
    world.commit();
    const line = 'plan posts --prune --state none.ndjson';
    const plan = await world.sync(`${line} --import-id o/r`);
    const named = 'c.md (gone here, article 3), a.md (article 1)';
    expect(plan.said).toEqual(['suggestion b.md']);
    expect(plan.json.warnings).toEqual([expect.stringContaining(named)]);
    expect(plan.err).toContain(named);
    const { out } = await world.sync(`${line} --import-id o/r --format md`);
    expect(out).toContain('c.md (gone here, article 3)');
    const { err } = await world.sync(`${line} --import-id o/r --exit-code`);
    expect(err).toContain('the same here tells it');
    // As it says.
    const same = await world.sync(line);
    expect(same.said).toEqual(['conflict b.md 2', 'delete c.md 3']);
    expect(same.json.warnings).toEqual([]);
  });

  it('says that a partial clone cannot tell, and what to do', async () => {
    const world = await givenSynced();
    world.write({ 'a.md': 'A/ONE' });
    world.commit();
    world.forgetState();
    world.git('config', 'uploadpack.allowFilter', 'true');
    world.git('clone', '-q', '--filter=blob:none', `file://${world.root}`, 'partial');
    // As newer versions of git say it.
    givenGit(world, 'case "$*" in *cat-file*) exec sed "s/$/ missing/";; esac');
    for (const say of ['newer', 'as it is']) {
      const applied = await world.sync('apply partial/posts');
      expect({ say, status: applied.status, writes: writesOf(applied.asked) }).toEqual({
        say,
        status: 10,
        writes: [],
      });
      expect(applied.err).toContain('git fetch --refetch --no-filter');
      expect(applied.err).not.toContain('shallow');
      vi.unstubAllEnvs();
    }
    world.git('-C', 'partial', 'fetch', '-q', '--refetch', '--no-filter');
    expect((await world.sync('apply partial/posts')).json).toMatchObject({ written: 1 });
  });

  it('says whose folder git does not trust, and in its own words what else it says', async () => {
    const world = await givenSynced();
    world.write({ 'a.md': 'A/ONE' });
    world.commit();
    world.forgetState();
    const line = "git config --global --add safe.directory '/a b'";
    for (const [said, told] of [
      [
        `fatal: detected dubious ownership in repository at '/a b'\nTo add an exception, call:\n\n\t${line}`,
        `git does not trust a folder that is somebody else's; ${line} trusts it.`,
      ],
      ['fatal: bad object HEAD', 'bad object HEAD.'],
    ] as const) {
      writeFileSync(join(world.root, 'said'), `${said}\n`);
      givenGit(world, `cat ${world.root}/said >&2; exit 128`);
      const { status, err } = await world.sync('apply posts');
      vi.unstubAllEnvs();
      expect(status).toBe(10);
      expect(err).toContain(`Git cannot say what the files were: ${told}`);
      expect(err).not.toContain('unshallow');
    }
  });

  it('says that a shallow checkout cannot tell, and what to do', async () => {
    const world = await givenSynced();
    world.write({ 'a.md': 'A/ONE' });
    world.commit();
    world.forgetState();
    world.git('clone', '-q', '--depth', '1', `file://${world.root}`, 'shallow');
    const shallow = await world.sync('apply shallow/posts');
    expect(shallow.status).toBe(10);
    expect(shallow.err).toContain(
      'the checkout is shallow; git fetch --unshallow (in CI fetch-depth: 0)',
    );
    expect(writesOf(shallow.asked)).toEqual([]);
    world.git('-C', 'shallow', 'fetch', '-q', '--unshallow');
    const whole = await world.sync('apply shallow/posts');
    expect({ status: whole.status, there: await world.there() }).toEqual({
      status: 0,
      there: ['1 A/ONE', '2 B/two', '3 C/three'],
    });
  });
});

it('an apply that asked nobody names what it has created, updated, deleted and found renamed', async () => {
  const world = await givenSynced();
  world.write({ 'a.md': 'A/ONE', 'd.md': 'D/four', 'e.md': 'C/three' });
  world.remove('b.md');
  world.remove('c.md');
  const { err } = await world.sync('apply posts --prune');
  const notices = err.split('\n').flatMap((line) => {
    const { notice } = line === '' ? {} : JSON.parse(line);
    return notice === undefined ? [] : [notice.replaceAll(/ +/g, ' ')];
  });
  expect(notices).toEqual(
    expect.arrayContaining([
      '+ d.md #4 new',
      '~ a.md #1 lines: 1 more, 1 less',
      '- b.md #2 gone here',
      '→ e.md #3 was c.md',
    ]),
  );
});

describe('of the posts that are named', () => {
  it('one in conflict is written over, and no other', async () => {
    const world = await givenSynced();
    for (const [id, name] of ['a', 'b'].entries()) {
      await world.edit(id + 1, `${name.toUpperCase()}/there`);
      world.write({ [`${name}.md`]: `${name.toUpperCase()}/here` });
    }
    world.remove('c.md');
    await world.edit(3, 'C/there');
    const refused = await world.sync('apply posts --prune');
    expect(refused.err).toContain(
      `blogctl sync apply posts <path> --on-drift overwrite --blog ${world.blogUrl} writes over that one.`,
    );
    const line = 'posts a.md --prune --on-drift overwrite';
    expect((await world.sync(`plan ${line}`)).said).toEqual(['update a.md 1']);
    expect((await world.sync(`apply ${line}`)).json).toMatchObject({ planned: 1, written: 1 });
    expect(await world.there()).toEqual(['1 A/here', '2 B/there', '3 C/there']);
    await world.sync('apply posts posts/c.md --prune --on-drift overwrite');
    expect(await world.there()).toEqual(['1 A/here', '2 B/there']);
  });

  it('one leaves a state that knows the others too', async () => {
    const world = await givenSynced();
    world.forgetState();
    world.write({ 'a.md': 'A/ONE' });
    await world.sync('apply posts a.md --state state.ndjson');
    const lines = readFileSync(join(world.root, 'state.ndjson'), 'utf8');
    for (const path of ['posts/a.md', 'posts/b.md', 'posts/c.md']) expect(lines).toContain(path);
  });

  it('one is created again', async () => {
    const world = await givenSynced();
    await world.destroy(1);
    await world.destroy(2);
    await world.sync('apply posts b.md --recreate');
    expect(await world.there()).toEqual(['3 C/three', '4 B/two']);
  });

  it('one that was edited here and deleted there is told as both', async () => {
    const world = await givenSynced();
    await world.destroy(1);
    world.write({ 'a.md': 'A/ONE' });
    const { err } = await world.sync('plan posts');
    expect(err).toContain(
      'a.md (article 1): deleted on the blog, edited here (left: no --recreate)',
    );
  });

  it('none is created again that stands there again, with its text and another number', async () => {
    const world = await givenSynced();
    await world.destroy(1);
    await world.add('A', 'one');
    expect((await world.sync('plan posts')).said).toEqual([]);
    expect((await world.sync('apply posts --recreate')).json).toMatchObject({ written: 0 });
    world.write({ 'a.md': 'A/ONE' });
    expect((await world.sync('plan posts')).said).toEqual(['update a.md 4']);
  });

  it('one that a kept plan is of is carried out alone', async () => {
    const world = await givenSynced();
    world.write({ 'a.md': 'A/ONE', 'b.md': 'B/TWO' });
    await world.sync('plan posts a.md -o plan.json');
    await world.sync('apply plan.json');
    expect(await world.there()).toEqual(['1 A/ONE', '2 B/two', '3 C/three']);
  });

  it.each(['notes', 'notes/', 'posts/notes', './notes', './posts/notes/', '<root>/posts/notes'])(
    '%s are all below it',
    async (named) => {
      const world = await givenSynced();
      const folder = named.replace('<root>', world.root);
      world.write({ 'notes/x.md': 'X/x', 'notes/deep/y.md': 'Y/y', 'notes.md': 'N/n' });
      const { said } = await world.sync(`plan posts ${folder}`);
      expect(said).toEqual(['create notes/deep/y.md', 'create notes/x.md']);
      expect((await world.sync(`apply posts ${folder}`)).json).toMatchObject({ written: 2 });
      world.commit();
      await world.edit(4, 'Y/there');
      await world.edit(5, 'X/there');
      world.write({ 'notes/x.md': 'X/here' });
      world.commit();
      const pulled = await world.sync(`pull posts ${folder} --format json`);
      expect(JSON.parse(pulled.out)).toMatchObject([
        { path: 'notes/deep/y.md', result: 'pulled' },
        { path: 'notes/x.md', result: 'refused' },
      ]);
    },
  );

  it.each(['.', './', 'posts', '<root>/posts', '<root>/posts/'])(
    '%s are all posts',
    async (named) => {
      const world = await givenSynced();
      world.write({ 'x.md': 'X/x', 'notes/y.md': 'Y/y' });
      const { said } = await world.sync(`plan posts ${named.replace('<root>', world.root)}`);
      expect(said).toEqual(['create notes/y.md', 'create x.md']);
    },
  );

  it.each(['./a.md', '<root>/posts/a.md'])('%s names a post', async (named) => {
    const world = await givenSynced();
    await world.edit(1, 'A/there');
    world.write({ 'a.md': 'A/here' });
    world.commit();
    const pulled = await world.sync(
      `pull posts ${named.replace('<root>', world.root)} --format json`,
    );
    expect(JSON.parse(pulled.out)).toMatchObject([{ path: 'a.md', result: 'pulled' }]);
  });

  it.each(['../posts/a.md', '/a.md', '..', './..'])('%s is none', async (named) => {
    const world = await givenSynced();
    expect(await world.sync(`plan posts ${named}`)).toMatchObject({ status: 2 });
  });

  it('those below a folder are not what somebody named to be written over unverified', async () => {
    const world = await givenSynced({ git: false });
    world.write({ 'notes/x.md': 'X/x' });
    await world.sync('apply posts');
    world.forgetState();
    world.write({ 'notes/x.md': 'X/here' });
    expect((await world.sync('plan posts notes --on-drift overwrite')).said).toEqual([
      'unverified notes/x.md 4',
    ]);
    expect((await world.sync('plan posts notes/x.md --on-drift overwrite')).said).toEqual([
      'update notes/x.md 4',
    ]);
  });

  it.each([
    ['plan posts/guide.md', 'sync plan posts guide.md`.'],
    ['plan posts/*.md', 'sync plan posts`.'],
    ['plan posts/**/*.md', 'sync plan posts`.'],
    ['plan posts guide', 'It is called guide.md there.'],
  ])('one that is named otherwise: %s', async (line, hint) => {
    const world = await givenSynced();
    world.write({ 'guide.md': '---\ntitle: Guide\n---\ntext\n' });
    const { err } = await world.sync(line);
    expect(err).toContain(
      hint.replace(/^sync/, `behind it: \`blogctl --blog ${world.blogUrl} sync`),
    );
  });

  it.each(['plan', 'apply'])('one that is none is refused by %s', async (command) => {
    const world = await givenSynced();
    world.write({ 'x.md': '---\ntitle: X\ndraft: true\n---\nx\n' });
    const { status, err } = await world.sync(`${command} posts x.md`);
    expect(status).toBe(2);
    expect(err).toContain(' is no post of this plan, as far as is known here.');
    expect(err).toContain('; what is not public, as a draft, is in no plan.');
  });
});

it('what an import brought there is ours without git and state, and what was edited since is not', async () => {
  const world = await givenSync({ git: false });
  world.write({ 'a.md': 'A/one', 'b.md': 'B/two', 'c.md': 'C/three' });
  const env = { BLOGCTL_DATA_DIR: join(world.root, 'data'), BLOGCTL_TOKEN: 'all' };
  const posts = join(world.root, 'posts');
  await run(['articles', 'import', posts, '--blog', world.blogUrl, '--concurrency', '1'], { env });
  world.write({ 'a.md': 'A/ONE', 'b.md': 'B/TWO' });
  await world.edit(2, 'B/there');
  await world.edit(3, 'C/there');
  const plan = await world.sync('plan posts');
  expect(plan.said).toEqual(['update a.md 1', 'unverified b.md 2', 'drift c.md 3']);
  expect(plan.json.actions[0]).toMatchObject({ base: 'import', lines: { added: 1, removed: 1 } });
  expect((await world.sync('apply posts')).json).toMatchObject({ written: 1, refused: 1, left: 1 });
  expect(await world.there()).toEqual(['1 A/ONE', '2 B/there', '3 C/there']);
  world.forgetState();
  await world.sync('apply posts b.md --on-drift overwrite');
  expect(await world.there()).toEqual(['1 A/ONE', '2 B/TWO', '3 C/there']);
});

it.each([
  ['', 'update a.md 1', { written: 1, refused: 0 }],
  ['1', 'unverified a.md 1', { written: 0, refused: 1 }],
])(
  'what stood there before git had the file is no edit there: BLOGCTL_NO_RUNS=%s',
  async (noRuns, said, counts) => {
    const world = await givenSync();
    world.write({ 'a.md': 'A/one' });
    const env = {
      BLOGCTL_DATA_DIR: join(world.root, 'data'),
      BLOGCTL_TOKEN: 'all',
      BLOGCTL_NO_RUNS: noRuns,
    };
    world.git('init', '-q');
    await run(['articles', 'import', join(world.root, 'posts'), '--blog', world.blogUrl], { env });
    world.write({ 'a.md': 'A/ONE' });
    world.commit('2026-07-01T00:00:00Z');
    expect((await world.sync('plan posts')).said).toEqual([said]);
    expect((await world.sync('apply posts')).json).toMatchObject(counts);
  },
);

it('an article that a person named was not changed there because git knows one version here', async () => {
  const world = await givenSync();
  await world.add('Old title', 'text of a file that is gone');
  world.write({ 'a.md': 'New title/rewritten' });
  world.commit();
  for (const line of ['apply posts --adopt a.md=1', 'apply posts']) {
    expect(await world.sync(line)).toMatchObject({ status: 10, json: { written: 0, refused: 1 } });
    expect((await world.sync('plan posts')).said).toEqual(['unverified a.md 1']);
  }
  await world.sync('apply posts a.md --on-drift overwrite');
  expect(await world.there()).toEqual(['1 New title/rewritten']);
});

it('names an article that --prune has kept because it was edited there, and what deletes it', async () => {
  const world = await givenSynced();
  world.remove('a.md');
  await world.edit(1, 'A/typo');
  const plain = await world.sync('plan posts --exit-code');
  expect(plain.err).toContain(
    `Gone here, edited on the blog: blogctl articles delete 1 --blog ${world.blogUrl} `,
  );
  const applied = await world.sync('apply posts --prune');
  expect(applied).toMatchObject({ status: 0, json: { written: 0, left: 1 } });
  expect(applied.err).toContain(
    'a.md (article 1): gone here, edited there (kept: no --on-drift overwrite)',
  );
  const { status, err } = await world.sync('plan posts --prune --exit-code');
  expect(status).toBe(11);
  expect(err).toContain(
    `Gone here, edited on the blog: blogctl articles delete 1 --blog ${world.blogUrl} deletes that one.`,
  );
  expect(err).not.toContain('--prune deletes');
  await world.sync('apply posts --prune --on-drift overwrite');
  expect(await world.there()).toEqual(['2 B/two', '3 C/three']);
});

describe('what a plan says', () => {
  it('is a row for each action in a pipe, and the whole in JSON and in a file', async () => {
    const world = await givenSynced();
    world.write({ 'a.md': 'New A/ONE', 'd.md': 'D/four' });
    const piped = await run(['sync', 'plan', 'posts', '--blog', world.blogUrl], {
      env: { BLOGCTL_DATA_DIR: join(world.root, 'data') },
      folder: world.root,
    });
    const rows = ['update\ta.md\t1\ttitle, lines: 1 more, 1 less', 'create\td.md\t\tnew', ''];
    expect(piped.out.split('\n')).toEqual(rows);
    const csv = await world.sync('plan posts --format csv');
    expect(csv.out.split('\r\n')[0]).toBe('action,path,id,reason');
    const kept = await world.sync('plan posts -o plan.json');
    expect(kept.err).toContain('~ a.md');
    const { schema } = JSON.parse(readFileSync(join(world.root, 'plan.json'), 'utf8'));
    expect(schema).toBe('blogctl-sync-plan/1');
  });

  it.each(['md', 'csv'])('is no plan to keep as %s, and is written into none', async (format) => {
    const world = await givenSynced();
    world.write({ 'a.md': 'A/ONE' });
    const refused = await world.sync(`plan posts --format ${format} -o plan.json`);
    expect(refused).toMatchObject({ status: 2, asked: [] });
    expect(refused.err).toContain(`a plan for apply is JSON, and --format ${format} is not`);
    expect(existsSync(join(world.root, 'plan.json'))).toBe(false);
    expect((await world.sync(`plan posts --format ${format} -o plan.${format}`)).status).toBe(0);
    expect((await world.sync(`plan posts -o named.${format}`)).status).toBe(0);
    const [given, named] = ['plan', 'named'].map((name) =>
      readFileSync(join(world.root, `${name}.${format}`), 'utf8'),
    );
    expect(named).toBe(given);
    expect((await world.sync('plan posts --format json -o plan.json')).status).toBe(0);
    expect((await world.sync('apply plan.json')).json).toMatchObject({ written: 1 });
  });

  it('names an update whose file is not the one that was planned', async () => {
    const world = await givenSynced();
    world.write({ 'a.md': 'A/edited', 'b.md': 'B/edited' });
    await world.sync('plan posts -o plan.json');
    world.write({ 'a.md': 'A/one' });
    const { status, err, json } = await world.sync('apply plan.json');
    expect([status, json.written, json.refused]).toEqual([10, 1, 1]);
    expect(err).toContain('a.md (article 1): changed since the plan was made');
    // What is as it was planned is so whoever brought it there.
    world.write({ 'a.md': 'A/edited' });
    await world.sync('apply posts');
    expect(await world.sync('apply plan.json')).toMatchObject({ status: 0, json: { written: 0 } });
  });

  it('says what apply would refuse, and ends as it would', async () => {
    const world = await givenSynced();
    world.remove('a.md', 'b.md');
    const line = 'plan posts --prune --max-deletes 1';
    const plan = await world.sync(line);
    const said = `Apply refuses this: 2 of 3 articles would be deleted (67 %): nothing was written. Look at what blogctl sync ${line} --blog ${world.blogUrl} would delete; --max-deletes 2 allows it.`;
    expect({ status: plan.status, warnings: plan.json.warnings }).toEqual({
      status: 6,
      warnings: [said],
    });
    expect((await world.sync(`${line} --format md`)).out).toContain('2 of 3 articles');
    expect((await world.sync('plan posts --prune --max-deletes 2')).status).toBe(0);
    const kept = await world.sync(`${line} -o kept.json`);
    expect(kept).toMatchObject({
      status: 6,
      err: expect.stringContaining('Nothing was kept in kept.json.'),
    });
    expect(existsSync(join(world.root, 'kept.json'))).toBe(false);
    await world.sync('plan posts -o before.json');
    const { err } = await world.sync(`${line} -o before.json --overwrite`);
    expect(err).toContain('The plan of before is still in before.json.');
    expect(await world.sync('apply kept.json')).toMatchObject({
      status: 7,
      err: expect.stringMatching(
        /There is no plan .*kept.json.*one that apply would refuse is not kept/,
      ),
    });
  });

  it('says it once on a terminal, in Markdown too', async () => {
    const world = await givenSynced();
    const words = ['sync', 'plan', 'posts', '--format', 'md', '--blog', world.blogUrl];
    const env = { BLOGCTL_DATA_DIR: join(world.root, 'data') };
    const shown = await run(words, { env, folder: world.root, terminal: 80 });
    expect(shown.out).toContain('No changes. 3 unchanged');
    expect(shown.err).not.toContain('No changes.');
    expect((await run(words, { env, folder: world.root })).err).toContain('No changes.');
  });

  it('says in every format that git could not be asked', async () => {
    const world = await givenSynced();
    world.git('clone', '-q', '--depth', '1', `file://${world.root}`, 'shallow');
    world.forgetState();
    world.write({ '../shallow/posts/a.md': 'A/ONE' });
    const plan = await world.sync('plan shallow/posts');
    expect(plan.json.warnings).toEqual([expect.stringContaining('the checkout is shallow')]);
    expect((await world.sync('plan shallow/posts --format md')).out).toContain('is shallow');
  });

  it('chooses as an apply does, and an apply of it does the same', async () => {
    const world = await givenSynced();
    await world.edit(1, 'A/there');
    await world.destroy(2);
    const plan = await world.sync('plan posts --on-drift overwrite --recreate -o plan.json');
    expect(plan.status).toBe(0);
    expect((await world.sync('apply plan.json')).json).toMatchObject({ written: 2, refused: 0 });
    expect(await world.there()).toEqual(['1 A/one', '3 C/three', '4 B/two']);
  });

  it.each([
    ['writes', 'Run blogctl sync apply', 'sync pull'],
    ['drift', 'blogctl sync pull posts', 'sync apply'],
    ['deleted there', 'blogctl sync apply posts a.md --recreate', 'sync pull'],
  ])('hints at what can be done about it: %s', async (what, hint, other) => {
    const world = await givenSynced();
    if (what === 'writes') world.write({ 'a.md': 'A/ONE' });
    else if (what === 'drift') await world.edit(1, 'A/there');
    else await world.destroy(1);
    const { status, err } = await world.sync('plan posts --exit-code');
    expect(status).toBe(11);
    expect(err).toContain(hint);
    expect(err).not.toContain(other);
  });
});

describe('a plan that is kept', () => {
  it('counts what is unchanged, and gives no address of an article of a file', () => {
    const unchanged = { action: { action: 'unchanged', path: 'a.md', id: 1 } } as const;
    const drift = { action: 'drift', path: 'b.md', id: 2 } as const;
    const url = 'http://blog.test/articles/2';
    const steps = [unchanged, { action: { ...drift, url } }];
    expect(actionsOf(steps, 'http://blog.test')).toEqual([{ ...drift, url }]);
    expect(actionsOf(steps, 'file:/blog.json')).toEqual([drift]);
  });

  it('is carried out once, and where it still holds', async () => {
    const world = await givenSynced();
    world.write({ 'a.md': 'A/ONE', 'b.md': 'B/TWO', 'd.md': 'D/four' });
    world.remove('c.md');
    await world.sync('plan posts --prune -o plan.json');
    expect(readFileSync(join(world.root, 'plan.json'), 'utf8')).not.toContain('ONE');
    await world.edit(2, 'B/typo');
    const applied = await world.sync('apply plan.json');
    expect(applied.status).toBe(10);
    expect(applied.err).toContain('b.md (article 2): changed since the plan was made');
    const there = ['1 A/ONE', '2 B/typo', '4 D/four'];
    expect(await world.there()).toEqual(there);
    const again = await world.sync('apply plan.json');
    expect({ ...again, asked: writesOf(again.asked) }).toMatchObject({ status: 10, asked: [] });
    expect(await world.there()).toEqual(there);
  });

  const noMore: readonly (readonly [string, Change, Change, string])[] = [
    [
      'the file of a deletion is back',
      (w) => w.remove('c.md'),
      (w) => w.write({ 'c.md': 'C/three' }),
      'c.md (article 3)',
    ],
    [
      'and edited',
      (w) => w.remove('c.md'),
      (w) => w.write({ 'c.md': 'C/THREE' }),
      'c.md (article 3)',
    ],
    [
      'and renamed',
      (w) => w.remove('c.md'),
      (w) => w.write({ 'e.md': 'C/three' }),
      'c.md (article 3)',
    ],
    [
      'and its article was deleted there',
      (w) => w.remove('c.md'),
      async (w) => {
        w.write({ 'c.md': 'C/three' });
        await w.destroy(3);
      },
      'c.md (article 3)',
    ],
    [
      'the article of a deletion was edited',
      (w) => w.remove('c.md'),
      (w) => w.edit(3, 'C/typo'),
      'c.md (article 3)',
    ],
    [
      'the file of a creation is gone',
      (w) => w.write({ 'd.md': 'D/four' }),
      (w) => w.remove('d.md'),
      'd.md',
    ],
    [
      'or edited',
      (w) => w.write({ 'd.md': 'D/four' }),
      (w) => w.write({ 'd.md': 'D/FOUR' }),
      'd.md',
    ],
    [
      'or looks like another by now',
      (w) => w.write({ 'd.md': 'D/four' }),
      (w) => w.add('D', 'other'),
      'd.md',
    ],
    [
      'the file of an update is gone',
      (w) => w.write({ 'c.md': 'C/THREE' }),
      (w) => w.remove('c.md'),
      'c.md (article 3)',
    ],
  ];
  it.each(noMore)('holds no more where %s', async (_what, before, after, named) => {
    const world = await givenSynced();
    await before(world);
    const { json } = await world.sync('plan posts --prune -o plan.json');
    expect(json).toBeUndefined();
    await after(world);
    const there = await world.there();
    const applied = await world.sync('apply plan.json');
    expect(applied.err).toContain(`${named}: changed since the plan was made`);
    expect(applied.status).toBe(10);
    const isNew = named === 'd.md';
    expect(applied.json).toMatchObject({ planned: isNew ? 4 : 3, refused: 1, written: 0 });
    expect(await world.there()).toEqual(there);
  });

  it('says of what it leaves what was known when it was made', async () => {
    const world = await givenSynced();
    world.remove('b.md');
    world.commit();
    await world.edit(2, 'B/there');
    await world.sync('plan posts --prune -o plan.json');
    world.forgetState();
    const { status, err } = await world.sync('apply plan.json');
    expect(status).toBe(0);
    expect(err).toContain(
      '"b.md (article 2): gone here, edited there (kept: no --on-drift overwrite)"',
    );
  });

  it('names renames that hold no more, and counts all that was looked at', async () => {
    const world = await givenSynced();
    await world.add('By hand', 'x');
    world.move('a.md', 'one.md');
    world.move('b.md', 'two.md');
    await world.sync('plan posts -o plan.json');
    await world.destroy(1);
    await world.edit(2, 'B/there');
    await world.edit(3, 'C/there');
    const { status, err, json } = await world.sync('apply plan.json');
    expect(err).toContain('one.md (article 1): changed since the plan was made');
    expect(err).toContain('two.md (article 2): changed since the plan was made');
    expect(err).toContain('2 in conflict. 0 unchanged, 1 not from here, 1 not of this plan.');
    expect({ status, json }).toMatchObject({ status: 10, json: { planned: 2, refused: 2 } });
    expect((await world.sync('plan posts')).said).toContain('deleted-there one.md 1 was a.md');
  });

  it('writes what it could not vouch for where nobody knows more, and says how to take it back', async () => {
    const world = await givenSynced();
    await world.edit(3, 'C/mended there');
    world.write({ 'a.md': 'A/ONE' });
    world.commit();
    world.forgetState();
    world.git('clone', '-q', '--depth', '1', `file://${world.root}`, 'shallow');
    await world.sync('plan shallow/posts --prune -o plan.json');
    const kept = readFileSync(join(world.root, 'plan.json'), 'utf8');
    expect(kept).toContain('is unverified: apply leaves it, but for');
    const { out } = await world.sync('plan shallow/posts --prune --format md');
    expect(out).toContain('it writes over what is unverified.**');
    writeFileSync(join(world.root, 'whole.json'), kept.replace('"shallow/posts"', '"posts"'));
    const whole = await world.sync('apply whole.json');
    expect(whole.err).toContain(
      'c.md (article 3): changed on the blog, which the plan did not know',
    );
    const again = `blogctl sync plan posts --prune --blog ${world.blogUrl} plans it again`;
    expect(whole.err).toContain(again);
    expect(whole.err).not.toContain('written over');
    expect(whole).toMatchObject({ status: 10, json: { written: 1, refused: 1, unchanged: 1 } });
    expect(await world.there()).toEqual(['1 A/ONE', '2 B/two', '3 C/mended there']);
    world.forgetState();
    const shallow = await world.sync('apply plan.json');
    expect(shallow).toMatchObject({ status: 0, json: { written: 1, unchanged: 2 } });
    expect(shallow.err).toContain(
      'Written over, though nobody knew who had changed it on the blog: c.md (article 3).',
    );
    const [, line = ''] = /blogctl (runs undo [0-9a-f]{10})/.exec(shallow.err) ?? [];
    const env = { BLOGCTL_DATA_DIR: join(world.root, 'data'), BLOGCTL_TOKEN: 'all' };
    await run([...line.split(' '), '-y'], { folder: world.root, env });
    expect(await world.there()).toEqual(['1 A/ONE', '2 B/two', '3 C/mended there']);
  });

  it('leaves a deletion whose file has a conflict by now', async () => {
    const world = await givenSynced();
    world.git('branch', '-M', 'main');
    world.git('checkout', '-q', '-b', 'z');
    world.write({ 'c.md': 'C/theirs' });
    world.commit();
    world.git('checkout', '-q', 'main');
    world.remove('c.md');
    world.commit();
    await world.sync('plan posts --prune -o plan.json');
    expect(() => world.git('merge', 'z')).toThrow('git');
    world.remove('c.md');
    const applied = await world.sync('apply plan.json');
    expect(applied.err).toContain('c.md (article 3): has a conflict of git');
    expect(applied.json).toMatchObject({ planned: 3, refused: 1, written: 0 });
  });

  it('has nothing to do the second time', async () => {
    const world = await givenSynced();
    world.write({ 'a.md': 'A/ONE', 'd.md': 'D/four' });
    world.remove('c.md');
    await world.sync('plan posts --prune -o plan.json');
    expect((await world.sync('apply plan.json')).json).toMatchObject({ written: 3 });
    world.forgetState();
    const again = await world.sync('apply plan.json');
    expect(writesOf(again.asked)).toEqual([]);
    expect(again).toMatchObject({ status: 0, json: { written: 0, refused: 0 } });
  });

  it('leaves alone what came after it', async () => {
    const world = await givenSynced();
    world.write({ 'a.md': 'A/ONE' });
    await world.sync('plan posts -o plan.json');
    world.write({ 'b.md': 'B/TWO', 'e.md': 'E/five' });
    expect((await world.sync('apply plan.json')).status).toBe(0);
    expect(await world.there()).toEqual(['1 A/ONE', '2 B/two', '3 C/three']);
    await world.sync('plan posts -o second.json');
    world.write({ 'b.md': 'B/later' });
    expect((await world.sync('apply second.json')).status).toBe(10);
    expect(await world.there()).toEqual(['1 A/ONE', '2 B/two', '3 C/three', '4 E/five']);
  });

  it.each([
    ['--prune', '--prune would change what the plan means.'],
    ['--on-drift overwrite', '--on-drift would change what the plan means'],
    ['--drafts', '--drafts would change what the plan means'],
  ])('refuses %s', async (flag, message) => {
    const world = await givenSynced();
    await world.sync('plan posts -o plan.json');
    const { status, err } = await world.sync(`apply plan.json ${flag}`);
    expect(status).toBe(2);
    expect(err).toContain(message);
  });

  it('is for one blog', async () => {
    const world = await givenSynced();
    await world.sync('plan posts -o plan.json');
    const text = readFileSync(join(world.root, 'plan.json'), 'utf8');
    const other = text.replace('/blogs/1"', '/blogs/2"');
    writeFileSync(join(world.root, 'other.json'), other);
    expect((await world.sync('apply other.json')).status).toBe(6);
    writeFileSync(join(world.root, 'none.json'), '{"schema":"x"}');
    expect((await world.sync('apply none.json')).err).toContain('is not a plan of blogctl sync');
  });
});

it('a post that names an article under another address is in doubt, or said to be new', async () => {
  const world = await givenSync();
  await world.add('Hers', 'hers');
  const naming = (id: number) =>
    `---\ntitle: Mended\narticle: "http://127.0.0.1:1/api/v1.2/blogs/1/articles/${id}"\n---\nmore\n`;
  world.write({ 'a.md': naming(1), 'b.md': naming(9) });
  world.commit();
  const plan = await world.sync('plan posts --prune');
  expect(plan.said).toEqual(['suggestion a.md', 'create b.md']);
  expect(plan.err).toContain(
    'a.md: looks like #1, by its line article: http://127.0.0.1:1/api/v1.2/blogs/1/articles/1',
  );
  expect(plan.err).toContain('1 new post names an article of another blog, such as b.md');
  const pulled = await world.sync('pull posts --new --format json');
  const reason = 'may be this article, of which a second file would be made: sync plan asks';
  expect(JSON.parse(pulled.out)).toEqual([{ path: 'a.md', id: 1, result: 'refused', reason }]);
  const applied = await world.sync('apply posts');
  expect(applied).toMatchObject({ status: 10, json: { written: 1, refused: 1 } });
  const again = await world.sync('plan posts');
  expect(again.said).toEqual(['suggestion a.md']);
  expect(again.err).not.toContain('another blog');
  expect((await world.sync('apply posts --adopt none')).json).toMatchObject({ written: 1 });
  expect((await world.sync('plan posts')).said).toEqual([]);
});

it('a text that is empty or very short says nothing of whose it is', async () => {
  const world = await givenSync({ git: false });
  await world.add('An idea of hers', '');
  await world.add('Another one', 'Coming soon');
  await world.add('A third', 'A whole sentence.');
  world.write({ 'a.md': 'Picture', 'b.md': 'News/Coming soon', 'c.md': 'C/A whole sentence.' });
  const plan = await world.sync('plan posts');
  expect(plan.said).toEqual(['create a.md', 'create b.md', 'suggestion c.md']);
  world.write({ 'd.md': 'Another one/text' });
  const titled = await world.sync('plan posts');
  expect(titled.err).toContain('d.md: looks like #2');
});

it('a path that says which article it is, and one that looks like one', async () => {
  const world = await givenSync({ git: false });
  await world.add('Hello', 'by hand');
  await world.add('World', 'by hand too');
  world.write({
    'a.md': `---\ntitle: Hi\narticle: ${world.blogUrl}/articles/1\n---\nnew`,
    'b.md': 'World/other',
  });
  const plan = await world.sync('plan posts');
  expect(plan.said).toEqual(['unverified a.md 1', 'suggestion b.md']);
  expect(plan.err).toContain('b.md: looks like #2');
  expect((await world.sync('apply posts')).status).toBe(10);
  const adopted = await world.sync('apply posts --adopt b.md=2');
  expect(adopted).toMatchObject({ status: 10, json: { written: 0, refused: 2 } });
  expect((await world.sync('plan posts')).said).toEqual(['unverified a.md 1', 'unverified b.md 2']);
  const written = await world.sync('apply posts --adopt posts/b.md=2 --on-drift overwrite');
  expect(written).toMatchObject({ status: 10, json: { written: 1, refused: 1 } });
  expect(await world.there()).toEqual(['1 Hello/by hand', '2 World/other']);
  world.write({ 'c.md': 'Hello/third' });
  expect((await world.sync('plan posts')).said).toEqual(['unverified a.md 1', 'create c.md']);
  expect((await world.sync('apply posts --adopt none')).json).toMatchObject({ written: 1 });
  const unknown = await world.sync('apply posts --adopt x.md=1');
  expect(unknown).toMatchObject({ status: 2 });
  world.write({ 'd.md': 'Fourth/text' });
  for (const [named, why] of [
    ['d.md=99', 'the blog has no article 99'],
    ['d.md=2', "article 2 is another post's"],
    ['b.md=1', 'the post is article 2'],
  ]) {
    const refused = await world.sync(`apply posts --adopt ${named}`);
    expect(refused).toMatchObject({ status: 2 });
    expect(refused.err).toContain(`--adopt ${named} cannot be: ${why}.`);
  }
  expect((await world.there()).length).toBe(3);
});

describe('a post that was moved and rewritten, and whose article somebody names', () => {
  type Moved = readonly [
    what: string,
    change: (world: SyncWorld) => Promise<void> | void,
    planned: string,
    status: number,
  ];
  const was = 'archive/a.md 1 was a.md';
  const moved: readonly Moved[] = [
    ['is updated, as the state knows its text', () => {}, `update ${was}`, 0],
    [
      'is in conflict where it was edited there',
      (w) => w.edit(1, 'A/there'),
      `conflict ${was}`,
      10,
    ],
    ['is updated, as git knows its text', (w) => w.forgetState(), 'update archive/a.md 1', 0],
    [
      'is updated too where another machine brought the text that it had last',
      async (w) => {
        w.write({ 'a.md': 'A/one and more' });
        w.commit();
        await w.edit(1, 'A/one and more');
        w.remove('a.md');
        w.commit();
      },
      `update ${was}`,
      0,
    ],
    [
      'is for a person where git never had what stands there',
      async (w) => {
        w.forgetState();
        await w.edit(1, 'A/there');
      },
      'unverified archive/a.md 1',
      10,
    ],
  ];
  it.each(moved)('%s', async (_what, change, planned, status) => {
    const world = await givenSynced();
    world.write({ 'archive/a.md': `A/${'another line\n'.repeat(30)}` });
    world.remove('a.md');
    world.commit();
    await change(world);
    expect((await world.sync('plan posts --prune')).said).toContain('suggestion archive/a.md');
    const line = 'posts --prune --adopt archive/a.md=1';
    expect((await world.sync(`plan ${line}`)).said).toEqual([planned]);
    expect((await world.sync(`apply ${line}`)).status).toBe(status);
    // What was found out stays so, and nothing of it is left where it was written.
    const again = status === 0 ? [] : [planned.replace(' was a.md', '')];
    expect((await world.sync('plan posts --prune')).said).toEqual(again);
  });
});

it('an id that a restored blog gave to another article does not tie a post to it', async () => {
  const world = await givenSync({ git: false });
  world.write({ 'a.md': 'A/one', 'b.md': 'B/two' });
  await world.sync('apply posts');
  await world.add('Human', 'only on the blog');
  const folder = join(world.root, 'data', 'sync');
  const name = readdirSync(folder).find((each) => each.endsWith('.ndjson')) ?? '';
  const state = readFileSync(join(folder, name), 'utf8');
  writeFileSync(join(folder, name), state.replaceAll('"id":2', '"id":3'));
  const { said, err } = await world.sync('plan posts --prune');
  expect([said, err]).toEqual([[], expect.stringContaining('2 unchanged, 1 not from here')]);
  world.remove('b.md');
  expect((await world.sync('plan posts --prune')).said).toEqual(['delete b.md 2']);
});

it('a post that a sparse checkout leaves out, or that a link stands for, is not gone', async () => {
  const world = await givenSync();
  world.write({ 'a.md': 'A/one', 'b.md': 'B/two', 'c.md': 'C/three' });
  world.commit();
  await world.sync('apply posts');
  world.git('sparse-checkout', 'set', '--no-cone', '/*', '!/posts/b.md');
  renameSync(join(world.root, 'posts', 'c.md'), join(world.root, 'c.md'));
  symlinkSync('../c.md', join(world.root, 'posts', 'c.md'));
  expect((await world.sync('plan posts --prune')).said).toEqual([]);
  unlinkSync(join(world.root, 'posts', 'c.md'));
  renameSync(join(world.root, 'c.md'), join(world.root, 'posts', 'c.md'));
  rmSync(join(world.root, 'data'), { recursive: true });
  expect((await world.sync('plan posts --prune')).said).toEqual([]);
});

describe.each(['a clone', 'a linked work tree'])(
  '%s without the submodule that posts came from',
  (where) => {
    async function given() {
      const world = await givenSync();
      world.write({ 'a.md': 'A/one', 'b.md': 'B/two' });
      mkdirSync(join(world.root, 'module', 'posts'), { recursive: true });
      writeFileSync(join(world.root, 'module', 'posts', 'm.md'), '---\ntitle: M\n---\nthree\n');
      world.git('init', '-q', 'module');
      world.git('-C', 'module', 'add', '-A');
      world.git('-C', 'module', 'commit', '-qm', 'x');
      const allowed = ['-c', 'protocol.file.allow=always'];
      world.git(...allowed, 'submodule', '--quiet', 'add', `${world.root}/module`, 'posts/more');
      world.commit();
      await world.sync('apply posts');
      const other = join(world.root, 'other');
      if (where === 'a clone') world.git('clone', '-q', world.root, other);
      else world.git('worktree', 'add', '-q', other);
      return {
        world,
        take: () => world.git('-C', other, ...allowed, 'submodule', 'update', '--init'),
      };
    }

    it('deletes no article of those, and says what brings them', async () => {
      const { world, take } = await given();
      const apply = () => world.sync('apply other/posts --prune --on-drift overwrite');
      for (const edited of [false, true]) {
        if (edited) await world.edit(3, 'M/edited there');
        const { status, json, err } = await apply();
        expect([status, json.written]).toEqual([0, 0]);
        expect(err).toContain(
          'm.md (article 3): gone here, or of the submodule posts/more, which git submodule update --init brings',
        );
      }
      take();
      expect((await world.sync('plan other/posts --prune')).said).toEqual([
        'drift more/posts/m.md 3',
      ]);
    });

    it('deletes those whose files git had here', async () => {
      const { world } = await given();
      rmSync(join(world.root, 'other', 'posts', 'b.md'));
      world.git('-C', 'other', 'commit', '-qam', 'x');
      expect((await world.sync('plan other/posts --prune')).said).toEqual([
        'delete b.md 2',
        'orphan m.md 3',
      ]);
    });
  },
);

it.each([
  ['a draft', '_drafts/b.md', 'a draft now'],
  ['a day to come', '2999-01-01-b.md', 'not public now (future)'],
  ['a hidden file', '.b.md', 'gone here'],
  ['a hidden folder', '.hold/b.md', 'gone here'],
  ['a copy to keep', 'b.md.bak', 'gone here'],
  ['a section page', '_index.md', 'gone here'],
  ['a file of records', 'b.json', 'gone here'],
])(
  'a post that was renamed to %s is gone, as with a state so without',
  async (_what, path, why) => {
    const world = await givenSync();
    world.write({ 'a.md': 'A/one', 'b.md': 'B/two' });
    world.commit();
    await world.sync('apply posts');
    world.move('b.md', path);
    world.commit();
    const known = await world.sync('plan posts --prune');
    world.forgetState();
    const plan = await world.sync('plan posts --prune');
    expect([plan.said, plan.err]).toEqual([['delete b.md 2'], known.err]);
    for (const { json } of [known, plan]) expect(json.actions[0].reason).toBe(why);
    expect((await world.sync('apply posts')).json).toMatchObject({ left: 1, unchanged: 1 });
    expect((await world.sync('plan posts --prune')).said).toEqual(['delete b.md 2']);
    expect((await world.sync('apply posts --prune')).status).toBe(0);
    expect(await world.there()).toEqual(['1 A/one']);
  },
);

it('a post that became a draft, and is gone since, is gone', async () => {
  const world = await givenSync();
  world.write({ 'a.md': 'A/one', 'b.md': 'B/two' });
  world.commit();
  await world.sync('apply posts');
  world.forgetState();
  world.move('b.md', '_drafts/b.md');
  world.commit();
  world.remove('_drafts/b.md');
  world.commit();
  expect((await world.sync('plan posts --prune')).said).toEqual(['delete _drafts/b.md 2']);
});

it('a post that was moved to another folder keeps its article, which that folder may have', async () => {
  const world = await givenSync();
  world.write({ 'a.md': 'A/one', 'b.md': 'B/two', 'c.md': 'C/three' });
  world.commit();
  await world.sync('apply posts');
  mkdirSync(join(world.root, 'other'));
  world.git('mv', 'posts/b.md', 'other/b.md');
  world.git('rm', '-q', 'posts/a.md');
  world.commit();
  const { said, err } = await world.sync('plan posts --prune');
  expect(said).toEqual(['delete a.md 1', 'orphan b.md 2']);
  expect(err).toContain('b.md (article 2): moved to other/b.md (kept)');
});

it.each([
  ['_drafts', '', true],
  ['_archive', '', true],
  ['later', 'draft: true\n', true],
  ['later', '', false],
])(
  'a post that was moved to %s, %j, is still on the blog, and that is said',
  async (to, more, isDraft) => {
    const world = await givenSync();
    const lines = 'lines that stay\n'.repeat(9);
    world.write({ 'a.md': 'A/one', 'b.md': `---\ntitle: B\n---\n${lines}` });
    world.commit();
    await world.sync('apply posts');
    mkdirSync(join(world.root, to));
    world.git('mv', 'posts/b.md', `${to}/b.md`);
    writeFileSync(join(world.root, to, 'b.md'), `---\ntitle: B\n${more}---\n${lines}`);
    world.git('commit', '-qam', 'moved');
    const line = `blogctl articles delete 2 --blog ${world.blogUrl} takes it off the blog`;
    const rest = isDraft ? `, where it is not public (kept: ${line})` : ' (kept)';
    const said = `b.md (article 2): moved to ${to}/b.md${rest}`;
    expect((await world.sync('apply posts --prune')).err).toContain(`${said}"`);
    const { err } = await world.sync('plan posts --prune --exit-code');
    expect(err.includes(`Not public where it was moved to: ${line}.`)).toBe(isDraft);
  },
);

it('a post keeps its article too where another came from the folder that it went to', async () => {
  const world = await givenSync();
  world.write({ 'a.md': 'A/one', 'b.md': 'B/two' });
  mkdirSync(join(world.root, 'other'));
  writeFileSync(join(world.root, 'other', 'd.md'), '---\ntitle: D\n---\nfour\n');
  world.git('add', 'other');
  world.commit();
  await world.sync('apply posts');
  world.git('mv', 'posts/b.md', 'other/b.md');
  world.git('mv', 'other/d.md', 'posts/d.md');
  world.commit();
  const { said } = await world.sync('plan posts --prune');
  expect(said).toEqual(['create d.md', 'orphan b.md 2']);
});

it('a post that was renamed within the folder as it became a draft has left it for nobody', async () => {
  const world = await givenSync();
  const lines = 'lines that stay\n'.repeat(9);
  world.write({ 'a.md': 'A/one', 'b.md': `B/${lines}`, 'c.md': 'C/three' });
  world.commit();
  await world.sync('apply posts');
  world.git('rm', '-q', 'posts/a.md');
  world.git('mv', 'posts/b.md', 'posts/z.md');
  world.write({ 'z.md': `---\ntitle: B\ndraft: true\n---\n${lines}` });
  world.commit();
  const { said } = await world.sync('plan posts --prune');
  expect(said).toEqual(['delete a.md 1', 'delete b.md 2']);
});

describe('what was pulled and taken back again', () => {
  const pulled = async () => {
    const world = await givenSynced();
    await world.edit(1, 'A/of the blog alone');
    await world.sync('pull posts a.md');
    return world;
  };

  it.each([
    ['at once', async () => undefined],
    ['after an apply', (world: SyncWorld) => world.sync('apply posts')],
  ])('%s: is the text of the blog alone, and can be pulled anew', async (_when, between) => {
    const world = await pulled();
    await between(world);
    world.git('checkout', '-q', 'posts');
    expect((await world.sync('plan posts')).said).toEqual(['drift a.md 1']);
    expect((await world.sync('apply posts')).json).toMatchObject({ written: 0, left: 1 });
    expect(await world.there()).toContain('1 A/of the blog alone');
    expect((await world.sync('pull posts')).out).toContain('"pulled"');
  });

  it('on another branch is taken over there alone, also where that branch was applied', async () => {
    const world = await givenSynced();
    world.git('checkout', '-q', '-b', 'other');
    await world.edit(1, 'A/of the blog alone');
    await world.sync('pull posts');
    world.commit();
    expect((await world.sync('apply posts')).json).toMatchObject({ unchanged: 3 });
    world.git('checkout', '-q', '-');
    expect((await world.sync('plan posts')).said).toEqual(['drift a.md 1']);
    world.git('merge', '-q', 'other');
    world.write({ 'a.md': 'A/edited on top' });
    expect((await world.sync('apply posts')).json).toMatchObject({ written: 1 });
    expect((await world.sync('apply posts')).json).toMatchObject({ written: 0, unchanged: 3 });
  });

  it('is not deleted either, where its file is gone then', async () => {
    const world = await pulled();
    world.git('checkout', '-q', 'posts');
    world.remove('a.md');
    world.commit();
    expect((await world.sync('plan posts --prune')).said).toEqual(['orphan a.md 1 edited']);
  });

  it('is the side of the blog again in a conflict', async () => {
    const world = await givenSynced();
    await world.edit(1, 'A/of the blog alone');
    world.write({ 'a.md': 'A/of the file alone' });
    world.commit();
    await world.sync('pull posts a.md');
    world.git('checkout', '-q', 'posts');
    expect((await world.sync('plan posts')).said).toEqual(['conflict a.md 1']);
  });

  it('a new file of an article that was never from here is nobody’s', async () => {
    const world = await givenSynced();
    await world.add('Own', 'of the blog');
    await world.sync('pull posts --new');
    world.git('clean', '-fdq', 'posts');
    expect((await world.sync('apply posts --prune')).json).toMatchObject({ written: 0, left: 0 });
    expect(await world.there()).toHaveLength(4);
  });

  describe('a new file on another branch, also where that was applied', () => {
    const onOther = async () => {
      const world = await givenSynced();
      await world.add('Own', 'of the blog');
      world.git('checkout', '-q', '-b', 'other');
      await world.sync('pull posts --new');
      world.commit();
      return world;
    };

    it('is from there alone, until it is merged', async () => {
      const world = await onOther();
      expect((await world.sync('apply posts')).json).toMatchObject({ written: 0, unchanged: 4 });
      world.git('checkout', '-q', '-');
      const { json, said } = await world.sync('apply posts --prune');
      expect({ json, said }).toMatchObject({ json: { planned: 3, unchanged: 3 } });
      const plan = await world.sync('plan posts --prune --on-drift overwrite');
      expect(plan.said).toEqual([]);
      expect(plan.json.summary).toMatchObject({ unchanged: 3, unmanaged: 1 });
      expect((await world.sync('plan posts --no-history --prune')).said).toEqual([]);
      world.git('merge', '-q', 'other');
      expect((await world.sync('apply posts')).json).toMatchObject({ written: 0, unchanged: 4 });
      world.remove('0004-own.md');
      world.commit();
      expect((await world.sync('plan posts --prune')).said).toEqual(['delete 0004-own.md 4']);
    });

    it.each([
      ['edited there', ''],
      ['edited there and pulled again', 'pull posts'],
    ])('%s, it is from there alone', async (_how, line) => {
      const world = await onOther();
      await world.edit(4, 'Own/mended');
      await world.sync('apply posts');
      if (line !== '') await world.sync(line);
      world.commit();
      await world.sync('apply posts');
      world.git('checkout', '-q', '-');
      const plan = await world.sync('plan posts --prune --on-drift overwrite');
      expect(plan.said).toEqual([]);
      expect(plan.json.summary).toMatchObject({ unchanged: 3, unmanaged: 1 });
    });

    it('is ours once a text was sent from there', async () => {
      const world = await onOther();
      await world.sync('apply posts');
      world.write({
        '0004-own.md': `---\ntitle: Own\narticle: ${world.blogUrl}/articles/4\n---\nours`,
      });
      world.commit();
      expect((await world.sync('apply posts')).json).toMatchObject({ written: 1 });
      world.git('checkout', '-q', '-');
      expect((await world.sync('plan posts --prune')).said).toEqual(['delete 0004-own.md 4']);
    });
  });

  it('a new file without git, where there are no branches, is missed when it is gone', async () => {
    const world = await givenSync({ git: false });
    world.write({ 'a.md': 'A/one' });
    await world.sync('apply posts');
    await world.add('Own', 'of the blog');
    await world.sync('pull posts --new');
    await world.sync('apply posts');
    world.remove('0002-own.md');
    expect((await world.sync('plan posts --prune')).said).toEqual(['delete 0002-own.md 2']);
  });

  it('is ours once it is committed, and what is edited on top of it is brought there', async () => {
    const world = await pulled();
    world.commit();
    await world.sync('apply posts');
    const { asked } = await world.sync('apply posts');
    expect(asked.map(({ path }) => path)).not.toContainEqual(expect.stringContaining('key'));
    await world.edit(1, 'A/of the blog again');
    expect((await world.sync('plan posts')).said).toEqual(['drift a.md 1']);
    await world.sync('pull posts');
    world.commit();
    world.write({ 'a.md': 'A/edited on top' });
    expect((await world.sync('plan posts')).said).toEqual(['update a.md 1']);
  });

  it('a file that git was told not to look at is not written over', async () => {
    const world = await givenSynced();
    world.git('update-index', '--assume-unchanged', 'posts/a.md');
    world.write({ 'a.md': 'A/here alone' });
    await world.edit(1, 'A/of the blog alone');
    const { status, out } = await world.sync('pull posts a.md');
    expect([status, out]).toEqual([10, expect.stringContaining('changes that are not committed')]);
  });
});

it('what was changed after a plan was kept is planned again, as its hint says', async () => {
  const world = await givenSynced();
  world.write({ 'a.md': 'A/second' });
  await world.sync('plan posts -o plan.json');
  world.write({ 'a.md': 'A/third' });
  const { status, err } = await world.sync('apply plan.json');
  const again = `blogctl sync plan posts --blog ${world.blogUrl} plans it`;
  expect([status, err]).toEqual([10, expect.stringContaining(again)]);
  expect(err).not.toContain('sync pull');
});

it('a plan as a comment says why there is none, what to do next, and how many posts are left out', async () => {
  const world = await givenSync({ git: false });
  await world.add('World', 'by hand');
  world.write({ 'a.md': '---\ntitle: [\n---\nx', 'b.md': 'World/other' });
  const broken = await world.sync('plan posts --format md');
  expect(broken.status).toBe(7);
  expect(broken.out).toMatch(/^<!-- blogctl sync -->\n\*\*There is no plan: a.md cannot be read/);
  const without = await world.sync('plan posts --format md --continue-on-error');
  expect(without.out).toContain('**Apply leaves out 1 and ends with 10.**\n\n**a.md&#58; The YAML');
  expect(without.err).toContain('a.md: The YAML cannot be read');
  world.write({ 'a.md': '---\ntitle: A\ndraft: true\n---\nx' });
  const { out } = await world.sync('plan posts --format md');
  expect(out).toContain('1 in doubt which article it is. 0 unchanged, 1 not from here, ');
  expect(out).toContain('1 not to be published (draft 1).');
  expect(out).toContain('**Apply will leave some of it and end with 10.** In doubt');
  // At rest nothing is read, and the same is said.
  world.write({ 'b.md': 'Another/text' });
  await world.sync('apply posts --import-id x --adopt none');
  for (let time = 0; time < 2; time += 1)
    expect((await world.sync('plan posts --import-id x')).err).toContain('(draft 1)');
});

it.each(['plan', 'plan --exit-code', 'plan --max-errors 5', 'apply', 'pull'])(
  'what cannot be read is counted where it is left out, and ends with 10: %s',
  async (line) => {
    const world = await givenSynced();
    world.write({ 'bad.md': '---\ntitle: [\n---\nx', 'd.md': '---\ndraft: true\n---\n' });
    const [command = '', ...flags] = line.split(' ');
    const refused = await world.sync(`${command} posts`);
    expect(refused.status).toBe(7);
    const tolerant = flags.includes('--max-errors') ? [] : ['--continue-on-error'];
    const ended = await world.sync(`${command} posts`, ...flags, ...tolerant);
    expect(ended.status).toBe(10);
    expect(ended.err).toContain('One file was left out, because it cannot be read.');
    const left = '3 unchanged, 0 not from here, 1 not to be published (draft 1), 1 left out';
    expect(ended.err).toContain(command === 'pull' ? 'There is nothing to pull.' : left);
  },
);

it('nothing is deleted where a file that may speak of posts cannot be read', async () => {
  const world = await givenSync();
  world.write({ 'x/a.md': 'A/one', 'old/b.md': 'B/two' });
  await world.sync('apply posts');
  writeFileSync(join(world.root, 'posts/old/config.json'), '// cascade\n{"a": 1}');
  const { json, err } = await world.sync('plan posts --prune');
  expect(json.summary).toMatchObject({ delete: 0, orphan: 1 });
  expect(err).toContain('old/config.json: It cannot be read');
});

it('an article whose file cannot be read is said to have one', async () => {
  const world = await givenSynced();
  world.forgetState();
  world.write({ 'a.md': '---\ntitle: [\n---\nx' });
  const { status, err } = await world.sync('apply posts --prune --continue-on-error');
  expect([status, err]).toEqual([
    10,
    expect.stringContaining('a.md (article 1): cannot be read (kept)'),
  ]);
});

it('a plan as a comment says what brings posts back that were deleted on the blog', async () => {
  const world = await givenSynced();
  await world.destroy(1);
  const { status, out } = await world.sync('plan posts --format md');
  expect([status, out]).toEqual([
    0,
    expect.stringContaining(
      '**One post is not on the blog, having been deleted there&#58; blogctl sync apply posts a.md --recreate',
    ),
  ]);
});

it('plan --exit-code ends with 11 where there is something to look at', async () => {
  const world = await givenSynced();
  await world.add('By hand', 'x');
  expect((await world.sync('plan posts --exit-code')).status).toBe(0);
  await world.edit(1, 'A/typo');
  expect((await world.sync('plan posts')).status).toBe(0);
  expect((await world.sync('plan posts --exit-code')).status).toBe(11);
});

it('apply asks, and needs -y where nobody can be asked', async () => {
  const world = await givenSynced();
  const { status, err, asked } = await world.sync('apply posts --ask');
  expect({ status, asked }).toEqual({ status: 2, asked: [] });
  expect(err).toContain('Nobody can be asked here whether to apply.');
});

it('two applies at once: the second ends with 6 and names the first', async () => {
  let second: Promise<unknown> | undefined;
  const world = await givenSync({
    before: async (method, _path, sync) => {
      if (method === 'POST')
        second ??= sync.sync('apply posts').then(({ status, err }) => ({ status, err }));
      await second;
    },
  });
  world.write({ 'a.md': 'A/one' });
  const first = await world.sync('apply posts');
  expect(first.status).toBe(0);
  expect(await second).toMatchObject({
    status: 6,
    err: expect.stringContaining(
      `Another sync of this blog is under way (process ${process.pid}).`,
    ),
  });
});

it('what is edited while it is applied is left and named', async () => {
  let edits = 0;
  const world = await givenSync({
    before: async (method, path, sync) => {
      if (method !== 'PUT' && method !== 'DELETE') return;
      edits += 1;
      await sync.edit(Number(path.split('/').at(-1)), `Edited/there ${edits}`);
    },
  });
  const names = Array.from({ length: 6 }, (_, at) => `p${at}.md`);
  world.write(Object.fromEntries(names.map((name) => [name, `${name}/text`])));
  await world.sync('apply posts');
  world.write(Object.fromEntries(names.slice(1).map((name) => [name, `${name}/new`])));
  world.remove('p0.md');
  const { status, err, json } = await world.sync('apply posts --prune');
  expect(status).toBe(10);
  expect(json).toMatchObject({ written: 0, refused: 6, failed: 0 });
  expect(err.match(/changed meanwhile, and left as it is/g)).toHaveLength(6);
  expect((await world.there()).every((each) => each.includes('Edited/there'))).toBe(true);
});

it('a folder that moved takes its articles along, edited ones and removed ones too', async () => {
  const world = await givenSync();
  const long = 'a line\n'.repeat(30);
  world.write({ 'a.md': `A/${long}`, 'b.md': 'B/two', 'c.md': 'C/three' });
  world.commit();
  await world.sync('apply posts');
  world.git('mv', 'posts', 'content');
  world.git('rm', '-q', '-f', 'content/c.md');
  writeFileSync(join(world.root, 'content', 'a.md'), `---\ntitle: A\n---\n${long}more\n`);
  world.git('add', '-A', 'content');
  world.git('commit', '-q', '-m', 'moved');
  const plan = await world.sync('plan content --prune');
  expect(plan.said).toEqual(['update a.md 1 was posts/a.md', 'delete c.md 3']);
  expect(plan.err).toContain('1 moved with their folder');
  const row = '<code>a.md</code> (was <code>posts/a.md</code>) | 1 | lines&#58; 1 more |';
  expect((await world.sync('plan content --format md')).out).toContain(row);
  await world.edit(1, 'A/there');
  await world.edit(2, 'B/there');
  const { err } = await world.sync('plan content');
  expect(err).toContain('a.md (article 1): changed here and on the blog, was posts/a.md');
  expect(err).toContain('b.md (article 2): changed on the blog (sync pull brings it), was posts');
  await world.edit(1, `A/${long}`);
  await world.edit(2, 'B/two');
  world.forgetState();
  expect((await world.sync('plan content')).said).toEqual(['update a.md 1']);
  expect((await world.sync('apply content')).status).toBe(0);
  expect(await world.there()).toEqual([`1 A/${long}more`, '2 B/two', '3 C/three']);
});

it('runs undo takes a whole apply back, and leaves what was edited since', async () => {
  const world = await givenSynced();
  world.write({ 'a.md': 'A/ONE', 'b.md': 'B/TWO', 'd.md': 'D/four' });
  world.remove('c.md');
  expect((await world.sync('apply posts --prune')).json).toMatchObject({ written: 4 });
  await world.edit(2, 'B/by hand');
  const env = { BLOGCTL_DATA_DIR: join(world.root, 'data'), BLOGCTL_TOKEN: 'all' };
  const runs = async (...words: readonly string[]) =>
    run(['runs', ...words, '--json', '--blog', world.blogUrl], { env, folder: world.root });
  const [latest]: readonly { id: string; command: string }[] = JSON.parse((await runs('list')).out);
  expect(latest?.command).toBe('sync apply');
  const undone = await runs('undo', latest?.id ?? '', '-y');
  expect(undone.status).toBe(10);
  expect(undone.err).toContain(`Kept, changed since: ${world.blogUrl}/articles/2`);
  expect(JSON.parse(undone.out)).toMatchObject({ changes: 4, deleted: 1, restored: 2, kept: 1 });
  expect(await world.there()).toEqual(['1 A/one', '2 B/by hand', '5 C/three']);
  const twice = await runs('undo', latest?.id ?? '', '-y');
  expect(JSON.parse(twice.out)).toMatchObject({ deleted: 0, restored: 0, kept: 1, nothing: 3 });
});

it('deletes nothing whose file is there again when its turn comes', async () => {
  let isAway = false;
  const world: SyncWorld = await givenSynced({
    // Read last before it is written to, when the plan is made.
    before: (method, path) => {
      if (isAway && method === 'GET' && path.endsWith('/articles/2'))
        world.write({ 'b.md': 'B/two' });
    },
  });
  world.remove('b.md');
  isAway = true;
  const { status, err, asked } = await world.sync('apply posts --prune');
  expect({ status, writes: writesOf(asked) }).toEqual({ status: 10, writes: [] });
  expect(err).toContain('b.md (article 2): its file was changed meanwhile: run it again');
  expect((await world.sync('apply posts --prune')).json).toMatchObject({
    unchanged: 3,
    written: 0,
  });
});

/** What git is for the command, until the environment is put back: a line of the shell, and else git itself. */
function givenGit({ root }: SyncWorld, line: string): void {
  const path = process.env['PATH'] ?? '';
  const bin = join(root, 'bin');
  mkdirSync(bin, { recursive: true });
  const script = `#!/bin/sh\nPATH='${path}'\n${line}\nexec git "$@"\n`;
  writeFileSync(join(bin, 'git'), script, { mode: 0o755 });
  vi.stubEnv('PATH', `${bin}:${path}`);
}
