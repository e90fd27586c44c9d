import { InvalidArgumentError } from 'commander';
import type { ArticleReference } from '../../client/blog-client.ts';
import type { Context } from '../context.ts';
import { BlogctlError } from '../../errors.ts';
import { fileAddress, readTarget, targetName } from '../../settings/target.ts';
import type { Change } from '../../importing/runs/journal-lines.ts';
import type { Undone } from '../../importing/runs/memory.ts';
import type { UndoWorld } from '../../importing/sending/undo.ts';
import type { Terminal } from '../../terminal/terminal.ts';
import { counted, inShell } from '../../terminal/text.ts';
import { type ArticleArgument, articleReference } from '../arguments.ts';

/** An article as the command line names it; `-` stands for the lines of stdin. */
export type NamedArticle = ArticleArgument | '-';

/** What was named, each once, with the lines of stdin in the place of `-`; empty lines are passed over. */
export async function resolveNamed(
  named: readonly NamedArticle[],
  context: Context,
): Promise<readonly ArticleArgument[]> {
  const resolved: ArticleArgument[] = [];
  for (const each of named) {
    const all = each === '-' ? readLines(await context.terminal.readInput()) : [each];
    for (const one of all) resolved.push(one);
  }
  for (const { store } of resolved) if (store !== undefined) await requireChosen(store, context);
  const byName = resolved.map((each) => ['id' in each ? each.id : each.url, each] as const);
  return [...new Map(byName).values()];
}

/** An address names its blog, and the command is about one. */
export async function requireChosen(store: string, context: Context): Promise<void> {
  const { value: chosen } = await context.chosen();
  const named = readTarget(store, context.folder);
  if (targetName(named) === targetName(chosen)) return;
  throw new BlogctlError('usage', `${store} is not the blog of this command.`, {
    hint: `It works on ${targetName(chosen)}; name the other with --blog ${inShell(store)} instead.`,
  });
}

function readLines(bytes: Uint8Array): ArticleArgument[] {
  const lines = Buffer.from(bytes).toString('utf8').split('\n');
  return lines.flatMap((line, at) => (line.trim() === '' ? [] : [readLine(line.trim(), at + 1)]));
}

function readLine(text: string, line: number): ArticleArgument {
  try {
    return articleReference(text);
  } catch (error) {
    if (!(error instanceof InvalidArgumentError)) throw error;
    throw new BlogctlError('unusable-input', `stdin, line ${line}: "${text}" names no article.`, {
      hint: 'Each line names one article by id or URL, as blogctl articles list --format ids prints them.',
    });
  }
}

/** The flags of a line that is about the chosen blog wherever it is pasted: an id is of one blog. */
export async function flagsOfBlog(context: Context): Promise<string> {
  const { value: target } = await context.chosen();
  const blog = target.kind === 'file' ? fileAddress(target, context) : target.url;
  const { tokenFile } = context.flags;
  return `--blog ${inShell(blog)}${tokenFile === undefined ? '' : ` --token-file ${inShell(tokenFile)}`}`;
}

/** How an article is called in messages. */
export function nameOf(reference: ArticleReference): string {
  return 'id' in reference ? `article ${reference.id}` : reference.url;
}

/** The same done to several articles, where one that fails does not keep the others from it. */
type Attempts = {
  /** The result; undefined where it failed, which is told at once. */
  attempt<T>(act: () => Promise<T>): Promise<T | undefined>;
  /**
   * The results of those that succeed, to be shown: what ends the run ends them too, and is thrown
   * by `conclude`, so that what was shown by then is a whole document.
   */
  each<T, U>(things: Iterable<T>, act: (thing: T) => Promise<U>): AsyncGenerator<U, void, void>;
  /** Throws what ended the run, or `partly-failed` where something failed. */
  conclude(): void;
};

/** Failures that every other article would meet too: going on would only repeat them. */
const endsTheRun: ReadonlySet<string> = new Set([
  'authentication-required',
  'forbidden',
  'unreachable',
  'interrupted',
  'terminated',
]);

/** For `all` articles; the failure of a single one is thrown as itself. */
export function createAttempts(all: number, terminal: Terminal): Attempts {
  let failed = 0;
  let end: { readonly error: unknown } | undefined;
  const attempts: Attempts = {
    attempt: async (act) => {
      try {
        return await act();
      } catch (error) {
        if (!(error instanceof BlogctlError) || all === 1 || endsTheRun.has(error.code))
          throw error;
        failed += 1;
        await terminal.fail(error);
        return undefined;
      }
    },
    each: async function* (things, act) {
      try {
        for (const thing of things) {
          const result = await attempts.attempt(() => act(thing));
          if (result !== undefined) yield result;
        }
      } catch (error) {
        end = { error };
      }
    },
    conclude: () => {
      if (end !== undefined) throw end.error;
      if (failed === 0) return;
      throw new BlogctlError('partly-failed', `${failed} of ${all} articles failed.`, {
        hint:
          failed === all
            ? 'The reasons stand above; nothing was done.'
            : 'The reasons stand above; the other articles are done.',
      });
    },
  };
  return attempts;
}

