import { documentationOf } from '../hal/curies.ts';
import type { HalDocument } from '../hal/document.ts';
import { linksOf } from '../hal/links.ts';
import type { ManyView } from '../terminal/view.ts';

/** What can be followed from a document, and where each relation is explained. */
export function linkView(document: HalDocument): ManyView {
  const links = linksOf(document).filter(({ rel }) => rel !== 'curies');
  return {
    many: links.map(({ rel, href, templated, title }) => ({
      rel,
      href,
      templated,
      ...(title !== undefined && { title }),
      documentation: documentationOf(document, rel),
    })),
    columns: ['rel', 'href', 'title', 'documentation'],
    fields: ['rel', 'href', 'templated', 'title', 'documentation'],
    id: 'rel',
  };
}
