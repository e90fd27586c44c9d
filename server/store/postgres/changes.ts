import {
  draftOfJson,
  keyAlone,
  type PrivateMembers,
  withLock,
} from '../json-file/format/article-line.ts';
import { noteChange } from '../json-file/index/article-index.ts';
import {
  dateAfter,
  StoreError,
  type Article,
  type CreateAsked,
  type Creation,
  type Draft,
  type Found,
  type Guard,
  type BlogChange,
} from '../store.ts';
import { bucketOf } from './page-places.ts';
import {
  articleOf,
  blogOf,
  composeRow,
  nextBlogTag,
  privatesOf,
  revisionOf,
  type ArticleRow,
  type BlogRow,
} from './rows.ts';

/** What a request asks to be changed. */
export type Change<Outcome> = {
  readonly blogId: number;
  /** The article it is about, where it is there already. */
  readonly id?: number;
  /** Of a new article. */
  readonly key?: string | undefined;
  /** So many of the blog's first articles are looked at; then it is judged alone. */
  readonly first: number;
  /** About what it takes to keep it waiting. */
  readonly bytes: number;
  /** Pure but for the state: it may be called again with another. */
  judge(state: BatchState): Outcome;
};

/** A blog under its lock, as the changes so far leave it. */
export type BlogState = BlogRow & {
  /** Milliseconds of the database's clock when the lock was got. */
  readonly now: number;
  changed_at: number;
  next_id: number;
  total: number;
  blog_tag: string;
  title: string;
  description: string;
  blog_locked: boolean;
  isChanged: boolean;
  /** Deletions by bucket. */
  readonly holes: Map<number, number>;
};

type KeyRow = { readonly request: string; readonly article: number };

/** All that the changes of a batch are judged by, and what they leave to be written. */
export class BatchState {
  readonly blogs = new Map<number, BlogState>();
  /** By `blog:id`; null: deleted or never there. */
  readonly articles = new Map<string, ArticleRow | null>();
  readonly never = new Set<string>();
  /** By `blog:key`. */
  readonly keys = new Map<string, KeyRow>();
  readonly firstArticles: readonly Article[];
  readonly put = new Map<string, ArticleRow>();
  readonly removed = new Set<string>();
  readonly newKeys: { blogId: number; key: string; request: string; id: number }[] = [];

  constructor(firstArticles: readonly Article[] = []) {
    this.firstArticles = firstArticles;
  }

  get isChanged(): boolean {
    return [...this.blogs.values()].some((blog) => blog.isChanged);
  }

  create(blogId: number, draft: Draft, { idempotency, guard }: CreateAsked): Creation {
    const blog = this.blogs.get(blogId);
    if (blog === undefined) return { kind: 'no-blog' };
    const known = idempotency && this.keys.get(`${blogId}:${idempotency.key}`);
    if (known !== undefined) return this.#replay(blog, known, idempotency?.request);
    guard?.holds({ blog: blogOf(blog), articles: guard.count === 0 ? [] : this.firstArticles });
    const id = blog.next_id;
    if (!Number.isSafeInteger(id)) throw new StoreError('no-id', 'Every article id is used.');
    const privates = keyAlone(idempotency);
    const updatedAt = dateAfter(undefined, clock(blog));
    const { row, article } = composeRow(blogId, { id, draft, privates, updatedAt, revision: 1 });
    blog.next_id += 1;
    blog.total += 1;
    this.#write(blog, row);
    if (idempotency !== undefined) {
      const { key, request } = idempotency;
      this.keys.set(`${blogId}:${key}`, { request, article: id });
      this.newKeys.push({ blogId, key, request, id });
    }
    return { kind: 'created', article, blog: blogOf(blog) };
  }

