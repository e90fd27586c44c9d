import { describe, expect, it } from 'vitest';

import { givenSync, type SyncWorld } from './given-sync.ts';

const text = (number: number) =>
  `P${number}/This is the text of number ${number}.\n\nAnd a second paragraph, which says something else about ${number}.`;
const there = (id: number, number = id) => `${id} ${text(number)}`;

async function givenFour(options: Parameters<typeof givenSync>[0] = {}): Promise<SyncWorld> {
  const world = await givenSync(options);
  const files = [1, 2, 3, 4].map((each) => [`p${each}.md`, text(each)] as const);
  world.write(Object.fromEntries(files));
  world.commit();
  await world.sync('apply posts');
  return world;
}

/** `1>2`: p1.md becomes p2.md; all of one word at once, each word a commit. */
function move(world: SyncWorld, moves: string): void {
  for (const word of moves.split(' ')) {
    const pairs = word.split(',').map((each) => each.split('>'));
    for (const [from] of pairs) world.move(`p${from}.md`, `moving-${from}.md`);
    for (const [from, to] of pairs) world.move(`moving-${from}.md`, `p${to}.md`);
    world.commit();
  }
}

const all = [1, 2, 3, 4];

describe.each(['with the state', 'without a state', 'without keys'])(
  'posts that came to the paths of others, %s',
  (how) => {
    const lose = (world: SyncWorld) => how === 'without a state' && world.forgetState();

    describe.each([
      ['a chain', '2>9,1>2', { 1: 2, 2: 9 }],
      ['a chain of two commits', '2>9 1>2', { 1: 2, 2: 9 }],
      ['a swap', '1>2,2>1', { 1: 2, 2: 1 }],
      ['a swap of three commits', '1>9 2>1 9>2', { 1: 2, 2: 1 }],
      ['a circle of three', '1>2,2>3,3>1', { 1: 2, 2: 3, 3: 1 }],
      ['all one further', '4>5,3>4,2>3,1>2', { 1: 2, 2: 3, 3: 4, 4: 5 }],
      ['a swap that was taken back', '1>2,2>1 1>2,2>1', {}],
    ] as const)('%s', (_what, moves, now: Readonly<Record<number, number>>) => {
      it('writes nothing', async () => {
        const world = await givenFour(
          how === 'without keys' ? { hides: ['link-template', 'accept-idempotency'] } : {},
        );
        move(world, moves);
        lose(world);
        const { status, json } = await world.sync('apply posts --prune');
        expect([status, json.written]).toEqual([0, 0]);
        expect(await world.there()).toEqual(all.map((each) => there(each)));
        for (const forgets of [false, true]) {
          if (forgets) world.forgetState();
          expect((await world.sync('plan posts --prune')).json.summary).toMatchObject({
            unchanged: 4,
          });
        }
      });

      it.each([[1], [2], [1, 2], [1, 2, 3]])(
        'keeps each to its post where the blog has edited of them %j',
        async (...ids) => {
          const world = await givenFour(
            how === 'without keys' ? { hides: ['link-template', 'accept-idempotency'] } : {},
          );
          move(world, moves);
          for (const id of ids) await world.edit(id, `Edited ${id}/on the blog`);
          lose(world);
          const { status, json } = await world.sync('apply posts --prune');
          expect([status, json.written]).toEqual([0, 0]);
          const plan = await world.sync('plan posts --prune');
          const drifts = ids.map((id) => `drift p${now[id] ?? id}.md ${id}`);
          const said = plan.said.filter((each) => each.startsWith('drift'));
          const paths = new Set(said.map((each) => each.split(' was')[0]));
          expect(paths).toEqual(new Set(drifts));
          await world.sync('pull posts');
          world.commit();
          expect((await world.sync('apply posts --prune')).json.written).toBe(0);
          const is = (id: number) =>
            ids.includes(id) ? `${id} Edited ${id}/on the blog` : there(id);
          expect(await world.there()).toEqual(all.map(is));
          expect((await world.sync('plan posts --prune')).json.summary).toMatchObject({
            unchanged: 4,
          });
        },
      );
    });

    it.each([
      ['renamed', ''],
      ['renamed and edited', '\n\nAnd mended.'],
    ])(
      'keeps a new post at the path of one that was %s in the same commit from the article that was edited',
      async (_what, more) => {
        const world = await givenFour(
          how === 'without keys' ? { hides: ['link-template', 'accept-idempotency'] } : {},
        );
        world.move('p1.md', 'q1.md');
        world.write({ 'q1.md': text(1) + more });
        world.write({ 'p1.md': 'New/a post that nobody has seen' });
        world.commit();
        await world.edit(1, 'Edited 1/on the blog');
        lose(world);
        const { status, json } = await world.sync('apply posts --prune');
        expect([status, json.written]).toEqual([10, 0]);
        expect((await world.sync('pull posts p1.md')).status).toBe(10);
        expect(world.git('status', '--porcelain', 'posts')).toBe('');
        const adopted = await world.sync('apply posts --prune --adopt q1.md=1');
        expect(adopted).toMatchObject({ status: 10, json: { written: 1 } });
        expect((await world.sync('pull posts q1.md')).status).toBe(0);
        world.commit();
        expect((await world.sync('apply posts --prune')).json).toMatchObject({
          written: 0,
          unchanged: 5,
        });
        expect(await world.there()).toEqual([
          '1 Edited 1/on the blog',
          ...[2, 3, 4].map((each) => there(each)),
          '5 New/a post that nobody has seen',
        ]);
      },
    );

    it.each([
      ['is gone', ''],
      ['is gone', ', in two commits'],
      ['is a draft', ''],
      ['is a draft', ', in two commits'],
    ])(
      'a post keeps its text where the one that was at its path before %s%s',
      async (what, when) => {
        const world = await givenFour(
          how === 'without keys' ? { hides: ['link-template', 'accept-idempotency'] } : {},
        );
        world.move('p2.md', 'p9.md');
        if (what === 'is gone') world.remove('p9.md');
        else world.write({ 'p9.md': `---\ntitle: P2\ndraft: true\n---\n${text(2).slice(3)}\n` });
        if (when !== '') world.commit();
        world.move('p1.md', 'p2.md');
        world.commit();
        await world.edit(2, 'Edited 2/on the blog');
        lose(world);
        expect((await world.sync('apply posts --prune')).json.written).toBe(0);
        expect(await world.there()).toEqual([
          there(1),
          '2 Edited 2/on the blog',
          there(3),
          there(4),
        ]);
        await world.sync('pull posts p2.md');
        expect(world.git('status', '--porcelain', 'posts')).toBe('');
      },
    );

    it('posts that were edited as well are told by git, where it finds them', async () => {
      const world = await givenFour(
        how === 'without keys' ? { hides: ['link-template', 'accept-idempotency'] } : {},
      );
      world.move('p2.md', 'p9.md');
      world.write({ 'p9.md': text(2).replace('P2', 'Another title') });
      world.move('p1.md', 'p2.md');
      world.commit();
      await world.edit(1, 'Edited 1/on the blog');
      lose(world);
      const { said } = await world.sync('plan posts --prune');
      expect(said.map((each) => each.split(' was')[0])).toEqual([
        'drift p2.md 1',
        'update p9.md 2',
      ]);
    });

    it('a path whose text moves on to the next each time keeps its article', async () => {
      const world = await givenFour(
        how === 'without keys' ? { hides: ['link-template', 'accept-idempotency'] } : {},
      );
      world.write({ 'p2.md': text(1), 'p1.md': text(7) });
      world.commit();
      lose(world);
      expect((await world.sync('plan posts --prune')).said).toEqual([
        'update p1.md 1',
        'update p2.md 2',
      ]);
    });

    it('a post that is not public any more goes with its own article, where another one has its path', async () => {
      const world = await givenFour(
        how === 'without keys' ? { hides: ['link-template', 'accept-idempotency'] } : {},
      );
      world.move('p1.md', '_drafts/p1.md');
      world.commit();
      move(world, '2>1');
      lose(world);
      expect((await world.sync('plan posts')).said).toContain('orphan _drafts/p1.md 1');
      await world.sync('apply posts');
      const { json, err } = await world.sync('apply posts --prune');
      expect(json).toMatchObject({ written: 1, unchanged: 3 });
      expect(err).not.toContain('another post now');
      expect(await world.there()).toEqual([there(2), there(3), there(4)]);
      expect((await world.sync('plan posts --prune --exit-code')).status).toBe(0);
    });

    const issue = (number: number, more = '') =>
      `Issue ${number}/Dear readers,\n\nthis is our monthly letter, in the same words each time.\n\nNumber ${number}${more}.\n\nKind regards,\nthose who write it.`;

    async function givenIssues(): Promise<SyncWorld> {
      const world = await givenSync(
        how === 'without keys' ? { hides: ['link-template', 'accept-idempotency'] } : {},
      );
      world.write({ 'p1.md': issue(1), 'p2.md': issue(2), 'p3.md': issue(3) });
      world.commit();
      await world.sync('apply posts');
      return world;
    }
    const plan = async (world: SyncWorld) =>
      (await world.sync('plan posts --prune')).said.map((each) => each.split(' was')[0]);

    it('a post that was renamed and edited is not the one that was made of its like in the same commit', async () => {
      const world = await givenIssues();
      world.move('p1.md', 'a1.md');
      world.write({ 'a1.md': issue(1, ', mended'), 'zz.md': issue(9) });
      world.commit();
      lose(world);
      expect(await plan(world)).toEqual(['update a1.md 1', 'create zz.md']);
    });

    it('posts of a folder that was moved are found by their names, more than git compares one by one', async () => {
      const world = await givenSync(
        how === 'without keys' ? { hides: ['link-template', 'accept-idempotency'] } : {},
      );
      const numbers = Array.from({ length: 12 }, (_, at) => at + 10);
      const files = (folder: string, more?: string) =>
        Object.fromEntries(numbers.map((each) => [`${folder}/${each}.md`, issue(each, more)]));
      world.write(files('old'));
      world.commit();
      await world.sync('apply posts');
      world.git('config', 'diff.renameLimit', '4');
      world.remove('old');
      world.write(files('new', ', mended'));
      world.commit();
      lose(world);
      expect(await plan(world)).toEqual(
        numbers.map((each, at) => `update new/${each}.md ${at + 1}`),
      );
    });

    it('posts that were swapped are none of the new ones that are like them', async () => {
      const world = await givenIssues();
      world.write({ 'p1.md': issue(2), 'p2.md': issue(1), 'a.md': issue(7), 'zz.md': issue(8) });
      world.commit();
      lose(world);
      await world.sync('apply posts --prune');
      expect((await world.there()).slice(0, 3)).toEqual([
        `1 ${issue(1)}`,
        `2 ${issue(2)}`,
        `3 ${issue(3)}`,
      ]);
    });

    it('a chain is told where what came last was edited, and is like the others', async () => {
      const world = await givenIssues();
      move(world, '2>9');
      world.git('reset', '-q', '--soft', 'HEAD~1');
      world.move('p1.md', 'p2.md');
      world.write({ 'p9.md': issue(2, ', mended') });
      world.commit();
      lose(world);
      expect((await plan(world)).filter((each) => !each?.startsWith('rename'))).toEqual([
        'update p9.md 2',
      ]);
    });

    it.runIf(how !== 'without keys').each([['a.md'], ['zz.md']])(
      'a copy, %s, is a new post where its origin was edited in the same commit',
      async (copy) => {
        const world = await givenIssues();
        world.write({ [copy]: issue(1), 'p1.md': issue(1, ', mended') });
        world.commit();
        lose(world);
        expect(new Set(await plan(world))).toEqual(new Set([`create ${copy}`, 'update p1.md 1']));
        await world.edit(1, 'Edited/on the blog');
        expect(await plan(world)).toContain('conflict p1.md 1');
        await world.sync('apply posts --prune');
        expect((await world.there())[0]).toBe('1 Edited/on the blog');
      },
    );

    it.runIf(how !== 'without a state')(
      'a post that came later to the path of one that is gone has its article, if none was edited',
      async () => {
        const world = await givenFour(
          how === 'without keys' ? { hides: ['link-template', 'accept-idempotency'] } : {},
        );
        world.remove('p2.md');
        world.commit();
        move(world, '1>2');
        expect(await plan(world)).toEqual(['update p2.md 2', 'delete p1.md 1']);
        await world.edit(1, 'Edited/on the blog');
        const { said, err } = await world.sync('plan posts --prune');
        expect(said).toEqual(['drift p2.md 1 was p1.md']);
        expect(err).toContain('Article 2, which was that of the one before, is kept');
      },
    );
  },
);
