import { existsSync, readFileSync, rmSync, statSync } from 'node:fs';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ArticleDraft, NewArticle } from '../../client/blog-client.ts';
import type { Context } from '../context.ts';
import { BlogctlError } from '../../errors.ts';
import { decodeText, PRIVATE_FILE, PRIVATE_FOLDER, replaceFile } from '../../files.ts';
import { finishPost, openPost, type OpenedPost } from '../../importing/sources/formats/post.ts';
import { firstReason, lineOfConflict } from '../../importing/sources/publicity.ts';
import { ValidationError } from '../../importing/sources/source.ts';
import { dataFolder } from '../../settings/target.ts';
import { fileInShell } from '../../terminal/text.ts';
import { flagsOfBlog } from './named-articles.ts';

/** An article as Markdown: the title in front matter, then the content to the letter. */
export function toMarkdown({ title, content = '' }: ArticleDraft): string {
  return `---\ntitle: ${isPlainYaml.test(title) ? title : JSON.stringify(title)}\n---\n${content}`;
}

/** What YAML reads as these very characters without quotation marks. */
const isPlainYaml = /^\p{L}(?:[\p{L}\p{N} ,.;()/?!+=*~-]*[\p{L}\p{N}.)?!])?$/u;

/**
 * Title and content of such a text, read like a post that is imported. A title that is no YAML, such
 * as `Go: a tour`, is taken as it stands; where `hasTitle`, the text needs none.
 */
export function fromMarkdown(text: string, name: string, hasTitle = false): NewArticle {
  try {
    return draftOf(text, name, hasTitle);
  } catch (error) {
    if (!(error instanceof ValidationError)) throw error;
    const quoted = text.replace(
      plainTitle,
      (_line, title: string) => `title: ${JSON.stringify(title)}`,
    );
    const again = orUndefined(() => draftOf(quoted, name, hasTitle));
    if (again !== undefined) return again;
    if (orUndefined(() => draftOf(text, name, true)) !== undefined) throw untitled(name, error);
    // A head would publish what was refused for what it holds; that message says what to do.
    const isHead = error.class !== 'content';
    throw new BlogctlError('unusable-input', `${name}: ${error.message}`, {
      ...(isHead && { hint: 'It begins with a line ---, a line "title: …" and a line ---.' }),
      cause: error.cause,
    });
  }
}

/** Whether such a text is one. */
export function isArticle(...given: Parameters<typeof fromMarkdown>): boolean {
  try {
    return fromMarkdown(...given) !== undefined;
  } catch {
    return false;
  }
}

const plainTitle = /^title:[ \t]+(?!["'|>&*!])(.*\S)[ \t]*$/m;

function draftOf(text: string, name: string, hasTitle: boolean): NewArticle {
  const post = openPost(text);
  const { title, content } = finishPost(post, name, hasTitle ? 'filename' : undefined);
  refuseDraft(post, name);
  return { title, content };
}

/** Throws where a text says that it is not public (decisions 50); one that is no post says nothing. */
export function requirePublic(text: string, name: string): Pick<OpenedPost, 'hasFrontMatter'> {
  const post = orUndefined(() => openPost(text));
  if (post !== undefined) refuseDraft(post, name);
  return post ?? { hasFrontMatter: false };
}

function refuseDraft({ head }: OpenedPost, name: string): void {
  const reason = firstReason(head.signs, { drafts: false, now: Date.now() });
  if (reason === undefined) return;
  throw new BlogctlError('unusable-input', `${name} says that it is not public: ${reason}.`, {
    hint: 'Take that out of its front matter if it is to be public now.',
  });
}

export function refuseConflict(text: string, name: string): void {
  const line = lineOfConflict(text);
  if (line === undefined) return;
  throw new BlogctlError('unusable-input', `Line ${line} of ${name} is of a conflict of git.`, {
    hint: 'Settle it, or show it as a block of code.',
  });
}

function orUndefined<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof ValidationError) return undefined;
    throw error;
  }
}

function untitled(name: string, cause: ValidationError): BlogctlError {
  return new BlogctlError('unusable-input', `${name} has no title in its front matter.`, {
    hint: 'Begin it with a line ---, a line "title: …" and a line ---; create and update also take --title.',
    cause: cause.cause,
  });
}

/**
 * What an edited text says of the article it came from. A last line break that only the editor has
 * added is taken away, line ends stay of the kind they were, and content that was not there and is still
 * empty stays absent.
 */
export function fromEdited(text: string, name: string, before: ArticleDraft): ArticleDraft {
  const { title, content } = fromMarkdown(text, name);
  const had = before.content ?? '';
  const edited = had.endsWith('\n') ? content : content.replace(/\r?\n$/, '');
  const ends = new Set(had.match(/\r?\n/g));
  const [end = '\n'] = ends;
  const same = ends.size > 1 ? edited : edited.replaceAll(/\r?\n/g, end);
  const isAbsent = before.content === undefined && same === '';
  return { title, ...(!isAbsent && { content: same }) };
}

