import { expectedNow } from '../client/articles.ts';
import type { BlogClient, Validators } from '../client/blog-client.ts';
import { BlogctlError } from '../errors.ts';
import type { RetryPolicy } from '../importing/sending/retry-policy.ts';
import { isSilence, outcomeOfRefusal } from '../importing/sending/delivery.ts';
import { orUnclear } from '../importing/sending/unkeyed-delivery.ts';
import { textDigest } from '../importing/sources/identity.ts';
import { noteBefore, type RunJournal } from '../importing/runs/runs.ts';
import { doesOf, type Step } from './decide.ts';
import { summaryOf, type Applied } from './plan-document.ts';
import { forAll } from '../importing/sending/pace.ts';
import type { Post } from './folder.ts';
import type { Text } from './same-text.ts';
import { keepKnown } from './kept-readings.ts';
import { lineOf, type StateFile, type StateLine } from './state-file.ts';
import { readTarget, remoteOf, type RemoteText } from './listing.ts';

export type ApplyWorld = {
  readonly client: BlogClient;
  readonly retry: RetryPolicy;
  readonly signal: AbortSignal;
  readonly concurrency: number;
  readonly state: StateFile;
  /** The whole plan, where only some of its steps are carried out: what it found out stays known. */
  readonly known?: readonly Step[];
  /** What it takes to undo this. */
  readonly record: RunJournal;
  /** The highest id that the plan knew: what is above is new. */
  readonly newest: number;
  settled(done: number): void;
  /** With the article that was created, where one was. */
  written(step: Step, id: number | undefined): void;
  /** Why a step was not carried out. */
  refused(step: Step, message: string): void;
};

export type ApplyReport = {
  readonly summary: Applied;
  /** Paths of those of which the service stored another text than it was sent. */
  readonly storedOtherwise: readonly string[];
  /** Of those that were refused, and would be again. */
  readonly refusals: readonly BlogctlError[];
  readonly ended?: BlogctlError;
};

type Outcome = {
  readonly kind: 'written' | 'refused' | 'failed';
  readonly message?: string;
  readonly id?: number;
  readonly storedOtherwise?: boolean;
  /** What the service refused it with. */
  readonly refusal?: BlogctlError;
};

const mostLocked = 5;

/** Where nobody says what is locked, and so many are that it will be all of them. */
function isOfAll(refusal: BlogctlError, before: readonly BlogctlError[]): boolean {
  const isVague = ({ context }: BlogctlError) => context.locked === 'article or blog';
  return isVague(refusal) && before.filter(isVague).length >= mostLocked;
}

/**
 * Creates, then updates, then deletes, each on condition that the article still is what was planned.
 * Deletes only where nothing before them failed. What was answered is in the state at once.
 */
export async function applySteps(steps: readonly Step[], world: ApplyWorld): Promise<ApplyReport> {
  const counts = { written: 0, refused: 0, failed: 0 };
  const ours = steps.filter(({ action }) => doesOf(action) !== 'not ours');
  const known = world.known ?? ours;
  // Two files may have each other's path.
  for (const { post, line } of known)
    if (post && line && line.path !== post.name) world.state.forget(line.path);
  // An article that a person has given to a post is that of no other one, whether that has its own by now or not.
  for (const { post, found, action } of known) {
    if (found !== 'named') continue;
    for (const { id, path } of world.state.lines.values())
      if (id === action.id && path !== post?.name) world.state.forget(path);
  }
  for (const step of known) keepKnown(step, world.state);
  const refusals: BlogctlError[] = [];
  const storedOtherwise: string[] = [];
  let ended: BlogctlError | undefined;
  let done = 0;
  try {
    for (const phase of ['create', 'update', 'delete'] as const) {
      if (world.signal.aborted || (phase === 'delete' && counts.failed > 0)) break;
      const due = ours.filter(({ action }) => action.action === phase);
      await forAll(
        due,
        async (step, signal) => {
          const delivered = deliver(step, { ...world, signal });
          const outcome = await delivered.catch((error: unknown) => {
            // What ends the run was an answer to one that was sent, or the lack of one.
            if (!(error instanceof BlogctlError)) throw error;
            if (error.context.status) counts.refused += 1;
            else if (isSilence(error) && error.context.maybeDone !== false) counts.failed += 1;
            throw error;
          });
          const { kind, message = '', id, refusal } = outcome;
          counts[kind] += 1;
          if (outcome.storedOtherwise === true) storedOtherwise.push(step.action.path ?? '');
          if (refusal !== undefined) {
            if (counts.written === 0 && isOfAll(refusal, refusals)) throw refusal;
            refusals.push(refusal);
          }
          world.settled((done += 1));
          if (kind === 'written') world.written(step, id);
          else world.refused(step, message);
        },
        world,
      );
    }
  } catch (error) {
    if (!(error instanceof BlogctlError)) throw error;
    ended = error;
  }
  const summary = summaryOf(ours, counts);
  return { summary, storedOtherwise, refusals, ...(ended && { ended }) };
}

