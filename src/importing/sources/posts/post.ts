import { basename, dirname, extname } from 'node:path/posix';

import { splitFrontMatter, type FrontMatter } from './front-matter.ts';
import type { Head } from './head.ts';
import { readJsonHead } from './json-head.ts';
import { checkText, checkTitle } from '../record-text.ts';
import { Flaw, type Notice, type ReadingOptions } from '../source.ts';
import { readTomlHead } from './toml-head.ts';
import { readYamlHead } from './yaml-head.ts';

export type Post = {
  readonly title: string;
  readonly content: string;
  readonly draft: boolean;
  readonly notices: readonly Notice[];
};

const nothing: Head = { draft: false, notices: [] };
const readers = { yaml: readYamlHead, toml: readTomlHead, json: readJsonHead } as const;

/**
 * A Markdown or HTML file as title and content. The content is the text after the front matter,
 * untouched; the title is never guessed: without one, `titleFrom` must say where it stands.
 */
export function readPost(text: string, path: string, titleFrom: ReadingOptions['titleFrom']): Post {
  const frontMatter = splitFrontMatter(text);
  const head = frontMatter === undefined ? nothing : readHead(frontMatter);
  const content = frontMatter?.content ?? text;
  const title = head.title?.trim() || titleElsewhere(content, path, titleFrom);
  if (title === undefined) throw withoutTitle(frontMatter !== undefined);
  return { ...head, title: checkTitle(title), content: checkText('content', content) };
}

function readHead({ language, text }: FrontMatter): Head {
  return readers[language](text);
}

function titleElsewhere(
  content: string,
  path: string,
  titleFrom: ReadingOptions['titleFrom'],
): string | undefined {
  if (titleFrom === 'filename') return titleOfFile(path);
  return titleFrom === 'h1' ? firstHeading(content) : undefined;
}

/** `2020-05-01-spring-clean.md` is "spring clean"; `spring-clean/index.md` too. */
function titleOfFile(path: string): string {
  const own = basename(path, extname(path));
  const name = own === 'index' ? basename(dirname(path)) : own;
  const words = name.replace(/^\d{4}-\d{1,2}-\d{1,2}-/, '').replaceAll(/[-_]+/g, ' ');
  return words.trim() || own;
}

/** The first line, blank ones aside, when it is a heading of the first level. */
function firstHeading(content: string): string | undefined {
  const atx = /^\s*#[ \t]+([^\n]*?)(?:[ \t]+#+)?[ \t\r]*(?:\n|$)/.exec(content);
  const setext = /^\s*([^\s#>=-][^\n]*?)[ \t\r]*\n=+[ \t\r]*(?:\n|$)/.exec(content);
  return (atx ?? setext)?.[1]?.trim() || undefined;
}

function withoutTitle(hasFrontMatter: boolean): Flaw {
  const what = hasFrontMatter ? 'The front matter has no title' : 'No front matter, so no title';
  return new Flaw('title', `${what}. Add one, or choose --title-from h1 or --title-from filename.`);
}
