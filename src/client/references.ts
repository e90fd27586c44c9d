import { BlogctlError } from '../errors.ts';
import type { ArticleReference } from './blog-client.ts';

/**
 * Address of an article. An id is looked up beneath the collection, where `self` is
 * (interface, Article); a URL must be of the collection's own origin, or a token would travel.
 */
export function addressOf(reference: ArticleReference, collection: string): string {
  if ('id' in reference) return beneath(collection, reference.id);
  const { origin } = new URL(collection);
  if (URL.canParse(reference.url) && new URL(reference.url).origin === origin) return reference.url;
  throw new BlogctlError('usage', `${reference.url} is not an article of ${origin}.`, {
    hint: 'Name the blog it belongs to with --blog <url>.',
  });
}

function beneath(collection: string, id: number): string {
  const url = new URL(collection);
  url.pathname = `${url.pathname.replace(/\/$/, '')}/${id}`;
  url.search = '';
  url.hash = '';
  return url.href;
}
