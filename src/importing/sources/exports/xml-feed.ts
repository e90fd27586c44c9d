import type { FileFormat, FileSample } from '../file-format.ts';
import type { Portion, ReadingOptions } from '../source.ts';
import { entryOfItem } from './export-item.ts';
import { needsEntities, readFeedItem } from './feed-item.ts';
import type { Entities } from './html-text.ts';
import { readXmlItems } from './xml-items.ts';

/** What stands before the root element. */
const prolog = /^(?:\s|\uFEFF|<\?[^]*?\?>|<!--[^]*?-->|<!DOCTYPE[^[>]*(?:\[[^]*?\]\s*)?>)*/;
const root = /^<(?:[\w.-]+:)?(?:rss|RDF|feed|entry)[\s/>]/;

/**
 * The export of WordPress, RSS 2.0, RSS 1.0 (RDF) and Atom. An item is known by its guid or id, else
 * by `wp:post_id` and the site, else by its link (decisions 46). Texts are taken as they are written:
 * addresses in them stay relative.
 */
export const xmlFeed: FileFormat = {
  name: 'WordPress (WXR), RSS, RDF, Atom',
  recognises: ({ head }) => root.test(head.replace(prolog, '')),
  open: (sample, options) => ({
    name: sample.name,
    portions: () => itemPortions(sample, options),
  }),
};

async function* itemPortions(
  { path, name }: FileSample,
  options: ReadingOptions,
): AsyncGenerator<Portion, void, void> {
  let before = 0;
  let entities: Entities | undefined;
  for await (const items of readXmlItems({ path, name }, options)) {
    if (options.titleFrom === 'line' || items.some(needsEntities))
      entities ??= await import('entities/decode');
    const read = items.map((item) => readFeedItem(item, entities));
    const first = before + 1;
    yield read.map((item, index) =>
      entryOfItem(item, { source: name, position: first + index }, options),
    );
    before += items.length;
  }
}
