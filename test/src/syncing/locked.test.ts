import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

import { givenSync, type SyncWorld } from './given-sync.ts';

/** Thirty posts that were brought to the blog, and all edited since. */
async function givenThirtyEdited(
  options: Parameters<typeof givenSync>[0] = {},
): Promise<SyncWorld> {
  const world = await givenSync(options);
  const all = (text: string) => {
    const posts = Array.from({ length: 30 }, (_, at) => [`p${at + 10}.md`, `P${at}/${text}`]);
    world.write(Object.fromEntries(posts));
    world.commit();
  };
  all('one');
  expect((await world.sync('apply posts')).status).toBe(0);
  all('two');
  return world;
}

const putsOf = ({ asked }: Awaited<ReturnType<SyncWorld['sync']>>) =>
  asked.filter(({ method }) => method === 'PUT').length;

/** Another service, which has locked these and does not say what. */
function lockedWithoutAWord(isLocked: (id: number) => boolean) {
  return (method: string, path: string) => {
    const id = Number(/\/articles\/(\d+)$/.exec(path)?.[1]);
    return method === 'PUT' && isLocked(id) ? { status: 423, detail: 'No.' } : undefined;
  };
}

describe('what is locked', () => {
  it.each([['1'], ['4']])('one article keeps no other from the blog, %s at once', async (many) => {
    const world = await givenThirtyEdited();
    await world.lock(1);
    const applied = await world.sync(`apply posts --concurrency ${many}`);
    expect(applied.json).toMatchObject({ planned: 30, written: 29, refused: 1, unsent: 0 });
    expect(applied.status).toBe(10);
    expect(applied.err).toMatch(/p10\.md \(article 1\): .*This article is locked by its operator/);
    const [first, ...others] = await world.there();
    expect(first).toBe('1 P0/one');
    expect(others.every((each) => each.endsWith('/two'))).toBe(true);
  });

  it('a deletion that a lock refuses is no deletion to take back', async () => {
    const world = await givenThirtyEdited();
    await world.lock(1);
    world.remove('p10.md', 'p11.md');
    const applied = await world.sync('apply posts --prune');
    expect(applied.json).toMatchObject({ planned: 30, written: 29, refused: 1 });
    expect(await world.there()).toHaveLength(29);
    const runs = join(world.root, 'data/runs');
    const noted = readdirSync(runs).map((run) => readFileSync(join(runs, run), 'utf8'));
    expect(noted.join('')).toMatch(/"refused":".*articles\/1"/);
  });

  it('a blog is asked once', async () => {
    const world = await givenThirtyEdited();
    await world.lock();
    const applied = await world.sync('apply posts');
    expect(applied.json).toMatchObject({ written: 0, refused: 1, unsent: 29 });
    expect(putsOf(applied)).toBe(1);
    expect(applied.status).toBe(6);
    expect(applied.err).toContain('This blog is locked');
  });

  it.each([1, 4])('what a token may not write was sent all the same, %d at once', async (many) => {
    let sent = 0;
    let arrived: () => void = () => {};
    const all = new Promise<void>((resolve) => (arrived = resolve));
    const world = await givenThirtyEdited({
      async refuses(method) {
        if (method !== 'PUT') return undefined;
        if ((sent += 1) === many) arrived();
        await all;
        return { status: 403, detail: 'No.' };
      },
    });
    const applied = await world.sync(`apply posts --concurrency ${many}`);
    expect(sent).toBe(many);
    expect(applied.json).toMatchObject({ planned: 30, refused: many, unsent: 30 - many });
    expect(applied.status).toBe(3);
  });

  it('where a service does not say what, it may be an article', async () => {
    const world = await givenThirtyEdited({ refuses: lockedWithoutAWord((id) => id === 2) });
    const applied = await world.sync('apply posts');
    expect(applied.json).toMatchObject({ written: 29, refused: 1 });
    expect(applied.status).toBe(10);
  });

  it('or all of it, which is not asked for each', async () => {
    const world = await givenThirtyEdited({ refuses: lockedWithoutAWord(() => true) });
    const applied = await world.sync('apply posts');
    expect(applied.json).toMatchObject({ written: 0, failed: 0 });
    expect(putsOf(applied)).toBeLessThan(10);
    expect(applied.status).toBe(6);
  });
});
