import { JSONFilePreset } from 'lowdb/node';
import { CONTENT, timed } from './setting.ts';

/** Creations a second by so many clients at once with lowdb, which syncs nothing to the disk. */
export async function lowdbRate(
  path: string,
  { articles, clients }: { readonly articles: number; readonly clients: number },
): Promise<number> {
  const record = (id: number) => ({ id, title: `Title ${id}`, content: CONTENT });
  const records = Array.from({ length: articles }, (_, at) => record(at + 1));
  const database = await JSONFilePreset(path, { articles: records });
  const create = () =>
    database.update((data) => void data.articles.push(record(data.articles.length + 1)));
  const ms = await timed(() => Promise.all(Array.from({ length: clients }, create)));
  return (clients / ms) * 1000;
}
