import { hash } from 'node:crypto';

import { sameForm } from '../client/articles.ts';
import type { Change } from '../importing/runs/journal-lines.ts';
import { textDigest } from '../importing/sources/identity.ts';
import type { KeyedEntry } from '../importing/sources/keyed-entries.ts';
import type { Batch } from '../importing/sources/source.ts';
import { changesOf, type DiffLine, diffLines } from '../terminal/diff.ts';

export type Text = { readonly title: string; readonly content: string };
type AnyText = Parameters<typeof sameForm>[0];

/** What tells a text from others; equal where a reader would see no difference. */
export type TextDigest = {
  readonly title: string;
  /**
   * 128 bits of sha256, hexadecimal: enough to decide what is overwritten or deleted. Empty where the content
   * is too short to say whose it is.
   */
  readonly content: string;
  readonly digest: string;
};

/**
 * The digest of a text in the form it is compared in: line ends are LF, leading line breaks and
 * trailing white space of the content are dropped, and so is white space around the title. A service
 * or a checkout that changes only these has not changed the text.
 */
export function digestOf(text: AnyText): TextDigest {
  const { title, content } = sameForm(text);
  return withDigest(title, content);
}

/** The digest of the text as it is, for `--exact`. */
export function exactDigestOf({ title, content = '' }: AnyText): string {
  return withDigest(title, content).digest;
}

/** How many lines of a content were added and removed; `title` where that is another. */
export function changedLines(there: Text, here: Text) {
  const [before, after] = [sameForm(there), sameForm(here)];
  const lines = diffLines(before.content, after.content);
  const count = (kind: 'added' | 'removed') => lines.filter((line) => line.kind === kind).length;
  const isTitle = before.title !== after.title;
  const title = isTitle && ({ title: true } as const);
  return { ...title, added: count('added'), removed: count('removed') };
}

/** Whether posts say some of what was undone, so that the next sync of them does it again. */
export async function sayStill(
  posts: AsyncIterable<Batch<KeyedEntry>>,
  undone: readonly Change[],
): Promise<boolean> {
  const texts = new Set<string>();
  const short = (text: AnyText) => textDigest(sameForm(text)).slice(0, 32);
  for await (const batch of posts)
    for (const entry of batch)
      if (entry.kind === 'record') texts.add(entry.digest.slice(0, 32)).add(short(entry));
  return undone.some((change) =>
    'deleted' in change ? !texts.has(short(change.before)) : texts.has(change.digest),
  );
}

/** What a run would change; of a drift, which it leaves, what was changed there. */
export function changeOf(
  here: Text,
  there: Text | undefined,
  isDrift: boolean,
): readonly DiffLine[] {
  const now = asLines(here);
  if (there === undefined) return now.split('\n').map((text) => ({ kind: 'added', text }));
  return changesOf(isDrift ? diffLines(now, asLines(there)) : diffLines(asLines(there), now));
}

function asLines(text: Text): string {
  const { title, content } = sameForm(text);
  return `# ${title.replaceAll(/\s+/g, ' ')}\n${content}`;
}

/** Beginnings of the digests of a text as an import sent it, and as the blog stored it. */
export type ImportedText = {
  readonly sent: string;
  readonly stored: string;
  /** It came from the work tree of the folder. */
  readonly isOurs: boolean;
  /** Digest of what the sync of another folder left there. */
  readonly left?: string;
};

/**
 * Which side has changed since an import brought its text there, or that it is another folder's; undefined where
 * both have, or nobody knows.
 */
export function toldByImport(
  imported: ImportedText | undefined,
  there: Text,
  here: Text | undefined,
): 'unchanged' | 'update' | 'drift' | 'conflict' | undefined {
  const is = (text: Text | undefined, beginning = '') =>
    text !== undefined && beginning !== '' && textDigest(text).startsWith(beginning);
  const isLeft = imported?.left === digestOf(there).digest;
  // A service that stores another text than it was sent has changed nothing since.
  if (is(there, imported?.stored) && is(here, imported?.sent)) return 'unchanged';
  if (isLeft || is(there, imported?.stored)) return imported?.isOurs ? 'update' : 'conflict';
  return is(here, imported?.sent) ? 'drift' : undefined;
}

