import { checksum, checksumText } from '../json-file/format/checksum.ts';
import {
  articleOfLine,
  composeLine,
  type NewLine,
  privateMembers,
} from '../json-file/format/article-line.ts';
import { blogTag } from '../json-file/format/head.ts';
import { BLOG, ID, UPDATED } from '../json-file/format/line-bytes.ts';
import {
  StoreError,
  type Article,
  type ArticleSummary,
  type Blog,
  type Found,
  type Page,
} from '../store.ts';

/** Numbers are exact: ids end at 2^53 - 1, and milliseconds and versions stay below. */
export type BlogRow = {
  readonly blog: number;
  readonly title: string;
  readonly description: string;
  readonly blog_tag: string;
  readonly blog_locked: boolean;
  readonly next_id: number;
  readonly total: number;
  readonly version: number;
  readonly holes_version: number;
  readonly changed_at: number;
  readonly blog_private: string | null;
};

export type ArticleRow = {
  readonly blog_id: number;
  readonly id: number;
  readonly body: string;
  readonly tag: string;
  readonly updated_at: number;
  readonly locked: boolean;
  readonly private: string | null;
};

/** The file's first blog is the one whose lines do not name it. */
const FIRST_BLOG = 1;

export function blogOf(row: BlogRow): Blog {
  const { title, description, total } = row;
  return {
    id: row.blog,
    title,
    description,
    tag: row.blog_tag,
    total,
    changedAt: row.changed_at,
    locked: row.blog_locked,
    version: row.version,
  };
}

type Texts = Pick<BlogRow, 'blog' | 'title' | 'description' | 'blog_tag' | 'blog_private'>;

/** The tag of the next version of a blog; `row.blog_tag` is that of the last, or empty. */
export function nextBlogTag(row: Texts, locked: boolean): string {
  const revision = 1 + (Number.parseInt(row.blog_tag, 10) || 0);
  const unknown = row.blog_private ?? '';
  const { title, description } = row;
  return blogTag({ id: row.blog, title, description, locked, unknown, revision, changedAt: 0 });
}

export function blogTagHolds(row: BlogRow): boolean {
  const before = String(Number.parseInt(row.blog_tag, 10) - 1);
  return row.blog_tag === nextBlogTag({ ...row, blog_tag: before }, row.blog_locked);
}

export function articleOf(row: ArticleRow): Article {
  return checkedArticle(row, Buffer.from(row.body));
}

/** A row, its body apart. */
type Unread = Omit<ArticleRow, 'body'>;

/** Throws StoreError `damaged` where the checksum in the tag does not hold. */
function checkedArticle(row: Unread, json: Buffer): Article {
  if (!checksumHolds(row, json)) {
    throw new StoreError('damaged', `Article ${row.id} is damaged: its checksum does not hold.`);
  }
  const { blog_id: blogId, id, tag, updated_at: updatedAt, locked } = row;
  return Object.freeze({ blogId, id, tag, updatedAt, locked, length: json.length, json });
}

/**
 * Of what was asked for as the `n`th: articles as text, null where it is none; without a number, a blog
 * as JSON.
 */
export type ResultRow = readonly [n: number | null, text: string | null];

export type ArticleKey = { readonly blogId: number; readonly id: number };

export type BlogFound = {
  readonly blog: Blog;
  readonly nextId: number;
  /** What the places of its pages are counted by. */
  readonly holesVersion: number;
};

/** A blog that stands among articles, as JSON. */
export function readBlog(json: string | null): [number, BlogFound] {
  const blogRow: BlogRow = JSON.parse(json ?? '');
  const { blog: id, next_id: nextId, holes_version: holesVersion } = blogRow;
  return [id, { blog: blogOf(blogRow), nextId, holesVersion }];
}

/** `text` is absent where there is no article, and null where there never was one. */
export function foundOf(
  { id }: ArticleKey,
  found: BlogFound | undefined,
  text: string | null | undefined,
): Found {
  if (found === undefined) return { kind: 'no-blog' };
  const { blog, nextId } = found;
  if (text === undefined) return { kind: id >= 1 && id < nextId ? 'gone' : 'absent', blog };
  const article = pageOf(blog, text).articles.find(hasBody);
  return article === undefined ? { kind: 'absent', blog } : { kind: 'article', article, blog };
}

