import { SaxesParser } from 'saxes';

import type { FileFormat, FileSample, Batch, ReadingOptions } from '../source.ts';
import { entryOfExportItem } from './export-item.ts';
import { needsEntities, readFeedItem, readXmlText } from './feed-item.ts';
import { BlogctlError } from '../../../errors.ts';
import { createXmlCollector, type Entities, type XmlItem } from './xml-collector.ts';
import {
  prefixes,
  createXmlRepair,
  findStrayAmpersand,
  type XmlFilter,
  type XmlSpot,
} from './xml-markup.ts';

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
    batches: () => itemBatches(sample, options),
  }),
};

async function* itemBatches(
  { path, name }: FileSample,
  options: ReadingOptions,
): AsyncGenerator<Batch, void, void> {
  let before = 0;
  let entities: Entities | undefined;
  for await (const items of readXmlItems({ path, name }, options)) {
    if (options.titleFrom === 'line' || items.some(needsEntities))
      entities ??= await import('entities/decode');
    const read = items.map((item) => readFeedItem(item, entities));
    const first = before + 1;
    yield read.map((item, index) =>
      entryOfExportItem(item, { source: name, position: first + index }, options),
    );
    before += items.length;
  }
}

const deepest = 256;
const largestItem = 1 << 26;

/**
 * The items of a WordPress export or a feed, in memory those of one chunk at a time. A document type
 * is refused, so there are no entities but those of XML itself; what is not well-formed is an
 * `unusable-input` that names line and column.
 */
async function* readXmlItems(
  { path, name }: { path: string; name: string },
  { encoding, repairXml = false }: ReadingOptions,
): AsyncGenerator<readonly XmlItem[], void, void> {
  let items: XmlItem[] = [];
  const repair = repairXml ? await loadRepair() : { write: (text: string) => text, end: () => '' };
  const parser = createParser((item) => items.push(item));
  try {
    for await (const text of readXmlText(path, name, encoding)) {
      parser.write(repair.write(text));
      if (items.length > 0) yield items;
      items = [];
    }
    parser.write(repair.end());
    parser.close();
    if (items.length > 0) yield items;
  } catch (error) {
    if (!(error instanceof XmlError)) throw error;
    const stray =
      error.kind === 'syntax' && !repairXml
        ? await findStrayAmpersand(readXmlText(path, name, encoding))
        : undefined;
    const isBefore = stray !== undefined && isEarlier(stray, error);
    const reason = isBefore ? strayMessage(stray) : error.message;
    throw unusable(name, reason, error.kind);
  }
}

async function loadRepair(): Promise<XmlFilter> {
  const { decodeHTMLStrict } = await import('entities/decode');
  return createXmlRepair(decodeHTMLStrict);
}

type Parser = { write(text: string): void; close(): void };

function createParser(take: (item: XmlItem) => void): Parser {
  const parser = new SaxesParser({ xmlns: true, additionalNamespaces: prefixes });
  const collector = createXmlCollector(take);
  let depth = 0;
  let pending = 0;

  function refuse(reason: string, kind: keyof typeof hints = 'other'): never {
    throw new XmlError(reason, parser, kind);
  }

  function within(size: number): void {
    if (size > largestItem) refuse(`more than ${largestItem >> 20} MB in one item`);
  }

  parser.on('opentag', (tag) => {
    pending = 0;
    depth += 1;
    if (depth > deepest) refuse(`elements nested deeper than ${deepest}`);
    const unknown = collector.open(tag);
    if (unknown !== undefined) refuse(unknown);
  });
  const add = (text: string) => {
    pending = 0;
    within(collector.text(text));
  };
  parser.on('text', add);
  parser.on('cdata', add);
  parser.on('closetag', (tag) => {
    pending = 0;
    depth -= 1;
    collector.close(tag);
  });
  parser.on('doctype', () => {
    refuse('it has a document type (DOCTYPE), which could define entities', 'doctype');
  });
  parser.on('error', ({ message }) => {
    // What has no known namespace is nothing that is read.
    if (message.includes('unbound namespace prefix')) return;
    refuse(message.replace(/^\d+:\d+: /, '').replace(/\.$/, ''), 'syntax');
  });
  return {
    write(text) {
      parser.write(text);
      pending += text.length;
      within(pending);
    },
    close: () => void parser.close(),
  };
}

class XmlError extends Error {
  override readonly name = 'XmlError';
  readonly line: number;
  readonly column: number;
  readonly kind: keyof typeof hints;

  constructor(
    reason: string,
    { line, column }: { line: number; column: number },
    kind: keyof typeof hints,
  ) {
    super(`line ${line}, column ${column}: ${reason}`);
    this.line = line;
    this.column = column;
    this.kind = kind;
  }
}

function isEarlier(spot: XmlSpot, { line, column }: XmlError): boolean {
  return spot.line < line || (spot.line === line && spot.column <= column);
}

/** A parser finds it late, where something else ends what it took for an entity. */
function strayMessage({ line, column, found }: XmlSpot): string {
  const what = found.endsWith(';') ? `"${found}" is no entity of XML` : 'an "&" begins no entity';
  return `line ${line}, column ${column}: ${what}`;
}

const hints = {
  syntax:
    'Export it again; --repair-xml mends ampersands, entities of HTML, control characters and what stands before the first line.',
  doctype: 'Remove the DOCTYPE where it only names a standard, and import the rest.',
  other:
    'Nothing of it was imported. Is it the right file? Formats of XML: WXR, RSS, RDF, Atom 1.0.',
} as const;

function unusable(name: string, reason: string, kind: keyof typeof hints): BlogctlError {
  return new BlogctlError('unusable-input', `"${name}" cannot be read as XML: ${reason}.`, {
    hint: hints[kind],
    // What is broken has a cause; what is only of another kind has none.
    ...(kind === 'syntax' && { cause: new Error(reason) }),
  });
}
