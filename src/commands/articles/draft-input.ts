import { existsSync, statSync } from 'node:fs';
import { extname, resolve } from 'node:path';
import { type Command, Option } from 'commander';
import type { Context } from '../context.ts';
import { BlogctlError } from '../../errors.ts';
import { beginningOf, decodeText, hasCode, openInput, readInput } from '../../files.ts';
import { fileInShell } from '../../terminal/text.ts';

/** Where title and content of an article come from. */
export type DraftFlags = {
  readonly title?: string;
  readonly content?: string;
  readonly contentFile?: string;
  readonly fromFile?: string;
};

/** What was given; any of it may be absent. */
export type PartialDraft = {
  readonly title?: string;
  readonly content?: string;
  /** The article that a file says it is (decisions 55). */
  readonly address?: string | undefined;
};

export function addDraftFlags(command: Command): void {
  command
    .option('--title <text>', 'the title')
    .addOption(
      new Option('--content <text>', 'the content').conflicts(['contentFile', 'clearContent']),
    )
    .addOption(
      new Option('--content-file <file>', 'the content, from a file or - for stdin').conflicts(
        'clearContent',
      ),
    )
    .option(
      '--from-file <file>',
      'title and content from a .md or .json file, or JSON on stdin with -',
    );
}

/** Flags of their own outrank what a file says. */
export async function readDraft(flags: DraftFlags, context: Context): Promise<PartialDraft> {
  if (flags.contentFile === '-' && flags.fromFile === '-') throw onlyOneStdin();
  refuseFileAsText(flags.content ?? '', context.folder);
  const file =
    flags.fromFile === undefined
      ? {}
      : await readFromFile(flags.fromFile, flags.title !== undefined, context);
  const content =
    flags.contentFile === undefined
      ? flags.content
      : await readInputText(flags.contentFile, context);
  if (flags.contentFile === '-' && content === '') throw nothingRead();
  // Loaded only for what may have front matter: that is YAML.
  if (content !== undefined && /^(?:---|\+\+\+)\s/.test(content)) {
    const { requirePublic } = await import('./edited-text.ts');
    const { contentFile = 'The content' } = flags;
    const given = contentFile === '-' ? 'stdin' : contentFile;
    const { hasFrontMatter } = requirePublic(content, given);
    if (hasFrontMatter && existsSync(resolve(context.folder, contentFile)))
      await context.terminal.warn(
        `The front matter of ${given} is sent as text; --from-file ${fileInShell(given)} reads it.`,
      );
  }
  return {
    ...file,
    ...(flags.title !== undefined && { title: flags.title }),
    ...(content !== undefined && { content }),
  };
}

/** `-`, `@notes.md`, `<(command)` and the name of a file that is there are how others name it: they would be published as they stand. */
function refuseFileAsText(content: string, folder: string): void {
  const [, named] = /^@(\S+)$/.exec(content) ?? [];
  const isNamed = /^(?:-|\/(?:dev|proc\/self)\/fd\/\d+)$/.test(content) || isFile(content, folder);
  const file = named ?? (isNamed ? content : undefined);
  if (file === undefined) return;
  const what = file === '-' ? 'stdin' : 'a file';
  const mayHaveHead = markdown.has(extname(file).toLowerCase());
  const hasHead =
    mayHaveHead && /^\uFEFF?(?:---|\+\+\+)\s/.test(beginningOf(resolve(folder, file)));
  const given = fileInShell(file);
  throw new BlogctlError('usage', `"${content}" names ${what}: --content takes the text itself.`, {
    hint:
      file === '-'
        ? 'Give --content-file -, and the text on stdin.'
        : hasHead
          ? `Give --from-file ${given}, which reads its front matter.`
          : `Give --content-file ${given}; by --content-file - such a text comes from stdin.`,
  });
}

/** A word alone may be a text: what has an ending is a file, where it is there. */
function isFile(text: string, folder: string): boolean {
  const path = resolve(folder, text);
  return /^\S.*\.\w{1,8}$/.test(text) && existsSync(path) && statSync(path).isFile();
}

const markdown = new Set(['.md', '.markdown', '.mdx', '.html']);

