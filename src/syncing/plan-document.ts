import { readFileSync } from 'node:fs';
import * as z from 'zod/mini';

import { BlogctlError } from '../errors.ts';
import { hasCode } from '../files.ts';
import type { Action, ActionCounts, Step } from './decide.ts';
import { actionKinds, doesOf, isListed } from './decide.ts';
import { changedMeanwhile, type RemoteText } from './listing.ts';
import { changedLines, fileDigest } from './same-text.ts';

export const planSchema = 'blogctl-sync-plan/1';

const KeptFlags = z.object({
  drafts: z.optional(z.boolean()),
  titleFrom: z.optional(z.enum(['h1', 'line', 'filename'])),
  encoding: z.optional(z.string()),
  exact: z.optional(z.boolean()),
  continueOnError: z.optional(z.boolean()),
  allowEmpty: z.optional(z.boolean()),
  onDrift: z.optional(z.enum(['keep', 'overwrite'])),
  recreate: z.optional(z.boolean()),
  state: z.optional(z.string()),
  adopt: z.optional(z.array(z.tuple([z.string(), z.union([z.number(), z.literal('none')])]))),
  maxDeletes: z.optional(
    z.union([
      z.object({ kind: z.enum(['count', 'share']), most: z.number() }),
      z.object({ kind: z.enum(['any', 'none']) }),
    ]),
  ),
});

const Kept = z.object({
  schema: z.literal(planSchema),
  /** As `--blog` takes it. */
  blog: z.string(),
  importId: z.string(),
  /** As it was named, and so is the state. */
  folder: z.string(),
  prune: z.boolean(),
  /** How the folder was read, and what was chosen. */
  options: KeptFlags,
  actions: z.array(
    z.object({
      action: z.enum(actionKinds),
      path: z.optional(z.string()),
      id: z.optional(z.number()),
      reason: z.optional(z.string()),
      edited: z.optional(z.boolean()),
      after: z.optional(z.string()),
      pin: z.optional(
        z.object({
          etag: z.optional(z.string()),
          lastModified: z.optional(z.string()),
          digest: z.optional(z.string()),
          file: z.optional(z.string()),
          anew: z.optional(z.string()),
        }),
      ),
    }),
  ),
});
export type KeptPlan = z.infer<typeof Kept>;

/** A plan as `-o plan.json` keeps it: without any text of an article. */
export type PlanDocument = Omit<KeptPlan, 'actions'> & {
  readonly summary: ActionCounts;
  /** Why it may not be carried out, or knows less than it could. */
  readonly warnings: readonly string[];
  readonly rejected: readonly { readonly path: string; readonly message: string }[];
  /** Files that are not to be published, by reason. */
  readonly skipped: Readonly<Record<string, number>>;
  readonly actions: readonly Action[];
};

/** Lines to be typed next: about the same blog, read in the same way, whatever is the default where they are. */
export type Lines = {
  readonly prune: boolean;
  /** Of the same folder; its words are quoted already. */
  readonly sync: (verb: 'plan' | 'apply' | 'pull', ...words: readonly string[]) => string;
  /** Of the same posts, with the same choices. */
  readonly again: (verb: 'plan' | 'apply') => string;
  /** Of plan.json, which says how it was read. */
  readonly applyKept: string;
  readonly article: (verb: 'get' | 'delete', id: number | string) => string;
  readonly undo: (run: string) => string;
};

/** What is said of it in one sentence. */
export type PlanReport = Pick<PlanDocument, 'summary' | 'actions' | 'skipped' | 'rejected'> & {
  /** What a plan that was kept says nothing of. */
  readonly notOfPlan?: number | undefined;
};

/**
 * What is unchanged is only counted, but for paths that are others now. What is written from a file
 * carries the digest of that file. An article of a file has no address that leads anywhere.
 */
export function actionsOf(steps: readonly Step[], blog: string): readonly Action[] {
  const listed = steps.filter(
    ({ action: { action, from } }) => action !== 'unchanged' || from !== undefined,
  );
  return listed.map(({ action: { url, ...action }, post }) => {
    const shown = { ...action, ...(url && !blog.startsWith('file:') && { url }) };
    const isWritten = doesOf(action) === 'write' || action.action === 'unverified';
    if (post === undefined || !isWritten) return shown;
    const file = fileDigest(readFileSync(post.file));
    return { ...shown, pin: { ...action.pin, file } };
  });
}

/** A step with what it is decided on, and what would change. */
export function withPin(
  step: Step,
  { validators: { etag, lastModified }, digest, text: there }: RemoteText,
): Step {
  const { action, post } = step;
  const byDate = lastModified === undefined ? { digest } : { lastModified };
  const pin = etag === undefined ? byDate : { etag };
  if (post === undefined) return { ...step, action: { ...action, pin } };
  const here = post.text();
  if (here === undefined) throw changedMeanwhile(`${post.path} was changed`);
  return { ...step, action: { ...action, lines: changedLines(there, here), pin } };
}

/** A plan that was kept; anything else is `unusable-input`. */
export function readPlan(path: string): KeptPlan {
  const plan = Kept.safeParse(parse(path));
  if (plan.success) return plan.data;
  throw new BlogctlError('unusable-input', `"${path}" is not a plan of blogctl sync.`, {
    hint: /\.(?:md|markdown|html?)$/i.test(path)
      ? 'Name the folder first, and its posts behind it, as `blogctl sync plan <folder>` shows them.'
      : 'Make one with `blogctl sync plan <folder> -o plan.json`; records come to a blog by `blogctl articles import`.',
  });
}

