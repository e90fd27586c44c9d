import { momentsOf } from '../dates.ts';
import type { PublicitySigns } from '../publicity.ts';
import { ValidationError } from '../source.ts';
import type { ExportItem } from './export-item.ts';
import { alternate, linesOfHtml, oneLine, resolved } from './xml-collector.ts';
import type { Entities, XmlItem, XmlMember } from './xml-collector.ts';
import { BlogctlError } from '../../../errors.ts';
import { readChunks } from '../chunks.ts';
import { createDecoder, encodingOfFile } from '../encoding.ts';

const bloggerKind = 'http://schemas.google.com/g/2005#kind';
/** Whether the title is HTML that only the library can read. */
export function needsEntities({ members }: XmlItem): boolean {
  return members.some(({ name, text }) => name.endsWith('title') && text.includes('&'));
}

/** What an item says, by the specification of its format. */
export function readFeedItem(item: XmlItem, entities: Entities | undefined): ExportItem {
  const members = new Members(item.members);
  const isWordPress = members.has('wp:post_id') || members.has('wp:post_type');
  const isAtom = item.name === 'entry';
  const title = isAtom
    ? atomTitle(members.get('atom:title'), entities)
    : rssTitle(members.text('title'), isWordPress, entities);
  const content = isAtom ? () => atomContent(members) : () => rssContent(members);
  return {
    kind: isWordPress ? 'wordpress' : 'feed',
    type: typeOf(members),
    signs: signsOf(members),
    names: isAtom ? atomNames(item, members) : rssNames(item, members),
    site: item.site,
    title,
    content,
    firstLine: () => linesOfHtml(content(), entities)[0],
    record: () => ({
      title: title ?? '',
      content: isAtom ? (members.source('atom:content') ?? '') : content(),
    }),
  };
}

class Members {
  readonly #members: readonly XmlMember[];

  constructor(members: readonly XmlMember[]) {
    this.#members = members;
  }

  /** The first of that name. */
  get(name: string): XmlMember | undefined {
    return this.#members.find((member) => member.name === name);
  }

  all(name: string): readonly XmlMember[] {
    return this.#members.filter((member) => member.name === name);
  }

  has(name: string): boolean {
    return this.get(name) !== undefined;
  }

  hasPrefix(prefix: string): boolean {
    return this.#members.some(({ name }) => name.startsWith(prefix));
  }

  text(name: string): string | undefined {
    return this.get(name)?.text;
  }

  /** As markup where elements stand in it, as it is written else. */
  source(name: string): string | undefined {
    const member = this.get(name);
    return member?.markup ?? member?.text;
  }

  /** The text of the first of that name in any namespace. */
  anyText(local: string): string | undefined {
    return this.#members.find(({ name }) => name.split(':').at(-1) === local && name)?.text;
  }
}

function typeOf(members: Members): string {
  const kind = members
    .all('atom:category')
    .find(({ attributes }) => attributes['scheme'] === bloggerKind)?.attributes['term'];
  const type =
    members.text('wp:post_type') ?? members.text('blogger:type') ?? kind?.split('#').at(-1);
  return type?.trim().toLowerCase() || 'post';
}

function signsOf(members: Members): readonly PublicitySigns[] {
  const control = members.source('app:control') ?? '';
  const [, draft = members.anyText('draft')] = /<draft[^>]*>\s*([^<]*)/.exec(control) ?? [];
  const signs = {
    draft,
    date: datesOf(members),
    password: members.text('wp:post_password') ?? members.anyText('password'),
    visibility: members.anyText('visibility'),
  };
  return [...new Set(statusesOf(members))].map((status) => ({ ...signs, status }));
}

/** WordPress gives every item a state; where it is lost, what it was is not known. */
function statusesOf(members: Members): readonly (string | undefined)[] {
  if (!members.hasPrefix('wp:')) return [members.anyText('status')];
  const states = members.all('wp:status').map(({ text }) => text.trim() || 'unknown');
  return states.length > 0 ? states : ['unknown'];
}

/** One of several may lie ahead; WordPress writes a date of zeros where there is none. */
function datesOf(members: Members): readonly string[] {
  const published = ['wp:post_date_gmt', 'pubDate', 'dc:date', 'wp:post_date', 'atom:published']
    .map((name) => members.text(name)?.trim() ?? '')
    .filter((date) => date !== '' && momentsOf(date).every((moment) => moment > 0));
  return published.length > 0 ? published : [members.text('atom:updated')?.trim() ?? ''];
}

