import { checksum, checksumText } from '../json-file/format/checksum.ts';
import {
  articleOfLine,
  composeLine,
  type NewLine,
  privateMembers,
} from '../json-file/format/article-line.ts';
import { blogTag } from '../json-file/format/head.ts';
import { StoreError, type Article, type Blog, type Found, type Page } from '../store.ts';

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

/** Of an article, without its body where the page is long. */
type PartRow = readonly [
  id: number,
  tag: string,
  updatedAt: number,
  locked: boolean,
  privates: string | null,
  length: number,
  body: string | null,
  holesVersion: null,
  version: null,
];
/** Of their blog, in the same columns. */
type PageBlogRow = readonly [
  id: null,
  tag: string,
  changedAt: number,
  locked: boolean,
  title: string,
  total: number,
  description: string,
  holesVersion: number,
  version: number,
];
export type PageRow = PartRow | PageBlogRow;

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

/** Throws StoreError `damaged` where the tag does not seal the body. */
export function articleOf(row: ArticleRow, length = Buffer.byteLength(row.body)): Article {
  if (!isSealed(row)) {
    throw new StoreError('damaged', `Article ${row.id} is damaged: its checksum does not hold.`);
  }
  const { blog_id: blogId, id, tag, updated_at: updatedAt, locked, body: json } = row;
  return Object.freeze({ blogId, id, tag, updatedAt, locked, length, json });
}

/**
 * Of the article that was asked for as the `n`th, or of an id that never was one, without a body; without
 * a number, of a blog.
 */
export type ArticleAnswer = readonly [
  n: number | null,
  tag: string | null,
  updatedAt: number | null,
  locked: boolean | null,
  privates: string | null,
  body: string | null,
];

export type Asked = { readonly blogId: number; readonly id: number };

export type BlogFound = { readonly blog: Blog; readonly nextId: number };

/** A blog that stands among articles, as JSON. */
export function readBlog(json: string | null): [number, BlogFound] {
  const blogRow: BlogRow = JSON.parse(json ?? '');
  return [blogRow.blog, { blog: blogOf(blogRow), nextId: blogRow.next_id }];
}

export function foundOf(
  { blogId, id }: Asked,
  found: BlogFound | undefined,
  row: ArticleAnswer | undefined,
): Found {
  if (found === undefined) return { kind: 'no-blog' };
  const { blog, nextId } = found;
  if (row === undefined) return { kind: id >= 1 && id < nextId ? 'gone' : 'absent', blog };
  const [, tag, updatedAt, locked, privates, body] = row;
  if (tag === null || updatedAt === null || locked === null || body === null) {
    return { kind: 'absent', blog };
  }
  const of = { blog_id: blogId, id, body, tag, updated_at: updatedAt, locked, private: privates };
  return { kind: 'article', article: articleOf(of), blog };
}

/** The blog of a page, and the version that its places are counted by. */
type OfPage = { readonly blog: Blog; readonly holesVersion: number };

export function blogIn(rows: readonly PageRow[], id: number): OfPage | undefined {
  const row = rows.find(isOfBlog);
  if (row === undefined) return undefined;
  const [, tag, changedAt, locked, title, total, description, holesVersion, version] = row;
  return { blog: { id, title, description, tag, total, changedAt, locked, version }, holesVersion };
}

export function pageOf(rows: readonly PageRow[], blog: Blog): Page {
  const parts = rows.filter(isPart).map((row) => partOf(blog.id, row));
  return Object.freeze({ blog, articles: parts.sort((a, b) => a.id - b.id) });
}

function isOfBlog(row: PageRow): row is PageBlogRow {
  return row[0] === null;
}

function isPart(row: PageRow): row is PartRow {
  return row[0] !== null;
}

function partOf(
  blogId: number,
  [id, tag, updatedAt, locked, privates, length, body]: PartRow,
): Page['articles'][number] {
  if (body === null) return Object.freeze({ blogId, id, tag, updatedAt, locked, length });
  const row = { blog_id: blogId, id, body, tag, updated_at: updatedAt, locked, private: privates };
  return articleOf(row, length);
}

/** The line of the file that this row is, without its brace and tag; `named`: it says its blog. */
export function lineText(row: ArticleRow, named: boolean): string {
  return lineParts(row, named).join('');
}

function lineParts(row: ArticleRow, named: boolean): readonly string[] {
  const { id, body, blog_id: blogId, private: privates, updated_at: updatedAt } = row;
  const start = `{"id":${id}`;
  const end = `,"updated":"${new Date(updatedAt).toISOString()}"${privates ?? ''}`;
  if (!named) return [body.slice(0, -1), end];
  return [`${start},"blog":${blogId}`, body.slice(start.length, -1), end];
}

export function isSealed(row: ArticleRow): boolean {
  const named = row.blog_id !== FIRST_BLOG;
  return isSealOf(row, named) || isSealOf(row, !named);
}

export function isSealOf(row: ArticleRow, named: boolean): boolean {
  const sum = lineParts(row, named).reduce((before, part) => checksum(part, before), 0);
  return row.tag.endsWith(`-${checksumText(sum)}`);
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
  return { row, article: Object.freeze({ ...article, json: body }) };
}

export function privatesOf(row: ArticleRow) {
  return privateMembers(row.private ?? '');
}

export function revisionOf(row: ArticleRow): number {
  return Number.parseInt(row.tag, 10);
}
