import type { FileFormat } from '../file-format.ts';
import { decodeUtf8 } from '../files/utf8.ts';
import { hasList } from '../records/json-shape.ts';
import { parseJson } from '../records/json-text.ts';
import { jsonItems, type Piece } from '../records/json.ts';
import { identify } from '../../identity/identity.ts';
import { checkText, checkTitle } from '../record-text.ts';
import { Flaw, type Entry, type Place, type Portion, type ReadingOptions } from '../source.ts';
import { reasonToSkip } from './selection.ts';

/** Where Ghost keeps its posts: exports of its own, and what other tools make for it. */
const lists = [
  ['db', '0', 'data', 'posts'],
  ['data', 'posts'],
] as const;

const words = { post: 'post', published: 'published', drafts: ['draft', 'scheduled', 'sent'] };

/** The JSON export of Ghost; a post is known by its `uuid`, else its `id`. */
export const ghostExport: FileFormat = {
  name: 'Ghost',
  recognises: async ({ path, head }, options) =>
    head.startsWith('{') && (await findList(path, options)) !== undefined,
  open: async ({ path, name }, options) => {
    const list = (await findList(path, options)) ?? [];
    const file = { path, name, list, encoding: options.encoding };
    return { name, portions: () => postPortions(file, options) };
  },
};

async function findList(
  path: string,
  { encoding }: ReadingOptions,
): Promise<readonly string[] | undefined> {
  for (const list of lists) if (await hasList(path, list, encoding)) return list;
  return undefined;
}

async function* postPortions(
  file: Parameters<typeof jsonItems>[0],
  options: ReadingOptions,
): AsyncGenerator<Portion, void, void> {
  for await (const pieces of jsonItems(file)) {
    yield pieces.map((piece) => entryOfPiece(piece, file.name, options));
  }
}

function entryOfPiece(
  { bytes, index, offset }: Piece,
  source: string,
  options: ReadingOptions,
): Entry {
  const place = { source, position: index + 1 };
  let value: unknown;
  try {
    value = parseJson(decodeUtf8(bytes, offset));
    return entryOfPost(new Map(Object.entries(Object(value))), place, options);
  } catch (error) {
    if (!(error instanceof Flaw)) throw error;
    return { kind: 'reject', place, flaw: error, record: value };
  }
}

type Post = ReadonlyMap<string, unknown>;

function entryOfPost(post: Post, place: Place, options: ReadingOptions): Entry {
  const type = textOf(post, 'type') ?? (isPage(post) ? 'page' : 'post');
  const status = textOf(post, 'status') ?? words.published;
  const reason = reasonToSkip({ type, status }, options, words);
  if (reason !== undefined) return { kind: 'skip', place, reason };
  const title = checkTitle(textOf(post, 'title') ?? '');
  return {
    kind: 'record',
    identity: identify('ghost', Object.fromEntries(post), { file: place.source }),
    place,
    title,
    content: contentOf(post),
  };
}

/** Before version 2 of Ghost a page was a post with a mark. */
function isPage(post: Post): boolean {
  return post.get('page') === true || post.get('page') === 1;
}

/** Ghost writes the page it shows as `html`; without it there is only its editor's own format. */
function contentOf(post: Post): string {
  const html = textOf(post, 'html');
  if (html !== undefined) return checkText('content', html);
  if (!post.get('lexical') && !post.get('mobiledoc')) return '';
  throw new Flaw('content', 'The post has no "html", only what the editor of Ghost understands.');
}

function textOf(post: Post, member: string): string | undefined {
  const value = post.get(member);
  return typeof value === 'string' ? value : undefined;
}
