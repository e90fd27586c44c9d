import { BlogctlError, type Hint } from '../errors.ts';
import { carryOut } from './carry-out.ts';
import {
  interrupted,
  tolerates,
  type ImportReport,
  type ImportRequest,
  type ImportWorld,
} from './import-request.ts';
import { createKeyedEntries, type KeyedEntries } from './sources/keyed-entries.ts';
import { createLineFile, createResults, type Reject } from './results.ts';
import { planImport, createTally, type Plan, type Summary } from './plan.ts';
import type { Books } from './send-rounds.ts';
import type { SkipEntry } from './sources/source.ts';

/**
 * Imports articles in two passes: the first reads every record and writes nothing, the second sends
 * them. Whatever ends it, the report's summary accounts for every record.
 */
export async function importArticles(
  request: ImportRequest,
  world: ImportWorld,
): Promise<ImportReport> {
  const rejects = createLineFile<Reject>(request.rejects);
  const results = createResults(request.results);
  const reject = async (rejected: Reject) => {
    world.listener.rejected(rejected);
    await rejects.add(rejected);
  };
  try {
    const entries = createKeyedEntries(request.sources, request.importId);
    const plan = await readAll(entries, world, { reject, results });
    world.listener.planned(plan);
    const tally = createTally(plan);
    const failure =
      reasonToRefuse(plan, request) ??
      (await carryOut(
        request,
        { ...world, client: await world.connect() },
        { entries, plan, tally, reject, results },
      )) ??
      incomplete(tally.summary());
    const summary = tally.summary();
    return {
      summary,
      resumable: request.journal !== undefined && !request.dryRun && isUnfinished(summary),
      ...(failure && { failure }),
      ...(rejects.count > 0 && request.rejects !== undefined && { rejects: request.rejects }),
    };
  } finally {
    await rejects.close();
    await results?.close();
  }
}

/** Something was sent, and something is left that could be. */
function isUnfinished({ created, replayed, inDoubt, unsent }: Summary): boolean {
  return inDoubt + unsent > 0 && created + replayed + inDoubt > 0;
}

async function readAll(
  entries: KeyedEntries,
  { listener, signal }: ImportWorld,
  { reject, results }: Pick<Books, 'reject' | 'results'>,
): Promise<Plan> {
  try {
    const rejected = async (each: Reject) => {
      await reject(each);
      await results?.add(each, { outcome: 'rejected', reason: each.class });
    };
    const skipped = async ({ place, reason }: SkipEntry) => {
      await results?.add(place, { outcome: 'skipped', reason });
    };
    return await planImport(entries.read(), { ...listener, rejected, skipped }, signal);
  } catch (error) {
    if (signal.aborted && error === signal.reason)
      throw interrupted(signal, { records: 0, unsent: 0 });
    throw error;
  }
}

/** Why nothing is sent at all. */
function reasonToRefuse(plan: Plan, request: ImportRequest): BlogctlError | undefined {
  if (plan.records === 0 && !request.allowEmpty) {
    return new BlogctlError('unusable-input', 'Nothing to import was found.', {
      hint: 'Check the folder or the pattern; --allow-empty accepts an empty source.',
    });
  }
  if (tolerates(request.tolerance, plan.rejected, plan.records)) return undefined;
  const share = `${plan.rejected} of ${plan.records} records`;
  return new BlogctlError('unusable-input', `${share} cannot be imported, so nothing was sent.`, {
    hint: 'Repair them, or import the others with --continue-on-error.',
  });
}

/** What is left to do after everything that could be sent was sent. */
function incomplete(summary: Summary): BlogctlError | undefined {
  const { records, rejected, inDoubt, unsent } = summary;
  const open = [
    ...(rejected > 0 ? [`${rejected} rejected`] : []),
    ...(inDoubt > 0 ? [`${inDoubt} in doubt`] : []),
    ...(unsent > 0 ? [`${unsent} not sent`] : []),
  ];
  if (open.length === 0) return undefined;
  return new BlogctlError('partly-failed', `Of ${records} records: ${open.join(', ')}.`, {
    hint: whatNext(summary),
  });
}

function whatNext({ rejected, reasons }: Summary): Hint {
  const changed = reasons.rejected['changed'] ?? 0;
  if (changed > 0 && changed === rejected) {
    return 'Where posts were edited, blogctl sync apply brings them to the blog; blogctl articles update changes any article. Where this is another source than the one imported before, name it with --import-id. --on-changed skip passes over such records.';
  }
  return 'Repair the source and run the same import again, or repair the rejects file and import that: nothing is created twice.';
}
