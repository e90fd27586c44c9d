import type { Article, BlogClient, Validators } from '../client/blog-client.ts';
import { BlogctlError } from '../errors.ts';
import type { Patience } from '../importing/sending/patience.ts';
import { isSilence, outcomeOfRefusal } from '../importing/sending/refusals.ts';
import { textDigest } from '../importing/identity/record-key.ts';
import type { RunRecord } from '../importing/runs/record.ts';
import { sendAll } from '../importing/sending/send-all.ts';
import { isRefused, writes, type Step, type Target } from './actions.ts';
import type { Post } from './folder.ts';
import { digestOf } from './same-text.ts';
import type { StateFile, StateLine } from './state-file.ts';
import { readTarget } from './steps.ts';

export type ApplyWorld = {
  readonly client: BlogClient;
  readonly patience: Patience;
  readonly signal: AbortSignal;
  readonly concurrency: number;
  readonly state: StateFile;
  /** What it takes to undo this. */
  readonly record: RunRecord;
  settled(done: number): void;
  /** Why a step was not carried out. */
  refused(step: Step, message: string): void;
};

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

export type ApplyReport = { readonly summary: Applied; readonly ended?: BlogctlError };

type Outcome = { readonly kind: 'written' | 'refused' | 'failed'; readonly message?: string };

/**
 * Creates, then updates, then deletes, each on condition that the article still is what was planned.
 * Deletes only where nothing before them failed. What was answered is in the state at once.
 */
export async function applySteps(steps: readonly Step[], world: ApplyWorld): Promise<ApplyReport> {
  const counts = { written: 0, refused: 0, failed: 0 };
  const ours = steps.filter(({ action }) => action.action !== 'unmanaged');
  for (const step of ours) keepKnown(step, world.state);
  let ended: BlogctlError | undefined;
  let done = 0;
  try {
    for (const phase of ['create', 'update', 'delete'] as const) {
      if (phase === 'delete' && counts.failed > 0) break;
      const due = ours.filter(({ action }) => action.action === phase);
      await carryOut(due, world, (step, { kind, message = '' }) => {
        counts[kind] += 1;
        world.settled((done += 1));
        if (kind !== 'written') world.refused(step, message);
      });
      if (world.signal.aborted) break;
    }
  } catch (error) {
    if (!(error instanceof BlogctlError)) throw error;
    ended = error;
  }
  const summary = summaryOf(ours, counts);
  return { summary, ...(ended && { ended }) };
}

function summaryOf(
  steps: readonly Step[],
  counts: { readonly written: number; readonly refused: number; readonly failed: number },
): Applied {
  const due = steps.filter(({ action }) => writes(action)).length;
  const waiting = steps.filter(({ action }) => isRefused(action)).length;
  const same = steps.filter(
    ({ action: { action } }) => action === 'unchanged' || action === 'rename',
  );
  return {
    planned: steps.length,
    written: counts.written,
    unchanged: same.length,
    left: steps.length - due - waiting - same.length,
    refused: counts.refused + waiting,
    failed: counts.failed,
    unsent: due - counts.written - counts.refused - counts.failed,
  };
}

async function carryOut(
  steps: readonly Step[],
  world: ApplyWorld,
  settled: (step: Step, outcome: Outcome) => void,
): Promise<void> {
  async function* portions(): AsyncGenerator<readonly Step[], void, void> {
    yield steps;
  }
  const sending = {
    deliver: (step: Step, signal: AbortSignal) => deliver(step, { ...world, signal }),
    concurrency: world.concurrency,
    settled: (step: Step, outcome: Outcome) => {
      settled(step, outcome);
      return true;
    },
  };
  await sendAll(portions(), sending, world.signal);
}

async function deliver(step: Step, world: ApplyWorld): Promise<Outcome> {
  const { post, target, action } = step;
  try {
    if (action.action === 'create' && post !== undefined) return await create(post, step, world);
    if (target === undefined) throw new TypeError(`Nothing to write for ${action.path}`);
    const expected = await expectedOf(target, world);
    if (expected === undefined) return changedMeanwhile;
    if (post === undefined) return await remove(step, { target, expected }, world);
    return await update(post, { target, expected }, world);
  } catch (error) {
    return outcomeOf(error);
  }
}

const changedMeanwhile: Outcome = {
  kind: 'refused',
  message: 'changed meanwhile, and left as it is',
};

/** Throws what every other article would meet too, and the silence of the service. */
function outcomeOf(error: unknown): Outcome {
  const outcome = outcomeOfRefusal(error);
  if (outcome.kind !== 'rejected') return { kind: 'refused', message: 'deleted there meanwhile' };
  return { kind: outcome.class === 'failed' ? 'failed' : 'refused', message: outcome.message };
}