async function readFromFile(
  path: string,
  hasTitle: boolean,
  context: Context,
): Promise<PartialDraft> {
  const text = await readInputText(path, context);
  const kind = extname(path).toLowerCase();
  if (path === '-' || kind === '.json') return readJson(text, path === '-' ? 'stdin' : path);
  if (markdown.has(kind)) {
    // Loaded only for a file that needs it: front matter is YAML.
    const { fromMarkdown, refuseConflict } = await import('./edited-text.ts');
    const { openPost } = await import('../../importing/sources/formats/post.ts');
    refuseConflict(text, path);
    return { ...fromMarkdown(text, path, hasTitle), address: openPost(text).head.article };
  }
  throw new BlogctlError('usage', `${path} is of no kind --from-file reads.`, {
    hint: `Give a .json file with title and content, or a .md file with the title in its front matter; several articles come by \`blogctl articles import ${fileInShell(path)}\`.`,
  });
}

/** Members an article has when it is read; they are not sent. */
const ofTheService = new Set(['id', 'url', 'address', '_links', '_embedded']);

function readJson(text: string, path: string): PartialDraft {
  const value = parseObject(text, path);
  const draft: { title?: string; content?: string; address?: string } = {};
  for (const [name, member] of Object.entries(value)) {
    if (/^(?:url|address)$/.test(name) && typeof member === 'string') draft.address = member;
    if (ofTheService.has(name)) continue;
    if (name !== 'title' && name !== 'content') throw unknownMember(name, path);
    if (typeof member !== 'string') throw notText(name, member, path);
    draft[name] = member;
  }
  return draft;
}

function parseObject(text: string, path: string): object {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw unusable(`${path} is not JSON: ${error.message}.`);
  }
  if (/^\s*\[/.test(text) && path !== 'stdin')
    throw new BlogctlError('unusable-input', `${path} holds a list, and no JSON object.`, {
      hint: `Several articles come by \`blogctl articles import ${fileInShell(path)}\`.`,
    });
  throw unusable(`${path} holds no JSON object.`);
}

function unknownMember(name: string, path: string): BlogctlError {
  return unusable(`${path} has a member "${name}" that an article does not have.`);
}

function notText(name: string, value: unknown, path: string): BlogctlError {
  const kind = Array.isArray(value) ? 'a list' : 'an object';
  const what = typeof value === 'object' && value !== null ? kind : JSON.stringify(value);
  return unusable(`The ${name} in ${path} is not a string but ${what}.`);
}

function unusable(message: string): BlogctlError {
  const hint = message.startsWith('stdin')
    ? 'An article is {"title": "…", "content": "…"}; a text alone comes by --content-file -, Markdown with a head by `blogctl articles import -`.'
    : 'An article is {"title": "…", "content": "…"}.';
  return new BlogctlError('unusable-input', message, { hint });
}

/** The command before a pipe may have failed. */
function nothingRead(): BlogctlError {
  return new BlogctlError('unusable-input', 'Nothing came from stdin for --content-file.', {
    hint: 'Give --content "" where an empty content is meant.',
  });
}

function onlyOneStdin(): BlogctlError {
  return new BlogctlError('usage', 'Both --content-file and --from-file are to read stdin.', {
    hint: 'Give a file to one of them.',
  });
}

/** The text of a file, or of stdin for `-`. */
export async function readInputText(path: string, context: Context): Promise<string> {
  const bytes = path === '-' ? await context.terminal.readInput() : await readBytes(path, context);
  return decodeText(bytes, path === '-' ? 'stdin' : path);
}

async function readBytes(path: string, { folder, signal, terminal }: Context): Promise<Uint8Array> {
  try {
    const notice = (text: string) => terminal.notice(text);
    const input = await openInput(resolve(folder, path), { notice });
    return await readInput(input, { name: path, signal });
  } catch (error) {
    if (error instanceof BlogctlError) throw error;
    throw new BlogctlError('unusable-input', `${path} cannot be read.`, {
      hint: hasCode(error, 'EISDIR')
        ? `The articles of a folder come by \`blogctl articles import ${fileInShell(path)}\`.`
        : 'Name a file, or - for stdin.',
      cause: error,
    });
  }
}
