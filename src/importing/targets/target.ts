import type { Article } from '../../client/blog-client.ts';

/** A form in which a blog can leave; it takes articles one at a time. */
export type Target = {
  write(article: Article): Promise<void>;
  /** Everything is there: makes it visible under its name. */
  finish(): Promise<void>;
  /** Takes back what was written so far. */
  abandon(): Promise<void>;
};

/** Where text goes, piece by piece; resolves when it was taken. */
export type WriteText = (text: string) => Promise<void>;