async function deliver(step: Step, world: ApplyWorld): Promise<Outcome> {
  const { post, target, action } = step;
  try {
    const text = post?.text();
    const isOther = post !== undefined && text === undefined;
    // A checkout under way, or an editor, may have taken a file away for a moment only.
    if (isOther || step.isBack?.() === true) return changedHere;
    const sent = post && text && { post, text };
    if (action.action === 'create' && sent) return await create(sent, step, world);
    if (target === undefined) throw new TypeError(`Nothing to write for ${action.path}`);
    const expected = await expectedNow(
      target,
      async () => (await readTarget(target.id, world))?.text,
    );
    return expected === undefined
      ? changedMeanwhile
      : await change(sent, { ...step, target, expected }, world);
  } catch (error) {
    return outcomeOf(error);
  }
}

const changedMeanwhile: Outcome = {
  kind: 'refused',
  message: 'changed meanwhile, and left as it is',
};

const changedHere: Outcome = {
  kind: 'refused',
  message: 'its file was changed meanwhile: run it again',
};

/** Throws what every other article would meet too, and the silence of the service. */
function outcomeOf(error: unknown): Outcome {
  const outcome = outcomeOfRefusal(error);
  if (outcome.kind !== 'rejected' || !(error instanceof BlogctlError))
    return { kind: 'refused', message: 'deleted there meanwhile' };
  const { class: cause, message } = outcome;
  return cause === 'failed'
    ? { kind: cause, message }
    : { kind: 'refused', message, refusal: error };
}

type Sent = { readonly post: Post; readonly text: Text };

async function create(
  { post, text }: Sent,
  { key = '' }: Step,
  world: ApplyWorld,
): Promise<Outcome> {
  const { client, retry, signal, state, record } = world;
  const { honoursIdempotencyKey } = await client.blog();
  const send = () => client.create(text, { idempotencyKey: key });
  const sent = textDigest(text);
  const answer = await noteBefore(record, { sending: key, digest: sent.slice(0, 32) }, () =>
    retry(honoursIdempotencyKey ? send : () => send().catch(orUnclear), signal),
  );
  if (answer instanceof BlogctlError) {
    const message = `${answer.message} It may have been created: the next run finds it by its text.`;
    return { kind: 'failed', message };
  }
  const { article, replayed } = answer;
  const isOther = (line: StateLine) => line.id === article.id && line.path !== post.name;
  const other = replayed ? [...state.lines.values()].find(isOther) : undefined;
  if (other !== undefined) {
    const message = `its key was used for article ${article.id}, which is that of ${other.path} by now`;
    return { kind: 'refused', message };
  }
  const isOwn = !replayed || article.id > world.newest;
  record.note({
    answered: key,
    sent: sent.slice(0, 16),
    stored: (replayed ? sent : textDigest(article)).slice(0, 32),
    url: article.url,
    ...(isOwn && { created: true }),
  });
  const { digest, exact } = post;
  const now = remoteOf(article, true);
  // Created before: what it says by now may be somebody's edit.
  state.note(lineOf(post, replayed ? { ...now, digest, exact } : now, key));
  const storedOtherwise = !replayed && now.digest !== post.digest;
  return { kind: 'written', id: article.id, storedOtherwise };
}

type Write = Step & { readonly target: RemoteText; readonly expected: Validators };

/** Puts what is sent in the place of an article; without it the article is deleted. */
async function change(
  sent: Sent | undefined,
  { target, expected, line, key, found }: Write,
  world: ApplyWorld,
): Promise<Outcome> {
  const { client, retry, signal, state, record } = world;
  const { id, url, text: before } = target;
  const digest = sent && textDigest(sent.text).slice(0, 32);
  if (digest !== undefined) record.note({ updated: url, digest, before });
  const write = async () => {
    if (sent !== undefined)
      return remoteOf((await client.replace({ id }, sent.text, expected)).article, true);
    await client.remove({ id }, expected);
    return undefined;
  };
  const send = () => retry(write, signal);
  const sending = sent ? send() : noteBefore(record, { deleted: url, before }, send);
  const now = await sending.catch(async (error: unknown) => {
    if (!isChanged(error)) throw error;
    // The answer to an attempt of ours may have been lost.
    const there = await readTarget(id, world);
    return there?.digest === sent?.post.digest ? there : 'changed';
  });
  if (now === 'changed') return changedMeanwhile;
  const isFound = found === 'text' && ({ found: true } as const);
  if (sent && now) state.note({ ...lineOf(sent.post, now, key), ...isFound });
  else if (line !== undefined) state.note({ ...line, sent: '', stored: '', pruned: true });
  return { kind: 'written', storedOtherwise: now?.digest !== sent?.post.digest };
}

function isChanged(error: unknown): boolean {
  const codes = ['precondition-failed', 'gone', 'not-found'];
  return error instanceof BlogctlError && codes.includes(error.code);
}
