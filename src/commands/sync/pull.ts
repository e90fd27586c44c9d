import { resolve } from 'node:path';
import type { Command } from 'commander';
import type { Context } from '../context.ts';
import { BlogctlError, type Hint } from '../../errors.ts';
import type { Step } from '../../syncing/decide.ts';
import { readTarget } from '../../syncing/listing.ts';
import type { Lines } from '../../syncing/plan-document.ts';
import type { Pulled } from '../../syncing/pull.ts';
import { lockState } from '../../syncing/state-file.ts';
import { fileInShell } from '../../terminal/text.ts';
import { portableAddresses } from '../articles/article-view.ts';
import { pathsBelow, stepsAt } from '../arguments.ts';
import { addSyncFlags, linesLike } from './plan.ts';
import { prepare, type Prepared, type SyncFlags } from './prepare.ts';
import { unreadable } from './show-sync.ts';

type PullFlags = SyncFlags & { readonly dryRun?: boolean; readonly new?: boolean };

type PullRequest = { readonly flags: PullFlags; readonly context: Context };

export function define(command: Command, context: Context, run = pull): void {
  command
    .argument('<folder>', 'folder of Markdown')
    .argument(
      '[path...]',
      'only these posts, or those of folders; changed here too, if named itself',
    )
    .option('-n, --dry-run', 'say what would be written')
    .option('--new', 'make a file for each article that is not from here');
  addSyncFlags(command)
    .addHelpText(
      'after',
      `
Writes what was changed on the blog into the files of its posts: the title's value and the content,
nothing else. A file with changes that are not committed is left alone, so that git diff shows what
came, and git checkout takes it back.

Examples:
  blogctl sync pull posts -n
  blogctl sync pull posts && git diff
  blogctl sync pull posts 2024/letter.md`,
    )
    .action((folder: string, paths: readonly string[], flags: PullFlags) =>
      run(folder, paths, { flags, context }),
    );
}

/** Brings what was changed on the blog into the files of a folder. */
async function pull(
  named: string,
  posts: readonly string[],
  { flags, context }: PullRequest,
): Promise<void> {
  const paths = pathsBelow(resolve(context.folder, named), posts);
  context.terminal.requireFields(pulledFields);
  let unlock: (() => void) | undefined;
  let statePath = '';
  const before = async (path: string) => void (unlock = await lockState((statePath = path)));
  try {
    const prepared = await prepare(named, { flags, context, before });
    const isOf = (kinds: readonly string[]) => (step: Step) => kinds.includes(step.action.action);
    const isChanged = isOf(['drift', 'conflict', 'unverified']);
    // What is pulled already is no mistake to name.
    const isInStep = isOf(['unchanged', 'rename']);
    const all = prepared.plan.steps.filter((step) => isChanged(step) || isInStep(step));
    const steps = stepsAt(all, paths, 'no post that was changed on the blog').filter(isChanged);
    const isNamed = ({ action: { path = '' }, post }: Step) =>
      paths.includes(path) || paths.includes(post?.name ?? path);
    const asked = steps.filter((step) => step.action.action === 'drift' || isNamed(step));
    const pulled = await pullAll(asked, { ...prepared, statePath }, { flags, context });
    const left = steps.filter((step) => !asked.includes(step)).map(leftAlone);
    const lines = await linesLike(named, { flags, context });
    await show({ ...pulled, results: [...pulled.results, ...left] }, lines, context);
    if (prepared.rejected.length > 0) throw unreadable(prepared.rejected.length);
  } finally {
    unlock?.();
  }
}

/** What was changed here too, or may have been, is pulled only where its path is named. */
function leftAlone({ action: { path = '', id = 0, reason } }: Step): Pulled {
  return { path, id, result: 'refused', ...(reason && { reason }) };
}

type AllPulled = {
  readonly results: readonly Pulled[];
  /** Of these, what is refused each time. */
  readonly byHand: readonly Pulled[];
  /** Of these, what the system refused. */
  readonly notWritten: readonly Pulled[];
};

