import { hash } from 'node:crypto';
import { BlogctlError } from '../errors.ts';
import { documentationOf, readLinkTemplates, targetOf } from '../hal/links.ts';
import type { HalDocument } from '../hal/document.ts';
import type { Transport } from '../http/transport.ts';
import { readVersionedArticle } from './articles.ts';
import type { ArticleDraft, KeyedArticle } from './blog-client.ts';
import { type Answer, exchange } from './exchange.ts';

const relation = 'doc:articleKey';

/** Reads the article at the address of its key; that there is none is an answer too (decisions 51). */
export async function readKeyed(transport: Transport, url: string): Promise<KeyedArticle> {
  try {
    const answer = await exchange(transport, { method: 'GET', url });
    const fingerprint = answer.headers['idempotency-fingerprint'];
    return {
      kind: 'article',
      ...readVersionedArticle(answer),
      ...(fingerprint && { fingerprint }),
    };
  } catch (error) {
    if (!(error instanceof BlogctlError)) throw error;
    if (error.code === 'not-found') return { kind: 'never-seen' };
    if (error.code === 'gone') return { kind: 'deleted' };
    throw error;
  }
}

/** The template that leads from a key to its article, as the answer of a blog carries it (RFC 9652). */
export function keyTemplateOf({ headers }: Answer, document: HalDocument): string | undefined {
  const field = headers['link-template'];
  const meaning = field && documentationOf(document, relation);
  if (field === undefined || meaning === undefined) return undefined;
  return readLinkTemplates(field).find(({ rel }) => rel.split(' ').includes(meaning))?.template;
}

type Asked = { readonly document: HalDocument; readonly keyTemplate: string | undefined };

export function keyAddress({ document, keyTemplate }: Asked, key: string): string {
  if (keyTemplate !== undefined) {
    const link = { rel: relation, href: keyTemplate, templated: true };
    return targetOf(document, link, { key });
  }
  throw new BlogctlError(
    'broken-contract',
    `The blog at ${document.url} does not say how to find an article by its Idempotency-Key.`,
    { url: document.url, hint: 'See blogctl articles list for what is there.' },
  );
}

/**
 * The fingerprint of a creation as the service's `Idempotency-Fingerprint` has it (decisions 51):
 * SHA-256, hexadecimal, of the title as JSON.stringify writes it and the content behind it.
 */
export function fingerprintOf({ title, content = '' }: ArticleDraft): string {
  return hash('sha256', JSON.stringify(title) + content);
}
