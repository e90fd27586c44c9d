import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { type Command, InvalidArgumentError, Option } from 'commander';
import type { Context } from '../context.ts';
import { BlogctlError } from '../../errors.ts';
import { tolerates, type Tolerance } from '../../importing/import-request.ts';
import { countActions, type SyncPlan } from '../../syncing/decide.ts';
import {
  actionsOf,
  planSchema,
  type Lines,
  type PlanDocument,
} from '../../syncing/plan-document.ts';
import { failureAsMarkdown } from '../../syncing/report.ts';
import { fileAddress } from '../../settings/target.ts';
import { fileInShell, inShell } from '../../terminal/text.ts';
import { formatOfFile } from '../../terminal/view.ts';
import { pathsBelow, postPaths, stepsAt, tolerance } from '../arguments.ts';
import { addSourceFlags } from '../source-flags.ts';
import {
  prepare,
  type Adopted,
  type SyncRequest,
  type Prepared,
  type SyncFlags,
} from './prepare.ts';
import { missingPosts, showPlan, unreadable, waysFrom } from './show-sync.ts';

type PlanFlags = SyncFlags & { readonly exitCode?: boolean };

export function define(command: Command, context: Context, run = plan): void {
  command
    .argument('<folder>', 'folder of Markdown')
    .argument(
      '[path...]',
      'only these posts, or those of folders, as the plan shows them',
      postPaths,
    )
    .option('--exit-code', 'end with 11 where there is something to do or to look at');
  addSyncFlags(addChoices(command))
    .addHelpText(
      'after',
      `
Says what blogctl sync apply would do, and changes nothing. Reading needs no token. -o keeps the plan
for apply; --format md writes it for a pull request.

Examples:
  blogctl sync plan posts
  blogctl sync plan posts --prune -o plan.json
  blogctl sync plan posts 2024/letter.md --on-drift overwrite
  blogctl sync plan posts --format md > plan.md`,
    )
    .action((folder: string, paths: readonly string[], flags: PlanFlags) =>
      run(folder, paths, { flags, context }),
    );
}

/** Says what an apply would do; changes nothing. */
async function plan(
  named: string,
  posts: readonly string[],
  { flags, context }: { readonly flags: PlanFlags; readonly context: Context },
): Promise<void> {
  requireJson(context);
  const paths = pathsBelow(resolve(context.folder, named), posts);
  const whole = await prepare(named, { flags, context, paths }).catch(async (error: unknown) => {
    if (error instanceof BlogctlError && context.terminal.format === 'md') {
      await context.terminal.write(failureAsMarkdown(error, flags.importId ?? ''));
    }
    throw error;
  });
  const steps = stepsAt(whole.plan.steps, paths, 'no post of this plan');
  const lines = await linesLike(named, { flags, paths, context });
  const prepared = { ...whole, plan: { ...whole.plan, steps } };
  const refusal = tooManyDeletes(prepared.plan, flags.maxDeletes, lines);
  const refused = refusal ? [`Apply refuses this: ${refusal.message} ${refusal.hint}`] : [];
  const document = documentOf(prepared, flags);
  const missing = missingPosts(steps, lines) ?? [];
  const warnings = [...document.warnings, ...refused].concat(missing);
  await showPlan({ ...document, warnings }, { steps, lines, context });
  const { output } = context.flags;
  const isThere = output !== undefined && existsSync(resolve(context.folder, output));
  const what = isThere ? 'The plan of before is still' : 'Nothing was kept';
  if (refusal) throw output === undefined ? refusal : refusal.hinting(`${what} in ${output}.`);
  if (whole.rejected.length > 0) throw unreadable(whole.rejected.length);
  const isQuiet = steps.every(({ action: { action } }) => quiet.has(action));
  if (flags.exitCode !== true || isQuiet) return;
  throw new BlogctlError('differences', 'The folder and the blog differ.', {
    hint: waysFrom(steps, lines),
  });
}

/** A file that is called as a plan that is kept is one. */
function requireJson({ flags: { format, json, output } }: Context): void {
  if (json === true || format === undefined || format === 'json') return;
  if (formatOfFile(output) !== 'json') return;
  throw new BlogctlError(
    'usage',
    `${output}: a plan for apply is JSON, and --format ${format} is not.`,
    {
      hint: `Leave out --format ${format} for the plan to keep, or -o for what is to be read.`,
    },
  );
}

const always = 5;
const usualShare = 0.1;

/** Why no more is deleted than a mistake should cost; undefined where it is not more. */
export function tooManyDeletes(
  { steps, managed }: Pick<SyncPlan, 'steps' | 'managed'>,
  most: Tolerance | undefined,
  lines: Lines,
): BlogctlError | undefined {
  const deletes = steps.filter(({ action }) => action.action === 'delete').length;
  const isUsual = deletes <= Math.max(always, usualShare * managed);
  if (most === undefined ? isUsual : tolerates(most, deletes, managed)) return undefined;
  const share = Math.ceil((deletes / managed) * 100);
  const what = `${deletes} of ${managed} articles would be deleted (${share} %)`;
  return new BlogctlError('conflict', `${what}: nothing was written.`, {
    hint: `Look at what ${lines.again('plan')} would delete; --max-deletes ${deletes} allows it.`,
  });
}

/** Flags of which each changes what a plan means, as commander names them. */
const fixed =
  'prune onDrift recreate adopt drafts titleFrom encoding importId continueOnError maxErrors allowEmpty exact'.split(
    ' ',
  );

