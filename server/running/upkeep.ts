import { openJsonFile } from '../store/json-file/open.ts';

/** What an operator does to a store that nobody serves at the moment. */
export type Upkeep = {
  compact(): Promise<void>;
  /** Answers the new blog's id. */
  addBlog(blog: { readonly title: string; readonly description: string }): Promise<number>;
  /** False where there is no such blog. */
  lockBlog(blogId: number, locked: boolean): Promise<boolean>;
  /** False where there is no such article. */
  lockArticle(blogId: number, articleId: number, locked: boolean): Promise<boolean>;
};

/** Opens a store file for as long as `act` takes; throws UnusableStore or StoreHeld. */
export async function withUpkeep<T>(file: string, act: (store: Upkeep) => Promise<T>): Promise<T> {
  const store = await openJsonFile({ path: file });
  try {
    return await act({
      compact: () => store.compact(),
      addBlog: (blog) => store.addBlog(blog),
      lockBlog: (blogId, locked) => store.lockBlog(blogId, locked),
      lockArticle: async (blogId, articleId, locked) => {
        const found = await store.lockArticle(blogId, articleId, locked);
        return found.kind === 'article';
      },
    });
  } finally {
    await store.close();
  }
}
