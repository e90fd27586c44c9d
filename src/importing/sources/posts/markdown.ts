import { readFile } from 'node:fs/promises';
import { basename, dirname, extname, join, resolve } from 'node:path';

import type { FileFormat } from '../file-format.ts';
import { reasonNotPublic, type NotPublic } from '../publicity.ts';
import { articleAddress } from './article-address.ts';
import type { Head } from './head.ts';
import { finishPost, openPost } from './post.ts';
import {
  Flaw,
  type Entry,
  type Place,
  type Portion,
  type ReadingOptions,
  type Source,
} from '../source.ts';
import { identify, postIdentity, type Identity } from '../../identity/identity.ts';
import { postPathsBelow } from '../../identity/post-path.ts';
import { decodeText } from '../files/encoding.ts';
import { walkFolder, type WalkedFile } from '../files/walk.ts';

const extensions = new Set(['.md', '.mdx', '.markdown', '.html', '.htm']);

export function isPostFile(path: string): boolean {
  return extensions.has(extname(path).toLowerCase());
}

/** The posts below a folder. */
export function postFolder(
  folder: { path: string; name: string; matches?: (path: string) => boolean },
  options: ReadingOptions,
): Source {
  const { path, name, matches = () => true } = folder;
  return {
    name,
    portions: () => folderPortions({ path, name }, walkMatching(path, matches), options),
  };
}

/** One post: the same record as in an import of its folder. */
export function postFile(
  file: { folder: string; name: string; folderName: string },
  options: ReadingOptions,
): Source {
  async function* one(): AsyncGenerator<WalkedFile, void, void> {
    yield { path: file.name, kind: 'file' };
  }
  return {
    name: file.folderName,
    portions: () => folderPortions({ path: file.folder, name: file.folderName }, one(), options),
  };
}

/** A post that was sent to stdin or has another name than posts have. */
export const singlePost: FileFormat = {
  name: 'a Markdown file',
  recognises: ({ head }) => /^(?:---|\+\+\+)[ \t\r]*\n/.test(head),
  open: ({ path, name }, options) => ({
    name,
    async *portions() {
      const identity = identityOfFile(path, name, options);
      yield [await entryOfFile({ path, identity }, { source: name, position: 1 }, options)];
    },
  }),
};

/** A stream has no path. */
function identityOfFile(path: string, name: string, { root }: ReadingOptions): Identity {
  if (name === 'stdin') return identify('record', {}, { file: name });
  const folder = dirname(path);
  const pathOf = postPathsBelow(folder, basename(resolve(folder)), root);
  return postIdentity(pathOf(basename(path)));
}

async function* walkMatching(
  folder: string,
  matches: (path: string) => boolean,
): AsyncGenerator<WalkedFile, void, void> {
  for await (const file of walkFolder(folder)) {
    if (file.kind === 'folder-link' || (isPostFile(file.path) && matches(file.path))) yield file;
  }
}

async function* folderPortions(
  folder: { readonly path: string; readonly name: string },
  files: AsyncGenerator<WalkedFile, void, void>,
  options: ReadingOptions,
): AsyncGenerator<Portion, void, void> {
  const pathOf = postPathsBelow(folder.path, folder.name, options.root);
  for await (const file of files) {
    const place = { source: file.path, position: 1 };
    if (file.kind === 'folder-link') yield [notFollowed(place)];
    else if (isSectionPage(file.path)) yield [{ kind: 'skip', place, reason: 'section-page' }];
    else {
      const post = {
        path: join(folder.path, file.path),
        identity: postIdentity(pathOf(file.path)),
      };
      yield [await entryOfFile(post, place, options)];
    }
  }
}

async function entryOfFile(
  { path, identity }: { readonly path: string; readonly identity: Identity },
  place: Place,
  options: ReadingOptions,
): Promise<Entry> {
  let record: string | undefined;
  try {
    record = decodeText(await readBytes(path), options.encoding);
    const post = openPost(record);
    const reason = reasonToSkip(post.head, identity, options);
    if (reason !== undefined) return { kind: 'skip', place, reason };
    const { title, content, notices } = finishPost(post, place.source, options.titleFrom);
    const article = articleOf(post.head, path);
    return { kind: 'record', identity, place, title, content, article, notices };
  } catch (error) {
    if (!(error instanceof Flaw)) throw error;
    return { kind: 'reject', identity, place, flaw: error, record };
  }
}

async function readBytes(file: string): Promise<Buffer> {
  try {
    return await readFile(file);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Flaw('unreadable', `The file cannot be read: ${reason}`, { cause: error });
  }
}

function isSectionPage(path: string): boolean {
  return /^_index(?:\.[\w-]+)?\.\w+$/.test(basename(path));
}

/** What the front matter says, and the path: Jekyll keeps drafts in a folder, dates in file names. */
function reasonToSkip(
  { signs }: Head,
  { name = '' }: Identity,
  options: ReadingOptions,
): NotPublic | undefined {
  const isDraft = name
    .replace(/^path:/, '')
    .split('/')
    .slice(0, -1)
    .includes('_drafts');
  for (const each of signs) {
    const date = each.date ?? dateInPath(name);
    const draft = isDraft ? true : each.draft;
    const reason = reasonNotPublic({ ...each, date, draft }, options);
    if (reason !== undefined) return reason;
  }
  return undefined;
}

/** `2020-05-01` of `2020-05-01-spring.md` and `2020-05-01-spring/index.md`. */
function dateInPath(path: string): string | undefined {
  const name = path.replace(/\/index\.[^/]*$/, '').replace(/^.*[/:]/s, '');
  return /^\d{4}-\d{1,2}-\d{1,2}(?=[-_. ])/.exec(name)?.[0];
}

function articleOf({ article }: Head, path: string): string | undefined {
  return article === undefined ? undefined : articleAddress(article, dirname(path));
}

function notFollowed(place: Place): Entry {
  const message = 'A link to a folder is not followed; name that folder to import it.';
  return { kind: 'notice', place, notice: { kind: 'link-not-followed', message } };
}
