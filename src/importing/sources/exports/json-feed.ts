import type { FileFormat } from '../file-format.ts';
import { signsOf, type Member } from '../publicity-signs.ts';
import { Flaw } from '../source.ts';
import type { ExportItem } from './export-item.ts';
import { linesOfHtml, oneLine, type Entities } from './html-text.ts';
import { exportPortions, textMember, type JsonObject } from './json-items.ts';

const version = /"version"\s*:\s*"https?:\\?\/\\?\/(?:www\.)?jsonfeed\.org\\?\/version\\?\//;

/**
 * JSON Feed 1 and 1.1; an item is known by its `id`. `content_html` is taken before `content_text`.
 */
export const jsonFeed: FileFormat = {
  name: 'JSON Feed',
  recognises: ({ head }) => head.startsWith('{') && version.test(head),
  open: async ({ path, name, head }, options) => {
    const site = memberIn(head, 'home_page_url') ?? memberIn(head, 'feed_url');
    const entities = options.titleFrom === 'line' ? await import('entities/decode') : undefined;
    const itemOf = (item: JsonObject, members: readonly Member[]) => ({
      ...itemOfFeed(item, members, site),
      firstLine: () => firstLineOf(item, entities),
    });
    return {
      name,
      portions: () => exportPortions({ path, name, list: ['items'] }, itemOf, options),
    };
  },
};

/** A text member of the feed itself, which describes itself before its items. */
function memberIn(head: string, member: string): string | undefined {
  const [own = ''] = head.split(/"items"\s*:/, 1);
  const [, text] =
    new RegExp(`"${member}"\\s*:\\s*"([^"\\\\]*(?:\\\\/[^"\\\\]*)*)"`).exec(own) ?? [];
  return text?.replaceAll('\\/', '/');
}

function itemOfFeed(
  item: JsonObject,
  members: readonly Member[],
  site: string | undefined,
): ExportItem {
  return {
    kind: 'feed',
    type: 'post',
    // A feed is public: a date that is null says nothing here.
    signs: signsOf(members.filter(({ value }) => value !== null)),
    names: { id: item.get('id'), link: item.get('url') },
    site,
    title: textMember(item, 'title'),
    content: () => contentOf(item),
    record: () => Object.fromEntries(item),
  };
}

function firstLineOf(item: JsonObject, entities: Entities | undefined): string | undefined {
  const html = textMember(item, 'content_html');
  const text = textMember(item, 'content_text');
  return html?.trim()
    ? linesOfHtml(html, entities)[0]
    : text
        ?.split('\n')
        .map(oneLine)
        .find((line) => line !== '');
}

function contentOf(item: JsonObject): string {
  const html = textMember(item, 'content_html');
  const text = textMember(item, 'content_text');
  if (html === undefined && text === undefined) {
    throw new Flaw('content', 'The item has neither "content_html" nor "content_text".');
  }
  return html?.trim() || !text?.trim() ? (html ?? text ?? '') : text;
}