function parse(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    if (!hasCode(error, 'ENOENT')) throw error;
    throw new BlogctlError('unusable-input', `There is no plan "${path}".`, {
      hint: 'Make one with blogctl sync plan <folder> -o plan.json; one that apply would refuse is not kept.',
    });
  }
}

type KeptAction = KeptPlan['actions'][number];

type Reviewed = {
  readonly steps: readonly Step[];
  /** Of what there is to do or to look at by now. */
  readonly notOfPlan: number;
};

/**
 * The steps of a plan that was kept, each as the folder and the blog are now: to be carried out where
 * both still are as its pin says, done where the blog has it already, refused where anything moved.
 * What the plan does not hold is not touched.
 */
export function reviewedSteps({ actions }: KeptPlan, now: readonly Step[]): Reviewed {
  const places = new Map(now.map((step) => [placeOf(step.action), step]));
  const postOf = new Map(now.flatMap((step) => (step.post ? [[step.action.id, step]] : [])));
  const planned = actions.filter(({ action }) => action !== 'unmanaged');
  const found = planned.map((kept) => {
    const { action, path = '', id } = kept;
    // What was to be deleted is a post again where its file is back, or another file has become it.
    const again = action === 'delete' ? (places.get(path) ?? postOf.get(id)) : undefined;
    return [kept, places.get(placeOf(kept)) ?? again] as const;
  });
  const used = new Set(found.map(([, step]) => step));
  const others = now.filter((step) => !used.has(step));
  const counted = others.filter(({ action }) => !isListed(action));
  const steps = [...counted, ...found.flatMap(([kept, step]) => reviewed(kept, step))];
  return { steps, notOfPlan: others.length - counted.length };
}

/** Of an article without a file its id. */
function placeOf({ action, path = '', id }: Pick<KeptAction, 'action' | 'path' | 'id'>): string {
  return ['delete', 'orphan', 'unmanaged'].includes(action) ? `#${id}` : path;
}

export const outdated = 'changed since the plan was made';
/** Of what was changed only on the blog, where pull cannot put it into the file. */
export const byHand = 'changed on the blog, to be put in here by hand';
export const betterKnown = 'changed on the blog, which the plan did not know';

function reviewed(kept: KeptAction, step: Step | undefined): readonly Step[] {
  const { action, path, id, reason, edited } = kept;
  const shown = { ...(path && { path }), ...(id && { id }) };
  const isDone = (kind: string) => kind === 'unchanged' || kind === 'rename';
  const isWritten = doesOf(kept) === 'write' || action === 'unverified';
  const isHere = !isWritten || kept.after === undefined || kept.after === step?.action.after;
  if (step && isHere && isDone(step.action.action) && action !== 'delete') return [step];
  // What was unchanged and is not any more belongs to another plan.
  if (action === 'unchanged') return [];
  const left = step && { ...step.action, ...shown, reason, edited, action };
  if (!isWritten && !isDone(action)) return left === undefined ? [] : [{ action: left }];
  if (step?.action.action === 'unmerged') return [step];
  if (action === 'delete' && step === undefined)
    return [{ action: { ...shown, action: 'unchanged', reason: 'done already' } }];
  if (step === undefined || isDone(action) || !isAsPlanned(kept, step))
    return [{ action: { ...shown, action: 'conflict', reason: outdated } }];
  if (action !== 'unverified') return [{ ...step, action: { ...step.action, action } }];
  // Nobody knew then whose text stands there. Who knows it here does not write over it.
  if (['unverified', 'update'].includes(step.action.action)) return [step];
  return [{ action: { ...shown, action: 'conflict', reason: betterKnown } }];
}

/** The same file, and the same version of the article: by its tag, else its date, else its text. */
function isAsPlanned(
  { action, id, pin }: KeptAction,
  { action: now, post, target }: Step,
): boolean {
  // Of what is to be deleted there is none, now as then.
  if ((post && fileDigest(readFileSync(post.file))) !== pin?.file) return false;
  const parts = ['etag', 'lastModified', 'digest', 'anew'] as const;
  if (!parts.every((part) => now.pin?.[part] === pin?.[part])) return false;
  return action === 'create' ? now.action === action : now.id === id && target !== undefined;
}

/** planned = written + unchanged + left + refused + failed + unsent, always. */
export type Applied = {
  readonly planned: number;
  readonly written: number;
  readonly unchanged: number;
  /** Left alone, and that is right: changed or deleted only on the blog, gone here. */
  readonly left: number;
  /** Somebody has to decide. */
  readonly refused: number;
  readonly failed: number;
  readonly unsent: number;
};

export function summaryOf(
  steps: readonly Step[],
  { written, refused, failed }: Pick<Applied, 'written' | 'refused' | 'failed'>,
): Applied {
  const count = (what: ReturnType<typeof doesOf>) =>
    steps.filter(({ action }) => doesOf(action) === what).length;
  return {
    planned: steps.length,
    written,
    unchanged: count('nothing'),
    left: count('leave'),
    refused: refused + count('refuse'),
    failed,
    unsent: count('write') - written - refused - failed,
  };
}
