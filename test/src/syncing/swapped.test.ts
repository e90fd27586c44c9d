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

    it('keeps a new post at the path of one that was renamed in the same commit from the article that was edited', async () => {
      const world = await givenFour(
        how === 'without keys' ? { hides: ['link-template', 'accept-idempotency'] } : {},
      );
      world.move('p1.md', 'q1.md');
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
    });

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
  },
);