/** Throws StoreError `damaged` where the checksum of an article does not hold. */
export function pageOf(blog: Blog, text: string | null): Page {
  const articles = text === null ? [] : articlesOf(blog.id, text);
  return Object.freeze({ blog, articles: articles.sort((one, other) => one.id - other.id) });
}

function hasBody(article: Page['articles'][number]): article is Article {
  return article.json !== undefined;
}

/** In the text of articles, as many as each of them has before the bodies of all. */
const MEMBERS = 7;

function articlesOf(blogId: number, text: string): Page['articles'][number][] {
  const end = text.indexOf('\u0002');
  const members = text.slice(0, end).split('\u0001');
  const bodies = Buffer.from(text.slice(end + 1));
  if (members.length % MEMBERS !== 0) {
    throw new StoreError('damaged', 'An article is damaged: a control character stands in it.');
  }
  const articles: Page['articles'][number][] = [];
  let start = 0;
  for (let at = 0; at < members.length; at += MEMBERS) {
    const length = Number(members[at + 5]);
    const given = Number(members[at + 6]);
    const row = {
      blog_id: blogId,
      id: Number(members[at]),
      tag: members[at + 1] ?? '',
      updated_at: Number(members[at + 2]),
      locked: members[at + 3] === 't',
      private: members[at + 4] ?? '',
    };
    // Where the page is long, an article comes without its body.
    articles.push(
      given < length
        ? summaryOf(row, length)
        : checkedArticle(row, bodies.subarray(start, start + given)),
    );
    start += given;
  }
  return articles;
}

function summaryOf(row: Unread, length: number): ArticleSummary {
  const { blog_id: blogId, id, tag, updated_at: updatedAt, locked } = row;
  return Object.freeze({ blogId, id, tag, updatedAt, locked, length });
}

/** The line of the file that this row is, without its brace and tag; `named`: it says its blog. */
export function lineText(row: ArticleRow, named: boolean): string {
  const { body } = row;
  const start = startOf(row);
  const members = named
    ? `${start}${BLOG}${row.blog_id}${body.slice(start.length, -1)}`
    : body.slice(0, -1);
  return members + endOf(row);
}

function startOf({ id }: Unread): string {
  return `${ID}${id}`;
}

function endOf({ updated_at: updatedAt, private: privates }: Unread): string {
  return `${UPDATED}${new Date(updatedAt).toISOString()}"${privates ?? ''}`;
}

/** Milliseconds, of a Date (ECMA-262, 21.4.1.1). */
const LARGEST_TIME_VALUE = 8.64e15;

export function checksumHolds(row: Unread, json: Buffer): boolean {
  const named = row.blog_id !== FIRST_BLOG;
  return checksumHoldsAs(row, json, named) || checksumHoldsAs(row, json, !named);
}

/** Whether the tag is that of the line that these are, `json` being the body. */
export function checksumHoldsAs(row: Unread, json: Buffer, named: boolean): boolean {
  const start = startOf(row);
  // Else an article could be served under the id of another.
  const isOwn = json.toString('latin1', 0, start.length + 1) === `${start},`;
  if (!isOwn || Math.abs(row.updated_at) > LARGEST_TIME_VALUE) return false;
  const before = named ? checksum(`${start}${BLOG}${row.blog_id}`) : 0;
  const members = checksum(json.subarray(named ? start.length : 0, -1), before);
  return row.tag.endsWith(`-${checksumText(checksum(endOf(row), members))}`);
}

/** A row as it is written, and the article that its writer is told. */
type NewRow = { readonly row: ArticleRow; readonly article: Article };

/** The next version of an article, composed as a line of the file is, so that tags are the same. */
export function composeRow(blogId: number, line: Omit<NewLine, 'blog'>): NewRow {
  const blog = blogId === FIRST_BLOG ? undefined : blogId;
  const composed = composeLine({ ...line, blog });
  const article = articleOfLine(composed.bytes.subarray(1, -1), composed.line, blogId);
  const { privateText, locked } = composed.line;
  const { id, tag, updatedAt } = article;
  const body = article.json.toString();
  const row = {
    blog_id: blogId,
    id,
    body,
    tag,
    updated_at: updatedAt,
    locked,
    private: privateText === '' ? null : privateText,
  };
  return { row, article };
}

export function privatesOf(row: ArticleRow) {
  return privateMembers(row.private ?? '');
}

export function revisionOf(row: ArticleRow): number {
  return Number.parseInt(row.tag, 10);
}
