import type { FileFormat } from '../file-format.ts';
import { hasList } from '../records/json-shape.ts';
import { signsOf, type Member } from '../publicity-signs.ts';
import { Flaw, type ReadingOptions } from '../source.ts';
import type { ExportItem } from './export-item.ts';
import { exportPortions, jsonObjects, textMember, type JsonObject } from './json-items.ts';

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
    const site = await siteIn({ path, name, list: [...list.slice(0, -1), 'settings'] }, options);
    const itemOf = (post: JsonObject, members: readonly Member[]) =>
      itemOfPost(post, members, site);
    return { name, portions: () => exportPortions({ path, name, list }, itemOf, options) };
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

function itemOfPost(
  post: JsonObject,
  members: readonly Member[],
  site: string | undefined,
): ExportItem {
  return {
    kind: 'ghost',
    type: textMember(post, 'type') ?? (isPage(post) ? 'page' : 'post'),
    signs: signsOf(members.flatMap(saidBy)),
    names: Object.fromEntries(post),
    site,
    title: textMember(post, 'title'),
    content: () => contentOf(post),
    record: () => Object.fromEntries(post),
  };
}

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
function contentOf(post: JsonObject): string {
  const html = textMember(post, 'html');
  if (html !== undefined) return html;
  if (!post.get('lexical') && !post.get('mobiledoc')) return '';
  throw new Flaw('content', 'The post has no "html", only what the editor of Ghost understands.');
}
