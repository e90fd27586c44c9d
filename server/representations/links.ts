import { articlesUrl, articleUrl, blogUrl, commentsUrl, pageTemplate } from './addresses.ts';
import { relationUrl } from './addresses.ts';

export type Link = { readonly href: string; readonly title?: string; readonly templated?: true };
export type Curie = { readonly name: string; readonly href: string; readonly templated: true };

/** From where a blog is looked at: what all its links are made of. */
export type Viewpoint = {
  readonly baseUrl: string;
  readonly blogId: number;
  readonly blogTitle: string;
};

export function curies(baseUrl: string): readonly Curie[] {
  return [{ name: 'doc', href: relationUrl(baseUrl, '{rel}'), templated: true }];
}

/** Links of a blog (interface, Blog). */
export function blogLinks({ baseUrl, blogId }: Viewpoint) {
  const articles = `${articlesUrl(baseUrl, blogId)}${pageTemplate}`;
  return {
    curies: curies(baseUrl),
    self: { href: blogUrl(baseUrl, blogId) },
    'doc:articles': { href: articles, templated: true },
  };
}

/** Links of an article (interface, Article). */
export function articleLinks(viewpoint: Viewpoint, articleId: number) {
  const { baseUrl, blogId } = viewpoint;
  const comments = `${commentsUrl(baseUrl, blogId, articleId)}${pageTemplate}`;
  return {
    curies: curies(baseUrl),
    self: { href: articleUrl(baseUrl, blogId, articleId) },
    'doc:blog': linkToBlog(viewpoint),
    'doc:comments': { href: comments, templated: true },
  };
}

/** Links of a deletion result (interface, Deletion result). */
export function deletionLinks(viewpoint: Viewpoint) {
  return { curies: curies(viewpoint.baseUrl), 'doc:blog': linkToBlog(viewpoint) };
}

export function linkToBlog({ baseUrl, blogId, blogTitle }: Viewpoint): Link {
  return { href: blogUrl(baseUrl, blogId), title: blogTitle };
}