/** A plan means what it meant when it was looked at. */
export function requireSameMeaning(isGiven: (name: string) => boolean): void {
  const name = fixed.find(isGiven);
  if (name === undefined) return;
  throw new BlogctlError('usage', `${flagOf(name)} would change what the plan means.`, {
    hint: 'Leave the flag out, or plan again.',
  });
}

function flagOf(name: string): string {
  return `--${name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

type Like = Pick<SyncRequest, 'flags' | 'paths' | 'context'>;

/** A line that is pasted means what this one meant: it has its flags. */
export async function linesLike(folder: string, like: Like): Promise<Lines> {
  const { flags, paths = [], context } = like;
  const { state, history, importId, titleFrom, encoding, drafts, exact } = flags;
  const { continueOnError, maxErrors, allowEmpty, prune, recreate, onDrift, maxDeletes } = flags;
  const { blog, profile } = context.flags;
  const { value: target } = await context.chosen();
  const address = target.kind === 'file' ? fileAddress(target, context) : target.url;
  const of = wordsOf({ blog, profile });
  // Ids are of one blog, wherever the line is pasted.
  const ofArticle = wordsOf({ blog: blog ?? address, profile });
  const place = [...wordsOf({ state, noHistory: !history }), ...of];
  const wrong = { continueOnError, maxErrors: textOf(maxErrors), allowEmpty };
  const read = [...wordsOf({ importId, titleFrom, encoding, drafts, exact, ...wrong }), ...place];
  const overwrite = onDrift === 'overwrite' ? onDrift : undefined;
  const chosen = { prune, recreate, onDrift: overwrite, maxDeletes: textOf(maxDeletes) };
  const adopted = [...(flags.adopt ?? [])].flatMap(([path, id]) =>
    wordsOf({ adopt: path === '' ? `${id}` : `${path}=${id}` }),
  );
  const choices = [...wordsOf(chosen), ...adopted];
  const line = (...words: readonly string[]) => ['blogctl', ...words].join(' ');
  const here = fileInShell(folder);
  return {
    prune: prune === true,
    sync: (verb, ...words) => line('sync', verb, here, ...words, ...read),
    again: (verb) => line('sync', verb, here, ...paths.map(fileInShell), ...choices, ...read),
    applyKept: line('sync apply plan.json -y', ...place),
    undo: (run) => line('runs undo', run, ...of),
    article: (verb, id) => line('articles', verb, `${id}`, ...ofArticle),
  };
}

function wordsOf(flags: Readonly<Record<string, string | boolean | undefined>>): string[] {
  return Object.entries(flags).flatMap(([name, value]) => {
    if (value === undefined || value === false) return [];
    if (value === true) return [flagOf(name)];
    // What begins as a flag does is a value behind a `=` alone.
    return `${flagOf(name)}${value.startsWith('-') ? '=' : ' '}${inShell(value)}`;
  });
}

function textOf(most: Tolerance | undefined): string | undefined {
  if (most?.kind === 'count') return `${most.most}`;
  return most?.kind === 'share' ? `${Number((most.most * 100).toFixed(9))}%` : undefined;
}

const quiet: ReadonlySet<string> = new Set(['unchanged', 'unmanaged']);

function documentOf(
  { folder, rejected, skipped, owner, plan: { steps }, warnings }: Prepared,
  flags: SyncFlags,
): PlanDocument {
  const { drafts, titleFrom, encoding, exact, continueOnError, allowEmpty } = flags;
  const { onDrift, recreate, maxDeletes, state } = flags;
  const adopt = flags.adopt && [...flags.adopt];
  const reading = { drafts, titleFrom, encoding, exact, continueOnError, allowEmpty };
  const options = { ...reading, onDrift, recreate, adopt, maxDeletes, state };
  const actions = actionsOf(steps, owner.blog);
  const prune = flags.prune === true;
  const summary = countActions(steps.map(({ action }) => action));
  return {
    schema: planSchema,
    ...owner,
    folder: folder.named,
    prune,
    options,
    summary,
    warnings,
    rejected,
    skipped,
    actions,
  };
}

/** The flags that plan and apply share. */
export function addChoices(command: Command): Command {
  return command
    .option('--prune', 'delete articles whose file is gone')
    .addOption(
      new Option('--on-drift <what>', 'with what was changed on the blog')
        .choices(['keep', 'overwrite'])
        .default('keep'),
    )
    .option('--recreate', 'create again what was deleted on the blog')
    .option('--adopt <path=id|none>', 'which article a post is, where the plan asks', adoption)
    .option('--max-deletes <n|p%>', 'deletes at most (default: 10 %, or 5)', tolerance);
}

/** `posts/a.md=17`, `posts/a.md=none`, or `none` for all that are asked about. */
function adoption(text: string, before: Adopted = new Map()): Adopted {
  if (text === 'none') return new Map([...before, ['', 'none']]);
  const [, path = '', id = ''] = /^(.+)=(none|[1-9]\d{0,15})$/s.exec(text) ?? [];
  if (path === '') throw new InvalidArgumentError('Write it as path=id, path=none, or none.');
  return new Map([...before, [path, id === 'none' ? id : Number(id)]]);
}

/** The flags that plan, apply and pull share. */
export function addSyncFlags(command: Command): Command {
  return addSourceFlags(
    command
      .option('--state <file>', 'where the state is kept (default: in the data folder)')
      .addOption(new Option('--no-history', 'do not ask git what the files were'))
      .option('--exact', 'line ends and blank edges count as changes'),
  );
}
