import { createJsonFile } from '../../../../server/store/json-file/create.ts';
import type { JsonFileStore } from '../../../../server/store/json-file/json-file-store.ts';
import {
  createMemoryFileSystem,
  type MemoryFileSystem,
} from '../../../../server/store/file-system/memory-file-system.ts';
import type { FileSystem } from '../../../../server/store/file-system/file-system.ts';
import { openJsonFile } from '../../../../server/store/json-file/open.ts';

export const PATH = '/blog.json';
/** 2026-01-01; each look at the clock is a second later. */
export const FIRST_MOMENT = Date.UTC(2026, 0, 1);

export type Given = { readonly store: JsonFileStore; readonly disk: MemoryFileSystem };

/** A clock that no test has to wait for. */
export function steadyClock(from = FIRST_MOMENT): () => number {
  let moment = from;
  return () => (moment += 1000);
}

/** A store in memory with the articles "Title 1", "Title 2" … */
export async function givenStore(articles = 0, options: { trace?: boolean } = {}): Promise<Given> {
  const disk = createMemoryFileSystem([], options);
  await createJsonFile(PATH, { title: 'My blog', description: 'About' }, disk);
  const store = await reopened(disk);
  for (let id = 1; id <= articles; id += 1) await store.create(1, numbered(id));
  return { store, disk };
}

export function numbered(id: number): { title: string; content: string } {
  return { title: `Title ${id}`, content: `Content number ${id} with some text` };
}

export function reopened(
  fileSystem: FileSystem,
  report?: (notice: string) => void,
): Promise<JsonFileStore> {
  const now = steadyClock(FIRST_MOMENT + 1e6);
  return openJsonFile({
    path: PATH,
    fileSystem,
    now,
    idleMs: 2 ** 30,
    ...(report ? { report } : {}),
  });
}

/** Lets every change pass. */
export const anyVersion = (): void => undefined;

export function textOf(disk: MemoryFileSystem, path = PATH): string {
  return disk.files().get(path)?.toString() ?? '';
}

/** What a process that is killed now leaves. */
export function afterKill(disk: MemoryFileSystem): MemoryFileSystem {
  return createMemoryFileSystem(disk.files());
}