/**
 * What the service is to expect. Where it names no version, or one that no condition can hold for, the
 * text is read again just before it is written over, which leaves a small window.
 */
async function expectedOf(target: Target, world: ApplyWorld): Promise<Validators | undefined> {
  if (hasCondition(target.validators)) return target.validators;
  const now = await readTarget(target.id, world);
  return now?.digest === target.digest ? {} : undefined;
}

export function hasCondition({ etag, lastModified }: Validators): boolean {
  return lastModified !== undefined || (etag !== undefined && !etag.startsWith('W/'));
}

async function create(post: Post, step: Step, world: ApplyWorld): Promise<Outcome> {
  const { client, patience, signal, state, record } = world;
  const key = post.keyOf(step.generation ?? 1);
  const { honoursIdempotencyKey } = await client.blog();
  const send = () => client.create(post.text, { idempotencyKey: key });
  // Where no key tells a repetition from a second article, silence is no reason to send again.
  const answer = await patience(
    honoursIdempotencyKey ? send : () => send().catch(keepDoubt),
    signal,
  );
  if (answer instanceof BlogctlError) {
    const message = `${answer.message} It may have been created: the next run finds it by its text.`;
    return { kind: 'failed', message };
  }
  const { article, validators, replayed } = answer;
  const line = lineOf(post, { article, validators, key });
  if (!replayed) record.note({ created: article.url, digest: textDigest(article).slice(0, 32) });
  // Created before: what it says by now may be somebody's edit.
  state.note(replayed ? { ...line, stored: post.digest } : line);
  return { kind: 'written' };
}

function keepDoubt(error: unknown): BlogctlError {
  const isDoubt =
    error instanceof BlogctlError && [500, 502, 504].includes(error.context.status ?? 0);
  if (isSilence(error) || isDoubt) return error;
  throw error;
}

type Write = { readonly target: Target; readonly expected: Validators };

async function update(
  post: Post,
  { target, expected }: Write,
  world: ApplyWorld,
): Promise<Outcome> {
  const { client, patience, signal, state, record } = world;
  const { id } = target;
  const digest = textDigest(post.text).slice(0, 32);
  record.note({ updated: target.url, digest, before: target.text });
  const key = state.lines.get(post.name)?.answered ?? '';
  try {
    const { article, validators } = await patience(
      () => client.replace({ id }, post.text, expected),
      signal,
    );
    state.note(lineOf(post, { article, validators, key }));
    return { kind: 'written' };
  } catch (error) {
    if (!isChanged(error)) throw error;
    // The answer to an attempt of ours may have been lost.
    const now = await readTarget(id, world);
    if (now?.digest !== post.digest) return changedMeanwhile;
    const { text, url, validators } = now;
    state.note(lineOf(post, { article: { ...text, id, url }, validators, key }));
    return { kind: 'written' };
  }
}

async function remove(
  step: Step,
  { target, expected }: Write,
  world: ApplyWorld,
): Promise<Outcome> {
  const { client, patience, signal, state, record } = world;
  const { id } = target;
  record.note({ deleted: target.url, before: target.text });
  try {
    await patience(() => client.remove({ id }, expected), signal);
  } catch (error) {
    if (!isChanged(error)) throw error;
    if ((await readTarget(id, world)) !== undefined) return changedMeanwhile;
  }
  if (step.line !== undefined) state.forget(step.line.path);
  return { kind: 'written' };
}

function isChanged(error: unknown): boolean {
  const codes = ['precondition-failed', 'gone', 'not-found'];
  return error instanceof BlogctlError && codes.includes(error.code);
}

/** What is known without a request goes into the state; a renamed file takes its line along. */
function keepKnown({ action, post, line, stored }: Step, state: StateFile): void {
  if (post === undefined) return;
  if (line !== undefined && line.path !== post.name) {
    state.forget(line.path);
    state.keep({ ...line, path: post.name });
  }
  const isSame = action.action === 'unchanged' || action.action === 'rename';
  const { id, url } = action;
  if (!isSame || id === undefined || url === undefined || stored === undefined) return;
  const { etag, ...known } = line ?? {
    answered: action.base === 'key' ? post.keyOf(1) : '',
    etag: undefined,
  };
  const isAsKnown = line?.stored === stored && line.id === id;
  state.keep({
    path: post.name,
    answered: known.answered,
    sent: post.digest,
    stored,
    id,
    url,
    ...(isAsKnown && etag !== undefined && { etag }),
  });
}

function lineOf(
  post: Post,
  { article, validators, key }: { article: Article; validators: Validators; key: string },
): StateLine {
  return {
    path: post.name,
    answered: key,
    sent: post.digest,
    stored: digestOf(article).digest,
    id: article.id,
    url: article.url,
    ...(validators.etag !== undefined && { etag: validators.etag }),
  };
}
