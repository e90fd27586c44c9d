import { readFile } from 'node:fs/promises';

/** Waits until a store file that somebody writes holds at least this many lines of articles. */
export async function untilArticles(file: string, count: number): Promise<void> {
  for (;;) {
    const text = await readFile(file, 'utf8');
    if (text.split('\n,{"id":').length >= count) return;
    await new Promise((resolve) => setImmediate(resolve));
  }
}