/** A text in a file of its own that outlives every failure until it is saved. */
export type KeptText = {
  readonly path: string;
  /** The line that saves a text to the same blog, but for `--from-file`. */
  readonly saving: string;
  read(): Promise<Uint8Array>;
  /** Writes another version beside it (`base`, `theirs`); answers its path. */
  beside(version: string, text: string): Promise<string>;
  remove(): Promise<void>;
  /** The failure, with the path of the text in its hint; a text that nobody has touched goes instead. */
  mention(error: BlogctlError): BlogctlError;
};

type NewText = {
  readonly name: string;
  readonly text: string;
  /** The words of a command that takes it from a file. */
  readonly save: string;
  /** Flags that keep it from writing over a version that is newer than this text. */
  readonly guard?: string;
};

/** In `drafts` of the data folder: temporary folders are emptied when nobody looks. */
export async function keepText(
  { name, text, save, guard = '' }: NewText,
  context: Context,
): Promise<KeptText> {
  const { env, platform } = context;
  const flags = await flagsOfBlog(context);
  const saving = `blogctl articles ${save} ${flags}`;
  const folder = join(dataFolder({ env, platform }), 'drafts');
  await mkdir(folder, { recursive: true, mode: PRIVATE_FOLDER });
  const stem = join(folder, `${name}-${Date.now()}-${process.pid}`);
  const path = `${stem}.md`;
  await writeFile(path, text, { mode: PRIVATE_FILE, flag: 'wx' });
  return {
    path,
    saving,
    read: () => readFile(path).catch((cause: unknown) => cannotRead(path, cause)),
    beside: async (version, other) => {
      await replaceFile(`${stem}.${version}.md`, other);
      return `${stem}.${version}.md`;
    },
    remove: () => rm(path, { force: true }),
    mention: (error) => {
      if (!existsSync(path)) return error;
      if (statSync(path).isFile() && readFileSync(path, 'utf8') === text) {
        rmSync(path);
        return error;
      }
      const isNamed = error.context.details?.some(({ detail }) => detail.endsWith(path)) === true;
      if (isNamed) return error;
      const isGone = /^(?:gone|not-found)$/.test(error.code);
      const line = isGone ? `blogctl articles create ${flags}` : `${saving}${guard}`;
      const how = isGone ? ' as a new article' : '';
      return error.hinting(
        `Your text in ${path} is kept: ${line} --from-file ${fileInShell(path)} saves it${how}.`,
      );
    },
  };
}

/** An editor may also move or remove the file. */
function cannotRead(path: string, cause: unknown): never {
  throw new BlogctlError('unusable-input', `What was edited cannot be read: ${path}`, {
    hint: 'Nothing was changed; set EDITOR to an editor that saves to the file it is given.',
    cause,
  });
}

/**
 * Opens an editor until what was written can be read: where it cannot, and somebody is there, the
 * mistake is named and the editor opened again. Whoever leaves nothing wants nothing, as in git.
 */
export async function editUntilRead<T>(
  kept: KeptText,
  { env, platform, terminal, flags }: Pick<Context, 'env' | 'platform' | 'terminal' | 'flags'>,
  reader: (written: string) => T,
): Promise<T> {
  const { editFile } = await import('../../terminal/subprocess.ts');
  for (;;) {
    await editFile(kept.path, env, platform);
    const bytes = await kept.read();
    try {
      const written = decodeText(bytes, kept.path);
      if (written.trim() !== '') return reader(written);
      await kept.remove();
      throw new BlogctlError('cancelled', 'Cancelled: what was edited is empty.');
    } catch (error) {
      const isMistake = error instanceof BlogctlError && error.code === 'unusable-input';
      if (!isMistake || !terminal.mayAsk || flags.yes === true) throw error;
      await terminal.warn(`${error.message}\n${error.context.hint ?? ''}`);
      if (!(await terminal.confirm('Open the editor again?'))) throw error;
    }
  }
}

/** Opens an editor on a new text and sends what was written; whatever fails, the text is kept. */
export async function writeInEditor(
  { title = '', content = '' }: Partial<NewArticle>,
  context: Context,
  send: (draft: NewArticle) => Promise<void>,
): Promise<void> {
  const before = `---\ntitle: ${title === '' ? '' : JSON.stringify(title)}\n---\n${content}`;
  const kept = { name: 'new-article', text: before, save: 'create' };
  const text = await keepText(kept, context);
  try {
    const draft = await editUntilRead(text, context, (written) =>
      written === before ? undefined : fromMarkdown(written, text.path),
    );
    if (draft === undefined) {
      await text.remove();
      throw new BlogctlError('cancelled', 'Cancelled: nothing was written.');
    }
    await send(draft);
    await text.remove();
  } catch (error) {
    const isKept = error instanceof BlogctlError && error.code !== 'cancelled';
    throw isKept ? text.mention(error) : error;
  }
}

/** An editor that is named may be a program that needs nobody; ours would wait for ever. */
export function requireEditor({ env, terminal }: Context, instead: Capitalize<string>): void {
  if (terminal.mayAsk || env['BLOGCTL_EDITOR'] || env['VISUAL'] || env['EDITOR']) return;
  throw new BlogctlError('usage', 'Nobody can write in an editor here.', {
    hint: `${instead}, or name an editor by BLOGCTL_EDITOR.`,
  });
}