  replace(blogId: number, id: number, draft: Draft, guard: Guard): Found {
    return this.#revise(blogId, id, (blog, current) => {
      guard(articleOf(current), blogOf(blog));
      return this.#succeed(blog, current, draft, privatesOf(current));
    });
  }

  remove(blogId: number, id: number, guard: Guard): Found {
    return this.#revise(blogId, id, (blog, current) => {
      const article = articleOf(current);
      guard(article, blogOf(blog));
      this.#remove(blog, current);
      return article;
    });
  }

  lockArticle(blogId: number, id: number, locked: boolean): Found {
    return this.#revise(blogId, id, (blog, current) => {
      const draft = draftOfJson(Buffer.from(current.body));
      return this.#succeed(blog, current, draft, withLock(privatesOf(current), locked));
    });
  }

  /** False where there is no such blog. */
  changeBlog(blogId: number, change: BlogChange): boolean {
    const blog = this.blogs.get(blogId);
    if (blog === undefined) return false;
    blog.title = change.title ?? blog.title;
    blog.description = change.description ?? blog.description;
    blog.blog_locked = change.locked ?? blog.blog_locked;
    blog.blog_tag = nextBlogTag(blog, blog.blog_locked);
    noteBlog(blog, clock(blog));
    return true;
  }

  #replay(blog: BlogState, { request, article }: KeyRow, asked: string | undefined): Creation {
    if (request !== asked) return { kind: 'key-reused', id: article };
    const row = this.articles.get(`${blog.blog}:${article}`) ?? null;
    if (row === null) return { kind: 'gone' };
    return { kind: 'replayed', article: articleOf(row), blog: blogOf(blog) };
  }

  #revise(
    blogId: number,
    id: number,
    next: (blog: BlogState, current: ArticleRow) => Article,
  ): Found {
    const blog = this.blogs.get(blogId);
    if (blog === undefined) return { kind: 'no-blog' };
    const current = this.articles.get(`${blogId}:${id}`) ?? null;
    if (current === null) return { kind: this.#existed(blog, id), blog: blogOf(blog) };
    const article = next(blog, current);
    return { kind: 'article', article, blog: blogOf(blog) };
  }

  #succeed(blog: BlogState, current: ArticleRow, draft: Draft, privates: PrivateMembers): Article {
    const { article, row } = composeRow(blog.blog, {
      id: current.id,
      draft,
      privates,
      updatedAt: dateAfter(current.updated_at, clock(blog)),
      revision: revisionOf(current) + 1,
    });
    this.#write(blog, row);
    return article;
  }

  #write(blog: BlogState, row: ArticleRow): void {
    const place = `${row.blog_id}:${row.id}`;
    this.articles.set(place, row);
    this.put.set(place, row);
    noteBlog(blog, row.updated_at);
  }

  #remove(blog: BlogState, row: ArticleRow): void {
    const place = `${row.blog_id}:${row.id}`;
    this.articles.set(place, null);
    this.put.delete(place);
    this.removed.add(place);
    const bucket = bucketOf(row.id);
    blog.holes.set(bucket, (blog.holes.get(bucket) ?? 0) + 1);
    blog.total -= 1;
    noteBlog(blog, dateAfter(row.updated_at, clock(blog)));
  }

  #existed(blog: BlogState, id: number): 'gone' | 'absent' {
    const isKnown = id >= 1 && id < blog.next_id && !this.never.has(`${blog.blog}:${id}`);
    return isKnown ? 'gone' : 'absent';
  }
}

/** Never behind the blog's last change, whatever the clocks of machines say. */
function clock(blog: BlogState): number {
  return Math.max(blog.now, blog.changed_at);
}

function noteBlog(blog: BlogState, date: number): void {
  const noted = { changedAt: blog.changed_at };
  noteChange(noted, date);
  blog.changed_at = noted.changedAt;
  blog.isChanged = true;
}

/** How whoever asked for a change is told of it, once that is committed. */
export type Telling = () => void;

/** What a guard throws ends its own change and not the batch. */
export function telling<Outcome>(
  change: Change<Outcome>,
  resolve: (outcome: Outcome) => void,
  reject: (error: unknown) => void,
): (state: BatchState) => Telling {
  return (state) => {
    try {
      const outcome = change.judge(state);
      return () => resolve(outcome);
    } catch (error) {
      return () => reject(error);
    }
  };
}