async function pullAll(
  steps: readonly Step[],
  { folder, state, world, plan, statePath }: Prepared & { readonly statePath: string },
  { flags, context }: PullRequest,
): Promise<AllPulled> {
  // Front matter is YAML: a library that its help does without.
  const { draftsOf, uncommittedIn, ...pulls } = await import('../../syncing/pull.ts');
  const { isByHand, isNotWritten, pullNew, pullStep } = pulls;
  const { titleFrom, encoding, exact = false, dryRun = false } = flags;
  const uncommitted = await uncommittedIn(folder.path);
  const addressOf = await portableAddresses(folder.named, context);
  const reading = { titleFrom, encoding, exact };
  const draft = dryRun ? undefined : await draftsOf(statePath, folder.path);
  const pulling = { folder, state, reading, dryRun, addressOf, uncommitted, draft };
  const others = plan.steps.filter(({ action }) => action.action === 'unmanaged');
  const doubtful = new Map(
    plan.steps.flatMap(({ action: { candidates = [], path = '' } }) =>
      candidates.map((id) => [id, path] as const),
    ),
  );
  const goneOf = new Map(
    plan.steps.flatMap(({ action: { action, before, path } }) =>
      action === 'orphan' ? [[before, path] as const] : [],
    ),
  );
  const results = steps.flatMap((step) => {
    const { path = '', id = 0 } = step.action;
    const [asks, gone] = [doubtful.get(id), goneOf.get(step.post?.digest)];
    if (asks === undefined && gone === undefined) return pullStep(step, pulling) ?? [];
    const reason = gone
      ? `has the text of ${gone} now, which is gone here and on the blog still: apply <path> --on-drift overwrite brings it`
      : `may be the article of ${asks}: sync plan asks`;
    return { path, id, result: 'refused' as const, reason };
  });
  for (const { action } of flags.new === true ? others : []) {
    const { id = 0 } = action;
    const path = doubtful.get(id);
    const target = path === undefined ? await readTarget(id, world) : undefined;
    if (path !== undefined) results.push({ path, id, result: 'refused', reason: mayBeIt });
    else if (target !== undefined) results.push(pullNew(target, pulling));
  }
  if (!dryRun) state.save();
  return { results, byHand: results.filter(isByHand), notWritten: results.filter(isNotWritten) };
}

const mayBeIt = 'may be this article, of which a second file would be made: sync plan asks';

const pulledFields = ['path', 'id', 'result', 'reason'] as const;

async function show(
  { results, byHand, notWritten }: AllPulled,
  lines: Lines,
  { terminal }: Context,
): Promise<void> {
  await terminal.show({
    many: results,
    columns: pulledFields,
    id: 'path',
    text: ({ path, id, result, reason }) =>
      `${path} (article ${id}): ${result}${reason === undefined ? '' : `, ${reason}`}`,
  });
  const refused = results.filter(({ result }) => result === 'refused');
  if (results.length === 0) await terminal.notice('There is nothing to pull.');
  if (refused.length === 0) return;
  const others = refused.filter((each) => !byHand.includes(each) && !notWritten.includes(each));
  const commit: Hint = `Commit what is changed here, in a git work tree, which alone keeps what a file said, then ${lines.sync('pull', wordsOf(others).path)} takes the text of the blog for each post that is named; or put it in by hand: ${lines.article('get', wordsOf(others).id)} shows it.`;
  const hand: Hint = `Put in by hand what cannot be put back by itself: ${lines.article('get', wordsOf(byHand).id)} shows it.`;
  const again: Hint = `Where a file cannot be written, see to the room on the disk and to its permissions, then run ${lines.sync('pull')} again.`;
  const all: readonly (readonly [readonly Pulled[], Hint])[] = [
    [others, commit],
    [byHand, hand],
    [notWritten, again],
  ];
  const [first = commit, ...more] = all.flatMap(([left, hint]) => (left.length > 0 ? hint : []));
  throw new BlogctlError(
    'partly-failed',
    `${refused.length} of ${results.length} were not pulled.`,
    { hint: more.reduce<Hint>((hints, hint) => `${hints} ${hint}`, first) },
  );
}

/** As a hint writes them: of one its own. */
function wordsOf([first, ...more]: readonly Pulled[]) {
  if (first === undefined || more.length > 0) return { path: '<path>', id: '<id>' };
  return { path: fileInShell(first.path), id: first.id };
}
