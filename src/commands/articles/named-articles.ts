import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { InvalidArgumentError } from 'commander';
import type { ArticleReference } from '../../client/blog-client.ts';
import type { Context } from '../context.ts';
import { BlogctlError } from '../../errors.ts';
import { dataFolder, fileAddress, readTarget, targetName } from '../../settings/target.ts';
import type { Change, Run } from '../../importing/runs/journal-lines.ts';
import type { KnownRun, RunJournal } from '../../importing/runs/runs.ts';
import type { UndoWorld } from '../../importing/sending/undo.ts';
import type { Terminal } from '../../terminal/terminal.ts';
import { fileInShell, inShell } from '../../terminal/text.ts';
import { type ArticleArgument, articleReference } from '../arguments.ts';
import { type ReadingFlags, readSources } from '../source-flags.ts';

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

const ofImports =
  'What is created again is another article: an import of the same records where this run is not kept takes it for deleted, and --recreate makes it twice.';

/** What an undo does not do: `isSaid` by the folder of a sync, undefined where that cannot be read. */
export function remindersOf(isSaid: boolean | undefined, isKeyed: boolean): readonly string[] {
  const where = isSaid === true ? 'The' : 'Where its';
  const ofFolder = `${where} folder still says what is undone${isSaid === true ? ':' : ','} take that back there, too, as with git revert.`;
  return [...(isSaid === false ? [] : [ofFolder]), ...(isKeyed ? [ofImports] : [])];
}

export function nothingNamed(): BlogctlError {
  return new BlogctlError('usage', 'Nothing is named that could be undone.', {
    hint: 'Name a run (blogctl runs list shows them), or --source with what was imported.',
  });
}

/** Whoever names what was imported has left out `--source`. */
export function orSource(name: string, verb: string, { folder }: Context) {
  return (error: unknown): never => {
    const isSource = verb === 'undo' && existsSync(resolve(folder, name));
    if (!isSource || !(error instanceof BlogctlError)) throw error;
    const line = `blogctl runs undo --source ${fileInShell(name)}`;
    throw error.hinting(`Run \`${line}\` to take back what imports of it created.`);
  };
}

export function nothingFound(sources: readonly string[]): BlogctlError {
  const what = `The blog has seen no record of ${sources.join(', ')}: nothing is undone.`;
  return new BlogctlError('not-found', what, {
    hint: 'Give what that import was given: the blog, --import-id, --title-from, --map and the like. blogctl runs list --all shows the imports that are known here.',
  });
}

/** Where enough `isNoted`, sources that are gone and a blog that is asked by no keys are no failure. */
export async function lookUp(
  sources: readonly string[],
  options: ReadingFlags,
  context: Context,
  isNoted = false,
) {
  const { findCreated } = await import('../../importing/sending/undo.ts');
  try {
    return await readSources(sources, options, context, async (opened) =>
      findCreated(opened, options.importId, await context.client()),
    );
  } catch (error) {
    if (!(isNoted && error instanceof BlogctlError && lost.has(error.code))) throw error;
    await context.terminal.warn(`${error.message} What was noted of its import is taken back.`);
    return { changes: [], deleted: 0 };
  }
}

const lost: ReadonlySet<string> = new Set(['unusable-input', 'broken-contract']);

/** Whether the folder of a sync still says some of what was undone; undefined where it cannot be read. */
export async function isStillSaid(
  undone: readonly Change[],
  run: KnownRun | undefined,
  context: Context,
) {
  if (run?.command !== 'sync apply' || undone.length === 0) return false;
  const { sayStill } = await import('../../syncing/same-text.ts');
  const { createKeyedEntries } = await import('../../importing/sources/keyed-entries.ts');
  const folders = run.sources.map((source) => resolve(run.folder, source));
  const reading = { drafts: false, ...run.options };
  try {
    return await readSources(folders, reading, context, (sources) =>
      sayStill(createKeyedEntries(sources, undefined).read(), undone),
    );
  } catch (error) {
    if (error instanceof BlogctlError) return undefined;
    throw error;
  }
}

/** Notes what an undo finds created again, where no run did: the one that made it was killed. */
export function foundAgain(
  run: Omit<Run, 'id' | 'started'>,
  record: RunJournal,
  context: Context,
): UndoWorld['found'] {
  const begun = { ...run, id: '', started: new Date().toISOString() };
  const others = async () => {
    const { createdByOthers } = await import('../../importing/sending/undo.ts');
    return createdByOthers(dataFolder(context), begun);
  };
  let known: ReturnType<typeof others> | undefined;
  return async ({ url, digest }, { deleted }) => {
    const isNoted = (await (known ??= others()))(url, digest);
    if (!isNoted) record.note({ created: url, digest: digest.slice(0, 32), instead: deleted });
  };
}
