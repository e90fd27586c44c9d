import { openJsonFile } from '../store/json-file/open.ts';

/** What an operator does to a store that nobody serves at the moment. */
export type Upkeep = {
  /** Takes the file as it is shown: edits by hand get their checksums, what a crash left goes. */
  confirm(): Promise<void>;
  compact(): Promise<void>;
  /** Answers the new blog's id. */
  addBlog(blog: { readonly title: string; readonly description: string }): Promise<number>;
  /** False where there is no such blog. */
  lockBlog(blogId: number, locked: boolean): Promise<boolean>;
  /** False where there is no such article. */
  lockArticle(blogId: number, articleId: number, locked: boolean): Promise<boolean>;
};

export type Operating = {
  readonly file: string;
  /** Told what a person should know of the file. */
  readonly notice: (text: string) => void;
};

/** Opens a store file for as long as `act` takes; throws UnusableStore or StoreHeld. */
export async function withUpkeep<T>(
  { file, notice }: Operating,
  act: (store: Upkeep) => Promise<T>,
): Promise<T> {
  const store = await openJsonFile({ path: file, report: notice });
  try {
    return await act({
      confirm: () => store.confirm(),
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
