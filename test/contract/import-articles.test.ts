import { afterEach, beforeEach, expect, it } from 'vitest';
import { givenImport, givenSource } from '../src/importing/given-import.ts';
import { givenBlogFile, type BlogFile } from '../support/blog-file.ts';

const records = [
  { title: 'One', content: 'first' },
  { title: 'Two', content: 'second' },
  { title: 'Two', content: 'second' },
];
const edited = [{ title: 'One', content: 'first, edited' }, ...records.slice(1)];

let blog: BlogFile;
beforeEach(async () => {
  blog = await givenBlogFile();
});
afterEach(() => blog.remove());

function contentOf({ content = '' }: { content?: string }): string {
  return content;
}

async function contents(): Promise<readonly string[]> {
  const found: string[] = [];
  for await (const page of blog.client.pages()) found.push(...page.articles.map(contentOf));
  return found.toSorted();
}

it('creates every record once, however often it is imported', async () => {
  expect((await givenImport(blog.client, [givenSource(records)])).summary.created).toBe(3);
  expect((await givenImport(blog.client, [givenSource(records)])).summary.replayed).toBe(3);
  expect(await contents()).toEqual(['first', 'second', 'second']);
});

it('finds the article of a record that was edited since, and leaves it alone', async () => {
  await givenImport(blog.client, [givenSource(records)]);
  const found = await givenImport(blog.client, [givenSource(edited)]);
  expect(found.rejected[0]?.message).toMatch(
    /^Known there as "One" at http.*\/articles\/\d, with another content than it has here\.$/,
  );
  expect(await contents()).toEqual(['first', 'second', 'second']);
});

it('does not bring back an article that was deleted since', async () => {
  await givenImport(blog.client, [givenSource(records)], { concurrency: 1 });
  await blog.client.remove({ id: 1 });
  for (const source of [records, edited]) {
    const { summary } = await givenImport(blog.client, [givenSource(source)]);
    expect(summary).toMatchObject({ created: 0, replayed: 2, skipped: 1 });
    expect(summary.reasons.skipped).toEqual({ deleted: 1 });
  }
});

it('needs a token', async () => {
  const { failure, summary } = await givenImport(blog.anonymous, [givenSource(records)]);
  expect(failure).toMatchObject({ code: 'authentication-required' });
  expect(summary).toMatchObject({ created: 0, unsent: 3 });
});
