import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

export type Post = { readonly title: string; readonly content: string };

/** The texts of a small blog whose files are as odd as real ones; titles and texts occur twice. */
export function postsOf(count: number): Post[] {
  return Array.from({ length: count }, (_, index) => ({
    title: index % 7 === 0 ? 'Weeknotes' : `Post ${index}: "naïve" café 日本`,
    content: `\nParagraph of post ${index % 5}.\n\n---\n\nMore after a rule.\n${'word '.repeat(index % 90)}\n`,
  }));
}

/** Writes each post as a Markdown file with front matter, YAML and TOML in turn. */
export async function givenPosts(folder: string, posts: readonly Post[]): Promise<string> {
  const directory = join(folder, 'posts');
  await mkdir(directory, { recursive: true });
  await Promise.all(
    posts.map((post, index) =>
      writeFile(join(directory, `${String(index).padStart(5, '0')}.md`), fileOf(post, index)),
    ),
  );
  return directory;
}

function fileOf(post: Post, index: number): string {
  const title = JSON.stringify(post.title);
  if (index % 3 === 0) return `+++\ntitle = ${title}\ndate = 2024-01-01\n+++\n${post.content}`;
  return `---\ndate: 2024-01-01\ntitle: ${title}\n---\n${post.content}`;
}

/** One comparable line a post, sorted: equal lists are equal multisets. */
export function multisetOf(posts: readonly Post[]): string[] {
  return posts.map(({ title, content }) => JSON.stringify([title, content])).sort();
}

export function postsIn(ndjson: string): Post[] {
  return ndjson
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));
}
