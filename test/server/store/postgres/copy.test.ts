import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { copyStore, checkStore, withTokens } from '../../../../server/index.ts';
import { createJsonFile } from '../../../../server/store/json-file/create.ts';
import { openJsonFile } from '../../../../server/store/json-file/open.ts';
import { openPostgres } from '../../../../server/store/postgres/open.ts';
import type { Store } from '../../../../server/store/store.ts';
import { describeOnPostgres } from '../../../support/on-postgres.ts';

const anyVersion = () => undefined;
const keyOf = (id: number) => ({ key: `${id}`.padStart(64, 'a'), request: 'b'.repeat(64) });

/** All that a client can learn of a store. */
async function seen(store: Store): Promise<unknown> {
  const all: unknown[] = [await store.blogs()];
  for (const blogId of [1, 2, 3]) {
    for (let id = 1; id <= 330; id += 1) all.push(await store.read(blogId, id));
    for (let id = 1; id <= 330; id += 30) all.push(await store.readByKey(blogId, keyOf(id).key));
    for (const first of [0, 7, 140, 295]) all.push(await store.page(blogId, first, 9));
  }
  return JSON.parse(JSON.stringify(all));
}

describeOnPostgres('store copy', (cluster) => {
  let folder: string;
  let file: string;
  let token: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'blogctl-pg-copy-'));
    file = join(folder, 'blog.json');
    await createJsonFile(file, { title: 'First', description: 'About' });
    const store = await openJsonFile({ path: file });
    await store.addBlog({ title: 'Second', description: '' });
    await store.create(1, { title: 'é \u0000 "\\', content: '\u2028' }, { idempotency: keyOf(1) });
    for (let id = 2; id <= 320; id += 1) {
      const idempotency = id % 3 === 0 ? undefined : keyOf(id);
      await store.create(id % 5 === 0 ? 2 : 1, { title: `T${id}` }, { idempotency });
    }
    for (let id = 3; id < 290; id += 4) await store.remove(1, id, anyVersion);
    await store.compact();
    for (const id of [1, 31, 301]) await store.replace(1, id, { title: 'Again' }, anyVersion);
    for (let id = 4; id < 290; id += 27) await store.remove(1, id, anyVersion);
    await store.lockArticle(2, 10, true);
    await store.close();
    ({ token } = await withTokens(file, (tokens) =>
      tokens.create({ name: 'ci', rights: ['create'], blogs: [2] }),
    ));
  });
  afterAll(() => rm(folder, { recursive: true }));

  it('shows in the database all that the file showed, to the byte, and goes on there', async () => {
    const address = await cluster().database();
    expect(await copyStore(file, address)).toBeGreaterThan(200);
    expect(await checkStore(address)).toMatchObject({ verdict: 'sound', problems: [] });
    const { store, tokens } = await openPostgres({ address });
    const source = await openJsonFile({ path: file, readOnly: true });
    expect(await seen(store)).toEqual(await seen(source));
    expect(await tokens.lookup(token)).toMatchObject({
      name: 'ci',
      rights: ['create'],
      blogs: [2],
    });
    const replayed = await store.create(1, { title: 'x' }, { idempotency: keyOf(1) });
    expect(replayed).toMatchObject({ kind: 'replayed', article: { id: 1 } });
    const made = await store.create(1, { title: 'New' });
    expect(made).toMatchObject({ kind: 'created', article: { id: 320 } });
    await source.close();
    await store.close();
  });

  it('refuses a database that is not empty, and one of two copies at once', async () => {
    const address = await cluster().database();
    const both = await Promise.allSettled([copyStore(file, address), copyStore(file, address)]);
    expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    await expect(copyStore(file, address)).rejects.toMatchObject({ code: 'exists' });
  });
});
