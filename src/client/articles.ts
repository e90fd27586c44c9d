import type { HalDocument } from '../hal/document.ts';
import { findLink, targetOf } from '../hal/links.ts';
import type { Article, Validators, VersionedArticle } from './blog-client.ts';
import type { Answer } from './exchange.ts';
import { ArticleResource, check } from './representations.ts';

/** The article a document holds; its address is its `self` link, else where it was read. */
export function readArticle(document: HalDocument): Article {
  const { id, title, content } = check(ArticleResource, document, 'an article');
  const self = findLink(document, 'self');
  const url = self === undefined ? document.url : targetOf(document, self);
  return { id, title, ...(content !== undefined && { content }), url };
}

export function readVersionedArticle(answer: Answer): VersionedArticle {
  return { article: readArticle(answer.document()), validators: validatorsOf(answer) };
}

export function validatorsOf({ headers }: Answer): Validators {
  const etag = headers['etag'];
  const lastModified = headers['last-modified'];
  return { ...(etag && { etag }), ...(lastModified && { lastModified }) };
}

/**
 * The condition for a change (interface, Endpoints, rules 8 to 10): the tag, else the date. If-Match
 * never holds for a weak tag (RFC 9110, 13.1.1), so a date is preferred to one.
 */
export function conditionFor(expected: Validators | undefined): Readonly<Record<string, string>> {
  const { etag, lastModified } = expected ?? {};
  if (lastModified !== undefined && (etag === undefined || etag.startsWith('W/'))) {
    return { 'if-unmodified-since': lastModified };
  }
  return etag === undefined ? {} : { 'if-match': etag };
}
