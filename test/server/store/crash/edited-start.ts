import { createJsonFile } from '../../../../server/store/json-file/create.ts';
import { createMemoryFileSystem } from '../../../../server/store/file-system/memory-file-system.ts';
import { openJsonFile } from '../../../../server/store/json-file/open.ts';
import type { Random } from '../../../support/random.ts';
import type { Image } from './crash-images.ts';
import { PATH } from './story.ts';

const EDITS: readonly ((text: string) => string)[] = [
  (text) => text.replace('"Title 3"', '"changed by hand"'),
  (text) => text.replace('"Title 3"', '"Title X"'),
  (text) => JSON.stringify(JSON.parse(text), null, 2),
  (text) => text.replaceAll('\n', '\r\n'),
  (text) => typedIn(text),
];

/** A file that a person changed while no store had it open. */
export async function editedStart(random: Random): Promise<Image> {
  const disk = createMemoryFileSystem();
  await createJsonFile(PATH, { title: 'Blog', description: '' }, disk);
  const store = await openJsonFile({ path: PATH, fileSystem: disk });
  for (let id = 1; id <= 4; id += 1)
    await store.create(1, { title: `Title ${id}`, content: 'c'.repeat(30) });
  await store.remove(1, 2, () => undefined);
  await store.close();
  const text = disk.files().get(PATH)?.toString() ?? '';
  return new Map([[PATH, Buffer.from(random.oneOf(EDITS)(text))]]);
}

/** An article without a tag, and the commit record thrown away. */
function typedIn(text: string): string {
  const { end: _end, articles, ...document }: Record<string, unknown> = JSON.parse(text);
  const typed = { id: 9, title: 'typed', content: 'in' };
  return JSON.stringify({
    ...document,
    articles: Array.isArray(articles) ? [...articles, typed] : [],
  });
}
