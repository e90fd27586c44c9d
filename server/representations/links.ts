export type Link = { readonly href: string; readonly title?: string; readonly templated?: true };
type Curie = { readonly name: string; readonly href: string; readonly templated: true };

/** From where a blog is looked at: what all its links are made of. */
export type LinkContext = {
  readonly baseUrl: string;
  readonly blogId: number;
  readonly blogTitle: string;
};

export function curies(baseUrl: string): readonly Curie[] {
  return [{ name: 'doc', href: relationUrl(baseUrl, '{rel}'), templated: true }];
}

/** Links of a blog (interface, Blog). */
export function blogLinks({ baseUrl, blogId }: LinkContext) {
  const articles = `${articlesUrl(baseUrl, blogId)}${pageTemplate}`;
  return {
    curies: curies(baseUrl),
    self: { href: blogUrl(baseUrl, blogId) },
    'doc:articles': { href: articles, templated: true },
  };
}

/** Links of an article (interface, Article). */
export function articleLinks(context: LinkContext, articleId: number) {
  const { baseUrl, blogId } = context;
  const comments = `${commentsUrl(baseUrl, blogId, articleId)}${pageTemplate}`;
  return {
    curies: curies(baseUrl),
    self: { href: articleUrl(baseUrl, blogId, articleId) },
    'doc:blog': linkToBlog(context),
    'doc:comments': { href: comments, templated: true },
  };
}

/** Links of a deletion result (interface, Deletion result). */
export function deletionLinks(context: LinkContext) {
  return { curies: curies(context.baseUrl), 'doc:blog': linkToBlog(context) };
}

export function linkToBlog({ baseUrl, blogId, blogTitle }: LinkContext): Link {
  return { href: blogUrl(baseUrl, blogId), title: blogTitle };
}

/** Where things are, relative to a base URL without a trailing slash (interface, Endpoints). */

/** The version is part of the path (interface, Versioning, rule 1). */
export const apiPath = '/api/v1.2';

/** Expanded by clients, not by us (RFC 6570). */
const pageTemplate = '{?pageIndex,pageSize}';

export function blogUrl(baseUrl: string, blogId: number): string {
  return `${baseUrl}${apiPath}/blogs/${blogId}`;
}

export function articlesUrl(baseUrl: string, blogId: number): string {
  return `${blogUrl(baseUrl, blogId)}/articles`;
}

export function articleUrl(baseUrl: string, blogId: number, articleId: number): string {
  return `${articlesUrl(baseUrl, blogId)}/${articleId}`;
}

function commentsUrl(baseUrl: string, blogId: number, articleId: number): string {
  return `${articleUrl(baseUrl, blogId, articleId)}/comments`;
}

/** Leads from an Idempotency-Key to the article made with it; expanded by clients (decisions 51). */
export function articleKeyTemplate(baseUrl: string, blogId: number): string {
  return `${blogUrl(baseUrl, blogId)}/article-keys/{key}`;
}

/** Documentation of a relation: what the curie `doc` expands to (decisions 6). */
export function relationUrl(baseUrl: string, relation: string): string {
  return `${baseUrl}/docs/${relation}`;
}

/** Documentation of a problem type, which is also its `type` (decisions 2). */
export function problemUrl(baseUrl: string, code: string): string {
  return `${baseUrl}/docs/problems/${code}`;
}

type TypedLink = { readonly rel: string; readonly link: Link };

/** The value of a Link header (RFC 8288); titles in the form of RFC 8187, whatever they hold. */
export function linkHeader(links: readonly TypedLink[]): string {
  return links.map(({ rel, link }) => `<${link.href}>; rel="${rel}"${titleOf(link)}`).join(', ');
}

function titleOf({ title }: Link): string {
  return title === undefined ? '' : `; title*=UTF-8''${escapeExtended(title)}`;
}

/**
 * encodeURIComponent leaves some marks bare that RFC 8187 does not allow, and throws on half a
 * surrogate pair: through UTF-8 and back, half a pair becomes U+FFFD.
 */
function escapeExtended(text: string): string {
  return encodeURIComponent(Buffer.from(text).toString()).replaceAll(
    /['()*]/g,
    (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
