import { createMemoryFileSystem } from '../../../../server/store/file-system/memory-file-system.ts';
import { openJsonFile } from '../../../../server/store/json-file/open.ts';
import { StoreError } from '../../../../server/store/store.ts';
import type { Random } from '../../../support/random.ts';
import { PATH, stateOf, type Start } from './acknowledged.ts';
import type { Verdict } from './oracle.ts';

/** A file comes to harm while a store has it open that wrote to it. */
export async function judgeHeld(start: Start, bytes: Buffer, random: Random): Promise<Verdict> {
  const disk = createMemoryFileSystem(start.files);
  const notices: string[] = [];
  const report = (notice: string) => void notices.push(notice);
  const store = await openJsonFile({ path: PATH, fileSystem: disk, idleMs: 2 ** 30, report });
  const first = (await store.blogs())[0]?.id ?? 1;
  const created = await store.create(first, { title: 'held' });
  disk.put(PATH, bytes, random.oneOf(['in-place', 'replaced']));
  const broken: string[] = [];
  for (const { id, blogId, state } of start.articles) {
    const found = await refusedOr(store.read(blogId, id));
    if (found !== undefined && stateOf(found) !== state) broken.push(`held: article ${id} differs`);
  }
  const again = await refusedOr(store.create(first, { title: 'after the harm' }));
  if (again !== undefined) broken.push('held: a harmed file was written to');
  await store.close();
  const after = disk.files().get(PATH);
  if (after?.equals(bytes) !== true) broken.push('held: the file of another program was changed');
  if (notices.length === 0 && store.loss === undefined) broken.push('held: nobody was told');
  const line = 'article' in created ? `{"id":${created.article.id},"title":"held"` : '';
  const isThere = bytes.includes(line);
  if (!isThere && store.loss === undefined) broken.push('held: an acknowledged article is lost');
  return { outcome: 'held', broken };
}

async function refusedOr<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof StoreError) return undefined;
    throw error;
  }
}