/** What an undo asks first, before it looks at what was changed or deleted since. */
export function undoQuestion(changes: readonly Change[], blog: string): string {
  const count = (name: 'created' | 'updated' | 'deleted') =>
    changes.filter((change) => name in change).length;
  const parts = [
    [count('created'), 'delete'],
    [count('updated'), 'put back'],
    [count('deleted'), 'create again'],
  ] as const;
  const most = (times: number) => (times === 1 ? '1' : `up to ${times}`);
  const said = parts
    .filter(([times]) => times > 0)
    .map(([times, what]) => `${what} ${most(times)}`);
  return `Undo on ${blog}: ${said.join(', ')}?`;
}

const mostNamed = 20;

/** Names the articles that an undo leaves or finds at a new address: of many the first, in a dry run all. */
export function createUndoTeller(
  terminal: Terminal,
  { dryRun, record }: Pick<UndoWorld, 'dryRun' | 'record'>,
) {
  let [kept, moved, restored] = [0, 0, 0];
  const isNamed = (count: number) => dryRun || count <= mostNamed;

  async function tell({ result, url, title = '', now }: Undone): Promise<void> {
    const what = `${url} "${title}"`;
    if (result === 'kept') {
      const again = now && `created again with another text: ${now}, once ${what}`;
      if (isNamed((kept += 1))) await terminal.warn(`Kept, ${again ?? `changed since: ${what}`}`);
    } else if (result === 'unknown') {
      await terminal.warn(`Sent, and not clearly answered: ${what}, to be created again`);
    } else if (dryRun && result !== 'nothing') await terminal.notice(`Would be ${result}: ${what}`);
    else if (now !== undefined) {
      if (result === 'restored') restored += 1;
      if (isNamed((moved += 1)))
        await terminal.notice(`${url} is ${now} now; links to it stay gone.`);
    }
  }

  async function end(): Promise<void> {
    const isNoted = restored > 0 && record.id !== undefined;
    const where = isNoted ? `; blogctl runs show ${record.id} names what this created` : '';
    if (!isNamed(moved)) await terminal.notice(`and ${moved - mostNamed} more${where}`);
    const left = `and ${kept - mostNamed} more kept; the same line with --dry-run names them all`;
    if (!isNamed(kept)) await terminal.warn(left);
  }

  return { tell, end };
}

export function undoSummary(
  counts: Readonly<Record<Undone['result'] | 'changes', number>>,
  dryRun: boolean,
): string {
  const would = dryRun ? 'would be ' : '';
  const { changes, deleted, restored, kept, nothing, unknown } = counts;
  const done = { [`${would}deleted`]: deleted, [`${would}restored`]: restored };
  const said = counted({ ...done, kept, 'nothing to do': nothing, unknown });
  return `${changes} ${changes === 1 ? 'change' : 'changes'}${said && `: ${said}`}.\n`;
}

export function someKept(kept: number, dryRun: boolean): BlogctlError {
  const [what, them] = kept === 1 ? ['1 article was', 'it'] : [`${kept} articles were`, 'them'];
  const would = dryRun ? 'would be ' : '';
  const message = `${what} changed since that run, and ${would}left alone.`;
  return new BlogctlError('partly-failed', message, {
    hint: `Look at ${them} with blogctl articles get; the others ${would || 'are '}undone.`,
  });
}

/** As an import says it of its records. */
export function someUnknown(unknown: number, candidates: readonly string[]): BlogctlError {
  const what = unknown === 1 ? '1 article' : `${unknown} articles`;
  const message = `Sent to be created again, and not clearly answered: ${what}.`;
  return new BlogctlError('partly-failed', message, {
    hint: 'The same line looks for them again, and creates none twice. Where the blog has none of them, blogctl articles create makes them.',
    details: candidates
      .slice(0, mostNamed)
      .map((url) => ({ detail: `${url} may be one of them: no answer accounts for it.` })),
  });
}

const ofFolders =
  'The folder still says what is undone: take that back there, too, as with git revert.';
const ofImports =
  'What is created again is another article: an import of the same records takes it for deleted, and --recreate makes it twice.';

/** What an undo cannot know of. */
export function remindersOf(command: string | undefined, again: boolean): readonly string[] {
  return [...(command === 'sync apply' ? [ofFolders] : []), ...(again ? [ofImports] : [])];
}

export function nothingNamed(): BlogctlError {
  return new BlogctlError('usage', 'Nothing is named that could be undone.', {
    hint: 'Name a run (blogctl runs list shows them), or --source with what was imported.',
  });
}

export function nothingFound(sources: readonly string[]): BlogctlError {
  const what = `The blog has seen no record of ${sources.join(', ')}: nothing is undone.`;
  return new BlogctlError('not-found', what, {
    hint: 'Give what that import was given: the blog, --import-id, --title-from, --map and the like. blogctl runs list --all shows the imports that are known here.',
  });
}
