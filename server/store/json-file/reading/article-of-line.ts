import { publicJson, type ArticleLine } from '../format/article-line.ts';
import type { Article } from '../../store.ts';

/** The article of a line that was checked; the bytes may be reused afterwards. */
export function articleOfLine(bytes: Buffer, line: ArticleLine, blogId: number): Article {
  const { id, tag, updatedAt, locked } = line;
  const json = publicJson(bytes, line);
  return Object.freeze({ blogId, id, tag, updatedAt, locked, length: json.length, json });
}
