import { readFileSync } from 'node:fs';
import * as z from 'zod/mini';

import { BlogctlError } from '../errors.ts';
import { actionKinds, doesOf, type Action, type Step, type Summary } from './actions.ts';
import { fileDigest } from './same-text.ts';

export const planSchema = 'blogctl-sync-plan/1';

/** A plan as `-o plan.json` keeps it: without any text of an article. */
export type PlanDocument = {
  readonly schema: typeof planSchema;
  /** As `--blog` takes it. */
  readonly blog: string;
  readonly importId: string;
  /** As it was named. */
  readonly folder: string;
  readonly prune: boolean;
  /** How the folder was read. */
  readonly options: ReadingFlags;
  readonly summary: Summary;
  readonly rejected: readonly { readonly path: string; readonly message: string }[];
  readonly actions: readonly Action[];
};

const ReadingFlags = z.object({
  drafts: z.optional(z.boolean()),
  titleFrom: z.optional(z.enum(['h1', 'line', 'filename'])),
  encoding: z.optional(z.string()),
  exact: z.optional(z.boolean()),
  continueOnError: z.optional(z.boolean()),
  allowEmpty: z.optional(z.boolean()),
});
export type ReadingFlags = z.infer<typeof ReadingFlags>;

const Kept = z.object({
  schema: z.literal(planSchema),
  blog: z.string(),
  importId: z.string(),
  folder: z.string(),
  prune: z.boolean(),
  options: ReadingFlags,
  actions: z.array(
    z.object({
      action: z.enum(actionKinds),
      path: z.optional(z.string()),
      id: z.optional(z.number()),
      after: z.optional(z.string()),
      pin: z.optional(
        z.object({
          etag: z.optional(z.string()),
          lastModified: z.optional(z.string()),
          digest: z.optional(z.string()),
          file: z.optional(z.string()),
        }),
      ),
    }),
  ),
});
export type KeptPlan = z.infer<typeof Kept>;

/** What is unchanged is only named. What is written from a file carries the digest of that file. */
export function actionsOf(steps: readonly Step[]): readonly Action[] {
  return steps.map(({ action, post }) => {
    if (action.action === 'unchanged') return named(action);
    const isWritten = doesOf(action) === 'write' || action.action === 'unverified';
    if (post === undefined || !isWritten) return action;
    const file = fileDigest(readFileSync(post.file));
    return { ...action, pin: { ...action.pin, file } };
  });
}

function named({ action, path, id, base, reason, from, to }: Action): Action {
  if (from === undefined || to === undefined) return { action, path, id, base };
  return { action, path, id, base, reason, from, to };
}

/** A plan that was kept; anything else is `unusable-input`. */
export function readPlan(path: string): KeptPlan {
  const plan = Kept.safeParse(parse(path));
  if (plan.success) return plan.data;
  throw new BlogctlError('unusable-input', `"${path}" is not a plan of blogctl sync.`, {
    hint: 'blogctl sync plan <folder> -o plan.json makes one.',
  });
}

function parse(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
