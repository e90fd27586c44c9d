import type { Context } from '../../context/context.ts';
import { BlogctlError } from '../../errors.ts';
import type { Step } from '../../syncing/actions.ts';
import { lockState } from '../../syncing/state-file.ts';
import { pullNew, pullStep, uncommittedIn, type Pulled } from '../../syncing/pull.ts';
import { readTarget } from '../../syncing/listing.ts';
import type { PullFlags } from './pull.ts';
import { nothingChosen, prepare, type Prepared } from './run-sync.ts';

type Given = { readonly flags: PullFlags; readonly context: Context };

/** Brings what was changed on the blog into the files of a folder. */
export async function pullCommand(
  named: string,
  paths: readonly string[],
  { flags, context }: Given,
): Promise<void> {
  let unlock: (() => void) | undefined;
  const before = async (statePath: string) => void (unlock = await lockState(statePath));
  try {
    const prepared = await prepare(named, { flags, choices: nothingChosen, context, before });
    const results = await pullAll(chosen(prepared.plan.steps, paths), prepared, { flags, context });
    await show(results, context);
  } finally {
    unlock?.();
  }
}

/** What was changed on the blog alone; what was changed here too only where its path is named. */
function chosen(steps: readonly Step[], paths: readonly string[]): readonly Step[] {
  const changed = steps.filter(({ action }) =>
    ['drift', 'conflict', 'unverified'].includes(action.action),
  );
  if (paths.length === 0) return changed.filter(({ action }) => action.action === 'drift');
  const unknown = paths.find((path) => !changed.some(({ action }) => action.path === path));
  if (unknown === undefined)
    return changed.filter(({ action }) => paths.includes(action.path ?? ''));
  throw new BlogctlError('usage', `"${unknown}" is no post that was changed on the blog.`, {
    hint: 'Write the path as blogctl sync plan shows it.',
  });
}

async function pullAll(
  steps: readonly Step[],
  { folder, state, world, plan }: Prepared,
  { flags }: Given,
): Promise<readonly Pulled[]> {
  const { titleFrom, encoding, dryRun = false } = flags;
  const uncommitted = await uncommittedIn(folder.path);
  const pulling = { folder, state, reading: { titleFrom, encoding }, dryRun, uncommitted };
  const results = steps.flatMap((step) => pullStep(step, pulling) ?? []);
  const others = plan.steps.filter(({ action }) => action.action === 'unmanaged');
  for (const { action } of flags.new === true ? others : []) {
    const target = await readTarget(action.id ?? 0, world);
    if (target !== undefined) results.push(pullNew(target, pulling));
  }
  if (!dryRun) state.save();
  return results;
}

async function show(results: readonly Pulled[], { terminal }: Context): Promise<void> {
  await terminal.show({
    many: results,
    columns: ['path', 'id', 'result', 'reason'],
    id: 'path',
    text: ({ path, id, result, reason }) =>
      `${path} (article ${id}): ${result}${reason === undefined ? '' : `, ${reason}`}`,
  });
  const refused = results.filter(({ result }) => result === 'refused').length;
  if (results.length === 0) await terminal.notice('Nothing was changed on the blog.');
  if (refused === 0) return;
  throw new BlogctlError('partly-failed', `${refused} of ${results.length} were not pulled.`, {
    hint: 'Commit what is changed here and pull again, or put the text in by hand: blogctl articles get shows it.',
  });
}