function rssNames({ about }: XmlItem, members: Members): ExportItem['names'] {
  return {
    guid: members.text('guid'),
    id: about,
    post: members.text('wp:post_id'),
    link: members.text('link'),
  };
}

function atomNames({ base }: XmlItem, members: Members): ExportItem['names'] {
  const link = members.all('atom:link').find(({ attributes }) => alternate(attributes) !== '');
  if (link === undefined) return { id: members.text('atom:id') };
  const { href = '', 'xml:base': own = '' } = link.attributes;
  return { id: members.text('atom:id'), link: resolved(href, resolved(own, base)) };
}

/** WordPress exports a title as it was written; in other feeds it may hold entities of HTML. */
function rssTitle(
  title: string | undefined,
  isWordPress: boolean,
  entities: Entities | undefined,
): string | undefined {
  if (title === undefined || isWordPress) return title?.trim();
  return oneLine(entities?.decodeHTMLStrict(title) ?? title);
}

function rssContent(members: Members): string {
  const [encoded, description] = ['content:encoded', 'description'].map((name) =>
    members.source(name),
  );
  return encoded?.trim() || !description?.trim() ? (encoded ?? description ?? '') : description;
}

function atomTitle(
  title: XmlMember | undefined,
  entities: Entities | undefined,
): string | undefined {
  if (title?.attributes['type'] !== 'html') return title && oneLine(title.text);
  return linesOfHtml(title.markup ?? title.text, entities).join(' ');
}

/** The content, else the summary (RFC 4287, 4.1.3). */
function atomContent(members: Members): string {
  const content = members.get('atom:content');
  const summary = members.get('atom:summary');
  if (content === undefined || content.attributes['src'] !== undefined) {
    if (summary !== undefined) return textOf(summary);
    if (content === undefined) return '';
    throw new ValidationError(
      'content',
      `The content is not in the feed but at "${content.attributes['src']}".`,
    );
  }
  return textOf(content);
}

/** A text, or what its type makes of it: markup in XML, what is no text is base64. */
function textOf({ attributes, markup, text }: XmlMember): string {
  const type = (attributes['type'] ?? 'text').trim().toLowerCase();
  if (/^(?:text|x?html)$|^text\/|[/+]xml\b/.test(type)) return markup ?? text;
  throw new ValidationError('content', `The content is of type "${type}", which is no text.`);
}

/**
 * The text of an XML file: where an encoding was named, in UTF-8 or that, as its bytes are; else in
 * that of its byte order mark, else that of its declaration, else UTF-8.
 */
export async function* readXmlText(
  path: string,
  name: string,
  encoding: string | undefined,
): AsyncGenerator<string, void, void> {
  let decoder: ReturnType<typeof createDecoder> | undefined;
  let label = '';
  let offset = 0;
  const known = encoding && (await encodingOfFile(path, encoding));
  try {
    for await (const chunk of readChunks(path)) {
      label = decoder === undefined ? (known ?? declaredEncoding(chunk)) : label;
      decoder ??= createDecoder(label, { fatal: true });
      yield decoder.decode(chunk, { stream: true });
      offset += chunk.length;
    }
    if (decoder !== undefined) yield decoder.decode();
  } catch (error) {
    if (error instanceof RangeError) throw unknownEncoding(name, label, error);
    if (!(error instanceof TypeError)) throw error;
    throw wrongBytes(name, { label, offset }, error);
  }
}

function declaredEncoding(start: Buffer): string {
  if (start[0] === 0xff && start[1] === 0xfe) return 'utf-16le';
  if (start[0] === 0xfe && start[1] === 0xff) return 'utf-16be';
  const declaration = start.toString('latin1', 0, 200);
  return (
    /^(?:\u00EF\u00BB\u00BF|\s)*<\?xml[^>]*\sencoding\s*=\s*["']([\w.:-]+)["']/.exec(
      declaration,
    )?.[1] ?? 'utf-8'
  );
}

function unknownEncoding(name: string, label: string, cause: Error): BlogctlError {
  return new BlogctlError('unusable-input', `"${name}" is in an unknown encoding, "${label}".`, {
    hint: 'Choose another with --encoding.',
    cause,
  });
}

function wrongBytes(
  name: string,
  { label, offset }: { label: string; offset: number },
  cause: Error,
): BlogctlError {
  const where = `after offset ${offset}`;
  return new BlogctlError('unusable-input', `"${name}" is not ${label}: wrong bytes ${where}.`, {
    hint: 'Choose its encoding with --encoding, e.g. latin1.',
    cause,
  });
}
