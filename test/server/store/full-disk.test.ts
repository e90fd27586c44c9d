import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { createJsonFile } from '../../../server/store/json-file/create.ts';
import { openJsonFile } from '../../../server/store/json-file/open.ts';
import { StoreError } from '../../../server/store/store.ts';

const folder = mkdtempSync(join(tmpdir(), 'blogctl-full-'));
const mounted = mount();

/** Only root may, and not in every container. */
function mount(): boolean {
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', folder], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

afterAll(() => {
  if (mounted) execFileSync('umount', [folder]);
  rmdirSync(folder);
});

test.skipIf(!mounted)('on a full disk reads go on, and writes come back with room', async () => {
  const path = join(folder, 'blog.json');
  const ballast = join(folder, 'ballast');
  await createJsonFile(path, { title: 'Blog', description: '' });
  writeFileSync(ballast, 'x'.repeat(200_000));
  const store = await openJsonFile({ path, restMs: 2 ** 30 });
  const saved: number[] = [];
  const full = await fill(store, saved);
  expect(full).toMatchObject({ failure: 'no-room', retryAfterSeconds: 30 });
  expect((await store.page(1, 0, 1000)).articles.map(({ id }) => id)).toEqual(saved);
  await expect(store.create(1, { title: 'x', content: 'x'.repeat(5000) })).rejects.toBeInstanceOf(
    StoreError,
  );
  rmSync(ballast);
  const creation = await store.create(1, { title: 'x', content: 'x'.repeat(5000) });
  expect(creation.kind).toBe('created');
  await store.close();
  const again = await openJsonFile({ path });
  expect(again.recovery.kind).toBe('trusted');
  expect((await again.page(1, 0, 1000)).total).toBe(saved.length + 1);
  await again.close();
});

async function fill(
  store: Awaited<ReturnType<typeof openJsonFile>>,
  saved: number[],
): Promise<unknown> {
  for (;;) {
    try {
      const creation = await store.create(1, { title: 'x', content: 'x'.repeat(3000) });
      if ('article' in creation) saved.push(creation.article.id);
    } catch (error) {
      return error;
    }
  }
}
