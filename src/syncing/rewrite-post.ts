import { splitFrontMatter, type FrontMatter } from '../importing/sources/posts/front-matter.ts';
import { readPost } from '../importing/sources/posts/post.ts';
import { Flaw, type ReadingOptions } from '../importing/sources/source.ts';
import { quoted } from '../importing/targets/portable.ts';
import { digestOf, sameForm } from './same-text.ts';

type Text = { readonly title: string; readonly content: string };

/**
 * The text of a file with another title and content: of the front matter only the title's value is
 * replaced, and the content keeps the line ends and blank edges of the file. Undefined where that does
 * not read back as what was meant, as with a title of several lines or one that is the file's name.
 */
export function rewritePost(
  file: string,
  path: string,
  { to, titleFrom }: { readonly to: Text; readonly titleFrom: ReadingOptions['titleFrom'] },
): string | undefined {
  const now = readPost(file, path, titleFrom);
  const frontMatter = splitFrontMatter(file);
  const content = frontMatter?.content ?? file;
  const head = file.slice(0, file.length - content.length);
  const isSameTitle = sameForm(now).title === sameForm(to).title;
  const newHead =
    isSameTitle || frontMatter === undefined ? head : withTitle(head, frontMatter, to.title);
  const written = newHead + inTheFormOf(content, to.content);
  return readsAs(written, path, { to, titleFrom }) ? written : undefined;
}

function readsAs(
  file: string,
  path: string,
  { to, titleFrom }: { readonly to: Text; readonly titleFrom: ReadingOptions['titleFrom'] },
): boolean {
  try {
    return digestOf(readPost(file, path, titleFrom)).digest === digestOf(to).digest;
  } catch (error) {
    if (error instanceof Flaw) return false;
    throw error;
  }
}

/** Where a title of one line stands, by language: what is before its value, and the value. */
const titles: Readonly<Record<FrontMatter['language'], RegExp>> = {
  yaml: /^(title[ \t]*:[ \t]*)("(?:[^"\\\n]|\\.)*"|'(?:[^'\n]|'')*'|[^\s"'|>#&*!{[\n][^\n]*?(?=[ \t]+#|[ \t\r]*$))/im,
  toml: /^(title[ \t]*=[ \t]*)("(?:[^"\\\n]|\\.)*"|'[^'\n]*')/im,
  json: /("title"\s*:\s*)("(?:[^"\\\n]|\\.)*")/i,
};

function withTitle(head: string, { language }: FrontMatter, title: string): string {
  const value = quoted(title);
  return head.replace(titles[language], (_all, before: string) => before + value);
}

function inTheFormOf(old: string, content: string): string {
  const lead = /^[\r\n]*/.exec(old)?.[0] ?? '';
  const trail = old.trim() === '' ? '' : (/\s*$/.exec(old)?.[0] ?? '');
  const text = sameForm({ title: '', content }).content;
  return lead + (old.includes('\r\n') ? text.replaceAll('\n', '\r\n') : text) + trail;
}
