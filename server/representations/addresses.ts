/** Where things are, relative to a base URL without a trailing slash (interface, Endpoints). */

/** The version is part of the path (interface, Versioning, rule 1). */
export const apiPath = '/api/v1.2';

/** Expanded by clients, not by us (RFC 6570). */
export const pageTemplate = '{?pageIndex,pageSize}';

export function blogUrl(baseUrl: string, blogId: number): string {
  return `${baseUrl}${apiPath}/blogs/${blogId}`;
}

export function articlesUrl(baseUrl: string, blogId: number): string {
  return `${blogUrl(baseUrl, blogId)}/articles`;
}

export function articleUrl(baseUrl: string, blogId: number, articleId: number): string {
  return `${articlesUrl(baseUrl, blogId)}/${articleId}`;
}

export function commentsUrl(baseUrl: string, blogId: number, articleId: number): string {
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