export type NotesOfImports = {
  /** By their addresses, what imports noted of the texts that they brought there. */
  readonly imported?: (urls: ReadonlySet<string>) => Promise<ReadonlyMap<string, ImportedText>>;
  /** By the keys of their records, what imports from here noted of the articles that those have become. */
  readonly brought?: () => Promise<ReadonlyMap<string, Brought>>;
};

/** An article that an import made of a record. */
export type Brought = { readonly url: string; readonly stored: string };

/** Of a file's bytes: what a plan says it was made from. */
export function fileDigest(bytes: Uint8Array): string {
  return hash('sha256', bytes, 'hex');
}

/** 128 bits of sha256, hexadecimal. */
export function shortDigest(data: string | Uint8Array): string {
  return hash('sha256', data, 'hex').slice(0, 32);
}

/** Characters: of less, such as "Coming soon", two posts may well have the same. */
const shortestTold = 16;

function withDigest(title: string, content: string): TextDigest {
  const ofContent = shortDigest(content);
  // The content's digest has one length, so that title and content cannot run into each other.
  const told = content.length < shortestTold ? '' : ofContent;
  return { title, content: told, digest: shortDigest(ofContent + title) };
}

type OfText = Pick<TextDigest, 'title' | 'digest'>;
type Texts = {
  readonly posts: readonly (OfText & { readonly name: string })[];
  readonly articles: ReadonlyMap<number, OfText>;
  readonly versions: ReadonlyMap<string, readonly string[]>;
};

/** Whether a file has, or had in git, what an article says. */
export function everSaid(name: string, id: number, { posts, articles, versions }: Texts): boolean {
  const digest = articles.get(id)?.digest ?? '';
  if (versions.get(name)?.includes(digest) === true) return true;
  return posts.some((post) => post.name === name && post.digest === digest);
}

/** Whether it may be the article of a path: that had its text, or has its title. */
export function mayBeOf(name: string, id: number, texts: Texts): boolean {
  const title = texts.articles.get(id)?.title;
  return (
    everSaid(name, id, texts) ||
    texts.posts.some((post) => post.name === name && post.title === title)
  );
}

/** Things by one of their texts, or its digest. */
export function grouped<K extends string, T extends Readonly<Record<K, string>>>(
  things: readonly T[],
  by: K,
) {
  const groups = new Map<string, T[]>();
  for (const thing of things) {
    const group = groups.get(thing[by]) ?? [];
    group.push(thing);
    groups.set(thing[by], group);
  }
  return groups;
}

/** Each is handed out once, in their order. */
export function firstOf<T>(
  groups: ReadonlyMap<string, T[]>,
  keys: Iterable<string>,
): T | undefined {
  const key = [...keys].find((each) => groups.get(each)?.length);
  return key === undefined ? undefined : groups.get(key)?.shift();
}

type InTexts = Pick<TextDigest, 'title' | 'content'>;

/**
 * By name, the articles of the title or the content of each, where that says whose it is, and those it may be for
 * another reason; none where that is undefined.
 */
export function lookAlikes<T extends InTexts & { readonly name: string }>(
  posts: readonly T[],
  articles: readonly (InTexts & { readonly id: number })[],
  alsoOf: (post: T) => readonly number[] | undefined,
): ReadonlyMap<string, readonly number[]> {
  const titles = grouped(articles, 'title');
  const contents = grouped(articles, 'content');
  return new Map(
    posts.map((post) => {
      const also = alsoOf(post);
      const same = post.content === '' ? [] : (contents.get(post.content) ?? []);
      const equal = [...(titles.get(post.title) ?? []), ...same];
      const ids = also === undefined ? [] : [...equal.map(({ id }) => id), ...also];
      return [post.name, [...new Set(ids)].toSorted((one, other) => one - other)];
    }),
  );
}
