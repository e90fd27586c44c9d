import { parseTemplate } from 'url-template';
import type { HalDocument } from './document.ts';
import { linksOf } from './links.ts';

/** Where a relation like `doc:articles` is documented: its curie expanded (HAL, section 8.2). */
export function documentationOf(document: HalDocument, rel: string): string | undefined {
  const [prefix, ...rest] = rel.split(':');
  if (rest.length === 0) return undefined;
  const curie = linksOf(document).find((link) => link.rel === 'curies' && link.name === prefix);
  if (curie === undefined) return undefined;
  const reference = parseTemplate(curie.href).expand({ rel: rest.join(':') });
  return URL.canParse(reference, document.url) ? new URL(reference, document.url).href : undefined;
}
