import { signsOf, type Member } from '../publicity-signs.ts';
import { membersOfJson, parseJson } from './mapped-record.ts';
import { jsonItems, hasList, type Piece } from './json.ts';
import {
  ValidationError,
  rejectOf,
  type Entry,
  type Batch,
  type ReadingOptions,
  type FileFormat,
} from '../source.ts';
import { entryOfExportItem, type ExportItem } from './export-item.ts';
import { linesOfHtml, oneLine, type Entities } from './xml-collector.ts';

export type JsonObject = ReadonlyMap<string, unknown>;

/** What an object of an export means; `members` holds those too whose names stand twice. */
type ItemOf = (value: JsonObject, members: readonly Member[]) => ExportItem;

type JsonList = { readonly path: string; readonly name: string; readonly list: readonly string[] };

/** The entries of one list of a JSON document; `itemOf` knows what its objects mean. */
async function* exportBatches(
  file: JsonList,
  itemOf: ItemOf,
  options: ReadingOptions,
): AsyncGenerator<Batch, void, void> {
  const { encoding } = options;
  for await (const pieces of jsonItems({ ...file, encoding })) {
    yield pieces.map((piece) => entryOfPiece(piece, file.name, { itemOf, options }));
  }
}

function entryOfPiece(
  { index, text }: Piece,
  source: string,
  { itemOf, options }: { itemOf: ItemOf; options: ReadingOptions },
): Entry {
  const place = { source, position: index + 1 };
  let record: string | undefined;
  try {
    record = text();
    const value = parseJson(record);
    return entryOfExportItem(itemOf(objectOf(value), membersOfJson(value, record)), place, options);
  } catch (error) {
    return rejectOf(error, { place, record });
  }
}

/** The objects of a list that can be read; others are left to whoever needs them. */
async function* jsonObjects(
  file: JsonList,
  { encoding }: ReadingOptions,
): AsyncGenerator<JsonObject, void, void> {
  for await (const pieces of jsonItems({ ...file, encoding })) {
    for (const piece of pieces) {
      const value: unknown = parsed(piece);
      if (typeof value === 'object' && value !== null) yield new Map(Object.entries(value));
    }
  }
}

function parsed({ text }: Piece): unknown {
  try {
    return parseJson(text());
  } catch (error) {
    if (error instanceof ValidationError) return undefined;
    throw error;
  }
}

function objectOf(value: unknown): JsonObject {
  if (typeof value === 'object' && value !== null) return new Map(Object.entries(value));
  throw new ValidationError('syntax', `Not an object but ${JSON.stringify(value).slice(0, 40)}.`);
}

export function textMember(object: JsonObject, name: string): string | undefined {
  const value = object.get(name);
  return typeof value === 'string' ? value : undefined;
}

/** Where Ghost keeps its posts: exports of its own, and what other tools make for it. */
const lists = [
  ['db', '0', 'data', 'posts'],
  ['data', 'posts'],
] as const;

/** The JSON export of Ghost; a post is known by its `uuid`, else its site and `id`. */
export const ghostExport: FileFormat = {
  name: 'Ghost',
  recognises: async ({ path, head }, options) =>
    head.startsWith('{') && (await findList(path, options)) !== undefined,
  open: async ({ path, name }, options) => {
    const list = (await findList(path, options)) ?? [];
    const beside = (last: string) => ({ path, name, list: [...list.slice(0, -1), last] });
    const site = await siteIn(beside('settings'), options);
    const mailed = await mailedIn(beside('posts_meta'), options);
    const itemOf = (post: JsonObject, members: readonly Member[]) => {
      const email = { key: 'email_only', value: mailed.has(post.get('id')) };
      return itemOfPost(post, [...members, email], site);
    };
    return { name, batches: () => exportBatches({ path, name, list }, itemOf, options) };
  },
};

async function findList(
  path: string,
  { encoding }: ReadingOptions,
): Promise<readonly string[] | undefined> {
  for (const list of lists) if (await hasList(path, list, encoding)) return list;
  return undefined;
}

async function siteIn(
  file: Parameters<typeof jsonObjects>[0],
  options: ReadingOptions,
): Promise<string | undefined> {
  for await (const setting of jsonObjects(file, options)) {
    const key = textMember(setting, 'key');
    if (key === 'url' || key === 'site_url') return textMember(setting, 'value');
  }
  return undefined;
}

/** The posts that were sent by email alone, which later versions say beside them. */
async function mailedIn(file: JsonList, options: ReadingOptions): Promise<ReadonlySet<unknown>> {
  const found = new Set<unknown>();
  for await (const meta of jsonObjects(file, options))
    if (meta.get('email_only')) found.add(meta.get('post_id'));
  return found;
}

function itemOfPost(
  post: JsonObject,
  members: readonly Member[],
  site: string | undefined,
): ExportItem {
  return {
    kind: 'ghost',
    type: textMember(post, 'type') ?? (isPage(post) ? 'page' : 'post'),
    signs: signsOf([...members.flatMap(saidBy), ...(post.has('status') ? [] : [noState])]),
    names: Object.fromEntries(post),
    site,
    title: textMember(post, 'title'),
    content: () => contentOfPost(post),
    record: () => Object.fromEntries(post),
  };
}

/** Ghost gives every post a state; where it is lost, what it was is not known. */
const noState: Member = { key: 'status', value: 'unknown' };

const signNames = ['status', 'published_at', 'visibility', 'email_only'];

/** A state or an audience is never null in Ghost; when a post was published may be. */
function saidBy({ key, value }: Member): readonly Member[] {
  if (!signNames.includes(key)) return [];
  if (value !== null) return [{ key, value }];
  return key === 'status' || key === 'visibility' ? [{ key, value: 'unknown' }] : [];
}

/** Before version 2 of Ghost a page was a post with a mark. */
function isPage(post: JsonObject): boolean {
  return post.get('page') === true || post.get('page') === 1;
}

/** Ghost writes the page it shows as `html`; without it there is only its editor's own format. */
function contentOfPost(post: JsonObject): string {
  const html = textMember(post, 'html');
  if (html !== undefined) return html;
  if (!post.get('lexical') && !post.get('mobiledoc')) return '';
  throw new ValidationError(
    'content',
    'The post has no "html", only what the editor of Ghost understands.',
  );
}

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
      batches: () => exportBatches({ path, name, list: ['items'] }, itemOf, options),
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
    throw new ValidationError('content', 'The item has neither "content_html" nor "content_text".');
  }
  return html?.trim() || !text?.trim() ? (html ?? text ?? '') : text;
}
