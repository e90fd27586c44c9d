import { SaxesParser } from 'saxes';

import { BlogctlError } from '../../../errors.ts';
import type { ReadingOptions } from '../source.ts';
import { createXmlRepair } from './xml-repair.ts';
import { readXmlText } from './xml-text.ts';

export type WxrItem = {
  readonly postId?: string;
  readonly postType?: string;
  readonly status?: string;
  readonly title?: string;
  readonly content?: string;
};

const memberOf: ReadonlyMap<string, keyof WxrItem> = new Map([
  ['wp:post_id', 'postId'],
  ['wp:post_type', 'postType'],
  ['wp:status', 'status'],
  ['title', 'title'],
  ['content:encoded', 'content'],
]);

/**
 * The items of a WordPress export, in memory those of one chunk at a time. A document type is refused, so there
 * are no entities but those of XML itself; what is not well-formed is an `unusable-input` that names
 * line and column.
 */
export async function* readWxrItems(
  { path, name }: { path: string; name: string },
  { encoding, repairXml = false }: ReadingOptions,
): AsyncGenerator<readonly WxrItem[], void, void> {
  let items: WxrItem[] = [];
  const parser = createItemParser(name, (item) => items.push(item));
  const repair = repairXml ? createXmlRepair() : { write: (text: string) => text, end: () => '' };
  for await (const text of readXmlText(path, name, encoding)) {
    parser.write(repair.write(text));
    if (items.length > 0) yield items;
    items = [];
  }
  parser.write(repair.end());
  parser.close();
}

/** Only what stands directly in an item is read: a comment's id is not the post's. */
function createItemParser(name: string, take: (item: WxrItem) => void): SaxesParser {
  const parser = new SaxesParser();
  const path: string[] = [];
  let item: { -readonly [Member in keyof WxrItem]: WxrItem[Member] } | undefined;
  let member: keyof WxrItem | undefined;

  function add(text: string): void {
    if (item !== undefined && member !== undefined) item[member] = (item[member] ?? '') + text;
  }

  parser.on('opentag', (tag) => {
    path.push(tag.name);
    if (tag.name === 'item') item = {};
    else member = path.at(-2) === 'item' ? memberOf.get(tag.name) : undefined;
    add('');
  });
  parser.on('text', add);
  parser.on('cdata', add);
  parser.on('closetag', (tag) => {
    path.pop();
    member = undefined;
    if (tag.name !== 'item' || item === undefined) return;
    take(item);
    item = undefined;
  });
  parser.on('doctype', () => {
    throw unusable(name, 'it has a document type (DOCTYPE), which could define entities');
  });
  parser.on('error', (error) => {
    throw unusable(name, error.message, error);
  });
  return parser;
}

function unusable(name: string, reason: string, cause?: Error): BlogctlError {
  return new BlogctlError('unusable-input', `"${name}" cannot be read as XML: ${reason}.`, {
    hint: 'Export it again; --repair-xml mends stray control characters and ampersands.',
    cause,
  });
}
